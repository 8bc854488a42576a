// Galois's asynchronous algorithm: Kulkarni et al., PLDI 2007; Jaiganesh and Burtscher, HPDC 2018, section 2.
//
//   init      parent[v] = v
//   merge     unite the trees of the two ends of every edge, each edge once
//   finalize  parent[v] = v's root
//
// Reads: ends, neighbors (edges.h; both directions of every edge, or one with ONE_DIRECTION). Writes:
//   parent[n].
// Build options besides common.h's: those of edges.h.
// Atomics: compare-and-swap on parent, to hook and to move a pointer to its grandparent.
// Races on parent, benign: parents never exceed their children, and only roots are hooked, and only by the swap. So a
//   stale parent is still an ancestor; a pointer is moved only if it has not changed. If a hook fails, the swap has
//   returned the true parent, which is smaller, so merge_trees ends however stale every plain read is.
// Benign races (Oclgrind): merge parent; finalize parent.
// Oclgrind cannot judge (compare-and-swap): merge, finalize.

#include "common.h"
#include "atomics.h"
#include "edges.h"

// v's root; on the way, pointers go to the grandparent, unless another work-item has moved them.
static vertex_t find(vertex_t v, __global vertex_t *parent) {
    vertex_t p = LOAD(&parent[v]), grandparent;
    while ((grandparent = LOAD(&parent[p])) != p) {
        (void)COMPARE_AND_SWAP(&parent[v], p, grandparent);
        v = p;
        p = grandparent;
    }
    return p;
}

static void merge_trees(vertex_t u, vertex_t v, __global vertex_t *parent) {
    vertex_t a = find(u, parent), b = find(v, parent);
    while (a != b) {
        const vertex_t larger = max(a, b), smaller = min(a, b);
        const vertex_t seen = COMPARE_AND_SWAP(&parent[larger], larger, smaller);
        if (seen == larger) return;
        a = find(seen, parent);
        b = find(smaller, parent);
    }
}

// Launch: FOR_EACH over vertices. No races.
__kernel void init(const uint n, __global vertex_t *parent) {
    FOR_EACH(uint, v, n) parent[v] = v;
}

// Launch: FOR_EACH over edges, or over rows.
__kernel void merge(const count_t edges, __global const end_t *ends, __global const given_t *neighbors,
                    __global vertex_t *parent) {
    FOR_EACH_EDGE(e, u, v, 0, edges) {
        if (TAKEN(u, v)) merge_trees(u, v, parent);
    }
}

// Launch: FOR_EACH over vertices. Races, benign: roots are final, and one ancestor replaces another.
__kernel void finalize(const uint n, __global vertex_t *parent) {
    FOR_EACH(uint, v, n) {
        const vertex_t root = find(v, parent);
        STORE(&parent[v], root);
    }
}
