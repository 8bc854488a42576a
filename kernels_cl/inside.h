// Pointer jumping within a run: RUN adjacent vertices, which one work-group has in local memory. If neighbors have
// similar numbers, most of a path is inside a run, and a step in local memory is fast.
//
// Build options: RUN; RUN_EACH, how many vertices of a run each work-item of the group takes.
// Races on `inside`, benign: the first parents are there after the barrier, and each later value is an ancestor of the
//   one before. So a stale value is an ancestor, too, and the walk ends because every step goes to a smaller vertex.
//   With READS_ATOMIC there are none.

// LOAD and STORE of a word in local memory. In NVIDIA's machine language, a volatile access is a relaxed atomic one.
#if !defined(READS_ATOMIC)
#define LOAD_INSIDE(p) (*(p))
#define STORE_INSIDE(p, x) (*(p) = (x))
#elif defined(HAS_PTX_RELAXED)
#define LOAD_INSIDE(p) (*(volatile __local vertex_t *)(p))
#define STORE_INSIDE(p, x) (*(volatile __local vertex_t *)(p) = (x))
#else
#define LOAD_INSIDE(p) atomic_or((volatile __local int *)(p), 0)
#define STORE_INSIDE(p, x) ((void)atomic_xchg((volatile __local int *)(p), (x)))
#endif

// Run the body for the runs that this work-group takes. `run` is the first vertex of each. All groups together take
// fewer than 2^31 vertices at a time, and n < 2^31, so it cannot wrap.
#define FOR_EACH_RUN(run, n) for (uint run = get_group_id(0) * RUN; run < (n); run += get_num_groups(0) * RUN)

// The place in the run of the i-th vertex that this work-item takes.
#define IN_RUN(i) ((i) * (RUN / RUN_EACH) + get_local_id(0))

// Set pi[v] for the vertices of a run. `first` has the first parents of the vertices that this work-item takes, which
// are not larger than their children. All work-items of the group call it.
static void jump_inside(uint run, uint n, const vertex_t *first, __local vertex_t *inside, __global vertex_t *pi) {
    for (uint i = 0; i < RUN_EACH; ++i) inside[IN_RUN(i)] = first[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < RUN_EACH; ++i) {
        vertex_t up = first[i], above;
        while (up >= (vertex_t)run && (above = LOAD_INSIDE(&inside[up - run])) != up) {
            up = above;
            STORE_INSIDE(&inside[IN_RUN(i)], up);
        }
        if (run + IN_RUN(i) < n) pi[run + IN_RUN(i)] = up;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
