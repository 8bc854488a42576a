// Union-find in one launch, by one work-group: for graphs so small that several launches would take longer.
//
//   unite    put the larger root of an edge's two ends under the smaller one; work-items share the edges
//   finish   point every vertex to its root, and number the roots in ascending order
//
// A single work-item (GROUP 1, for CPUs) runs Tarjan's serial algorithm (JACM 22(2), 1975), with union by
// index. Several work-items hook roots by compare-and-swap, as ECL-CC does. With FIND_TOGETHER a single
// work-item runs Rem's serial algorithm, and several run Rem-CAS.
//
// Reads: an edge list (edges.h) or rows; each edge in at least one direction, in any order.
// Writes: parent[n], the smallest vertex of each vertex's component; label[n], the component's number: 0 ..
//   k - 1 in ascending order of smallest vertices.
// Launch: exactly one work-group of GROUP work-items.
// Build options besides common.h's: GROUP; FIND, which is find_splitting, find_halving or find_none (find.h);
//   FIND_TOGETHER in its place, to climb from both ends of an edge together (climb.h); MOSTLY_JOINED, to check first
//   whether both ends have the same parent, as a climb does anyway; those of edges.h for of_edges.
// Atomics: compare-and-swap on parent, where GROUP is more than 1.
// Races, between work-items that unite at the same time, all benign: parents never exceed their children, and only
//   roots are hooked, and only by the swap. find.h says why finding may read stale parents. A swap that fails returns
//   the true parent. The larger of the two vertices becomes smaller with every try, so unite() ends however stale every
//   plain read is. With FIND_TOGETHER, see climb.h. Between the steps are barriers, which the whole work-group reaches:
//   what was written before a barrier is seen after it. For finish, see shortcut.h.
// Benign races (Oclgrind): of_edges parent; of_rows parent.
// Oclgrind cannot judge (compare-and-swap): of_edges, of_rows.

#include "common.h"
#include "atomics.h"
#include "edges.h"
#include "shortcut.h"

#ifndef PARTITIONING
#error "each work-item takes a run of vertices, on GPUs too: finish gives numbers run by run"
#endif
#ifdef FIND_TOGETHER
#define HALVING
#if GROUP == 1
#define ALONE
#endif
#include "climb.h"
#else
#include "find.h"
#define find_none find_root  // the variant that shortens nothing

static void unite(vertex_t u, vertex_t v, __global vertex_t *parent) {
#ifdef MOSTLY_JOINED
    if (LOAD(&parent[u]) == LOAD(&parent[v])) return;
#endif
    vertex_t a = FIND(u, parent), b = FIND(v, parent);
#if GROUP == 1
    parent[max(a, b)] = min(a, b);  // if a is b this changes nothing, and costs less than a branch
#else
    while (a != b) {
        const vertex_t high = max(a, b), low = min(a, b);
        const vertex_t above = COMPARE_AND_SWAP(&parent[high], high, low);
        if (above == high) return;
        a = FIND(above, parent);
        b = low;
    }
#endif
}
#endif  // FIND_TOGETHER

// All work-items of the group call it.
static void finish(uint n, __global vertex_t *parent, __global vertex_t *label, __local uint *roots) {
#if GROUP == 1
    uint next = 0;
    for (uint v = 0; v < n; ++v) {  // a parent is smaller than its children, so it is done already
        const vertex_t par = parent[v];
        label[v] = par == v ? next++ : label[par];
        parent[v] = parent[par];
    }
#else
    FOR_EACH(uint, v, n) (void)shortcut(v, parent);
    barrier(CLK_GLOBAL_MEM_FENCE);

    uint own = 0;  // roots in this work-item's run
    FOR_EACH(uint, v, n) own += parent[v] == v;
    roots[get_local_id(0)] = own;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint next = 0;
    for (uint i = 0; i < get_local_id(0); ++i) next += roots[i];
    FOR_EACH(uint, v, n)
        if (parent[v] == v) label[v] = next++;
    barrier(CLK_GLOBAL_MEM_FENCE);

    FOR_EACH(uint, v, n)
        if (parent[v] != v) label[v] = label[parent[v]];
#endif
}

// Components of an edge list.
__kernel void of_edges(const uint n, const count_t edges, __global const end_t *ends,
                       __global const given_t *neighbors, __global vertex_t *parent,
                       __global vertex_t *label) {
    __local uint roots[GROUP];
    FOR_EACH(uint, v, n) parent[v] = v;
    barrier(CLK_GLOBAL_MEM_FENCE);
    FOR_EACH_EDGE(e, u, v, 0, edges) {
        unite(u, v, parent);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    finish(n, parent, label, roots);
}

// The row that holds entry e: the first one that ends after it.
static uint row_of(edge_t e, uint n, __global const edge_t *offsets) {
    uint low = 0, high = n;
    while (low < high) {
        const uint middle = (low + high) / 2;
        if (offsets[middle + 1] <= e)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Components of rows with m entries in all. The work-items share the entries, not the rows: a row may be
// long.
__kernel void of_rows(const uint n, const edge_t m, __global const edge_t *offsets,
                      __global const vertex_t *neighbors, __global vertex_t *parent,
                      __global vertex_t *label) {
    __local uint roots[GROUP];
    FOR_EACH(uint, v, n) parent[v] = v;
    barrier(CLK_GLOBAL_MEM_FENCE);
    uint v = row_of((edge_t)RUN_BEGIN(m, get_global_id(0)), n, offsets);
    FOR_EACH(edge_t, e, m) {
        while (offsets[v + 1] <= e) ++v;
        unite(v, neighbors[e], parent);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    finish(n, parent, label, roots);
}
