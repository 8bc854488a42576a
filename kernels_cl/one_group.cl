// A small graph's components, all in one launch of one work-group: union-find, where of two roots the
// smaller stays (union=index) and a find makes every vertex of its path skip one (find=splitting).
//
// With a single work-item (GROUP 1, for CPUs) this is the serial algorithm of reference/union_find.py:
// Tarjan, JACM 22(2), 1975. With more of them roots are hooked by compare-and-swap, as in ECL-CC.
//
// Reads: an edge list in any order and direction, or rows (each edge stored once at least, in any order).
// Writes: parent[n], each vertex's component's smallest vertex; label[n], its component's number, 0 .. k - 1
//   in order of smallest vertex.
// Launch: exactly one work-group of GROUP work-items.
// Build options besides common.h's: GROUP, WIDE_IDS.
// Atomics: compare-and-swap on parent, where GROUP is more than 1.
// Races, between work-items that unite at the same time, all benign: parents never exceed their children
//   and only roots are hooked, by the swap alone, so a stale parent is still an ancestor. Splitting writes
//   an ancestor over an ancestor, of vertices seen to be no roots. Where a swap fails it returns the true
//   parent; the larger of the two vertices falls with every try, so unite() ends however stale every plain
//   read is. Barriers, which all of the one work-group reach, make everything before them seen after them.
// Benign races (Oclgrind): of_edges parent; of_rows parent.
// Oclgrind cannot judge (compare-and-swap): of_edges, of_rows.

#define PARTITIONING  // each work-item one run, on GPUs too: numbers are given run by run
#include "common.h"
#include "atomics.h"
#include "jump.h"

#ifdef WIDE_IDS
typedef long given_t;  // ids of an edge list, as the caller has them; below 2^31 all the same
#else
typedef int given_t;
#endif

// Splitting, which ECL-CC calls intermediate pointer jumping (Jump4). Without jump.h's first look at
// whether v is a root, one work-item links random edges 1.2 to 1.7 times as fast (2 CPU cores).
static vertex_t find(vertex_t v, __global vertex_t *parent) {
    vertex_t par = LOAD(&parent[v]), next;
    while ((next = LOAD(&parent[par])) != par) {
        STORE(&parent[v], next);
        v = par;
        par = next;
    }
    return par;
}

static void unite(vertex_t u, vertex_t v, __global vertex_t *parent) {
    vertex_t a = find(u, parent), b = find(v, parent);
#if GROUP == 1
    parent[max(a, b)] = min(a, b);  // where both are the same root this changes nothing, and saves a branch
#else
    while (a != b) {
        const vertex_t high = max(a, b), low = min(a, b);
        const vertex_t above = COMPARE_AND_SWAP(&parent[high], high, low);
        if (above == high) return;
        a = find(above, parent);
        b = low;
    }
#endif
}

// Point every vertex to its root and number the roots in order. All work-items of the group call it.
static void finish(uint n, __global vertex_t *parent, __global vertex_t *label, __local uint *roots) {
#if GROUP == 1
    uint next = 0;
    for (uint v = 0; v < n; ++v) {  // a parent is smaller than its children: it has had its turn
        const vertex_t par = parent[v];
        label[v] = par == v ? next++ : label[par];
        parent[v] = parent[par];
    }
#else
    FOR_EACH(uint, v, n) (void)jump_single(v, parent);
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

// Components of m edges: the ends of edge e are at e * stride and e * stride + across.
__kernel void of_edges(const uint n, const edge_t m, const uint stride, const uint across,
                       __global const given_t *sources, __global const given_t *targets,
                       __global vertex_t *parent, __global vertex_t *label) {
    __local uint roots[GROUP];
    FOR_EACH(uint, v, n) parent[v] = v;
    barrier(CLK_GLOBAL_MEM_FENCE);
    FOR_EACH(edge_t, e, m)
        unite((vertex_t)sources[e * stride], (vertex_t)targets[e * stride + across], parent);
    barrier(CLK_GLOBAL_MEM_FENCE);
    finish(n, parent, label, roots);
}

// The row that holds entry e: the first that ends behind it.
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

// Components of rows with m entries in all. Entries are shared out evenly, however long a row is.
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
