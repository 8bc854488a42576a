// A disjoint-set forest that takes edges in blocks: incremental connectivity, as in ConnectIt (Dhulipala, Hong
// and Shun, VLDB 2021), with Afforest's link (Sutton, Ben-Nun and Barak, IPDPS 2018, figure 3).
//
//   add_vertices   p[v] = v for new vertices
//   link_edges     link the ends of a block's edges                       } for each block
//   link_checked   check a block's edges, and link the ends of all but    }
//                  those whose ends are not vertices
//   compress_all   sometimes: point every vertex directly to its root
//   link_parents   join another forest: its parents are edges
//   link_members   link the members of groups, which come as pairs of a group and a member
//   find_all       the roots of some vertices
//   are_connected  whether the ends of each pair are in one tree
//   widen          copy 32-bit parents to 64-bit ones, when there are more vertices than 32 bits can count
//
// link takes edges in any order and direction (theorem 1). So for any blocks, the trees are the components of all edges
// so far, and each root is its component's smallest vertex.
//
// Reads: ends, neighbors (edges.h; each edge in at least one direction), other[n], ids[m], us[m], vs[m],
//   group[m], member[m].
// Writes: p[n], hooks[1], largest[groups], found[m], same[m], first_member[groups]: a member of each group,
//   NOBODY until there is one.
// Build options besides common.h's: those of edges.h; SHORTEN_PATHS (link.h). One of these says which kernels are
//   built, so that none is built needlessly: EDGES, CHECKED (and with it GROUP, the size of a work-group), PARENTS and
//   GROUPS (whose parents have 32 bits) for one linking kernel each; QUESTIONS for find_all and are_connected; none of
//   these for the other kernels.
// Atomics: compare-and-swap on p, and addition to hooks, in the four kernels that link; compare-and-swap on
//   first_member in link_members; addition in local memory.
// Races on p, benign: link.h, shortcut.h and find.h say why. Each swap that succeeds hooks a root under a smaller
//   vertex, which cannot be in the root's own tree, because a root is its tree's smallest vertex. So each swap joins
//   two trees, and the number of trees is the number of vertices minus the number of hooks.
// Races on first_member, benign: an element changes once, from NOBODY to a member, and only by the swap. If a stale
//   read shows NOBODY, the swap that follows fails and returns the true member. All other members of the group are
//   linked with this member, so all end in one tree.
// Benign races (Oclgrind): link_edges p; link_checked p; link_parents p; link_members first_member, p;
//   compress_all p; find_all p; are_connected p.
// Oclgrind cannot judge (compare-and-swap): link_edges, link_checked, link_parents, link_members.

#include "common.h"
#include "atomics.h"
#include "edges.h"
#include "find.h"
#include "link.h"
#include "shortcut.h"

// Add up a work-group's hooks, so that each group adds to the counter only once.
static void add_hooks(uint hooks_here, __local uint *hooks_of_group, __global vertices_t *hooks) {
    if (get_local_id(0) == 0) *hooks_of_group = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (hooks_here) (void)atomic_add(hooks_of_group, hooks_here);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && *hooks_of_group) ADD_VERTICES(hooks, *hooks_of_group);
}

#if defined(EDGES)
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

#elif defined(CHECKED)
// Each work-group keeps the largest id that it has seen, so that the host learns of ids that are not vertices.
// A negative id of a signed type becomes larger than all others.
// Launch: FOR_EACH over the block's edges, in groups of GROUP.
__kernel void link_checked(const count_t begin, const count_t end, __global const end_t *ends,
                           __global const given_t *neighbors, const ulong n, __global vertex_t *p,
                           __global vertices_t *hooks, __global ulong *largest) {
    __local uint hooks_of_group;
    __local ulong largest_of_items[GROUP];
    const uint me = get_local_id(0);
    uint hooks_here = 0;
    ulong largest_here = 0;
    FOR_EACH(edge_t, i, end - begin) {
        const ulong u = (ulong)FIRST_END(begin + i), v = (ulong)SECOND_END(begin + i, end);
        largest_here = max(largest_here, max(u, v));
        if (u < n && v < n) hooks_here += link((vertex_t)u, (vertex_t)v, p) != NOBODY;
    }
    add_hooks(hooks_here, &hooks_of_group, hooks);
    largest_of_items[me] = largest_here;
    for (uint step = 1; step < GROUP; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me % (2 * step) == 0 && me + step < GROUP)
            largest_of_items[me] = max(largest_of_items[me], largest_of_items[me + step]);
    }
    if (me == 0) largest[get_group_id(0)] = largest_of_items[0];
}

#elif defined(PARENTS)
// Link n of the other forest's vertices, from `first` on, with their parents, which are in other[begin ..]. All of them
// are vertices of this forest. Launch: FOR_EACH over these vertices.
__kernel void link_parents(const vertices_t first, const vertices_t n, const vertices_t begin,
                           __global const given_t *other, __global vertex_t *p,
                           __global vertices_t *hooks) {
    __local uint hooks_of_group;
    uint hooks_here = 0;
    FOR_EACH(vertices_t, i, n) hooks_here += link(first + i, (vertex_t)other[begin + i], p) != NOBODY;
    add_hooks(hooks_here, &hooks_of_group, hooks);
}

#elif defined(GROUPS)
// Link each member to the first one of its group, because linking all pairs would take quadratic work.
// Launch: FOR_EACH over members.
__kernel void link_members(const uint m, __global const int *group, __global const int *member,
                           __global int *first_member, __global int *p, __global vertices_t *hooks) {
    __local uint hooks_of_group;
    uint hooks_here = 0;
    FOR_EACH(uint, i, m) {
        __global int *first = &first_member[group[i]];
        int with = LOAD(first);
        if (with == NOBODY) with = COMPARE_AND_SWAP(first, NOBODY, member[i]);
        if (with != NOBODY) hooks_here += link(member[i], with, p) != NOBODY;
    }
    add_hooks(hooks_here, &hooks_of_group, hooks);
}

#elif defined(QUESTIONS)
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

#else
// Launch: FOR_EACH over the vertices begin .. end - 1. No races.
__kernel void add_vertices(const vertices_t begin, const vertices_t end, __global vertex_t *p) {
    FOR_EACH(vertices_t, i, end - begin) p[begin + i] = begin + i;
}

// Launch: FOR_EACH over vertices, with no more work-items than a GPU holds at once (see afforest.cl).
__kernel void compress_all(const vertices_t n, __global vertex_t *p) {
    FOR_EACH(vertices_t, v, n) (void)shortcut(v, p);
}

// Launch: FOR_EACH over vertices. No races.
__kernel void widen(const vertices_t n, __global const int *narrow, __global vertex_t *p) {
    FOR_EACH(vertices_t, v, n) p[v] = narrow[v];
}
#endif
