// Numbers of 128 bits, and keys of 64 bits with WIDE_KEYS, otherwise of 32 bits.

#ifdef WIDE_KEYS
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
typedef ulong key_t;
#else
typedef uint key_t;
#endif

typedef struct {
    ulong low, high;
} wide_t;

static wide_t wide_sum(wide_t a, wide_t b) {
    const wide_t sum = {a.low + b.low, a.high + b.high + (a.low + b.low < a.low)};
    return sum;
}

static wide_t wide_product(ulong a, ulong b) {
    const wide_t product = {a * b, mul_hi(a, b)};
    return product;
}

// a << bits, for 0 < bits < 64.
static wide_t shifted(ulong a, uint bits) {
    const wide_t moved = {a << bits, a >> (64 - bits)};
    return moved;
}
