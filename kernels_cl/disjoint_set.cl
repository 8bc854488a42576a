// A disjoint-set forest that takes edges in blocks: incremental connectivity, as in ConnectIt (Dhulipala, Hong
// and Shun, VLDB 2021), with Afforest's link (Sutton, Ben-Nun and Barak, IPDPS 2018, figure 3).
//
//   add_vertices   p[v] = v for new vertices
//   link_edges     link the ends of a block's edges     } for each block
//   compress_all   now and then: point every vertex directly to its root
//   link_parents   join another forest: its parents are edges
//   find_all       the roots of some vertices
//   are_connected  whether the ends of each pair are in one tree
//   widen          copy 32-bit parents to 64-bit ones, when there are more vertices than 32 bits can count
//   largest_ids    the largest id that each work-group has seen, so that the host can check a block
//
// link takes edges in any order and direction (theorem 1). So whatever the blocks are, the trees are the
// components of all edges so far, and each root is its component's smallest vertex.
//
// Reads: ends, neighbors (edges.h; each edge in one direction at least), other[n], ids[m], us[m], vs[m].
// Writes: p[n], hooks[1], found[m], same[m], largest[groups].
// Build options besides common.h's: those of edges.h; SHORTEN_PATHS (link.h); GROUP, the size of a work-group,
//   for largest_ids alone.
// Atomics: compare-and-swap on p in link_edges and link_parents, and addition to hooks; addition, maximum in
//   local memory.
// Races on p, benign: link.h, shortcut.h and find.h say why. Each swap that succeeds hooks a root under a
//   smaller vertex, which cannot be in the root's own tree, as a root is its tree's smallest vertex. So each
//   joins two trees, and the number of trees is the number of vertices minus the number of hooks.
// Benign races (Oclgrind): link_edges p; link_parents p; compress_all p; find_all p; are_connected p.
// Oclgrind cannot judge (compare-and-swap): link_edges, link_parents.

#include "common.h"
#include "atomics.h"
#include "edges.h"
#include "find.h"
#include "link.h"
#include "shortcut.h"

// Launch: FOR_EACH over the vertices begin .. end - 1. No races.
__kernel void add_vertices(const vertices_t begin, const vertices_t end, __global vertex_t *p) {
    FOR_EACH(vertices_t, i, end - begin) p[begin + i] = begin + i;
}

// Add up a work-group's hooks, so that each group adds to the counter only once.
static void add_hooks(uint hooks_here, __local uint *hooks_of_group, __global vertices_t *hooks) {
    if (get_local_id(0) == 0) *hooks_of_group = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (hooks_here) (void)atomic_add(hooks_of_group, hooks_here);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && *hooks_of_group) ADD_VERTICES(hooks, *hooks_of_group);
}

// Launch: FOR_EACH over the block's edges, or rows.
__kernel void link_edges(const count_t begin, const count_t end, __global const end_t *ends,
                         __global const given_t *neighbors, __global vertex_t *p,
                         __global vertices_t *hooks) {
    __local uint hooks_of_group;
    uint hooks_here = 0;
    FOR_EACH_EDGE(e, u, v, begin, end) {
        hooks_here += link(u, v, p) != NOBODY;
    }
    add_hooks(hooks_here, &hooks_of_group, hooks);
}

// Launch: FOR_EACH over the other forest's vertices, all of which are vertices of this one.
__kernel void link_parents(const vertices_t n, __global const given_t *other, __global vertex_t *p,
                           __global vertices_t *hooks) {
    __local uint hooks_of_group;
    uint hooks_here = 0;
    FOR_EACH(vertices_t, v, n) hooks_here += link(v, (vertex_t)other[v], p) != NOBODY;
    add_hooks(hooks_here, &hooks_of_group, hooks);
}

// Launch: FOR_EACH over vertices, with no more work-items than a GPU holds at once (see afforest.cl).
__kernel void compress_all(const vertices_t n, __global vertex_t *p) {
    FOR_EACH(vertices_t, v, n) (void)shortcut(v, p);
}

// Launch: FOR_EACH over the ids, all of which are vertices.
__kernel void find_all(const edge_t m, __global const given_t *ids, __global vertex_t *p,
                       __global vertex_t *found) {
    FOR_EACH(edge_t, i, m) found[i] = find_halving((vertex_t)ids[i], p);
}

// Launch: FOR_EACH over the pairs, whose ends are all vertices.
__kernel void are_connected(const edge_t m, __global const given_t *us, __global const given_t *vs,
                            __global vertex_t *p, __global uchar *same) {
    FOR_EACH(edge_t, i, m)
        same[i] = find_halving((vertex_t)us[i], p) == find_halving((vertex_t)vs[i], p);
}

// Launch: FOR_EACH over vertices. No races.
__kernel void widen(const vertices_t n, __global const int *narrow, __global vertex_t *p) {
    FOR_EACH(vertices_t, v, n) p[v] = narrow[v];
}

#ifdef GROUP
#ifdef WIDE_IDS
typedef ulong unsigned_t;
#else
typedef uint unsigned_t;
#endif

// Launch: FOR_EACH over ids, in groups of GROUP. Negative ids, read as unsigned, are larger than all others.
__kernel void largest_ids(const edge_t m, __global const unsigned_t *ids, __global ulong *largest) {
    __local ulong of_items[GROUP];
    ulong here = 0;
    FOR_EACH(edge_t, i, m) here = max(here, (ulong)ids[i]);
    of_items[get_local_id(0)] = here;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) != 0) return;
    for (uint i = 1; i < GROUP; ++i) here = max(here, of_items[i]);
    largest[get_group_id(0)] = here;
}
#endif
