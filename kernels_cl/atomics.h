// Atomic read-modify-write on shared words. Not in common.h, so that kernels without atomics cannot use it.

// Write `desired` if the word is `expected`; return its old value, which is never stale.
#ifdef STALE_READS  // tests of stale.h
#define COMPARE_AND_SWAP(p, expected, desired) stale_swap((__global vertex_t *)(p), (expected), (desired))
#elif defined(WIDE_VERTICES)
#define COMPARE_AND_SWAP(p, expected, desired) \
    atom_cmpxchg((volatile __global long *)(p), (long)(expected), (long)(desired))
#else
#define COMPARE_AND_SWAP(p, expected, desired) \
    atomic_cmpxchg((volatile __global int *)(p), (expected), (desired))
#endif

// Take the next free place of a list whose length is *p.
#define TAKE_PLACE(p) atomic_inc((volatile __global int *)(p))

// Add to a counter.
#define ADD(p, x) ((void)atomic_add((volatile __global int *)(p), (int)(x)))

// Add to a counter of vertices.
#ifdef WIDE_VERTICES
#define ADD_VERTICES(p, x) ((void)atom_add((volatile __global long *)(p), (long)(x)))
#else
#define ADD_VERTICES(p, x) ADD(p, x)
#endif

// Write `x` unless the word is smaller; return its old value, which is never stale.
#ifdef STALE_READS
#define FETCH_MIN(p, x) stale_min((__global vertex_t *)(p), (x))
#else
#define FETCH_MIN(p, x) atomic_min((volatile __global int *)(p), (x))
#endif
#define LOWER(p, x) ((void)FETCH_MIN((p), (x)))
