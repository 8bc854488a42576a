// shortcut: point v directly to its root. Each step is written, so that other walks that pass v go on from there.
// (Soman's multiple pointer jump and Afforest's compress are the same.)
//
// Races, benign: a stale parent is still an ancestor. One ancestor replaces another, and only if v was seen not to be a
//   root, so no hook is undone. While nothing is hooked, every walk ends at the root.
static vertex_t shortcut(vertex_t v, __global vertex_t *parent) {
    vertex_t up = LOAD(&parent[v]), above;
    while ((above = LOAD(&parent[up])) != up) {
        STORE(&parent[v], above);
        up = above;
    }
    return up;
}
