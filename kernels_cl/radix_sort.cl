// A stable sort of pairs by their first words, or by both words, digit by digit, beginning with the lowest digit.
//
//   count         each work-group counts the digits in its run of pairs
//   add_up_digit  each work-group turns the counts of one digit into what comes before each run's pairs with this digit
//   place         each work-group puts the pairs of its run where they belong, in order
//
// Reads: from[n], pairs of a key and a value. Writes: to[n]; counts[DIGITS * runs + DIGITS], digit by digit, followed
//   by how many pairs of all runs have each digit.
// Build options besides those of common.h and sums.h: BITS, how many bits a digit has, a multiple of 4 unless GROUP is
//   1; EACH, how many pairs of a tile a work-item has, at most 15.
// Atomics: additions in local memory, in count. Races: none. Each pair has a place of its own.
// Benign races (Oclgrind): none.

#include "common.h"
#include "sums.h"

#define DIGITS (1u << BITS)
#define FROM_SHIFT(pair, shift) (((shift) < 32 ? (pair).x : (pair).y) >> (shift) % 32)  // from bit 32 on: the second
#define DIGIT(pair) (FROM_SHIFT(pair, shift) & (DIGITS - 1))
#define GROUP_BEGIN(group) min((ulong)n, (ulong)(group) * (((ulong)n + get_num_groups(0) - 1) / get_num_groups(0)))
#define COUNT(digit) counts[(digit) * (uint)get_num_groups(0) + (uint)get_group_id(0)]
#define OF_ALL_RUNS(digit) counts[DIGITS * (uint)get_num_groups(0) + (digit)]

// Launch: a work-group of GROUP work-items for each digit.
__kernel void add_up_digit(const uint runs, __global vertices_t *counts) {
    __local vertices_t sums[GROUP];
    __global vertices_t *const of_digit = counts + get_group_id(0) * runs;
    vertices_t before = 0, all;
    for (uint begin = 0; begin < runs; begin += GROUP) {
        const uint run = begin + get_local_id(0);
        const vertices_t here = sum_before(run < runs ? of_digit[run] : 0, sums, &all);
        if (run < runs) of_digit[run] = before + here;
        before += all;
    }
    if (get_local_id(0) == 0) counts[DIGITS * runs + get_group_id(0)] = before;
}

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
    uint next[DIGITS], before = 0;
    for (uint d = 0; d < DIGITS; ++d) {
        next[d] = before + COUNT(d);
        before += OF_ALL_RUNS(d);
    }
    for (uint i = GROUP_BEGIN(get_group_id(0)), end = GROUP_BEGIN(get_group_id(0) + 1); i < end; ++i)
        to[next[DIGIT(from[i])]++] = from[i];
}

#else

#define TILE (GROUP * EACH)  // pairs that a work-group has in local memory at once
#define FOR_EACH_OF_GROUP(i, n) for (uint i = get_local_id(0); i < (n); i += GROUP)

// A gap after every few words, so that work-items that read adjacent runs of these words use different banks.
#define PAIR(i) tile[(i) + (i) / EACH]
#define WORD(i) words[(i) + (i) / 8]

// Launch: work-groups of GROUP work-items, one for each run.
__kernel void count(const uint n, const uint shift, __global const uint2 *from, __global vertices_t *counts) {
    __local int found[DIGITS];
    const uint end = GROUP_BEGIN(get_group_id(0) + 1);
    FOR_EACH_OF_GROUP(d, DIGITS) found[d] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = GROUP_BEGIN(get_group_id(0)) + get_local_id(0); i < end; i += GROUP)
        (void)atomic_inc(&found[DIGIT(from[i])]);
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_EACH_OF_GROUP(d, DIGITS) COUNT(d) = found[d];
}

// Sort the tile by the four bits from shift on. Each work-item counts its own pairs; its sixteen counts have four bits
// each in one word of 64 bits. For the sums, digits d and d + 8 share a word of 32 bits.
static void sort_tile(const uint shift, __local uint2 *tile, __local uint *words, __local vertices_t *sums) {
    const uint me = get_local_id(0);
    uint2 mine[EACH];
    ulong found = 0;
    for (uint k = 0; k < EACH; ++k) {
        mine[k] = PAIR(me * EACH + k);
        found += 1ul << (FROM_SHIFT(mine[k], shift) & 15) * 4;
    }
    for (uint d = 0; d < 8; ++d)
        WORD(d * GROUP + me) = (uint)(found >> d * 4 & 15) | (uint)(found >> d * 4 + 32 & 15) << 16;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint here = 0, all;
    for (uint k = 0; k < 8; ++k) here += WORD(me * 8 + k);
    uint before = sum_before(here, sums, &all);
    before += all << 16;  // the lower digits, of all work-items, come before the upper ones
    for (uint k = 0; k < 8; ++k) {
        const uint counted = WORD(me * 8 + k);
        WORD(me * 8 + k) = before;
        before += counted;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    found = 0;
    for (uint k = 0; k < EACH; ++k) {
        const uint d = FROM_SHIFT(mine[k], shift) & 15;
        const uint to = (WORD(d % 8 * GROUP + me) >> d / 8 * 16 & 0xFFFF) + (uint)(found >> d * 4 & 15);
        PAIR(to) = mine[k];
        found += 1ul << d * 4;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The group takes its run tile by tile. In local memory, it sorts a tile by the digit, so pairs with the same digit are
// adjacent, and neighboring work-items write to neighboring places. Launch: as count.
__kernel void place(const uint n, const uint shift, __global const uint2 *from, __global const vertices_t *counts,
                    __global uint2 *to) {
    enum { DIGITS_EACH = (DIGITS + GROUP - 1) / GROUP };
    __local vertices_t sums[GROUP], next[DIGITS_EACH * GROUP];  // next[d] + i: where pair i goes, which has digit d
    __local uint2 tile[TILE + GROUP];
    __local uint words[9 * GROUP];
    const uint first = get_local_id(0) * DIGITS_EACH, end = GROUP_BEGIN(get_group_id(0) + 1);
    vertices_t here = 0, all;
    for (uint d = first; d < min(first + DIGITS_EACH, DIGITS); ++d) here += OF_ALL_RUNS(d);
    vertices_t before = sum_before(here, sums, &all);
    for (uint d = first; d < min(first + DIGITS_EACH, DIGITS); ++d) {
        next[d] = before + COUNT(d);
        before += OF_ALL_RUNS(d);
    }
    for (uint begin = GROUP_BEGIN(get_group_id(0)); begin < end; begin += TILE) {
        const uint few = min((uint)TILE, end - begin);
        FOR_EACH_OF_GROUP(i, TILE) PAIR(i) = i < few ? from[begin + i] : (uint2)(~0u, ~0u);  // these stay behind
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint bit = 0; bit < BITS; bit += 4) sort_tile(shift + bit, tile, words, sums);
        FOR_EACH_OF_GROUP(i, few)
            if (i == 0 || DIGIT(PAIR(i - 1)) != DIGIT(PAIR(i))) next[DIGIT(PAIR(i))] -= i;
        barrier(CLK_LOCAL_MEM_FENCE);
        FOR_EACH_OF_GROUP(i, few) to[next[DIGIT(PAIR(i))] + i] = PAIR(i);
        barrier(CLK_LOCAL_MEM_FENCE);
        FOR_EACH_OF_GROUP(i, few)
            if (i + 1 == few || DIGIT(PAIR(i + 1)) != DIGIT(PAIR(i))) next[DIGIT(PAIR(i))] += i + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#endif
