// Statistics of each region's pixels: their smallest and largest values, and sums of products of their coordinates and
// values. All sums are sums of integers, in 128 bits, so they do not depend on the order.
//
//   clear           make every record empty (collecting.h)
//   find_extremes   the smallest and largest value, as keys (built with EXTREMES)
//   add_up          the sums that the build options ask for (built without EXTREMES)
//
// Values are compared as *keys*, unsigned integers in the same order; NaN has the largest key. They are summed as
// *levels* from 0 to 2^44 - 1, counted from the region's smallest value: integers are shifted to the right, and others
// multiplied by a power of two, so that the largest value's level is below 2^44. Levels have two halves of 22 bits,
// whose products are summed in 64 bits over a run, which has at most 2^16 pixels. Coordinates are counted from the
// beginning of the region's box, and wrap at the end of the axis.
//
// Reads: labels and values (image.h describes the layout of each); for each label, first[labels][AXES], where its box
//   begins; least[labels], the key of its smallest value or, for floating-point numbers, that value times the scale;
//   scale[labels], the bits to shift or, for floating-point numbers, a power of two.
// Writes: record[labels], where item i is about label i + 1.
// Build options besides common.h's: those of image.h, given_labels.h and collecting.h; AXES; EXTREMES, or
//   what is summed: SHAPES (products of two coordinates), VALUES (levels), SQUARES (of levels), WEIGHTED (levels times
//   coordinates). VALUE is the type of values: FLOATING (float or double), HALF (their bits, ushort), SIGNED (their
//   bits, unsigned), BOOLS, or unsigned integers. ADJACENT_VALUES, if those of a row have no gaps. DOUBLES, if
//   the device computes with doubles, which levels of floating-point numbers need.
// Atomics, and races that are benign: those of collecting.h.
// Benign races (Oclgrind): add_up local; find_extremes local, record.
// Oclgrind cannot judge (compare-and-swap): add_up, find_extremes.

#pragma OPENCL FP_CONTRACT OFF  // so that every device rounds in the same way
#ifdef DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#include "common.h"
#include "image.h"
#include "given_labels.h"
#include "wide.h"

#ifdef ADJACENT_VALUES
#define AT(row, x) ((__global const VALUE *)(row) + (x))
#else
#define AT(row, x) ((__global const VALUE *)((row) + (long)(x) * value_apart))
#endif
#ifdef HALF
#define VALUE_AT(row, x) vload_half(0, (__global const half *)AT(row, x))
#elif defined(BOOLS)
#define VALUE_AT(row, x) (*AT(row, x) != 0)
#else
#define VALUE_AT(row, x) (*AT(row, x))
#endif

#ifdef SIGNED  // the smallest number has the key 0
#define KEY_OF_INTEGER(value) ((key_t)((value) ^ (VALUE)((VALUE)1 << (8 * sizeof(VALUE) - 1))))
#else
#define KEY_OF_INTEGER(value) ((key_t)(value))
#endif

#ifdef EXTREMES

typedef struct {
    key_t least, most;
} record_t;

static record_t nothing(void) {
    const record_t none = {~(key_t)0, 0};
    return none;
}

#define JOIN(where)                            \
    {                                          \
        lower_##where(&to->least, more.least); \
        raise_##where(&to->most, more.most);   \
    }

#else

#define PRODUCTS (AXES * (AXES + 1) / 2)
#define SUMS (SHAPES * PRODUCTS + VALUES + SQUARES + WEIGHTED * AXES)
#define HALF_BITS 22
#define LOW_HALF (((ulong)1 << HALF_BITS) - 1)

// First the products of each coordinate with itself and each later one; then the levels, their squares, and their
// products with each coordinate.
typedef struct {
    wide_t sum[SUMS];
} record_t;

static record_t nothing(void) {
    const wide_t zero = {0, 0};
    record_t none;
    for (uint k = 0; k < SUMS; ++k) none.sum[k] = zero;
    return none;
}

#define JOIN(where)                                                              \
    {                                                                            \
        for (uint k = 0; k < SUMS; ++k) add_wide_##where(&to->sum[k], more.sum[k]); \
    }

#endif
#include "collecting.h"

// -- the smallest and largest values ---------------------------------------------------------------

#ifdef EXTREMES

#define TOP_BIT ((key_t)1 << (8 * sizeof(key_t) - 1))

#ifdef FLOATING
static key_t key_of(FLOATING value) {
    if (value != value) return ~(key_t)0;
#ifdef WIDE_KEYS
    const key_t bits = as_ulong(value);
#else
    const key_t bits = as_uint(value);
#endif
    return bits & TOP_BIT ? ~bits : bits | TOP_BIT;
}
#else
#define key_of KEY_OF_INTEGER
#endif

// Launch: FOR_EACH over strips, in groups of GROUP.
__kernel void find_extremes(const place_t strips, __global const long *layout, __global const uchar *labels,
                            __global const long *value_layout, __global const uchar *values,
                            __global record_t *record) {
    __local uint owner[SLOTS];
    __local record_t collected[SLOTS];
    begin_collecting(owner, collected);
    const long apart = STRIDE(3), value_apart = value_layout[7];
    FOR_EACH(place_t, s, strips) {
        const strip_t strip = strip_of(s, layout);
        __global const uchar *row = row_at(strip.at, labels, layout);
        __global const uchar *value_row = row_at(strip.at, values, value_layout);
        for (place_t x = strip.begin; x < strip.end;) {
            const label_t label = LABEL_AT(row, x);
            record_t run = nothing();
            do {
                const key_t key = key_of(VALUE_AT(value_row, x));
                run.least = min(run.least, key);
                run.most = max(run.most, key);
                ++x;
            } while (x < strip.end && LABEL_AT(row, x) == label);
            if (label) collect((uint)label, run, owner, collected, record);
        }
    }
    end_collecting(owner, collected, record);
}

// -- sums ------------------------------------------------------------------------------------------

#else

#ifdef FLOATING
// Adding 2^52 rounds to the nearest integer, which the lower bits of the sum then hold.
#define LEVEL_OF(value, least, scale) \
    (as_ulong((double)(value) * (scale) - (least) + 0x1p52) & (((ulong)1 << 52) - 1))
#define HAS_LEVELS(scale) ((scale) != 0)  // otherwise, some value may be infinite or NaN
#define scale_t double
#define least_t double
#else
#define LEVEL_OF(value, least, scale) ((ulong)((key_t)(KEY_OF_INTEGER(value) - (least)) >> (scale)))
#define HAS_LEVELS(scale) true
#define scale_t uint
#define least_t key_t
#endif

// Launch: FOR_EACH over strips, in groups of GROUP. `lengths` are the lengths of the axes of the whole image, of which
// this one may be a part.
__kernel void add_up(const place_t strips, __global const long *layout, __global const uchar *labels,
                     __global const long *value_layout, __global const uchar *values, __global const uint *lengths,
                     __global const uint *first, __global const least_t *least, __global const scale_t *scale,
                     __global record_t *record) {
    __local uint owner[SLOTS];
    __local record_t collected[SLOTS];
    begin_collecting(owner, collected);
    const long apart = STRIDE(3), value_apart = value_layout[7];
    FOR_EACH(place_t, s, strips) {
        const strip_t strip = strip_of(s, layout);
        __global const uchar *row = row_at(strip.at, labels, layout);
        __global const uchar *value_row = row_at(strip.at, values, value_layout);
        for (place_t x = strip.begin; x < strip.end;) {
            const place_t from = x;
            const label_t label = LABEL_AT(row, x);
            if (!label) {
                do ++x;
                while (x < strip.end && !LABEL_AT(row, x));
                continue;
            }
            const uint region = (uint)label - 1;
#if VALUES || SQUARES || WEIGHTED
            const least_t from_least = least[region];
            const scale_t by = scale[region];
            ulong levels = 0, squares = 0, mixed = 0, upper_squares = 0, moved = 0, upper_moved = 0;
#endif
            do {
#if VALUES || SQUARES || WEIGHTED
                const ulong level = LEVEL_OF(VALUE_AT(value_row, x), from_least, by), i = x - from;
                levels += level;
#ifdef NARROW
                squares += level * level;
                moved += level * i;
#else
                const ulong low = level & LOW_HALF, high = level >> HALF_BITS;
                squares += low * low;
                mixed += low * high;
                upper_squares += high * high;
                moved += low * i;
                upper_moved += high * i;
#endif
#endif
                ++x;
            } while (x < strip.end && LABEL_AT(row, x) == label);

            ulong at[AXES];  // of the run's first pixel
            for (uint a = 0; a < AXES; ++a) {
                const uint pixel = a + 1 < AXES ? (uint)strip.at[4 - AXES + a] : (uint)from;
                uint away = pixel - first[(ulong)region * AXES + a];
                if (away >= lengths[a]) away += lengths[a];  // it is negative
                at[a] = away;
            }
            const ulong n = x - from;
            record_t run;
            uint k = 0;
#if SHAPES
            const ulong last = at[AXES - 1], total = n * last + n * (n - 1) / 2;
            const wide_t within = {last * n * (n - 1) + (n - 1) * n * (2 * n - 1) / 6, 0};
            for (uint a = 0; a + 1 < AXES; ++a) {
                for (uint b = a; b + 1 < AXES; ++b) run.sum[k++] = wide_product(n * at[a], at[b]);
                run.sum[k++] = wide_product(total, at[a]);
            }
            run.sum[k++] = wide_sum(wide_product(n * last, last), within);
#endif
#if VALUES || SQUARES || WEIGHTED
            if (!HAS_LEVELS(by)) levels = squares = mixed = upper_squares = moved = upper_moved = 0;
            const wide_t level_sum = {levels, 0}, low_squares = {squares, 0}, low_moved = {moved, 0};
#if VALUES
            run.sum[k++] = level_sum;
#endif
#if SQUARES
            run.sum[k++] = wide_sum(wide_sum(low_squares, shifted(mixed, HALF_BITS + 1)),
                                    shifted(upper_squares, 2 * HALF_BITS));
#endif
#if WEIGHTED
            for (uint a = 0; a < AXES; ++a) run.sum[k + a] = wide_product(levels, at[a]);
            run.sum[k + AXES - 1] = wide_sum(run.sum[k + AXES - 1], wide_sum(low_moved, shifted(upper_moved, HALF_BITS)));
#endif
#endif
            collect((uint)label, run, owner, collected, record);
        }
    }
    end_collecting(owner, collected, record);
}

#endif
