// The tree of merges of a forest: Sao, Prokopenko and Lebrun-Grandie, "PANDORA: A parallel dendrogram construction
// algorithm for single linkage clustering on GPU", ICPP 2024.
//
//   clear      no vertex has a lightest edge
//   keys       edges are put in the order of their weights (radix_sort.cl), by 32 bits of a key at a time
//   begin      edge e, counted from light to heavy, gets its ends, and is offered to both
//   take       a vertex goes up along its lightest edge; of two that take one edge, one is a root  } until no edge
//   contract   all that go up to one root become a vertex of the next level; alpha edges are left  } is left
//   chain      each edge finds its chain, and edges are put in the order of their chains (radix_sort.cl)
//   mark       chains find their first edges
//   look_below, add_up (sums.h), sum_up, write   what each edge merges: sizes are sums along chains, level by level
//
// The vertices of all levels are numbered one after another. Only a vertex that has an edge at one level becomes part
// of a vertex of the next level, so there are fewer than 2n. An edge that no vertex takes is an alpha edge. Any other
// edge is inside a vertex x of the next level. Its chain is that of the first vertex, from x on and level by level,
// whose lightest edge is heavier: all edges below that vertex, from light to heavy. An edge merges the clusters of the
// vertices that take it. If only one vertex takes it, the other cluster is the one that the preceding edge of the chain
// has made.
//
// Reads: ends, neighbors (edges.h, a list of edges), weights[m]. Writes: pair[m] (a key, and an edge or its place);
//   live[m], rank[m] (edges that are left: their ends, and their numbers, or -1 - number once they are taken),
//   runs[work-items] (with partitioning, how many edges of its own run are left), left[2] (edges, and vertices of the
//   next level); lightest[2n], up[2n] (of each vertex: another of its level, or else the one of the next level that it
//   is a part of); taken[m] (the vertices that take an edge, or -1), into[m] (x); first[chains + 1] (the place of each
//   chain's first edge), below[m], sum[m], top[chains] (the cluster that a chain makes, and its size); merges[4m] (two
//   clusters, the size of the new one, the edge's place in the input).
// Build options besides those of common.h, edges.h, weights.h and sums.h: EACH, how many edges a work-item looks at
//   at a time; with partitioning, they are adjacent.
// Atomics: a minimum on lightest in begin and contract; additions to left, and in local memory.
// Races on lightest, benign: while edges are offered, a word only falls. A stale plain read shows a heavier edge, and
//   the atomic decides.
// Races on up, benign: in contract, a path up ends at a vertex of the next level, which take has written; a stale word
//   is still on that path.
// The number that a vertex gets depends on which vertex comes first, but the edges of a chain do not.
// Benign races (Oclgrind): begin lightest; contract lightest, up.

#include "common.h"
#include "atomics.h"
#include "edges.h"
#include "weights.h"
#include "sums.h"

#define NO_EDGE INT_MAX

// Launch: FOR_EACH over the vertices of all levels. No races.
__kernel void clear(const uint vertices, __global int *lightest) {
    FOR_EACH(uint, v, vertices) lightest[v] = NO_EDGE;
}

// `shift` is 0, and then 32 where keys have 64 bits. Launch: FOR_EACH over edges. No races.
__kernel void keys(const uint m, __global const weight_t *weights, const uint shift, __global uint2 *pair) {
    FOR_EACH(uint, i, m) {
        const uint place = shift ? pair[i].y : i;
        pair[i] = (uint2)((uint)((ulong)key_of(weights[place]) >> shift), place);
    }
}

// FOR_EACH_BLOCK: run the body for each block of edges that are left. In it, FOR_EACH_OF_BLOCK goes through edges i,
// the block's k-th, as often as needed. SHARE_OUT: reserve `count` numbers, beginning at `first`.
#ifdef PARTITIONING
#define FOR_EACH_BLOCK                                                                                  \
    const uint run = RUN_BEGIN(m, get_global_id(0)), end = run + (uint)runs[get_global_id(0)];          \
    for (uint block = run; block < end; block += EACH)
#define FOR_EACH_OF_BLOCK(k, i) for (uint k = 0, i = block; k < EACH && i < end; ++k, ++i)
#define SHARE_OUT(first, count, counter) \
    int first = (count) ? atomic_add((volatile __global int *)(counter), (int)(count)) : 0
#else
#define FOR_EACH_BLOCK                                                                                  \
    __local int together, shared;                                                                       \
    const uint end = m, group = get_local_size(0);                                                      \
    for (ulong block = (ulong)get_group_id(0) * group * EACH; block < end; block += get_global_size(0) * EACH)
#define FOR_EACH_OF_BLOCK(k, i) \
    for (uint k = 0, i = (uint)block + get_local_id(0); k < EACH && i < end; ++k, i += group)
#define SHARE_OUT(first, count, counter)                                                                \
    if (get_local_id(0) == 0) together = 0;                                                             \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                       \
    int first = (count) ? atomic_add(&together, (int)(count)) : 0;                                      \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                       \
    if (get_local_id(0) == 0) shared = together ? atomic_add((volatile __global int *)(counter), together) : 0; \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                       \
    first += shared
#endif

// Offer an edge to both of its ends. `seen` are their lightest edges when last read.
static void offer(int e, int2 ends, int2 seen, __global int *lightest) {
    if (e < seen.x) LOWER(&lightest[ends.x], e);
    if (e < seen.y) LOWER(&lightest[ends.y], e);
}

// Launch: over edges.
__kernel void begin(const uint m, __global const end_t *ends, __global const given_t *neighbors,
                    __global const uint2 *pair, __global int2 *live, __global int *rank, __global int *runs,
                    __global int *lightest, __global int *merges) {
#ifdef PARTITIONING
    runs[get_global_id(0)] = (int)(RUN_BEGIN(m, get_global_id(0) + 1) - RUN_BEGIN(m, get_global_id(0)));
#endif
    FOR_EACH_BLOCK {
        int2 seen[EACH];
        FOR_EACH_OF_BLOCK(k, i) {
            const uint place = pair[i].y;
            merges[4 * i + 3] = (int)place;
            live[i] = (int2)((int)FIRST_END(place), (int)SECOND_END(place, m));
            rank[i] = (int)i;
        }
        FOR_EACH_OF_BLOCK(k, i) seen[k] = (int2)(LOAD(&lightest[live[i].x]), LOAD(&lightest[live[i].y]));
        FOR_EACH_OF_BLOCK(k, i) offer((int)i, live[i], seen[k], lightest);
    }
}

// `next` is the first vertex of the next level. Launch: over the edges that are left. No races: a vertex has one
// lightest edge, and only this edge writes the vertex's path up.
__kernel void take(const uint m, __global int2 *live, __global int *rank, __global const int *runs, const int next,
                   __global int *left, __global const int *lightest, __global int *up, __global int2 *taken) {
    FOR_EACH_BLOCK {
        uint by_first = 0, by_second = 0;
        FOR_EACH_OF_BLOCK(k, i) {
            by_first |= (uint)(lightest[live[i].x] == rank[i]) << k;
            by_second |= (uint)(lightest[live[i].y] == rank[i]) << k;
        }
        SHARE_OUT(number, popcount(by_first & by_second), &left[1]);
        FOR_EACH_OF_BLOCK(k, i) {
            const int2 ends = live[i];
            const bool first = by_first >> k & 1, second = by_second >> k & 1;
            if (!first && !second) continue;
            if (first) up[ends.x] = ends.y;
            if (second) up[ends.y] = first ? next + number++ : ends.x;
            taken[rank[i]] = (int2)(first ? ends.x : -1, second ? ends.y : -1);
            rank[i] = -1 - rank[i];
        }
    }
}

// Return the vertex of the next level that v becomes part of, and shorten the path up from v for later walks.
static int contracted(int v, int next, __global int *up) {
    int at = LOAD(&up[v]);
    while (at < next) {
        at = LOAD(&up[at]);
        STORE(&up[v], at);
    }
    return at;
}

// Launch: as take.
__kernel void contract(const uint m, __global const int2 *live, __global const int *rank, __global int *runs,
                       const int next, __global int *left, __global int *lightest, __global int *up, __global int *into,
                       __global int2 *kept, __global int *kept_rank) {
#ifdef PARTITIONING
    int to = (int)RUN_BEGIN(m, get_global_id(0));
#endif
    FOR_EACH_BLOCK {
        int2 ends[EACH], seen[EACH];
        uint stay = 0;
        FOR_EACH_OF_BLOCK(k, i) {
            ends[k].x = contracted(live[i].x, next, up);
            if (rank[i] < 0) {
                into[-1 - rank[i]] = ends[k].x;
            } else {
                ends[k].y = contracted(live[i].y, next, up);
                seen[k] = (int2)(LOAD(&lightest[ends[k].x]), LOAD(&lightest[ends[k].y]));
                stay |= 1u << k;
            }
        }
#ifndef PARTITIONING
        SHARE_OUT(to, popcount(stay), &left[0]);
#endif
        FOR_EACH_OF_BLOCK(k, i)
            if (stay >> k & 1) {
                offer(rank[i], ends[k], seen[k], lightest);
                kept[to] = ends[k];
                kept_rank[to++] = rank[i];
            }
    }
#ifdef PARTITIONING
    const int stayed = to - (int)RUN_BEGIN(m, get_global_id(0));
    runs[get_global_id(0)] = stayed;
    if (stayed) ADD(&left[0], stayed);
#endif
}

// The vertices of levels above the first have a chain each. Launch: FOR_EACH over edges. No races.
__kernel void chain(const uint m, const uint n, __global const int *into, __global const int *lightest,
                    __global const int *up, __global uint2 *pair) {
    FOR_EACH(uint, e, m) {
        int v = into[e];
        while (lightest[v] < (int)e) v = up[v];
        pair[e] = (uint2)((uint)v - n, e);
    }
}

// Launch: FOR_EACH over edges. No races.
__kernel void mark(const uint m, const uint chains, __global const uint2 *pair, __global uint *first) {
    FOR_EACH(uint, j, m) if (j == 0 || pair[j - 1].x != pair[j].x) first[pair[j].x] = j;
    if (get_global_id(0) == 0) first[chains] = m;
}

// The cluster below v: itself, or what its chain has made.
static int2 below_vertex(int v, uint n, __global const int2 *top) {
    return v < (int)n ? (int2)(v, 1) : top[v - n];
}

// Launch: FOR_EACH over edges, in groups of GROUP. Chains `chain` .. `last` - 1 are this level's.
__kernel void look_below(const uint n, const uint chain, const uint last, __global const uint *first,
                         __global const uint2 *pair, __global const int2 *taken, __global const int2 *top,
                         __global int2 *below, __global uint *sum, __global vertices_t *counts) {
    __local vertices_t sums[GROUP];
    const uint from = first[chain], many = first[last] - from;
    vertices_t mine = 0;
    FOR_EACH(uint, i, many) {
        const uint j = from + i;
        const int2 by = taken[pair[j].y];
        int2 one = by.x < 0 ? (int2)(n + pair[j - 1].y, 0) : below_vertex(by.x, n, top);
        int2 two = by.y < 0 ? (int2)(n + pair[j - 1].y, 0) : below_vertex(by.y, n, top);
        below[j] = (int2)(min(one.x, two.x), max(one.x, two.x));
        mine += sum[j] = one.y + two.y;
    }
    leave_sum(mine, sums, counts);
}

// Launch: as look_below.
__kernel void sum_up(const uint chain, const uint last, __global const uint *first, __global const vertices_t *counts,
                     __global uint *sum) {
    __local vertices_t sums[GROUP];
    const uint from = first[chain], many = first[last] - from;
    vertices_t mine = 0;
    FOR_EACH(uint, i, many) mine += sum[from + i];
    vertices_t up_to = sum_before_all(mine, sums, counts);
    FOR_EACH(uint, k, many) sum[from + k] = up_to += sum[from + k];
}

// Launch: FOR_EACH over edges. No races.
__kernel void write(const uint n, const uint chain, const uint last, __global const uint *first,
                    __global const uint2 *pair, __global const int2 *below, __global const uint *sum,
                    __global int2 *top, __global int *merges) {
    const uint from = first[chain], many = first[last] - from;
    FOR_EACH(uint, i, many) {
        const uint j = from + i, c = pair[j].x, e = pair[j].y, begin = first[c];
        const int size = (int)(sum[j] - (begin > from ? sum[begin - 1] : 0));
        merges[4 * e] = below[j].x;
        merges[4 * e + 1] = below[j].y;
        merges[4 * e + 2] = size;
        if (j + 1 == first[c + 1]) top[c] = (int2)(n + e, size);
    }
}
