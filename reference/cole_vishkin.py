"""List ranking by deterministic coin tossing: Cole and Vishkin's optimal algorithm.

R. Cole and U. Vishkin, "Deterministic coin tossing with applications to optimal parallel list ranking",
Information and Control 70, 1986; D 3, which calls its constant too high.

To take out many elements of a list at once, no two of them may be neighbors, and without random numbers all
look alike, except for their addresses. *Coin tossing* makes short colors of the addresses: an element's new
color is the lowest bit in which its color differs from its successor's, so log* n tosses leave six colors,
neighbors always different. Color by color, every element without a chosen neighbor is *chosen*, at least a
third of all; the chosen ones are *spliced out*, and the rest begins again, until few enough are left for
Wylie. In reverse order the chosen are then *put back*.

Input: disjoint lists in one successor array, each last element its own successor. Deterministic, and no
draw is made. Work O(n log* n), as each list is at most two thirds of the one before; depth O(log n log* n).

Deviation: colors are made for every shorter list anew. Cole and Vishkin's bookkeeping, which saves the log*
n, is more than ranking a list that fits a machine could ever repay.
"""

from __future__ import annotations

from typing import NamedTuple

from pointerjump.linked_lists import SuccessorArray
from pointerjump.reference.vocabulary import as_vertices, in_parallel, phase, shared
from pointerjump.reference.wylie import jump_arrays

COLORS = 6
NOBODY = -1


class Spliced(NamedTuple):
    """An element taken out: what came after it then, and how far."""

    j: int
    successor: int
    way: int


def cole_vishkin(successors: SuccessorArray) -> SuccessorArray:
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
    >>> cole_vishkin(np.array([2, 1, 3, 3], np.int32)).tolist()
    [2, 0, 1, 0]
    """
    n = len(successors)
    succ = shared("succ", successors.tolist())
    way = shared("way", [int(succ[j] != j) for j in range(n)])  # from each element to the next
    lists = sum(1 for w in list(way) if w == 0)
    few = max(lists, n // max(1, n.bit_length()))
    left = list(range(n))
    taken: list[list[Spliced]] = []
    while len(left) > few:
        pred = predecessors(left, succ)
        chosen = choose(left, succ, pred, toss_coins(left, succ))
        taken.append(splice_out(chosen, succ, pred, way))
        out = set(chosen)
        left = [j for j in left if j not in out]

    rank = shared("rank", [0] * n)
    place = {j: i for i, j in enumerate(left)}
    short = jump_arrays([way[j] for j in left], [place[succ[j]] for j in left])
    for i, j in enumerate(left):
        rank[j] = short[i]
    for step in reversed(taken):
        phase("put back")
        for spliced in in_parallel(step):
            rank[spliced.j] = spliced.way + rank[spliced.successor]
    return as_vertices(rank)


def predecessors(left: list[int], succ: list[int]) -> list[int]:
    """Return the element before each one that is left, or nobody."""
    phase("predecessors")
    pred = shared("pred", [NOBODY] * len(succ))
    for j in in_parallel(left):
        following = succ[j]
        if following != j:
            pred[following] = j
    return pred


def toss_coins(left: list[int], succ: list[int]) -> list[int]:
    """Return a color below six for each element, never that of its successor."""
    color = shared("color", range(len(succ)))
    after = shared("color", range(len(succ)))
    while max(color[j] for j in left) >= COLORS:
        phase("toss coins")
        for j in in_parallel(left):
            following = succ[j]
            own = color[j]
            # A last element behaves as if the next one's color differed in bit 0.
            k = 0 if following == j else lowest_bit(own ^ color[following])
            after[j] = 2 * k + (own >> k & 1)
        color, after = after, color
    return color


def lowest_bit(x: int) -> int:
    """Return the position of the lowest 1 in x."""
    return (x & -x).bit_length() - 1


def choose(left: list[int], succ: list[int], pred: list[int], color: list[int]) -> list[int]:
    """Return elements of which no two are neighbors, and that leave none without one; no last element."""
    is_chosen = shared("is_chosen", [False] * len(succ))
    for c in range(COLORS):
        phase("choose")
        for j in in_parallel(left):
            following, before = succ[j], pred[j]
            if color[j] == c and following != j and not is_chosen[following]:
                is_chosen[j] = before == NOBODY or not is_chosen[before]
    return [j for j in left if is_chosen[j]]


def splice_out(chosen: list[int], succ: list[int], pred: list[int], way: list[int]) -> list[Spliced]:
    """Let each chosen element's predecessor point past it; return what putting them back needs."""
    phase("splice out")
    spliced = []
    for j in in_parallel(chosen):
        following, way_j, before = succ[j], way[j], pred[j]
        spliced.append(Spliced(j, following, way_j))
        if before != NOBODY:
            succ[before] = following
            way[before] += way_j
    return spliced
