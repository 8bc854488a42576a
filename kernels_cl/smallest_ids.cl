// Name components by their smallest ids.
//
//   lower_all   for each root: the vertex of its component whose id is smallest
//   name_all    each vertex gets what its root found, in place of the root
//
// Reads: text and begin (the vertices' ids, ids.h).
// Writes: smallest[n], which begins as a copy of root; root[n].
// Build options besides common.h's: those of ids.h.
// Atomics: compare-and-swap on smallest.
// Races on smallest, benign: an element only changes from a vertex to one with a smaller id, and only by the swap. A
//   stale read shows a vertex whose id is larger, so no work-item gives up too early, and a swap that fails returns the
//   true vertex.
// Benign races (Oclgrind): lower_all smallest.
// Oclgrind cannot judge (compare-and-swap): lower_all.

#include "common.h"
#include "atomics.h"
#include "ids.h"

// Launch: FOR_EACH over vertices.
__kernel void lower_all(const uint n, __global const int *root, __global const uchar *text,
                        __global const ulong *begin, __global int *smallest) {
    FOR_EACH(uint, v, n) {
        const int r = root[v];
        if (r == (int)v) continue;  // where every component's search begins
        const id_t id = id_at(text, begin, v);
        int seen = LOAD(&smallest[r]);
        while (is_less(id, id_at(text, begin, seen))) {
            const int was = COMPARE_AND_SWAP(&smallest[r], seen, v);
            if (was == seen) break;
            seen = was;
        }
    }
}

// Launch: FOR_EACH over vertices.
__kernel void name_all(const uint n, __global const int *smallest, __global int *root) {
    FOR_EACH(uint, v, n) root[v] = smallest[root[v]];
}
