// Afforest over an edge list that is not sorted into rows: Sutton, Ben-Nun and Barak, IPDPS 2018,
// figure 3.
//
//   init           pi[v] = v
//   init_by_edges  with init=smaller: pi[v] = any smaller neighbor of v, if it has one; then compress_all
//   link_edges     link the ends of the next batch of edges     } until no edge is left
//   compress_all   point every vertex directly to its root      }
//
// link may take edges in any order and direction (theorem 1). After compressing between the batches, most look-ups take
// only one step.
//
// The edges of a path, in order, make one chain as long as the path. All work-items together compress it in a few
// steps, but a work-item whose edge closes the path to a ring would walk along all of it alone. So with MOST_STEPS,
// link_or_defer replaces link_edges: a link that needs more steps is put off. At the end, if there are any such links:
//
//   compress_for_deferred   compress_all
//   link_deferred           link the edges that were put off
//
// Reads: ends, neighbors (edges.h; each edge in at least one direction). Writes: pi[n]; with MOST_STEPS,
//   deferred[2 * MOST_DEFERRED], the ends of deferred edges, and deferred_count[1], their number.
// Build options besides common.h's: those of edges.h; SHORTEN_PATHS (link.h); MOST_STEPS, MOST_DEFERRED.
// Atomics: compare-and-swap on pi in link_edges, link_or_defer and link_deferred; counter on
//   deferred_count.
// Races on pi, benign: link.h and shortcut.h say why. In init_by_edges, no parent is read, and every writer writes a
//   smaller neighbor: the last one stays, and the edges of the others are linked later.
// Benign races (Oclgrind): init_by_edges pi; link_edges pi; compress_all pi; link_or_defer pi;
//   compress_for_deferred pi; link_deferred pi.
// Oclgrind cannot judge (compare-and-swap): link_edges, link_or_defer, link_deferred.

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

static void compress(uint n, __global vertex_t *pi) {
    FOR_EACH(uint, v, n) (void)shortcut(v, pi);
}

// Launch: FOR_EACH over vertices, with no more work-items than a GPU holds at once (see afforest.cl).
__kernel void compress_all(const uint n, __global vertex_t *pi) {
    compress(n, pi);
}

#ifdef MOST_STEPS
// Launch: FOR_EACH over vertices. No races.
__kernel void init_deferring(const uint n, __global vertex_t *pi, __global int *deferred_count) {
    FOR_EACH(uint, v, n) pi[v] = v;
    if (get_global_id(0) == 0) *deferred_count = 0;
}

// Put off linking u with v. Returns whether there was room.
static bool defer(vertex_t u, vertex_t v, __global vertex_t *deferred, __global int *deferred_count) {
    if (atomic_add(deferred_count, 0) >= MOST_DEFERRED) return false;  // first, so that the counter cannot wrap
    const int at = TAKE_PLACE(deferred_count);
    if (at >= MOST_DEFERRED) return false;
    deferred[2 * at] = u;
    deferred[2 * at + 1] = v;
    return true;
}

// Launch: FOR_EACH over the batch's turns (common.h). A batch of neighboring edges would join one region after another.
__kernel void link_or_defer(const count_t begin, const count_t end, const count_t edges,
                            __global const end_t *ends, __global const given_t *neighbors, __global vertex_t *pi,
                            __global vertex_t *deferred, __global int *deferred_count) {
    FOR_EACH_EDGE_IN_TURNS(e, u, v, begin, end, edges) {
        vertex_t a = u, b = v;
        while (link_within(MOST_STEPS, &a, &b, pi) == GAVE_UP && !defer(a, b, deferred, deferred_count)) continue;
    }
}

// compress_all, if links were put off. Launch: as compress_all.
__kernel void compress_for_deferred(const uint n, __global vertex_t *pi, __global const int *deferred_count) {
    if (*deferred_count > 0) compress(n, pi);
}

// Launch: FOR_EACH over MOST_DEFERRED links.
__kernel void link_deferred(__global vertex_t *pi, __global const vertex_t *deferred,
                            __global const int *deferred_count) {
    FOR_EACH(uint, i, min(*deferred_count, MOST_DEFERRED))
        (void)link(deferred[2 * i], deferred[2 * i + 1], pi);
}
#endif
