// Afforest's link (Sutton, Ben-Nun and Barak, figure 3): make sure that u and v are in the same tree. Returns the root
// that this call hooked, or NOBODY if u and v were already in one tree.
//
// Build options: SHORTEN_PATHS, to halve the paths on the way, as ECL-CC does. The paper leaves paths long: the edges
//   of a star in descending order, with the center as the last vertex, make a chain of n links that is walked n times.
//   PATIENCE: how many steps a walk takes before it begins to shorten its path. On GPUs, it is faster not to shorten
//   short paths, because work-items that write the same words wait for each other.
// Races on pi, all benign: parents never exceed their children (invariant 1), and only roots are hooked, and only by
//   the swap. So a stale parent is still an ancestor. A swap that fails returns the true parent. The larger of the two
//   vertices becomes smaller in every step, so the walk ends however stale every plain read is; it ends with both
//   vertices in one tree.
#define NOBODY -1
#define GAVE_UP -2
#ifndef PATIENCE
#define PATIENCE 0
#endif

// link, but give up after `most_steps` steps (at least one) and return GAVE_UP. Then *u and *v are ancestors of u and
// v, in either order, and only these two must still be linked.
static vertex_t link_within(uint most_steps, vertex_t *u, vertex_t *v, __global vertex_t *pi) {
    vertex_t p1 = LOAD(&pi[*u]), p2 = LOAD(&pi[*v]);
    for (uint steps = 0; p1 != p2; ++steps) {
        if (steps == most_steps) {
            *u = p1, *v = p2;
            return GAVE_UP;
        }
        const vertex_t h = max(p1, p2), l = min(p1, p2);
        vertex_t above = LOAD(&pi[h]);
        if (above == h) {  // seems to be a root: try to hook it
            above = COMPARE_AND_SWAP(&pi[h], h, l);
            if (above == h) return h;
        }
        p1 = LOAD(&pi[above]);
#ifdef SHORTEN_PATHS
        // h is not a root: one ancestor replaces another.
        if (p1 != above && steps >= PATIENCE) STORE(&pi[h], p1);
#endif
        p2 = LOAD(&pi[l]);
    }
    return NOBODY;
}

static vertex_t link(vertex_t u, vertex_t v, __global vertex_t *pi) {
    return link_within(UINT_MAX, &u, &v, pi);  // no walk takes that many steps
}
