// Edges, as an edge list (COO) or as rows (CSR).
//
// FOR_EACH_EDGE(e, u, v, begin, end): run the body for the stored entries (u, v), where e is the number of the entry.
// All work-items share the entries; `continue` goes on to the next one.
//
//   edge list      entries begin .. end - 1: entry e is (ends[e], neighbors[e])
//   EDGE_PAIRS     an edge list in one array: the ends of entry e are at 2e and 2e + 1. The kernel gets that array
//                  twice, as ends and as neighbors
//   EDGE_HALVES    an edge list in one array: all `end` first ends, and then all second ends. The kernel gets that
//                  array twice
//   INPUT_ROWS     the entries of rows begin .. end - 1: entry e of row u is (u, neighbors[e]), for e from
//                  ends[u] to ends[u + 1] - 1
//
// FOR_EACH_EDGE_IN_TURNS(e, u, v, begin, end, edges): run the body for the entries that FOR_EACH_EDGE takes over the
// whole list, in its turns begin .. end - 1 (common.h). With striding, and not with INPUT_ROWS.
//
// Other build options:
//   WIDE_IDS        the ids of an edge list are 64-bit, as the caller gave them; each is still a vertex
//   UNSIGNED_IDS    the ids are unsigned
//   ONE_DIRECTION   an edge may be stored in one direction only; without it, both directions are stored
//
// TAKEN(u, v): whether an algorithm that needs each edge once takes the entry (u, v). If both directions are stored, it
// takes the one with u < v; with ONE_DIRECTION, it takes every entry, because each may be the only entry of its edge.
//
// Kernels take begin and end as `count_t`, ends as `end_t *` and neighbors as `given_t *`.
#if defined(WIDE_IDS) && defined(UNSIGNED_IDS)
typedef ulong given_t;
#elif defined(WIDE_IDS)
typedef long given_t;
#elif defined(UNSIGNED_IDS)
typedef uint given_t;
#else
typedef int given_t;
#endif

#ifdef ONE_DIRECTION
#define TAKEN(u, v) true
#else
#define TAKEN(u, v) ((u) < (v))
#endif

#ifdef INPUT_ROWS
typedef uint count_t;
typedef edge_t end_t;
#define FOR_EACH_EDGE(e, u, v, begin, end)                                                                \
    FOR_EACH(uint, u##_row, (end) - (begin))                                                              \
        for (edge_t e = ends[(begin) + u##_row], e##_end = ends[(begin) + u##_row + 1]; e < e##_end; ++e) \
            for (vertex_t u = (begin) + u##_row, v = neighbors[e], u##_once = 1; u##_once; u##_once = 0)
#else
typedef edge_t count_t;
typedef given_t end_t;
#ifdef EDGE_PAIRS
#define FIRST_END(e) ends[2 * (edge_t)(e)]
#define SECOND_END(e, end) neighbors[2 * (edge_t)(e) + 1]
#else
#define FIRST_END(e) ends[e]
#ifdef EDGE_HALVES
#define SECOND_END(e, end) neighbors[(end) + (e)]
#else
#define SECOND_END(e, end) neighbors[e]
#endif
#endif
#define FOR_EACH_EDGE_IN_TURNS(e, u, v, begin, end, edges)                        \
    FOR_EACH_IN_TURNS(edge_t, e, begin, end, edges)                               \
        for (vertex_t u = (vertex_t)FIRST_END(e), v = (vertex_t)SECOND_END(e, edges), e##_once = 1; e##_once; \
             e##_once = 0)
#define FOR_EACH_EDGE(e, u, v, begin, end)                                        \
    FOR_EACH_DEALT(edge_t, e##_item, (end) - (begin))                             \
        for (edge_t e = (begin) + e##_item, e##_once = 1; e##_once; e##_once = 0) \
            for (vertex_t u = (vertex_t)FIRST_END(e), v = (vertex_t)SECOND_END(e, end); e##_once; e##_once = 0)
#endif
