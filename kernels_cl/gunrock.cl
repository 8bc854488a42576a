// Gunrock's algorithm: Wang et al., PPoPP 2016; Jaiganesh's thesis, section 2.1.
//
//   init            Label[v] = v; all edges are in the frontier of edges
//   hook            along every edge of the frontier, as in soman.cl, in alternating directions
//   all_vertices    all vertices are in the frontier of vertices
//   vertex_filter   keep the vertices that do not point to a root    } until there are none
//   jump            Label[v] = Label[Label[v]] for these             }
//   edge_filter     keep the edges whose ends have different labels
//   ...             until the frontier of edges is empty
//
// Reads: sources[m], targets[m] (each edge in at least one direction). Writes: Label[n]; two frontiers of
//   vertices[n] and two of edges[m], of which a kernel reads one and writes the other; their sizes,
//   size[0..1] for vertices and size[2..3] for edges.
// Build options besides common.h's: HOOK_PLAIN or HOOK_CAS (put_under.h).
// Atomics: the frontiers' counters; with HOOK_CAS one on Label in hook.
// Races on Label, benign: hook has the races of soman.cl, but marks no edge. The filters run while no label changes. In
//   jump, one ancestor replaces another. All writers of again[round] write 1.
// Benign races (Oclgrind): hook Label; vertex_filter again; jump Label.
// Oclgrind cannot judge (compare-and-swap): hook.

#include "common.h"
#include "atomics.h"
#include "put_under.h"

// Launch: FOR_EACH over vertices. No races.
__kernel void init(const uint n, __global vertex_t *Label) {
    FOR_EACH(uint, v, n) Label[v] = v;
}

// Launch: FOR_EACH over edges. No races.
__kernel void all_edges(const uint m, __global uint *edges, __global uint *size) {
    if (get_global_id(0) == 0) size[2] = m;
    FOR_EACH(uint, e, m) edges[e] = e;
}

// Launch: FOR_EACH over vertices. No races.
__kernel void all_vertices(const uint n, __global uint *vertices, __global uint *size) {
    if (get_global_id(0) == 0) {
        size[0] = n;
        size[1] = 0;
    }
    FOR_EACH(uint, v, n) vertices[v] = v;
}

// Also empties the frontier that edge_filter will write. Launch: FOR_EACH over edges.
__kernel void hook(const uint even, const uint from, __global const vertex_t *sources,
                   __global const vertex_t *targets, __global const uint *edges, __global uint *size,
                   __global vertex_t *Label) {
    if (get_global_id(0) == 0) size[2 + (from ^ 1)] = 0;
    FOR_EACH(uint, i, size[2 + from]) {
        const vertex_t Label_u = LOAD(&Label[sources[edges[i]]]), Label_v = LOAD(&Label[targets[edges[i]]]);
        const vertex_t smaller = min(Label_u, Label_v), larger = max(Label_u, Label_v);
        if (smaller == larger) continue;
        if (even)
            PUT_UNDER(Label, smaller, larger);
        else
            PUT_UNDER(Label, larger, smaller);
    }
}

// Launch: FOR_EACH over vertices.
__kernel void vertex_filter(const uint from, __global const uint *before, __global uint *after,
                            __global uint *size, __global const vertex_t *Label, __global int *again,
                            const uint round) {
    FOR_EACH(uint, i, size[from]) {
        const vertex_t parent = Label[before[i]];
        if (Label[parent] == parent) continue;
        after[TAKE_PLACE(&size[from ^ 1])] = before[i];
        STORE(&again[round], 1);
    }
}

// Also empties the frontier that was filtered. Launch: FOR_EACH over vertices.
__kernel void jump(const uint from, __global const uint *after, __global uint *size,
                   __global vertex_t *Label) {
    if (get_global_id(0) == 0) size[from] = 0;
    FOR_EACH(uint, i, size[from ^ 1]) {
        const vertex_t v = after[i], up = LOAD(&Label[LOAD(&Label[v])]);
        STORE(&Label[v], up);
    }
}

// Launch: FOR_EACH over edges.
__kernel void edge_filter(const uint from, __global const vertex_t *sources, __global const vertex_t *targets,
                          __global const uint *before, __global uint *after, __global uint *size,
                          __global const vertex_t *Label) {
    FOR_EACH(uint, i, size[2 + from]) {
        const uint e = before[i];
        if (Label[sources[e]] != Label[targets[e]]) after[TAKE_PLACE(&size[2 + (from ^ 1)])] = e;
    }
}
