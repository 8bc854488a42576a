// Collecting the contributions of an image's runs to the records of their labels: sums, smallest and largest numbers.
//
// Most runs belong to few labels, often to one. So a work-group first collects records in local memory, in SLOTS slots.
// Each label has one slot that it may take, and the first label to come takes it. If the slot is taken, a label's
// records go to global memory. But a work-item that is alone in its group, as on CPUs, evicts the other label.
//
// The file that includes this, after wide.h, defines record_t; nothing(), which makes an empty record; and JOIN(where),
// the body of a function that joins the record `more` into `*to`. JOIN uses the verbs below, whose names end in
// `where`: globally or locally.
//
// Build options: SLOTS, a power of 2; GROUP, the size of a work-group; WIDE_KEYS, if lower and raise take 64 bits.
// Atomics: in local and global memory, addition, minimum and maximum, or with WIDE_KEYS 64-bit compare-and-swap; in
//   local memory, compare-and-swap.
// Races on numbers that are lowered or raised, benign: only atomics change them, in one direction. A stale read only
//   costs an atomic that changes nothing. On owner in local memory, benign: a slot's owner changes once, from NOBODY to
//   a label, and only by the swap. If a stale read shows NOBODY, the swap that follows fails and returns the true
//   owner.

#define NOBODY 0

// Add to 64 or 128 bits by 32-bit atomics, which every device has: the work-item that makes a word wrap carries into
// the next word. No work-item reads the sum before all have added to it.
#define DEFINE_ADDING(SPACE, where)                                                \
    static void add_words_##where(SPACE void *sum, wide_t more, uint words) {      \
        volatile SPACE uint *word = (volatile SPACE uint *)sum;                    \
        const ulong part[2] = {more.low, more.high};                               \
        uint carry = 0;                                                            \
        for (uint w = 0; w < words; ++w) {                                         \
            const ulong add = (ulong)(uint)(part[w / 2] >> w % 2 * 32) + carry;    \
            carry = (uint)(add >> 32);                                             \
            if ((uint)add == 0) continue;                                          \
            const uint was = atomic_add(&word[w], (uint)add);                      \
            carry += was + (uint)add < was;                                        \
        }                                                                          \
    }                                                                              \
    static void add_##where(SPACE ulong *sum, ulong more) {                        \
        const wide_t wide = {more, 0};                                             \
        add_words_##where(sum, wide, 2);                                           \
    }                                                                              \
    static void add_wide_##where(SPACE wide_t *sum, wide_t more) {                 \
        add_words_##where(sum, more, 4);                                           \
    }

#ifdef WIDE_KEYS
#define DEFINE_BOUND(SPACE, name, atomic, IS_BEYOND)                               \
    static void name(SPACE key_t *bound, key_t x) {                                \
        volatile SPACE key_t *p = bound;                                           \
        key_t seen = *p;                                                           \
        while (x IS_BEYOND seen) {                                                 \
            const key_t was = atom_cmpxchg(p, seen, x);                            \
            if (was == seen) return;                                               \
            seen = was;                                                            \
        }                                                                          \
    }
#else
#define DEFINE_BOUND(SPACE, name, atomic, IS_BEYOND)                               \
    static void name(SPACE key_t *bound, key_t x) {                                \
        volatile SPACE key_t *p = bound;                                           \
        if (x IS_BEYOND *p) (void)atomic(p, x);                                    \
    }
#endif

// OpenCL C 1.2 needs a function for each address space.
#define DEFINE_VERBS(SPACE, where)                                                 \
    DEFINE_ADDING(SPACE, where)                                                    \
    DEFINE_BOUND(SPACE, lower_##where, atomic_min, <)                              \
    DEFINE_BOUND(SPACE, raise_##where, atomic_max, >)

DEFINE_VERBS(__global, globally)
#if GROUP > 1
DEFINE_VERBS(__local, locally)
#else
static void add_locally(__local ulong *sum, ulong more) { *sum += more; }
static void add_wide_locally(__local wide_t *sum, wide_t more) { *sum = wide_sum(*sum, more); }
static void lower_locally(__local key_t *bound, key_t x) { *bound = min(*bound, x); }
static void raise_locally(__local key_t *bound, key_t x) { *bound = max(*bound, x); }
#endif

static void join_global(__global record_t *to, const record_t more) JOIN(globally)
static void join_local(__local record_t *to, const record_t more) JOIN(locally)

// Join a run's record into its label's record: into that in local memory, if the label has a slot.
static void collect(uint label, const record_t run, __local uint *owner, __local record_t *collected,
                    __global record_t *record) {
    const uint slot = label % SLOTS;
#if GROUP == 1
    if (owner[slot] == label) {
        join_local(&collected[slot], run);
        return;
    }
    if (owner[slot] != NOBODY) join_global(&record[owner[slot] - 1], collected[slot]);
    owner[slot] = label;
    collected[slot] = run;
#else
    volatile __local uint *mine = &owner[slot];
    uint seen = *mine;
    if (seen == NOBODY) seen = atomic_cmpxchg(mine, NOBODY, label);
    if (seen == NOBODY || seen == label)
        join_local(&collected[slot], run);
    else
        join_global(&record[label - 1], run);
#endif
}

// Before the loop of a kernel that collects, all work-items of a group empty the slots. After the loop, they join the
// slots into global memory.
static void begin_collecting(__local uint *owner, __local record_t *collected) {
    for (uint slot = get_local_id(0); slot < SLOTS; slot += GROUP) {
        owner[slot] = NOBODY;
        collected[slot] = nothing();
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

static void end_collecting(__local const uint *owner, __local const record_t *collected, __global record_t *record) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint slot = get_local_id(0); slot < SLOTS; slot += GROUP)
        if (owner[slot] != NOBODY) join_global(&record[owner[slot] - 1], collected[slot]);
}

// Launch: FOR_EACH over labels.
__kernel void clear(const uint labels, __global record_t *record) {
    FOR_EACH(uint, i, labels) record[i] = nothing();
}
