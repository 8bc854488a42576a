// The ends of the lists in a successor array, and whether it holds lists at all.
//
//   take_in     check successors as the caller has them, and make them 32-bit
//   sum_up      per work-group: sums from which the host tells the number of last elements, the one head
//               of a single list, and the fingerprint of the set of heads
//   clear, mark has_predecessor[j] = 1 for every element that another one points to
//   collect     each work-item lists the heads and last elements among its own elements
//   close_up    put those lists one after the other
//
// An array holds lists (and perhaps cycles) if and only if no two elements have the same successor. Then the
// fingerprints of all elements, minus those of all elements that have a predecessor, are those of the heads.
// Reads: successors[n]. Launch: FOR_EACH over elements, work-groups of a power of two; close_up as collect.
// Build options besides common.h's: WIDE_IDS and UNSIGNED_IDS (edges.h), for take_in alone.
// Atomics: or, on outside[1]. Races: in `mark`, all writers of a word write 1.
// Benign races (Oclgrind): mark has_predecessor.

#include "common.h"
#include "edges.h"
#include "successors.h"

// Reads given[count], the successors of the elements from `begin` on. Writes successors[begin ..], and outside[1] = 1
//   if a successor is not an element. A negative successor becomes larger than all others. Launch: over count.
__kernel void take_in(const uint begin, const uint count, const uint n, __global const given_t *given,
                      __global vertex_t *successors, __global int *outside) {
    bool all_inside = true;
    FOR_EACH(uint, i, count) {
        const ulong next = (ulong)given[i];
        all_inside &= next < n;
        successors[begin + i] = (vertex_t)next;
    }
    if (!all_inside) (void)atomic_or((volatile __global int *)outside, 1);
}

// Writes sums[4 * group ..], the group's end_sums_t (successors.h).
__kernel void sum_up(const uint n, __global const vertex_t *successors, __global ulong *sums,
                     __local ulong *scratch) {
    end_sums_t own = {0, 0, 0, 0};
    FOR_EACH(uint, j, n) count_in(&own, j, successors[j]);
    add_up_ends(own, scratch, &sums[4 * get_group_id(0)]);
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

// The k-th element of this work-item in FOR_EACH.
#ifdef PARTITIONING
#define OWN(n, k) (RUN_BEGIN(n, get_global_id(0)) + (k))
#else
#define OWN(n, k) (get_global_id(0) + (k) * get_global_size(0))
#endif

// Writes the ends (once if an element is both head and last) over has_predecessor[OWN(n, 0 ..)], which the work-item
//   has read by then; their number to ends_of[work-item]; and four sums to sums[4 * group ..]: the group's ends, 0, its
//   heads, and the heads' fingerprints.
__kernel void collect(const uint n, __global const vertex_t *successors, __global int *has_predecessor,
                      __global uint *ends_of, __global ulong *sums, __local ulong *scratch) {
    ulong heads = 0, head_print = 0;
    uint found = 0;
    FOR_EACH(uint, j, n) {
        const bool head = !has_predecessor[j];
        if (head) {
            heads += 1;
            head_print += fingerprint(j);
        }
        if (head || successors[j] == (vertex_t)j) has_predecessor[OWN(n, found++)] = j;
    }
    ends_of[get_global_id(0)] = found;
    __global ulong *out = &sums[4 * get_group_id(0)];
    add_up(found, 0, scratch, out);
    add_up(heads, head_print, scratch, out + 2);
}

// `found` is what `collect` left in has_predecessor; first[group] is the place of the group's first end.
__kernel void close_up(const uint n, __global const int *found, __global const uint *ends_of,
                       __global const uint *first, __global vertex_t *ends) {
    const uint own = get_global_id(0);
    uint place = first[get_group_id(0)];
    for (uint i = own - get_local_id(0); i < own; ++i) place += ends_of[i];
    for (uint k = 0; k < ends_of[own]; ++k) ends[place + k] = found[OWN(n, k)];
}
