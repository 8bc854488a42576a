// The edges of a forest in two orders, which are the rows of its vertices.
//
// edges[e] is edge e, with its lesser end as the key and its greater end as the value. others[i] has the greater end of
// an edge as the key, and the edge's number as the value. Both are in ascending order of keys, and then of values. So
// v's neighbors in ascending order are those along v's run of `others`, and then those along its run of `edges`. The
// runs begin at lesser[v] and at greater[v]; if v has no such run, they are beyond all edges.
#define KEY(pair) ((pair).y)  // so that a pair is a number of 64 bits, by which it can be sorted
#define WITH(pair) ((pair).x)
#define LESSER(e) KEY(edges[e])
#define GREATER(e) WITH(edges[e])
#define EDGE(i) WITH(others[i])
#define PAIRS_OF(v, at, pairs, m) ((uint)(at) < (m) && KEY((pairs)[at]) == (uint)(v))
#define HAS_GREATER(v) (greater[v] < m)
#define HAS_LESSER(v) (lesser[v] < m)

// ROWS are the arguments of a kernel.
#define ROWS                                                                                                 \
    const uint m, __global const uint2 *edges, __global const uint2 *others, __global const uint *greater, \
        __global const uint *lesser
