// Stages: Cong and Muzio, Euro-Par 2014 workshops, section 5, algorithm 3.
//
//   init         D[v] = v
//   next_group   replace the ends of the group's edges by their components; the inner algorithm joins the
//                group
//
// The inner algorithms are those of graft_shortcut.cl, shiloach_vishkin.cl and shiloach_vishkin_csr.cl. The first takes
// each edge once, with its smaller end first; the others take both directions.
// Reads: u[m], v[m] (each edge once, in either direction, in random order). Writes: D[n]; group_u, group_v,
//   of a group's size or twice that.
// Build options besides common.h's: BOTH_DIRECTIONS.
// Atomics: none. No races.
// Benign races (Oclgrind): none.

#include "common.h"

// Launch: FOR_EACH over vertices.
__kernel void init(const uint n, __global vertex_t *D) {
    FOR_EACH(uint, v, n) D[v] = v;
}

// Launch: FOR_EACH over the group's edges, begin .. begin + size - 1.
__kernel void next_group(const edge_t begin, const edge_t size, __global const vertex_t *u,
                         __global const vertex_t *v, __global const vertex_t *D,
                         __global vertex_t *group_u, __global vertex_t *group_v) {
    FOR_EACH(edge_t, i, size) {
        const vertex_t D_u = D[u[begin + i]], D_v = D[v[begin + i]];
        group_u[i] = min(D_u, D_v);
        group_v[i] = max(D_u, D_v);
#ifdef BOTH_DIRECTIONS
        group_u[size + i] = max(D_u, D_v);
        group_v[size + i] = min(D_u, D_v);
#endif
    }
}
