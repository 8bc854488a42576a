// ECL-CC's four ways to find a representative (Jaiganesh and Burtscher, section 5.1, figure 8).
// Each returns the vertex where v's path ended when it was read.
//
// Races: a path leads only to smaller vertices (parent[x] <= x), and a vertex that has a smaller parent always has one.
//   So a stale parent is still an ancestor. Each STORE below replaces one ancestor by another, and only in a vertex
//   that was seen not to be a root, so it undoes no hook.

// Jump3: leave the path as it is.
static vertex_t jump_none(vertex_t v, __global vertex_t *parent) {
    vertex_t par = LOAD(&parent[v]);
    while (par < v) {
        v = par;
        par = LOAD(&parent[v]);
    }
    return v;
}

// Jump1, multiple pointer jumping: point every vertex of the path to its end, in a second walk.
static vertex_t jump_multiple(vertex_t v, __global vertex_t *parent) {
    const vertex_t representative = jump_none(v, parent);
    vertex_t next = LOAD(&parent[v]);
    while (next > representative) {
        STORE(&parent[v], representative);
        v = next;
        next = LOAD(&parent[v]);
    }
    return representative;
}

// Jump2, single pointer jumping: point only v itself to the end of the path.
static vertex_t jump_single(vertex_t v, __global vertex_t *parent) {
    const vertex_t par = LOAD(&parent[v]), representative = jump_none(par, parent);
    if (representative < par) STORE(&parent[v], representative);
    return representative;
}

// Jump4, ECL-CC's own (figure 5): make every vertex of the path skip the next one.
static vertex_t jump_intermediate(vertex_t v, __global vertex_t *parent) {
    vertex_t par = LOAD(&parent[v]);
    if (par != v) {
        vertex_t prev = v, next;
        while (par > (next = LOAD(&parent[par]))) {
            STORE(&parent[prev], next);
            prev = par;
            par = next;
        }
    }
    return par;
}
