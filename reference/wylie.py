"""List ranking by pointer jumping: Wylie's algorithm.

In each round of Wylie's algorithm, every element copies the pointer of the element that it points to, which
doubles the distance that each pointer spans. Choose this algorithm to learn how pointer jumping works; other
algorithms run it on their splitters.

J. C. Wylie, "The complexity of parallel computations", PhD thesis, Cornell, 1979; F. Dehne and
K. Yogaratnam, "Exploring the limits of GPUs with parallel graph algorithms", 2010, section 3.1 and
algorithm 2 (kernels PJ1 and PJ2).

Initially, each element points to its successor. After ceil(log2 n) rounds, every pointer has reached the last
element of its list.

In pseudo-code::

    PJ1: for each element j in parallel:
        last[j] = succ[j], and rank[j] = 1, or 0 if j is a last element
    repeat ceil(log2 n) times:
        PJ2: for each element j in parallel:
            rank[j], last[j] = rank[j] + rank[last[j]], last[last[j]]

Its phases:

- *PJ1*: each element points to its successor and stores the distance to it
- *PJ2*: each element adds the rank of the one it points to, and jumps

Input: disjoint lists in one successor array, in which the last element of each list is its own successor. The
result is deterministic regardless of the schedule. Work O(n log n); depth ceil(log2 n) rounds of O(1).

If rank and pointer are packed into one 64-bit word (section 3.1; here, into a tuple), elements can jump in
place. The result is correct regardless of the schedule, because every pair that a cell has ever contained
remains true: it states that a certain element is a certain number of steps ahead. Old pairs cost no extra
rounds. Each round is a separate kernel, so the oldest pairs that it can read are the results of the previous
round. If rank and pointer are in two arrays, elements must not jump in place: the element that is read might
jump between the reads of its rank and its pointer. Each round therefore reads one copy and writes the other.

Deviation: in Dehne's PJ1, every rank starts at 1, which counts the last element's pointer to itself once per
round. Here, the last element starts at 0, so that a rank is the distance to the last element.

See also ``random-splitter``: only splitters jump; ``shiloach-vishkin``: jumps in trees instead of lists.
"""

from __future__ import annotations

from collections.abc import Callable

from pointerjump.base.linked_lists import SuccessorArray
from pointerjump.reference.vocabulary import as_vertices, in_parallel, phase, shared


def wylie(successors: SuccessorArray, packing: str = "64-bit") -> SuccessorArray:
    """Return each element's distance to the last element of its list.

    `packing` says whether rank and pointer share one word ("64-bit") or are in two arrays ("none").

    Examples
    --------
    >>> import numpy as np
    >>> wylie(np.array([2, 1, 3, 3], np.int32)).tolist()
    [2, 0, 1, 0]
    """
    last = successors.tolist()
    return as_vertices(PACKING[packing]([int(last[j] != j) for j in range(len(last))], last))


def jump_pairs(ranks: list[int], lasts: list[int], name: str = "PJ2") -> list[int]:
    """Rank lists by pointer jumping, where each rank and its pointer form a pair that is updated in place.

    Initially, element j is ``ranks[j]`` steps before element ``lasts[j]``. `name` is the name of the phase in
    which elements jump.
    """
    phase("PJ1")
    pair = shared("pair", [(0, 0)] * len(lasts))
    for j in in_parallel(range(len(lasts))):
        pair[j] = ranks[j], lasts[j]

    for _ in range(rounds(len(lasts))):
        phase(name)
        for j in in_parallel(range(len(lasts))):
            rank, last = pair[j]
            rank_ahead, last_ahead = pair[last]
            pair[j] = rank + rank_ahead, last_ahead
    return [rank for rank, _ in pair]


def jump_arrays(ranks: list[int], lasts: list[int], name: str = "PJ2") -> list[int]:
    """Do the same as `jump_pairs`, but let each round read one copy of the arrays and write another."""
    phase("PJ1")
    rank, rank_after = shared("rank", [0] * len(ranks)), shared("rank", [0] * len(ranks))
    last, last_after = shared("last", [0] * len(lasts)), shared("last", [0] * len(lasts))
    for j in in_parallel(range(len(lasts))):
        rank[j] = ranks[j]
        last[j] = lasts[j]

    for _ in range(rounds(len(lasts))):
        phase(name)
        for j in in_parallel(range(len(lasts))):
            last_j = last[j]
            rank_after[j] = rank[j] + rank[last_j]
            last_after[j] = last[last_j]
        rank, rank_after, last, last_after = rank_after, rank, last_after, last
    return list(rank)


PACKING: dict[str, Callable[[list[int], list[int]], list[int]]] = {"64-bit": jump_pairs, "none": jump_arrays}


def rounds(n: int) -> int:
    """Return the number of doublings needed to span a list of n elements: ceil(log2 n)."""
    return (n - 1).bit_length() if n > 1 else 0
