// The combined value of an interval, from the values of aligned blocks of 1, 2, 4, ... vertices.
//
//   fold_pairs   combine blocks in pairs; a single block at the end is copied
//
// Blocks are stored level by level, beginning with those of one vertex: level l has ceil(n / 2^l) blocks. An interval
// is cut into as few aligned blocks as possible, which are combined from both ends of the interval inwards. So every
// device rounds numbers in the same way.
// Build options: VALUE, the type of a value; DOUBLES, if that is double; one of COMBINE_ADD, COMBINE_MINIMUM and
//   COMBINE_MAXIMUM.

#ifdef DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
typedef VALUE value_t;

static value_t combine(value_t x, value_t y) {
#if defined(COMBINE_ADD)
    return x + y;
#elif defined(COMBINE_MINIMUM)
    return x <= y || x != x ? x : y;  // NaN, if either is
#else
    return x >= y || x != x ? x : y;
#endif
}

// Blocks begin at `from`; there are `blocks` of them. The new ones follow.
__kernel void fold_pairs(const uint from, const uint blocks, __global value_t *block) {
    FOR_EACH(uint, i, (blocks + 1) / 2) {
        const value_t first = block[from + 2 * i];
        block[from + blocks + i] = 2 * i + 1 < blocks ? combine(first, block[from + 2 * i + 1]) : first;
    }
}

// Return what the values of vertices begin .. end - 1 combine to. There are n vertices, at least one of them in the
// interval.
static value_t fold(uint begin, uint end, uint n, __global const value_t *block) {
    value_t first = 0, last = 0;
    bool has_first = false, has_last = false;
    while (begin < end) {
        if (begin % 2) {
            first = has_first ? combine(first, block[begin]) : block[begin];
            has_first = true;
            ++begin;
        }
        if (begin < end && end % 2) {
            --end;
            last = has_last ? combine(block[end], last) : block[end];
            has_last = true;
        }
        begin /= 2, end /= 2;
        block += n;
        n = (n + 1) / 2;
    }
    return !has_last ? first : has_first ? combine(first, last) : last;
}
