// The steps of finding blocks, apart from linking: the places that edges from each subtree lead to, and labels.
//
//   begin_tags     each vertex leads to itself
//   tag            each edge outside the forest lowers low at its later end, and minus_high at its earlier end
//   fold_pairs     (folds.h) minima of blocks of 2, 4, ... vertices
//   compress_all   point every vertex directly to its root
//   label_edges    an edge is in the block of its later end; labels.cl and numbering.cl turn that into numbers; or, if
//                  only articulation points are asked for:
//   find_cuts      the vertex above a tree's first vertex is one; a root, only if it is above two trees
//   name_cuts      from places to vertices
//
// `low` and `minus_high` have a value for each vertex and each larger block of vertices: the least place that an edge
// leads to, and the greatest such place, negated, so that both are minima.
//
// Races on low and minus_high in tag, benign: values only fall, by atomics, and a stale plain read shows a greater
//   value, which only costs the atomic. On parent in compress_all, see shortcut.h. On cut in find_cuts: all writers
//   write true.

// Launch: FOR_EACH over vertices. No races.
__kernel void begin_tags(const uint n, __global vertex_t *low, __global vertex_t *minus_high) {
    FOR_EACH(uint, i, n) {
        low[i] = i;
        minus_high[i] = -(vertex_t)i;
    }
}

static void lower_to(__global vertex_t *value, vertex_t x) {
    if (x < LOAD(value)) LOWER(value, x);
}

// Launch: FOR_EACH over edges.
__kernel void tag(const count_t edges, __global const end_t *ends, __global const given_t *neighbors,
                  __global const vertex_t *preorder, __global const vertex_t *above, __global vertex_t *claimed,
                  __global vertex_t *low, __global vertex_t *minus_high) {
    FOR_EACH_RENAMED(e, i, j, edges) {
        if (!beside(e, i, j, above, claimed)) continue;
        lower_to(&low[j], i);
        lower_to(&minus_high[i], -j);
    }
}

// Whether an edge leads from the subtree of i to outside the subtree of p, its parent.
static bool leads_out(uint i, vertex_t p, uint n, __global const vertex_t *sizes, __global const vertex_t *low,
                      __global const vertex_t *minus_high) {
    const uint end = i + sizes[i];
    return fold(i, end, n, low) < p || -fold(i, end, n, minus_high) >= p + sizes[p];
}

// Whether neither i nor j, which comes later, is above the other.
static bool is_cross(vertex_t i, vertex_t j, __global const vertex_t *sizes) {
    return j - i >= sizes[i];
}

// Launch: FOR_EACH over vertices, with no more work-items than a GPU holds at once (see afforest.cl).
__kernel void compress_all(const uint n, __global vertex_t *parent) {
    FOR_EACH(uint, i, n) (void)shortcut(i, parent);
}

// Loops are in no block, so their label is n. Launch: FOR_EACH over edges, when all trees are flat. No races.
__kernel void label_edges(const count_t edges, __global const end_t *ends, __global const given_t *neighbors,
                          __global const vertex_t *preorder, const uint n, __global const vertex_t *parent,
                          __global vertex_t *label) {
    FOR_EACH_EDGE(e, u, v, 0, edges) {
        label[e] = u == v ? (vertex_t)n : parent[max(preorder[u], preorder[v])];
    }
}

// A tree has the vertices of a block, except the vertex above its first one. Right after a root comes the first vertex
// of its first tree; if there is no other tree, the root is not a cut. Launch: FOR_EACH over vertices.
__kernel void find_cuts(const uint n, __global const vertex_t *above, __global const vertex_t *parent,
                        __global vertex_t *cut) {
    FOR_EACH(uint, i, n) {
        const vertex_t up = above[i];
        if (parent[i] == (vertex_t)i && up != (vertex_t)i && (above[up] != up || (vertex_t)i != up + 1))
            STORE(&cut[up], true);
    }
}

// Launch: FOR_EACH over vertices. No races.
__kernel void name_cuts(const uint n, __global const vertex_t *preorder, __global const vertex_t *cut,
                        __global vertex_t *is_cut) {
    FOR_EACH(uint, v, n) is_cut[v] = cut[preorder[v]];
}
