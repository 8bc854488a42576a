// Multistep: Slota, Rajamanickam and Madduri, IPDPS 2014, for undirected graphs.
//
//   bfs.cl                 search the component of the vertex of highest degree
//   rest                   label and list the unvisited vertices
//   label_propagation.cl   propagate labels among them, until at most `few` change in a round
//   finish                 one work-item passes on the remaining labels
//
// Reads: offsets[n + 1], neighbors (both directions of every edge). Writes: ID[n], prevID[n], frontier[2 *
//   n], size[2] of the frontiers, waiting[n], stack[n].
// Atomics: the frontier's counter in rest.
// Races: none here.
// Benign races (Oclgrind): none.

#include "common.h"
#include "atomics.h"

#define UNVISITED -1

// size[0] and size[1] are 0 before. Launch: FOR_EACH over vertices.
__kernel void rest(const uint n, __global vertex_t *ID, __global vertex_t *prevID,
                   __global vertex_t *frontier, __global uint *size, __global uchar *waiting) {
    FOR_EACH(uint, v, n) {
        waiting[v] = 0;
        if (ID[v] == UNVISITED) {
            ID[v] = v;
            frontier[TAKE_PLACE(&size[0])] = v;
        }
        prevID[v] = ID[v];
    }
}

// Pass on the labels of the active vertices, and of the vertices whose labels these change. Launch: one work-item. A
// vertex that is already waiting is not put on the stack again.
__kernel void finish(const uint n, __global const edge_t *offsets, __global const vertex_t *neighbors,
                     __global vertex_t *ID, __global const vertex_t *frontier, __global const uint *size,
                     __global uchar *waiting, __global vertex_t *stack) {
    uint waits = 0;
    for (uint i = 0; i < 2; ++i)  // of the two frontiers one is empty
        for (uint k = 0; k < size[i]; ++k) {
            const vertex_t v = frontier[i * n + k];
            if (!waiting[v]) stack[waits++] = v;
            waiting[v] = 1;
        }
    while (waits > 0) {
        const vertex_t v = stack[--waits];
        waiting[v] = 0;
        for (edge_t e = offsets[v]; e < offsets[v + 1]; ++e) {
            const vertex_t w = neighbors[e];
            if (ID[v] >= ID[w]) continue;
            ID[w] = ID[v];
            if (!waiting[w]) stack[waits++] = w;
            waiting[w] = 1;
        }
    }
}
