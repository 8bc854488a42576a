// Code that CRONO and the CSR form of Shiloach and Vishkin's algorithm share: everything except the loop over the
// edges.
#include "put_under.h"
#include "shortcut.h"

// The hook of the CSR form (Sutton, Ben-Nun and Barak, figure 1): if v's parent is a root and u's parent is smaller,
// put that root under u's parent. Returns whether it tried to do so; the hook may be lost.
//
// Races, benign: a round begins with trees of depth one. Only vertices that were roots then are written, always with a
//   smaller vertex, so no cycle can close, whatever was read. If a vertex still seems to be a root but has been hooked
//   meanwhile, that hook is overwritten, and the ends of its edge still have different roots in the next round.
static bool hook_edge(vertex_t u, vertex_t v, __global vertex_t *pi) {
    const vertex_t pi_u = LOAD(&pi[u]), pi_v = LOAD(&pi[v]);
    if (pi_u >= pi_v || pi_v != LOAD(&pi[pi_v])) return false;
    PUT_UNDER(pi, pi_v, pi_u);
    return true;
}

// Launch: FOR_EACH over vertices. No races.
__kernel void init(const uint n, __global vertex_t *pi) {
    FOR_EACH(uint, v, n) pi[v] = v;
}

// Launch: FOR_EACH over vertices.
__kernel void shortcut_all(const uint n, __global vertex_t *pi) {
    FOR_EACH(uint, v, n) (void)shortcut(v, pi);
}
