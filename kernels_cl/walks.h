// Walks along sub-lists, from each splitter to the next.
//
// Build options besides common.h's: WALKS, how many sub-lists a work-item walks at once. Their steps do not depend on
//   each other, so a core has up to WALKS cache misses in flight, while a single walk would wait for each. On GPUs,
//   other work-items have the same effect, and one walk needs only registers.

#define UNOWNED -1  // an element that no walk has come to

// FOR_EACH_WALK(r, begin, step): for walker = 0 .. r - 1 call `begin` and, if that is true, `step` until it is false.
// Both are calls whose first arguments are WALK: the walker, its position, and what it has counted, of the caller's
// type so_far_t. Each of the three has its own array, which is faster than one array of structs.
#if WALKS == 1
#define WALK walker, &at, &so_far
#define FOR_EACH_WALK(r, begin, step) \
    FOR_EACH(uint, walker, r) {       \
        vertex_t at;                  \
        so_far_t so_far;              \
        if (begin)                    \
            while (step) {            \
            }                         \
    }
#else
#define WALK walkers[k], &ats[k], &so_fars[k]
#define FOR_EACH_WALK(r, begin, step)         \
    uint walkers[WALKS];                      \
    vertex_t ats[WALKS];                      \
    so_far_t so_fars[WALKS];                  \
    int walks = 0;                            \
    FOR_EACH(uint, walker, r) {               \
        const int k = walks;                  \
        walkers[k] = walker;                  \
        if (begin) ++walks;                   \
        while (walks == WALKS) STEP_ALL(step) \
    }                                         \
    while (walks > 0) STEP_ALL(step)

#define STEP_ALL(step)                       \
    for (int k = 0; k < walks;) {            \
        if (step) {                          \
            ++k;                             \
        } else {                             \
            --walks;                         \
            walkers[k] = walkers[walks];     \
            ats[k] = ats[walks];             \
            so_fars[k] = so_fars[walks];     \
        }                                    \
    }
#endif
