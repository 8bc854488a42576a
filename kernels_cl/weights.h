// Weights of edges, and keys: unsigned numbers in the same order, so that a lighter edge has a smaller key.
//
// Build options: WIDE_WEIGHTS, if weights have 64 bits; WEIGHTS_FLOAT, if they are floating-point numbers and not
//   signed integers; MAXIMUM, if heavier edges are to have smaller keys.
//
// Of two edges with equal weights, the one that comes first in the input is lighter, so no two edges are equally light.

#ifdef WIDE_WEIGHTS
typedef ulong weight_t;  // a weight's bits, or a key
#define SIGN 0x8000000000000000UL
#else
typedef uint weight_t;
#define SIGN 0x80000000U
#endif

static weight_t key_of(weight_t bits) {
#ifdef WEIGHTS_FLOAT
    if (bits == SIGN) bits = 0;  // -0.0 equals 0.0
    const weight_t key = bits & SIGN ? ~bits : bits | SIGN;
#else
    const weight_t key = bits ^ SIGN;
#endif
#ifdef MAXIMUM
    return ~key;
#else
    return key;
#endif
}

// A key's short form: the 32 most significant bits of its distance from `base`, capped at `span`. The smaller of two
// keys never has the greater short form. A key of 32 bits is its own short form.
static uint shortened(weight_t key, ulong base, ulong span) {
#ifdef WIDE_WEIGHTS
    const ulong beyond = key > base ? min(key - base, span) : 0;
    return (uint)(beyond << min(clz(span), 63UL) >> 32);
#else
    return key;
#endif
}

// Whether the edge at place e, with key key_e, is lighter than the edge at place f, with key key_f.
static bool lighter(weight_t key_e, int e, weight_t key_f, int f) {
    return key_e < key_f || (key_e == key_f && e < f);
}
