// Rooting trees level by level: breadth-first from all roots at once, then sizes up and preorder down.
//
//   plant    (rooted.h) roots
//   begin    the roots are the first level
//   expand   the neighbors of a vertex of the level, except its parent, are in the next level
//   add_up   from the last level up: a vertex's subtree is itself and its children's subtrees
//   number   from the first level down: a vertex's children share out what comes after it in preorder. They come
//            in ascending order, beginning after the parent: those that are less than it are last
//
// Reads: offsets[n + 1], neighbors[m] (rows in ascending order, both directions of each edge, once, no loops),
//   roots[k]. Writes: rooted[4n]; order[n], the vertices level by level; reached[1], how many there are.
// Launch: FOR_EACH over the vertices of a level, order[first .. end - 1]; plant and begin over trees.
// Atomics: a counter, in expand. Races: none. A vertex has one parent, which alone writes it. The order within a
//   level depends on the schedule, and nothing that is read later does.
// Benign races (Oclgrind): none.

#include "common.h"
#include "rooted.h"

__kernel void begin(const uint k, __global const vertex_t *roots, __global vertex_t *order, __global int *reached) {
    FOR_EACH(uint, t, k) order[t] = roots[t];
    if (get_global_id(0) == 0) *reached = k;
}

// Run the body for each child u of v.
#define FOR_EACH_CHILD(u, v)                                                           \
    for (edge_t u##_at = offsets[v], u##_end = offsets[(v) + 1]; u##_at < u##_end; ++u##_at) \
        for (vertex_t u = neighbors[u##_at], u##_once = u != PARENT(v); u##_once; u##_once = 0)

__kernel void expand(const uint n, const uint first, const uint end, __global const edge_t *offsets,
                     __global const vertex_t *neighbors, __global vertex_t *rooted, __global vertex_t *order,
                     __global int *reached) {
    FOR_EACH(uint, i, end - first) {
        const vertex_t v = order[first + i];
        const uint children = offsets[v + 1] - offsets[v] - (PARENT(v) != v);
        if (children == 0) continue;
        uint at = atomic_add((volatile __global int *)reached, children);
        FOR_EACH_CHILD(u, v) {
            PARENT(u) = v;
            DEPTH(u) = DEPTH(v) + 1;
            order[at++] = u;
        }
    }
}

__kernel void add_up(const uint n, const uint first, const uint end, __global const edge_t *offsets,
                     __global const vertex_t *neighbors, __global vertex_t *rooted, __global const vertex_t *order) {
    FOR_EACH(uint, i, end - first) {
        const vertex_t v = order[first + i];
        int size = 1;
        FOR_EACH_CHILD(u, v) size += SIZE(u);
        SIZE(v) = size;
    }
}

__kernel void number(const uint n, const uint first, const uint end, __global const edge_t *offsets,
                     __global const vertex_t *neighbors, __global vertex_t *rooted, __global const vertex_t *order) {
    FOR_EACH(uint, i, end - first) {
        const vertex_t v = order[first + i];
        const vertex_t parent = PARENT(v) == v ? -1 : PARENT(v);
        int of_lesser = 0;
        FOR_EACH_CHILD(u, v) of_lesser += u < parent ? SIZE(u) : 0;
        vertex_t greater = PREORDER(v) + 1, lesser = PREORDER(v) + SIZE(v) - of_lesser;
        FOR_EACH_CHILD(w, v) {
            PREORDER(w) = w < parent ? lesser : greater;
            lesser += w < parent ? SIZE(w) : 0;
            greater += w < parent ? 0 : SIZE(w);
        }
    }
}
