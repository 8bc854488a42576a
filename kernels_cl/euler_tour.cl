// Rooting trees by an Euler tour: Tarjan and Vishkin, SIAM J. Comput. 14(4), 1985; Polak, Siwiec and Stobierski,
// IPDPS 2021.
//
//   tour_ends   the first and the last edge of each tree's tour
//   tour        the edge after each one on the tour
//   cut         the last edge is its own successor: the tours are lists, which random_splitter.cl ranks
//   plant       (rooted.h) set the roots
//   measure     the sizes of the trees, from which trees.cl places the roots
//   orient      of an edge's two directions, the one that comes first leads down: parents, subtree sizes
//   count_downs, add_up (sums.h), place_downs   how many places of the tours before each word lead down
//   number      depth and preorder
//
// Edge e of trees.h is directed edge 2e, from its lesser end to its greater one, and 2e + 1, which leads back. A place
// is a directed edge's number on the tours, which follow one another. `downs` has a bit for each place, so the random
// accesses of orient and number go to a small array.
//
// Reads: edges[m], others[m], greater[n], lesser[n] (trees.h), roots[k], tree[n],
//   first_vertex[k + 1]; rank[2m]. Writes: ends[2k],
//   successor[2m], parent[n], depth[n], preorder[n], size[n] (rooted.h), downs[m / 16 + 1],
//   downs_before[m / 16 + 1], counts[groups + 1].
// Build options besides common.h's: those of sums.h, where its kernels are launched.
// Atomics: or, on downs. Races: none. A vertex has one edge up, and only this edge writes what is known of the vertex;
//   each place belongs to one edge.
// Benign races (Oclgrind): none.

#include "common.h"
#include "rooted.h"
#include "trees.h"
#ifdef GROUP
#include "sums.h"
#endif

#define PLACES 32
#define BACK(e) ((e) ^ 1)

static uint last_greater(uint v, ROWS) {
    uint at = greater[v];
    for (uint left = m - at; left > 1; left -= left / 2)
        if (LESSER(at + left / 2) == v) at += left / 2;
    return at;
}

static uint last_lesser(uint v, ROWS) { return last_greater(v, m, others, edges, lesser, greater); }

// ends[2t], ends[2t + 1]: the first and the last edge of tree t's tour; -1 if it has no edge.
// Launch: FOR_EACH over trees.
__kernel void tour_ends(const uint k, __global const vertex_t *roots, ROWS, __global vertex_t *ends) {
    FOR_EACH(uint, t, k) {
        const uint r = roots[t];
        const bool up = HAS_GREATER(r), down = HAS_LESSER(r);
        ends[2 * t] = down ? BACK(2 * EDGE(lesser[r])) : up ? 2 * greater[r] : -1;
        ends[2 * t + 1] = up     ? BACK(2 * last_greater(r, m, edges, others, greater, lesser))
                          : down ? 2 * EDGE(last_lesser(r, m, edges, others, greater, lesser))
                                 : -1;
    }
}

// After an edge into a vertex comes the edge out of it to the next neighbor; after the last neighbor comes the first.
// Launch: FOR_EACH over edges.
__kernel void tour(ROWS, __global vertex_t *successor) {
    FOR_EACH(uint, i, m) {
        const uint u = LESSER(i), v = KEY(others[i]);
        uint next = 2 * (i + 1);
        if (i + 1 == m || LESSER(i + 1) != u)
            next = HAS_LESSER(u) ? BACK(2 * EDGE(lesser[u])) : 2 * greater[u];
        successor[BACK(2 * i)] = next;
        if (i + 1 < m && KEY(others[i + 1]) == v)
            next = BACK(2 * EDGE(i + 1));
        else
            next = HAS_GREATER(v) ? 2 * greater[v] : BACK(2 * EDGE(lesser[v]));
        successor[2 * EDGE(i)] = next;
    }
}

// Also clears downs. Launch: FOR_EACH over the words of downs, and over trees.
__kernel void cut(const uint k, const uint words, __global const vertex_t *ends, __global vertex_t *successor,
                  __global uint *downs) {
    FOR_EACH(uint, w, words) downs[w] = 0;
    FOR_EACH(uint, t, k) {
        const vertex_t end = ends[2 * t + 1];
        if (end >= 0) successor[end] = end;
    }
}

// A tour has two edges for each vertex except the root. Launch: FOR_EACH over trees.
__kernel void measure(const uint k, __global const vertex_t *roots, __global const vertex_t *ends,
                      __global const vertex_t *rank, __global vertex_t *size) {
    FOR_EACH(uint, t, k) size[roots[t]] = ends[2 * t] < 0 ? 1 : (rank[ends[2 * t]] + 1) / 2 + 1;
}

// Put v below `up`. Counted from the end of its tour, the edge down to v is `down` edges away, and the edge back up is
// `back` edges away. Until `number` runs, preorder[v] is the place of the edge down.
static void put_below(vertex_t v, vertex_t up, int down, int back, __global const vertex_t *tree,
                      __global const vertex_t *first_vertex, ROOTED, __global uint *downs) {
    const uint t = tree[v], place = 2 * (first_vertex[t + 1] - (t + 1)) - 1 - down;
    parent[v] = up;
    size[v] = (down - back + 1) / 2;
    preorder[v] = place;
    (void)atomic_or((volatile __global uint *)&downs[place / PLACES], 1u << place % PLACES);
}

#define BELOW tree, first_vertex, parent, depth, preorder, size, downs

// Lesser ends are put below greater ones in order of `edges`, and greater ends below lesser ones in order of `others`.
// So work-items write to adjacent places. Launch: FOR_EACH over edges.
__kernel void orient(const uint m, __global const uint2 *edges, __global const uint2 *others,
                     __global const int2 *rank, __global const vertex_t *tree, __global const vertex_t *first_vertex,
                     ROOTED, __global uint *downs) {
    FOR_EACH(uint, i, m) {
        const uint e = EDGE(i);
        const int2 up = rank[i], down = rank[e];
        if (up.y > up.x) put_below(LESSER(i), GREATER(i), up.y, up.x, BELOW);
        if (down.x > down.y) put_below(KEY(others[i]), LESSER(e), down.x, down.y, BELOW);
    }
}

#ifdef GROUP
// Launch: FOR_EACH over words, in groups of GROUP.
__kernel void count_downs(const uint words, __global const uint *downs, __global vertices_t *counts) {
    __local vertices_t sums[GROUP];
    vertices_t mine = 0;
    FOR_EACH(uint, w, words) mine += popcount(downs[w]);
    leave_sum(mine, sums, counts);
}

// Launch: as count_downs.
__kernel void place_downs(const uint words, __global const uint *downs, __global const vertices_t *counts,
                          __global uint *downs_before) {
    __local vertices_t sums[GROUP];
    vertices_t mine = 0;
    FOR_EACH(uint, w, words) mine += popcount(downs[w]);
    vertices_t before = sum_before_all(mine, sums, counts);
    FOR_EACH(uint, x, words) {
        downs_before[x] = before;
        before += popcount(downs[x]);
    }
}
#endif

// Launch: FOR_EACH over vertices.
__kernel void number(const uint n, __global const vertex_t *tree, __global const uint *downs,
                     __global const uint *downs_before, ROOTED) {
    FOR_EACH(uint, v, n) {
        if (parent[v] == (vertex_t)v) continue;
        const uint place = preorder[v], up_to_place = downs[place / PLACES] << (PLACES - 1 - place % PLACES);
        const uint reached = downs_before[place / PLACES] + popcount(up_to_place);
        depth[v] = 2 * reached - (place + 1);
        preorder[v] = reached + tree[v];
    }
}
