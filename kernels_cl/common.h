// The vocabulary every kernel is written in: ids, loops over all items, access to shared words.
//
// Build options (the host names them from the variant; nothing is edited here):
//   WIDE_OFFSETS      row offsets are 64-bit: 2^31 directed edges or more
//   WIDE_VERTICES     vertices are 64-bit: more than 2^31 - 1 of them (disjoint_set.cl, numbering.cl); in
//                     interning.cl, slots are 64-bit words
//   PARTITIONING      FOR_EACH gives each work-item one contiguous run (CPUs); else striding (GPUs). Its value
//                     is the most work-items that a compute unit gets
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

// FOR_EACH(type, i, n): run the body for i = 0 .. n - 1, shared out over all work-items.
//   striding:      work-item p takes p, p + P, p + 2P, ...: neighbours read neighbouring words
//   partitioning:  work-item p takes one run of ceil(n / P): each core keeps to its own cache lines
// (Dehne and Yogaratnam, section 2.5.)  n <= 2^31 and P < 2^31, so a uint counter cannot wrap.
//
// FOR_EACH_DEALT: the same, but partitioning deals the runs out: each core gets some in CHUNKS places instead
// of one. Where vertices come again and again in the same order, as in the edges of two hubs, cores with one
// place each would walk along the same vertices side by side, and wait for each other's cache lines.
#ifdef PARTITIONING
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
#define FOR_EACH_DEALT FOR_EACH
#endif

// STILL(again, round): whether the previous round changed nothing. The host enqueues several rounds at a
// time, each with a flag of its own, again[round], which is set by whoever changes something. If the
// previous round changed nothing, neither will this one, and its kernels return at once. `round` counts
// words, and flags lie ROUND_STEP words apart: in one cache line, reading one flag would wait for those who
// write the next.
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
