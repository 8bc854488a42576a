// Number components 0, 1, ... in order of their roots, in place: from trees to labels.
//
//   count_roots    each work-group counts the roots in its run of vertices
//   add_up         (sums.h) one work-group turns the counts into the first number of each run
//   number_roots   a root gets its number; on a CPU, so do the vertices that meet a number on their way up
//   show_numbers   every vertex gets its component's number as its label
//
// Until show_numbers, a number is written as -1 - number, so that it cannot be mistaken for a parent. The only other
// memory is one count for each work-group.
//
// Reads and writes: label[n], which holds each vertex's parent when it begins; counts[groups + 1], the last of
//   which becomes the number of components. A parent is no larger than its child, and a root is its own parent.
//   Unless GROUP is 1, every parent must be a root.
// Build options besides common.h's: those of sums.h.
// Atomics: none.
// Races on label, benign: only its own work-item writes a vertex's word.
//   number_roots, where GROUP is 1: a walk up reads a parent, or a number of the same component. If the read
//     is stale, the parent is still an ancestor. A walk ends at a number, or at a root whose number is not seen
//     yet; it is there for show_numbers.
//   show_numbers: the word of a root holds its number in one of two forms, which can be told apart.
// Benign races (Oclgrind): show_numbers label.

#include "common.h"
#include "sums.h"

#define IS_ROOT(v) (label[v] == (vertex_t)(v))

#define AT_ONCE 16  // vertices in a block
#ifdef WIDE_VERTICES
typedef long16 block_t;
#else
typedef int16 block_t;
#endif

static vertices_t roots_of_item(vertices_t n, __global const vertex_t *label) {
    vertices_t roots = 0;
    FOR_EACH(vertices_t, v, n) roots += IS_ROOT(v);
    return roots;
}

// Launch: FOR_EACH over vertices, in groups of GROUP.
__kernel void count_roots(const vertices_t n, __global const vertex_t *label, __global vertices_t *counts) {
    __local vertices_t sums[GROUP];
    leave_sum(roots_of_item(n, label), sums, counts);
}

// The number of v's component; or, if the root shows no number yet, the root.
static vertex_t number_above(vertex_t v, __global const vertex_t *label) {
    vertex_t up = LOAD(&label[v]), above = LOAD(&label[up]);
    while (above >= 0 && above != up) {
        up = above;
        above = LOAD(&label[up]);
    }
    return above;
}

// Launch: as count_roots.
__kernel void number_roots(const vertices_t n, __global vertex_t *label, __global const vertices_t *counts) {
    __local vertices_t sums[GROUP];
    const vertices_t roots = GROUP > 1 ? roots_of_item(n, label) : 0;  // a group of one needs no sum
    vertex_t number = sum_before_all(roots, sums, counts);
    FOR_EACH(vertices_t, v, n) {
        const bool root = IS_ROOT(v);
#if GROUP > 1  // a GPU writes only roots: other vertices would find few numbers yet
        if (root) STORE(&label[v], -1 - number);
#else
        const vertex_t above = number_above(v, label);
        STORE(&label[v], root ? -1 - number : above);
#endif
        number += root;
    }
}

// Show the number of vertex v, which is in v's own word or, if not, in that of its root.
static void show_number(vertices_t v, __global vertex_t *label) {
    vertex_t number = LOAD(&label[v]);
    if (number >= 0) number = LOAD(&label[number]);
    STORE(&label[v], number < 0 ? -1 - number : number);
}

// Show the numbers of AT_ONCE vertices. Nearly always, all are in the vertices' own words.
static void show_block(__global vertex_t *label, vertices_t begin) {
    const block_t numbers = vload16(0, label + begin);
    if (all(numbers < 0))
        vstore16(-1 - numbers, 0, label + begin);
    else
        for (uint i = 0; i < AT_ONCE; ++i) show_number(begin + i, label);
}

// Launch: FOR_EACH over vertices.
__kernel void show_numbers(const vertices_t n, __global vertex_t *label) {
#if GROUP > 1 || defined(READS_ATOMIC)  // there is no atomic access to a block
    FOR_EACH(vertices_t, v, n) show_number(v, label);
#else
    FOR_EACH(vertices_t, block, n / AT_ONCE) show_block(label, block * AT_ONCE);
    if (get_global_id(0) == 0)
        for (vertices_t v = n - n % AT_ONCE; v < n; ++v) show_number(v, label);
#endif
}
