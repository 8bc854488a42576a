// List ranking by pointer jumping: Wylie 1979, in Dehne and Yogaratnam's form (2010, algorithm 2).
//
//   PJ1   rank[j] = 1, or 0 for a last element;  last[j] = succ[j]
//   PJ2   rank[j] += rank[last[j]];  last[j] = last[last[j]]     ceil(log2 n) times
//   done  rank[j] alone; *lost = 1 if some pointer does not end at a last element (a cycle)
//
// Rank and pointer are packed into one 64-bit pair, so that each is one access (section 3.1).
// PJ2 reads one array of pairs and writes another: no races. `done`'s writers all write 1.
// Launch: FOR_EACH over elements. Atomics: none.

#include "common.h"

typedef int2 pair_t;  // .x = rank, .y = last

__kernel void PJ1(const uint n, __global const vertex_t *succ, __global pair_t *pair) {
    FOR_EACH(uint, j, n) {
        const vertex_t next = succ[j];
        pair[j] = (pair_t)(next != (vertex_t)j, next);
    }
}

__kernel void PJ2(const uint n, __global const pair_t *before, __global pair_t *after) {
    FOR_EACH(uint, j, n) {
        const pair_t own = before[j], ahead = before[own.y];
        after[j] = (pair_t)(own.x + ahead.x, ahead.y);
    }
}

__kernel void done(const uint n, __global const vertex_t *succ, __global const pair_t *pair,
                   __global vertex_t *rank, __global int *lost) {
    FOR_EACH(uint, j, n) {
        rank[j] = pair[j].x;
        if (succ[pair[j].y] != pair[j].y) STORE(lost, 1);
    }
}
