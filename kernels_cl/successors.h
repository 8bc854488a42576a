#include "fingerprint.h"

// These four sums over all elements, modulo 2^64, give the ends of a single list: the number of last elements; the sum
// of their positions; the sum of all last elements' positions and of (position - successor) over all other elements;
// and the same sum of fingerprints.
typedef struct {
    ulong lasts, last_sum, head_sum, head_print;
} end_sums_t;

static void count_in(end_sums_t *sums, uint j, uint next) {
    sums->head_sum += j;
    sums->head_print += fingerprint(j);
    if (next == j) {
        sums->lasts += 1;
        sums->last_sum += j;
    } else {
        sums->head_sum -= next;
        sums->head_print -= fingerprint(next);
    }
}

// Return two sums over a work-group to all of its work-items.
// Launch: the work-items of a group, all of which call it, are a power of two in number.
static ulong2 sums_of_group(ulong a, ulong b, __local ulong *scratch) {
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
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong2 both = (ulong2)(scratch[0], scratch[size]);
    barrier(CLK_LOCAL_MEM_FENCE);
    return both;
}

// Write two sums over a work-group to out[0] and out[1].
static void add_up(ulong a, ulong b, __local ulong *scratch, __global ulong *out) {
    const ulong2 both = sums_of_group(a, b, scratch);
    if (get_local_id(0) == 0) {
        out[0] = both.x;
        out[1] = both.y;
    }
}

// Add up all four; they are written to out[4]. Launch: as add_up.
static void add_up_ends(end_sums_t sums, __local ulong *scratch, __global ulong *out) {
    add_up(sums.lasts, sums.last_sum, scratch, out);
    add_up(sums.head_sum, sums.head_print, scratch, out + 2);
}

// Return whether there is a single list; if so, also its ends. The sums are those of several groups. Launch: as add_up.
static bool ends_of_one(uint n, uint groups, __global const ulong *sums, __local ulong *scratch, uint *head,
                        uint *last) {
    end_sums_t own = {0, 0, 0, 0};
    for (uint g = get_local_id(0); g < groups; g += get_local_size(0)) {
        own.lasts += sums[4 * g];
        own.last_sum += sums[4 * g + 1];
        own.head_sum += sums[4 * g + 2];
        own.head_print += sums[4 * g + 3];
    }
    const ulong2 lasts = sums_of_group(own.lasts, own.last_sum, scratch);
    const ulong2 heads = sums_of_group(own.head_sum, own.head_print, scratch);
    *head = (uint)heads.x;
    *last = (uint)lasts.y;
    return lasts.x == 1 && heads.x < n && fingerprint(heads.x) == heads.y;
}
