// Afforest: Sutton, Ben-Nun and Barak, IPDPS 2018, figures 3 and 5.
//
//   init             pi[v] = v; or with init_smaller, a smaller neighbor of v, in place of round 0
//   compress_deep    with init_smaller and REST_ADAPTIVE: compress_all where paths are long
//   link_neighbors   link the sampled vertices with their i-th neighbor   } neighbor_rounds times
//   compress_all     point every vertex directly to its root              }
//   sample_largest   guess the root of the largest tree from a sample
//   link_remaining   link the vertices outside that tree with their other neighbors
//   compress_all
//
// With LOOKS, the last work-group to finish compress_deep or link_neighbors takes the sample, which saves a launch, and
// link_neighbors does nothing once a tree is a giant. compress_small comes before link_remaining. It does what
// compress_all does, unless most vertices are in a giant, which link_remaining leaves alone.
//
// Reads: offsets[n + 1], neighbors (both directions of every edge); with BALANCE_DEGREE, pieces and piece_count
//   (long_rows.cl). Writes: pi[n]; largest[4]: the root of the largest tree, whether that tree is a giant, whether
//   it has most vertices, and how many work-groups of the running kernel have finished.
// Build options besides common.h's: BALANCE_DEGREE, and with it GROUP, TILE, LOW_DEGREE and MIDDLE_DEGREE
//   (ecl_cc.cl says what they are) and LONG_ROW (long_rows.cl); BLOCK; SAMPLES (most_frequent.h); SKIP_LARGEST;
//   REST_ALL, REST_UNTIL_JOINED or REST_ADAPTIVE: which of the remaining edges are linked (below); SPLITTING
//   (FIND); SHORTEN_PATHS and PATIENCE (link.h); those of inside.h; ANY_NEIGHBOR
//   (link_neighbors); with REST_ADAPTIVE: LOOKS, SPARSE, GIANT, SHALLOW, AHEAD,
//   BEFORE_HELP and ALONE_DEGREE.
// Atomics: compare-and-swap on pi; a counter in largest; maximum and counters in local memory.
// Races on pi, all benign: link.h, find.h and shortcut.h say why. `above` writes as a find does: it replaces one
//   ancestor by another, in a vertex that was seen not to be a root. A wrong guess of the largest tree only costs time:
//   any one tree may be skipped (theorem 3), because an edge that leaves it is stored again at its other end. A vertex
//   also needs no more links once it is in that tree. It stays there, and a common ancestor, however stale, proves that
//   it is there. The last work-group of a kernel reads pi when no other group writes it any more, but may not see what
//   others wrote.
// Race on largest, benign: link_neighbors reads it first, and its last work-group writes it when all other groups have
//   counted themselves in FINISHED. By then, they have read it.
// Benign races (Oclgrind): init_smaller local; link_neighbors largest, pi; compress_all pi; link_remaining pi.
// Oclgrind cannot judge (compare-and-swap): link_neighbors, link_remaining.

#include "common.h"
#include "atomics.h"
#include "find.h"
#include "inside.h"
#include "link.h"
#include "most_frequent.h"
#include "shortcut.h"

#ifdef SPLITTING
#define FIND find_splitting
#else
#define FIND shortcut
#endif

enum { LARGEST, IS_GIANT, IS_MOST, FINISHED };  // the words of largest[]

// Launch: FOR_EACH over vertices. No races.
__kernel void init(const uint n, __global vertex_t *pi) {
    FOR_EACH(uint, v, n) pi[v] = v;
}

// The first neighbor of v if it is smaller than v, else v.
static vertex_t first_parent(uint v, __global const edge_t *offsets, __global const vertex_t *neighbors) {
    const edge_t begin = offsets[v];
    return begin < offsets[v + 1] ? min(neighbors[begin], (vertex_t)v) : (vertex_t)v;
}

// pi[v] = the smaller of v and its first neighbor, or what that neighbor leads to inside v's run. With PARTITIONING, a
// work-item goes through its own run in ascending order. If the neighbor is in the run, it already has a parent, which
// is a root so far, and v takes that parent instead.
// Launch: over runs of vertices; with PARTITIONING, FOR_EACH over vertices. Also clears largest. No races on pi.
__kernel void init_smaller(const uint n, __global const edge_t *offsets,
                           __global const vertex_t *neighbors, __global vertex_t *pi,
                           __global vertex_t *largest) {
    if (get_global_id(0) == 0) largest[LARGEST] = largest[IS_GIANT] = largest[IS_MOST] = largest[FINISHED] = 0;
#ifdef PARTITIONING
    const vertex_t run = RUN_BEGIN(n, get_global_id(0));
    FOR_EACH(uint, v, n) {
        const vertex_t first = first_parent(v, offsets, neighbors);
        pi[v] = v;  // so that pi[first] can be read without a branch
        pi[v] = first < run ? first : pi[first];
    }
#else
    __local vertex_t inside[RUN];
    FOR_EACH_RUN(run, n) {
        vertex_t first[RUN_EACH];
        for (uint i = 0; i < RUN_EACH; ++i) {
            const uint v = run + IN_RUN(i);
            first[i] = v < n ? first_parent(v, offsets, neighbors) : (vertex_t)v;
        }
        jump_inside(run, n, first, inside, pi);
    }
#endif
}

// Sampling, by a work-group of SAMPLES work-items. Each one votes for the tree that has an end of a random edge,
// because skipping the tree with the most edges saves most. A tree is a giant if it gets one in GIANT votes.

// Read past the cache, which may hold values that other groups have changed since.
#if defined(LOOKS) && !defined(READS_ATOMIC) && !defined(STALE_READS)
#define FRESH(p) (*(volatile __global vertex_t *)(p))
#else
#define FRESH(p) LOAD(p)
#endif

// All work-items of the group call it. m, the number of entries of the rows, is at least 1.
static void elect(const edge_t m, __global const vertex_t *neighbors, __global vertex_t *pi,
                  __global vertex_t *largest, __local vertex_t *sample, __local int *best) {
    vertex_t root = neighbors[DRAW(m)];
    for (vertex_t up; (up = FRESH(&pi[root])) != root;) root = up;
    root = most_frequent(root, sample, best);
    if (get_local_id(0) == 0) {
        largest[LARGEST] = root;
#ifdef REST_ADAPTIVE
        const int votes = *best / SAMPLES;
        largest[IS_GIANT] = votes * GIANT >= SAMPLES;
        largest[IS_MOST] = votes * 2 >= SAMPLES;
#endif
    }
}

// Launch: one work-group of SAMPLES work-items.
__kernel void sample_largest(const edge_t m, __global const vertex_t *neighbors, __global vertex_t *pi,
                             __global vertex_t *largest) {
    __local vertex_t sample[SAMPLES];
    __local int best;
    elect(m, neighbors, pi, largest, sample, &best);
}

#ifdef LOOKS
// Whether this work-group is the last one of the kernel to get here. All of its work-items call it and get the answer.
static bool is_last(__global vertex_t *largest, __local int *last) {
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        *last = atomic_inc(&largest[FINISHED]) == (int)get_num_groups(0) - 1;
        if (*last) (void)atomic_xchg(&largest[FINISHED], 0);  // for the next kernel
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return *last;
}

// If this is the last work-group, sample. Its reads may be stale, which makes the guess worse.
#define LOOK_IF_LAST()                                                        \
    __local vertex_t sample[SAMPLES];                                         \
    __local int best, last;                                                   \
    if (is_last(largest, &last)) elect(m, neighbors, pi, largest, sample, &best)
#else
#define LOOK_IF_LAST()
#endif

// The first of every one_in blocks of BLOCK vertices is sampled, because adjacent rows share cache lines. With
// ANY_NEIGHBOR, one of the neighbors from the i-th on is linked, chosen by a hash: the first few neighbors of a web
// page mostly link to each other.
// Launch: FOR_EACH over the sampled vertices; with LOOKS, in groups of SAMPLES work-items.
__kernel void link_neighbors(const uint n, const uint sampled, const uint one_in, const uint i, const edge_t m,
                             __global const edge_t *offsets, __global const vertex_t *neighbors,
                             __global vertex_t *pi, __global vertex_t *largest) {
#ifdef LOOKS
    if (largest[IS_GIANT]) return;
#endif
    FOR_EACH(uint, s, sampled) {
        const uint v = s / BLOCK * one_in * BLOCK + s % BLOCK;
        if (v >= n) continue;
        const edge_t e = offsets[v] + i, end = offsets[v + 1];
#ifdef ANY_NEIGHBOR
        if (e < end) (void)link(v, neighbors[e + mul_hi((v + i * n) * GOLDEN(uint), (uint)(end - e))], pi);
#else
        if (e < end) (void)link(v, neighbors[e], pi);
#endif
    }
    LOOK_IF_LAST();
}

// Launch: FOR_EACH over vertices, with no more work-items than a GPU holds at once. Then all chains shrink
// together; work-items that start later would walk theirs at full length.
__kernel void compress_all(const uint n, __global vertex_t *pi) {
    FOR_EACH(uint, v, n) (void)shortcut(v, pi);
}

#ifdef REST_ADAPTIVE
#ifdef PARTITIONING
#define PROBE(n) ((vertex_t)RUN_BEGIN(n, get_global_id(0) + 1) - 1)
#else
#define PROBE(n) ((vertex_t)((n) - 1 - get_global_id(0)))
#endif

// compress_all, unless paths are short: shortening short paths takes longer than walking them. Each work-item probes
// the path from one vertex. If none of a work-group's probes takes more than SHALLOW steps, the group assumes that all
// of its paths are short. If this is wrong, it only costs time.
// Launch: as compress_all; with LOOKS, in groups of SAMPLES work-items.
__kernel void compress_deep(const uint n, const edge_t m, __global const vertex_t *neighbors,
                            __global vertex_t *pi, __global vertex_t *largest) {
    __local int deep;  // a benign race: all write true
    if (get_local_id(0) == 0) deep = false;
    barrier(CLK_LOCAL_MEM_FENCE);
    vertex_t v = PROBE(n);
    if (v >= 0) {
        uint steps = 0;
        for (vertex_t up; steps <= SHALLOW && (up = LOAD(&pi[v])) != v; v = up) ++steps;
        if (steps > SHALLOW) deep = true;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (deep) {
        FOR_EACH(uint, w, n) (void)shortcut(w, pi);
    }
    LOOK_IF_LAST();
}

// Launch: as compress_all.
__kernel void compress_small(const uint n, __global vertex_t *pi, __global const vertex_t *largest) {
    if (largest[IS_MOST]) return;
    FOR_EACH(uint, v, n) (void)shortcut(v, pi);
}
#endif

// Which of the remaining edges are linked:
//   REST_ALL           all that the paper links: those of vertices outside the largest tree
//   REST_UNTIL_JOINED  those of a vertex outside it, until the vertex is inside
//   REST_ADAPTIVE      the same if that tree is a giant, so that most vertices are inside with their first edge.
//                      Else nothing is skipped, and every edge is linked once, from its larger end.
//
// Returns the root of the tree that is skipped, or NOBODY. Without SKIP_LARGEST no tree was sampled.
static vertex_t tree_to_skip(__global const vertex_t *largest) {
#ifndef SKIP_LARGEST
    return NOBODY;
#elif defined(REST_ADAPTIVE)
    return largest[IS_GIANT] ? largest[LARGEST] : NOBODY;
#else
    return largest[LARGEST];
#endif
}

// Whether `root` is the root of the skipped tree, which may have been hooked since it was sampled. Each call shortens
// the path from `skipped` to its root, because there is a call for every vertex.
static bool is_skipped(vertex_t root, vertex_t skipped, __global vertex_t *pi) {
    return root == skipped || root == FIND(skipped, pi);
}

// Whether v need not be linked any more.
static bool is_done(vertex_t v, vertex_t skipped, __global vertex_t *pi) {
    return skipped != NOBODY && is_skipped(FIND(v, pi), skipped, pi);
}

// Link v with its neighbors at begin, begin + step, ..., until it is in the tree that is skipped.
static void link_until_joined(vertex_t v, __global const vertex_t *neighbors, edge_t begin, edge_t end,
                              edge_t step, vertex_t skipped, __global vertex_t *pi) {
    vertex_t a = LOAD(&pi[v]);
    if (is_skipped(a, skipped, pi)) return;
    for (edge_t e = begin; e < end; e += step) {
        const vertex_t u = neighbors[e];
        if (LOAD(&pi[u]) == a) continue;  // one look is often enough
        const vertex_t b = FIND(u, pi);
        if (b == a) continue;
        (void)link(b, a, pi);
        a = min(b, a);
        if (is_skipped(a, skipped, pi)) return;
    }
}

#ifdef REST_ADAPTIVE
// The vertex from which to link v: its root, which becomes its parent. In sparse graphs, trees are deep while they
// grow. There, it is v's parent, so that link walks no farther than it must.
static vertex_t above(vertex_t v, __global vertex_t *pi) {
    const vertex_t p_v = LOAD(&pi[v]);
#ifndef SPARSE
    const vertex_t root = find_splitting(p_v, pi);
    if (root != p_v) STORE(&pi[v], root);
    return root;
#else
    return p_v;
#endif
}

// Link v with its smaller neighbors at begin, begin + step, .... The parents of AHEAD neighbors are read at once, so
// that the device waits for memory less often.
static void link_smaller(vertex_t v, __global const vertex_t *neighbors, edge_t begin, edge_t end, edge_t step,
                         __global vertex_t *pi) {
    vertex_t a = above(v, pi);
    for (edge_t e = begin; e < end; e += AHEAD * step) {
        vertex_t u[AHEAD], p_u[AHEAD];
        for (uint i = 0; i < AHEAD; ++i) u[i] = e + i * step < end ? neighbors[e + i * step] : v;
        for (uint i = 0; i < AHEAD; ++i) p_u[i] = u[i] < v ? LOAD(&pi[u[i]]) : a;
        for (uint i = 0; i < AHEAD; ++i) {
            if (u[i] >= v || p_u[i] == a) continue;  // the latter is nearly always so in the end
            const vertex_t b = above(u[i], pi);
            (void)link(a, b, pi);
            a = min(a, b);
        }
    }
}
#endif

// Link v with those of its neighbors at begin, begin + step, ... that it must be linked with.
static void link_row(vertex_t v, __global const vertex_t *neighbors, edge_t begin, edge_t end, edge_t step,
                     vertex_t skipped, __global vertex_t *pi) {
#ifndef REST_ALL
    if (skipped != NOBODY) {
        link_until_joined(v, neighbors, begin, end, step, skipped, pi);
        return;
    }
#endif
#ifdef REST_ADAPTIVE
    link_smaller(v, neighbors, begin, end, step, pi);
#else
    for (edge_t e = begin; e < end; e += step) (void)link(v, neighbors[e], pi);
#endif
}

#ifndef BALANCE_DEGREE
// Link neighbors number linked, linked + 1, ... Launch: FOR_EACH over vertices.
__kernel void link_remaining(const uint n, const uint linked, __global const edge_t *offsets,
                             __global const vertex_t *neighbors, __global vertex_t *pi,
                             __global const vertex_t *largest) {
    const vertex_t skipped = tree_to_skip(largest);
    FOR_EACH(uint, v, n) {
        if (is_done(v, skipped, pi)) continue;
        link_row(v, neighbors, offsets[v] + linked, offsets[v + 1], 1, skipped, pi);
    }
}
#else
// Launch: any number of work-groups of GROUP work-items. A group takes `at_a_time` vertices, at most GROUP: each
// work-item links its own vertex if the degree is low, and otherwise leaves it to a tile or to the whole group. Then
// the groups share the pieces of rows that are too long for one group (long_rows.cl).
__kernel void link_remaining(const uint n, const uint linked, __global const edge_t *offsets,
                             __global const vertex_t *neighbors, __global vertex_t *pi,
                             __global const vertex_t *largest, const uint at_a_time,
                             __global const int *pieces, __global const int *piece_count) {
    __local vertex_t high[GROUP];  // vertices that the group or a tile shares
    __local int highs;
    const uint lane = get_local_id(0) % TILE, tile = get_local_id(0) / TILE, tiles = GROUP / TILE;
    const vertex_t skipped = tree_to_skip(largest);
#ifdef REST_ADAPTIVE
    // A few neighbors are nearly always enough for a vertex to join the giant. If there is no giant, the more
    // work-items hook the same tree at once, the more of them wait.
    const uint first = skipped != NOBODY ? BEFORE_HELP : 0, alone = skipped != NOBODY ? LOW_DEGREE : ALONE_DEGREE;
#else
    const uint first = 0, alone = LOW_DEGREE;
#endif

    // The trip count depends only on the group, so all of its work-items meet at each barrier.
    for (uint run = get_group_id(0) * at_a_time; run < n; run += get_num_groups(0) * at_a_time) {
        if (get_local_id(0) == 0) highs = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint v = run + get_local_id(0);
        if (get_local_id(0) < at_a_time && v < n && !is_done(v, skipped, pi)) {
            const edge_t begin = offsets[v] + linked, end = offsets[v + 1];
            const bool is_high = end > begin + alone;
            link_row(v, neighbors, begin, is_high ? begin + first : end, 1, skipped, pi);
            const bool is_long = end - offsets[v] > LONG_ROW;
            if (is_high && !is_long && (first == 0 || !is_done(v, skipped, pi))) high[atomic_inc(&highs)] = v;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < highs; ++i) {
            const edge_t begin = offsets[high[i]] + linked, end = offsets[high[i] + 1];
            const bool by_all = end > begin + MIDDLE_DEGREE;
            if (by_all || i % tiles == tile)
                link_row(high[i], neighbors, begin + (by_all ? get_local_id(0) : lane), end, by_all ? GROUP : TILE,
                         skipped, pi);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int i = get_group_id(0); i < *piece_count; i += get_num_groups(0)) {
        const vertex_t v = pieces[2 * i];
        if (is_done(v, skipped, pi)) continue;
        // From the row's beginning: linking a neighbor twice does no harm.
        const edge_t begin = offsets[v] + (edge_t)pieces[2 * i + 1] * LONG_ROW;
        const edge_t end = min(begin + LONG_ROW, offsets[v + 1]);
        link_row(v, neighbors, begin + get_local_id(0), end, GROUP, skipped, pi);
    }
}
#endif
