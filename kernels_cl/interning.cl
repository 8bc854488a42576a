// Interning: give equal ids the same number, and different ids different numbers, in order of first appearance. Ids
// come in blocks. The table is open addressing with linear probing (Peterson 1957; Knuth, The Art of Computer
// Programming 3, section 6.4, algorithm L), filled by compare-and-swap, so no work-item waits for another (Gao, Groote
// and Hesselink, "Lock-free dynamic hash tables with open addressing", Distributed Computing 18, 2005).
//
//   look_up      for each id of a block: find its slot, or fill an empty one     }
//   count_new    each work-group counts the ids that are new in its run          }
//   add_up       (sums.h) twice: the first number, and first byte, of each run   } for each block
//   keep_new     new ids get their numbers; their bytes are kept                 }
//   tell         the number of each id of the block                              }
//   clear        empty a table's slots
//   refill       put all ids that are kept into another table: it is larger, or has another seed
//
// A slot is one 64-bit word: the id's hash in the upper half, and a reference to the id in the lower half. The
// reference is 1 + the number of a kept id, or 1 + known + a place in this block, where `known` is the number of kept
// ids. 0 is an empty slot. A block has one column of ids or two. Places are counted row by row: if there are two
// columns, the first has the even places and the second has the odd ones.
//
// Reads: text0, begin0, text1, begin1 (the block's columns, ids.h); kept_text, kept_begin (all earlier ids).
// Writes: slot[mask + 1]; where[m]: the slot of each id in the block, or -1 - its number if it is known;
//   is_new[m]; counts[groups + 1], lengths[groups + 1]; kept_text, kept_begin; number[m];
//   crowded[1]: whether an id found no slot, because too many share a hash.
// Build options besides common.h's: those of ids.h and sums.h; COLUMNS, 1 or 2; AHEAD, how many ids a work-item looks
//   up at a time, so that their cache misses overlap; FARTHEST, the most slots that it looks at for one id.
//   WIDE_VERTICES must be set: slots are 64-bit words. count_new, add_up and keep_new need PARTITIONING.
// Atomics: 64-bit compare-and-swap on slot, in look_up and refill.
// Races on slot in look_up, benign: a slot changes only from empty to an id, and then only to an earlier appearance of
//   an equal id, by the swap alone. So its hash and bytes never change once it is filled. If a stale read shows an
//   empty slot, the swap that follows fails and returns the true word; a stale read may also show a later appearance of
//   the same id. If an id is in the table, all slots before its own were full when it was put there, and stay full.
//   Hence two equal ids always meet, and the slot ends with the first appearance, whatever the schedule. In refill all
//   ids differ, so it does not matter which of them gets a slot. On crowded: all writers write the same value.
// Benign races (Oclgrind): look_up crowded, slot; refill crowded.
// Oclgrind cannot judge (compare-and-swap): look_up, refill.

#include "common.h"
#include "atomics.h"
#include "ids.h"
#include "sums.h"

typedef vertex_t slot_t;
#define EMPTY 0
#define HASH(slot) ((uint)((ulong)(slot) >> 32))
#define REFERENCE(slot) ((uint)(slot))
#define SLOT(hash, reference) ((slot_t)((ulong)(hash) << 32 | (reference)))

#define BLOCK                                                                                            \
    __global const uchar *text0, __global const ulong *begin0, __global const uchar *text1, \
        __global const ulong *begin1
#if COLUMNS == 2
#define ID_OF_BLOCK(i) ((i) % 2 ? id_at(text1, begin1, (i) / 2) : id_at(text0, begin0, (i) / 2))
#else
#define ID_OF_BLOCK(i) id_at(text0, begin0, i)
#endif
#define KEPT __global const uchar *kept_text, __global const ulong *kept_begin
#define ID_OF(reference) \
    ((reference) <= known ? id_at(kept_text, kept_begin, (reference) - 1) : ID_OF_BLOCK((reference) - 1 - known))

// Find the slot of the block's id i, beginning at the slot `at`, which held `seen`. Returns -1 if it is too far away.
static long place_of(id_t id, uint i, uint hash, ulong at, slot_t seen, ulong mask, uint known, BLOCK, KEPT,
                     __global slot_t *slot, uint *reference) {
    const slot_t mine = SLOT(hash, 1 + known + i);
    for (uint step = 0; step < FARTHEST; ++step) {
        if (seen == EMPTY) {
            seen = COMPARE_AND_SWAP(&slot[at], EMPTY, mine);
            if (seen == EMPTY) seen = mine;
        }
        if (HASH(seen) == hash && (seen == mine || is_equal(id, ID_OF(REFERENCE(seen))))) {
            while (REFERENCE(seen) > REFERENCE(mine)) {
                const slot_t was = COMPARE_AND_SWAP(&slot[at], seen, mine);
                seen = was == seen ? mine : was;
            }
            *reference = REFERENCE(seen);
            return at;
        }
        at = (at + 1) & mask;
        seen = LOAD(&slot[at]);
    }
    return -1;
}

// If an id's slot holds a kept id, bring the bytes that the id will be compared with into the cache.
#define MAY_BE_KEPT(k) (HASH(seen[k]) == hash[k] && REFERENCE(seen[k]) - 1 < known)
#define FETCH_EARLY_begin(k) prefetch(&kept_begin[REFERENCE(seen[k]) - 1], 1)
#define FETCH_EARLY_text(k) prefetch(id_at(kept_text, kept_begin, REFERENCE(seen[k]) - 1).text, 1)
#define FETCH_EARLY(what, k) \
    if (MAY_BE_KEPT(k)) FETCH_EARLY_##what(k)

// Launch: FOR_EACH over the block's ids, AHEAD at a time.
__kernel void look_up(const uint m, const uint known, const ulong seed, BLOCK, KEPT, const ulong mask,
                      const uint shift, __global slot_t *slot, __global int *where, __global slot_t *crowded) {
    FOR_EACH(uint, some, (m + AHEAD - 1) / AHEAD) {
        const uint first = some * AHEAD, here = min((uint)AHEAD, m - first);
        uint hash[AHEAD];
        slot_t seen[AHEAD];
        for (uint k = 0; k < here; ++k) {
            hash[k] = hash_of(ID_OF_BLOCK(first + k), seed);
            prefetch(&slot[hash[k] >> shift], 1);
        }
        for (uint k = 0; k < here; ++k) seen[k] = LOAD(&slot[hash[k] >> shift]);
#if AHEAD > 1 && !defined(DIRECT)
#ifndef WIDTH
        for (uint k = 0; k < here; ++k) FETCH_EARLY(begin, k);
#endif
        for (uint k = 0; k < here; ++k) FETCH_EARLY(text, k);
#endif
        for (uint k = 0; k < here; ++k) {
            const uint i = first + k;
            uint reference = 0;
            const long at = place_of(ID_OF_BLOCK(i), i, hash[k], hash[k] >> shift, seen[k], mask, known, text0,
                                     begin0, text1, begin1, kept_text, kept_begin, slot, &reference);
            if (at < 0) {
                STORE(crowded, 1);
                return;  // the whole block will be looked up again
            }
            where[i] = reference <= known ? -(int)reference : (int)at;
        }
    }
}

// Launch: FOR_EACH over the block's ids, in groups of GROUP.
__kernel void count_new(const uint m, const uint known, BLOCK, __global const int *where,
                        __global const slot_t *slot, __global uchar *is_new, __global vertices_t *counts,
                        __global vertices_t *lengths) {
    __local vertices_t sums[GROUP];
    vertices_t count = 0, length = 0;
    FOR_EACH(uint, i, m) {
        is_new[i] = where[i] >= 0 && REFERENCE(slot[where[i]]) == 1 + known + i;
        if (is_new[i]) {
            ++count;
            length += ID_OF_BLOCK(i).length;
        }
    }
    leave_sum(count, sums, counts);
    leave_sum(length, sums, lengths);
}

// Launch: as count_new.
__kernel void keep_new(const uint m, const uint known, const ulong kept_bytes, BLOCK, __global const int *where,
                       __global slot_t *slot, __global const uchar *is_new, __global const vertices_t *counts,
                       __global const vertices_t *lengths, __global uchar *kept_text,
                       __global ulong *kept_begin) {
    __local vertices_t sums[GROUP];
    vertices_t count = 0, length = 0;
    FOR_EACH(uint, i, m) {
        if (is_new[i]) {
            ++count;
            length += ID_OF_BLOCK(i).length;
        }
    }
    uint number = known + sum_before_all(count, sums, counts);
    ulong end = kept_bytes + sum_before_all(length, sums, lengths);
    FOR_EACH(uint, j, m) {
        if (!is_new[j]) continue;
        const id_t id = ID_OF_BLOCK(j);
        copy_bytes(kept_text + end, id);
        end += id.length;
        ++number;
#ifndef WIDTH
        kept_begin[number] = end;
#endif
        slot[where[j]] = SLOT(HASH(slot[where[j]]), number);
    }
}

// Launch: FOR_EACH over the block's ids.
__kernel void tell(const uint m, __global const int *where, __global const slot_t *slot, __global int *number) {
    FOR_EACH(uint, i, m) number[i] = where[i] < 0 ? -1 - where[i] : (int)REFERENCE(slot[where[i]]) - 1;
}

// Launch: FOR_EACH over slots.
__kernel void clear(const ulong slots, __global slot_t *slot) {
    FOR_EACH(ulong, i, slots) slot[i] = EMPTY;
}

// Launch: FOR_EACH over the ids that are kept, AHEAD at a time.
__kernel void refill(const uint known, const ulong seed, KEPT, const ulong mask, const uint shift,
                     __global slot_t *slot, __global slot_t *crowded) {
    FOR_EACH(uint, some, (known + AHEAD - 1) / AHEAD) {
        const uint first = some * AHEAD, here = min((uint)AHEAD, known - first);
        uint hash[AHEAD];
        for (uint k = 0; k < here; ++k) {
            hash[k] = hash_of(id_at(kept_text, kept_begin, first + k), seed);
            prefetch(&slot[hash[k] >> shift], 1);
        }
        for (uint k = 0; k < here; ++k) {
            const slot_t mine = SLOT(hash[k], 1 + first + k);
            ulong at = hash[k] >> shift;
            uint step = 0;
            while (step < FARTHEST && COMPARE_AND_SWAP(&slot[at], EMPTY, mine) != EMPTY) {
                at = (at + 1) & mask;
                ++step;
            }
            if (step == FARTHEST) {
                STORE(crowded, 1);
                return;  // the table will be made again
            }
        }
    }
}
