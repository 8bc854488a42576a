// ECL-CC's three ways to choose a first parent (Jaiganesh and Burtscher, section 5.1, figure 7).
// Each returns a vertex of v's component that is not larger than v.

// Init1: v itself.
static vertex_t init_own(vertex_t v, __global const vertex_t *neighbors, edge_t begin, edge_t end) {
    return v;
}

// Init2: the smallest neighbor, if it is smaller than v.
static vertex_t init_smallest(vertex_t v, __global const vertex_t *neighbors, edge_t begin, edge_t end) {
    vertex_t smallest = v;
    for (edge_t e = begin; e < end; ++e) smallest = min(smallest, neighbors[e]);
    return smallest;
}

// Init3, ECL-CC's own: the first neighbor in the row that is smaller than v. Build option: MOST_TRIED, the
// most neighbors that it looks at. Without it, one work-item may look at all neighbors of a hub, which may be millions.
static vertex_t init_first(vertex_t v, __global const vertex_t *neighbors, edge_t begin, edge_t end) {
#ifdef MOST_TRIED
    end = min(end, begin + MOST_TRIED);
#endif
    for (edge_t e = begin; e < end; ++e)
        if (neighbors[e] < v) return neighbors[e];
    return v;
}
