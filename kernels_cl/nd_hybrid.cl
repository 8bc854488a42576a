// ndHybrid: Shun, Dhulipala and Blelloch, SPAA 2014, the non-deterministic hybrid form.
//
//   begin_level      no vertex of this level's graph has a center
//   start            more searches start, in random order, from vertices not yet reached   } until all
//   search_level     one level of all searches, bottom-up while the frontier is large      } have started
//   name_parts       each part is named after its center
//   compose          each vertex of the given graph goes to its part
//   count_edges      edges between parts, by row                                    } the contracted graph
//   scatter_edges    ... put into rows                                              }
//   ...              until no edge joins two parts
//   write_names      each vertex gets the name of its part
//
// Between these kernels, pyopencl's scans number the parts and place the rows.
// Reads: offsets, neighbors of the level's graph. Writes: center, reached, frontier[2 * n], state (search.h);
//   part, names, new_names; counts, and the next level's offsets and neighbors.
// Atomics: those of search.h; counters of rows.
// Benign races (Oclgrind): search_level center, reached.
// Oclgrind cannot judge (compare-and-swap): search_level.
// Races, benign: search.h says why. If two searches reach a vertex in the same level, either may get it.

#include "common.h"
#include "atomics.h"
#include "rows.h"
#include "search.h"

#define DENSE 5u  // a step is bottom-up if more than a fifth of the vertices are in the frontier

// Launch: FOR_EACH over the level's vertices. No races.
__kernel void begin_level(const uint n, __global vertex_t *center, __global int *reached,
                          __global uint *state) {
    if (get_global_id(0) == 0)
        for (int i = 0; i < STATE_WORDS; ++i) state[i] = 0;
    FOR_EACH(uint, v, n) center[v] = reached[v] = UNVISITED;
}

// The i-th of n vertices in an order that a seed determines: an invertible function on 0 .. 2^bits - 1 is applied to i,
// again and again until the result is below n.
static uint in_random_order(uint i, uint n, uint bits, uint seed) {
    const uint mask = bits < 32 ? (1u << bits) - 1 : 0xFFFFFFFFu, low = bits / 2 + 1;
    do {
        for (uint round = 0; round < 3; ++round) {
            // Multiplying by an odd number can be undone modulo 2^bits.
            i = (i * 0x9E3779B1u + (seed + round) * 0x85EBCA6Bu) & mask;
            i ^= i >> low;
        }
    } while (i >= n);
    return i;
}

// Start searches number `started` .. `due` - 1. Launch: FOR_EACH over those.
__kernel void start(const uint n, const uint bits, const uint seed, const uint started, const uint due,
                    __global const edge_t *offsets, __global vertex_t *center, __global int *reached,
                    __global vertex_t *frontier, __global uint *state) {
    const uint level = state[LEVEL];
    FOR_EACH(uint, k, due - started) {
        const vertex_t v = in_random_order(started + k, n, bits, seed);
        if (center[v] != UNVISITED) continue;
        center[v] = v;
        reached[v] = level;
        frontier[level % 2 * n + TAKE_PLACE(&state[SIZE + level % 2])] = v;
    }
}

// Launch: FOR_EACH over vertices.
__kernel void search_level(const uint n, __global const edge_t *offsets, __global const row_word_t *rows,
                   __global vertex_t *center, __global int *reached, __global vertex_t *frontier,
                   __global uint *state) {
    const uint level = state[LEVEL], size = state[SIZE + level % 2];
    __global vertex_t *before = frontier + level % 2 * n, *after = frontier + (level + 1) % 2 * n;
    if (size > n / DENSE) {
        FOR_EACH(uint, w, n) bottom_up(w, level, offsets, rows, center, reached, after, state);
    } else {
        FOR_EACH(uint, k, size)
            top_down(before[k], 0, 1, level, offsets, rows, center, reached, after, state);
    }
}

// Launch: any; one work-item does it.
__kernel void next_step(__global uint *state) {
    if (get_global_id(0) != 0) return;
    state[SIZE + state[LEVEL] % 2] = 0;
    state[LEVEL] += 1;
}

// Launch: FOR_EACH over the level's vertices. No races: each part has one center.
__kernel void name_parts(const uint n, __global const vertex_t *center, __global const vertex_t *part_of,
                         __global const vertex_t *names, __global vertex_t *new_names) {
    FOR_EACH(uint, v, n) {
        if (center[v] == v) new_names[part_of[v]] = names[v];
    }
}

// Launch: FOR_EACH over the given graph's vertices. No races.
__kernel void compose(const uint n, __global const vertex_t *part_of, __global vertex_t *part) {
    FOR_EACH(uint, v, n) part[v] = part_of[part[v]];
}

// counts[p] is 0 before. Launch: FOR_EACH over the level's vertices.
__kernel void count_edges(const uint n, __global const edge_t *offsets, __global const vertex_t *neighbors,
                          __global const vertex_t *part_of, __global uint *counts) {
    FOR_EACH(uint, v, n)
        for (edge_t e = offsets[v]; e < offsets[v + 1]; ++e)
            if (part_of[neighbors[e]] != part_of[v]) (void)TAKE_PLACE(&counts[part_of[v]]);
}

// Before, place[p] is where the row of p begins; afterwards, where it ends. Launch: FOR_EACH over the level's
// vertices.
__kernel void scatter_edges(const uint n, __global const edge_t *offsets, __global const vertex_t *neighbors,
                            __global const vertex_t *part_of, __global uint *place,
                            __global vertex_t *new_neighbors) {
    FOR_EACH(uint, v, n)
        for (edge_t e = offsets[v]; e < offsets[v + 1]; ++e) {
            const vertex_t p = part_of[neighbors[e]];
            if (p != part_of[v]) new_neighbors[TAKE_PLACE(&place[part_of[v]])] = p;
        }
}

// Launch: FOR_EACH over the given graph's vertices. No races.
__kernel void write_names(const uint n, __global const vertex_t *part, __global const vertex_t *names,
                          __global vertex_t *representative) {
    FOR_EACH(uint, v, n) representative[v] = names[part[v]];
}
