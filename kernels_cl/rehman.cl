// Recursive sub-list ranking: Rehman, Kothapalli and Narayanan, ICS 2009.
//
//   begin         level 0: each element is 1 before its successor, a last one 0 before itself
//   draw_splitters, own_ends   n / log n random elements and the ends of every list own themselves
//   reduce        each splitter walks its sub-list, marks and adds up; the splitters are the next level
//   as_pairs, as_ranks   around wylie.cl's PJ2 or PJ2_all, which rank the shortest level
//   expand        level by level: rank[j] = its splitter's rank - the way from the splitter
//
// Reads: succ[n], splitter[r] (its first entries hold the ends in level 0; in all others the ends are
//   elements 0, 1, ...). Writes: element[n] and rank[n] of every level, splitter[r]; *lost = 1 for a cycle.
// An element is one 128-bit word, so that a step of the walk touches one place.
// Launch: FOR_EACH over elements, or over splitters (draw_splitters, own_ends, reduce).
// Atomics: none. Races: if several splitters are the same element, all write it in draw_splitters, and their words
//   differ only in the owner. One owner stays, unless own_ends, a later kernel, makes it an end. In reduce, the next
//   kernel, the other splitters are void: they become elements that nothing precedes or follows. Walks are disjoint,
//   because no two elements have the same successor. All writers of *lost write 1.
// Benign races (Oclgrind): as_ranks lost.

#include "common.h"
#include "kiss.h"
#include "walks.h"

typedef int4 element_t;  // .x = way to the next element, .y = that, .z = way from its splitter, .w = that
typedef int so_far_t;

__kernel void begin(const uint n, __global const vertex_t *succ, __global element_t *element) {
    FOR_EACH(uint, j, n) element[j] = (element_t)(succ[j] != (vertex_t)j, succ[j], 0, UNOWNED);
}

static void take(uint i, vertex_t j, __global vertex_t *splitter, __global element_t *element) {
    splitter[i] = j;
    element[j] = (element_t)(element[j].xy, 0, i);
}

// Splitter ends + i is drawn from stretch i of p = r - ends.
__kernel void draw_splitters(const uint n, const uint r, const uint ends, const uint seed,
                             __global vertex_t *splitter, __global element_t *element) {
    FOR_EACH(uint, i, r - ends) take(ends + i, draw(n, r - ends, i, seed), splitter, element);
}

// The ends are written last: in the next level, they are elements 0 .. ends - 1, so none of them may be void.
__kernel void own_ends(const uint ends, const int level, __global vertex_t *splitter,
                       __global element_t *element) {
    FOR_EACH(uint, i, ends) take(i, level == 0 ? splitter[i] : (vertex_t)i, splitter, element);
}

static bool set_out(uint walker, vertex_t *at, int *so_far, __global const vertex_t *splitter,
                    __global const element_t *element, __global element_t *shorter) {
    const element_t own = element[splitter[walker]];
    if (own.w != (int)walker) {
        shorter[walker] = (element_t)(0, walker, 0, UNOWNED);
        return false;
    }
    *at = own.y;
    *so_far = own.x;
    return true;
}

static bool step(uint walker, vertex_t *at, int *so_far, __global element_t *element,
                 __global element_t *shorter, __global int *lost) {
    const element_t seen = element[*at];
    if (seen.w == UNOWNED) {
        element[*at] = (element_t)(seen.xy, *so_far, walker);
        *so_far += seen.x;
        *at = seen.y;
        return true;
    }
    shorter[walker] = (element_t)(*so_far, seen.w, 0, UNOWNED);
    if (seen.w == (int)walker && *so_far != 0) STORE(lost, 1);  // only a last element's way to itself is 0
    return false;
}

__kernel void reduce(const uint r, __global const vertex_t *splitter, __global element_t *element,
                     __global element_t *shorter, __global int *lost) {
    FOR_EACH_WALK(r, set_out(WALK, splitter, element, shorter), step(WALK, element, shorter, lost))
}

__kernel void as_pairs(const uint n, __global const element_t *element, __global int2 *pair) {
    FOR_EACH(uint, j, n) pair[j] = element[j].xy;
}

__kernel void as_ranks(const uint n, __global const element_t *element, __global const int2 *pair,
                       __global vertex_t *rank, __global int *lost) {
    FOR_EACH(uint, j, n) {
        const vertex_t last = pair[j].y;
        rank[j] = pair[j].x;
        if (element[last].y != last) STORE(lost, 1);
    }
}

// An element without an owner is void, and points to itself, or is on a cycle.
__kernel void expand(const uint n, __global const element_t *element, __global const vertex_t *rank_shorter,
                     __global vertex_t *rank, __global int *lost) {
    FOR_EACH(uint, j, n) {
        const element_t own = element[j];
        if (own.w != UNOWNED)
            rank[j] = rank_shorter[own.w] - own.z;
        else if (own.y != (vertex_t)j)
            STORE(lost, 1);
    }
}
