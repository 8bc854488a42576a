// List ranking with random splitters: Reid-Miller 1996, in Dehne and Yogaratnam's form (2010, algorithm 3).
//
//   RS1   nobody owns anything; each element's successor waits where its rank will be
//   RS2   splitters: the ends of every list, and one random element of each of p stretches
//   RS3   each splitter walks its sub-list to the next splitter, marks and counts
//   RS4   rank the list of splitters by pointer jumping (wylie.cl's PJ2 on its pairs)
//   RS5   rank[j] = its splitter's rank - the way from the splitter; *lost = 1 if j has none (a cycle)
//
// Owner and rank are packed into one 64-bit pair (Dehne's 64-bit version). Until an element is owned, its
//   successor stands in the rank's place: a step of the walk then touches one word, not two far apart.
// Reads: succ[n], splitter[r] (its first entries hold the lists' ends). Writes: mark[n] (rank, owner),
//   splitter[r], sublist[r] (sprank, spsucc), rank[n].
// Build options besides common.h's: WALKS, how many sub-lists a work-item walks at once.
// Launch: FOR_EACH over elements (RS1, RS5) or splitters (RS2, RS3, RS4_check).
// Atomics: compare-and-swap in RS2, where two splitters may be one element: who comes second is void.
// Races: RS3's walks are disjoint, as no two elements have one successor; it may read a stale mark
//   only where nobody has written one. RS4_check and RS5: all who write *lost write 1.

#include "common.h"
#include "atomics.h"

typedef int2 pair_t;
#define UNOWNED -1
#define VOID -1  // a splitter that turned out to be one already

// Marsaglia and Zaman's KISS generator (1993), started for one draw from (seed, i).
static uint kiss(uint seed, uint i) {
    uint x = (seed ^ i) * 69069u + 123456789u, y = (362436069u ^ (i * 2654435761u)) | 1u, z = 521288629u + i;
    uint c = 7654321u, total = 0;
    for (int warm_up = 0; warm_up < 4; ++warm_up) {
        x = 69069u * x + 12345u;
        y ^= y << 13;
        y ^= y >> 17;
        y ^= y << 5;
        const ulong t = 698769069UL * z + c;
        z = (uint)t;
        c = (uint)(t >> 32);
        total = x + y + z;
    }
    return total;
}

__kernel void RS1(const uint n, __global const vertex_t *succ, __global pair_t *mark) {
    FOR_EACH(uint, j, n) mark[j] = (pair_t)(succ[j], UNOWNED);
}

// Splitters 0 .. ends - 1 are given; splitter ends + i is drawn from stretch i of p = r - ends.
__kernel void RS2(const uint n, const uint r, const uint ends, const uint seed,
                  __global vertex_t *splitter, __global pair_t *mark) {
    FOR_EACH(uint, i, r) {
        if (i >= ends) {
            const ulong p = r - ends, stretch = i - ends;
            const uint low = (uint)(n * stretch / p), high = (uint)(n * (stretch + 1) / p);
            splitter[i] = low + mul_hi(kiss(seed, i), high - low);
        }
        __global int *own = (__global int *)&mark[splitter[i]];
        if (COMPARE_AND_SWAP(own + 1, UNOWNED, (int)i) == UNOWNED)
            own[0] = 0;
        else
            splitter[i] = VOID;
    }
}

// Let each of a work-item's walks take one step; return how many go on. The steps do not depend on each
// other, so a core has up to WALKS cache misses under way where one walk would wait for each.
static int step_all(int walks, uint walker[WALKS], vertex_t at[WALKS], int dist[WALKS],
                    __global pair_t *mark, __global pair_t *sublist) {
    for (int k = 0; k < walks; ++k) {
        const pair_t seen = mark[at[k]];
        if (seen.y == UNOWNED) {
            mark[at[k]] = (pair_t)(dist[k]++, walker[k]);
            at[k] = seen.x;
        } else {
            const bool last = seen.y == (int)walker[k];  // a last element points to itself
            sublist[walker[k]] = (pair_t)(last ? 0 : dist[k], seen.y);
            --walks;
            walker[k] = walker[walks];
            at[k] = at[walks];
            dist[k] = dist[walks];
            --k;  // the slot's new walk has not stepped yet
        }
    }
    return walks;
}

__kernel void RS3(const uint r, __global const vertex_t *succ, __global const vertex_t *splitter,
                  __global pair_t *mark, __global pair_t *sublist) {
    uint walker[WALKS];
    vertex_t at[WALKS];
    int dist[WALKS], walks = 0;
    FOR_EACH(uint, i, r) {
        if (splitter[i] == VOID) {
            sublist[i] = (pair_t)(0, i);
            continue;
        }
        walker[walks] = i;
        at[walks] = succ[splitter[i]];
        dist[walks++] = 1;
        while (walks == WALKS) walks = step_all(walks, walker, at, dist, mark, sublist);
    }
    while (walks > 0) walks = step_all(walks, walker, at, dist, mark, sublist);
}

// Every splitter must now point to one that is a last element.
__kernel void RS4_check(const uint r, __global const vertex_t *succ, __global const vertex_t *splitter,
                        __global const pair_t *sublist, __global int *lost) {
    FOR_EACH(uint, i, r) {
        const vertex_t end = splitter[sublist[i].y];
        if (splitter[i] != VOID && succ[end] != end) STORE(lost, 1);
    }
}

__kernel void RS5(const uint n, __global const pair_t *mark, __global const pair_t *sublist,
                  __global vertex_t *rank, __global int *lost) {
    FOR_EACH(uint, j, n) {
        const pair_t own = mark[j];
        if (own.y == UNOWNED)
            STORE(lost, 1);
        else
            rank[j] = sublist[own.y].x - own.x;
    }
}
