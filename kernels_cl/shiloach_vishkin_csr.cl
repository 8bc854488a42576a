// Shiloach and Vishkin's connected components over rows, as the GAP benchmark suite runs them (Sutton,
// Ben-Nun and Barak, IPDPS 2018, figure 1).
//
//   init          pi[v] = v
//   hook          along every edge, put a root under a smaller parent     } until a round hooks nothing
//   shortcut_all  point every vertex directly to its root                 }
//
// Reads: ends, neighbors (edges.h; both directions of every edge, or one with ONE_DIRECTION). Writes: pi[n],
//   again[rounds].
// Build options besides common.h's: those of edges.h; HOOK_PLAIN, HOOK_MIN or HOOK_CAS (put_under.h).
// Atomics: none with HOOK_PLAIN; else one on pi in hook.
// Races, benign: shiloach_vishkin_csr.h and shortcut.h say why; all writers of again[round] write 1.
// Benign races (Oclgrind): hook again, pi; shortcut_all pi.
// Oclgrind cannot judge (compare-and-swap): hook.

#include "common.h"
#include "edges.h"
#include "shiloach_vishkin_csr.h"

// Launch: FOR_EACH over edges, or over rows.
__kernel void hook(const count_t edges, __global const end_t *ends, __global const given_t *neighbors,
                   __global vertex_t *pi, __global int *again, const uint round) {
    if (STILL(again, round)) return;
    bool hooking = false;
    FOR_EACH_EDGE(e, u, v, 0, edges) {
        if (hook_edge(u, v, pi)) hooking = true;
#ifdef ONE_DIRECTION
        if (hook_edge(v, u, pi)) hooking = true;
#endif
    }
    if (hooking) STORE(&again[round], 1);
}
