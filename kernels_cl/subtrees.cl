// The combined value of each subtree of a rooted forest.
//
//   place_values    block[preorder[v]] = values[v]
//   fold_pairs      (folds.h) blocks of 2, 4, ... vertices
//   fold_subtrees   a subtree is an interval in preorder
//
// Reads: preorder[n], size[n], values[n]. Writes: block[fewer than 2n + 32], folded[n].
// Build options besides common.h's: those of folds.h.
// Launch: FOR_EACH over vertices; fold_pairs over the blocks that it writes. Atomics: none. Races: none.
// Benign races (Oclgrind): none.

#include "common.h"
#include "folds.h"

__kernel void place_values(const uint n, __global const vertex_t *preorder, __global const value_t *values,
                           __global value_t *block) {
    FOR_EACH(uint, v, n) block[preorder[v]] = values[v];
}

__kernel void fold_subtrees(const uint n, __global const vertex_t *preorder, __global const vertex_t *size,
                            __global const value_t *block, __global value_t *folded) {
    FOR_EACH(uint, v, n) folded[v] = fold(preorder[v], preorder[v] + size[v], n, block);
}
