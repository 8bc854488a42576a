// A vertex's row of neighbors, as plain ids or as Ligra+'s code (Shun, Dhulipala and Blelloch, DCC 2015).
//
//   row_t row = begin_row(v, lane, offsets);
//   while (next_neighbor(&row, lanes, &w, rows)) ...
//
// Plain: offsets are positions in rows; several work-items (lanes) may share a row, and each takes every lanes-th
// entry. COMPRESSED: offsets are positions of bytes. A row's neighbors are in ascending order. Each is stored as its
// difference from the one before; the first is stored, with a sign, as its difference from v itself. A difference is
// cut into blocks of 7 bits, the lowest first, each in a byte whose eighth bit says whether another one follows; the
// first byte of a row has 6 bits and the sign. A row can only be read from its beginning, so it is not shared (lane 0
// of 1).
#ifdef COMPRESSED
typedef uchar row_word_t;
#define CONTINUE 0x80
#define SIGN 0x40
#else
typedef vertex_t row_word_t;
#endif

typedef struct {
    edge_t at, end;
    vertex_t before;  // the entry before, in compressed rows; v to begin with
    bool first;
} row_t;

static row_t begin_row(vertex_t v, uint lane, __global const edge_t *offsets) {
    const row_t row = {offsets[v] + lane, offsets[v + 1], v, true};
    return row;
}

static bool next_neighbor(row_t *row, uint lanes, vertex_t *w, __global const row_word_t *rows) {
    if (row->at >= row->end) return false;
#ifdef COMPRESSED
    uint byte = rows[row->at++], bits = row->first ? 6 : 7;
    vertex_t difference = byte & ((1u << bits) - 1);
    const bool negative = row->first && byte & SIGN;
    while (byte & CONTINUE) {
        byte = rows[row->at++];
        difference |= (vertex_t)(byte & 0x7F) << bits;
        bits += 7;
    }
    row->before += negative ? -difference : difference;
    row->first = false;
    *w = row->before;
#else
    *w = rows[row->at];
    row->at += lanes;
#endif
    return true;
}
