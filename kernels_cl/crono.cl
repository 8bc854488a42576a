// CRONO: Shiloach-Vishkin over a padded two-dimensional adjacency (Ahmad et al., IISWC 2015; Jaiganesh's
// thesis, chapter 2).
//
//   pad           W[u][i] = the i-th neighbor of u, or PADDING beyond its degree; a row has d_max places
//   init          pi[v] = v
//   hook          over all n * d_max places, as in shiloach_vishkin_csr.cl     } until a round hooks nothing
//   shortcut_all  point every vertex directly to its root                      }
//
// Reads: offsets[n + 1], neighbors (both directions of every edge). Writes: W[n * d_max], pi[n],
//   again[rounds].
// Build options besides common.h's: HOOK_PLAIN, HOOK_MIN or HOOK_CAS (put_under.h).
// Atomics: none with HOOK_PLAIN; else one on pi in hook.
// Races, benign: shiloach_vishkin_csr.h and shortcut.h say why; all writers of again[round] write 1.
// Benign races (Oclgrind): hook again, pi; shortcut_all pi.
// Oclgrind cannot judge (compare-and-swap): hook.

#include "common.h"
#include "shiloach_vishkin_csr.h"

#define PADDING -1

// Launch: FOR_EACH over places. No races.
__kernel void pad(const uint places, const uint d_max, __global const edge_t *offsets,
                  __global const vertex_t *neighbors, __global vertex_t *W) {
    FOR_EACH(uint, place, places) {
        const uint u = place / d_max, i = place % d_max;
        const edge_t e = offsets[u] + i;
        W[place] = e < offsets[u + 1] ? neighbors[e] : PADDING;
    }
}

// Launch: FOR_EACH over places.
__kernel void hook(const uint places, const uint d_max, __global const vertex_t *W, __global vertex_t *pi,
                   __global int *again, const uint round) {
    if (STILL(again, round)) return;
    bool hooking = false;
    FOR_EACH(uint, place, places) {
        const vertex_t v = W[place];
        if (v != PADDING && hook_edge(place / d_max, v, pi)) hooking = true;
    }
    if (hooking) STORE(&again[round], 1);
}
