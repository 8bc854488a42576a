// Soman's algorithm: Soman, Kothapalli and Narayanan, IPDPSW 2010; Jaiganesh's thesis, algorithms 3 to 5.
//
//   init   Label[v] = v, no edge is marked
//   hook   along every edge that is not marked, put one of its ends' labels under the other: in odd rounds
//          the larger under the smaller, in even rounds the smaller under the larger; mark it if they agree
//   jump   point every vertex directly to its root
//   ...    until a round hooks nothing
//
// Reads: ends, neighbors (edges.h; each edge in at least one direction). Writes: Label[n], marked[m],
//   again[rounds].
// Build options besides common.h's: those of edges.h; HOOK_PLAIN or HOOK_CAS (put_under.h).
// Atomics: none with HOOK_PLAIN; else one on Label in hook.
// Races, benign: all hooks of a round have the same direction, so no cycle can close, whichever of two hooks stays and
//   however stale the labels are. A hook that is overwritten leaves its edge unmarked. An edge that is marked only
//   because of such a hook joins nothing that the unmarked edge does not join. For jump, see shortcut.h. All writers of
//   again[round] write 1.
// Benign races (Oclgrind): hook Label, again; jump Label.
// Oclgrind cannot judge (compare-and-swap): hook.

#include "common.h"
#include "edges.h"
#include "put_under.h"
#include "shortcut.h"

// Launch: FOR_EACH over vertices. No races.
__kernel void init(const uint n, __global vertex_t *Label) {
    FOR_EACH(uint, v, n) Label[v] = v;
}

// Launch: FOR_EACH over edges. No races.
__kernel void unmark(const edge_t m, __global uchar *marked) {
    FOR_EACH(edge_t, e, m) marked[e] = 0;
}

// Launch: FOR_EACH over edges, or over rows.
__kernel void hook(const count_t edges, const uint even, __global const end_t *ends,
                   __global const given_t *neighbors, __global vertex_t *Label, __global uchar *marked,
                   __global int *again, const uint round) {
    if (STILL(again, round)) return;
    bool hooked = false;
    FOR_EACH_EDGE(e, u, v, 0, edges) {
        if (marked[e]) continue;
        const vertex_t Label_u = LOAD(&Label[u]), Label_v = LOAD(&Label[v]);
        const vertex_t smaller = min(Label_u, Label_v), larger = max(Label_u, Label_v);
        if (smaller == larger) {
            marked[e] = 1;
            continue;
        }
        if (even)
            PUT_UNDER(Label, smaller, larger);
        else
            PUT_UNDER(Label, larger, smaller);
        hooked = true;
    }
    if (hooked) STORE(&again[round], 1);
}

// Launch: FOR_EACH over vertices.
__kernel void jump(const uint n, __global vertex_t *Label) {
    FOR_EACH(uint, v, n) (void)shortcut(v, Label);
}
