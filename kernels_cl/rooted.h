// A rooted forest in one array: parent, depth, preorder and size of n vertices each. A root is its own parent.
//
//   plant   roots; first_vertex[t] is the number of vertices in the trees before t
#define PARENT(v) rooted[v]
#define DEPTH(v) rooted[n + (v)]
#define PREORDER(v) rooted[2 * (ulong)n + (v)]
#define SIZE(v) rooted[3 * (ulong)n + (v)]

// Launch: FOR_EACH over trees.
__kernel void plant(const uint n, const uint k, __global const vertex_t *roots,
                    __global const vertex_t *first_vertex, __global vertex_t *rooted) {
    FOR_EACH(uint, t, k) {
        const vertex_t r = roots[t];
        PARENT(r) = r;
        DEPTH(r) = 0;
        PREORDER(r) = first_vertex[t];
        SIZE(r) = first_vertex[t + 1] - first_vertex[t];
    }
}
