// Lowest common ancestors as range minima in preorder: Berkman and Vishkin, SIAM J. Comput. 22(2), 1993; Bender
// and Farach-Colton, LATIN 2000, section 3.
//
//   place         above[i] = preorder of the parent of the vertex whose preorder is i, or -1 of a root
//   block_minima  the minimum of each block of BLOCK preorders
//   double_runs   minima of runs of 2^k blocks become those of runs of 2^(k + 1)
//   answer        the minimum between two vertices of each pair
//
// Preparing (all but `answer`) reads: parent[n], preorder[n]. Writes what questions need: vertex[n], above[n],
//   least[levels x blocks], in which level k has the runs of 2^k blocks. Questions read these, preorder, us[q]
//   and vs[q]. Writes: ancestor[q], -1 if the two are in different trees.
// Build option besides common.h's: BLOCK.
// Launch: FOR_EACH over vertices (place), blocks (block_minima), runs of a level (double_runs), or pairs (answer).
// Atomics: none. Races: none. Each word has one writer, because preorder is a permutation; double_runs reads one
//   level and writes the next.

#include "common.h"

__kernel void place(const uint n, __global const vertex_t *parent, __global const vertex_t *preorder,
                    __global vertex_t *vertex, __global int *above) {
    FOR_EACH(uint, v, n) {
        const vertex_t p = parent[v];
        vertex[preorder[v]] = v;
        above[preorder[v]] = p == (vertex_t)v ? -1 : preorder[p];
    }
}

// The minimum of above[first .. last] and `least`.
static int walk(uint first, uint last, int least, __global const int *above) {
    for (uint i = first; i <= last; ++i) least = min(least, above[i]);
    return least;
}

__kernel void block_minima(const uint n, const uint blocks, __global const int *above, __global int *least) {
    FOR_EACH(uint, b, blocks) least[b] = walk(b * BLOCK, min(b * BLOCK + BLOCK, n) - 1, INT_MAX, above);
}

// Launch: once for each level but the first, over its runs; `run` is the length of the runs of the level before.
__kernel void double_runs(const uint runs, const uint run, const uint from, const uint to, __global int *least) {
    FOR_EACH(uint, b, runs) least[to + b] = min(least[from + b], least[from + b + run]);
}

__kernel void answer(const uint pairs, const uint blocks, __global const vertex_t *us, __global const vertex_t *vs,
                     __global const vertex_t *preorder, __global const vertex_t *vertex,
                     __global const int *above, __global const int *least, __global vertex_t *ancestor) {
    FOR_EACH(uint, q, pairs) {
        const uint i = preorder[us[q]], j = preorder[vs[q]];
        int at = i;
        if (i != j) {
            const uint first = min(i, j) + 1, last = max(i, j);
            const uint begin = first / BLOCK + 1, end = last / BLOCK;  // the whole blocks between
            if (begin > end) {
                at = walk(first, last, INT_MAX, above);
            } else {
                at = walk(end * BLOCK, last, walk(first, begin * BLOCK - 1, INT_MAX, above), above);
                if (begin < end) {
                    const uint k = 31 - clz(end - begin);
                    at = min(at, min(least[k * blocks + begin], least[k * blocks + end - (1u << k)]));
                }
            }
        }
        ancestor[q] = at < 0 ? -1 : vertex[at];
    }
}
