// Number the kept labels 1, 2, ... in order. All others get 0, like the background.
//
//   count_kept    each work-group counts the labels in its run that are kept
//   add_up        (sums.h) one work-group turns the counts into the number before each group
//   number_kept   each label gets its number
//
// A label is kept if it has more than `least` pixels, or exactly `least` and is no larger than `ties_end`.
//
// Reads: region[labels * words], where label i + 1 has region[i * words] pixels (regions.cl has more about each).
// Writes: counts[groups + 1]; number[labels + 1].
// Build options besides common.h's: those of sums.h.
// Atomics: none. Races: none.
// Benign races (Oclgrind): none.

#include "common.h"
#include "sums.h"

#define RULE const uint labels, const ulong least, const uint ties_end, const uint words, __global const ulong *region
#define GIVEN_RULE labels, least, ties_end, words, region

static bool is_kept(uint label, RULE) {
    const ulong size = region[(ulong)(label - 1) * words];
    return size > least || (size == least && label <= ties_end);
}

static uint kept_of_item(RULE) {
    uint kept = 0;
    FOR_EACH(uint, i, labels) kept += is_kept(i + 1, GIVEN_RULE);
    return kept;
}

// Launch: FOR_EACH over labels, in groups of GROUP.
__kernel void count_kept(RULE, __global uint *counts) {
    __local uint sums[GROUP];
    leave_sum(kept_of_item(GIVEN_RULE), sums, counts);
}

// Launch: as count_kept.
__kernel void number_kept(RULE, __global const uint *counts, __global uint *number) {
    __local uint sums[GROUP];
    uint last = sum_before_all(kept_of_item(GIVEN_RULE), sums, counts);
    FOR_EACH(uint, i, labels) number[i + 1] = is_kept(i + 1, GIVEN_RULE) ? ++last : 0;
    if (get_global_id(0) == 0) number[0] = 0;
}
