// What the values in each subtree of a rooted forest combine to.
//
//   place_values    block[preorder[v]] = values[v]
//   fold_pairs      a block of twice as many vertices for every two; one that is left over at the end stays
//   fold_subtrees   a subtree is an interval in preorder: combine the blocks it is cut into
//
// Blocks lie level by level, those of one vertex first: level l has ceil(n / 2^l) of them. An interval is cut into as
// few aligned blocks as possible; they are combined from both ends of the interval inwards, so numbers are rounded
// alike everywhere.
// Reads: preorder[n], size[n], values[n]. Writes: block[fewer than 2n + 32], folded[n].
// Build options besides common.h's: VALUE, the type of a value; DOUBLES, if that is double; one of COMBINE_ADD, COMBINE_MINIMUM and
//   COMBINE_MAXIMUM.
// Launch: FOR_EACH over vertices; fold_pairs over the blocks that it writes. Atomics: none. Races: none.
// Benign races (Oclgrind): none.

#include "common.h"
#ifdef DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
typedef VALUE value_t;

static value_t combine(value_t x, value_t y) {
#if defined(COMBINE_ADD)
    return x + y;
#elif defined(COMBINE_MINIMUM)
    return x <= y || x != x ? x : y;  // NaN, if either is
#else
    return x >= y || x != x ? x : y;
#endif
}

__kernel void place_values(const uint n, __global const vertex_t *preorder, __global const value_t *values,
                           __global value_t *block) {
    FOR_EACH(uint, v, n) block[preorder[v]] = values[v];
}

// Blocks begin at `from`; there are `blocks` of them. The new ones follow.
__kernel void fold_pairs(const uint from, const uint blocks, __global value_t *block) {
    FOR_EACH(uint, i, (blocks + 1) / 2) {
        const value_t first = block[from + 2 * i];
        block[from + blocks + i] = 2 * i + 1 < blocks ? combine(first, block[from + 2 * i + 1]) : first;
    }
}

__kernel void fold_subtrees(const uint n, __global const vertex_t *preorder, __global const vertex_t *size,
                            __global const value_t *block, __global value_t *folded) {
    FOR_EACH(uint, v, n) {
        uint begin = preorder[v], end = begin + size[v], from = 0, blocks = n;
        value_t first = 0, last = 0;
        bool has_first = false, has_last = false;
        while (begin < end) {
            if (begin % 2) {
                first = has_first ? combine(first, block[from + begin]) : block[from + begin];
                has_first = true;
                ++begin;
            }
            if (begin < end && end % 2) {
                --end;
                last = has_last ? combine(block[from + end], last) : block[from + end];
                has_last = true;
            }
            begin /= 2, end /= 2;
            from += blocks;
            blocks = (blocks + 1) / 2;
        }
        folded[v] = !has_last ? first : has_first ? combine(first, last) : last;
    }
}
