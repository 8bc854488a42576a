// Afforest over an edge list that is not sorted into rows: Sutton, Ben-Nun and Barak, IPDPS 2018,
// figure 3.
//
//   init           pi[v] = v
//   init_by_edges  with init=smaller: pi[v] = any smaller neighbor of v, if it has one; then compress_all
//   link_edges     link the ends of the next batch of edges     } until no edge is left; with init=first, hook in the
//                                                               } first batch, and link only where that fails
//   compress_all   point every vertex directly to its root      }
//
// link may take edges in any order and direction (theorem 1). After compressing between the batches, most look-ups take
// only one step.
//
// The edges of a path, in order, make one chain as long as the path. All work-items together compress it in a few
// steps, but a work-item whose edge closes the path to a ring would walk along all of it alone. So with MOST_STEPS,
// link_or_defer replaces link_edges: a link that needs more steps is put off. At the end, if there are any such links:
//
//   compress_for_deferred   compress_all
//   link_deferred           link the edges that were put off
//
// In a dense graph, both ends of most later edges are in the giant component. To tell such edges without reading parents
// from global memory, a table has a bit for each run of 2^shift adjacent vertices: whether all of them are in the giant.
// Before batches for which this probably holds for most runs, with MOST_STEPS:
//
//   mark_giant     make the table, and count the runs with a vertex outside the giant
//   link_outside   in place of link_or_defer, if fewer than `enough` runs have such a vertex: each work-group copies
//                  the table to local memory, and skips the edges between runs that are entirely in the giant
//
// Reads: ends, neighbors (edges.h; each edge in at least one direction). Writes: pi[n]; with MOST_STEPS,
//   deferred[2 * MOST_DEFERRED], the ends of deferred edges, and deferred_count[1], their number; giant[words], the
//   table; outside[MOST_BATCHES], for each batch the number of runs with a vertex outside the giant.
// Build options besides common.h's: those of edges.h; SHORTEN_PATHS (link.h); INIT_FIRST; MOST_STEPS, MOST_DEFERRED,
//   MOST_BATCHES, MOST_WORDS (how many words of local memory the table may take).
// Atomics: compare-and-swap on pi in link_edges, link_or_defer, link_outside and link_deferred; counter on
//   deferred_count; additions to outside; bits are set in local memory.
// Race-free: mark_giant reads parents while no kernel writes them. So all work-groups guess the same root, whether or
//   not it is that of a giant, and two runs with bits are in one tree. Trees only grow, so they stay in one tree.
// Races on pi, benign: link.h and shortcut.h say why. In init_by_edges, no parent is read, and every writer writes a
//   smaller neighbor: the last one stays, and the edges of the others are linked later. hook_unseen reads a parent
//   only in its swap, which hooks only a root, to a smaller vertex.
// Benign races (Oclgrind): init_by_edges pi; link_edges pi; compress_all pi; link_or_defer pi; link_outside pi;
//   compress_for_deferred pi; link_deferred pi.
// Oclgrind cannot judge (compare-and-swap): link_edges, link_or_defer, link_outside, link_deferred.

#include "common.h"
#include "atomics.h"
#include "edges.h"
#include "link.h"
#include "shortcut.h"

// Launch: FOR_EACH over vertices. No races.
__kernel void init(const uint n, __global vertex_t *pi) {
    FOR_EACH(uint, v, n) pi[v] = v;
}

// Launch: FOR_EACH over edges, or over rows; after init.
__kernel void init_by_edges(const count_t edges, __global const end_t *ends,
                            __global const given_t *neighbors, __global vertex_t *pi) {
    FOR_EACH_EDGE(e, u, v, 0, edges) {
        STORE(&pi[max(u, v)], min(u, v));
    }
}

#ifdef INIT_FIRST
// Hook the larger of u and v to the smaller one without looking up their parents: in the first batch, most vertices have
// none yet, and the swap alone makes one access instead of three. Returns whether this has joined u and v. If not, the
// larger one had a parent: then this parent and the smaller one are the u and v that must still be linked.
static bool hook_unseen(vertex_t *u, vertex_t *v, __global vertex_t *pi) {
    const vertex_t h = max(*u, *v), l = min(*u, *v);
    *u = COMPARE_AND_SWAP(&pi[h], h, l), *v = l;
    return *u == h;
}
#define JOINED_UNSEEN(begin, u, v) ((begin) == 0 && hook_unseen(&u, &v, pi))
#else
#define JOINED_UNSEEN(begin, u, v) false
#endif

// Launch: FOR_EACH over the batch's edges, or rows.
__kernel void link_edges(const count_t begin, const count_t end, __global const end_t *ends,
                         __global const given_t *neighbors, __global vertex_t *pi) {
    FOR_EACH_EDGE(e, u, v, begin, end) {
        if (!JOINED_UNSEEN(begin, u, v)) (void)link(u, v, pi);
    }
}

static void compress(uint n, __global vertex_t *pi) {
    FOR_EACH(uint, v, n) (void)shortcut(v, pi);
}

// Launch: FOR_EACH over vertices, with no more work-items than a GPU holds at once (see afforest.cl).
__kernel void compress_all(const uint n, __global vertex_t *pi) {
    compress(n, pi);
}

#ifdef MOST_STEPS
// Launch: FOR_EACH over vertices. No races.
__kernel void init_deferring(const uint n, __global vertex_t *pi, __global int *deferred_count, __global int *outside) {
    FOR_EACH(uint, v, n) pi[v] = v;
    FOR_EACH(uint, i, MOST_BATCHES) outside[i] = 0;
    if (get_global_id(0) == 0) *deferred_count = 0;
}

// Put off linking u with v. Returns whether there was room.
static bool defer(vertex_t u, vertex_t v, __global vertex_t *deferred, __global int *deferred_count) {
    if (atomic_add(deferred_count, 0) >= MOST_DEFERRED) return false;  // first, so that the counter cannot wrap
    const int at = TAKE_PLACE(deferred_count);
    if (at >= MOST_DEFERRED) return false;
    deferred[2 * at] = u;
    deferred[2 * at + 1] = v;
    return true;
}

static void link_now_or_later(vertex_t u, vertex_t v, __global vertex_t *pi, __global vertex_t *deferred,
                              __global int *deferred_count) {
    while (link_within(MOST_STEPS, &u, &v, pi) == GAVE_UP && !defer(u, v, deferred, deferred_count)) continue;
}

// Launch: FOR_EACH over the batch's turns (common.h). A batch of neighboring edges would join one region after another.
__kernel void link_or_defer(const count_t begin, const count_t end, const count_t edges,
                            __global const end_t *ends, __global const given_t *neighbors, __global vertex_t *pi,
                            __global vertex_t *deferred, __global int *deferred_count, __global const int *outside,
                            const uint batch, const int enough) {
    if (outside[batch] < enough) return;
    FOR_EACH_EDGE_IN_TURNS(e, u, v, begin, end, edges)
        if (!JOINED_UNSEEN(begin, u, v)) link_now_or_later(u, v, pi, deferred, deferred_count);
}

// The root of three quarters of SAMPLES vertices, or -1 if no tree has as many of them.
static vertex_t likely_giant(const uint n, __global const vertex_t *pi) {
    enum { SAMPLES = 16 };
    vertex_t sampled[SAMPLES], root = 0;
    int votes = 0, found = 0;
    for (uint i = 0; i < SAMPLES; ++i) sampled[i] = pi[(ulong)(i * GOLDEN(uint)) * n >> 32];
    for (uint i = 0; i < SAMPLES; ++i) {  // only this root can have a majority (Boyer and Moore)
        if (votes == 0) root = sampled[i];
        votes += sampled[i] == root ? 1 : -1;
    }
    for (uint i = 0; i < SAMPLES; ++i) found += sampled[i] == root;
    return 4 * found < 3 * SAMPLES ? -1 : root;
}

#define RUN_OF(v) ((uint)(v) >> shift)
#define MARKED(table, run) ((table)[(run) / 32] >> (run) % 32 & 1)

// If no tree was likely to be a giant before the preceding batch, none is looked for: one that forms so late is rare.
// Launch: any number of work-groups; each takes WORDS words at a time.
__kernel void mark_giant(const uint n, const uint shift, const uint words, __global const vertex_t *pi,
                         __global uint *giant, __global int *outside, const uint batch) {
    enum { WORDS = 8 };
    __local uint others[WORDS];  // runs with a vertex outside the giant
    const uint me = get_local_id(0), group = get_local_size(0);
    const vertex_t root = outside[batch - 1] == INT_MAX ? -1 : likely_giant(n, pi);
    if (root < 0) {
        if (get_global_id(0) == 0) outside[batch] = INT_MAX;
        return;
    }
    for (uint first = get_group_id(0) * WORDS; first < words; first += get_num_groups(0) * WORDS) {
        const uint few = min((uint)WORDS, words - first);
        for (uint i = me; i < few; i += group) others[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        const ulong end = min((ulong)n, (ulong)(first + few) * 32 << shift);
        for (ulong v = ((ulong)first * 32 << shift) + me; v < end; v += group)
            if (pi[v] != root) atomic_or(&others[RUN_OF(v) / 32 - first], 1u << RUN_OF(v) % 32);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = me; i < few; i += group) {
            giant[first + i] = ~others[i];
            if (others[i]) ADD(&outside[batch], popcount(others[i]));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Launch: any number of work-groups; otherwise as link_or_defer.
__kernel void link_outside(const count_t begin, const count_t end, const count_t edges,
                           __global const end_t *ends, __global const given_t *neighbors, __global vertex_t *pi,
                           __global vertex_t *deferred, __global int *deferred_count, __global const int *outside,
                           const uint batch, const int enough, const uint shift, const uint words,
                           __global const uint *giant) {
    __local uint table[MOST_WORDS];
    if (outside[batch] >= enough) return;
    for (uint i = get_local_id(0); i < words; i += get_local_size(0)) table[i] = giant[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_EACH_EDGE_IN_TURNS(e, u, v, begin, end, edges)
        if (!(MARKED(table, RUN_OF(u)) & MARKED(table, RUN_OF(v)))) link_now_or_later(u, v, pi, deferred, deferred_count);
}

// compress_all, if links were put off. Launch: as compress_all.
__kernel void compress_for_deferred(const uint n, __global vertex_t *pi, __global const int *deferred_count) {
    if (*deferred_count > 0) compress(n, pi);
}

// Launch: FOR_EACH over MOST_DEFERRED links.
__kernel void link_deferred(__global vertex_t *pi, __global const vertex_t *deferred,
                            __global const int *deferred_count) {
    FOR_EACH(uint, i, min(*deferred_count, MOST_DEFERRED))
        (void)link(deferred[2 * i], deferred[2 * i + 1], pi);
}
#endif
