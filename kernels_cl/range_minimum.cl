// Lowest common ancestors as range minima in preorder: Berkman and Vishkin, SIAM J. Comput. 22(2), 1993; Bender
// and Farach-Colton, LATIN 2000, section 3.
//
//   place         above[i] = preorder of the parent of the vertex whose preorder is i, or -1 of a root
//   block_minima  in each block of BLOCK preorders, the minima up to each one and from each one on, and of all
//   double_runs   minima of runs of 2^k blocks become those of runs of 2^(k + 1)
//   answer        the minimum between two vertices of each pair
//
// Preparing (all but `answer`) reads: parent[n], preorder[n]. Writes what questions need: vertex[n], above[n],
// up_to[n], onward[n], least[levels x blocks], in which level k has the runs of 2^k blocks. Questions read these,
// preorder, us[q] and vs[q]. They write ancestor[q], which is -1 if the two are in different trees.
// Build option besides common.h's: BLOCK.
// Launch: FOR_EACH over vertices (place), blocks (block_minima), runs of a level (double_runs), or pairs (answer).
// Atomics: none. Races: none. Each word has one writer, because preorder is a permutation; double_runs reads one
//   level and writes the next.
// Benign races (Oclgrind): none.

#include "common.h"

__kernel void place(const uint n, __global const vertex_t *parent, __global const vertex_t *preorder,
                    __global vertex_t *vertex, __global int *above) {
    FOR_EACH(uint, v, n) {
        const vertex_t p = parent[v];
        vertex[preorder[v]] = v;
        above[preorder[v]] = p == (vertex_t)v ? -1 : preorder[p];
    }
}

__kernel void block_minima(const uint n, const uint blocks, __global const int *above, __global int *up_to,
                           __global int *onward, __global int *least) {
    FOR_EACH(uint, b, blocks) {
        const uint begin = b * BLOCK, end = min(begin + BLOCK, n);
        int before = INT_MAX, after = INT_MAX;
        for (uint i = begin; i < end; ++i) up_to[i] = before = min(before, above[i]);
        for (uint i = end; i-- > begin;) onward[i] = after = min(after, above[i]);
        least[b] = before;
    }
}

// Launch: once for each level but the first, over its runs; `run` is the length of the runs of the level before.
__kernel void double_runs(const uint runs, const uint run, const uint from, const uint to, __global int *least) {
    FOR_EACH(uint, b, runs) least[to + b] = min(least[from + b], least[from + b + run]);
}

__kernel void answer(const uint pairs, const uint blocks, __global const vertex_t *us, __global const vertex_t *vs,
                     __global const vertex_t *preorder, __global const vertex_t *vertex,
                     __global const int *above, __global const int *up_to, __global const int *onward,
                     __global const int *least, __global vertex_t *ancestor) {
    FOR_EACH(uint, q, pairs) {
        const uint i = preorder[us[q]], j = preorder[vs[q]];
        int at = i;
        if (i != j) {
            const uint first = min(i, j) + 1, last = max(i, j);
            const uint begin = first / BLOCK + 1, end = last / BLOCK;  // the whole blocks between
            if (begin > end) {
                at = above[first];
                for (uint k = first + 1; k <= last; ++k) at = min(at, above[k]);
            } else {
                at = min(onward[first], up_to[last]);
            }
            if (begin < end) {
                const uint k = 31 - clz(end - begin);
                at = min(at, min(least[k * blocks + begin], least[k * blocks + end - (1u << k)]));
            }
        }
        ancestor[q] = at < 0 ? -1 : vertex[at];
    }
}
