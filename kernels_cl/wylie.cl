// List ranking by pointer jumping: Wylie 1979, in Dehne and Yogaratnam's form (2010, algorithm 2).
//
//   PJ1       rank[j] = 1, or 0 for a last element;  last[j] = succ[j]
//   PJ2       rank[j] += rank[last[j]];  last[j] = last[last[j]]     ceil(log2 n) times
//   PJ2_all   all those rounds at once
//   PJ2_held  the same for pairs that fit into local memory
//   done      rank[j] alone; *lost = 1 if some pointer does not end at a last element (a cycle)
//
// Build options besides common.h's: APART (pairs.h); for PJ2_held, HELD, the most pairs of a work-item.
// Launch: FOR_EACH over elements; PJ2_all, PJ2_held: exactly one work-group, of any size.
// Atomics: none. Races: PJ2 reads one copy of the pairs and writes another. There are barriers between the rounds of
//   PJ2_all, and between reading and writing in PJ2_held. After a barrier, the one work-group sees what it has written
//   before. In `done`, all writers write 1.
// Benign races (Oclgrind): done lost.

#include "common.h"
#include "pairs.h"

__kernel void PJ1(const uint n, __global const vertex_t *succ, __global word_t *pairs) {
    FOR_EACH(uint, j, n) {
        const vertex_t next = succ[j];
        set_pair(n, pairs, j, (pair_t)(next != (vertex_t)j, next));
    }
}

__kernel void PJ2(const uint n, __global const word_t *before, __global word_t *after) {
    jump(n, before, after);
}

__kernel void PJ2_all(const uint n, const uint rounds, __global word_t *before, __global word_t *after) {
    (void)jump_all(n, rounds, before, after);
}

#ifdef HELD
__kernel void PJ2_held(const uint n, const uint rounds, __global pair_t *pairs, __local pair_t *near) {
    const uint own = get_local_id(0), size = get_local_size(0);
    pair_t held[HELD];
    for (uint j = own; j < n; j += size) near[j] = pairs[j];
    for (uint round = 0; round < rounds; ++round) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0, j = own; k < HELD && j < n; ++k, j += size) {
            const pair_t before = near[j], ahead = near[before.y];
            held[k] = (pair_t)(before.x + ahead.x, ahead.y);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0, j = own; k < HELD && j < n; ++k, j += size) near[j] = held[k];
    }
    for (uint j = own; j < n; j += size) pairs[j] = near[j];
}
#endif

__kernel void done(const uint n, __global const vertex_t *succ, __global const word_t *pairs,
                   __global vertex_t *rank, __global int *lost) {
    FOR_EACH(uint, j, n) {
        const pair_t own = pair_of(n, pairs, j);
        rank[j] = own.x;
        if (succ[own.y] != own.y) STORE(lost, 1);
    }
}
