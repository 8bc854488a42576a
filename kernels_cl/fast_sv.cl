// FastSV: Zhang, Azad and Hu, SIAM PP 2020.
//
//   init          f[u] = f_next[u] = gf[u] = u
//   hook          for every edge (u, v) offer gf[v] to f[u] (stochastic) and to u (aggressive hooking)
//   shortcut      offer gf[u] to u
//   grandparents  f = f_next, then gf[u] = f[f[u]]
//   ...           until no grandparent changes
//
// f[u] is u's parent and gf[u] its grandparent. A vertex takes an offer as its next parent, f_next, if the
// offer is smaller than what it has.
//
// Reads: ends, neighbors (edges.h; both directions of every edge, or one with ONE_DIRECTION).
// Writes: f[n], f_next[n], gf[n], again[rounds].
// Build options besides common.h's: those of edges.h; HOOK_MIN or HOOK_PLAIN (put_under.h).
// Atomics: none with HOOK_PLAIN; else one on f_next in hook.
// Races, benign: hook reads f and gf, which it does not write; it races only on f_next. A stale f_next[x] is a value
//   that x had in this round, so whatever is stored is smaller than what x had when the round began. With HOOK_MIN, the
//   smallest offer stays. A stale read costs at worst a minimum that changes nothing. With HOOK_PLAIN, a larger offer
//   may overwrite a smaller one, so gf may not change although an edge is not done. But a work-item that stores an
//   offer changes f. So the rounds end when f, not gf, does not change: then nothing was stored, and every offer was
//   compared with the true f_next. All writers of again[round] write 1.
// Benign races (Oclgrind): hook f_next; grandparents again.

#include "common.h"
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
