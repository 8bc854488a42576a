// Rem-CAS with fused sampling: Hong, Dhulipala and Shun, PACT 2020 (arXiv 2008.11839), section 3.
//
//   init           p[v] = v
//   unite_sample   unite every vertex with its first two neighbors     }
//   compress_all   point every vertex directly to its root             } with SAMPLING only
//   find_largest   guess the root of the largest tree from a sample    }
//   unite_edges    unite the ends of every edge, but not from vertices in that tree
//   compress_all
//
// Reads: ends, neighbors (edges.h): each edge in at least one direction, whichever. With SAMPLING both
//   directions of every edge, and the rows' offsets[n + 1] even if INPUT_ROWS is not set. Writes: p[n],
//   largest[1].
// Build options besides common.h's: INPUT_ROWS (edges.h); HALVING, SPLITTING or SPLICING (what becomes of a
//   vertex that a climb leaves; without any, nothing); SAMPLING; SAMPLES (most_frequent.h).
// Atomics: compare-and-swap on p, and with SPLICING minimum; maximum in local memory.
// Races on p, all benign, even if every plain read is stale:
//   Whatever is written to p[x] is smaller than x. So no cycle can close, and as x falls in every step of a
//   climb, or stays while p_x falls to the parent that a failed swap has returned, each climb ends.
//   Only a swap hooks a root, and it never sees a stale value: no hook is lost.
//   What was once x's parent stays connected with x, so a stale parent is as good as a new one, and parents
//   in common, however stale, are proof. Without SPLICING that is plain: trees are only merged, and HALVING
//   and SPLITTING put an ancestor in another ancestor's place. SPLICING replaces x's parent z by y's parent
//   p_y, and the climb goes on to join z and y. All it relies on from there are parents smaller than z, as
//   p_y is. So what connects x with z depends only on smaller parents, and these on still smaller ones: no
//   climb relies on itself in a circle, and when all have ended all is connected. A vertex whose parent is
//   the root of the largest tree is in that component for good, and its edges that leave the tree are met
//   again at their other ends. A wrong guess costs time only. compress_all: see shortcut.h.
// Benign races (Oclgrind): unite_sample p; unite_edges p; compress_all p.
// Oclgrind cannot judge (compare-and-swap): unite_sample, unite_edges.

#include "common.h"
#include "atomics.h"
#include "edges.h"
#include "most_frequent.h"
#include "rem.h"
#include "shortcut.h"

#define SAMPLED 2  // neighbors of every vertex that are united first

// The climb leaves x, which is no root. Returns the vertex from which it goes on.
static vertex_t leave(vertex_t x, vertex_t p_x, vertex_t p_y, __global vertex_t *p) {
#if defined(SPLICING)
    return FETCH_MIN(&p[x], p_y);
#elif defined(HALVING) || defined(SPLITTING)
    const vertex_t grandparent = LOAD(&p[p_x]);
    if (grandparent != p_x) STORE(&p[x], grandparent);
#ifdef HALVING
    return grandparent;
#endif
#endif
    return p_x;
}

// Climb from x and y together until both have one parent, or a root is hooked.
static void unite(vertex_t x, vertex_t y, __global vertex_t *p) {
    vertex_t p_x = LOAD(&p[x]), p_y = LOAD(&p[y]);
    while (p_x != p_y) {
        if (p_x < p_y) swap_ends(&x, &p_x, &y, &p_y);
        if (p_x == x) {  // it seems to be a root
            p_x = COMPARE_AND_SWAP(&p[x], x, p_y);
            if (p_x == x) return;
        } else {
            x = leave(x, p_x, p_y, p);
            p_x = LOAD(&p[x]);
        }
    }
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

#ifdef SAMPLING
#define IS_LARGEST(root) ((root) == *largest)
#else
#define IS_LARGEST(root) false
#endif

// Launch: FOR_EACH over edges, or over rows.
__kernel void unite_edges(const count_t edges, __global const end_t *ends,
                          __global const given_t *neighbors, __global vertex_t *p,
                          __global const vertex_t *largest) {
#ifdef INPUT_ROWS  // a row is skipped as a whole: hubs' rows are long
    FOR_EACH(uint, v, edges) {
        if (IS_LARGEST(LOAD(&p[v]))) continue;
        for (edge_t e = ends[v]; e < ends[v + 1]; ++e) unite(v, neighbors[e], p);
    }
#else
    FOR_EACH_EDGE(e, u, v, 0, edges) {
        if (!IS_LARGEST(LOAD(&p[u]))) unite(u, v, p);
    }
#endif
}
