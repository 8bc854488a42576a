// Rem's algorithm in parallel: Dijkstra 1976, chapter 23; Patwary, Refsnes and Manne, IPDPS 2012; Cong and
// Muzio, Euro-Par 2014 workshops, section 6.
//
//   init      p[v] = v, every edge is left
//   unite     climb from both ends of every edge that is left, until both have one parent or a root is hooked
//   verify    an edge is left if its ends have different roots     } unite again, until none is left
//   flatten   p[v] = v's root
//
// Reads: ends, neighbors (edges.h; each edge in at least one direction). Writes: p[n], left[m],
//   again[rounds].
// Build options besides common.h's: those of edges.h; SPLICING (move every vertex left on the way under
//   the other path's parent), HOOK_PLAIN or HOOK_CAS (put_under.h).
// Atomics: none with HOOK_PLAIN; else one on p in unite.
// Races on p, benign: whatever is read, the parent that is written is smaller than its vertex. So no cycle can close,
//   and a climb ends, because it goes from each vertex to a smaller one. Whatever a lost hook or a splice has torn
//   apart, some edge still joins, and verify, which does not write p, looks at every edge. All writers of again[round]
//   write 1.
// Benign races (Oclgrind): unite p; flatten p.
// Oclgrind cannot judge (compare-and-swap): unite.

#include "common.h"
#include "edges.h"
#include "find.h"
#include "put_under.h"
#include "rem.h"

static void climb(vertex_t x, vertex_t y, __global vertex_t *p) {
    vertex_t p_x = LOAD(&p[x]), p_y = LOAD(&p[y]);
    while (p_x != p_y) {
        if (p_x < p_y) swap_ends(&x, &p_x, &y, &p_y);
        if (p_x == x) {
            PUT_UNDER(p, x, p_y);
            return;
        }
#ifdef SPLICING
        STORE(&p[x], p_y);
#endif
        x = p_x;
        p_x = LOAD(&p[x]);
    }
}

// Launch: FOR_EACH over vertices. No races.
__kernel void init(const uint n, __global vertex_t *p) {
    FOR_EACH(uint, v, n) p[v] = v;
}

// Launch: FOR_EACH over edges. No races.
__kernel void take_all(const edge_t m, __global uchar *left) {
    FOR_EACH(edge_t, e, m) left[e] = 1;
}

// Launch: FOR_EACH over edges, or over rows.
__kernel void unite(const count_t edges, __global const end_t *ends, __global const given_t *neighbors,
                    __global vertex_t *p, __global const uchar *left, __global const int *again,
                    const uint round) {
    if (STILL(again, round)) return;
    FOR_EACH_EDGE(e, u, v, 0, edges) {
        if (left[e]) climb(u, v, p);
    }
}

// Launch: FOR_EACH over edges, or over rows.
__kernel void verify(const count_t edges, __global const end_t *ends, __global const given_t *neighbors,
                     __global const vertex_t *p, __global uchar *left, __global int *again,
                     const uint round) {
    if (STILL(again, round)) return;
    bool some = false;
    FOR_EACH_EDGE(e, u, v, 0, edges) {
        left[e] = find_root(u, p) != find_root(v, p);
        if (left[e]) some = true;
    }
    if (some) STORE(&again[round], 1);
}

// Launch: FOR_EACH over vertices. Races, benign: a root replaces an ancestor.
__kernel void flatten(const uint n, __global vertex_t *p) {
    FOR_EACH(uint, v, n) {
        const vertex_t root = find_root(v, p);
        STORE(&p[v], root);
    }
}
