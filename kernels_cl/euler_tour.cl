// Rooting trees by an Euler tour: Tarjan and Vishkin, SIAM J. Comput. 14(4), 1985; Polak, Siwiec and Stobierski,
// IPDPS 2021.
//
//   tour_ends   the first and the last edge of each tree's tour
//   tour        each edge finds its twin, and the edge after it on the tour
//   cut         the last edge is its own successor: the tours are lists, which random_splitter.cl ranks
//   orient      of an edge's two directions, the one that comes first leads down: parents, subtree sizes
//   plant       (rooted.h) roots
//   count_downs, add_up (sums.h), place_downs   how many places of the tours before each word lead down
//   number      depth and preorder
//
// Edges are numbered as they are stored. A place is an edge's number on the tours, which stand one after the other.
// `downs` has a bit for each place, so the random accesses of orient and number go to an array that is small.
//
// Reads: offsets[n + 1], sources[m], neighbors[m] (rows in ascending order, both directions of each edge, once, no
//   loops), roots[k], tree[n], first_vertex[k + 1] (rooted.h); rank[m]. Writes: ends[2k], twin[m], successor[m],
//   rooted[4n] (parent, depth, preorder, size), downs[m / 32 + 1], downs_before[m / 32 + 1], counts[groups + 1].
// Build options besides common.h's: AHEAD, how many edges a work-item looks at side by side; those of sums.h, where
//   its kernels are launched.
// Atomics: or, on downs. Races: none. A vertex has one edge up, which alone writes what is known of it, and each place
//   belongs to one edge.
// Benign races (Oclgrind): none.

#include "common.h"
#include "rooted.h"
#ifdef GROUP
#include "sums.h"
#endif

#define PLACES 32

static uint edge_after(uint e, vertex_t u, __global const edge_t *offsets) {
    return e + 1 < offsets[u + 1] ? e + 1 : offsets[u];
}

// Where the edge to v stands in a row that begins at *at and has *left edges, in ascending order of neighbors: halve
// what is left. Without branches, so that several searches can go on side by side.
static void halve(uint *at, uint *left, vertex_t v, __global const vertex_t *neighbors) {
    const uint step = *left / 2;
    *at += step * (uint)(neighbors[*at + step] <= v);
    *left -= step;
}

// ends[2t], ends[2t + 1]: the first and the last edge of tree t's tour; -1 if it has no edge.
// Launch: FOR_EACH over trees.
__kernel void tour_ends(const uint k, __global const vertex_t *roots, __global const edge_t *offsets,
                        __global const vertex_t *neighbors, __global vertex_t *ends) {
    FOR_EACH(uint, t, k) {
        const vertex_t r = roots[t];
        const edge_t begin = offsets[r], end = offsets[r + 1];
        ends[2 * t] = ends[2 * t + 1] = -1;
        if (begin == end) continue;
        const vertex_t last = neighbors[end - 1];
        uint at = offsets[last], left = offsets[last + 1] - at;
        while (left > 1) halve(&at, &left, r, neighbors);
        ends[2 * t] = begin;
        ends[2 * t + 1] = at;
    }
}

// AHEAD edges are looked at side by side, and no branch depends on what is read, so the device waits for memory less
// often. Launch: FOR_EACH over blocks of AHEAD edges.
__kernel void tour(const uint m, __global const edge_t *offsets, __global const vertex_t *sources,
                   __global const vertex_t *neighbors, __global vertex_t *twin, __global vertex_t *successor) {
    FOR_EACH(uint, block, (m + AHEAD - 1) / AHEAD) {
        const uint first = block * AHEAD, few = min(m - first, (uint)AHEAD);
        uint begin[AHEAD], end[AHEAD], back[AHEAD], left[AHEAD], most = 1;
        for (uint i = 0; i < few; ++i) {
            const vertex_t u = neighbors[first + i];
            begin[i] = back[i] = offsets[u];
            end[i] = offsets[u + 1];
        }
        for (uint i = 0; i < few; ++i) most = max(most, left[i] = end[i] - begin[i]);
        for (; most > 1; most -= most / 2)
            for (uint i = 0; i < few; ++i) halve(&back[i], &left[i], sources[first + i], neighbors);
        for (uint i = 0; i < few; ++i) {
            twin[first + i] = back[i];
            successor[first + i] = back[i] + 1 < end[i] ? back[i] + 1 : begin[i];
        }
    }
}

// Also clears downs. Launch: FOR_EACH over the words of downs, and over trees.
__kernel void cut(const uint k, const uint words, __global const vertex_t *ends, __global vertex_t *successor,
                  __global uint *downs) {
    FOR_EACH(uint, w, words) downs[w] = 0;
    FOR_EACH(uint, t, k) {
        const vertex_t end = ends[2 * t + 1];
        if (end >= 0) successor[end] = end;
    }
}

// A tree has two places for each vertex but its root. Until number, PREORDER is the place of the edge down to a vertex.
// Launch: FOR_EACH over blocks of AHEAD edges.
__kernel void orient(const uint n, const uint m, __global const vertex_t *sources, __global const vertex_t *neighbors,
                     __global const vertex_t *twin, __global const vertex_t *rank, __global const vertex_t *tree,
                     __global const vertex_t *first_vertex, __global vertex_t *rooted, __global uint *downs) {
    FOR_EACH(uint, block, (m + AHEAD - 1) / AHEAD) {
        const uint first = block * AHEAD, few = min(m - first, (uint)AHEAD);
        int from_end[AHEAD];
        for (uint i = 0; i < few; ++i) from_end[i] = rank[twin[first + i]];
        for (uint i = 0; i < few; ++i) {
            const uint e = first + i;
            const int between = from_end[i] - rank[e];
            if (between < 0) continue;  // e leads down
            const vertex_t v = sources[e];
            const uint t = tree[v], place = 2 * (first_vertex[t + 1] - (t + 1)) - 1 - from_end[i];
            PARENT(v) = neighbors[e];
            SIZE(v) = (between + 1) / 2;
            PREORDER(v) = place;
            (void)atomic_or((volatile __global uint *)&downs[place / PLACES], 1u << place % PLACES);
        }
    }
}

#ifdef GROUP
// Launch: FOR_EACH over words, in groups of GROUP.
__kernel void count_downs(const uint words, __global const uint *downs, __global vertices_t *counts) {
    __local vertices_t sums[GROUP];
    vertices_t mine = 0;
    FOR_EACH(uint, w, words) mine += popcount(downs[w]);
    leave_sum(mine, sums, counts);
}

// Launch: as count_downs.
__kernel void place_downs(const uint words, __global const uint *downs, __global const vertices_t *counts,
                          __global uint *downs_before) {
    __local vertices_t sums[GROUP];
    vertices_t mine = 0;
    FOR_EACH(uint, w, words) mine += popcount(downs[w]);
    vertices_t before = sum_before_all(mine, sums, counts);
    FOR_EACH(uint, x, words) {
        downs_before[x] = before;
        before += popcount(downs[x]);
    }
}
#endif

// Launch: FOR_EACH over vertices.
__kernel void number(const uint n, __global const vertex_t *tree, __global const uint *downs,
                     __global const uint *downs_before, __global vertex_t *rooted) {
    FOR_EACH(uint, v, n) {
        if (PARENT(v) == (vertex_t)v) continue;
        const uint place = PREORDER(v), up_to_place = downs[place / PLACES] << (PLACES - 1 - place % PLACES);
        const uint reached = downs_before[place / PLACES] + popcount(up_to_place);
        DEPTH(v) = 2 * reached - (place + 1);
        PREORDER(v) = reached + tree[v];
    }
}
