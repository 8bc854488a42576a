// The runs of an image: stretches of alike neighbors in a row, each as long as possible, numbered in scan order.
//
//   find_runs      which pixels are foreground, and at which a run begins: one bit for each pixel
//   count_runs     each work-group counts the runs that begin in its words
//   add_up         (sums.h) one work-group turns the counts into the number of each group's first run
//   number_runs    how many runs begin before each word
//
// Reads: pixels; layout (image.h). Writes: foreground[words], begins[words]; before[words]; counts[groups + 1],
//   the last of which becomes the number of runs.
// Build options besides common.h's: those of image.h, pixels.h and sums.h. All but find_runs need PARTITIONING.
// Atomics: none. Races: none.
// Benign races (Oclgrind): none.

#include "common.h"
#include "image.h"
#include "pixels.h"
#include "sums.h"

// Launch: FOR_EACH over strips, which begin with a word.
__kernel void find_runs(const place_t strips, __global const long *layout, __global const uchar *pixels, VALUES,
                        __global word_t *foreground, __global word_t *begins) {
    FOR_EACH(place_t, s, strips) {
        const strip_t strip = strip_of(s, layout);
        __global const uchar *row = row_at(strip.at, pixels, layout);
        place_t w = ROW_AT(strip.at) * WORDS + strip.begin / BITS;
        word_t last = strip.begin ? foreground_at(row, strip.begin - 1, 1, layout, GIVEN_VALUES) : 0;
        for (place_t x = strip.begin; x < strip.end; x += BITS, ++w) {
            const uint count = min(strip.end - x, (place_t)BITS);
            const word_t here = foreground_at(row, x, count, layout, GIVEN_VALUES);
            const word_t both = here & (here << 1 | last);
            foreground[w] = here;
            begins[w] = here & ~alike_at(both, row, row, x, -1, layout, GIVEN_VALUES);
            last = here >> (BITS - 1);
        }
    }
}

static vertices_t runs_of_item(place_t words, __global const word_t *begins) {
    vertices_t runs = 0;
    FOR_EACH(place_t, w, words) runs += popcount(begins[w]);
    return runs;
}

// Launch: FOR_EACH over words, in groups of GROUP.
__kernel void count_runs(const place_t words, __global const word_t *begins, __global vertices_t *counts) {
    __local vertices_t sums[GROUP];
    vertices_t all;
    (void)sum_before(runs_of_item(words, begins), sums, &all);
    if (get_local_id(0) == 0) counts[get_group_id(0)] = all;
}

// Launch: as count_runs.
__kernel void number_runs(const place_t words, __global const word_t *begins, __global const vertices_t *counts,
                          __global vertices_t *before) {
    __local vertices_t sums[GROUP];
    vertices_t all;
    vertices_t runs = sum_before(runs_of_item(words, begins), sums, &all) + counts[get_group_id(0)];
    FOR_EACH(place_t, w, words) {
        before[w] = runs;
        runs += popcount(begins[w]);
    }
}
