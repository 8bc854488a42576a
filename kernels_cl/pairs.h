// Pairs (rank, pointer) of lists' elements, and one round of pointer jumping over them: Wylie's PJ2.
//
// A pair is one 64-bit word, so that one access reads or writes it (Dehne and Yogaratnam, section 3.1).
// Build options besides common.h's: APART, for ranks and pointers in two arrays, one after the other.

typedef int2 pair_t;  // .x = rank, .y = pointer

#ifdef APART
typedef int word_t;
static pair_t pair_of(uint n, __global const word_t *pairs, uint j) {
    return (pair_t)(pairs[j], pairs[n + j]);
}
static void set_pair(uint n, __global word_t *pairs, uint j, pair_t pair) {
    pairs[j] = pair.x;
    pairs[n + j] = pair.y;
}
#else
typedef pair_t word_t;
static pair_t pair_of(uint n, __global const word_t *pairs, uint j) { return pairs[j]; }
static void set_pair(uint n, __global word_t *pairs, uint j, pair_t pair) { pairs[j] = pair; }
#endif

static void jump(uint n, __global const word_t *before, __global word_t *after) {
    FOR_EACH(uint, j, n) {
        const pair_t own = pair_of(n, before, j), ahead = pair_of(n, before, own.y);
        set_pair(n, after, j, (pair_t)(own.x + ahead.x, ahead.y));
    }
}

// All rounds, by one work-group. Return where the pairs then are: in `after` if the number of rounds is odd. Between
// rounds are barriers, after which the work-group sees what it has written before.
static __global word_t *jump_all(uint n, uint rounds, __global word_t *before, __global word_t *after) {
    for (uint round = 0; round < rounds; ++round) {
        const bool odd = round % 2;  // two calls, one for each, make PoCL 5.0 abort
        jump(n, odd ? after : before, odd ? before : after);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    return rounds % 2 ? after : before;
}
