// A build option for tests: every plain LOAD may return an older value, as far back as the kernel's
// beginning.
//
// The session (accel/stale.py) gives every buffer STALE_ROOM words, and behind them, for each word, what it
// held when the kernel began, what it held before the last write, who wrote last, who wrote at all (a bit for
// each work-item modulo 32), and how often it was read. A work-item always sees its own writes, or newer
// ones; an atomic always sees, and changes, the newest value. Work-items must run one after the other: the
// records are not atomic. STALE_READS is the seed that chooses among the values.
enum { AT_FIRST = 1, BEFORE, WRITER, WRITERS, READ };
#define RECORD(p, area) ((p)[(area) * STALE_ROOM])

static int stale_load(__global int *p) {
    const int me = get_global_id(0);
    uint draw = (++RECORD(p, READ) + STALE_READS) * 2654435761u ^ (me + 1) * 2246822519u;
    draw = (draw ^ draw >> 15) * 3266489917u;
    const uint choice = (draw ^ draw >> 16) % 3;
    if (RECORD(p, WRITER) == 0) return *p;  // not written in this kernel
    if (choice == 1 && RECORD(p, WRITER) != me + 1) return RECORD(p, BEFORE);
    if (choice == 2 && !(RECORD(p, WRITERS) & 1 << me % 32)) return RECORD(p, AT_FIRST);
    return *p;
}

static void stale_store(__global int *p, int x) {
    const int me = get_global_id(0);
    RECORD(p, BEFORE) = *p;
    RECORD(p, WRITER) = me + 1;
    RECORD(p, WRITERS) |= 1 << me % 32;
    *p = x;
}

static int stale_swap(__global int *p, int expected, int desired) {
    const int seen = *p;
    if (seen == expected) stale_store(p, desired);
    return seen;
}

static int stale_min(__global int *p, int x) {
    const int seen = *p;
    if (x < seen) stale_store(p, x);
    return seen;
}
