// Contacts of the regions of a labelled image: which labels touch, and over how many faces. A face is shared by two
// pixels that differ by 1 along one axis.
//
// Faces are counted in a hash table, with a slot for each pair of labels: open addressing with linear probing, filled
// by compare-and-swap, as in interning.cl. If a pair finds no slot, the host starts again with a larger table.
//
//   clear           make all slots empty
//   find_contacts   count the faces of each strip's pixels
//
// Most faces may belong to few pairs. So a work-group first counts in local memory, as in regions.cl: a pair can be in
// only one slot there, and the first pair that comes takes the slot; others go to the table. But a work-item that is
// alone in its group, as on CPUs, evicts the other pair.
//
// Reads: labels (image.h describes their layout).
// Writes: table[mask + 1]; crowded[1]: whether a pair found no slot.
// Build options besides common.h's: those of image.h and given_labels.h; SLOTS, the number of slots in local memory, a
//   power of 2; GROUP, the size of a work-group. WIDE_VERTICES must be set: pairs are 64-bit words.
// Atomics: 64-bit compare-and-swap in local and global memory; 64-bit addition on table; 32-bit addition in local
//   memory.
// Races on table, benign: a slot's pair changes once, from NO_PAIR, and only by the swap. If a stale read shows
//   NO_PAIR, the swap that follows fails and returns the true pair. All slots before a pair's own were full when the
//   pair came, and stay full, so a pair has only one slot. On pair in local memory, benign for the same reason. On
//   crowded: all writers write the same value, and a work-item that reads it too early only counts in vain.
// Benign races (Oclgrind): find_contacts crowded, local, table.
// Oclgrind cannot judge (compare-and-swap): find_contacts.

#include "common.h"
#include "atomics.h"
#include "image.h"
#include "given_labels.h"

#define NO_PAIR 0
typedef struct {
    vertex_t pair;  // the smaller label in the upper half
    vertices_t faces;
} contact_t;

// Where a work-item counts.
typedef struct {
    __local vertex_t *pair;  // of each slot in local memory
    __local uint *faces;
    __global contact_t *table;
    ulong mask;
    uint shift;
    __global vertex_t *crowded;
} counters_t;

// Fibonacci hashing spreads regular pairs evenly (Knuth, The Art of Computer Programming 3, section 6.4).
#define HASH(pair) ((ulong)(pair) * GOLDEN(ulong))

// Launch: FOR_EACH over slots.
__kernel void clear(const ulong slots, __global contact_t *table) {
    FOR_EACH(ulong, at, slots) {
        table[at].pair = NO_PAIR;
        table[at].faces = 0;
    }
}

// Add faces to a pair's slot in the table. The search is short, so that a nearly full table is noticed.
static void add_faces(vertex_t pair, uint faces, const counters_t *to) {
    ulong at = HASH(pair) >> to->shift;
    for (ulong step = 0; step <= to->mask / 64; ++step) {
        vertex_t seen = LOAD(&to->table[at].pair);
        if (seen == NO_PAIR) seen = COMPARE_AND_SWAP(&to->table[at].pair, NO_PAIR, pair);
        if (seen == NO_PAIR || seen == pair) {
            ADD_VERTICES(&to->table[at].faces, faces);
            return;
        }
        at = (at + 1) & to->mask;
    }
    STORE(to->crowded, 1);
}

// Add faces to a pair's slot in local memory, if it has one. A work-group sees fewer than 2^32 faces: more would take
// 2^36 pixels.
static void count_faces(vertex_t pair, uint faces, const counters_t *to) {
    const uint slot = (uint)(HASH(pair) >> 32) % SLOTS;
#if GROUP > 1
    volatile __local long *owner = (volatile __local long *)&to->pair[slot];
    long seen = *owner;
    if (seen == NO_PAIR) seen = atom_cmpxchg(owner, NO_PAIR, pair);
    if (seen == NO_PAIR || seen == pair)
        (void)atomic_add(&to->faces[slot], faces);
    else
        add_faces(pair, faces, to);
#else
    if (to->pair[slot] == pair) {
        to->faces[slot] += faces;
        return;
    }
    if (to->pair[slot] != NO_PAIR) add_faces(to->pair[slot], to->faces[slot], to);
    to->pair[slot] = pair;
    to->faces[slot] = faces;
#endif
}

// There are no branches, because they would be hard to predict.
static vertex_t pair_of(label_t a, label_t b) {
    const ulong pair = (ulong)min(a, b) << 32 | (ulong)max(a, b);
    return ((a != b) & (a != 0) & (b != 0)) ? (vertex_t)pair : NO_PAIR;
}

// Count the faces between the pixels begin .. end - 1 of two rows. If a pair occurs several times in succession, its
// faces are added at once.
static void compare_rows(__global const uchar *row, __global const uchar *other, place_t begin, place_t end,
                         long apart, const counters_t *to) {
    vertex_t before = NO_PAIR;
    uint faces = 0;
    for (place_t x = begin; x < end; ++x) {
        const vertex_t pair = pair_of(LABEL_AT(row, x), LABEL_AT(other, x));
        if (pair != before) {
            if (before != NO_PAIR) count_faces(before, faces, to);
            before = pair;
            faces = 0;
        }
        ++faces;
    }
    if (before != NO_PAIR) count_faces(before, faces, to);
}

// Launch: FOR_EACH over strips, in groups of GROUP.
__kernel void find_contacts(const place_t strips, __global const long *layout, __global const uchar *labels,
                            const ulong mask, const uint shift, __global contact_t *table,
                            __global vertex_t *crowded) {
    __local vertex_t pair[SLOTS];
    __local uint faces[SLOTS];
    for (uint slot = get_local_id(0); slot < SLOTS; slot += GROUP) {
        pair[slot] = NO_PAIR;
        faces[slot] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const counters_t to = {pair, faces, table, mask, shift, crowded};
    const long apart = STRIDE(3);
    FOR_EACH(place_t, s, strips) {
        if (LOAD(crowded)) break;  // all will be counted again
        const strip_t strip = strip_of(s, layout);
        __global const uchar *row = row_at(strip.at, labels, layout);
        for (uint axis = 0; axis < 3; ++axis)
            if (strip.at[axis] + 1 < LENGTH(axis))
                compare_rows(row, row + STRIDE(axis), strip.begin, strip.end, apart, &to);
        compare_rows(row, row + apart, strip.begin, min(strip.end, WIDTH - 1), apart, &to);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint slot = get_local_id(0); slot < SLOTS; slot += GROUP)
        if (pair[slot] != NO_PAIR) add_faces(pair[slot], faces[slot], &to);
}
