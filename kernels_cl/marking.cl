// Bridges by marking: Chaitanya and Kothapalli, IJNC 6(1), 2016; Polak, Siwiec and Stobierski, IPDPS 2021, section 4.2.
//
//   rename   (spanned.h) a rooted spanning forest in preorder
//   begin    no vertex is marked: up[i] = i
//   mark     each edge outside the forest marks the path between its ends
//   gather   the edge above a vertex that is not marked is a bridge
//
// up[i] is a vertex above i to which marked edges lead, or i itself. This is union-find along the forest, without
// swaps.
//
// Reads: ends, neighbors (edges.h, a list of edges), parent[n], preorder[n], size[n] of a rooted spanning forest.
// Writes: above[n], sizes[n], claimed[n], up[n], is_bridge[m], which must be 0 before.
// Build options besides common.h's: those of edges.h.
// Atomics: compare-and-swap on claimed in mark.
// Races on up, benign: once i is marked, every writer of up[i] writes a vertex above i to which marked edges lead. So
//   no mark is undone. A stale read shows a lower vertex, and the edges from there up to the newest one are marked
//   again. Each step of a walk leads to a smaller vertex, and both walks meet at the latest where the paths from both
//   ends to the root meet.
// Benign races (Oclgrind): mark up.
// Oclgrind cannot judge (compare-and-swap): mark.

#include "common.h"
#include "atomics.h"
#include "edges.h"
#include "link.h"
#include "find.h"
#include "spanned.h"

// Launch: FOR_EACH over vertices. No races.
__kernel void begin(const uint n, __global vertex_t *up) {
    FOR_EACH(uint, i, n) up[i] = i;
}

// Launch: FOR_EACH over edges.
__kernel void mark(const count_t edges, __global const end_t *ends, __global const given_t *neighbors,
                   __global const vertex_t *preorder, __global const vertex_t *above, __global vertex_t *claimed,
                   __global vertex_t *up) {
    FOR_EACH_RENAMED(e, i, j, edges) {
        if (!beside(e, i, j, above, claimed)) continue;
        vertex_t x = find_halving(i, up), y = find_halving(j, up);
        while (x != y) {
            const vertex_t later = max(x, y);
            x = min(x, y);
            STORE(&up[later], above[later]);
            y = find_halving(above[later], up);
        }
    }
}

// Launch: FOR_EACH over vertices, after mark. No races: an edge of the forest is above one vertex.
__kernel void gather(const uint n, __global const vertex_t *above, __global const vertex_t *claimed,
                     __global const vertex_t *up, __global uchar *is_bridge) {
    FOR_EACH(uint, i, n) if (up[i] == (vertex_t)i && above[i] != (vertex_t)i) is_bridge[claimed[i]] = 1;
}
