// List ranking with random splitters: Reid-Miller 1996, in Dehne and Yogaratnam's form (2010, algorithm 3).
//
//   RS1   nobody owns anything; each element's successor waits where its rank will be
//   RS2   splitters: the given ones (the ends of every list), and one random element of each of p stretches
//   RS3   each splitter walks its sub-list to the next splitter, marks and counts
//   RS4   rank the list of splitters by pointer jumping (wylie.cl's PJ2 on its pairs)
//   RS5   rank[j] = its splitter's rank - the way from the splitter; *lost = 1 if j has none (a cycle)
//
// Owner and rank are packed into one 64-bit pair (Dehne's 64-bit version). Until an element is owned, its
//   successor stands in the rank's place: a step of the walk then touches one word, not two far apart.
// Reads: succ[n], splitter[r] (its first entries hold the given ones). Writes: mark[n] (rank, owner),
//   splitter[r], sublist[r] (sprank, spsucc), rank[n].
// Build options besides walks.h's: NARROW_OWNERS, for 32-bit ranks and then 16-bit owners in two arrays.
// Launch: FOR_EACH over elements (RS1, RS5) or splitters (RS2, RS3, RS4_check).
// Atomics: none. Races: if several splitters are the same element, all mark it in RS2, with the same rank and
//   their own numbers. One number stays; in RS3, a later kernel, the others see that it is not theirs and are
//   void. RS3's walks are disjoint, as no two elements have the same successor; it may read a stale mark only
//   where nobody has written one. RS4_check and RS5: all who write *lost write 1.
// Benign races (Oclgrind): RS2 mark; RS4_check lost; RS5 lost.

#include "common.h"
#include "kiss.h"
#include "walks.h"

typedef int2 pair_t;
typedef int so_far_t;
#define VOID -1  // a splitter whose element belongs to another splitter

#ifdef NARROW_OWNERS
typedef int word_t;
#define NOBODY 0xFFFF
static pair_t mark_of(uint n, __global const word_t *mark, uint j) {
    const int owner = ((__global const ushort *)(mark + n))[j];
    return (pair_t)(mark[j], owner == NOBODY ? UNOWNED : owner);
}
static void set_mark(uint n, __global word_t *mark, uint j, int rank, int owner) {
    mark[j] = rank;
    ((__global ushort *)(mark + n))[j] = (ushort)owner;  // UNOWNED becomes NOBODY
}
#else
typedef pair_t word_t;
static pair_t mark_of(uint n, __global const word_t *mark, uint j) { return mark[j]; }
static void set_mark(uint n, __global word_t *mark, uint j, int rank, int owner) {
    mark[j] = (pair_t)(rank, owner);
}
#endif

__kernel void RS1(const uint n, __global const vertex_t *succ, __global word_t *mark) {
    FOR_EACH(uint, j, n) set_mark(n, mark, j, succ[j], UNOWNED);
}

// Splitters 0 .. given - 1 are given; splitter given + i is drawn from stretch i of p = r - given.
__kernel void RS2(const uint n, const uint r, const uint given, const uint seed,
                  __global vertex_t *splitter, __global word_t *mark) {
    FOR_EACH(uint, i, r) {
        if (i >= given) splitter[i] = draw(n, r - given, i - given, seed);
        set_mark(n, mark, splitter[i], 0, i);
    }
}

static bool begin(uint walker, vertex_t *at, int *dist, uint n, __global const vertex_t *succ,
                  __global vertex_t *splitter, __global const word_t *mark, __global pair_t *sublist) {
    const vertex_t own = splitter[walker];
    if (mark_of(n, mark, own).y != (int)walker) {
        splitter[walker] = VOID;
        sublist[walker] = (pair_t)(0, walker);
        return false;
    }
    *at = succ[own];
    *dist = 1;
    return true;
}

static bool step(uint walker, vertex_t *at, int *dist, uint n, __global word_t *mark,
                 __global pair_t *sublist) {
    const pair_t seen = mark_of(n, mark, *at);
    if (seen.y == UNOWNED) {
        set_mark(n, mark, *at, (*dist)++, walker);
        *at = seen.x;
        return true;
    }
    const bool last = seen.y == (int)walker;  // a last element points to itself
    sublist[walker] = (pair_t)(last ? 0 : *dist, seen.y);
    return false;
}

__kernel void RS3(const uint n, const uint r, __global const vertex_t *succ, __global vertex_t *splitter,
                  __global word_t *mark, __global pair_t *sublist) {
    FOR_EACH_WALK(r, begin(WALK, n, succ, splitter, mark, sublist), step(WALK, n, mark, sublist))
}

// By now every splitter must point to a splitter that is a last element.
__kernel void RS4_check(const uint r, __global const vertex_t *succ, __global const vertex_t *splitter,
                        __global const pair_t *sublist, __global int *lost) {
    FOR_EACH(uint, i, r) {
        const vertex_t end = splitter[sublist[i].y];
        if (splitter[i] != VOID && succ[end] != end) STORE(lost, 1);
    }
}

__kernel void RS5(const uint n, __global const word_t *mark, __global const pair_t *sublist,
                  __global vertex_t *rank, __global int *lost) {
    FOR_EACH(uint, j, n) {
        const pair_t own = mark_of(n, mark, j);
        if (own.y == UNOWNED)
            STORE(lost, 1);
        else
            rank[j] = sublist[own.y].x - own.x;
    }
}
