// Lowest common ancestors by inlabels: Schieber and Vishkin, SIAM J. Comput. 17(6), 1988; Polak, Siwiec and
// Stobierski, IPDPS 2021, section 3.
//
//   head        of each path with one inlabel, find what lies above it; its first vertex counts with one bit
//   leave_sums  } prefix sums, in place: in preorder, and after them in postorder
//   add_up      } (sums.h)
//   sum         }
//   ascend      ascendant = the sum of the bits of a vertex and its ancestors
//   answer      both vertices of each pair climb to the path of their lowest common ancestor
//
// Preparing (all but `answer`) reads: parent[n], depth[n], preorder[n], size[n]. Writes: sums[2 n], counts[groups + 1]
//   and what questions need, known[n] and above[n]. Questions read these, us[q] and vs[q]. They write ancestor[q],
//   which is -1 if the two are in different trees.
// Build options besides common.h's: those of sums.h, for leave_sums, add_up and sum only.
// Launch: FOR_EACH over vertices (head, ascend), their double (leave_sums, sum) or pairs (answer).
// Atomics: none. Races: none. Each word has one writer: preorder and postorder are permutations, and a path has one
//   head. Sums wrap, but differences of sums are exact, because along a path each bit counts only once.
// Benign races (Oclgrind): none.

#include "common.h"

// A vertex: its preorder, and the lowest set bits of the inlabels of all paths from its root to it. The lowest of these
// bits is that of its own inlabel, which can be computed from both.
typedef struct {
    uint preorder, ascendant;
} known_t;

// For each path, the parent of its first vertex, with the parent's preorder.
typedef struct {
    vertex_t vertex;
    uint preorder;
} above_t;

static uint lowest_bit(uint x) { return x & -x; }
static uint highest_bit(uint x) { return 0x80000000u >> clz(x); }

// The number in a subtree with the most trailing zeros. Numbers are preorder + 1: 0 has no lowest bit.
static uint inlabel_of(vertex_t v, __global const uint *preorder, __global const uint *size) {
    const uint before = preorder[v], last = before + size[v];
    return last & -highest_bit(before ^ last);
}

__kernel void head(const uint n, __global const vertex_t *parent, __global const uint *depth,
                   __global const uint *preorder, __global const uint *size, __global uint *sums,
                   __global above_t *above) {
    FOR_EACH(uint, v, n) {
        const vertex_t p = parent[v];
        const uint inlabel = inlabel_of(v, preorder, size);
        const bool is_head = p == (vertex_t)v || inlabel_of(p, preorder, size) != inlabel;
        const uint postorder = preorder[v] + size[v] - 1 - depth[v];
        sums[preorder[v]] = sums[n + postorder] = is_head ? lowest_bit(inlabel) : 0;
        if (is_head) {
            above[inlabel - 1].vertex = p;
            above[inlabel - 1].preorder = preorder[p];
        }
    }
}

#ifdef GROUP
#include "sums.h"

static uint sum_of_item(uint items, __global const uint *sums) {
    uint all = 0;
    FOR_EACH(uint, i, items) all += sums[i];
    return all;
}

__kernel void leave_sums(const uint items, __global const uint *sums, __global vertices_t *counts) {
    __local vertices_t local_sums[GROUP];
    leave_sum(sum_of_item(items, sums), local_sums, counts);
}

// sums[i] = the sum of all values up to and including the i-th.
__kernel void sum(const uint items, __global uint *sums, __global const vertices_t *counts) {
    __local vertices_t local_sums[GROUP];
    uint so_far = sum_before_all(sum_of_item(items, sums), local_sums, counts);
    FOR_EACH(uint, i, items) {
        so_far += sums[i];
        sums[i] = so_far;
    }
}
#endif

// In preorder, v comes after its ancestors and after those vertices that are finished before v begins. These come
// first in postorder, and there are preorder[v] - depth[v] of them.
__kernel void ascend(const uint n, __global const uint *depth, __global const uint *preorder,
                     __global const uint *sums, __global known_t *known) {
    FOR_EACH(uint, v, n) {
        const uint begun = sums[preorder[v]];
        const uint finished = sums[n - 1 + preorder[v] - depth[v]] - sums[n - 1];
        known[v].preorder = preorder[v];
        known[v].ascendant = begun - finished;
    }
}

// The least number, not below the vertex's own, that has as many trailing zeros as its ascendant.
static uint inlabel_of_known(known_t own) {
    const uint bit = lowest_bit(own.ascendant);
    return (own.preorder + bit) & -bit;
}

// v's lowest ancestor on the path whose inlabel has this lowest bit.
static above_t climb(vertex_t v, known_t own, uint bit, __global const above_t *above) {
    const uint below = own.ascendant & (bit - 1);
    if (below) {
        const uint last = highest_bit(below);  // of the path before that one
        return above[((inlabel_of_known(own) & -last) | last) - 1];
    }
    const above_t here = {v, own.preorder};
    return here;
}

__kernel void answer(const uint pairs, __global const vertex_t *us, __global const vertex_t *vs,
                     __global const known_t *known, __global const above_t *above, __global vertex_t *ancestor) {
    FOR_EACH(uint, q, pairs) {
        const vertex_t u = us[q], v = vs[q];
        const known_t of_u = known[u], of_v = known[v];
        const uint agree = -highest_bit((inlabel_of_known(of_u) ^ inlabel_of_known(of_v)) | 1);
        const uint bit = lowest_bit(of_u.ascendant & of_v.ascendant & agree);
        if (bit) {
            const above_t x = climb(u, of_u, bit, above), y = climb(v, of_v, bit, above);
            ancestor[q] = x.preorder < y.preorder ? x.vertex : y.vertex;
        } else {
            ancestor[q] = -1;
        }
    }
}
