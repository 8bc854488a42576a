// Putting the edges of a forest in two orders (trees.h).
//
//   take   each edge with its lesser end as the key; entries that are no edges come last
//   turn   each edge's greater end, and its number
//   begin  no vertex has pairs
//   rows   where the pairs of each vertex begin
//
// radix_sort.cl sorts between these. Once the forest is rooted and the sizes of its trees are known:
//
//   count_vertices, add_up (sums.h), place_vertices   how many vertices are in the trees before each one
//
// Reads: ends, neighbors (edges.h, a list of edges); edges[m], pairs[m], ascending; roots[k], size[n].
// Writes: pairs[edges], others[m]; first[n]; preorder[n] (that of roots), first_vertex[k + 1], counts[groups + 1].
// Build options besides common.h's: those of edges.h, and those of sums.h where its kernels are launched.
// Atomics: none. Races: none. Each run of pairs has one first pair.
// Benign races (Oclgrind): none.

#include "common.h"
#include "edges.h"
#include "trees.h"

// `pairs` may be the ends. Launch: FOR_EACH over edges.
__kernel void take(const count_t edges, const uint n, __global const end_t *ends, __global const given_t *neighbors,
                   __global uint2 *pairs) {
    FOR_EACH_EDGE(e, u, v, 0, edges) pairs[e] = u < 0 ? (uint2)(n, n) : (uint2)(max(u, v), min(u, v));
}

// Launch: FOR_EACH over edges.
__kernel void turn(const uint m, __global const uint2 *edges, __global uint2 *others) {
    FOR_EACH(uint, e, m) others[e] = (uint2)(e, GREATER(e));
}

// Launch: FOR_EACH over vertices.
__kernel void begin(const uint n, __global uint *first) {
    FOR_EACH(uint, v, n) first[v] = (uint)-1;
}

// Launch: FOR_EACH over edges, after begin.
__kernel void rows(const uint m, __global const uint2 *pairs, __global uint *first) {
    FOR_EACH(uint, i, m)
        if (i == 0 || KEY(pairs[i - 1]) != KEY(pairs[i])) first[KEY(pairs[i])] = i;
}

#ifdef GROUP
#include "sums.h"

// Launch: FOR_EACH over trees, in groups of GROUP.
__kernel void count_vertices(const uint k, __global const vertex_t *roots, __global const vertex_t *size,
                             __global vertices_t *counts) {
    __local vertices_t sums[GROUP];
    vertices_t mine = 0;
    FOR_EACH(uint, t, k) mine += size[roots[t]];
    leave_sum(mine, sums, counts);
}

// Launch: as count_vertices.
__kernel void place_vertices(const uint k, __global const vertex_t *roots, __global const vertex_t *size,
                             __global const vertices_t *counts, __global vertex_t *preorder,
                             __global vertex_t *first_vertex) {
    __local vertices_t sums[GROUP];
    vertices_t mine = 0;
    FOR_EACH(uint, t, k) mine += size[roots[t]];
    vertices_t before = sum_before_all(mine, sums, counts);
    if (get_global_id(0) == 0) first_vertex[0] = 0;
    FOR_EACH(uint, s, k) {
        preorder[roots[s]] = before;
        first_vertex[s + 1] = before += size[roots[s]];
    }
}
#endif
