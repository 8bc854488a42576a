// Cut the long rows of a graph into pieces of LONG_ROW neighbors, so that several work-groups can share a row, as
// they do in expand_rows.
//
// Reads: offsets[n + 1]. Writes: pieces[2 * piece_count[0]], for each piece its vertex and its number in the row,
//   in any order; piece_count[0], which the host sets to 0; sources[m].
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

// Give each stored edge its source. Launch: FOR_EACH over vertices; work-groups then share the pieces.
__kernel void expand_rows(const uint n, __global const edge_t *offsets, __global const int *pieces,
                          __global const int *piece_count, __global vertex_t *sources) {
    FOR_EACH(uint, v, n) {
        if (offsets[v + 1] - offsets[v] > LONG_ROW) continue;
        for (edge_t e = offsets[v]; e < offsets[v + 1]; ++e) sources[e] = v;
    }
    for (int i = get_group_id(0); i < *piece_count; i += get_num_groups(0)) {
        const vertex_t v = pieces[2 * i];
        const edge_t begin = offsets[v] + (edge_t)pieces[2 * i + 1] * LONG_ROW;
        const edge_t end = min(begin + LONG_ROW, offsets[v + 1]);
        for (edge_t e = begin + get_local_id(0); e < end; e += get_local_size(0)) sources[e] = v;
    }
}
