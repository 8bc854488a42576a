// One level of breadth-first searches, from the frontier down or from the unvisited vertices up.
//
// A search's state is on the device, so that the host need not wait between levels:
//   state[LEVEL]         counts levels; the frontier of level l is that with number l % 2
//   state[SIZE + 0, 1]   how many vertices are in each of the two frontiers
//   state[DEGREES + 0, 1]   edges of the two frontiers
//   state[UNEXPLORED]    edges of all that is left; with 64-bit offsets both are divided by 2^8: they choose the
//                        direction, and may be rough
//   state[CURSOR]        all vertices before it are visited
// label[v] is UNVISITED or the source of the search that reached v; reached[v] is UNVISITED or the level it
// was in.
// Races, benign: a vertex is claimed by one swap; who loses leaves it alone. Up, only the vertex's own
//   work-item writes it, and it reads labels of the level before, which nobody writes; what is reached in
//   this level is not taken for that, whether or not the write is seen.
#define UNVISITED -1
enum { LEVEL, SIZE, DEGREES = SIZE + 2, UNEXPLORED = DEGREES + 2, CURSOR, STEPS, STATE_WORDS };

#ifdef WIDE_OFFSETS
#define ROUGHLY(edges) ((uint)((edges) >> 8))
#else
#define ROUGHLY(edges) ((uint)(edges))
#endif

// Put w, just reached, into the frontier after this level's.
static void add_to_frontier(vertex_t w, uint level, __global const edge_t *offsets, __global int *reached,
                            __global vertex_t *after, __global uint *state) {
    STORE(&reached[w], (int)(level + 1));
    after[TAKE_PLACE(&state[SIZE + (level + 1) % 2])] = w;
    ADD(&state[DEGREES + (level + 1) % 2], ROUGHLY(offsets[w + 1] - offsets[w]));
}

// Let u, of the frontier, claim its unvisited neighbors: those of entries lane, lane + lanes, ...
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
