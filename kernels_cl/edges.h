// FOR_EACH_EDGE(e, u, v, begin, end): run the body for stored entries (u, v), number e, shared out over all
// work-items; `continue` goes on to the next entry.
//
//   edge list (COO):  entries begin .. end - 1;       ends[e] is u
//   INPUT_ROWS (CSR): those of rows begin .. end - 1;  row u is ends[u] .. ends[u + 1] - 1
//
// In both neighbors[e] is v. Kernels take begin and end as `count_t`, ends as `end_t *`.
#ifdef INPUT_ROWS
typedef uint count_t;
typedef edge_t end_t;
#define FOR_EACH_EDGE(e, u, v, begin, end)                                                      \
    FOR_EACH(uint, u##_row, (end) - (begin))                                                    \
        for (edge_t e = ends[(begin) + u##_row], e##_end = ends[(begin) + u##_row + 1]; e < e##_end; ++e) \
            for (vertex_t u = (begin) + u##_row, v = neighbors[e], u##_once = 1; u##_once; u##_once = 0)
#else
typedef edge_t count_t;
typedef vertex_t end_t;
#define FOR_EACH_EDGE(e, u, v, begin, end)                                    \
    FOR_EACH(edge_t, e##_item, (end) - (begin))                               \
        for (edge_t e = (begin) + e##_item, e##_once = 1; e##_once; e##_once = 0) \
            for (vertex_t u = ends[e], v = neighbors[e]; e##_once; e##_once = 0)
#endif
