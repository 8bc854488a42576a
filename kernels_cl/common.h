// The vocabulary of all kernels: ids, loops over all items, access to shared words.
//
// Build options (the host names them from the variant; nothing is edited here):
//   WIDE_OFFSETS      row offsets are 64-bit: 2^31 directed edges or more
//   WIDE_VERTICES     vertices are 64-bit: more than 2^31 - 1 of them (disjoint_set.cl, numbering.cl); in
//                     interning.cl, slots are 64-bit words
//   PARTITIONING      FOR_EACH gives each work-item one contiguous run (CPUs); else striding (GPUs). Its value
//                     is the most work-items that a compute unit gets by default
//   SIDE_BY_SIDE      with striding: the number of adjacent items that FOR_EACH_DEALT takes together
//   READS_ATOMIC      LOAD and STORE are relaxed atomics instead of plain accesses
//   HAS_C11_ATOMICS   ... through the atomics of OpenCL C 2.0 and later, where the device has them
//   HAS_PTX_RELAXED   ... through those of NVIDIA's machine language, from compute capability 7.0 on
//   STALE_READS       for tests: a plain LOAD may return an older value (stale.h)
//   ROUND_STEP        words from one round's flag to the next one's (STILL)

#ifdef WIDE_VERTICES
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
typedef long vertex_t;     // a vertex: 0 .. n - 1
typedef ulong vertices_t;  // a number of vertices
#define atomic_vertex_t atomic_long
#else
typedef int vertex_t;  // a vertex or list element: 0 .. n - 1
typedef uint vertices_t;
#define atomic_vertex_t atomic_int
#endif
#ifdef WIDE_OFFSETS
typedef ulong edge_t;  // a position among the directed edges
#else
typedef uint edge_t;   // unsigned: a strided counter may pass 2^31 before it is compared
#endif

// FOR_EACH(type, i, n): run the body for i = 0 .. n - 1, shared among all work-items.
//   striding:      work-item p takes p, p + P, p + 2P, ...: neighbours read neighbouring words
//   partitioning:  work-item p takes one run of ceil(n / P): each core keeps to its own cache lines
// (Dehne and Yogaratnam, section 2.5.)  n <= 2^31 and P < 2^31, so a uint counter cannot wrap.
//
// FOR_EACH_DEALT: the same, but items that are near each other in memory are taken at very different times, except for
// short runs that share cache lines. So the caller's order of the items matters little:
//   partitioning:  each core gets some runs in CHUNKS places instead of one. If vertices recur in the same order, as in
//                  the edges of two hubs, cores with one place each would walk along the same vertices at once, and
//                  wait for each other's cache lines.
//   striding:      SIDE_BY_SIDE work-items take as many adjacent items, and the next work-items take items
//                  far away. Edges that follow each other often hook the same trees, and work-items that hook
//                  the same tree at once wait for each other.
#ifdef PARTITIONING
// Nearly all work-groups have one work-item. If Intel's compiler knows this, it does not also make a vectorized form of
// every kernel, which would take a quarter of its time.
#if defined(__has_attribute)
#if __has_attribute(intel_vec_len_hint)
#define __kernel __attribute__((intel_vec_len_hint(1))) kernel
#endif
#endif
#define RUN_BEGIN(n, p) \
    min((ulong)(n), (ulong)(p) * (((ulong)(n) + get_global_size(0) - 1) / get_global_size(0)))
#define FOR_EACH_IN_RUN(type, i, n, run)                                                        \
    for (type i = (type)RUN_BEGIN(n, run), i##_end = (type)RUN_BEGIN(n, (run) + 1); i < i##_end; ++i)
#define FOR_EACH(type, i, n) FOR_EACH_IN_RUN(type, i, n, get_global_id(0))
#define FOR_EACH_DEALT(type, i, n) FOR_EACH_IN_RUN(type, i, n, dealt_run())

// The run that this work-item is dealt, if a core takes PARTITIONING work-items one after the other.
static size_t dealt_run(void) {
    enum { CHUNKS = 4, RUNS = (PARTITIONING + CHUNKS - 1) / CHUNKS };  // RUNS runs are a chunk
    const size_t run = get_global_id(0), cores = get_global_size(0) / PARTITIONING;
    if (RUNS * CHUNKS * cores != get_global_size(0)) return run;  // there are few work-items
    const size_t chunk = run / RUNS, dealt = chunk % CHUNKS * cores + chunk / CHUNKS;
    return run + (dealt - chunk) * RUNS;  // it keeps its place in the chunk
}
#else
#define FOR_EACH(type, i, n) \
    for (type i = (type)get_global_id(0); i < (type)(n); i += (type)get_global_size(0))
#define FOR_EACH_DEALT(type, i, n) FOR_EACH_IN_TURNS(type, i, 0, (DEALT_MASK(type, n) + 1) * SIDE_BY_SIDE, n)

// Run the body for the items that FOR_EACH_DEALT takes in its turns begin .. end - 1.
#define FOR_EACH_IN_TURNS(type, i, begin, end, n)                                               \
    for (type i##_mask = DEALT_MASK(type, n), i##_turn = (begin) + (type)get_global_id(0), i = 0; \
         i##_turn < (end); i##_turn += (type)get_global_size(0))                                \
        if ((i = DEALT(type, i##_turn, i##_mask)) < (type)(n))

// The place of each turn. Blocks of SIDE_BY_SIDE items are numbered modulo a power of two, and multiplying by an odd
// number permutes these numbers; numbers that are too large are left out. The multiplier is that power times the golden
// section, so the blocks of a few successive turns are spread evenly (Knuth, The Art of Computer Programming 3, section
// 6.4). For n <= 2^31 there are at most 2^31 turns, so a uint counter cannot wrap.
#define DEALT_MASK(type, n) ((type)(n) > SIDE_BY_SIDE ? (type)-1 >> clz((type)(((n) - 1) / SIDE_BY_SIDE)) : 0)
#define DEALT(type, turn, mask)                                                                      \
    (((turn) / SIDE_BY_SIDE * (mul_hi(GOLDEN(type), (mask)) | 1) & (mask)) * SIDE_BY_SIDE + (turn) % SIDE_BY_SIDE)
#endif

// The golden section, as a fraction of all numbers of a type. Its multiples are spread evenly.
#define GOLDEN(type) (sizeof(type) == 8 ? (type)0x9E3779B97F4A7C15UL : (type)0x9E3779B9U)

// STILL(again, round): whether the previous round changed nothing. The host enqueues several rounds at a time, each
// with a flag of its own, again[round], which a round sets if it changes something. If the previous round changed
// nothing, neither will this one, and its kernels return at once. `round` counts words, and flags are ROUND_STEP words
// apart, because in one cache line, reading one flag would wait for writers of the next.
#define STILL(again, round) ((round) > 0 && (again)[(round) - ROUND_STEP] == 0)

// LOAD and STORE: the only way to touch a word that another work-item may be writing.
// A plain LOAD may return an old value of the word; each kernel says why that does no harm.
#if defined(STALE_READS)
#include "stale.h"
#define LOAD(p) stale_load((__global vertex_t *)(p))
#define STORE(p, x) stale_store((__global vertex_t *)(p), (x))
#elif !defined(READS_ATOMIC)
#define LOAD(p) (*(p))
#define STORE(p, x) (*(p) = (x))
#elif defined(HAS_C11_ATOMICS) && (!defined(WIDE_VERTICES) || defined(cl_khr_int64_extended_atomics))
#define LOAD(p)                                                                       \
    atomic_load_explicit((volatile __global atomic_vertex_t *)(p), memory_order_relaxed, \
                         memory_scope_device)
#define STORE(p, x)                                                                         \
    atomic_store_explicit((volatile __global atomic_vertex_t *)(p), (x), memory_order_relaxed, \
                          memory_scope_device)
#elif defined(HAS_PTX_RELAXED)
// NVIDIA compiles OpenCL C 1.2, which has no atomic load; its machine language has them (PTX ISA, "ld").
#ifdef WIDE_VERTICES
#define BITS "64"
#define REGISTER "l"
#else
#define BITS "32"
#define REGISTER "r"
#endif
static vertex_t load_relaxed(__global const vertex_t *p) {
    vertex_t x;
    asm volatile("ld.relaxed.gpu.global.s" BITS " %0, [%1];" : "=" REGISTER(x) : "l"(p));
    return x;
}
static void store_relaxed(__global vertex_t *p, vertex_t x) {
    asm volatile("st.relaxed.gpu.global.s" BITS " [%0], %1;" : : "l"(p), REGISTER(x));
}
#define LOAD(p) load_relaxed(p)
#define STORE(p, x) store_relaxed((p), (x))
#elif defined(WIDE_VERTICES)
#define LOAD(p) atom_add((volatile __global long *)(p), 0)
#define STORE(p, x) ((void)atom_xchg((volatile __global long *)(p), (x)))
#else
#define LOAD(p) atomic_or((volatile __global int *)(p), 0)  // OpenCL 1.x has no atomic load
#define STORE(p, x) ((void)atomic_xchg((volatile __global int *)(p), (x)))
#endif
