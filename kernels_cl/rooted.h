// A rooted forest in four arrays of n vertices. A root is its own parent. ROOTED has the arguments of a kernel.
//
//   plant   set the roots, except for their places and sizes
#define ROOTED \
    __global vertex_t *parent, __global vertex_t *depth, __global vertex_t *preorder, __global vertex_t *size

// Launch: FOR_EACH over trees.
__kernel void plant(const uint k, __global const vertex_t *roots, ROOTED) {
    FOR_EACH(uint, t, k) {
        const vertex_t r = roots[t];
        parent[r] = r;
        depth[r] = 0;
    }
}
