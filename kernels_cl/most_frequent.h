// most_frequent: the value that most work-items of a work-group hold, or any one of several such values.
//
// All work-items of a group, SAMPLES (a build option) in number, call it, each with its own value, and all get the
// answer. The host launches one group, so that a sample of random vertices or edges elects a tree (DRAW).

// A number for each work-item. Multiples of the golden section are spread evenly over 0 .. n - 1.
#define DRAW(n) mul_hi((get_local_id(0) + 1UL) * GOLDEN(ulong), (ulong)(n))

static vertex_t most_frequent(vertex_t mine, __local vertex_t *sample, __local int *best) {
    const uint i = get_local_id(0);
    sample[i] = mine;
    if (i == 0) *best = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    int votes = 0;
    for (uint j = 0; j < SAMPLES; ++j) votes += sample[j] == mine;
    (void)atomic_max(best, votes * SAMPLES + (int)i);  // the votes decide; the rest says whose they are
    barrier(CLK_LOCAL_MEM_FENCE);
    return sample[*best % SAMPLES];
}
