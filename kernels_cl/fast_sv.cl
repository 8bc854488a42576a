// FastSV: Zhang, Azad and Hu, SIAM PP 2020.
//
//   init          f[u] = f_next[u] = gf[u] = u
//   hook          for every edge (u, v): offer gf[v] to u's parent (stochastic) and to u (aggressive)
//   shortcut      offer gf[u] to u
//   grandparents  f = f_next, gf[u] = f[f[u]]
//   ...           until no grandparent changes
//
// Reads: ends, neighbors (edges.h; both directions of each edge). Writes: f[n], f_next[n], gf[n], again[rounds].
// Build options besides common.h's: INPUT_ROWS (edges.h), HOOK_MIN or HOOK_PLAIN (put_under.h).
// Atomics: none with HOOK_PLAIN; else one on f_next in hook.
// Races, benign: hook reads f and gf, which it does not write. Of f_next it reads what an offer must be less than,
//   and an old value there is one that stood in this round too: whatever it stores is less than f_next was
//   when the round began. With HOOK_MIN a stale one only makes a minimum that changes nothing. With HOOK_PLAIN
//   a smaller offer may be lost to a larger one, so gf may stay while an edge is not done; but whoever offers
//   has lowered f for good, so there the end is that f, not gf, is what it was: then nobody stored, and
//   every comparison was with what stands there. All who write again[round] write 1.
// Benign races (Oclgrind): hook f_next; grandparents again.

#include "common.h"
#ifndef HOOK_PLAIN
#include "atomics.h"
#endif
#include "edges.h"
#include "put_under.h"

// Offer a grandparent to x.
static void offer_to(vertex_t x, vertex_t grandparent, __global vertex_t *f_next) {
    if (grandparent < LOAD(&f_next[x])) PUT_UNDER(f_next, x, grandparent);
}

// Launch: FOR_EACH over vertices. No races.
__kernel void init(const uint n, __global vertex_t *f, __global vertex_t *f_next, __global vertex_t *gf) {
    FOR_EACH(uint, u, n) f[u] = f_next[u] = gf[u] = u;
}

// Launch: FOR_EACH over edges, or over rows.
__kernel void hook(const count_t edges, __global const end_t *ends, __global const given_t *neighbors,
                   __global const vertex_t *f, __global const vertex_t *gf, __global vertex_t *f_next,
                   __global const int *again, const uint round) {
    if (STILL(again, round)) return;
    FOR_EACH_EDGE(e, u, v, 0, edges) {
        offer_to(f[u], gf[v], f_next);  // stochastic hooking
        offer_to(u, gf[v], f_next);     // aggressive hooking
#ifdef ONE_DIRECTION
        offer_to(f[v], gf[u], f_next);
        offer_to(v, gf[u], f_next);
#endif
    }
}

// Launch: FOR_EACH over vertices. No races.
__kernel void shortcut(const uint n, __global const vertex_t *gf, __global vertex_t *f_next) {
    FOR_EACH(uint, u, n) f_next[u] = min(f_next[u], gf[u]);
}

// Launch: FOR_EACH over vertices.
__kernel void grandparents(const uint n, __global vertex_t *f, __global const vertex_t *f_next,
                           __global vertex_t *gf, __global int *again, const uint round) {
    bool changed = false;
    FOR_EACH(uint, u, n) {
        const vertex_t parent = f_next[u], grandparent = f_next[parent];
#ifdef HOOK_PLAIN
        changed |= f[u] != parent;
#else
        changed |= gf[u] != grandparent;
#endif
        f[u] = parent;
        gf[u] = grandparent;
    }
    if (changed) STORE(&again[round], 1);
}
