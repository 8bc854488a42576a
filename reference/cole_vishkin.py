"""List ranking by deterministic coin tossing: Cole and Vishkin's optimal algorithm.

Coin tossing selects many elements of a list such that no two of them are neighbors. These elements are
removed, and they are put back once the remaining ones have been ranked. Choose this algorithm to learn from
it: it needs no random numbers, but makes twelve times as many memory accesses as random splitters.

R. Cole and U. Vishkin, "Deterministic coin tossing with applications to optimal parallel list ranking",
Information and Control 70, 1986.

Without random numbers, elements differ only in their addresses. *Coin tossing* turns the addresses into short
numbers, the *colors*. The new color of an element encodes the position and the value of the lowest bit in
which its old color differs from its successor's. After about log* n tosses, only six colors remain, and
neighbors always have different colors. Colors are processed one at a time: each element of the current color
that has no chosen neighbor is *chosen*. The chosen elements are *spliced out*, and the shorter list is
processed in the same way. Wylie's algorithm ranks the last n / log n elements.

In pseudo-code::

    predecessors: for each element j in parallel: pred[succ[j]] = j
    pack: remove elements that are alone in their lists
    while more than n / log n elements are left:
        toss coins: about log* n times, for each element j in parallel:
            k = the lowest bit in which color[j] and color[succ[j]] differ
            color[j] = 2k + bit k of color[j]   (the initial color of j is j)
        choose: for each of six colors, for each element j of that color in parallel:
            j is chosen if neither of its neighbors is
        splice out: for each chosen element j in parallel:
            succ[pred[j]] = succ[j], pred[succ[j]] = pred[j]
            add way[j] to way[pred[j]]   (way[j] is the distance to succ[j], initially 1)
        pack: remove the chosen elements and those that are now alone
    PJ1, PJ2: rank the remaining elements by pointer jumping
    put back: in reverse order, for each chosen element j in parallel:
        rank[j] = way[j] + rank[succ[j]]

Its phases:

- *predecessors*: each element is stored as its successor's predecessor
- *pack*: elements that are chosen or alone in their lists are removed
- *toss coins*: each element's new color encodes where its color differs from its successor's
- *choose*: elements of one color with no chosen neighbor are chosen
- *splice out*: the neighbors of each chosen element point past it
- *PJ1*: each element points to its successor and stores the distance
- *PJ2*: each element adds the rank of its target, then jumps
- *put back*: removed elements get their ranks from their successors

Input: disjoint lists in one successor array, in which the last element of each list is its own successor. The
result does not depend on the schedule: within a kernel, no iteration accesses a word that another one
writes. Work O(n log* n); depth O(log log n) levels of O(log* n) rounds, then O(log n) rounds. Each level
removes lists of one element and chooses at least a quarter of all other elements.

Deviation: the colors are computed from scratch at every level. Cole and Vishkin reduce the factor log* n to a
constant by bookkeeping. For any list that fits in memory, this factor is at most 5.

See also ``random-splitter``: uses random numbers instead; ``wylie``: ranks the remaining elements.
"""

from __future__ import annotations

from collections.abc import Sequence

from pointerjump.base.linked_lists import SuccessorArray
from pointerjump.reference.vocabulary import as_vertices, in_parallel, phase, shared
from pointerjump.reference.wylie import jump_arrays

COLORS = 6
NOBODY = -1


def cole_vishkin(successors: SuccessorArray) -> SuccessorArray:
    """Return each element's distance to the last element of its list.

    Examples
    --------
    >>> import numpy as np
    >>> cole_vishkin(np.array([2, 1, 3, 3], np.int32)).tolist()
    [2, 0, 1, 0]
    """
    n = len(successors)
    succ = shared("succ", successors.tolist())
    way = shared("way", (successors != range(n)).astype(int).tolist())  # distance to the next element
    pred = predecessors(succ)
    is_chosen = shared("is_chosen", [False] * n)
    colors = shared("color", [0] * n), shared("color", [0] * n)

    few = n // max(1, n.bit_length())
    left = pack(range(n), succ, pred, is_chosen)
    taken: list[list[int]] = []
    while len(left) > few:
        color = toss_coins(left, succ, colors)
        chosen = choose(left, succ, pred, color, is_chosen)
        splice_out(chosen, succ, pred, way)
        taken.append(chosen)
        left = pack(left, succ, pred, is_chosen)

    place = {j: i for i, j in enumerate(left)}
    short = jump_arrays([way[j] for j in left], [place[succ[j]] for j in left])
    phase("put back")
    rank = shared("rank", [0] * n)
    for i in in_parallel(range(len(left))):
        rank[left[i]] = short[i]
    for chosen in reversed(taken):
        phase("put back")
        for j in in_parallel(chosen):
            rank[j] = way[j] + rank[succ[j]]  # j's successor and its distance when j was spliced out
    return as_vertices(rank)


def predecessors(succ: list[int]) -> list[int]:
    phase("predecessors")
    pred = shared("pred", [NOBODY] * len(succ))
    for j in in_parallel(range(len(succ))):
        following = succ[j]
        if following != j:
            pred[following] = j
    return pred


def pack(left: Sequence[int], succ: list[int], pred: list[int], is_chosen: list[bool]) -> list[int]:
    phase("pack")
    packed = []
    for j in in_parallel(left):
        if is_chosen[j]:
            is_chosen[j] = False
        elif pred[j] != NOBODY or succ[j] != j:
            packed.append(j)
    return packed


def toss_coins(left: list[int], succ: list[int], colors: tuple[list[int], list[int]]) -> Sequence[int]:
    """Return a color from 0 to 5 for each element, different from the color of its successor."""
    color: Sequence[int] = range(len(succ))  # the initial colors are the addresses
    for toss in range(tosses(len(succ))):
        phase("toss coins")
        after = colors[toss % 2]
        for j in in_parallel(left):
            following = succ[j]
            own = color[j]
            # A last element behaves as if its successor's color differed in bit 0.
            k = 0 if following == j else lowest_bit(own ^ color[following])
            after[j] = 2 * k + (own >> k & 1)
        color = after
    return color


def tosses(colors: int) -> int:
    count = 0
    while count == 0 or colors > COLORS:
        colors = 2 * (colors - 1).bit_length()  # two colors for each bit of the old ones
        count += 1
    return count


def lowest_bit(x: int) -> int:
    return (x & -x).bit_length() - 1


def choose(
    left: list[int], succ: list[int], pred: list[int], color: Sequence[int], is_chosen: list[bool]
) -> list[int]:
    """Return a maximal set of elements such that no two are neighbors and none is the last of its list."""
    chosen = []
    for c in range(COLORS):
        phase("choose")
        for j in in_parallel(left):
            if color[j] != c:
                continue  # neighbors never have the same color, so no kernel chooses both
            following, before = succ[j], pred[j]
            if following != j and not is_chosen[following] and (before == NOBODY or not is_chosen[before]):
                is_chosen[j] = True
                chosen.append(j)
    return chosen


def splice_out(chosen: list[int], succ: list[int], pred: list[int], way: list[int]) -> None:
    phase("splice out")
    for j in in_parallel(chosen):
        following, before = succ[j], pred[j]
        pred[following] = before
        if before != NOBODY:
            succ[before] = following
            way[before] += way[j]
