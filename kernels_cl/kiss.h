// Marsaglia and Zaman's KISS generator (1993), seeded with (seed, i) and run for one draw.
static uint kiss(uint seed, uint i) {
    uint x = (seed ^ i) * 69069u + 123456789u, y = (362436069u ^ (i * 2654435761u)) | 1u, z = 521288629u + i;
    uint c = 7654321u, total = 0;
    for (int warm_up = 0; warm_up < 4; ++warm_up) {
        x = 69069u * x + 12345u;
        y ^= y << 13;
        y ^= y >> 17;
        y ^= y << 5;
        const ulong t = 698769069UL * z + c;
        z = (uint)t;
        c = (uint)(t >> 32);
        total = x + y + z;
    }
    return total;
}

// Draw one element from stretch i of n elements cut into p equal stretches.
static vertex_t draw(uint n, uint p, uint i, uint seed) {
    const uint low = (uint)((ulong)n * i / p), high = (uint)((ulong)n * (i + 1) / p);
    return low + mul_hi(kiss(seed, i), high - low);
}

// The stretch of element j.
static uint stretch_of(uint n, uint p, uint j) { return (uint)((((ulong)j + 1) * p - 1) / n); }
