// Afforest over other subgraphs: Sutton, Ben-Nun and Barak, IPDPS 2018, sections III-B, IV and V-B.
//
//   init           pi[v] = v
//   link_subgraph  link the ends of all edges of a subgraph     } for each of the subgraphs
//   compress_all   point every vertex directly to its root      }
//
// Reads: ends, neighbors, entries begin .. end - 1 of an edge list in the order of its subgraphs. Writes:
//   pi[n].
// Build options besides common.h's: SHORTEN_PATHS (link.h).
// Atomics: compare-and-swap on pi in link_subgraph.
// Races on pi, benign: link.h and shortcut.h say why. A link is never undone, so any order of edges is right.
// Benign races (Oclgrind): link_subgraph pi; compress_all pi.
// Oclgrind cannot judge (compare-and-swap): link_subgraph.

#include "common.h"
#include "atomics.h"
#include "edges.h"
#include "link.h"
#include "shortcut.h"

// Launch: FOR_EACH over vertices. No races.
__kernel void init(const uint n, __global vertex_t *pi) {
    FOR_EACH(uint, v, n) pi[v] = v;
}

// Launch: FOR_EACH over the subgraph's edges.
__kernel void link_subgraph(const count_t begin, const count_t end, __global const end_t *ends,
                            __global const given_t *neighbors, __global vertex_t *pi) {
    FOR_EACH_EDGE(e, u, v, begin, end) {
        (void)link(u, v, pi);
    }
}

// Launch: FOR_EACH over vertices, with no more work-items than a GPU holds at once (see afforest.cl).
__kernel void compress_all(const uint n, __global vertex_t *pi) {
    FOR_EACH(uint, v, n) (void)shortcut(v, pi);
}
