// A mixing function whose sums tell sets of elements apart: splitmix64's finalizer (Steele, Lea and Flood,
// OOPSLA 2014). Two different sets have the same sum with probability 2^-64.
static ulong fingerprint(ulong j) {
    j = (j + 1) * 0x9E3779B97F4A7C15UL;
    j = (j ^ (j >> 30)) * 0xBF58476D1CE4E5B9UL;
    j = (j ^ (j >> 27)) * 0x94D049BB133111EBUL;
    return j ^ (j >> 31);
}

// Add up two sums over a work-group; work-item 0 writes them to out[0] and out[1].
// Launch: a power of two of work-items a group, all of which call it.
static void add_up(ulong a, ulong b, __local ulong *scratch, __global ulong *out) {
    const uint i = get_local_id(0), size = get_local_size(0);
    scratch[i] = a;
    scratch[size + i] = b;
    for (uint stride = size / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < stride) {
            scratch[i] += scratch[i + stride];
            scratch[size + i] += scratch[size + i + stride];
        }
    }
    if (i == 0) {
        out[0] = scratch[0];
        out[1] = scratch[size];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
