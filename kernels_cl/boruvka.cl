// Boruvka's algorithm (1926), in the form of Fallin, Gonzalez, Seo and Burtscher, SC 2023.
//
//   init         parent[v] = v, no tree is joined, no tree has a lightest edge
//   take_light   the first round's edges: all except loops (in Filter-Boruvka, up to a threshold); each tree gets its
//                lightest edge
//   join         the lightest edge of a tree goes into the forest, and joins it to another      } until no edge
//   find         edges inside a tree are dropped; each tree gets its lightest edge              } is left
//   finish       the same rounds, by one work-group, once few edges are left
//
// A remaining edge is in `live` with the roots of its ends' trees, so later rounds do not walk from the edge's own
// ends. With striding, they read only the ends of lightest edges from the input, and work-groups append the edges that
// stay to `kept`. With partitioning, each work-item keeps the edges of its own run, `runs` says how many are left, and
// `live` and `kept` are one array.
//
// Most rows store each edge in both directions, with the same weight. Then (u, v) with u < v comes first, so it is
// lighter, and (v, u) is in no minimum spanning forest. So take_light first takes the entries with u < v. It also adds
// up fingerprints of them, and subtracts those of all entries with u > v. If each edge is stored equally often in both
// directions, with the same weights, the sum is zero, and no launch takes an entry with u > v. Otherwise, the sum is
// zero with probability about 2^-64, whatever the input, because the host draws the seed. (It is 2^(k - 64) if, for
// every edge and weight, the numbers of entries in both directions differ by a multiple of 2^k.)
//
// Which edges are chosen does not depend on races: no two edges are equally light (weights.h), so each tree has one
// lightest edge, and these edges have no cycle. So each of them joins two trees, in any order, and if it is the
// lightest edge of both, it joins them only once.
//
// Reads: ends, neighbors (edges.h, a list of edges), weights[m]. Writes: parent[n], joined_by[n] (the edge that hooked
//   each root, or NOBODY), live[m], kept[m], runs[work-items], left[rounds + 1], best[n], unmatched (with
//   COMPARES: the sum of fingerprints).
// Build options besides those of common.h, edges.h, weights.h and link.h: EACH, with striding, how many edges a
//   work-item looks at before its group appends them; COMPARES, if take_light compares directions; VERTICES_PER_EDGE:
//   with striding, join goes over the edges that are left, if at most n / VERTICES_PER_EDGE are; PACKED, if the
//   device has atomics of 64 bits: `best` then has words of an edge's short key and place. Otherwise it has places, and
//   keys are looked up by place. COMPARES needs PACKED, whose atomics it uses.
// Atomics: compare-and-swap on parent in join; a minimum, or compare-and-swap, on best in take_light and find;
//   additions to left and unmatched.
// Races on best, benign: while edges are offered, a tree's word only changes to lighter edges. A stale plain read shows
//   a heavier edge than the newest, so it never turns a lightest edge away. The atomic decides, and a swap that fails
//   returns a lighter edge than was seen, so it is not repeated forever. A word of 64 bits is read as a whole, as on
//   all devices with 64-bit addresses.
// Races on parent, benign: in join, see link.h. In find, no tree is hooked, and paths are shortened as find.h says.
// Race on best in join over edges, benign: only a tree's lightest edge finds its own place there, and only this
//   edge writes. Other edges read that place, or none.
// No races on joined_by: only the work-item whose swap hooks a root writes its word.
// Benign races (Oclgrind): find best; finish best, parent; join best, parent; take_light best.
// Oclgrind cannot judge (compare-and-swap): find, finish, join, take_light.

#include "common.h"
#include "atomics.h"
#include "edges.h"
#include "link.h"
#include "find.h"
#include "fingerprint.h"
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

// COLLECT(i, begin, end, before, x, look): for all i, keep the edge x if `look` is true, and offer it to both its
// trees. Kernels that use it begin with LOCALS. With partitioning, the work-item has kept `before` edges of this round
// already. With striding, `look` is evaluated for the last i in place of each one beyond the end, and then `inside` is
// false.
#ifdef PARTITIONING
#define COLLECT(i, begin, end, before, x, look)                             \
    const bool inside = true;                                               \
    const edge_t to = RUN_BEGIN(m, get_global_id(0)), first = to + (before); \
    edge_t at = first;                                                      \
    for (edge_t i = (begin); i < (end); ++i) {                              \
        live_t x;                                                           \
        if (look) {                                                         \
            offer(x, &best[x.x], weights);                                  \
            offer(x, &best[x.y], weights);                                  \
            kept[at++] = x;                                                 \
        }                                                                   \
    }                                                                       \
    runs[get_global_id(0)] = (int)(at - to);                                \
    if (at > first) ADD(&left[round], at - first)
#define LOCALS
#define GIVEN_BEGIN RUN_BEGIN(m, get_global_id(0))
#define GIVEN_END RUN_BEGIN(m, get_global_id(0) + 1)
#define LIVE_BEGIN RUN_BEGIN(m, get_global_id(0))
#define LIVE_END (RUN_BEGIN(m, get_global_id(0)) + (edge_t)runs[get_global_id(0)])
#else
#define COLLECT(i, begin, end, before, x, look)                             \
    const uint me = get_local_id(0), group = get_local_size(0);             \
    if (me == 0) total = 0;                                                 \
    barrier(CLK_LOCAL_MEM_FENCE);                                           \
    for (ulong chunk = (ulong)get_group_id(0) * group * EACH; chunk < (end); \
         chunk += (ulong)get_global_size(0) * EACH) {                       \
        live_t mine[EACH];                                                  \
        uint stay = 0;                                                      \
        for (uint k = 0; k < EACH; ++k) { /* offers nothing yet, so the device waits for all k at once */ \
            const ulong at = chunk + k * group + me, i = min(at, (ulong)(end) - 1); \
            live_t x;                                                       \
            const bool inside = at < (end);                                 \
            if ((look) & inside) stay |= 1u << k;                           \
            mine[k] = x;                                                    \
        }                                                                   \
        for (uint k = 0; k < EACH; ++k) {                                   \
            if (!(stay & 1u << k)) continue;                                \
            offer(mine[k], &best[mine[k].x], weights);                      \
            offer(mine[k], &best[mine[k].y], weights);                      \
        }                                                                   \
        int place = stay ? atomic_add(&total, (int)popcount(stay)) : 0;     \
        barrier(CLK_LOCAL_MEM_FENCE);                                       \
        if (me == 0) {                                                      \
            first = total ? atomic_add((volatile __global int *)&left[round], total) : 0;\
            total = 0;                                                      \
        }                                                                   \
        barrier(CLK_LOCAL_MEM_FENCE);                                       \
        place += first;                                                     \
        for (uint k = 0; k < EACH; ++k)                                     \
            if (stay & 1u << k) kept[place++] = mine[k];                    \
    }
#define LOCALS __local int total, first
#define GIVEN_BEGIN 0
#define GIVEN_END m
#define LIVE_BEGIN 0
#define LIVE_END left[round - 1]
#endif

// Which entries (u, v) a launch takes: all; those with u < v; or those with u > v.
enum { ALL, RISING, FALLING };

// The second end of the entry (u, v). If the launch does not take the entry: u, as if it were a loop.
static vertex_t other_end(vertex_t u, vertex_t v, uint taken) {
    return (taken == RISING && u > v) || (taken == FALLING && u < v) ? u : v;
}

#ifdef COMPARES
// The fingerprint of an edge and its weight, with the sign that the sum needs.
#define SUM_UP(e) \
    sum += inside ? signed_print(FIRST_END(e), SECOND_END(e, m), fingerprint(seed + key_of(weights[e]))) : 0
static ulong signed_print(vertex_t u, vertex_t v, ulong secret) {
    const ulong print = fingerprint(secret + ((ulong)min(u, v) << 32 | (uint)max(u, v)));
    return u < v ? print : u > v ? -print : 0;
}

// Add the values of a group's work-items to *all, 16 bits at a time, so that sums of 65,537 items fit into words of 32
// bits. Local atomics on these are faster than on 64 bits.
static void add_to_sum(ulong value, __local uint *quarters, __global ulong *all) {
    if (get_local_id(0) == 0)
        for (uint k = 0; k < 4; ++k) quarters[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 4; ++k) (void)atomic_add(&quarters[k], (uint)(value >> 16 * k) & 0xFFFF);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        ulong sum = 0;
        for (uint k = 0; k < 4; ++k) sum += (ulong)quarters[k] << 16 * k;
        if (sum != 0) (void)atom_add((volatile __global ulong *)all, sum);
    }
}
#define MATCH(unmatched) (*(unmatched) == 0)
#else
#define SUM_UP(e) (void)0
#define MATCH(unmatched) false
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

// The input's edges up to a threshold: the edge at `place`, with this key. If `taken` is RISING, it also compares
// directions; FALLING follows RISING, and takes nothing if directions match. No work-item returns before the barriers,
// because PoCL 3.1 fails then. Launch: over edges.
__kernel void take_light(const uint round, const ulong key, const int place, const uint taken, const ulong seed,
                         const edge_t m, __global const end_t *ends, __global const given_t *neighbors,
                         __global const weight_t *weights, const ulong base, const ulong span,
                         __global ulong *unmatched, __global live_t *kept, __global int *runs, __global int *left,
                         __global best_t *best) {
    LOCALS;
    const bool none = taken == FALLING && MATCH(unmatched);
#ifdef COMPARES
    __local uint quarters[4];
    ulong sum = 0;
#endif
    COLLECT(e, GIVEN_BEGIN, (none ? GIVEN_BEGIN : GIVEN_END), taken == FALLING ? runs[get_global_id(0)] : 0, x,
            (SUM_UP(e), between(FIRST_END(e), other_end(FIRST_END(e), SECOND_END(e, m), taken), e,
                                shortened(key_of(weights[e]), base, span), &x) &
                            !lighter(key, place, key_of(weights[e]), e)));
#ifdef COMPARES
    add_to_sum(taken == RISING ? sum : 0, quarters, unmatched);
#endif
}

// Launch: as take_light.
__kernel void find(const uint round, const edge_t m, __global const weight_t *weights, __global vertex_t *parent,
                   __global const live_t *live, __global live_t *kept, __global int *runs, __global int *left,
                   __global best_t *best) {
    LOCALS;
    COLLECT(i, LIVE_BEGIN, LIVE_END, 0, x, still_between(live[i], parent, &x));
}

// Hook a tree along the edge at place e, which is the lightest of one of the two trees.
static void join_along(int e, vertex_t u, vertex_t v, __global vertex_t *parent, __global int *joined_by) {
    const vertex_t hooked = link(u, v, parent);
    if (hooked != NOBODY) joined_by[hooked] = e;
}

// Each tree's lightest edge joins it to another, and the tree then has none. If many edges are left, each root looks at
// its word of best. If few are left, and always with partitioning, each edge that is left looks at the words of its two
// roots: a core waits long for words that are far apart.
static void join_trees(uint round, uint n, edge_t m, __global const end_t *ends, __global const given_t *neighbors,
                       __global vertex_t *parent, __global int *joined_by, __global const live_t *live,
                       __global const int *runs, __global const int *left, __global best_t *best) {
    const uint count = left[round];
    if (count == 0) return;
#ifdef PARTITIONING
    for (edge_t i = LIVE_BEGIN, end = LIVE_END; i < end; ++i) {
#else
    if (count > n / VERTICES_PER_EDGE) {
        FOR_EACH(uint, v, n) {
            const best_t lightest = best[v];
            if (lightest == NOTHING) continue;
            best[v] = NOTHING;
            const int e = PLACE(lightest);
            join_along(e, FIRST_END(e), SECOND_END(e, m), parent, joined_by);
        }
        return;
    }
    FOR_EACH(uint, i, count) {
#endif
        const live_t x = live[i];
        const int e = x.z;
        const bool of_u = PLACE(best[x.x]) == e, of_v = PLACE(best[x.y]) == e;
        if (of_u) best[x.x] = NOTHING;
        if (of_v) best[x.y] = NOTHING;
        if (of_u || of_v) join_along(e, x.x, x.y, parent, joined_by);
    }
}

// Launch: FOR_EACH over vertices; with partitioning, as find.
__kernel void join(const uint round, const uint n, const edge_t m, __global const end_t *ends,
                   __global const given_t *neighbors, __global vertex_t *parent, __global int *joined_by,
                   __global const live_t *live, __global const int *runs, __global const int *left,
                   __global best_t *best) {
    join_trees(round, n, m, ends, neighbors, parent, joined_by, live, runs, left, best);
}

#ifndef PARTITIONING
// What is written before a barrier is seen after it, so this is right for the same reasons as join and find.
// Launch: one work-group.
__kernel void finish(uint round, const uint n, const edge_t m, __global const end_t *ends,
                     __global const given_t *neighbors, __global vertex_t *parent, __global int *joined_by,
                     __global const weight_t *weights, __global live_t *even, __global live_t *odd,
                     __global int *runs, __global int *left, __global best_t *best) {
    LOCALS;
    while (left[round] != 0) {
        __global live_t *live = round % 2 ? odd : even, *kept = round % 2 ? even : odd;
        join_trees(round, n, m, ends, neighbors, parent, joined_by, live, runs, left, best);
        barrier(CLK_GLOBAL_MEM_FENCE);
        ++round;
        COLLECT(i, LIVE_BEGIN, LIVE_END, 0, x, still_between(live[i], parent, &x));
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
#endif
