// The numbers of an image's runs (image.h), in scan order: how many runs begin before each word.
//
//   count_runs     each work-group counts the runs that begin in its words
//   add_up         (sums.h) one work-group turns the counts into the number of each group's first run
//   number_runs    how many runs begin before each word
//
// Reads: begins[words]. Writes: counts[groups + 1], the last of which becomes the number of runs; before[words].
// Build options besides common.h's: WORD_BITS and WIDE_IMAGE (image.h), and those of sums.h.
// Atomics: none. Races: none.
// Benign races (Oclgrind): none.

#include "common.h"
#include "words.h"
#include "sums.h"

static vertices_t runs_of_item(place_t words, __global const word_t *begins) {
    vertices_t runs = 0;
    FOR_EACH(place_t, w, words) runs += popcount(begins[w]);
    return runs;
}

// Launch: FOR_EACH over words, in groups of GROUP.
__kernel void count_runs(const place_t words, __global const word_t *begins, __global vertices_t *counts) {
    __local vertices_t sums[GROUP];
    leave_sum(runs_of_item(words, begins), sums, counts);
}

// Launch: as count_runs.
__kernel void number_runs(const place_t words, __global const word_t *begins, __global const vertices_t *counts,
                          __global vertices_t *before) {
    __local vertices_t sums[GROUP];
    vertices_t runs = sum_before_all(runs_of_item(words, begins), sums, counts);
    FOR_EACH(place_t, w, words) {
        before[w] = runs;
        runs += popcount(begins[w]);
    }
}
