// CC and CC-updt: Cong and Muzio, Euro-Par 2014 workshops, algorithms 1 and 2.
//
//   init           D[v] = v
//   look_up        (D_u[i], D_v[i]) = the components of the ends of edge i   } CC: until a round
//   graft          put the larger of D_u[i], D_v[i] under the smaller        } grafts nothing
//   shortcut_all   point every vertex directly to its root                   }
//   update         replace D_u[i] and D_v[i] with their components
//
// CC-updt looks up all edges only once; each round is then graft, shortcut_all, update.
//
// With graft=sorted (section 3), for either end: blocks, a sort of the edges by block, look_up_sorted.
//
// Reads: ends, neighbors (edges.h; both directions of every edge, or one with ONE_DIRECTION). Writes: D[n],
//   D_u[m], D_v[m], again[rounds], block[m], edge[m].
// Build options besides common.h's: those of edges.h; HOOK_PLAIN, HOOK_MIN or HOOK_CAS (put_under.h); W, the number of
//   words that one access to memory reads: look-ups in one such block are one access.
// Atomics: none with HOOK_PLAIN; else one on D in graft.
// Races, benign: graft reads nothing that it writes. A round begins with trees of depth one. Only their roots are
//   written, always with a smaller vertex, so no cycle can close. If a graft is overwritten, the ends of its edge still
//   have different components in the next round. All writers of again[round] write 1. For shortcut_all, see shortcut.h.
// Benign races (Oclgrind): graft D, again; shortcut_all D.
// Oclgrind cannot judge (compare-and-swap): graft.

#include "common.h"
#include "edges.h"
#include "put_under.h"
#include "shortcut.h"

// Launch: FOR_EACH over vertices. No races.
__kernel void init(const uint n, __global vertex_t *D) {
    FOR_EACH(uint, v, n) D[v] = v;
}

// Launch: FOR_EACH over edges, or over rows. No races.
__kernel void look_up(const count_t edges, __global const end_t *ends, __global const given_t *neighbors,
                      __global const vertex_t *D, __global vertex_t *D_u, __global vertex_t *D_v,
                      __global const int *again, const uint round) {
    if (STILL(again, round)) return;
    FOR_EACH_EDGE(e, u, v, 0, edges) {
        D_u[e] = TAKEN(u, v) ? D[u] : 0;  // an entry that is not taken grafts nothing
        D_v[e] = TAKEN(u, v) ? D[v] : 0;
    }
}

// Launch: FOR_EACH over edges. No races.
__kernel void update(const edge_t m, __global const vertex_t *D, __global vertex_t *D_u,
                     __global vertex_t *D_v, __global const int *again, const uint round) {
    if (STILL(again, round)) return;
    FOR_EACH(edge_t, i, m) {
        D_u[i] = D[D_u[i]];
        D_v[i] = D[D_v[i]];
    }
}

// Launch: FOR_EACH over edges. No races.
__kernel void blocks(const edge_t m, __global const vertex_t *end, __global int *block, __global int *edge) {
    FOR_EACH(edge_t, i, m) {
        block[i] = end[i] / W;
        edge[i] = i;
    }
}

// Look up one end of every edge, in the order that sorting has left in edge[]. Launch: FOR_EACH over edges.
// No races: each edge is in edge[] once, so `end` and `component` may be one array.
__kernel void look_up_sorted(const edge_t m, __global const int *edge, __global const vertex_t *end,
                             __global const vertex_t *D, __global vertex_t *component) {
    FOR_EACH(edge_t, i, m) component[edge[i]] = D[end[edge[i]]];
}

// Launch: FOR_EACH over edges, in reverse order. If stores are made in order, the last one stays, which is that of the
// smallest partner. If the largest won, a hub would take as many rounds as it has neighbors.
__kernel void graft(const edge_t m, __global const vertex_t *D_u, __global const vertex_t *D_v,
                    __global vertex_t *D, __global int *again, const uint round) {
    if (STILL(again, round)) return;
    bool grafted = false;
    FOR_EACH(edge_t, i, m) {
        const vertex_t u = D_u[m - 1 - i], v = D_v[m - 1 - i];
        if (u == v) continue;
        PUT_UNDER(D, max(u, v), min(u, v));
        grafted = true;
    }
    if (grafted) STORE(&again[round], 1);
}

// Launch: FOR_EACH over vertices.
__kernel void shortcut_all(const uint n, __global vertex_t *D) {
    FOR_EACH(uint, v, n) (void)shortcut(v, D);
}
