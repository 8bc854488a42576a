// ECL-CC: Jaiganesh and Burtscher, HPDC 2018, sections 3 and 5.1.
//
//   init      parent[v] = INIT(v): a vertex of v's component that is not larger than v
//   compute   take each edge {u, v} once, from its larger end v, and hook the larger of the two
//             representatives under the smaller; with BALANCE_DEGREE in two kernels by degree
//   finalize  parent[v] = v's representative, the smallest vertex of its component
//
// Reads: offsets[n + 1], neighbors (both directions of every edge). Writes: parent[n].
// Build options besides common.h's: INIT, JUMP (functions of init.h and jump.h), FINI (below), those of init.h and
//   inside.h; FIRST_JOINED: init has joined a vertex with its first neighbor, if that is smaller; DEAL_VERTICES: compute1
//   takes vertices that are close together at different times, because work-items that hook the same trees at once wait
//   for each other; BALANCE_DEGREE: a work-item takes a vertex of up to LOW_DEGREE neighbors, a tile of TILE work-items
//   takes one of up to MIDDLE_DEGREE, and a whole work-group takes one of higher degree.
// Atomics: compare-and-swap on parent, minimum in Fini1; counters of the worklist.
// Beyond the paper: an edge is done at once if the parent of its smaller end is v's representative. On GPUs, init also
//   jumps along first parents as far as they stay inside a run of vertices. With BALANCE_DEGREE, Init3 looks at no
//   more than LOW_DEGREE neighbors, and one kernel does the work of the paper's second and third compute kernels, which
//   saves a launch.
// Races on parent, all benign: jump.h says why finding may read stale parents, and hook.h says why hooks may. A common
//   ancestor of both ends, however stale, proves that they are in one tree.
// Benign races (Oclgrind): compute1 parent; compute2 parent; finalize parent; init local.
// Oclgrind cannot judge (compare-and-swap): compute1, compute2.

#include "common.h"
#include "atomics.h"
#include "hook.h"
#include "init.h"
#include "inside.h"
#include "jump.h"

#ifdef DEAL_VERTICES
#define FOR_EACH_VERTEX FOR_EACH_DEALT
#else
#define FOR_EACH_VERTEX FOR_EACH
#endif

// Take v's edges begin, begin + step, ... to smaller vertices.
static void compute_edges(vertex_t v, __global const vertex_t *neighbors, edge_t begin, edge_t end,
                          edge_t step, __global vertex_t *parent) {
    vertex_t v_rep = JUMP(v, parent);
    for (edge_t e = begin; e < end; e += step) {
        const vertex_t u = neighbors[e];
        if (v <= u || LOAD(&parent[u]) == v_rep) continue;  // one tree already: soon true of most edges
        v_rep = hook(v_rep, JUMP(u, parent), parent);
    }
}

// Launch: over runs of vertices; with PARTITIONING, FOR_EACH over vertices. Also empties the worklist. No races on
// parent: each vertex has one writer.
__kernel void init(const uint n, __global const edge_t *offsets, __global const vertex_t *neighbors,
                   __global vertex_t *parent, __global int *listed) {
    if (get_global_id(0) == 0) listed[0] = listed[1] = 0;
#ifdef PARTITIONING
    FOR_EACH(uint, v, n) parent[v] = INIT(v, neighbors, offsets[v], offsets[v + 1]);
#else
    __local vertex_t inside[RUN];
    FOR_EACH_RUN(run, n) {
        vertex_t first[RUN_EACH];
        for (uint i = 0; i < RUN_EACH; ++i) {
            const uint v = run + IN_RUN(i);
            first[i] = v < n ? INIT(v, neighbors, offsets[v], offsets[v + 1]) : (vertex_t)v;
        }
        jump_inside(run, n, first, inside, parent);
    }
#endif
}

// Launch: FOR_EACH over vertices. With BALANCE_DEGREE, vertices of higher degree go to the double-sided worklist: those
// of medium degree from the front, listed[0] of them, and those of high degree from the back, listed[1] of them.
__kernel void compute1(const uint n, __global const edge_t *offsets, __global const vertex_t *neighbors,
                       __global vertex_t *parent, __global vertex_t *worklist, __global int *listed) {
    FOR_EACH_VERTEX(uint, v, n) {
        const edge_t begin = offsets[v], end = offsets[v + 1];
#ifdef BALANCE_DEGREE
        if (end - begin > MIDDLE_DEGREE) {
            worklist[n - 1 - TAKE_PLACE(&listed[1])] = v;
            continue;
        }
        if (end - begin > LOW_DEGREE) {
            worklist[TAKE_PLACE(&listed[0])] = v;
            continue;
        }
#endif
#ifdef FIRST_JOINED
        const edge_t joined = begin < end && neighbors[begin] < (vertex_t)v;
#else
        const edge_t joined = 0;
#endif
        compute_edges(v, neighbors, begin + joined, end, 1, parent);
    }
}

#ifdef BALANCE_DEGREE
// Launch: any number of work-groups. Group g takes entries g, g + G, ... of the back. Then tile t takes entries t,
// t + T, ... of the front.
__kernel void compute2(const uint n, __global const edge_t *offsets, __global const vertex_t *neighbors,
                       __global vertex_t *parent, __global const vertex_t *worklist,
                       __global const int *listed) {
    for (uint i = get_group_id(0); i < listed[1]; i += get_num_groups(0)) {
        const vertex_t v = worklist[n - 1 - i];
        compute_edges(v, neighbors, offsets[v] + get_local_id(0), offsets[v + 1], get_local_size(0), parent);
    }
    for (uint i = get_global_id(0) / TILE; i < listed[0]; i += get_global_size(0) / TILE) {
        const vertex_t v = worklist[i];
        compute_edges(v, neighbors, offsets[v] + get_global_id(0) % TILE, offsets[v + 1], TILE, parent);
    }
}
#endif

// Each Fini points v to its representative. Fini3 and Fini2 write only final representatives, so they are Jump2 and
// Jump1, unchanged.
#define fini_single jump_single
#define fini_multiple jump_multiple

// Fini1: Jump4, but the store that skips a vertex must not put an older ancestor over the final representative that
// another work-item has meanwhile written. Only a minimum is sure not to do this.
static vertex_t fini_intermediate(vertex_t v, __global vertex_t *parent) {
    vertex_t par = LOAD(&parent[v]), prev = v, next;
    if (par == v) return v;
    while (par > (next = LOAD(&parent[par]))) {
        LOWER(&parent[prev], next);
        prev = par;
        par = next;
    }
    if (prev != v) STORE(&parent[v], par);  // otherwise, v points there already
    return par;
}

// Launch: FOR_EACH over vertices, with no more work-items than a GPU holds at once (see afforest.cl). No hook happens
// any more, so representatives are final.
__kernel void finalize(const uint n, __global vertex_t *parent) {
    FOR_EACH(uint, v, n) (void)FINI(v, parent);
}
