// Tarjan and Vishkin's algorithm, SIAM J. Comput. 14(4), 1985, section 3.
//
//   rename         (spanned.h) a rooted spanning forest in preorder
//   begin_tags, tag, fold_pairs   (blocks.h, folds.h) the places that edges from each subtree lead to
//   begin          nothing is stored, and p[i] = i
//   store_cross    rule ii: cross edges                                     } the auxiliary graph, whose vertices are
//   store_plain    rule iii: edges from vertices to parents, but fences     } tree edges, called by their lower ends
//   connect        link both ends of everything that is stored
//   compress_all, and label_edges, or find_cuts and name_cuts   (blocks.h)
//
// Reads: ends, neighbors (edges.h, a list of edges), parent[n], preorder[n], size[n] of a rooted spanning forest.
// Writes: above[n], sizes[n], claimed[n], low and minus_high[fewer than 2n + 32 each], stored[m + n], count[1], p[n],
//   label[m] or is_cut[n].
// Build options besides common.h's: those of edges.h, link.h and folds.h, with minima of int.
// Atomics: compare-and-swap on claimed in tag and on p in connect; minimum on low and minus_high in tag; a counter in
//   store_cross and store_plain.
// Races: for those in tag, see blocks.h; for those on p, which are benign, see link.h and shortcut.h. None on stored:
//   each place is taken once.
// Benign races (Oclgrind): tag low, minus_high; connect p; compress_all parent; find_cuts cut.
// Oclgrind cannot judge (compare-and-swap): connect, tag.

#include "common.h"
#include "atomics.h"
#include "edges.h"
#include "link.h"
#include "shortcut.h"
#include "folds.h"
#include "spanned.h"
#include "blocks.h"

// Launch: FOR_EACH over vertices. No races.
__kernel void begin(const uint n, __global vertex_t *p, __global int *count) {
    FOR_EACH(uint, i, n) p[i] = i;
    if (get_global_id(0) == 0) *count = 0;
}

// Launch: FOR_EACH over edges.
__kernel void store_cross(const count_t edges, __global const end_t *ends, __global const given_t *neighbors,
                          __global const vertex_t *preorder, __global const vertex_t *sizes, __global int2 *stored,
                          __global int *count) {
    FOR_EACH_RENAMED(e, i, j, edges) {
        if (is_cross(i, j, sizes)) stored[(uint)TAKE_PLACE(count)] = (int2)(i, j);
    }
}

// Launch: FOR_EACH over vertices.
__kernel void store_plain(const uint n, __global const vertex_t *above, __global const vertex_t *sizes,
                          __global const vertex_t *low, __global const vertex_t *minus_high, __global int2 *stored,
                          __global int *count) {
    FOR_EACH(uint, i, n) {
        const vertex_t up = above[i];
        if (leads_out(i, up, n, sizes, low, minus_high)) stored[(uint)TAKE_PLACE(count)] = (int2)(up, i);
    }
}

// Launch: FOR_EACH over what may be stored.
__kernel void connect(__global const int2 *stored, __global const uint *count, __global vertex_t *p) {
    FOR_EACH(uint, at, *count) (void)link(stored[at].x, stored[at].y, p);
}
