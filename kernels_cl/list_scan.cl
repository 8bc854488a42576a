// List scan with random splitters: Reid-Miller, JCSS 53, 1996.
//
//   LS1   no element has an owner
//   LS2   splitters: one random element of each of p stretches (_draw), and the ends of every list (_ends)
//   LS3   each splitter walks its sub-list: each value is replaced by the combination of those up to it
//   LS4   scan the list of splitters by pointer jumping over predecessors
//   LS5   result[j] = all earlier sub-lists combined, combined with its own sub-list up to j
//
// Reads: succ[n], value[n], splitter[r] (its first entries hold the ends). Writes: element[n], splitter[r], sublist[r],
//   result[n]; *lost = 1 for a cycle; *overflow = 1 if an integer needs more than 64 bits, even if it is not in the
//   result: then `result` means nothing.
// Build options besides walks.h's: FLOATING, for double in place of long; one of COMBINE_ADD,
//   COMBINE_MULTIPLY, COMBINE_MIN and COMBINE_MAX.
// Launch: FOR_EACH over elements (LS1, LS5) or splitters.
// Atomics: none. Races: if several splitters are the same element, all mark it in LS2_draw, and one number stays,
//   unless LS2_ends, a later kernel, marks it as an end. In LS3, the next kernel, the other splitters see this and do
//   nothing. Walks are disjoint, because no two elements have the same successor. So no two walks end at the same
//   splitter and write its predecessor. LS4 reads one copy and writes another. All writers of a flag write 1.
// Benign races (Oclgrind): LS5 lost.

#include "common.h"
#include "kiss.h"
#include "walks.h"

#ifdef FLOATING
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double value_t;
#define LEAST -INFINITY
#define GREATEST INFINITY
#define NOTHING -0.0  // 0.0 + -0.0 is not -0.0
#define IS_NAN(x) isnan(x)
#else
typedef long value_t;
#define LEAST LONG_MIN
#define GREATEST LONG_MAX
#define NOTHING 0
#define IS_NAN(x) false
#endif
typedef value_t so_far_t;

// combine() takes the value that comes earlier in the list first. Combining IDENTITY with any value gives that value.
#if defined(COMBINE_MIN)
#define IDENTITY GREATEST
static value_t combine(value_t x, value_t y, __global int *overflow) {
    return x <= y || IS_NAN(x) ? x : y;  // NaN, if either is
}
#elif defined(COMBINE_MAX)
#define IDENTITY LEAST
static value_t combine(value_t x, value_t y, __global int *overflow) {
    return x >= y || IS_NAN(x) ? x : y;
}
#elif defined(COMBINE_ADD)
#define IDENTITY NOTHING
static value_t combine(value_t x, value_t y, __global int *overflow) {
#ifdef FLOATING
    return x + y;
#else
    const long sum = (long)((ulong)x + (ulong)y);  // unsigned numbers may wrap
    if (sum != add_sat(x, y)) STORE(overflow, 1);
    return sum;
#endif
}
#elif defined(COMBINE_MULTIPLY)
#define IDENTITY 1
static value_t combine(value_t x, value_t y, __global int *overflow) {
#ifdef FLOATING
    return x * y;
#else
    const long product = (long)((ulong)x * (ulong)y);
    if (mul_hi(x, y) != product >> 63) STORE(overflow, 1);  // the upper half must be all sign
    return product;
#endif
}
#endif

typedef struct {
    value_t value;  // its own; once it is owned, the values from its splitter's up to its own combined
    vertex_t next;
    int owner;
} element_t;

typedef struct {
    value_t before;  // the sub-lists from the predecessor's up to this one, not included, combined
    vertex_t pred;   // a splitter before it in the list; a list's first: itself
} sublist_t;

__kernel void LS1(const uint n, __global const vertex_t *succ, __global const value_t *value,
                  __global element_t *element) {
    FOR_EACH(uint, j, n) {
        element[j].value = value[j];
        element[j].next = succ[j];
        element[j].owner = UNOWNED;
    }
}

static void take(uint i, vertex_t j, __global element_t *element, __global sublist_t *sublist) {
    element[j].owner = i;
    sublist[i].before = IDENTITY;
    sublist[i].pred = i;
}

// Splitter ends + i is drawn from stretch i of p = r - ends.
__kernel void LS2_draw(const uint n, const uint r, const uint ends, const uint seed,
                       __global vertex_t *splitter, __global element_t *element,
                       __global sublist_t *sublist) {
    FOR_EACH(uint, i, r - ends) {
        splitter[ends + i] = draw(n, r - ends, i, seed);
        take(ends + i, splitter[ends + i], element, sublist);
    }
}

// The ends come last: LS5 knows the first of a list by its number, which is less than `ends`.
__kernel void LS2_ends(const uint ends, __global const vertex_t *splitter, __global element_t *element,
                       __global sublist_t *sublist) {
    FOR_EACH(uint, i, ends) take(i, splitter[i], element, sublist);
}

static bool begin(uint walker, vertex_t *at, value_t *so_far, __global const vertex_t *splitter,
                  __global const element_t *element) {
    const element_t own = element[splitter[walker]];
    *at = own.next;
    *so_far = own.value;
    return own.owner == (int)walker;
}

static bool step(uint walker, vertex_t *at, value_t *so_far, __global element_t *element,
                 __global sublist_t *sublist, __global int *overflow) {
    const element_t seen = element[*at];
    if (seen.owner == UNOWNED) {
        *so_far = combine(*so_far, seen.value, overflow);
        element[*at].value = *so_far;
        element[*at].owner = walker;
        *at = seen.next;
        return true;
    }
    if (seen.owner != (int)walker) {  // a last element points to itself, and is before nothing
        sublist[seen.owner].before = *so_far;
        sublist[seen.owner].pred = walker;
    }
    return false;
}

__kernel void LS3(const uint r, __global const vertex_t *splitter, __global element_t *element,
                  __global sublist_t *sublist, __global int *overflow) {
    FOR_EACH_WALK(r, begin(WALK, splitter, element), step(WALK, element, sublist, overflow))
}

__kernel void LS4(const uint r, __global const sublist_t *sublist, __global sublist_t *after,
                  __global int *overflow) {
    FOR_EACH(uint, i, r) {
        const sublist_t own = sublist[i], earlier = sublist[own.pred];
        after[i].before = combine(earlier.before, own.before, overflow);
        after[i].pred = earlier.pred;
    }
}

// By now, every predecessor is the first element of a list; a cycle has no first element.
__kernel void LS5(const uint n, const uint ends, __global const element_t *element,
                  __global const sublist_t *sublist, __global value_t *result, __global int *lost,
                  __global int *overflow) {
    FOR_EACH(uint, j, n) {
        const element_t own = element[j];
        if (own.owner == UNOWNED || sublist[own.owner].pred >= (vertex_t)ends)
            STORE(lost, 1);
        else
            result[j] = combine(sublist[own.owner].before, own.value, overflow);
    }
}
