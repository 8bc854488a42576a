"""Radix sort: pairs are sorted by one digit of their keys after another, beginning with the lowest.

D. E. Knuth, The Art of Computer Programming 3, section 5.2.5; M. Zagha and G. E. Blelloch, "Radix sort for
vector multiprocessors", SC 1991.

Sorting by a digit keeps pairs with equal digits in order. So pairs that a later digit does not tell apart
stay in the order of the earlier digits. Each work-item has a run of pairs, and counts how many of them have
each digit. The counts are summed up digit by digit, and within a digit run by run. The sums say where each
run's pairs with each digit begin.

In pseudo-code::

    for each digit, the least significant one first:
        count: for each run of pairs in parallel: how many have each digit
        add up: what is counted before each run and digit
        place: for each run in parallel: put each pair where its digit is next

Input: keys that are not negative. Deterministic, and stable. Work O(n) for each digit; depth O(n / runs).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from pointerjump.reference.vocabulary import in_parallel, phase, shared

BITS = 4  # of a digit
RUNS = 8


def radix_sort(pairs: Sequence[tuple[int, int]], bits: int = 32) -> list[tuple[int, int]]:
    """Return pairs in the order of their keys, which have the given number of bits.

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
