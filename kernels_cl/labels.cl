// From any representative of each component to the component's smallest vertex.
//
// Atomics: minimum on smallest[], in `smallest_members` alone.
// Benign races (Oclgrind): smallest_members smallest.

#include "common.h"
#include "atomics.h"

// Writes smallest[n] = n. Launch: FOR_EACH over vertices.
__kernel void clear_smallest(const uint n, __global vertex_t *smallest) {
    FOR_EACH(uint, v, n) smallest[v] = n;
}

// smallest[r] = the smallest vertex whose representative is r. Launch: FOR_EACH over vertices.
// The test before the atomic may read a larger, stale value, and then only costs the atomic.
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
