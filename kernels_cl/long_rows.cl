// Cut the long rows of a graph into pieces of LONG_ROW neighbors, so that several work-groups can share a row.
//
// Reads: offsets[n + 1]. Writes: pieces[2 * piece_count[0]], for each piece its vertex and its number in the row,
//   in any order; piece_count[0], which the host sets to 0.
// Build options besides common.h's: LONG_ROW, the most neighbors of a row that is not cut.
// Atomics: addition on piece_count.
// Benign races (Oclgrind): none.

#include "common.h"

// Launch: FOR_EACH over vertices.
__kernel void cut_long_rows(const uint n, __global const edge_t *offsets, __global int *pieces,
                            __global int *piece_count) {
    FOR_EACH(uint, v, n) {
        const edge_t degree = offsets[v + 1] - offsets[v];
        if (degree <= LONG_ROW) continue;
        const int count = (int)((degree - 1) / LONG_ROW + 1), first = atomic_add(piece_count, count);
        for (int i = 0; i < count; ++i) {
            pieces[2 * (first + i)] = v;
            pieces[2 * (first + i) + 1] = i;
        }
    }
}
