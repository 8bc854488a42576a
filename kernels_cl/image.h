// Where the pixels of an image are: rows, words of bits, and strips.
//
// An image has four axes here; if it has fewer, the first ones have one pixel. A *row* is a line of pixels along the
// last axis. Rows are numbered in scan order, the order of elements in a C array. There is one bit for each pixel:
// pixel x of a row has bit x % WORD_BITS of the row's word x / WORD_BITS, and each row begins with a new word. A
// *strip* is what a work-item takes at a time: STRIP consecutive pixels of a row, or what is left of the row.
//
// A *run* is a longest possible stretch of pixels in a row, each of which is alike to the next. `foreground` has the
// bits of foreground pixels, `begins` has those of pixels at which runs begin, and `before` has the number of runs that
// begin before each word.
//
// Build options: WORD_BITS, 32 or 64; STRIP; WIDE_IMAGE, if there are 2^31 pixels or more; FASTEST, SECOND, THIRD and
//   SLOWEST, the axes in the order in which strips are taken. If this is the order of the pixels in memory, strips that
//   are taken together are close.

#include "words.h"

// The layout of an image: its length along each axis; the distance between neighbors along each axis, and the place of
// the first pixel, in bytes; the place of the first label, and the distances between labels, in labels; and for each
// axis, whether its ends are neighbors.
#define LENGTH(axis) layout[axis]
#define STRIDE(axis) layout[4 + (axis)]
#define FIRST_BYTE layout[8]
#define FIRST_LABEL layout[9]
#define LABEL_STRIDE(axis) layout[10 + (axis)]
#define WRAPS(axis) layout[14 + (axis)]

#define WIDTH ((place_t)LENGTH(3))
#define WORDS ((WIDTH + WORD_BITS - 1) / WORD_BITS)  // of a row
#define STRIPS ((WIDTH + STRIP - 1) / STRIP)

#define BIT(x) ((word_t)1 << (x))
#define ONES (~(word_t)0)
#define UP_TO(x) (ONES >> (WORD_BITS - 1 - (x)))  // bits 0 .. x
#define LAST_BIT BIT(WORD_BITS - 1)
#define LOWEST(word) (popcount(((word) & -(word)) - 1))
#define HIGHEST_BIT(word) (LAST_BIT >> clz(word))  // of a word that is not 0

// A strip: where it is along each axis but the last, and its pixels begin .. end - 1.
typedef struct {
    place_t at[3], begin, end;
} strip_t;

static strip_t strip_of(place_t number, __global const long *layout) {
    const place_t count[4] = {LENGTH(0), LENGTH(1), LENGTH(2), STRIPS};
    place_t at[4], rest = number;
    at[FASTEST] = rest % count[FASTEST];
    rest /= count[FASTEST];
    at[SECOND] = rest % count[SECOND];
    rest /= count[SECOND];
    at[THIRD] = rest % count[THIRD];
    at[SLOWEST] = rest / count[THIRD];
    const place_t begin = at[3] * STRIP;
    const strip_t strip = {{at[0], at[1], at[2]}, begin, min(begin + STRIP, WIDTH)};
    return strip;
}

#define ROW_AT(at) (((at)[0] * LENGTH(1) + (at)[1]) * LENGTH(2) + (at)[2])

// Where a row's pixels begin.
static __global const uchar *row_at(const place_t *at, __global const uchar *pixels,
                                    __global const long *layout) {
    return pixels + FIRST_BYTE + (long)at[0] * STRIDE(0) + (long)at[1] * STRIDE(1) + (long)at[2] * STRIDE(2);
}

#define RUNS __global const word_t *foreground, __global const word_t *begins, __global const vertices_t *before
#define GIVEN_RUNS foreground, begins, before

// The run of pixel x of a row, which belongs to the foreground.
static vertex_t run_at(place_t row, place_t x, RUNS, __global const long *layout) {
    const place_t w = row * WORDS + x / WORD_BITS;
    return (vertex_t)(before[w] + popcount(begins[w] & UP_TO(x % WORD_BITS)) - 1);
}

// Whether pixel x of a row belongs to the foreground.
static bool has_pixel(place_t row, place_t x, __global const word_t *foreground, __global const long *layout) {
    return foreground[row * WORDS + x / WORD_BITS] >> x % WORD_BITS & 1;
}
