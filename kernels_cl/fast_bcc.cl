// FAST-BCC: Dong, Wang, Gu and Sun, PPoPP 2023, algorithm 1.
//
//   rename         (spanned.h) a rooted spanning forest in preorder
//   begin_tags, tag, fold_pairs   (blocks.h, folds.h) the places that edges from each subtree lead to
//   fence          a vertex is under its parent, unless a fence parts them
//   compress_all   (blocks.h)
//   connect        link the ends of every cross edge
//   compress_all
//   label_edges, or find_cuts and name_cuts   (blocks.h)
//
// Reads: ends, neighbors (edges.h, a list of edges), parent[n], preorder[n], size[n] of a rooted spanning forest.
// Writes: above[n], sizes[n], claimed[n], low and minus_high[fewer than 2n + 32 each], p[n], label[m] or is_cut[n].
// Build options besides common.h's: those of edges.h, link.h and folds.h, with minima of int.
// Atomics: compare-and-swap on claimed in tag and on p in connect; minimum on low and minus_high in tag.
// Races: for those in tag, see blocks.h; for those on p, which are benign, see link.h and shortcut.h. Parents in
//   preorder are smaller than their children from the beginning.
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
__kernel void fence(const uint n, __global const vertex_t *above, __global const vertex_t *sizes,
                    __global const vertex_t *low, __global const vertex_t *minus_high, __global vertex_t *p) {
    FOR_EACH(uint, i, n) {
        const vertex_t up = above[i];
        p[i] = leads_out(i, up, n, sizes, low, minus_high) ? up : (vertex_t)i;
    }
}

// Most ends are in one tree already. Launch: FOR_EACH over edges.
__kernel void connect(const count_t edges, __global const end_t *ends, __global const given_t *neighbors,
                      __global const vertex_t *preorder, __global const vertex_t *sizes, __global vertex_t *p) {
    FOR_EACH_RENAMED(e, i, j, edges) {
        if (LOAD(&p[i]) != LOAD(&p[j]) && is_cross(i, j, sizes)) (void)link(i, j, p);
    }
}
