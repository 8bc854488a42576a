// The values of pixels, which decide whether pixels are foreground and whether neighbors belong together.
//
// Build options: VALUE, the type of a pixel (unsigned, if bits are all that matters); HALF, if pixels are 16-bit
//   floating-point numbers that are read as float; FLOATING, if VALUE is float or double; BOOLS, if bytes other than 0
//   are read as 1; DIFFERENCE, the type of the difference of two values; BYTES, if pixels have one byte that is read
//   unchanged; NO_BACKGROUND; and one of ALIKE_FOREGROUND, ALIKE_EQUAL and ALIKE_CLOSE.
// Arguments: background, the value that belongs to nothing; mask, the bits of a pixel to compare with it;
//   difference, by how much close values may differ.

#define VALUES const VALUE background, const VALUE mask, const DIFFERENCE difference
#define GIVEN_VALUES background, mask, difference

#ifdef HALF
#define PIXEL(row, x) vload_half(0, (__global const half *)((row) + (long)(x) * STRIDE(3)))
#elif defined(BOOLS)
#define PIXEL(row, x) ((VALUE)((row)[(long)(x) * STRIDE(3)] != 0))
#else
#define PIXEL(row, x) (*(__global const VALUE *)((row) + (long)(x) * STRIDE(3)))
#endif

#if defined(NO_BACKGROUND)
#define IS_FOREGROUND(value) true
#elif defined(FLOATING)
#define IS_FOREGROUND(value) ((value) != background)
#else
#define IS_FOREGROUND(value) ((((value) ^ background) & mask) != 0)
#endif

#if defined(ALIKE_EQUAL)
#define ALIKE(a, b) ((a) == (b))
#elif defined(ALIKE_CLOSE) && defined(FLOATING)
#define ALIKE(a, b) ((a) == (b) || fabs((a) - (b)) <= difference)  // infinities are equal
#elif defined(ALIKE_CLOSE)
#define ALIKE(a, b) (abs_diff((a), (b)) <= difference)
#endif

// The bits of the foreground among `count` pixels from x on.
static word_t foreground_at(__global const uchar *row, place_t x, uint count, __global const long *layout, VALUES) {
    word_t found = 0;
#if defined(BYTES) && !defined(NO_BACKGROUND)
    // Eight bytes at a time: set the lowest bit of each byte that is not 0, and multiply to bring these bits together.
    const ulong ones = 0x0101010101010101, others = 0x7f7f7f7f7f7f7f7f;
    if (count == WORD_BITS && STRIDE(3) == 1) {
        const bool aligned = (ulong)(row + x) % 8 == 0;
        for (uint i = 0; i < WORD_BITS; i += 8) {
            __global const uchar *here = row + x + i;
            const ulong eight = aligned ? *(__global const ulong *)here : as_ulong(vload8(0, here));
            const ulong bytes = eight ^ (uchar)background * ones;
            const ulong not_0 = (((bytes & others) + others | bytes) >> 7) & ones;
            found |= (word_t)(not_0 * 0x0102040810204080 >> 56) << i;
        }
        return found;
    }
#endif
    for (uint i = 0; i < count; ++i) found |= (word_t)IS_FOREGROUND(PIXEL(row, x + i)) << i;
    return found;
}

// The pixel a step (-1, 0 or 1) from pixel x of a row, whose ends meet.
static place_t stepped(place_t x, int step, __global const long *layout) {
    if (step < 0) return x ? x - 1 : WIDTH - 1;
    return x + step < WIDTH ? x + step : 0;
}

// The bits of those pixels, among some from x on, that are like pixels of another row: pixel x + i like the other row's
// pixel x + i + step, where the row wraps.
#ifdef ALIKE
static word_t alike_at(word_t some, __global const uchar *row, __global const uchar *other, place_t x, int step,
                       __global const long *layout, VALUES) {
    word_t found = 0;
    for (word_t left = some; left; left &= left - 1) {
        const uint i = LOWEST(left);
        if (ALIKE(PIXEL(row, x + i), PIXEL(other, stepped(x + i, step, layout)))) found |= BIT(i);
    }
    return found;
}
#else
#define alike_at(some, row, other, x, step, layout, ...) (some)
#endif
