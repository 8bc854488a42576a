// Number components 0, 1, ... in order of their roots, in place: from flat trees to labels.
//
//   count_roots    each work-group counts the roots in its run of vertices
//   add_up         (sums.h) one work-group turns the counts into the first number of each run
//   number_roots   a root gets its number
//   take_numbers   every other vertex gets its root's number
//   show_numbers   a root's number becomes its label
//
// A root's number is written as -1 - number, so that it cannot be taken for a parent. Who can read that
// (image_labels.cl) leaves out show_numbers. No memory is needed besides one count for each work-group.
//
// Reads and writes: label[n], which holds each vertex's root when it begins; counts[groups + 1], the last of
//   which becomes the number of components.
// Build options besides common.h's: those of sums.h.
// Atomics: none.
// Races: none. Where roots are read, only the words of other vertices are written.
// Benign races (Oclgrind): none.

#include "common.h"
#include "sums.h"

#define IS_ROOT(v) (label[v] == (vertex_t)(v))

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

// Launch: as count_roots.
__kernel void number_roots(const vertices_t n, __global vertex_t *label, __global const vertices_t *counts) {
    __local vertices_t sums[GROUP];
    vertex_t number = sum_before_all(roots_of_item(n, label), sums, counts);
    FOR_EACH(vertices_t, v, n) {
        const bool root = IS_ROOT(v);
#if GROUP > 1  // on a GPU, only roots are written; on a CPU, a branch would be hard to predict
        if (root) label[v] = -1 - number;
#else
        label[v] = root ? -1 - number : label[v];
#endif
        number += root;
    }
}

// Launch: FOR_EACH over vertices.
__kernel void take_numbers(const vertices_t n, __global vertex_t *label) {
    FOR_EACH(vertices_t, v, n) {
        const vertex_t root = label[v];
        if (root >= 0) label[v] = -1 - label[root];
    }
}

// Launch: FOR_EACH over vertices.
__kernel void show_numbers(const vertices_t n, __global vertex_t *label) {
    FOR_EACH(vertices_t, v, n) label[v] = label[v] < 0 ? -1 - label[v] : label[v];
}
