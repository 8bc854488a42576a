// List ranking by a single work-item: for lists so short that several launches would take longer.
//
//   cut              splitters: the head of every list, and one random element of each of p stretches
//   step             each splitter walks its sub-list to the next splitter, marks and counts; WALKS of them
//                    take turns, so that cache misses overlap
//   connect          link the sub-lists backwards, and check where they end
//   rank_splitters   from the end of each list backwards
//   finish           rank[j] = its splitter's rank - the way from the splitter
//
// Reads: succ[n], all in range. Writes: rank[n], which holds the way from the splitter until `finish`;
//   owner[n]; splitter[n]; sublist[n]. rank[0] = -1 if the successors do not form lists.
// Build options besides common.h's: WALKS (walks.h).
// Launch: exactly one work-item. Atomics: none. Races: none. If arguments are `restrict`, compilers vectorize, or keep
// values in registers.
// Benign races (Oclgrind): none.

#include "common.h"
#include "kiss.h"
#include "walks.h"

typedef int2 pair_t;
typedef int so_far_t;
#define VOID -1  // before the first sub-list of a list

// Make element j splitter r, unless it is one already. Return the number of splitters.
static uint take(uint r, vertex_t j, __global vertex_t *rank, __global int *owner, __global int *splitter) {
    if (rank[j] != UNOWNED) return r;
    rank[j] = 0;
    owner[j] = r;
    splitter[r] = j;
    return r + 1;
}

// If there are several lists: an element is a head if no other one points to it. `has_predecessor` is overwritten.
static uint take_heads(uint n, __global const vertex_t *succ, __global vertex_t *rank,
                       __global int *has_predecessor, __global int *splitter) {
    for (uint j = 0; j < n; ++j) has_predecessor[j] = false;
    for (uint j = 0; j < n; ++j)
        if (succ[j] != (vertex_t)j) has_predecessor[succ[j]] = true;
    uint r = 0;
    for (uint j = 0; j < n; ++j)
        if (!has_predecessor[j]) r = take(r, j, rank, has_predecessor, splitter);
    return r;
}

// Return the number of splitters. The head of a single list is the sum of all positions minus the sum of the positions
// of all elements that follow another one.
static uint cut(uint n, uint drawn, uint seed, __global const vertex_t *restrict succ,
                __global vertex_t *restrict rank, __global int *owner, __global int *splitter) {
    uint lasts = 0, head = 0, r = 0;
    for (uint j = 0; j < n; ++j) {
        const uint next = succ[j];
        rank[j] = UNOWNED;
        lasts += next == j;
        head += next == j ? j : j - next;
    }
    if (lasts > 1)
        r = take_heads(n, succ, rank, owner, splitter);
    else if (head < n)
        r = take(r, head, rank, owner, splitter);
    for (uint i = 0; i < drawn; ++i) r = take(r, draw(n, drawn, i, seed), rank, owner, splitter);
    return r;
}

static bool begin(uint walker, vertex_t *at, int *dist, __global const vertex_t *succ,
                  __global const int *splitter) {
    *at = succ[splitter[walker]];
    *dist = 1;
    return true;
}

// At its end, a walk leaves the number of its elements, and the element after them.
static bool step(uint walker, vertex_t *at, int *dist, __global const vertex_t *restrict succ,
                 __global vertex_t *restrict rank, __global int *restrict owner,
                 __global pair_t *restrict sublist) {
    if (rank[*at] == UNOWNED) {
        rank[*at] = (*dist)++;
        owner[*at] = walker;
        *at = succ[*at];
        return true;
    }
    sublist[walker] = (pair_t)(*dist, *at);
    return false;
}

// before[i] = the sub-list that ends before splitter i, or VOID. A sub-list that ends a list points to itself. Return
// whether every element is in a sub-list, and each sub-list ends before a splitter or at a last element.
static bool connect(uint n, uint r, __global const vertex_t *succ, __global const vertex_t *rank,
                    __global const int *owner, __global pair_t *sublist, __global int *before) {
    uint owned = 0;
    bool right = true;
    for (uint i = 0; i < r; ++i) before[i] = VOID;
    for (uint i = 0; i < r; ++i) {
        const vertex_t after = sublist[i].y;
        owned += sublist[i].x;
        sublist[i].y = owner[after];
        if (owner[after] == (int)i) {
            right &= succ[after] == after;
        } else {
            right &= rank[after] == 0;
            before[owner[after]] = i;
        }
    }
    return right && owned == n;
}

// Return the number of splitters ranked. It is less than r if there is a cycle, or if two sub-lists end
// before the same splitter. No splitter is met twice, because each is before only one other.
static uint rank_splitters(uint r, __global pair_t *sublist, __global const int *before) {
    uint ranked = 0;
    for (uint i = 0; i < r; ++i) {
        if (sublist[i].y != (int)i) continue;
        int rank = -1;
        for (int at = i; at != VOID; at = before[at]) {
            rank += sublist[at].x;
            sublist[at].x = rank;
            ++ranked;
        }
    }
    return ranked;
}

static void finish(uint n, __global const int *restrict owner, __global const pair_t *restrict sublist,
                   __global vertex_t *restrict rank) {
    for (uint j = 0; j < n; ++j) rank[j] = sublist[owner[j]].x - rank[j];
}

__kernel void sequential(const uint n, const uint drawn, const uint seed, __global const vertex_t *succ,
                         __global int *splitter, __global int *owner, __global pair_t *sublist,
                         __global vertex_t *rank) {
    const uint r = cut(n, drawn, seed, succ, rank, owner, splitter);
    FOR_EACH_WALK(r, begin(WALK, succ, splitter), step(WALK, succ, rank, owner, sublist))
    if (connect(n, r, succ, rank, owner, sublist, splitter) && rank_splitters(r, sublist, splitter) == r)
        finish(n, owner, sublist, rank);
    else
        rank[0] = -1;
}
