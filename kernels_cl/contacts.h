// Contacts: places where two runs of different rows touch. They are found word by word, and the runs are joined.
//
// A contact of two pixels is skipped in two cases: first, if the same two runs also touch at the preceding pixels;
// second, if the contact is *covered*. Then both pixels are neighbors of a third one, in an earlier row, and the
// contacts with that pixel are enough. accel/neighbor_rows.py says which rows cover contacts with which, and why no
// contact rests on itself.
//
// Build options besides those of image.h and pixels.h: NEIGHBORS, the number of neighboring rows, and ROWS, a
//   neighbor_t for each. A row comes after the rows that cover contacts with it. With striding, a strip must be one
//   word, because `done` is about one word.

typedef struct {
    int way[3];         // the way there along the first three axes
    int diagonal;       // whether pixels touch diagonally, too
    int hub, side;      // the rows that cover contacts, by their places in `neighbors`; or -1
    int hub_diagonal;   // whether the hub covers diagonal contacts, too. The side always does
} neighbor_t;

__constant neighbor_t neighbors[] = {ROWS};

#if !defined(PARTITIONING) && STRIP != WORD_BITS
#error "with striding, a strip must be one word"
#endif

#ifdef ALIKE_CLOSE  // pixels that are close to the same pixel need not be close to each other
#define TRANSITIVE 0
#else
#define TRANSITIVE ONES
#endif

// What a work-item knows about its strips: the row in which they begin, and the first run that begins there.
typedef struct {
    place_t row;
    vertex_t run;
} item_t;

static item_t this_item(place_t strips, __global const vertices_t *before, __global const long *layout) {
#ifdef PARTITIONING
    const place_t s = RUN_BEGIN(strips, get_global_id(0));
    if (s < strips) {
        const strip_t strip = strip_of(s, layout);
        const item_t item = {ROW_AT(strip.at), before[ROW_AT(strip.at) * WORDS + strip.begin / WORD_BITS]};
        return item;
    }
#endif
    const item_t nothing = {0, 0};
    return nothing;
}

#ifdef PARTITIONING
// Rem's union with splicing (Dijkstra, 1976; Patwary, Blair and Manne, 2010), for a single work-item.
static void unite(vertex_t u, vertex_t v, __global vertex_t *parent) {
    vertex_t p_u = parent[u], p_v = parent[v];
    while (p_u != p_v) {
        if (p_u < p_v) {
            const vertex_t t = u, p_t = p_u;
            u = v, p_u = p_v;
            v = t, p_v = p_t;
        }
        parent[u] = p_v;
        if (u == p_u) return;
        u = p_u;
        p_u = parent[u];
    }
}
#endif

// Join two runs that touch. A contact is *mine* if a plain store is enough. With PARTITIONING, this is so if both runs
// begin in the work-item's own strips, whose trees no other work-item changes. With striding, it is so for the first
// contact with an earlier row of a run that begins in this word. Then the run is still its own parent, and no other
// work-item writes that parent. It does not matter if the other tree changes meanwhile, because every run goes under an
// earlier one. `begun` has the bits at which runs begin, up to the contact; `done` has the bits of the runs that have
// had such a contact.
static void meet(bool mine_only, vertex_t run, vertex_t other, bool earlier, word_t begun, word_t *done,
                 item_t item, __global vertex_t *parent) {
#ifdef PARTITIONING
    const bool mine = earlier && other >= item.run;
    if (mine && mine_only) unite(run, other, parent);
#else
    const word_t bit = begun ? HIGHEST_BIT(begun) : 0;
    const bool mine = earlier && (bit & ~*done);
    if (mine) *done |= bit;
    if (mine && mine_only) parent[run] = other;
#endif
    if (!mine && !mine_only) (void)link(run, other, parent);
}

// Whether a neighboring row of `row` may have contacts that are mine, or other contacts.
#ifdef PARTITIONING
#define LOOK_AT(other) (mine_only ? (other) < row && (other) >= item.row : !((other) < row && (other) > item.row))
#else
#define LOOK_AT(other) (!mine_only || (other) < row)
#endif

#define NO_ROW (~(place_t)0)

// Go from a row to a neighboring one. Returns its number, or NO_ROW.
static place_t go(place_t *at, neighbor_t to, __global const long *layout) {
    bool inside = true;
    for (uint axis = 0; axis < 3; ++axis) {
        const long length = LENGTH(axis), there = (long)at[axis] + to.way[axis];
        if (there < 0 || there >= length) inside = inside && WRAPS(axis);
        at[axis] = there < 0 ? length - 1 : there >= length ? 0 : there;
    }
    return inside ? ROW_AT(at) : NO_ROW;
}

// A row's word as seen from the pixels after it (step -1) or before it (step 1): each bit is one place further on or
// further back. `next` is the row's next word in the direction of the step.
static word_t seen_from(word_t word, word_t next, int step) {
    return step < 0 ? word << 1 | next >> (WORD_BITS - 1) : word >> 1 | next << (WORD_BITS - 1);
}

// Join the runs in a strip with the runs that they touch in neighboring rows: at contacts that are mine, or at all
// other contacts.
static void touch_rows(bool mine_only, const strip_t *strip, item_t item, __global const long *layout,
                       __global const uchar *pixels, VALUES, RUNS, __global vertex_t *parent) {
    const place_t row = ROW_AT(strip->at);
    __global const uchar *values = row_at(strip->at, pixels, layout);
    word_t done = 0;
    place_t rows[NEIGHBORS + 1];
    for (uint k = 0; k < NEIGHBORS; ++k) {
        const neighbor_t neighbor = neighbors[k];
        place_t at[3] = {strip->at[0], strip->at[1], strip->at[2]};
        const place_t other = rows[k] = go(at, neighbor, layout);
        if (other == NO_ROW || !LOOK_AT(other)) continue;
        const bool earlier = other < row;
        __global const uchar *values_there = row_at(at, pixels, layout);
        for (place_t x = strip->begin; x < strip->end; x += WORD_BITS) {
            const place_t w = row * WORDS + x / WORD_BITS, v = other * WORDS + x / WORD_BITS;
            const word_t here = foreground[w], there = foreground[v];
            if (!here) continue;
            const word_t begin = begins[w], more = here & ~begin;
            const word_t begin_there = begins[v], more_there = there & ~begin_there;
            const vertex_t first = before[w] - 1, first_there = before[v] - 1;
            word_t covered = 0, covered_diagonally = 0;
#ifdef ALIKE_FOREGROUND
            if (neighbor.side >= 0 && rows[neighbor.side] < row)
                covered = covered_diagonally = foreground[rows[neighbor.side] * WORDS + x / WORD_BITS];
            if (neighbor.hub >= 0 && rows[neighbor.hub] < row) {
                const word_t hub = foreground[rows[neighbor.hub] * WORDS + x / WORD_BITS];
                covered |= hub;
                if (neighbor.hub_diagonal) covered_diagonally |= hub;
            }
#endif
            word_t touch = here & there & ~covered & ~(more & more_there & TRANSITIVE);
            touch = alike_at(touch, values, values_there, x, 0, layout, GIVEN_VALUES);
            touch &= ~(more & more_there & touch << 1);
            for (; touch; touch &= touch - 1) {
                const word_t up_to = touch ^ (touch - 1), begun = begin & up_to;
                meet(mine_only, first + popcount(begun), first_there + popcount(begin_there & up_to), earlier, begun,
                     &done, item, parent);
            }
            if (!neighbor.diagonal) continue;
            for (int step = -1; step <= 1; step += 2) {
                const bool inside = step < 0 ? x > 0 : x + WORD_BITS < WIDTH;
                const word_t next = inside ? foreground[v + step] : 0;
                const word_t more_next = inside ? next & ~begins[v + step] : 0;
                touch = here & ~covered_diagonally & seen_from(there, next, step);
                touch &= ~(TRANSITIVE & (step < 0 ? more | more_there : more >> 1 | seen_from(more_there, more_next, step)));
                if (!inside && WRAPS(3) && has_pixel(other, step < 0 ? WIDTH - 1 : 0, foreground, layout))
                    touch |= here & (step < 0 ? 1 : BIT((WIDTH - 1) % WORD_BITS));
                touch = alike_at(touch, values, values_there, x, step, layout, GIVEN_VALUES);
                for (; touch; touch &= touch - 1) {
                    const uint i = LOWEST(touch);
                    const word_t begun = begin & UP_TO(i);
                    const vertex_t run_there = run_at(other, stepped(x + i, step, layout), GIVEN_RUNS, layout);
                    meet(mine_only, first + popcount(begun), run_there, earlier, begun, &done, item, parent);
                }
            }
        }
    }
}

// Join the runs at the two ends of a row, which are neighbors.
static void touch_own_end(const strip_t *strip, __global const long *layout, __global const uchar *pixels, VALUES,
                          RUNS, __global vertex_t *parent) {
    const place_t row = ROW_AT(strip->at), last = WIDTH - 1;
    __global const uchar *values = row_at(strip->at, pixels, layout);
    if (!WRAPS(3) || !has_pixel(row, 0, foreground, layout) || !has_pixel(row, last, foreground, layout)) return;
    if (alike_at(1, values, values, 0, -1, layout, GIVEN_VALUES))
        (void)link(run_at(row, 0, GIVEN_RUNS, layout), run_at(row, last, GIVEN_RUNS, layout), parent);
}
