// Atomic read-modify-write on shared words. Not in common.h: atomic-free kernels must do without.

// Write `desired` where `expected` stands; return what stood there before, never a stale value.
#define COMPARE_AND_SWAP(p, expected, desired) \
    atomic_cmpxchg((volatile __global int *)(p), (expected), (desired))

// Take the next free place of a list whose length is *p.
#define TAKE_PLACE(p) atomic_inc((volatile __global int *)(p))

// Write `x` unless something smaller stands there.
#define LOWER(p, x) ((void)atomic_min((volatile __global int *)(p), (x)))
