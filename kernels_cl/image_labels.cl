// The labels of an image: each pixel of the foreground gets the number of its run's component, from 1 on. All others
// get 0.
//
// Reads: layout, foreground, begins (image_runs.cl); before (run_numbers.cl); number[runs], the number of each run's
//   component (numbering.cl). Writes: label[pixels].
// Build options besides common.h's: those of image.h; WIDE_LABELS, if labels are 64-bit.
// Atomics: none. Races: none.
// Benign races (Oclgrind): none.

#include "common.h"
#include "image.h"

#ifdef WIDE_LABELS
typedef long label_t;
typedef long4 labels_t;
#else
typedef int label_t;
typedef int4 labels_t;
#endif

#define LABEL(number) ((label_t)(number) + 1)

// Launch: FOR_EACH over strips, which may begin within a word.
__kernel void write_labels(const place_t strips, __global const long *layout, RUNS,
                           __global const vertex_t *number, __global label_t *label) {
    FOR_EACH(place_t, s, strips) {
        const strip_t strip = strip_of(s, layout);
        __global label_t *row = label + FIRST_LABEL + (long)strip.at[0] * LABEL_STRIDE(0) +
                                (long)strip.at[1] * LABEL_STRIDE(1) + (long)strip.at[2] * LABEL_STRIDE(2);
        for (place_t x = strip.begin, end; x < strip.end; x = end) {
            end = min(strip.end, x - x % WORD_BITS + WORD_BITS);
            const place_t w = ROW_AT(strip.at) * WORDS + x / WORD_BITS;
            word_t here = foreground[w] >> x % WORD_BITS, begin = begins[w] >> x % WORD_BITS;
            vertex_t run = (vertex_t)before[w] - 1 + popcount(begins[w] & (BIT(x % WORD_BITS) - 1));
            const bool adjacent = LABEL_STRIDE(3) == 1;
#if STRIP >= WORD_BITS
            if (adjacent && end - x == WORD_BITS && begin == 0 && (here == 0 || here == ONES)) {
                const label_t same = here ? LABEL(number[run]) : 0;
                for (uint i = 0; i < WORD_BITS; ++i) row[x + i] = same;
                continue;
            }
#elif STRIP == 4
            if (adjacent && end - x == 4 && (ulong)(row + x) % sizeof(labels_t) == 0) {
                label_t four[4];
                for (uint i = 0; i < 4; ++i, here >>= 1, begin >>= 1) {
                    run += begin & 1;
                    four[i] = here & 1 ? LABEL(number[run]) : 0;
                }
                *(__global labels_t *)(row + x) = (labels_t)(four[0], four[1], four[2], four[3]);
                continue;
            }
#endif
            const long apart = adjacent ? 1 : LABEL_STRIDE(3);
            for (place_t y = x; y < end; ++y, here >>= 1, begin >>= 1) {  // no branches: they are hard to predict
                run += begin & 1;
                const vertex_t found = number[max(run, (vertex_t)0)];
                row[(long)y * apart] = LABEL(found) & -(label_t)(here & 1);
            }
        }
    }
}
