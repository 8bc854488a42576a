// One level of breadth-first searches, from the frontier down or from the unvisited vertices up.
//
// The searches' state is on the device, so that the host need not wait between levels. It has STATE_WORDS words, a
// build option:
//   state[LEVEL]         counts levels; the frontier of level l is frontier number l % 2
//   state[SIZE + i]      how many vertices are in frontier number i
//   state[DEGREES + i]   how many edges they have
//   state[UNEXPLORED]    how many edges the vertices have that were in no earlier frontier. This number and the degrees
//                        only choose the direction, so they may be rough: with 64-bit offsets, they are divided by 2^8
//   state[CURSOR]        all vertices before it are visited
//   state[STEPS]         counts the steps of all searches, for the host
// label[v] is the source of the search that reached v, and reached[v] is the level of v; before that, both are
// UNVISITED.
// Races, benign: top-down, one swap claims a vertex, and other work-items leave it alone. Bottom-up, only a vertex's
//   own work-item writes its label and level. It reads the labels of the frontier, which are not written any more. A
//   vertex that is reached meanwhile is in the next level or seems unvisited: it is not mistaken for one of the
//   frontier, whether or not the write is seen.
#define UNVISITED -1
enum { LEVEL, SIZE, DEGREES = SIZE + 2, UNEXPLORED = DEGREES + 2, CURSOR };
#define STEPS (STATE_WORDS - 1)

#ifdef WIDE_OFFSETS
#define ROUGHLY(edges) ((uint)((edges) >> 8))
#else
#define ROUGHLY(edges) ((uint)(edges))
#endif

// Put w, which was just reached, into the next level's frontier.
static void add_to_frontier(vertex_t w, uint level, __global const edge_t *offsets, __global int *reached,
                            __global vertex_t *after, __global uint *state) {
    STORE(&reached[w], (int)(level + 1));
    after[TAKE_PLACE(&state[SIZE + (level + 1) % 2])] = w;
    ADD(&state[DEGREES + (level + 1) % 2], ROUGHLY(offsets[w + 1] - offsets[w]));
}

// Let u, a vertex of the frontier, claim its unvisited neighbors among entries lane, lane + lanes, ...
static void top_down(vertex_t u, uint lane, uint lanes, uint level, __global const edge_t *offsets,
                     __global const row_word_t *rows, __global vertex_t *label, __global int *reached,
                     __global vertex_t *after, __global uint *state) {
    const vertex_t source = LOAD(&label[u]);
    row_t row = begin_row(u, lane, offsets);
    vertex_t w;
    while (next_neighbor(&row, lanes, &w, rows))
        if (LOAD(&label[w]) == UNVISITED && COMPARE_AND_SWAP(&label[w], UNVISITED, source) == UNVISITED)
            add_to_frontier(w, level, offsets, reached, after, state);
}

// Let w, if it is unvisited, look for a neighbor in the frontier, and stop at the first.
static void bottom_up(vertex_t w, uint level, __global const edge_t *offsets, __global const row_word_t *rows,
                      __global vertex_t *label, __global int *reached, __global vertex_t *after,
                      __global uint *state) {
    if (LOAD(&label[w]) != UNVISITED) return;
    row_t row = begin_row(w, 0, offsets);
    vertex_t u;
    while (next_neighbor(&row, 1, &u, rows)) {
        if (LOAD(&reached[u]) != (int)level) continue;
        STORE(&label[w], LOAD(&label[u]));
        add_to_frontier(w, level, offsets, reached, after, state);
        return;
    }
}
