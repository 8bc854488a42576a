// Rooting trees level by level: breadth-first from all roots at once, then sizes up and preorder down.
//
//   plant    (rooted.h) set the roots
//   begin    the roots are the first level
//   expand   the neighbors of a vertex of the level, except its parent, are in the next level
//   add_up   from the last level up: a vertex's subtree is itself and its children's subtrees. Then trees.cl places
//            the roots
//   number   from the first level down: a vertex's children divide the places after it, a subtree each. They come
//            in ascending order, beginning after the parent: those that are less than it are last
//
// Reads: edges[m], others[m], greater[n], lesser[n] (trees.h), roots[k]. Writes: parent[n], depth[n], preorder[n],
//   size[n] (rooted.h); order[n], the vertices level by level; reached[1], their number.
// Launch: FOR_EACH over the vertices of a level, order[first .. end - 1]; plant and begin over trees.
// Atomics: a counter, in expand. Races: none. A vertex has one parent, and only the parent's work-item writes it. The
//   order within a level depends on the schedule, but nothing that is read later does.
// Benign races (Oclgrind): none.

#include "common.h"
#include "rooted.h"
#include "trees.h"

__kernel void begin(const uint k, __global const vertex_t *roots, __global vertex_t *order, __global int *reached) {
    FOR_EACH(uint, t, k) order[t] = roots[t];
    if (get_global_id(0) == 0) *reached = k;
}

// Run the body for each child u of v, in ascending order.
#define FOR_EACH_CHILD(u, v)                                                                                  \
    for (uint u##_up = 0; u##_up < 2; ++u##_up)                                                               \
        for (uint u##_at = u##_up ? greater[v] : lesser[v]; PAIRS_OF(v, u##_at, u##_up ? edges : others, m); ++u##_at) \
            for (vertex_t u = u##_up ? GREATER(u##_at) : LESSER(EDGE(u##_at)), u##_once = u != parent[v]; \
                 u##_once; u##_once = 0)

#define LEVEL const uint first, const uint end, ROWS, ROOTED, __global vertex_t *order

__kernel void expand(LEVEL, __global int *reached) {
    FOR_EACH(uint, i, end - first) {
        const vertex_t v = order[first + i];
        uint children = 0;
        FOR_EACH_CHILD(w, v)++ children;
        if (children == 0) continue;
        uint at = atomic_add((volatile __global int *)reached, children);
        FOR_EACH_CHILD(u, v) {
            parent[u] = v;
            depth[u] = depth[v] + 1;
            order[at++] = u;
        }
    }
}

__kernel void add_up(LEVEL) {
    FOR_EACH(uint, i, end - first) {
        const vertex_t v = order[first + i];
        int all = 1;
        FOR_EACH_CHILD(u, v) all += size[u];
        size[v] = all;
    }
}

__kernel void number(LEVEL) {
    FOR_EACH(uint, i, end - first) {
        const vertex_t v = order[first + i], up = parent[v] == v ? -1 : parent[v];
        int of_lesser = 0;
        FOR_EACH_CHILD(u, v) of_lesser += u < up ? size[u] : 0;
        vertex_t next = preorder[v] + 1, next_lesser = preorder[v] + size[v] - of_lesser;
        FOR_EACH_CHILD(w, v) {
            preorder[w] = w < up ? next_lesser : next;
            next_lesser += w < up ? size[w] : 0;
            next += w < up ? 0 : size[w];
        }
    }
}
