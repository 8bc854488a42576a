// Filter-Boruvka: light edges first, so that most others are dropped when they are first looked at (Fallin, Gonzalez,
// Seo and Burtscher, SC 2023, section 3).
//
//   init
//   sample       some edges, from which the host takes a threshold
//   take_light   the edges up to the threshold, except loops             then join, find and finish
//   flatten      every vertex points to its root
//   take_heavy   the other edges, unless they are inside a tree by now   then join, find and finish
//
// The other kernels, and what is said about races, are those of boruvka.cl. A heavier edge inside a tree closes a cycle
// of lighter edges, so it is in no minimum spanning forest.
// Writes, besides those: sampled[2 samples]. Races of flatten: shortcut.h.
// Benign races (Oclgrind): find best; finish best, parent; flatten parent; join best, parent; take_heavy best;
//   take_light best.
// Oclgrind cannot judge (compare-and-swap): find, finish, join, take_heavy, take_light.

#include "boruvka.cl"
#include "shortcut.h"

// sampled: the keys of all samples, and then their places. Samples are spread by the golden section.
// Launch: FOR_EACH over samples. No races.
__kernel void sample(const edge_t m, const uint samples, __global const weight_t *weights, __global ulong *sampled) {
    FOR_EACH(uint, i, samples) {
        const edge_t e = mul_hi(i * GOLDEN(ulong), (ulong)m);
        sampled[i] = key_of(weights[e]);
        sampled[samples + i] = e;
    }
}

// Point every vertex to its root. Launch: FOR_EACH over vertices.
__kernel void flatten(const uint n, __global vertex_t *parent) {
    FOR_EACH(uint, v, n) (void)shortcut(v, parent);
}

// Launch: over edges. Every vertex points to its root.
__kernel void take_heavy(const uint round, const ulong key, const int place, __global const vertex_t *parent,
                         const edge_t m, __global const end_t *ends, __global const given_t *neighbors,
                         __global const weight_t *weights, const ulong base, const ulong span,
                         __global const ulong *unmatched, __global live_t *kept, __global int *runs,
                         __global int *left, __global best_t *best) {
    LOCALS;
    const uint taken = MATCH(unmatched) ? RISING : ALL;
    COLLECT(e, GIVEN_BEGIN, GIVEN_END, 0, x,
            between(parent[FIRST_END(e)], parent[other_end(FIRST_END(e), SECOND_END(e, m), taken)], e,
                    shortened(key_of(weights[e]), base, span), &x) &
                lighter(key, place, key_of(weights[e]), e));
}
