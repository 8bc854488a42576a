// Two-pass labelling of images by runs (Rosenfeld and Pfaltz, J. ACM 13(4), 1966; runs: He, Chao and Suzuki, IEEE
// Transactions on Image Processing 17(5), 2008; runs as bits, on GPUs: Hennequin, Lacassagne, Cabaret and Meunier,
// DASIP 2018; union-find on GPUs: Komura 2015, Playne and Hawick 2018, Allegretti, Bolelli and Grana 2020).
//
// Runs are the vertices of a graph. Its edges are contacts, places where two runs touch. No edge is ever stored.
//
//   find_runs      (image_runs.cl) the runs of pixels in each row
//   number_runs    (run_numbers.cl) their numbers, in scan order
//   hook_first     join runs at contacts that need no atomics (contacts.h says which)
//   compress_all   point every run directly to its root
//   link_rest      join runs at all other contacts
//   compress_all   again. Then numbering.cl numbers the components
//   write_labels   (image_labels.cl) each pixel gets the number of its run's component
//
// Reads: pixels; layout (image.h); foreground, begins (image_runs.cl); before (run_numbers.cl). Writes: parent[runs].
// Build options besides common.h's: those of image.h, pixels.h and contacts.h; SHORTEN_PATHS (link.h).
// Atomics: compare-and-swap on parent, in link_rest.
// Races on parent, benign: link.h and shortcut.h say why. There are none in hook_first.
// Benign races (Oclgrind): compress_all parent; link_rest parent.
// Oclgrind cannot judge (compare-and-swap): link_rest.

#include "common.h"
#include "atomics.h"
#include "image.h"
#include "pixels.h"
#include "link.h"
#include "contacts.h"
#include "shortcut.h"

// Launch: FOR_EACH over strips.
__kernel void hook_first(const place_t strips, __global const long *layout, __global const uchar *pixels, VALUES,
                         RUNS, __global vertex_t *parent) {
    const item_t item = this_item(strips, before, layout);
    FOR_EACH(place_t, s, strips) {
        const strip_t strip = strip_of(s, layout);
        const place_t row = ROW_AT(strip.at) * WORDS;
        for (place_t x = strip.begin; x < strip.end; x += WORD_BITS) {
            const place_t w = row + x / WORD_BITS;
            const vertex_t run = before[w], end = run + popcount(begins[w]);
            for (vertex_t r = run; r < end; ++r) parent[r] = r;
        }
        touch_rows(true, &strip, item, layout, pixels, GIVEN_VALUES, GIVEN_RUNS, parent);
    }
}

// Launch: as hook_first, so that the same contacts are mine.
__kernel void link_rest(const place_t strips, __global const long *layout, __global const uchar *pixels, VALUES,
                        RUNS, __global vertex_t *parent) {
    const item_t item = this_item(strips, before, layout);
    FOR_EACH(place_t, s, strips) {
        const strip_t strip = strip_of(s, layout);
        touch_rows(false, &strip, item, layout, pixels, GIVEN_VALUES, GIVEN_RUNS, parent);
        if (strip.begin == 0) touch_own_end(&strip, layout, pixels, GIVEN_VALUES, GIVEN_RUNS, parent);
    }
}

// Launch: FOR_EACH over runs, with no more work-items than a GPU holds at once. Then all chains shrink together.
__kernel void compress_all(const vertices_t runs, __global vertex_t *parent) {
    FOR_EACH(vertices_t, run, runs) (void)shortcut(run, parent);
}
