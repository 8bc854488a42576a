// Two-pass labelling of images by runs (Rosenfeld and Pfaltz, J. ACM 13(4), 1966; runs: He, Chao and Suzuki, IEEE
// Transactions on Image Processing 17(5), 2008; runs as bits, on GPUs: Hennequin, Lacassagne, Cabaret and Meunier,
// DASIP 2018; union-find on GPUs: Komura 2015, Playne and Hawick 2018, Allegretti, Bolelli and Grana 2020).
//
// A run is a stretch of alike neighbors in a row, as long as possible. Runs are numbered in scan order. They are
// the vertices of a graph whose edges are contacts, places where two runs touch. No contact is ever stored.
//
//   find_runs      which pixels are foreground, and at which a run begins: one bit for each pixel
//   count_runs     each work-group counts the runs that begin in its words  }
//   add_up         (sums.h) one work-group turns the counts into numbers    } runs get their numbers
//   number_runs    how many runs begin before each word                     }
//   hook_first     join runs at contacts that need no atomics: `meet` says which
//   compress_all   point every run directly to its root
//   link_rest      join runs at all other contacts
//   compress_all   again. Then numbering.cl numbers the components
//   write_labels   each pixel gets the number of its run's component, from 1 on
//
// Reads: pixels; layout (image.h). Writes: foreground[words], begins[words] (bits, image.h); before[words];
//   counts[groups + 1]; parent[runs]; label[pixels].
// Build options besides common.h's: those of image.h, pixels.h, contacts.h and sums.h; WIDE_LABELS;
//   ADJACENT_LABELS, if rows of labels have no gaps; SHORTEN_PATHS (link.h). count_runs, add_up and number_runs
//   need PARTITIONING. With striding, hook_first and link_rest need strips of one word.
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
#include "sums.h"

#ifdef WIDE_LABELS
typedef long label_t;
#else
typedef int label_t;
#endif
#ifdef ADJACENT_LABELS
#define LABELS_APART 1
#else
#define LABELS_APART LABEL_STRIDE(3)
#endif

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

// Launch: FOR_EACH over strips.
__kernel void hook_first(const place_t strips, __global const long *layout, __global const uchar *pixels, VALUES,
                         RUNS, __global vertex_t *parent) {
    const item_t item = this_item(strips, before, layout);
    FOR_EACH(place_t, s, strips) {
        const strip_t strip = strip_of(s, layout);
        const place_t row = ROW_AT(strip.at) * WORDS;
        for (place_t x = strip.begin; x < strip.end; x += BITS) {
            const place_t w = row + x / BITS;
            const vertex_t run = before[w], end = run + popcount(begins[w]);
            for (vertex_t r = run; r < end; ++r) parent[r] = r;
        }
        touch_rows(true, &strip, item, layout, pixels, GIVEN_VALUES, GIVEN_RUNS, parent);
    }
}

// Launch: as hook_first, so that the same contacts are mine.
__kernel void link_rest(const place_t strips, const place_t step, __global const long *layout, __global const uchar *pixels, VALUES,
                        RUNS, __global vertex_t *parent) {
    const item_t item = this_item(strips, before, layout);
    FOR_EACH(place_t, i, strips / step) {
        const place_t s = i * step;
        const strip_t strip = strip_of(s, layout);
        touch_rows(false, &strip, item, layout, pixels, GIVEN_VALUES, GIVEN_RUNS, parent);
#if WRAPS_3
        if (strip.begin == 0) touch_own_end(&strip, layout, pixels, GIVEN_VALUES, GIVEN_RUNS, parent);
#endif
    }
}

// Launch: FOR_EACH over runs, with no more work-items than a GPU holds at once. Then all chains shrink together.
__kernel void compress_all(const vertices_t runs, __global vertex_t *parent) {
    FOR_EACH(vertices_t, run, runs) (void)shortcut(run, parent);
}

#define LABEL(number) ((label_t)((number) < 0 ? ~(number) : (number)) + 1)

// Launch: FOR_EACH over strips, which may begin within a word.
__kernel void write_labels(const place_t strips, __global const long *layout, RUNS,
                           __global const vertex_t *number, __global label_t *label) {
    FOR_EACH(place_t, s, strips) {
        const strip_t strip = strip_of(s, layout);
        __global label_t *to = label + (long)strip.at[0] * LABEL_STRIDE(0) + (long)strip.at[1] * LABEL_STRIDE(1) +
                               (long)strip.at[2] * LABEL_STRIDE(2);
        for (place_t x = strip.begin, end; x < strip.end; x = end) {
            end = min(strip.end, x - x % BITS + BITS);
            const place_t w = ROW_AT(strip.at) * WORDS + x / BITS;
            word_t here = foreground[w] >> x % BITS, begin = begins[w] >> x % BITS;
            vertex_t run = (vertex_t)before[w] - 1 + popcount(begins[w] & (BIT(x % BITS) - 1));
#if defined(ADJACENT_LABELS) && STRIP >= BITS
            if (end - x == BITS && begin == 0 && (here == 0 || here == ONES)) {
                const label_t all = here ? LABEL(number[run]) : 0;
                for (uint i = 0; i < BITS; ++i) to[x + i] = all;
                continue;
            }
#endif
#if defined(ALIGNED_LABELS) && STRIP == 4
            label_t four[4];
            for (uint i = 0; i < 4; ++i, here >>= 1, begin >>= 1) {
                run += begin & 1;
                four[i] = here & 1 ? LABEL(number[run]) : 0;
            }
            *(__global int4 *)(to + x) = (int4)(four[0], four[1], four[2], four[3]);
#else
            for (place_t y = x; y < end; ++y, here >>= 1, begin >>= 1) {
                run += begin & 1;
                const vertex_t value = number[max(run, (vertex_t)0)];
                to[(long)y * LABELS_APART] = LABEL(value) & -(label_t)(here & 1);
            }
#endif
        }
    }
}
