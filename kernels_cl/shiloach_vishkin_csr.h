// The hook of the CSR form (Sutton, Ben-Nun and Barak, figure 1): if v's parent is a root and u's is smaller,
// put that root under u's parent. Returns whether there was something to hook, done or lost.
//
// Races, benign: a round begins with trees of depth one, only roots of then are written, and always with
//   something smaller, so no cycle can close whatever was read. A root that seems to be one still and is none
//   loses its other hook; the edge of that hook has two different roots in the next round.
static bool hook_edge(vertex_t u, vertex_t v, __global vertex_t *pi) {
    const vertex_t pi_u = LOAD(&pi[u]), pi_v = LOAD(&pi[v]);
    if (pi_u >= pi_v || pi_v != LOAD(&pi[pi_v])) return false;
    PUT_UNDER(pi, pi_v, pi_u);
    return true;
}
