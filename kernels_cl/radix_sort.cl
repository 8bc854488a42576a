// A stable sort of pairs by their first words, or by both, digit by digit, the least significant one first.
//
//   count    each work-group counts the digits in its run of pairs
//   add_up   (sums.h) one work-group turns the counts into where each group's pairs with each digit begin
//   place    each group puts its pairs there, in order
//
// Reads: from[n], pairs of a key and what goes with it. Writes: to[n]; counts[DIGITS * groups + 1], digit by digit.
// Build options besides those of common.h and sums.h: BITS, how many a digit has; EACH, how many pairs that lie side
//   by side a work-item takes at a time, unless GROUP is 1.
// Atomics: additions in local memory, in count. Races: none. Each pair has a place of its own.
// Benign races (Oclgrind): none.

#include "common.h"
#include "sums.h"

#define DIGITS (1u << BITS)
#define DIGIT(pair) ((shift < 32 ? (pair).x : (pair).y) >> shift % 32 & (DIGITS - 1))  // from 32 on: of the second
#define GROUP_BEGIN(group) min((ulong)n, (ulong)(group) * (((ulong)n + get_num_groups(0) - 1) / get_num_groups(0)))
#define COUNT(digit) counts[(digit) * (uint)get_num_groups(0) + (uint)get_group_id(0)]

#if GROUP == 1

// Launch: a work-group for each run.
__kernel void count(const uint n, const uint shift, __global const uint2 *from, __global vertices_t *counts) {
    uint found[DIGITS] = {0};
    for (uint i = GROUP_BEGIN(get_group_id(0)), end = GROUP_BEGIN(get_group_id(0) + 1); i < end; ++i)
        ++found[DIGIT(from[i])];
    for (uint d = 0; d < DIGITS; ++d) COUNT(d) = found[d];
}

// Launch: as count.
__kernel void place(const uint n, const uint shift, __global const uint2 *from, __global const vertices_t *counts,
                    __global uint2 *to) {
    uint next[DIGITS];
    for (uint d = 0; d < DIGITS; ++d) next[d] = COUNT(d);
    for (uint i = GROUP_BEGIN(get_group_id(0)), end = GROUP_BEGIN(get_group_id(0) + 1); i < end; ++i)
        to[next[DIGIT(from[i])]++] = from[i];
}

#else

// Launch: work-groups of GROUP work-items, one for each run.
__kernel void count(const uint n, const uint shift, __global const uint2 *from, __global vertices_t *counts) {
    __local int found[DIGITS];
    const uint me = get_local_id(0), end = GROUP_BEGIN(get_group_id(0) + 1);
    for (uint d = me; d < DIGITS; d += GROUP) found[d] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = GROUP_BEGIN(get_group_id(0)) + me; i < end; i += GROUP) (void)atomic_inc(&found[DIGIT(from[i])]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = me; d < DIGITS; d += GROUP) COUNT(d) = found[d];
}

// The group goes through its run in blocks. In a block, each work-item counts its own digits. What all have counted is
// summed up digit by digit, and within a digit in the order of the work-items. Launch: as count.
__kernel void place(const uint n, const uint shift, __global const uint2 *from, __global const vertices_t *counts,
                    __global uint2 *to) {
    __local vertices_t sums[GROUP], found[DIGITS * GROUP], next[DIGITS];
    const uint me = get_local_id(0), end = GROUP_BEGIN(get_group_id(0) + 1);
    for (uint d = me; d < DIGITS; d += GROUP) next[d] = COUNT(d);
    for (uint block = GROUP_BEGIN(get_group_id(0)); block < end; block += GROUP * EACH) {
        const uint begin = block + me * EACH, few = begin < end ? min((uint)EACH, end - begin) : 0;
        uint2 mine[EACH];
        for (uint d = 0; d < DIGITS; ++d) found[d * GROUP + me] = 0;
        for (uint k = 0; k < few; ++k) ++found[DIGIT(mine[k] = from[begin + k]) * GROUP + me];
        barrier(CLK_LOCAL_MEM_FENCE);
        vertices_t here = 0, all;
        for (uint k = 0; k < DIGITS; ++k) here += found[me * DIGITS + k];
        vertices_t before = sum_before(here, sums, &all);
        for (uint k = 0; k < DIGITS; ++k) {
            const vertices_t counted = found[me * DIGITS + k];
            found[me * DIGITS + k] = before;
            before += counted;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint d = me; d < DIGITS; d += GROUP) next[d] -= found[d * GROUP];  // where the digit begins in the block
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < few; ++k) {
            const uint d = DIGIT(mine[k]);
            to[next[d] + found[d * GROUP + me]++] = mine[k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint d = me; d < DIGITS; d += GROUP) next[d] += found[d * GROUP + GROUP - 1];  // where it ends
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#endif
