// Replacing representatives by each component's smallest vertex; turning rows into edges.
//
// Atomics: minimum on smallest[], in `smallest_members` alone.
// Benign races (Oclgrind): smallest_members smallest.

#include "common.h"
#include "atomics.h"

enum { SHARED_ROW = 1024 };  // a longer row is shared by a work-group

// Give each edge its source. Reads offsets[n + 1], writes sources[m]. Launch: FOR_EACH over vertices. Race on `shared`,
// benign: all writers write true.
__kernel void expand_rows(const uint n, __global const edge_t *offsets, __global vertex_t *sources) {
#ifdef PARTITIONING
    FOR_EACH(uint, v, n)
        for (edge_t e = offsets[v]; e < offsets[v + 1]; ++e) sources[e] = v;
#else
    __local int shared;
    const uint lane = get_local_id(0), lanes = get_local_size(0);
    for (uint run = get_group_id(0) * lanes; run < n; run += get_num_groups(0) * lanes) {
        if (lane == 0) shared = false;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint v = run + lane;
        const edge_t begin = v < n ? offsets[v] : 0, end = v < n ? offsets[v + 1] : 0;
        if (end - begin > SHARED_ROW)
            shared = true;
        else
            for (edge_t e = begin; e < end; ++e) sources[e] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint w = run; shared && w < min(run + lanes, n); ++w) {
            if (offsets[w + 1] - offsets[w] <= SHARED_ROW) continue;
            for (edge_t e = offsets[w] + lane; e < offsets[w + 1]; e += lanes) sources[e] = w;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
}

// Writes smallest[n] = n. Launch: FOR_EACH over vertices.
__kernel void clear_smallest(const uint n, __global vertex_t *smallest) {
    FOR_EACH(uint, v, n) smallest[v] = n;
}

// smallest[r] = the smallest vertex whose representative is r. Launch: FOR_EACH over vertices. The test before the
// atomic may read a larger, stale value, which only costs the atomic.
__kernel void smallest_members(const uint n, __global const vertex_t *representative,
                               __global vertex_t *smallest) {
    FOR_EACH(uint, v, n) {
        __global vertex_t *at = &smallest[representative[v]];
        if (LOAD(at) > (vertex_t)v) LOWER(at, (vertex_t)v);
    }
}

// parent[v] = the smallest vertex of v's component. Launch: FOR_EACH over vertices. No races.
__kernel void relabel(const uint n, __global const vertex_t *representative,
                      __global const vertex_t *smallest, __global vertex_t *parent) {
    FOR_EACH(uint, v, n) parent[v] = smallest[representative[v]];
}
