"""Radix sort: pairs are sorted by one digit of their keys at a time, starting with the lowest digit.

D. E. Knuth, The Art of Computer Programming 3, section 5.2.5; M. Zagha and G. E. Blelloch, "Radix sort for
vector multiprocessors", SC 1991.

Sorting by one digit does not change the order of pairs with equal digits. Therefore, pairs that a later digit
does not distinguish remain sorted by the earlier digits.

In pseudo-code::

    for each digit, the least significant one first:
        count: for each run of pairs in parallel: count the pairs with each digit
        add up: compute prefix sums of the counts, digit by digit, and run by run within a digit
        place: for each run in parallel: move each pair to the next free position for its digit

Input: nonnegative keys. The sort is deterministic and stable. Work O(n) for each digit; depth O(n / runs).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from pointerjump.reference.vocabulary import in_parallel, phase, shared

BITS = 4  # the number of bits per digit
RUNS = 8


def radix_sort(pairs: Sequence[tuple[int, int]], bits: int = 32) -> list[tuple[int, int]]:
    """Return the pairs sorted by their first items, which are keys of at most `bits` bits.

    Examples
    --------
    >>> radix_sort([(2, 0), (1, 1), (2, 2), (0, 3)])
    [(0, 3), (1, 1), (2, 0), (2, 2)]
    """
    n, digits = len(pairs), 1 << BITS
    bounds = [n * run // RUNS for run in range(RUNS + 1)]
    begin = shared("pairs", pairs)
    for shift in range(0, bits, BITS):
        phase("count")
        counts = shared("counts", [0] * (digits * RUNS))
        for run in in_parallel(range(RUNS)):
            for i in range(bounds[run], bounds[run + 1]):
                counts[(begin[i][0] >> shift) % digits * RUNS + run] += 1
        phase("add up")
        at = shared("at", accumulate(counts[:-1], initial=0))
        phase("place")
        to = shared("placed", begin)
        for run in in_parallel(range(RUNS)):
            for i in range(bounds[run], bounds[run + 1]):
                where = (begin[i][0] >> shift) % digits * RUNS + run
                to[at[where]] = begin[i]
                at[where] += 1
        begin = to
    return list(begin)
