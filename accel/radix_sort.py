"""A stable radix sort of pairs on a device: 32-bit keys with 32-bit values."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.runtime.session import Buffer, Session

BITS_ALONE, BITS_IN_GROUPS = 8, 4
"""Bits of a digit if a work-group is one work-item, and otherwise. On a CPU, 11 bits instead of 8 save an
eighth of the time for ten million pairs, but cost a third for 300,000."""

EACH = 8
"""Pairs that a work-item of a larger group takes at a time."""

FEWEST_EACH = 1 << BITS_ALONE
"""The fewest pairs of a work-item by itself, because it has a count for each digit."""


def sort_pairs(
    session: Session, pairs: Buffer, spare: Buffer, items: int, bits: int = 32
) -> tuple[Buffer, Buffer]:
    """Enqueue sorting pairs by their keys; pairs with equal keys stay in order.

    Parameters
    ----------
    pairs, spare : Buffer of uint32, shape (items, 2)
        Keys and values; and room for as many.
    bits : int
        All bits of keys beyond these are 0.

    Returns
    -------
    sorted, other : Buffer
        Both buffers. The pairs are in the first, in order.
    """
    group = session.shapes.power_of_two
    alone = group == 1
    at_a_time = BITS_ALONE if alone else BITS_IN_GROUPS
    shape = session.shapes.over(items, group, at_once=True, fewest_each=FEWEST_EACH if alone else EACH)
    n, counted = np.uint32(items), shape.groups << at_a_time
    counts = session.scratch("how many pairs have each digit", counted + 1)
    kernel = session.kernels("radix_sort.cl", "partitioning", GROUP=group, BITS=at_a_time, EACH=EACH)
    one_group = session.shapes.one_group(group)
    for shift in map(np.uint32, range(0, bits, at_a_time) if items > 1 else ()):
        kernel("count", shape, n, shift, pairs, counts)()
        kernel("add_up", one_group, np.uint32(counted), counts)()
        kernel("place", shape, n, shift, pairs, counts, spare)()
        pairs, spare = spare, pairs
    return pairs, spare
