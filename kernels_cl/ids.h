// The caller's ids: strings of bytes of any length, or all of the same length (integers, UUIDs).
//
//   text      the bytes of all ids, one after the other
//   begin     where each id begins in the text, and where the last one ends
//
// Build options:
//   WIDTH     every id has this number of bytes; `begin` is not read
//   SIGNED, UNSIGNED   ids are integers of 8 bytes, and are compared as numbers. Without these, ids are compared
//             byte by byte; for UTF-8 that is the order of code points
//   DIRECT    ids are integers of 8 bytes, below the number of slots: each is its own hash, and has its own slot
//   ONE_HASH  for tests: the hash of every id
typedef struct {
    __global const uchar *text;
    ulong length;
} id_t;

static id_t id_at(__global const uchar *text, __global const ulong *begin, ulong i) {
#ifdef WIDTH
    const id_t id = {text + WIDTH * i, WIDTH};
#else
    const id_t id = {text + begin[i], begin[i + 1] - begin[i]};
#endif
    return id;
}

// Bytes need no alignment.
static ulong eight_bytes(__global const uchar *text) { return as_ulong(vload8(0, text)); }

// Return the last eight bytes of an id, or all of them if there are fewer.
static ulong last_bytes(id_t id) {
    if (id.length >= 8) return eight_bytes(id.text + id.length - 8);
    ulong bytes = 0;
    for (ulong i = 0; i < id.length; ++i) bytes |= (ulong)id.text[i] << 8 * i;
    return bytes;
}

// Fold a 128-bit product by xor of its halves: every bit of `a` reaches every bit of the result.
static ulong folded_product(ulong a, ulong b) { return (a * b) ^ mul_hi(a, b); }

// Return 32 bits that depend on all bytes, and on the seed. A caller does not know the seed, and so cannot choose ids
// that share a hash.
static uint hash_of(id_t id, ulong seed) {
#if defined(DIRECT)
    return (uint)eight_bytes(id.text);
#elif defined(ONE_HASH)
    return ONE_HASH;
#else
    const ulong factor = GOLDEN(ulong);
    ulong hash = folded_product(seed ^ id.length, factor);
    ulong i = 0;
    for (; i + 8 <= id.length; i += 8) hash = folded_product(hash ^ eight_bytes(id.text + i), factor);
    if (i < id.length) hash = folded_product(hash ^ last_bytes(id), factor);
    return (uint)(folded_product(hash ^ seed, factor) >> 32);
#endif
}

// Return whether ids with the same hash are equal.
static bool is_equal(id_t a, id_t b) {
#ifdef DIRECT
    return true;
#else
    if (a.length != b.length) return false;
    ulong i = 0;
    for (; i + 8 <= a.length; i += 8) {
        if (eight_bytes(a.text + i) != eight_bytes(b.text + i)) return false;
    }
    return i == a.length || last_bytes(a) == last_bytes(b);
#endif
}

static void copy_bytes(__global uchar *to, id_t id) {
    ulong i = 0;
    for (; i + 8 <= id.length; i += 8) vstore8(vload8(0, id.text + i), 0, to + i);
    for (; i < id.length; ++i) to[i] = id.text[i];
}

static bool is_less(id_t a, id_t b) {
#if defined(SIGNED)
    return (long)eight_bytes(a.text) < (long)eight_bytes(b.text);
#elif defined(UNSIGNED)
    return eight_bytes(a.text) < eight_bytes(b.text);
#else
    const ulong shorter = min(a.length, b.length);
    ulong i = 0;
    while (i + 8 <= shorter && eight_bytes(a.text + i) == eight_bytes(b.text + i)) i += 8;
    for (; i < shorter; ++i) {
        if (a.text[i] != b.text[i]) return a.text[i] < b.text[i];
    }
    return a.length < b.length;
#endif
}
