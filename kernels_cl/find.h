// Union-find's find: three ways to walk from a vertex to its root (Tarjan and van Leeuwen, JACM 31(2), 1984).
//
// Races on the parents, benign: a path leads only to smaller vertices, so a stale parent is still an ancestor. Each
//   STORE replaces one ancestor by another, and only in a vertex that was seen not to be a root, so it undoes no hook.
//   The vertex that is returned may have been hooked since it was read.

#ifndef PATIENCE
#define PATIENCE 0
#endif

// Leave the path as it is.
static vertex_t find_root(vertex_t v, __global const vertex_t *parent) {
    vertex_t up;
    while ((up = LOAD(&parent[v])) != v) v = up;
    return v;
}

// Make every vertex of the path skip the next one, and go on one step at a time. Build option: PATIENCE (link.h).
static vertex_t find_splitting(vertex_t v, __global vertex_t *parent) {
    vertex_t up = LOAD(&parent[v]), above;
    uint steps = 0;
    while ((above = LOAD(&parent[up])) != up) {
        if (++steps > PATIENCE) STORE(&parent[v], above);
        v = up;
        up = above;
    }
    return up;
}

// Make every other vertex of the path skip the next one, and go to where it then points.
static vertex_t find_halving(vertex_t v, __global vertex_t *parent) {
    vertex_t up = LOAD(&parent[v]), above;
    while ((above = LOAD(&parent[up])) != up) {
        STORE(&parent[v], above);
        v = above;
        up = LOAD(&parent[v]);
    }
    return up;
}
