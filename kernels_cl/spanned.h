// Edges with a rooted spanning forest, in preorder: a subtree is an interval, and a parent is less than its children.
//
//   rename   the forest's arrays by places in preorder
//
// Each entry of the edge list is an edge of its own. If there are parallel edges between a vertex and its parent, the
// one that claims the vertex first is in the forest. Which one this is depends on the schedule, but nothing else does,
// because the others lead to the same vertex.
//
// Build options: those of edges.h, for an edge list; atomics.h and link.h come first.

// FOR_EACH_RENAMED(e, i, j, edges): run the body for each edge e that is not a loop; i is its earlier end in preorder,
// j its later one. It needs `ends`, `neighbors` and `preorder`.
#define FOR_EACH_RENAMED(e, i, j, edges)                                                                      \
    FOR_EACH_EDGE(e, e##_u, e##_v, 0, edges)                                                                  \
        for (vertex_t e##_a = preorder[e##_u], e##_b = preorder[e##_v], i = min(e##_a, e##_b), j = max(e##_a, e##_b); \
             i < j; i = j)

// Launch: FOR_EACH over vertices. No races.
__kernel void rename(const uint n, __global const vertex_t *parent, __global const vertex_t *preorder,
                     __global const vertex_t *size, __global vertex_t *above, __global vertex_t *sizes,
                     __global vertex_t *claimed) {
    FOR_EACH(uint, v, n) {
        const vertex_t i = preorder[v];
        above[i] = preorder[parent[v]];
        sizes[i] = size[v];
        claimed[v] = NOBODY;
    }
}

// Whether edge e is outside the forest. If it is in the forest, it claims its later end.
static bool beside(edge_t e, vertex_t i, vertex_t j, __global const vertex_t *above, __global vertex_t *claimed) {
    return above[j] != i || COMPARE_AND_SWAP(&claimed[j], NOBODY, (vertex_t)e) != NOBODY;
}
