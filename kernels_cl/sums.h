// The sum of all items before each one, in two launches: every work-group writes its own sum, and one work-group turns
// these into the sums before each group.
//
// Build options: GROUP, the size of a work-group. PARTITIONING must be set: a work-item has one contiguous run of
//   items, so a work-group has one contiguous run, too.

// Return the sum of the values of the work-items before this one, and leave the whole group's sum in *all.
static vertices_t sum_before(vertices_t mine, __local vertices_t *sums, vertices_t *all) {
    const uint me = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);  // others may still be reading the sums of the previous call
    sums[me] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < GROUP; step *= 2) {
        const vertices_t below = me >= step ? sums[me - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[me] += below;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    *all = sums[GROUP - 1];
    return sums[me] - mine;
}

// Leave the sum of the group's values for add_up.
static void leave_sum(vertices_t mine, __local vertices_t *sums, __global vertices_t *counts) {
    vertices_t all;
    (void)sum_before(mine, sums, &all);
    if (get_local_id(0) == 0) counts[get_group_id(0)] = all;
}

// Return the sum of the values of all work-items before this one. add_up must have run before.
static vertices_t sum_before_all(vertices_t mine, __local vertices_t *sums, __global const vertices_t *counts) {
    vertices_t all;
    return counts[get_group_id(0)] + sum_before(mine, sums, &all);
}

// Launch: one work-group of GROUP work-items.
__kernel void add_up(const uint groups, __global vertices_t *counts) {
    __local vertices_t sums[GROUP];
    vertices_t here = 0, all;
    FOR_EACH(uint, g, groups) here += counts[g];
    vertices_t first = sum_before(here, sums, &all);
    FOR_EACH(uint, h, groups) {
        const vertices_t count = counts[h];
        counts[h] = first;
        first += count;
    }
    if (get_local_id(0) == 0) counts[groups] = all;
}
