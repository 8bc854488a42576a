// Minimum-label propagation (Jaiganesh's thesis, algorithm 7) and Ligra's Components (Shun and Blelloch,
// PPoPP 2013).
//
//   init               ID[v] = prevID[v] = v; all vertices are in the frontier
//   propagate_changed  the frontier lowers its neighbors' labels          } Components: until at most `few`
//   remember           prevID[v] = ID[v] for those that were lowered      } are in the frontier
//   propagate_all      plainly: every vertex takes its neighbors' smallest label, until nothing changes
//
// Reads: offsets[n + 1], rows (both directions of every edge). Writes: ID[n], prevID[n], frontier[2 * n],
//   size[2] of the frontiers, again[rounds].
// Build options besides common.h's: COMPRESSED (rows.h), TILE (work-items that share a row of the frontier).
// Atomics: minimum on ID and the frontiers' counters in propagate_changed; none in propagate_all.
// Races on ID, benign: labels only fall, to labels of the same component. If a vertex passes on a stale label, its
//   label was lowered in the same round, so it is in the next frontier and passes on the new label. In propagate_all,
//   only a vertex's own work-item writes its label. A work-item that has read a stale label sees the new one in the
//   next round, which follows because again[round] is set. All writers of again[round] write 1.
// Benign races (Oclgrind): propagate_all ID, again; propagate_changed ID.

#include "common.h"
#ifndef PROPAGATE_ALL
#include "atomics.h"
#endif
#include "rows.h"

// Launch: FOR_EACH over vertices. No races.
__kernel void init(const uint n, __global vertex_t *ID, __global vertex_t *prevID,
                   __global vertex_t *frontier, __global uint *size) {
    if (get_global_id(0) == 0) {
        size[0] = n;
        size[1] = 0;
    }
    FOR_EACH(uint, v, n) ID[v] = prevID[v] = frontier[v] = v;
}

#ifdef PROPAGATE_ALL
// Launch: FOR_EACH over vertices.
__kernel void propagate_all(const uint n, __global const edge_t *offsets, __global const row_word_t *rows,
                            __global vertex_t *ID, __global int *again, const uint round) {
    if (STILL(again, round)) return;
    bool changed = false;
    FOR_EACH(uint, v, n) {
        const vertex_t ID_v = ID[v];
        vertex_t smallest = ID_v, w;
        row_t row = begin_row(v, 0, offsets);
        while (next_neighbor(&row, 1, &w, rows)) smallest = min(smallest, LOAD(&ID[w]));
        if (smallest < ID_v) {
            STORE(&ID[v], smallest);
            changed = true;
        }
    }
    if (changed) STORE(&again[round], 1);
}
#else
// Launch: any number of tiles of TILE work-items. Reads frontier number `from`, writes the other one.
__kernel void propagate_changed(const uint n, const uint from, __global const edge_t *offsets,
                                __global const row_word_t *rows, __global vertex_t *ID,
                                __global const vertex_t *prevID, __global vertex_t *frontier,
                                __global uint *size) {
    __global const vertex_t *before = frontier + from * n;
    __global vertex_t *after = frontier + (from ^ 1) * n;
    const uint tiles = get_global_size(0) / TILE;
    for (uint k = get_global_id(0) / TILE; k < size[from]; k += tiles) {
        const vertex_t ID_v = LOAD(&ID[before[k]]);
        row_t row = begin_row(before[k], get_global_id(0) % TILE, offsets);
        vertex_t w;
        while (next_neighbor(&row, TILE, &w, rows)) {
            if (LOAD(&ID[w]) <= ID_v) continue;  // the present label is no larger
            const vertex_t before_that = FETCH_MIN(&ID[w], ID_v);
            if (ID_v < before_that && before_that == prevID[w])  // the first to lower it in this round
                after[TAKE_PLACE(&size[from ^ 1])] = w;
        }
    }
}

// Also empties the frontier that has been read. Launch: FOR_EACH over the frontier. No races.
__kernel void remember(const uint n, const uint from, const uint few, __global const vertex_t *ID,
                       __global vertex_t *prevID, __global const vertex_t *frontier, __global uint *size,
                       __global int *again, const uint round) {
    __global const vertex_t *lowered = frontier + (from ^ 1) * n;
    if (get_global_id(0) == 0) {
        size[from] = 0;
        if (size[from ^ 1] > few) again[round] = 1;
    }
    FOR_EACH(uint, k, size[from ^ 1]) prevID[lowered[k]] = ID[lowered[k]];
}
#endif
