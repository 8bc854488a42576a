// Regions of a labelled image, and labels numbered anew. A region is all pixels with one label: how many they are,
// the sums of their coordinates, and the smallest box around them.
//
//   largest_label   the largest label that each work-group has seen, or UINT_MAX if that needs more than 32 bits
//   clear           make every region empty
//   measure         add each run of equal labels in a row to its label's region
//   renumber        each pixel gets its label's number (kept_labels.cl)
//
// Most runs belong to few labels, often to one. So a work-group collects regions in local memory first, in SLOTS
// slots: a label has one slot where it may be, and the first label that comes takes it. A label that finds its slot
// taken goes to global memory. But a work-item that is alone in its group, as on CPUs, puts the other label out.
//
// Reads: labels (layout is what image.h says of them); number[labels + 1].
// Writes: largest[groups]; region[labels], where item i is about label i + 1; fresh[pixels], which may be the
//   labels themselves, in the same places, but must not overlap them otherwise.
// Build options besides common.h's: those of image.h and given_labels.h; AXES, how many of the four axes count, from the
//   last one on; SLOTS, a power of 2; GROUP, the size of a work-group.
// Atomics: in local and global memory, addition, minimum and maximum; in local memory, compare-and-swap.
// Races on boxes, in region and in local memory, benign: a box only grows, by the atomics alone. A stale read shows a
//   smaller one, and then only costs the atomic. On owner in local memory, benign: a slot's owner changes once, from
//   NOBODY to a label, by the swap alone. A stale read shows NOBODY, and the swap that follows fails and returns the
//   truth.
// Benign races (Oclgrind): measure local, region.
// Oclgrind cannot judge (compare-and-swap): measure.

#include "common.h"
#include "image.h"
#include "given_labels.h"

#define NOBODY 0

typedef struct {
    ulong size, sums[AXES];
    uint first[AXES], end[AXES];  // the box: along each axis, the first pixel and one past the last
} region_t;

// A label that needs more than 32 bits counts as UINT_MAX. Others are not widened first, and mine is chosen without
// max(): otherwise Intel's compiler makes no vectors of largest_label.
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

static region_t nothing(void) {
    region_t region;
    region.size = 0;
    for (uint a = 0; a < AXES; ++a) {
        region.sums[a] = 0;
        region.first[a] = UINT_MAX;
        region.end[a] = 0;
    }
    return region;
}

// Launch: FOR_EACH over labels.
__kernel void clear(const uint labels, __global region_t *region) {
    FOR_EACH(uint, i, labels) region[i] = nothing();
}

// The region of a run: pixels from .. end - 1 of a row.
static region_t region_of_run(const strip_t *strip, place_t from, place_t end) {
    region_t run;
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

// Add to 64 bits by atomics on 32, which every device has: the work-item that makes the lower half wrap carries. No work-item
// reads the sum before all have added to it.
#define DEFINE_ADD(name, SPACE)                                     \
    static void name(volatile SPACE ulong *sum, ulong more) {       \
        volatile SPACE uint *word = (volatile SPACE uint *)sum;     \
        const uint was = atomic_add(&word[0], (uint)more);          \
        const uint carry = was + (uint)more < was;                  \
        const uint upper = (uint)(more >> 32) + carry;              \
        if (upper) (void)atomic_add(&word[1], upper);               \
    }

// Add a region to one that other work-items are adding to as well.
#define DEFINE_JOIN(name, SPACE, ADD)                                                                    \
    static void name(volatile SPACE region_t *to, const region_t more) {                                 \
        ADD(&to->size, more.size);                                                                       \
        for (uint a = 0; a < AXES; ++a) {                                                                \
            ADD(&to->sums[a], more.sums[a]);                                                             \
            if (LOAD(&to->first[a]) > more.first[a]) (void)atomic_min(&to->first[a], more.first[a]);     \
            if (LOAD(&to->end[a]) < more.end[a]) (void)atomic_max(&to->end[a], more.end[a]);             \
        }                                                                                                \
    }

// OpenCL C 1.2 needs a function for each address space.
DEFINE_ADD(add_global, __global)
DEFINE_JOIN(join_global, __global, add_global)
#if GROUP > 1
DEFINE_ADD(add_local, __local)
DEFINE_JOIN(join_local, __local, add_local)
#else
static void join_local(__local region_t *to, const region_t more) {
    to->size += more.size;
    for (uint a = 0; a < AXES; ++a) {
        to->sums[a] += more.sums[a];
        to->first[a] = min(to->first[a], more.first[a]);
        to->end[a] = max(to->end[a], more.end[a]);
    }
}
#endif

// Add a run to its label's region: to that in local memory if it has a slot.
static void collect(uint label, const region_t run, __local uint *owner, __local region_t *collected,
                    __global region_t *region) {
    const uint slot = label % SLOTS;
#if GROUP == 1
    if (owner[slot] == label) {
        join_local(&collected[slot], run);
        return;
    }
    if (owner[slot] != NOBODY) join_global(&region[owner[slot] - 1], collected[slot]);
    owner[slot] = label;
    collected[slot] = run;
#else
    volatile __local uint *mine = &owner[slot];
    uint seen = *mine;
    if (seen == NOBODY) seen = atomic_cmpxchg(mine, NOBODY, label);
    if (seen == NOBODY || seen == label)
        join_local(&collected[slot], run);
    else
        join_global(&region[label - 1], run);
#endif
}

// Launch: FOR_EACH over strips, in groups of GROUP.
__kernel void measure(const place_t strips, __global const long *layout, __global const uchar *labels,
                      __global region_t *region) {
    __local uint owner[SLOTS];
    __local region_t collected[SLOTS];
    for (uint slot = get_local_id(0); slot < SLOTS; slot += GROUP) {
        owner[slot] = NOBODY;
        collected[slot] = nothing();
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const long apart = STRIDE(3);
    FOR_EACH(place_t, s, strips) {
        const strip_t strip = strip_of(s, layout);
        __global const uchar *row = row_at(strip.at, labels, layout);
        for (place_t x = strip.begin; x < strip.end;) {
            const place_t from = x;
            const label_t label = LABEL_AT(row, x);
            do ++x;
            while (x < strip.end && LABEL_AT(row, x) == label);
            if (label) collect((uint)label, region_of_run(&strip, from, x), owner, collected, region);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint slot = get_local_id(0); slot < SLOTS; slot += GROUP)
        if (owner[slot] != NOBODY) join_global(&region[owner[slot] - 1], collected[slot]);
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
