// Afforest: Sutton, Ben-Nun and Barak, IPDPS 2018, figures 3 and 5.
//
//   init             pi[v] = v; or with init_smaller, a smaller neighbor of v, in place of round 0
//   link_neighbors   link every vertex with its i-th neighbor   } neighbor_rounds times
//   compress_all     point every vertex directly to its root    }
//   sample_largest   guess the root of the largest tree from a sample
//   link_remaining   link the vertices outside that tree with all their other neighbors
//   compress_all
//
// link_edges does without rows: link() may take edges in any order (theorem 1).
//
// Reads: offsets[n + 1], neighbors (both directions of every edge). Writes: pi[n], largest[1].
// Build options besides common.h's: BALANCE_DEGREE, TILE, GROUP, SAMPLES, WIDE_IDS, SHORTEN_PATHS
//   (link halves the paths it walks, as ECL-CC does; the paper's does not, and walks a chain of n links n
//   times when a star's edges come in descending order and its centre is the last vertex).
// Atomics: compare-and-swap on pi; maximum and counter in local memory.
// Races on pi, all benign: parents never exceed their children (invariant 1) and only roots are
//   hooked, by the swap alone, so a stale parent is still an ancestor. Where a swap fails it returns
//   the true parent. In link() the larger of the two vertices falls in every step, so it ends
//   however stale every plain read is; it ends with both vertices in one tree.
//   A wrong guess of the largest tree costs time, not the answer: any one tree may be skipped
//   (theorem 3), because an edge that leaves it is stored again at its other end.

#include "common.h"
#include "atomics.h"
#include "init.h"

#ifdef WIDE_IDS
typedef long given_t;  // ids of an edge list, as the caller has them; below 2^31 all the same
#else
typedef int given_t;
#endif

#define LOW_DEGREE 16  // up to here one work-item links all of a vertex's remaining neighbors

// Ensure that u and v are in the same tree (figure 3).
static void link(vertex_t u, vertex_t v, __global vertex_t *pi) {
    vertex_t p1 = LOAD(&pi[u]), p2 = LOAD(&pi[v]);
    while (p1 != p2) {
        const vertex_t h = max(p1, p2), l = min(p1, p2);
        vertex_t above = LOAD(&pi[h]);
        if (above == h) {  // seems to be a root: try to hook it
            above = COMPARE_AND_SWAP(&pi[h], h, l);
            if (above == h) return;
        }
        p1 = LOAD(&pi[above]);
#ifdef SHORTEN_PATHS
        if (p1 != above) STORE(&pi[h], p1);  // h is no root: an ancestor takes an ancestor's place
#endif
        p2 = LOAD(&pi[l]);
    }
}

// Point v directly to its root (figure 3), writing each step: whoever passes v goes on from there.
static void compress(vertex_t v, __global vertex_t *pi) {
    vertex_t up = LOAD(&pi[v]), above;
    while ((above = LOAD(&pi[up])) != up) {
        STORE(&pi[v], above);
        up = above;
    }
}

// Launch: FOR_EACH over vertices. No races.
__kernel void init(const uint n, __global vertex_t *pi) {
    FOR_EACH(uint, v, n) pi[v] = v;
}

#define LOOKED_AT 4  // a hub's row must not be walked to its end for a start

// Launch: FOR_EACH over vertices. No races.
__kernel void init_smaller(const uint n, __global const edge_t *offsets,
                           __global const vertex_t *neighbors, __global vertex_t *pi) {
    FOR_EACH(uint, v, n) {
        const edge_t begin = offsets[v], end = offsets[v + 1];
        pi[v] = init_first(v, neighbors, begin, min(end, begin + LOOKED_AT));
    }
}

// Launch: FOR_EACH over vertices.
__kernel void link_neighbors(const uint n, const uint i, __global const edge_t *offsets,
                             __global const vertex_t *neighbors, __global vertex_t *pi) {
    FOR_EACH(uint, v, n) {
        const edge_t e = offsets[v] + i;
        if (e < offsets[v + 1]) link(v, neighbors[e], pi);
    }
}

// Links edges begin .. end - 1 of an edge list, in whatever order and direction they come: ends of edge e
// are at e * stride and e * stride + across. Launch: FOR_EACH over edges.
__kernel void link_edges(const edge_t begin, const edge_t end, const uint stride, const uint across,
                         __global const given_t *sources, __global const given_t *targets,
                         __global vertex_t *pi) {
    FOR_EACH(edge_t, i, end - begin) {
        const edge_t e = (begin + i) * stride;
        link((vertex_t)sources[e], (vertex_t)targets[e + across], pi);
    }
}

// Launch: FOR_EACH over vertices, with no more work-items than a GPU holds at once: then all chains shrink
// together, where later work-items would find them as long as they were. (4.5 times on a grid, H200.)
__kernel void compress_all(const uint n, __global vertex_t *pi) {
    FOR_EACH(uint, v, n) compress(v, pi);
}

// Launch: one work-group of SAMPLES work-items, each with one random vertex; the root that most name.
__kernel void sample_largest(const uint n, __global const vertex_t *pi, __global vertex_t *largest) {
    __local vertex_t sample[SAMPLES];
    __local int best;
    const uint i = get_local_id(0);
    const uint draw = (i + 1) * 2654435761u;  // Knuth's multiplicative hash spreads the draws evenly
    sample[i] = pi[mul_hi(draw, n)];
    if (i == 0) best = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    int votes = 0;
    for (uint j = 0; j < SAMPLES; ++j) votes += sample[j] == sample[i];
    atomic_max(&best, votes * SAMPLES + (int)i);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (best % SAMPLES == i) *largest = sample[i];
}

// Whether v is in the tree to skip: its root was the guess when compress_all had run.
#define SKIPPED(v) (LOAD(&pi[v]) == *largest)

#ifndef BALANCE_DEGREE
// Links neighbors linked, linked + 1, ... Launch: FOR_EACH over vertices.
__kernel void link_remaining(const uint n, const uint linked, __global const edge_t *offsets,
                             __global const vertex_t *neighbors, __global vertex_t *pi,
                             __global const vertex_t *largest) {
    FOR_EACH(uint, v, n) {
        if (SKIPPED(v)) continue;
        for (edge_t e = offsets[v] + linked; e < offsets[v + 1]; ++e) link(v, neighbors[e], pi);
    }
}
#else
// Launch: any number of work-groups of GROUP work-items. A group takes GROUP vertices at a time: each
// work-item links its own vertex if its degree is low, else leaves it to the group's tiles.
__kernel void link_remaining(const uint n, const uint linked, __global const edge_t *offsets,
                             __global const vertex_t *neighbors, __global vertex_t *pi,
                             __global const vertex_t *largest) {
    __local vertex_t high[GROUP];  // vertices of this group's run with a high degree
    __local int highs;
    const uint lane = get_local_id(0) % TILE, tile = get_local_id(0) / TILE, tiles = GROUP / TILE;

    // The trip count depends on the group alone, so all its work-items meet at each barrier.
    for (uint run = get_group_id(0) * GROUP; run < n; run += get_num_groups(0) * GROUP) {
        if (get_local_id(0) == 0) highs = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint v = run + get_local_id(0);
        if (v < n && !SKIPPED(v)) {
            const edge_t begin = offsets[v] + linked, end = offsets[v + 1];
            if (end > begin + LOW_DEGREE)
                high[atomic_inc(&highs)] = v;
            else
                for (edge_t e = begin; e < end; ++e) link(v, neighbors[e], pi);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = tile; i < highs; i += tiles)
            for (edge_t e = offsets[high[i]] + linked + lane; e < offsets[high[i] + 1]; e += TILE)
                link(high[i], neighbors[e], pi);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif
