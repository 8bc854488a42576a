// shortcut: point v directly to its root, writing each step, so that whoever passes v goes on from there.
// (Soman's multiple pointer jump and Afforest's compress are the same.)
//
// Races, benign: while kernels of shortcuts run, no root changes, each vertex is written by its own work-item
//   alone, and an ancestor takes an ancestor's place; so a stale parent is still an ancestor, and every walk
//   ends at the root.
static vertex_t shortcut(vertex_t v, __global vertex_t *parent) {
    vertex_t up = LOAD(&parent[v]), above;
    while ((above = LOAD(&parent[up])) != up) {
        STORE(&parent[v], above);
        up = above;
    }
    return up;
}
