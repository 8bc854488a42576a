// A build option for tests: every plain LOAD may return an older value, as far back as the kernel's
// beginning.
//
// The session (tests/stale.py) gives every buffer STALE_ROOM 32-bit words and, behind them, five words for each parent:
// its value when the kernel began, its value before the last write, which work-item wrote last, which work-items wrote
// at all (a bit for each work-item modulo 32), and how often it was read. A work-item always sees its own writes, or
// newer ones; an atomic always sees, and changes, the newest value. Work-items must run one after another, because the
// records are not atomic. STALE_READS is the seed that chooses among the values.
enum { AT_FIRST = 1, BEFORE, WRITER, WRITERS, READ };
#define RECORD(p, area) ((p)[(area) * (STALE_ROOM * sizeof(int) / sizeof(*(p)))])

static vertex_t stale_load(__global vertex_t *p) {
    const int me = get_global_id(0);
    uint draw = (++RECORD(p, READ) + STALE_READS) * 2654435761u ^ (me + 1) * 2246822519u;
    draw = (draw ^ draw >> 15) * 3266489917u;
    const uint choice = (draw ^ draw >> 16) % 3;
    if (RECORD(p, WRITER) == 0) return *p;  // not written in this kernel
    if (choice == 1 && RECORD(p, WRITER) != me + 1) return RECORD(p, BEFORE);
    if (choice == 2 && !(RECORD(p, WRITERS) & 1 << me % 32)) return RECORD(p, AT_FIRST);
    return *p;
}

static void stale_store(__global vertex_t *p, vertex_t x) {
    const int me = get_global_id(0);
    RECORD(p, BEFORE) = *p;
    RECORD(p, WRITER) = me + 1;
    RECORD(p, WRITERS) |= 1 << me % 32;
    *p = x;
}

static vertex_t stale_swap(__global vertex_t *p, vertex_t expected, vertex_t desired) {
    const vertex_t seen = *p;
    if (seen == expected) stale_store(p, desired);
    return seen;
}

static vertex_t stale_min(__global vertex_t *p, vertex_t x) {
    const vertex_t seen = *p;
    if (x < seen) stale_store(p, x);
    return seen;
}
