// Rem-CAS with fused sampling: Hong, Dhulipala and Shun, PACT 2020 (arXiv 2008.11839), section 3.
//
//   init           p[v] = v
//   unite_sample   unite every vertex with its first two neighbors     }
//   compress_all   point every vertex directly to its root             } with SAMPLING only
//   find_largest   guess the root of the largest tree from a sample    }
//   unite_edges    unite the ends of every edge, but not from vertices in that tree
//   compress_all
//
// Reads: ends, neighbors (edges.h; both directions of every edge, or one with ONE_DIRECTION). With SAMPLING
//   both directions, and the rows' offsets[n + 1] even if INPUT_ROWS is not set. Writes: p[n], largest[1].
// Build options besides common.h's: those of edges.h; SAMPLING; SAMPLES (most_frequent.h); those of climb.h,
//   but for ALONE.
// Atomics: compare-and-swap on p, and with SPLICING minimum; maximum in local memory.
// Races on p, all benign, even if every plain read is stale: climb.h says why no union is lost. A vertex whose parent
//   is the root of the largest tree is in that component for good, and its edges that leave the tree are met again at
//   their other ends. A wrong guess only costs time. For compress_all, see shortcut.h.
// Benign races (Oclgrind): unite_sample p; unite_edges p; compress_all p.
// Oclgrind cannot judge (compare-and-swap): unite_sample, unite_edges.

#include "common.h"
#include "climb.h"
#include "edges.h"
#include "most_frequent.h"
#include "shortcut.h"

#define SAMPLED 2  // neighbors of every vertex that are united first

// Launch: FOR_EACH over vertices. No races.
__kernel void init(const uint n, __global vertex_t *p) {
    FOR_EACH(uint, v, n) p[v] = v;
}

// Launch: FOR_EACH over vertices.
__kernel void unite_sample(const uint n, __global const edge_t *offsets, __global const vertex_t *neighbors,
                           __global vertex_t *p) {
    FOR_EACH(uint, v, n) {
        const edge_t begin = offsets[v], end = min(begin + SAMPLED, offsets[v + 1]);
        for (edge_t e = begin; e < end; ++e) unite(v, neighbors[e], p);
    }
}

// Launch: FOR_EACH over vertices, with no more work-items than a GPU holds at once (see afforest.cl).
__kernel void compress_all(const uint n, __global vertex_t *p) {
    FOR_EACH(uint, v, n) (void)shortcut(v, p);
}

// Launch: one work-group of SAMPLES work-items, each with one random vertex. All trees are flat.
__kernel void find_largest(const uint n, __global const vertex_t *p, __global vertex_t *largest) {
    __local vertex_t sample[SAMPLES];
    __local int best;
    const vertex_t root = most_frequent(p[DRAW(n)], sample, &best);
    if (get_local_id(0) == 0) *largest = root;
}

#ifdef SAMPLING  // an edge that is skipped at one end is needed at the other
#define IS_LARGEST(root) ((root) == *largest)
#define NEEDED(u, v) true
#else  // an edge is needed once, at its larger end: smaller vertices' rows come first, and so do their unions
#define IS_LARGEST(root) false
#define NEEDED(u, v) TAKEN(v, u)
#endif

#ifdef INPUT_ROWS  // a row is skipped as a whole: hubs' rows are long
static void unite_row(uint v, edge_t begin, edge_t end, __global const given_t *neighbors, __global vertex_t *p,
                      __global const vertex_t *largest) {
    if (IS_LARGEST(LOAD(&p[v]))) return;
    for (edge_t e = begin; e < end; ++e)
        if (NEEDED(v, neighbors[e])) unite(v, neighbors[e], p);
}
#endif

#if defined(INPUT_ROWS) && defined(PARTITIONING)
// The row that has entry e.
static uint row_of(edge_t e, uint n, __global const edge_t *offsets) {
    uint row = 0, beyond = n;
    while (beyond - row > 1) {
        const uint middle = row + (beyond - row) / 2;
        if (offsets[middle] <= e)
            row = middle;
        else
            beyond = middle;
    }
    return row;
}
#endif

// Launch: FOR_EACH over edges, or over rows; but with PARTITIONING, work-items share the entries of rows evenly,
// because a hub's row may have most of them.
__kernel void unite_edges(const count_t edges, __global const end_t *ends,
                          __global const given_t *neighbors, __global vertex_t *p,
                          __global const vertex_t *largest) {
#if defined(INPUT_ROWS) && defined(PARTITIONING)
    const edge_t m = ends[edges], begin = RUN_BEGIN(m, get_global_id(0)), end = RUN_BEGIN(m, get_global_id(0) + 1);
    if (begin == end) return;
    const uint first = row_of(begin, edges, ends), last = row_of(end - 1, edges, ends);
    unite_row(first, begin, min(ends[first + 1], end), neighbors, p, largest);
    for (uint v = first + 1; v < last; ++v) unite_row(v, ends[v], ends[v + 1], neighbors, p, largest);
    if (last > first) unite_row(last, ends[last], end, neighbors, p, largest);
#elif defined(INPUT_ROWS)
    FOR_EACH(uint, v, edges) unite_row(v, ends[v], ends[v + 1], neighbors, p, largest);
#else
    FOR_EACH_EDGE(e, u, v, 0, edges) {
        if (!IS_LARGEST(LOAD(&p[u]))) unite(u, v, p);
    }
#endif
}
