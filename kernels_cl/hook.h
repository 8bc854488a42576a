// ECL-CC's and Groute's atomic hook: put the larger representative under the smaller (Jaiganesh and
// Burtscher, figure 6); return the smaller.
//
// Races: only the swap decides. It succeeds only on a root. If it fails, it returns the true parent, which is smaller,
//   so the loop makes progress however stale every plain read is.
static vertex_t hook(vertex_t v_rep, vertex_t u_rep, __global vertex_t *parent) {
    while (v_rep != u_rep) {
        const vertex_t larger = max(v_rep, u_rep), smaller = min(v_rep, u_rep);
        const vertex_t seen = COMPARE_AND_SWAP(&parent[larger], larger, smaller);
        if (seen == larger) return smaller;
        v_rep = seen;  // hooked elsewhere meanwhile: go on from there
        u_rep = smaller;
    }
    return v_rep;
}
