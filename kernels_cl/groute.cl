// Groute's algorithm: Ben-Nun, Sutton, Pai and Pingali, PPoPP 2017; Jaiganesh's thesis, algorithm 6.
//
//   init         Label[v] = v
//   hook_edges   put the larger of an edge's labels under the smaller, until that holds   } for each of
//   multi_jump   point every vertex directly to its root                                  } 2m/n segments
//
// Reads: ends, neighbors (edges.h; each edge in at least one direction). Writes: Label[n].
// Build options besides common.h's: those of edges.h (with INPUT_ROWS segments are runs of rows).
// Atomics: compare-and-swap on Label in hook_edges.
// Races, benign: hook.h and shortcut.h say why. Hooking may begin from a stale label: it is an ancestor.
// Benign races (Oclgrind): hook_edges Label; multi_jump Label.
// Oclgrind cannot judge (compare-and-swap): hook_edges.

#include "common.h"
#include "atomics.h"
#include "edges.h"
#include "hook.h"
#include "shortcut.h"

// Launch: FOR_EACH over vertices. No races.
__kernel void init(const uint n, __global vertex_t *Label) {
    FOR_EACH(uint, v, n) Label[v] = v;
}

// Launch: FOR_EACH over the segment's edges, or rows.
__kernel void hook_edges(const count_t begin, const count_t end, __global const end_t *ends,
                         __global const given_t *neighbors, __global vertex_t *Label) {
    FOR_EACH_EDGE(e, u, v, begin, end) {
        (void)hook(LOAD(&Label[u]), LOAD(&Label[v]), Label);
    }
}

// Launch: FOR_EACH over vertices.
__kernel void multi_jump(const uint n, __global vertex_t *Label) {
    FOR_EACH(uint, v, n) (void)shortcut(v, Label);
}
