// Rem-CAS's union: climb from both ends of an edge together (Hong, Dhulipala and Shun, PACT 2020, section 3).
//
// Build options: HALVING, SPLITTING or SPLICING (what is done with a vertex that a climb leaves; by default, nothing);
//   ALONE, if one work-item makes all unions, which needs no swap.
// Races on p (none if ALONE), all benign, even if every plain read is stale: whatever is written to p[x] is smaller
//   than x. So no cycle can close. In every step of a climb, x becomes smaller, or x stays and p_x becomes the smaller
//   parent that a failed swap has returned. So each climb ends. Only a swap hooks a root, and it never sees a stale
//   value: no hook is lost. What was once x's parent stays connected with x, so a stale parent is as good as a new one,
//   and a common parent, however stale, proves that x and y are connected. Without SPLICING this is clear: trees are
//   only merged, and HALVING and SPLITTING replace one ancestor by another. SPLICING replaces x's parent z by y's
//   parent p_y, and the climb goes on to join z and y. From there, it relies only on parents smaller than z, as p_y is.
//   So what connects x with z depends only on smaller parents, and these depend on still smaller ones. No climb relies
//   on itself in a circle, and when all climbs have ended, all is connected.
#include "atomics.h"
#include "rem.h"

// Hook x, which seems to be a root, under another vertex. Returns x, or x's parent if it already has one.
static vertex_t hook_root(vertex_t x, vertex_t under, __global vertex_t *p) {
#ifdef ALONE
    p[x] = under;
    return x;
#else
    return COMPARE_AND_SWAP(&p[x], x, under);
#endif
}

// The climb leaves x, which is not a root. Returns the vertex from which it goes on.
static vertex_t leave(vertex_t x, vertex_t p_x, vertex_t p_y, __global vertex_t *p) {
#if defined(SPLICING)
    return FETCH_MIN(&p[x], p_y);
#elif defined(HALVING) || defined(SPLITTING)
    const vertex_t grandparent = LOAD(&p[p_x]);
    if (grandparent != p_x) STORE(&p[x], grandparent);
#ifdef HALVING
    return grandparent;
#endif
#endif
    return p_x;
}

// Climb from x and y together until both have one parent, or a root is hooked.
static void unite(vertex_t x, vertex_t y, __global vertex_t *p) {
    vertex_t p_x = LOAD(&p[x]), p_y = LOAD(&p[y]);
    while (p_x != p_y) {
        if (p_x < p_y) swap_ends(&x, &p_x, &y, &p_y);
        if (p_x == x) {  // it seems to be a root
            p_x = hook_root(x, p_y, p);
            if (p_x == x) return;
        } else {
            x = leave(x, p_x, p_y, p);
            p_x = LOAD(&p[x]);
        }
    }
}
