// Boruvka's algorithm (1926), in the form of Fallin, Gonzalez, Seo and Burtscher, SC 2023.
//
//   init       parent[v] = v, no tree is joined, no tree has a lightest edge
//   take_all   the first round's edges: all except loops; each tree gets its lightest edge
//   join       the lightest edge of a tree goes into the forest, and joins it to another      } until no edge
//   find       edges inside a tree are dropped; each tree gets its lightest edge              } is left
//
// A remaining edge is in `live` with the roots of its ends' trees, so later rounds do not walk from the edge's own
// ends. With striding, they read only the ends of lightest edges from the input, and work-groups append the edges that
// stay to `kept`. With partitioning, each work-item keeps the edges of its own run, `runs` says how many are left, and
// `live` and `kept` are one array.
//
// Which edges are chosen does not depend on races: no two edges are equally light (weights.h), so each tree has one
// lightest edge, and these edges have no cycle. So each of them joins two trees, in any order, and if it is the
// lightest edge of both, it joins them only once.
//
// Reads: ends, neighbors (edges.h, a list of edges), weights[m]. Writes: parent[n], joined_by[n] (the edge that hooked
//   each root, or NOBODY), live[m], kept[m], runs[work-items], left[rounds + 1], best[n].
// Build options besides those of common.h, edges.h, weights.h and link.h: EACH, with striding, how many edges a
//   work-item looks at before its group appends them; PACKED, if key and place of an edge fit into one word of 64 bits
//   and the device has atomics for it. Otherwise `best` has places, and keys are looked up by place.
// Atomics: compare-and-swap on parent in join; a minimum, or compare-and-swap, on best in take_all and find; additions
//   to left.
// Races on best, benign: while edges are offered, a tree's word only changes to lighter edges. A stale plain read shows
//   a heavier edge than the newest, so it never turns a lightest edge away. The atomic decides, and a swap that fails
//   returns a lighter edge than was seen, so it is not repeated forever. A word of 64 bits is read as a whole, as on
//   all devices with 64-bit addresses.
// Races on parent, benign: in join, see link.h. In find, no tree is hooked, and paths are shortened as find.h says.
// Race on best in join with partitioning, benign: only a tree's lightest edge finds its own place there, and only this
//   edge writes. Other edges read that place, or none.
// None on joined_by: each root is hooked by one swap.
// Benign races (Oclgrind): find best; join best, parent; take_all best.
// Oclgrind cannot judge (compare-and-swap): find, join, take_all.

#include "common.h"
#include "atomics.h"
#include "edges.h"
#include "link.h"
#include "find.h"
#include "weights.h"

typedef uint4 live_t;  // an edge: the roots of its ends' trees, its place, and its key in short

// Whether edge x is lighter than the edge at place e.
static bool lighter_than(live_t x, int e, __global const weight_t *weights) {
    return lighter(key_of(weights[x.z]), x.z, key_of(weights[e]), e);
}

#ifdef PACKED
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
typedef ulong best_t;  // key in short, and place
#define NOTHING ULONG_MAX
#define PACK(x) ((ulong)(x).w << 32 | (x).z)
#define PLACE(best) ((int)(best))
#ifdef STALE_READS
#define SEEN(best) NOTHING  // the stalest value
#else
#define SEEN(best) LOAD(best)
#endif
#ifdef WIDE_WEIGHTS
static void offer(live_t x, __global best_t *best, __global const weight_t *weights) {
    best_t seen = SEEN(best);
    while (seen == NOTHING || x.w < seen >> 32 || (x.w == seen >> 32 && lighter_than(x, PLACE(seen), weights))) {
        const best_t was = atom_cmpxchg((volatile __global ulong *)best, seen, PACK(x));
        if (was == seen) return;
        seen = was;
    }
}
#else
static void offer(live_t x, __global best_t *best, __global const weight_t *weights) {
    if (PACK(x) < SEEN(best)) (void)atom_min((volatile __global ulong *)best, PACK(x));
}
#endif
#else
typedef int best_t;  // place
#define NOTHING -1
#define PLACE(best) (best)
static void offer(live_t x, __global best_t *best, __global const weight_t *weights) {
    int seen = LOAD(best);
    while (seen == NOTHING || lighter_than(x, seen, weights)) {
        const int was = COMPARE_AND_SWAP(best, seen, x.z);
        if (was == seen) return;
        seen = was;
    }
}
#endif

// COLLECT(i, begin, end, x, look): for all i, keep the edge x if `look` is true, and offer it to both its trees.
#ifdef PARTITIONING
#define COLLECT(i, begin, end, x, look)                                     \
    const edge_t to = RUN_BEGIN(m, get_global_id(0));                       \
    edge_t at = to;                                                         \
    for (edge_t i = (begin); i < (end); ++i) {                              \
        live_t x;                                                           \
        if (look) {                                                         \
            offer(x, &best[x.x], weights);                                  \
            offer(x, &best[x.y], weights);                                  \
            kept[at++] = x;                                                 \
        }                                                                   \
    }                                                                       \
    runs[get_global_id(0)] = (int)(at - to);                                \
    if (at > to) ADD(&left[round], at - to)
#define GIVEN_BEGIN RUN_BEGIN(m, get_global_id(0))
#define GIVEN_END RUN_BEGIN(m, get_global_id(0) + 1)
#define LIVE_BEGIN RUN_BEGIN(m, get_global_id(0))
#define LIVE_END (RUN_BEGIN(m, get_global_id(0)) + (edge_t)runs[get_global_id(0)])
#else
#define COLLECT(i, begin, end, x, look)                                     \
    __local int taken, first;                                               \
    const uint me = get_local_id(0), group = get_local_size(0);             \
    if (me == 0) taken = 0;                                                 \
    barrier(CLK_LOCAL_MEM_FENCE);                                           \
    for (ulong chunk = (ulong)get_group_id(0) * group * EACH; chunk < (end); \
         chunk += (ulong)get_global_size(0) * EACH) {                       \
        live_t mine[EACH];                                                  \
        uint stay = 0;                                                      \
        for (uint k = 0; k < EACH; ++k) { /* writes nothing, so the device waits for all k at once */ \
            const ulong at = chunk + k * group + me, i = min(at, (ulong)(end) - 1); \
            live_t x;                                                       \
            if ((look) & (at < (end))) stay |= 1u << k;                     \
            mine[k] = x;                                                    \
        }                                                                   \
        for (uint k = 0; k < EACH; ++k) {                                   \
            if (!(stay & 1u << k)) continue;                                \
            offer(mine[k], &best[mine[k].x], weights);                      \
            offer(mine[k], &best[mine[k].y], weights);                      \
        }                                                                   \
        int place = stay ? atomic_add(&taken, (int)popcount(stay)) : 0;     \
        barrier(CLK_LOCAL_MEM_FENCE);                                       \
        if (me == 0) {                                                      \
            first = taken ? atomic_add((volatile __global int *)&left[round], taken) : 0; \
            taken = 0;                                                      \
        }                                                                   \
        barrier(CLK_LOCAL_MEM_FENCE);                                       \
        place += first;                                                     \
        for (uint k = 0; k < EACH; ++k)                                     \
            if (stay & 1u << k) kept[place++] = mine[k];                    \
    }
#define GIVEN_BEGIN 0
#define GIVEN_END m
#define LIVE_BEGIN 0
#define LIVE_END left[round - 1]
#endif

// Write x: the input's edge at place e between the trees with these roots. Return whether it joins two trees.
static bool between(vertex_t u, vertex_t v, edge_t e, uint key, live_t *x) {
    *x = (live_t)(u, v, e, key);
    return u != v;
}

// The same for an edge that was left, with the roots that its trees have now.
static bool still_between(live_t was, __global vertex_t *parent, live_t *x) {
    *x = was;
    x->x = find_splitting(was.x, parent);
    x->y = find_splitting(was.y, parent);
    return x->x != x->y;
}

// Launch: FOR_EACH over vertices. No races.
__kernel void init(const uint n, __global vertex_t *parent, __global int *joined_by, __global best_t *best) {
    FOR_EACH(uint, v, n) {
        parent[v] = v;
        joined_by[v] = NOBODY;
        best[v] = NOTHING;
    }
}

// Launch: over edges.
__kernel void take_all(const edge_t m, __global const end_t *ends, __global const given_t *neighbors,
                       __global const weight_t *weights, const ulong base, const ulong span, __global live_t *kept,
                       __global int *runs, __global int *left, const uint round, __global best_t *best) {
    COLLECT(e, GIVEN_BEGIN, GIVEN_END, x,
            between(FIRST_END(e), SECOND_END(e, m), e, shortened(key_of(weights[e]), base, span), &x));
}

// Launch: with partitioning, as take_all; otherwise, over the edges that have ever been left.
__kernel void find(const edge_t m, __global const weight_t *weights, __global vertex_t *parent,
                   __global const live_t *live, __global live_t *kept, __global int *runs, __global int *left,
                   const uint round, __global best_t *best) {
    COLLECT(i, LIVE_BEGIN, LIVE_END, x, still_between(live[i], parent, &x));
}

// Each tree's lightest edge joins it to another, and the tree then has none. With striding, each root looks at its word
// of best. With partitioning, each remaining edge does, because it has the roots, and a core waits long for words that
// are far apart.
// Launch: FOR_EACH over vertices; with partitioning, as find.
__kernel void join(const uint n, const edge_t m, __global const end_t *ends, __global const given_t *neighbors,
                   __global vertex_t *parent, __global const live_t *live, __global const int *runs,
                   __global const int *left, const uint round, __global best_t *best, __global int *joined_by) {
    if (left[round] == 0) return;
#ifdef PARTITIONING
    for (edge_t i = LIVE_BEGIN, end = LIVE_END; i < end; ++i) {
        const live_t x = live[i];
        const int e = x.z;
        const bool of_u = PLACE(best[x.x]) == e, of_v = PLACE(best[x.y]) == e;
        if (of_u) best[x.x] = NOTHING;
        if (of_v) best[x.y] = NOTHING;
        if (!of_u && !of_v) continue;
        const vertex_t hooked = link(x.x, x.y, parent);
#else
    FOR_EACH(uint, v, n) {
        const best_t lightest = best[v];
        if (lightest == NOTHING) continue;
        best[v] = NOTHING;
        const int e = PLACE(lightest);
        const vertex_t hooked = link(FIRST_END(e), SECOND_END(e, m), parent);
#endif
        if (hooked != NOBODY) joined_by[hooked] = e;
    }
}
