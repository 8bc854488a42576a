// List ranking with random splitters: Reid-Miller 1996, in Dehne and Yogaratnam's form (2010, algorithm 3).
//
//   RS1, RS1_sum   no element has an owner; each element's successor waits where its rank will be. RS1_sum also
//         adds up where the ends are (successors.h)
//   RS1_ends   the head and the last element of a single list, from these sums
//   RS2, RS2_given   splitters: the ends of every list, and one random element of each of p stretches
//   RS3   each splitter walks its sub-list to the next splitter, marks and counts
//   RS4_walk, RS4_rank   rank the list of splitters in the same way, if it is long: some of them are taken, and walk
//         to each other. Those are again splitters, of a higher level. wylie.cl's PJ2 ranks the highest level, and
//         then RS4_rank each level from the one above
//   RS4_check   *lost = LOST if a splitter's list does not end at a last element (a cycle)
//   RS5   rank[j] = its splitter's rank - the way from the splitter; *lost = LOST if j has none (a cycle)
//
// Owner and rank are packed into one 64-bit pair (Dehne's 64-bit version). Until an element is owned, its successor is
// in the rank's place, so that a step of the walk touches one word, and not two that are far apart.
// Reads: succ[n], splitter[r] (its first entries hold the given ones). Writes: mark[n] (rank, owner),
//   splitter[r], sublist[r] (sprank, spsucc), ranked[r] (rank, owner; then rank, the list's end), rank[n]; *lost.
// If the ends are not given, the kernels expect a single list. If RS1_ends finds that this is wrong, it sets *lost to
// NOT_ONE. Then RS2 marks nothing, all splitters are void, none of them walks, and RS5 leaves the ranks alone.
// Build options besides walks.h's: NARROW_OWNERS, for 32-bit ranks and then 16-bit owners in two arrays.
// Launch: FOR_EACH over elements (RS1, RS5), splitters (RS2, RS3, RS4_rank, RS4_check) or those taken (RS4_walk);
//   work-groups of a power of two in RS1_sum and RS1_ends; RS1_ends: exactly one work-group.
// Atomics: none. Races: if several given splitters are the same element, all mark it, with the same rank and their own
//   numbers. One number stays; in RS3, a later kernel, the other splitters see that it is not theirs and are void, as
//   are drawn splitters that are this element. The walks of RS3 are disjoint, because no two elements have the same
//   successor; a walk may read a stale mark only where no mark has been written. The same is true of RS4_walk.
//   RS4_check and RS5: all writers of *lost write LOST; RS5 reads it only to learn what RS1_ends, an earlier kernel,
//   wrote.
// Benign races (Oclgrind): RS2 mark; RS4_check lost; RS5 lost.

#include "common.h"
#include "kiss.h"
#include "pairs.h"
#include "successors.h"
#include "walks.h"

typedef int so_far_t;
#define VOID -1  // a splitter whose element belongs to another splitter
enum { LOST = 1, NOT_ONE = 2 };

#ifdef NARROW_OWNERS
typedef int mark_t;
#define NOBODY 0xFFFF
static pair_t mark_of(uint n, __global const mark_t *mark, uint j) {
    const int owner = ((__global const ushort *)(mark + n))[j];
    return (pair_t)(mark[j], owner == NOBODY ? UNOWNED : owner);
}
static void set_mark(uint n, __global mark_t *mark, uint j, int rank, int owner) {
    mark[j] = rank;
    ((__global ushort *)(mark + n))[j] = (ushort)owner;  // UNOWNED becomes NOBODY
}
#else
typedef pair_t mark_t;
static pair_t mark_of(uint n, __global const mark_t *mark, uint j) { return mark[j]; }
static void set_mark(uint n, __global mark_t *mark, uint j, int rank, int owner) {
    mark[j] = (pair_t)(rank, owner);
}
#endif

__kernel void RS1(const uint n, __global const vertex_t *succ, __global mark_t *mark, __global int *lost) {
    if (get_global_id(0) == 0) *lost = 0;
    FOR_EACH(uint, j, n) set_mark(n, mark, j, succ[j], UNOWNED);
}

// Also writes sums[4 * group ..], the group's end_sums_t.
__kernel void RS1_sum(const uint n, __global const vertex_t *succ, __global mark_t *mark, __global int *lost,
                      __global ulong *sums, __local ulong *scratch) {
    end_sums_t own = {0, 0, 0, 0};
    if (get_global_id(0) == 0) *lost = 0;
    FOR_EACH(uint, j, n) {
        const vertex_t next = succ[j];
        set_mark(n, mark, j, next, UNOWNED);
        count_in(&own, j, next);
    }
    add_up_ends(own, scratch, &sums[4 * get_group_id(0)]);
}

// Write splitter[0 .. 1], the head and the last element of the only list, from the sums of the groups. This is not part
// of RS2, because PoCL 3.1 left out work-items in a loop after such barriers.
__kernel void RS1_ends(const uint n, const uint groups, __global const ulong *sums,
                       __global vertex_t *splitter, __global int *lost, __local ulong *scratch) {
    uint head, last;
    const bool one = ends_of_one(n, groups, sums, scratch, &head, &last);
    if (get_local_id(0) == 0) {
        splitter[0] = one ? head : 0;
        splitter[1] = one ? last : 0;
        if (!one) *lost = NOT_ONE;
    }
}

// Splitter given + i is drawn from stretch i of p = r - given. If `one`, the given splitters are the ends that
// RS1_ends found, and a drawn one that is an end marks nothing. Otherwise, RS2_given follows.
__kernel void RS2(const uint n, const uint r, const uint given, const uint seed, const uint one,
                  __global vertex_t *splitter, __global mark_t *mark, __global const int *lost) {
    const bool some = !one || *lost != NOT_ONE;
    FOR_EACH(uint, i, r) {
        if (i < given) {
            if (one && some) set_mark(n, mark, splitter[i], 0, i);
            continue;
        }
        const vertex_t own = draw(n, r - given, i - given, seed);
        splitter[i] = own;
        if (some && !(one && (own == splitter[0] || own == splitter[1]))) set_mark(n, mark, own, 0, i);
    }
}

// Runs after RS2, so an element that both mark belongs to a given splitter. RS4_walk relies on that.
__kernel void RS2_given(const uint n, const uint given, __global const vertex_t *splitter,
                        __global mark_t *mark) {
    FOR_EACH(uint, i, given) set_mark(n, mark, splitter[i], 0, i);
}

static bool begin(uint walker, vertex_t *at, int *dist, uint n, __global const vertex_t *succ,
                  __global vertex_t *splitter, __global const mark_t *mark, __global pair_t *sublist) {
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

static bool step(uint walker, vertex_t *at, int *dist, uint n, __global mark_t *mark,
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

// Of r splitters, the given ones are taken, and one from each of q - given stretches of the others. If q is 0, none is
// taken.
static uint taken(uint k, uint r, uint q, uint given, uint seed) {
    return k < given ? k : given + draw(r - given, q - given, k - given, seed);
}

// At first, a splitter belongs to itself if it is taken, and otherwise to nobody.
static pair_t unranked(uint i, uint r, uint q, uint given, uint seed) {
    const uint k = i < given || q == given ? i : given + stretch_of(r - given, q - given, i - given);
    return (pair_t)(0, k < q && taken(k, r, q, given, seed) == i ? (int)k : UNOWNED);
}

__kernel void RS3(const uint n, const uint r, const uint q, const uint given, const uint seed,
                  __global const vertex_t *succ, __global vertex_t *splitter, __global mark_t *mark,
                  __global pair_t *sublist, __global pair_t *ranked) {
    if (q > 0) FOR_EACH(uint, i, r) ranked[i] = unranked(i, r, q, given, seed);
    FOR_EACH_WALK(r, begin(WALK, n, succ, splitter, mark, sublist), step(WALK, n, mark, sublist))
}

static bool set_out(uint walker, vertex_t *at, int *dist, uint own, __global const pair_t *sublist) {
    *at = sublist[own].y;
    *dist = sublist[own].x;
    return true;
}

static bool go_on(uint walker, vertex_t *at, int *dist, __global const pair_t *sublist,
                  __global pair_t *ranked, __global pair_t *sublist_above) {
    const pair_t seen = ranked[*at], next = sublist[*at];
    if (seen.y == UNOWNED) {
        ranked[*at] = (pair_t)(*dist, walker);
        *dist += next.x;
        *at = next.y;
        return true;
    }
    sublist_above[walker] = (pair_t)(*dist, seen.y);
    return false;
}

// Of the q taken splitters, q_above are taken at the next level.
__kernel void RS4_walk(const uint r, const uint q, const uint given, const uint seed, const uint q_above,
                       __global const pair_t *sublist, __global pair_t *ranked, __global pair_t *sublist_above,
                       __global pair_t *ranked_above) {
    if (q_above > 0) FOR_EACH(uint, k, q) ranked_above[k] = unranked(k, q, q_above, given, seed + 1);
    FOR_EACH_WALK(q, set_out(WALK, taken(walker, r, q, given, seed), sublist),
                  go_on(WALK, sublist, ranked, sublist_above))
}

__kernel void RS4_rank(const uint r, const uint q, const uint given, const uint seed,
                       __global const pair_t *ranked_above, __global pair_t *ranked) {
    FOR_EACH(uint, i, r) {
        const pair_t own = ranked[i];
        if (own.y == UNOWNED) continue;
        const pair_t end = ranked_above[own.y];
        ranked[i] = (pair_t)(end.x - own.x, end.y == UNOWNED ? UNOWNED : (int)taken(end.y, r, q, given, seed));
    }
}

// A splitter's list must end at a last element. Void splitters are their own ends, or have no ends. This is not part of
// RS5, because the ranks may overwrite the successors.
__kernel void RS4_check(const uint r, __global const vertex_t *succ, __global const vertex_t *splitter,
                        __global const pair_t *ranked, __global int *lost) {
    FOR_EACH(uint, i, r) {
        if (splitter[i] == VOID) continue;
        const int end = ranked[i].y;
        if (end == UNOWNED || splitter[end] == VOID || succ[splitter[end]] != splitter[end]) STORE(lost, LOST);
    }
}

__kernel void RS5(const uint n, __global const mark_t *mark, __global const pair_t *ranked,
                  __global vertex_t *rank, __global int *lost) {
    if (LOAD(lost) == NOT_ONE) return;
    FOR_EACH(uint, j, n) {
        const pair_t own = mark_of(n, mark, j);
        if (own.y == UNOWNED)
            STORE(lost, LOST);
        else
            rank[j] = ranked[own.y].x - own.x;
    }
}
