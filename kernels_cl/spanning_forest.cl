// A spanning forest from Afforest's hooks: Sutton, Ben-Nun and Barak, IPDPS 2018, section IV-A.
//
//   init        pi[v] = v, no vertex is joined
//   link_edges  link the ends of every edge; an edge whose link joins two trees belongs to the forest
//   flatten     every vertex gets its root as its parent
//
// In each component, every root but one is hooked, and only once: joined_by keeps the edge that hooked it.
// Reads: ends, neighbors (edges.h; each edge in at least one direction). Writes: pi[n], joined_by[n].
// Build options besides common.h's: those of edges.h; SHORTEN_PATHS (link.h).
// Atomics: compare-and-swap on pi in link_edges.
// Races: on pi, benign, as link.h says. None on joined_by: a root is hooked by only one swap.
// Benign races (Oclgrind): link_edges pi; flatten pi.
// Oclgrind cannot judge (compare-and-swap): link_edges.

#include "common.h"
#include "atomics.h"
#include "edges.h"
#include "link.h"
#include "shortcut.h"

// Launch: FOR_EACH over vertices. No races.
__kernel void init(const uint n, __global vertex_t *pi, __global int2 *joined_by) {
    FOR_EACH(uint, v, n) {
        pi[v] = v;
        joined_by[v] = (int2)(NOBODY, NOBODY);
    }
}

// Launch: FOR_EACH over edges, or over rows.
__kernel void link_edges(const count_t edges, __global const end_t *ends, __global const given_t *neighbors,
                         __global vertex_t *pi, __global int2 *joined_by) {
    FOR_EACH_EDGE(e, u, v, 0, edges) {
        const vertex_t hooked = link(u, v, pi);
        if (hooked != NOBODY) joined_by[hooked] = (int2)(u, v);
    }
}

// Launch: FOR_EACH over vertices.
__kernel void flatten(const uint n, __global vertex_t *pi) {
    FOR_EACH(uint, v, n) (void)shortcut(v, pi);
}
