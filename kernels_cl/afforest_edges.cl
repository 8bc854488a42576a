// Afforest over an edge list that nobody has sorted into rows: Sutton, Ben-Nun and Barak, IPDPS 2018,
// figure 3.
//
//   init           pi[v] = v
//   init_by_edges  with init=smaller: pi[v] = any smaller neighbor of v, if it has one; then compress_all
//   link_edges     link the ends of the next batch of edges     } until no edge is left
//   compress_all   point every vertex directly to its root      }
//
// link may take edges in any order and direction (theorem 1). Compressing between the batches makes most of
// the later look-ups one step.
//
// Reads: ends, neighbors (edges.h; each edge in one direction at least). Writes: pi[n].
// Build options besides common.h's: those of edges.h; SHORTEN_PATHS (link.h).
// Atomics: compare-and-swap on pi in link_edges.
// Races on pi, benign: link.h and shortcut.h say why. In init_by_edges nobody reads a parent, and whoever
//   writes one writes a smaller neighbor: of several the last stays, and the others' edges are linked later.
// Benign races (Oclgrind): init_by_edges pi; link_edges pi; compress_all pi.
// Oclgrind cannot judge (compare-and-swap): link_edges.

#include "common.h"
#include "atomics.h"
#include "edges.h"
#include "link.h"
#include "shortcut.h"

// Launch: FOR_EACH over vertices. No races.
__kernel void init(const uint n, __global vertex_t *pi) {
    FOR_EACH(uint, v, n) pi[v] = v;
}

// Launch: FOR_EACH over edges, or over rows; after init.
__kernel void init_by_edges(const count_t edges, __global const end_t *ends,
                            __global const given_t *neighbors, __global vertex_t *pi) {
    FOR_EACH_EDGE(e, u, v, 0, edges) {
        STORE(&pi[max(u, v)], min(u, v));
    }
}

// Launch: FOR_EACH over the batch's edges, or rows.
__kernel void link_edges(const count_t begin, const count_t end, __global const end_t *ends,
                         __global const given_t *neighbors, __global vertex_t *pi) {
    FOR_EACH_EDGE(e, u, v, begin, end) {
        (void)link(u, v, pi);
    }
}

// Launch: FOR_EACH over vertices, with no more work-items than a GPU holds at once (see afforest.cl).
__kernel void compress_all(const uint n, __global vertex_t *pi) {
    FOR_EACH(uint, v, n) (void)shortcut(v, pi);
}
