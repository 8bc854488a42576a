// Regions of a labelled image, and renumbered labels. A region is all pixels with one label; it has their number, the
// sums of their coordinates, and the smallest box around them.
//
//   largest_label   the largest label that each work-group has seen, or UINT_MAX if that needs more than 32 bits
//   clear           make every region empty
//   measure         add each run of equal labels in a row to its label's region
//   renumber        each pixel gets its label's number (kept_labels.cl)
//
// Reads: labels (image.h describes their layout); number[labels + 1].
// Writes: largest[groups]; region[labels], where item i is about label i + 1; fresh[pixels], which may be the
//   labels themselves, in the same places, but must not overlap them otherwise.
// Build options besides common.h's: those of image.h, given_labels.h and collecting.h; AXES, how many of the four axes
//   count, from the last one on.
// Atomics, and races that are benign: those of collecting.h; and in local memory, maximum.
// Benign races (Oclgrind): measure local, region.
// Oclgrind cannot judge (compare-and-swap): measure.

#include "common.h"
#include "image.h"
#include "given_labels.h"
#include "wide.h"

typedef struct {
    ulong size, sums[AXES];
    uint first[AXES], end[AXES];  // the box: along each axis, the first pixel and one past the last
} record_t;

// A label that needs more than 32 bits counts as UINT_MAX. Other labels are not widened first, and `mine` is chosen
// without max(), because otherwise Intel's compiler does not vectorize largest_label.
#define AS_UINT(label) (sizeof(label_t) > 4 ? (uint)min((ulong)(label), (ulong)UINT_MAX) : (uint)(label))

// Launch: FOR_EACH over strips, in groups of GROUP.
__kernel void largest_label(const place_t strips, __global const long *layout, __global const uchar *labels,
                            __global uint *largest) {
    __local uint largest_here;
    uint mine = 0;
    const long apart = STRIDE(3);
    FOR_EACH(place_t, s, strips) {
        const strip_t strip = strip_of(s, layout);
        __global const uchar *row = row_at(strip.at, labels, layout);
        for (place_t x = strip.begin; x < strip.end; ++x) {
            const uint label = AS_UINT(LABEL_AT(row, x));
            mine = label > mine ? label : mine;
        }
    }
    if (get_local_id(0) == 0) largest_here = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    (void)atomic_max(&largest_here, mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) largest[get_group_id(0)] = largest_here;
}

static record_t nothing(void) {
    record_t region;
    region.size = 0;
    for (uint a = 0; a < AXES; ++a) {
        region.sums[a] = 0;
        region.first[a] = UINT_MAX;
        region.end[a] = 0;
    }
    return region;
}

#define JOIN(where)                                      \
    {                                                    \
        add_##where(&to->size, more.size);               \
        for (uint a = 0; a < AXES; ++a) {                \
            add_##where(&to->sums[a], more.sums[a]);     \
            lower_##where(&to->first[a], more.first[a]); \
            raise_##where(&to->end[a], more.end[a]);     \
        }                                                \
    }

#include "collecting.h"

// The region of a run: pixels from .. end - 1 of a row.
static record_t region_of_run(const strip_t *strip, place_t from, place_t end) {
    record_t run;
    run.size = end - from;
    for (uint a = 0; a + 1 < AXES; ++a) {
        const place_t at = strip->at[4 - AXES + a];
        run.sums[a] = run.size * at;
        run.first[a] = at;
        run.end[a] = at + 1;
    }
    run.sums[AXES - 1] = ((ulong)from + end - 1) * run.size / 2;
    run.first[AXES - 1] = from;
    run.end[AXES - 1] = end;
    return run;
}

// The end of the run that pixel x of a row belongs to, at most `end`. CPUs compare eight labels at a time.
static place_t run_end(__global const uchar *row, place_t x, place_t end, long apart) {
    const label_t label = LABEL_AT(row, x);
    ++x;
#if GROUP == 1 && defined(ADJACENT)
    for (; x + 8 <= end; x += 8) {
        const ulong others = as_ulong(convert_char8(vload8(0, (__global const label_t *)row + x) != label));
        if (others) return x + popcount((others & -others) - 1) / 8;
    }
#endif
    while (x < end && LABEL_AT(row, x) == label) ++x;
    return x;
}

// Launch: FOR_EACH over strips, in groups of GROUP.
__kernel void measure(const place_t strips, __global const long *layout, __global const uchar *labels,
                      __global record_t *region) {
    __local uint owner[SLOTS];
    __local record_t collected[SLOTS];
    begin_collecting(owner, collected);
    const long apart = STRIDE(3);
    FOR_EACH(place_t, s, strips) {
        const strip_t strip = strip_of(s, layout);
        __global const uchar *row = row_at(strip.at, labels, layout);
        for (place_t x = strip.begin; x < strip.end;) {
            const place_t from = x;
            const label_t label = LABEL_AT(row, x);
            x = run_end(row, from, strip.end, apart);
            if (label) collect((uint)label, region_of_run(&strip, from, x), owner, collected, region);
        }
    }
    end_collecting(owner, collected, region);
}

// Launch: FOR_EACH over strips.
__kernel void renumber(const place_t strips, __global const long *layout, __global const uchar *labels,
                       __global const uint *number, __global label_t *fresh) {
    const long apart = STRIDE(3), fresh_apart = LABEL_STRIDE(3);
    FOR_EACH(place_t, s, strips) {
        const strip_t strip = strip_of(s, layout);
        __global const uchar *row = row_at(strip.at, labels, layout);
        __global label_t *to = fresh + FIRST_LABEL + (long)strip.at[0] * LABEL_STRIDE(0) +
                               (long)strip.at[1] * LABEL_STRIDE(1) + (long)strip.at[2] * LABEL_STRIDE(2);
        for (place_t x = strip.begin; x < strip.end; ++x) to[(long)x * fresh_apart] = number[LABEL_AT(row, x)];
    }
}
