// The runs of an image (image.h): which pixels are foreground, and at which a run begins, one bit for each pixel.
//
// Reads: pixels; layout (image.h). Writes: foreground[words], begins[words].
// Build options besides common.h's: those of image.h and pixels.h.
// Atomics: none. Races: none.
// Benign races (Oclgrind): none.

#include "common.h"
#include "image.h"
#include "pixels.h"

// Launch: FOR_EACH over strips of whole words.
__kernel void find_runs(const place_t strips, __global const long *layout, __global const uchar *pixels, VALUES,
                        __global word_t *foreground, __global word_t *begins) {
    FOR_EACH(place_t, s, strips) {
        const strip_t strip = strip_of(s, layout);
        __global const uchar *row = row_at(strip.at, pixels, layout);
        place_t w = ROW_AT(strip.at) * WORDS + strip.begin / WORD_BITS;
        word_t last = strip.begin ? foreground_at(row, strip.begin - 1, 1, layout, GIVEN_VALUES) : 0;
        for (place_t x = strip.begin; x < strip.end; x += WORD_BITS, ++w) {
            const uint count = min(strip.end - x, (place_t)WORD_BITS);
            const word_t here = foreground_at(row, x, count, layout, GIVEN_VALUES);
            const word_t both = here & (here << 1 | last);
            foreground[w] = here;
            begins[w] = here & ~alike_at(both, row, row, x, -1, layout, GIVEN_VALUES);
            last = here >> (WORD_BITS - 1);
        }
    }
}
