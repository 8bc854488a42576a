// Shiloach and Vishkin's connected components in Dehne and Yogaratnam's GPU form (2010, algorithm 4).
//
//   SV0    D[j] = j
//   SV1a   short-cut: D(s)[j] = D(s-1)[D(s-1)[j]]
//   SV1b   mark with s, in Q, the roots of trees that the short-cut changed
//   SV2    hook roots of unchanged trees onto smaller neighbors, mark the trees hooked onto
//   SV3    hook stagnant roots (not marked in this round) onto any neighbor
//   SV4    short-cut again
//   SV5    set marked[round] if anything was marked in this round; else all is done
//   update (SV-updt: Cong and Muzio, section 5) put the parents of each edge's ends in their places
//
// Reads: the 2m edges as sources and targets. Writes: D(s) as D, Q[n], s[1] (the round, counted by SV1a),
//   marked[rounds], in SV-updt the edges. D(s-1) is previous_D; the host swaps the two each round.
// Launch: FOR_EACH over vertices (SV0, SV1a, SV1b, SV4, SV5) or over edges (SV2, SV3, update).
// Atomics: none. The PRAM's concurrent writes are plain stores, of which any one may win.
// Races, benign:
//   SV1b, SV5  every writer of a word writes the same value.
//   SV2  only a vertex that was a root when the round began is written, with something smaller, so no
//        cycle can close, whichever writer wins and however stale D[b] was read.
//   SV3  two adjacent trees are never both stagnant: SV2 would have hooked one. So what a stagnant
//        root hooks onto does not move in this kernel, and whichever writer wins, no cycle closes. A
//        stale D[a] or D[D[a]] only repeats the hook of a root that was hooked a moment ago.
//   SV4  an ancestor is replaced by an ancestor.
// Benign races (Oclgrind): SV1b Q; SV2 D, Q; SV3 D; SV4 D; SV5 marked.

#include "common.h"

__kernel void SV0(const uint n, __global vertex_t *previous_D, __global int *Q, __global int *s) {
    if (get_global_id(0) == 0) *s = 0;
    FOR_EACH(uint, j, n) {
        previous_D[j] = j;
        Q[j] = 0;
    }
}

// SV0 for trees that already exist. Stages runs it before each group of edges.
__kernel void SV0_marks(const uint n, __global int *Q, __global int *s) {
    if (get_global_id(0) == 0) *s = 0;
    FOR_EACH(uint, j, n) Q[j] = 0;
}

__kernel void SV1a(const uint n, __global const vertex_t *previous_D, __global vertex_t *D,
                   __global int *s) {
    if (get_global_id(0) == 0) *s += 1;
    FOR_EACH(uint, j, n) D[j] = previous_D[previous_D[j]];
}

__kernel void SV1b(const uint n, __global const int *s, __global const vertex_t *previous_D,
                   __global const vertex_t *D, __global int *Q) {
    FOR_EACH(uint, j, n) {
        const vertex_t Dj = D[j];
        if (Dj != previous_D[j]) STORE(&Q[Dj], *s);
    }
}

__kernel void SV2(const edge_t m, __global const int *s, __global const vertex_t *sources,
                  __global const vertex_t *targets, __global const vertex_t *previous_D,
                  __global vertex_t *D, __global int *Q, __global const int *marked, const uint round) {
    if (STILL(marked, round)) return;
    FOR_EACH(edge_t, j, m) {
        const vertex_t a = sources[j], b = targets[j];
        const vertex_t Da = LOAD(&D[a]), Db = LOAD(&D[b]);
        if (Da == previous_D[a] && Db < Da) {
            STORE(&D[Da], Db);
            STORE(&Q[Db], *s);
        }
    }
}

__kernel void SV3(const edge_t m, __global const int *s, __global const vertex_t *sources,
                  __global const vertex_t *targets, __global vertex_t *D, __global const int *Q,
                  __global const int *marked, const uint round) {
    if (STILL(marked, round)) return;
    FOR_EACH(edge_t, j, m) {
        const vertex_t Da = LOAD(&D[sources[j]]);
        if (Q[Da] < *s && Da == LOAD(&D[Da])) {
            const vertex_t Db = LOAD(&D[targets[j]]);
            if (Da != Db) STORE(&D[Da], Db);
        }
    }
}

__kernel void SV4(const uint n, __global vertex_t *D) {
    FOR_EACH(uint, j, n) {
        const vertex_t up = LOAD(&D[LOAD(&D[j])]);
        STORE(&D[j], up);
    }
}

__kernel void SV5(const uint n, __global const int *s, __global const int *Q, __global int *marked,
                  const uint round) {
    int w = 0;
    FOR_EACH(uint, j, n) w += Q[j] == *s;
    if (w > 0) STORE(&marked[round], 1);
}

__kernel void update(const edge_t m, __global const vertex_t *D, __global vertex_t *sources,
                     __global vertex_t *targets, __global const int *marked, const uint round) {
    if (STILL(marked, round)) return;
    FOR_EACH(edge_t, j, m) {
        sources[j] = D[sources[j]];
        targets[j] = D[targets[j]];
    }
}
