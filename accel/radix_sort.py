"""Sorts pairs of 32-bit words on a device, either stably by the first word or by both words."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.runtime.session import Buffer, Session
from pointerjump.accel.shapes import Shape

BITS_ALONE, BITS_OF_MANY, BITS_IN_GROUPS = 8, 12, 8
"""The number of bits in a digit. If a work-group has only one work-item, the first value is used for fewer
than `MANY` pairs and the second for more. The third is used with larger work-groups."""

MANY = 1 << 21

EACH = 8  # the number of pairs that a work-item of a larger group processes at a time


def sort_pairs(
    session: Session, pairs: Buffer, spare: Buffer, items: int, bits: int = 32
) -> tuple[Buffer, Buffer]:
    """Enqueue kernels that sort pairs by their keys. Pairs with equal keys keep their order.

    Each pair consists of two uint32, the first of which is the key. Only the lowest `bits` bits of the keys
    may be nonzero. `spare` must have room for the same number of pairs. Return both buffers, starting with
    the one that holds the sorted pairs.
    """
    return _by_digits(session, pairs, spare, items, {0: bits})


def sort_by_both(
    session: Session, pairs: Buffer, spare: Buffer, items: int, bits: int, second_bits: int
) -> tuple[Buffer, Buffer]:
    """Sort pairs by their second words, and pairs with equal second words by their first words.

    If NumPy can access the pairs in place, it sorts them as 64-bit numbers, which takes less processor time
    than kernels would. `second_bits` limits the second words as `bits` limits the first. Everything else is
    as in :func:`sort_pairs`.
    """
    lies_in = pairs.hostbuf if session.shows_writes and np.little_endian else None
    if lies_in is None:
        return _by_digits(session, pairs, spare, items, {0: bits, 32: second_bits})
    session.finish()
    if items > 1:
        lies_in.view(np.uint64)[:items].sort()
    return pairs, spare


def _by_digits(
    session: Session, pairs: Buffer, spare: Buffer, items: int, bits: dict[int, int]
) -> tuple[Buffer, Buffer]:
    """Enqueue kernels that sort pairs by ranges of bits.

    `bits` maps each range's first bit to the range's length. Bits 32 and above belong to the second words.
    """
    group = session.shapes.power_of_two
    alone = group == 1
    at_a_time = BITS_IN_GROUPS if not alone else BITS_OF_MANY if items >= MANY else BITS_ALONE
    # A single work-item has a count for each digit, so it gets at least as many pairs.
    fewest_each = 1 << at_a_time if alone else EACH
    shape = session.shapes.over(items, group, at_once=True, fewest_each=fewest_each)
    n, runs = np.uint32(items), np.uint32(shape.groups)
    counts = session.scratch("how many pairs have each digit", shape.groups + 1 << at_a_time)
    kernel = session.kernels("radix_sort.cl", "partitioning", GROUP=group, BITS=at_a_time, EACH=EACH)
    for_each_digit = Shape((group << at_a_time,), (group,))
    shifts = [shift for first, many in bits.items() for shift in range(first, first + many, at_a_time)]
    for shift in map(np.uint32, shifts if items > 1 else ()):
        kernel("count", shape, n, shift, pairs, counts)()
        kernel("add_up_digit", for_each_digit, runs, counts)()
        kernel("place", shape, n, shift, pairs, counts, spare)()
        pairs, spare = spare, pairs
    return pairs, spare
