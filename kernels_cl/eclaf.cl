// ECLaf, ECL-CC without one atomic operation: Jaiganesh's thesis, section 4.5, algorithms 14 and 15.
//
//   init      parent[v] = the first neighbor smaller than v, or v
//   compute   hook along every edge with a plain store; set reiterate[round] if the roots of two ends differed
//   ...       again, until a whole launch of compute leaves its reiterate 0
//   finalize  parent[v] = v's representative, the smallest vertex of its component
//
// Reads: offsets[n + 1], neighbors (both directions of every edge). Writes: parent[n], reiterate[rounds].
// Build options besides common.h's: BALANCE_DEGREE, and with it TILE (work-items that share a vertex of medium degree).
// Atomics: none; the lists of vertices by degree are made on the host, once per graph.
// Races, benign: a hook may be overwritten by another hook of the same root, or by a store that shortens a path. A hook
//   sets reiterate[round], so the edge is looked at again. A store always writes a smaller vertex of the same
//   component. So no cycle can close, and a vertex that was a root when a launch began and is hooked in it is never a
//   root again: every launch but the last leaves fewer roots. A launch in which no two ends differ has only replaced
//   ancestors by ancestors, and the ends of every edge have the same root.
// Benign races (Oclgrind): compute1 parent, reiterate; compute2 parent, reiterate; compute3 parent, reiterate.

#include "common.h"
#include "init.h"
#include "jump.h"

// Take v's edges begin, begin + step, ... to smaller vertices.
static void compute_edges(vertex_t v, __global const vertex_t *neighbors, edge_t begin, edge_t end,
                          edge_t step, __global vertex_t *parent, __global int *reiterate, uint round) {
    vertex_t vstat = jump_intermediate(v, parent);
    for (edge_t e = begin; e < end; e += step) {
        const vertex_t u = neighbors[e];
        if (v <= u) continue;
        const vertex_t ostat = jump_intermediate(u, parent);
        if (vstat == ostat) continue;
        STORE(&parent[max(vstat, ostat)], min(vstat, ostat));
        vstat = min(vstat, ostat);
        STORE(&reiterate[round], 1);
    }
}

// Launch: FOR_EACH over vertices. No races: each vertex has one writer.
__kernel void init(const uint n, __global const edge_t *offsets, __global const vertex_t *neighbors,
                   __global vertex_t *parent) {
    FOR_EACH(uint, v, n) parent[v] = init_first(v, neighbors, offsets[v], offsets[v + 1]);
}

// Launch: FOR_EACH over the listed vertices of low degree; without BALANCE_DEGREE, over all.
__kernel void compute1(const uint listed, __global const vertex_t *list, __global const edge_t *offsets,
                       __global const vertex_t *neighbors, __global vertex_t *parent,
                       __global int *reiterate, const uint round) {
    if (STILL(reiterate, round)) return;
    FOR_EACH(uint, i, listed) {
#ifdef BALANCE_DEGREE
        const vertex_t v = list[i];
#else
        const vertex_t v = i;
#endif
        compute_edges(v, neighbors, offsets[v], offsets[v + 1], 1, parent, reiterate, round);
    }
}

#ifdef BALANCE_DEGREE
// Launch: any number of tiles of TILE work-items; tile t takes vertices t, t + T, ... of the list.
__kernel void compute2(const uint listed, __global const vertex_t *list, __global const edge_t *offsets,
                       __global const vertex_t *neighbors, __global vertex_t *parent,
                       __global int *reiterate, const uint round) {
    if (STILL(reiterate, round)) return;
    const uint lane = get_global_id(0) % TILE;
    for (uint i = get_global_id(0) / TILE; i < listed; i += get_global_size(0) / TILE) {
        const vertex_t v = list[i];
        compute_edges(v, neighbors, offsets[v] + lane, offsets[v + 1], TILE, parent, reiterate, round);
    }
}

// Launch: any number of work-groups; group g takes vertices g, g + G, ... of the list.
__kernel void compute3(const uint listed, __global const vertex_t *list, __global const edge_t *offsets,
                       __global const vertex_t *neighbors, __global vertex_t *parent,
                       __global int *reiterate, const uint round) {
    if (STILL(reiterate, round)) return;
    const uint lane = get_local_id(0);
    for (uint i = get_group_id(0); i < listed; i += get_num_groups(0)) {
        const vertex_t v = list[i];
        compute_edges(v, neighbors, offsets[v] + lane, offsets[v + 1], get_local_size(0), parent,
                      reiterate, round);
    }
}
#endif

// Launch: FOR_EACH over vertices.
__kernel void finalize(const uint n, __global vertex_t *parent) {
    FOR_EACH(uint, v, n) (void)jump_single(v, parent);
}
