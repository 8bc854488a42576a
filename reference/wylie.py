"""List ranking by pointer jumping: Wylie's algorithm.

J. C. Wylie, "The complexity of parallel computations", PhD thesis, Cornell, 1979; F. Dehne and
K. Yogaratnam, "Exploring the limits of GPUs with parallel graph algorithms", 2010, section 3.1 and
algorithm 2 (kernels PJ1 and PJ2).

Every element holds a pointer down its list and the distance that pointer spans. In each round every
element adds the distance of the element it points to, and jumps to where that one points.
Each round doubles the span, so after ceil(log2 n) rounds every pointer is at its list's last element.

Input: disjoint lists in one successor array, each last element its own successor. Work O(n log n),
ceil(log2 n) rounds of O(1) depth.

Deviation: Dehne's PJ1 starts every rank at 1, which counts the last element's pointer to itself once a
round; it starts at 0 there, so that a rank is the distance to the last element.
"""

from __future__ import annotations

from pointerjump.linked_lists import SuccessorArray
from pointerjump.reference.vocabulary import as_vertices


def wylie(successors: SuccessorArray) -> SuccessorArray:
    """Return each element's distance to the last element of its list.

    Parameters
    ----------
    successors : ndarray of int32, shape (n,)
        The element after each element; a last element's successor is itself.

    Returns
    -------
    ndarray of int32, shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> wylie(np.array([2, 1, 3, 3], np.int32)).tolist()
    [2, 0, 1, 0]
    """
    n = len(successors)
    # PJ1: initialize
    last = successors.tolist()
    rank = [int(last[j] != j) for j in range(n)]

    # PJ2: jump until every pointer is at its list's end
    for _ in range(rounds(n)):
        rank, last = jump(rank, last)
    return as_vertices(rank)


def jump(rank: list[int], last: list[int]) -> tuple[list[int], list[int]]:
    """Let every element jump once: each reads only what the round before wrote."""
    return (
        [rank[j] + rank[last[j]] for j in range(len(rank))],
        [last[last[j]] for j in range(len(rank))],
    )


def rounds(n: int) -> int:
    """Return how many doublings span a list of n elements: ceil(log2 n)."""
    return (n - 1).bit_length() if n > 1 else 0
