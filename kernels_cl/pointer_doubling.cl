// Functional graphs by pointer doubling: where k steps lead, and all cycles. reference/pointer_doubling.py.
//
//   walk       at[i] = the element k steps after it, one by one
//   advance    at[i] = power[at[i]], if k has a 1 at this power's binary digit
//   square     power[j] = power[power[j]]
//
//   image      mark[succ[j]] = 1
//   drop       what was not marked by the last round lies on no cycle
//   jump       jump[j] = jump[jump[j]], and mark that, of what is not dropped
//   split      one random element of each stretch owns itself, unless it was dropped
//   sublists   each splitter walks to the next one, and owns what it passes
//   fold       sublist[s] += sublist[the next splitter], by doubling
//   measure    length[least element of a cycle]
//   label      smallest[j] of what lies on cycles
//   enter      pair[j] = 1 step to succ[j], or 0 to itself on a cycle
//   climb      pair[j] += pair[where it points]
//   finish     steps[j], length[j] and smallest[j]
//
// Reads: succ[n]; k[...], at[s]. Writes: at[s], or found[3 n]: steps, lengths, smallest elements.
// Build options besides walks.h's: none.
// Launch: FOR_EACH over starts (walk, advance), splitters (split to measure) or elements.
// Atomics: none. Races: rounds read one copy and write another. All work-items that mark an element in one round write
//   the same number; `jump` only checks whether an element was dropped, which no mark changes. Sub-lists are disjoint,
//   because no two elements of cycles have the same successor on a cycle; a walk ends at a splitter, which only `split`
//   has marked. All writers of a flag write 1. In `label` and `measure`, the least element of a cycle belongs to one
//   sub-list, or to itself, so only one work-item writes its length. `finish` reads what is on cycles and writes the
//   rest.
// Benign races (Oclgrind): image mark; drop again; jump mark; fold again; climb again.

#include "common.h"

typedef struct {
    vertex_t least;  // the smallest element of the sub-list; later, of all that is spanned
    uint way, span;  // how many steps away that element is, and the next splitter. If span wraps, least is final.
} so_far_t;

#include "kiss.h"
#include "walks.h"

#define DROPPED -1              // the mark of what lies on no cycle; others are positive
#define OWNED(s) (-2 - (int)(s))  // the mark of what splitter s owns, and s for such a mark

typedef struct {
    so_far_t so_far;
    uint next;  // a splitter: the next one, and later one farther on
} sublist_t;

typedef int2 pair_t;  // .x = steps, .y = where they lead

// -- walks ----------------------------------------------------------------------------------------

__kernel void walk(const uint s, const uint each, __global const vertex_t *succ, __global const uint *k,
                   __global vertex_t *at) {
    FOR_EACH(uint, i, s) {
        vertex_t j = at[i];
        for (uint left = k[i * each]; left > 0; --left) j = succ[j];
        at[i] = j;
    }
}

// k[first + i] is a word of start i's k; all have one k if `each` is 0.
__kernel void advance(const uint s, const uint each, const ulong first, const uint digit,
                      __global const vertex_t *power, __global const uint *k, __global vertex_t *at) {
    FOR_EACH(uint, i, s) {
        if (k[first + i * each] >> digit & 1) at[i] = power[at[i]];
    }
}

__kernel void square(const uint n, __global const vertex_t *power, __global vertex_t *squared) {
    FOR_EACH(uint, j, n) squared[j] = power[power[j]];
}

// -- what lies on cycles --------------------------------------------------------------------------

__kernel void image(const uint n, __global const vertex_t *succ, __global vertex_t *mark) {
    FOR_EACH(uint, j, n) STORE(&mark[succ[j]], 1);
}

__kernel void drop(const uint n, const vertex_t i, __global vertex_t *again, const uint round,
                   __global vertex_t *mark) {
    if (STILL(again, round)) return;
    FOR_EACH(uint, j, n) {
        if (mark[j] == DROPPED || mark[j] >= i) continue;
        mark[j] = DROPPED;
        STORE(&again[round], 1);
    }
}

__kernel void jump(const uint n, const vertex_t i, __global const vertex_t *again, const uint round,
                   __global const vertex_t *before, __global vertex_t *after, __global vertex_t *mark) {
    if (again[round] == 0) return;
    FOR_EACH(uint, j, n) {
        if (LOAD(&mark[j]) == DROPPED) continue;
        after[j] = before[before[j]];
        STORE(&mark[after[j]], i + 1);
    }
}

// -- their names and lengths ------------------------------------------------------------------------

__kernel void split(const uint n, const uint splitters, const uint seed, __global vertex_t *mark) {
    FOR_EACH(uint, s, splitters) {
        const vertex_t j = draw(n, splitters, s, seed);
        if (mark[j] != DROPPED) mark[j] = OWNED(s);
    }
}

static bool begin(uint s, vertex_t *at, so_far_t *so_far, uint n, uint splitters, uint seed,
                  __global const vertex_t *succ, __global const vertex_t *mark,
                  __global sublist_t *sublist) {
    const vertex_t j = draw(n, splitters, s, seed);
    *at = succ[j];
    *so_far = (so_far_t){j, 0, 1};
    const bool owns = mark[j] != DROPPED;
    if (!owns) sublist[s] = (sublist_t){{0, 0, 0}, s};
    return owns;
}

static bool step(uint s, vertex_t *at, so_far_t *so_far, __global const vertex_t *succ,
                 __global vertex_t *mark, __global sublist_t *sublist) {
    const vertex_t j = *at, seen = mark[j];
    if (seen < DROPPED) {
        sublist[s].so_far.least = so_far->least;  // copied as a whole, Oclgrind would give up
        sublist[s].so_far.way = so_far->way;
        sublist[s].so_far.span = so_far->span;
        sublist[s].next = OWNED(seen);
        return false;
    }
    mark[j] = OWNED(s);
    if (j < so_far->least) {
        so_far->least = j;
        so_far->way = so_far->span;
    }
    ++so_far->span;
    *at = succ[j];
    return true;
}

__kernel void sublists(const uint n, const uint splitters, const uint seed, __global const vertex_t *succ,
                       __global vertex_t *mark, __global sublist_t *sublist) {
    FOR_EACH_WALK(splitters, begin(WALK, n, splitters, seed, succ, mark, sublist),
                  step(WALK, succ, mark, sublist))
}

// The first round counts as one that changes something, so that in the end both copies hold the answer.
__kernel void fold(const uint splitters, __global vertex_t *again, const uint round,
                   __global const sublist_t *before, __global sublist_t *after) {
    if (STILL(again, round)) return;
    FOR_EACH(uint, s, splitters) {
        so_far_t own = before[s].so_far;
        const sublist_t ahead = before[before[s].next];
        const bool less = ahead.so_far.least < own.least;
        if (less) {
            own.least = ahead.so_far.least;
            own.way = own.span + ahead.so_far.way;
        }
        own.span += ahead.so_far.span;
        after[s] = (sublist_t){own, ahead.next};
        if (less || round == 0) STORE(&again[round], 1);
    }
}

__kernel void measure(const uint splitters, __global const sublist_t *sublist,
                      __global const sublist_t *folded, __global vertex_t *length) {
    FOR_EACH(uint, s, splitters) {
        const so_far_t own = sublist[s].so_far;
        if (own.span > 0 && own.least == folded[s].so_far.least)
            length[own.least] = own.span - own.way + folded[sublist[s].next].so_far.way;
    }
}

__kernel void label(const uint n, __global const vertex_t *succ, __global const vertex_t *mark,
                    __global const sublist_t *folded, __global vertex_t *length, __global vertex_t *found) {
    __global vertex_t *smallest = found + 2 * (size_t)n;
    FOR_EACH(uint, j, n) {
        if (mark[j] < DROPPED) {
            smallest[j] = folded[OWNED(mark[j])].so_far.least;
        } else if (mark[j] != DROPPED) {  // a cycle without splitters, which is short
            vertex_t least = j, steps = 1;
            for (vertex_t at = succ[j]; at != (vertex_t)j; at = succ[at], ++steps) least = min(least, at);
            smallest[j] = least;
            if (least == (vertex_t)j) length[j] = steps;
        }
    }
}

// -- the steps to them ----------------------------------------------------------------------------

__kernel void enter(const uint n, __global const vertex_t *succ, __global const vertex_t *mark,
                    __global pair_t *pair) {
    FOR_EACH(uint, j, n) pair[j] = mark[j] == DROPPED ? (pair_t)(1, succ[j]) : (pair_t)(0, j);
}

__kernel void climb(const uint n, __global vertex_t *again, const uint round,
                    __global const pair_t *before, __global pair_t *after) {
    if (STILL(again, round)) return;
    FOR_EACH(uint, j, n) {
        const pair_t own = before[j];
        if (own.x == 0) {
            after[j] = own;
            continue;
        }
        const pair_t ahead = before[own.y];
        after[j] = (pair_t)(own.x + ahead.x, ahead.y);
        if (ahead.x > 0) STORE(&again[round], 1);
    }
}

__kernel void finish(const uint n, __global const pair_t *pair, __global const vertex_t *length,
                     __global vertex_t *found) {
    __global vertex_t *lengths = found + n, *smallest = lengths + n;
    FOR_EACH(uint, j, n) {
        const pair_t own = pair[j];
        const vertex_t least = smallest[own.y];
        found[j] = own.x;
        lengths[j] = length[least];
        if (own.x > 0) smallest[j] = least;
    }
}
