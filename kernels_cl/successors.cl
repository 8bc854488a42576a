// The ends of the lists in a successor array, and whether it holds lists at all.
//
//   sum_up      per work-group: sums from which the host tells the number of last elements, the one head
//               of a single list, and the fingerprint of the set of heads
//   clear, mark has_predecessor[j] = 1 for every element that another one points to
//   collect     list all heads and all last elements; sum up the heads' fingerprints
//
// An array holds lists (and perhaps cycles) exactly if no two elements have one successor; then the
// fingerprints of all elements, less those of all that have a predecessor, are the heads'.
// Reads: successors[n]. Launch: FOR_EACH over elements, work-groups of a power of two.
// Atomics: the counter of `collect`. Races: `mark`'s writers of a word all write 1.

#include "common.h"
#include "atomics.h"
#include "successors.h"

// Writes sums[4 * group ..]: last elements, sum of their positions; sum of (position - successor)
// over all others and all last elements' positions; the same of fingerprints. All modulo 2^64.
__kernel void sum_up(const uint n, __global const vertex_t *successors, __global ulong *sums,
                     __local ulong *scratch) {
    ulong lasts = 0, last_sum = 0, head_sum = 0, head_print = 0;
    FOR_EACH(uint, j, n) {
        const uint next = successors[j];
        head_sum += j;
        head_print += fingerprint(j);
        if (next == j) {
            lasts += 1;
            last_sum += j;
        } else {
            head_sum -= next;
            head_print -= fingerprint(next);
        }
    }
    __global ulong *out = &sums[4 * get_group_id(0)];
    add_up(lasts, last_sum, scratch, out);
    add_up(head_sum, head_print, scratch, out + 2);
}

__kernel void clear(const uint n, __global int *has_predecessor) {
    FOR_EACH(uint, j, n) has_predecessor[j] = 0;
}

// Reads successors, writes has_predecessor[n], which holds 0 before.
__kernel void mark(const uint n, __global const vertex_t *successors, __global int *has_predecessor) {
    FOR_EACH(uint, j, n) {
        const uint next = successors[j];
        if (next != j) STORE(&has_predecessor[next], 1);
    }
}

// Writes ends[] and *count, which holds 0 before: heads and last elements, in any order, an element that
// is both once. Writes sums[2 * group ..]: heads, their fingerprints. `ends` has room for `room`.
__kernel void collect(const uint n, const int room, __global const vertex_t *successors,
                      __global const int *has_predecessor, __global vertex_t *ends, __global int *count,
                      __global ulong *sums, __local ulong *scratch) {
    ulong heads = 0, head_print = 0;
    FOR_EACH(uint, j, n) {
        const bool head = !has_predecessor[j];
        if (head) {
            heads += 1;
            head_print += fingerprint(j);
        }
        if (head || successors[j] == (vertex_t)j) {
            const int place = TAKE_PLACE(count);
            if (place < room) ends[place] = j;
        }
    }
    add_up(heads, head_print, scratch, &sums[2 * get_group_id(0)]);
}
