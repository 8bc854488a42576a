// Connected components by breadth-first search: Ligra's BFSCC (Shun and Blelloch, PPoPP 2013; Jaiganesh's
// thesis, algorithm 8), and DOBFS-CC from both directions (Beamer, Asanovic and Patterson, SC 2012).
//
//   begin    no vertex is visited
//   narrow   one work-group starts a search from the next unvisited vertex, and goes on, search after search,
//            while no frontier has more than `few` vertices: a launch for each level would take longer
//   wide     the whole device takes one level of a larger frontier
//   ...      until no vertex is unvisited
//
// Reads: offsets[n + 1], rows (both directions of every edge). Writes: label[n], reached[n], frontier[2 * n],
//   state (search.h), again[rounds].
// Build options besides common.h's: COMPRESSED (rows.h), OPTIMIZING (choose the direction of a level; ALPHA and
//   BETA say when), TILE (work-items that share a row in wide).
// Atomics: compare-and-swap on label; the frontiers' counters.
// Races, benign: search.h says why; all writers of again[round] write 1.
// Benign races (Oclgrind): narrow label; wide label.
// Oclgrind cannot judge (compare-and-swap): narrow, wide.

#include "common.h"
#include "atomics.h"
#include "rows.h"
#include "search.h"

// Launch: FOR_EACH over vertices. No races. Searches begin from vertices first .. sources - 1 in ascending
//   order.
__kernel void begin(const uint n, const uint first, const uint unexplored, __global vertex_t *label,
                    __global int *reached, __global uint *state) {
    if (get_global_id(0) == 0) {
        for (int i = 0; i < STATE_WORDS; ++i) state[i] = 0;
        state[CURSOR] = first;
        state[UNEXPLORED] = unexplored;
    }
    FOR_EACH(uint, v, n) label[v] = reached[v] = UNVISITED;
}

// This level's frontier is done: go on to the next level's.
static void advance(__global uint *state) {
    const uint old = state[LEVEL] % 2;
    state[UNEXPLORED] -= state[DEGREES + old];
    state[SIZE + old] = state[DEGREES + old] = 0;
    state[LEVEL] += 1;
    state[STEPS] += 1;
}

// Launch: one work-group.
__kernel void narrow(const uint n, const uint sources, const uint few, __global const edge_t *offsets,
                     __global const row_word_t *rows, __global vertex_t *label, __global int *reached,
                     __global vertex_t *frontier, __global uint *state, __global int *again,
                     const uint round) {
    __local uint size, level, next_source;
    const uint i = get_local_id(0), group = get_local_size(0);
    if (i == 0) {
        if (state[SIZE + state[LEVEL] % 2] > few) advance(state);  // by wide
        level = state[LEVEL];
        size = state[SIZE + level % 2];
        next_source = state[CURSOR];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

    // Every turn of the loop has the same barriers: some compilers fail on barriers under conditions.
    while (size <= few && (size > 0 || next_source < sources)) {
        const uint now = level, reached_before = size, from = next_source;
        __global vertex_t *before = frontier + now % 2 * n, *after = frontier + (now + 1) % 2 * n;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

        for (uint k = i; k < reached_before; k += group)
            top_down(before[k], 0, 1, now, offsets, rows, label, reached, after, state);
        if (i == 0 && reached_before == 0) next_source = min(from + group, sources);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

        // This search is over: is one of the next vertices unvisited?
        const uint v = from + i;
        if (reached_before == 0 && v < sources && LOAD(&label[v]) == UNVISITED) {
            if (offsets[v] < offsets[v + 1]) {
                (void)atomic_min(&next_source, v);
            } else {  // nothing to search
                STORE(&label[v], v);
                ADD(&state[STEPS], 1);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

        if (i == 0 && reached_before > 0) {
            advance(state);
            level = state[LEVEL];
            size = state[SIZE + level % 2];
        } else if (i == 0 && next_source < sources && LOAD(&label[next_source]) == UNVISITED) {
            const vertex_t source = next_source;
            STORE(&label[source], source);
            STORE(&reached[source], now);
            before[0] = source;
            state[SIZE + now % 2] = size = 1;
            state[DEGREES + now % 2] = ROUGHLY(offsets[source + 1] - offsets[source]);
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    if (i == 0) {
        state[CURSOR] = next_source;
        if (size > 0 || next_source < sources) STORE(&again[round], 1);
    }
}

// Launch: any number of tiles of TILE work-items.
__kernel void wide(const uint n, const uint few, __global const edge_t *offsets,
                   __global const row_word_t *rows, __global vertex_t *label, __global int *reached,
                   __global vertex_t *frontier, __global uint *state) {
    const uint level = state[LEVEL], size = state[SIZE + level % 2], degrees = state[DEGREES + level % 2];
    if (size <= few) return;
    __global vertex_t *before = frontier + level % 2 * n, *after = frontier + (level + 1) % 2 * n;
#ifdef OPTIMIZING
    if (size > n / BETA && degrees > state[UNEXPLORED] / ALPHA) {
        FOR_EACH(uint, w, n) bottom_up(w, level, offsets, rows, label, reached, after, state);
        return;
    }
#endif
    const uint tiles = get_global_size(0) / TILE;
    for (uint k = get_global_id(0) / TILE; k < size; k += tiles)
        top_down(before[k], get_global_id(0) % TILE, TILE, level, offsets, rows, label, reached, after,
                 state);
}
