"""List ranking by deterministic coin tossing: Cole and Vishkin's optimal algorithm.

Coin tossing finds many elements of a list, no two of which are neighbors. These elements are taken out, the
rest is ranked, and then the elements are put back. Choose it for study: it needs no random numbers, but makes
twelve times as many accesses as random splitters.

R. Cole and U. Vishkin, "Deterministic coin tossing with applications to optimal parallel list ranking",
Information and Control 70, 1986. F. Dehne and K. Yogaratnam, 2010, section 3, call the algorithm's constant
too high.

Elements can be taken out at once only if no two of them are neighbors. Without random numbers, all elements
look alike, except for their addresses. *Coin tossing* turns the addresses into short colors: an element's new
color is the lowest bit in which its color differs from its successor's. After about log* n tosses, six colors
are left, and neighbors always differ. Color by color, every element without a chosen neighbor is *chosen*.
The chosen elements are *spliced out*. The rest is treated in the same way, until only n / log n elements are
left, which Wylie's algorithm ranks. Then the chosen elements are *put back*, in reverse order.

In pseudo-code::

    predecessors: for each element j in parallel: pred[succ[j]] = j
    pack: leave out elements that are alone in their lists
    while more than n / log n elements are left:
        toss coins: about log* n times, for each element j in parallel:
            k = the lowest bit in which color[j] and color[succ[j]] differ
            color[j] = 2k + bit k of color[j]   (the first color is j itself)
        choose: for each of six colors, for each element j of that color in parallel:
            j is chosen if neither of its neighbors is
        splice out: for each chosen element j in parallel:
            succ[pred[j]] = succ[j], pred[succ[j]] = pred[j]
            add way[j] to way[pred[j]]   (every way was 1 at first)
        pack: leave out the chosen, and those that are now alone
    PJ1, PJ2: rank what is left by pointer jumping
    put back: in reverse order, for each chosen element j in parallel:
        rank[j] = way[j] + rank[succ[j]]

Its phases:

- *predecessors*: each element tells its successor what comes before it
- *pack*: elements that are chosen, or alone in their lists, are left out
- *toss coins*: each element's color becomes the lowest bit that differs from its successor's
- *choose*: elements of one color with no chosen neighbor are chosen
- *splice out*: the neighbors of each chosen element point past it
- *PJ1*: each element points to its successor, and knows how far that is
- *PJ2*: each element adds the rank of the one it points to, and jumps
- *put back*: elements that were left out get their ranks from their successors

Input: disjoint lists in one successor array, each last element its own successor. Deterministic. The schedule
does not matter, because an element that is written in a kernel is read and written by only one iteration.
Work O(n log* n); depth O(log log n) levels of O(log* n) rounds, then O(log n) rounds. Each level drops lists
of one element, and chooses at least a quarter of all other elements.

On one list of 2^14 elements, a Machine counted 75 accesses per element. For random splitters, it counted 6.2,
and for the sequential walk 6.0 (``pointerjump measure list-accesses``).

Deviation: every shorter list gets new colors. Cole and Vishkin turn the log* n into a constant by more
bookkeeping, which is left out here: log* n is at most 5 for any list that fits in memory.

See also ``random-splitter``: draws random numbers instead; ``wylie``: ranks the rest.
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
    """Return the predecessor of each element, or NOBODY."""
    phase("predecessors")
    pred = shared("pred", [NOBODY] * len(succ))
    for j in in_parallel(range(len(succ))):
        following = succ[j]
        if following != j:
            pred[following] = j
    return pred


def pack(left: Sequence[int], succ: list[int], pred: list[int], is_chosen: list[bool]) -> list[int]:
    """Return the remaining elements, except the chosen ones and those left alone in their lists."""
    phase("pack")
    packed = []
    for j in in_parallel(left):
        if is_chosen[j]:
            is_chosen[j] = False
        elif pred[j] != NOBODY or succ[j] != j:
            packed.append(j)
    return packed


def toss_coins(left: list[int], succ: list[int], colors: tuple[list[int], list[int]]) -> Sequence[int]:
    """Return a color below six for each element, always different from that of its successor."""
    color: Sequence[int] = range(len(succ))  # the first colors are addresses
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
    """Return how many tosses reduce `colors` colors to six: each leaves two colors for every bit."""
    count = 0
    while count == 0 or colors > COLORS:
        colors = 2 * (colors - 1).bit_length()
        count += 1
    return count


def lowest_bit(x: int) -> int:
    return (x & -x).bit_length() - 1


def choose(
    left: list[int], succ: list[int], pred: list[int], color: Sequence[int], is_chosen: list[bool]
) -> list[int]:
    """Return a maximal set of elements: no two are neighbors, and none is a last element."""
    chosen = []
    for c in range(COLORS):
        phase("choose")
        for j in in_parallel(left):
            if color[j] != c:
                continue  # neighbors never have the same color, so none is chosen in the same kernel
            following, before = succ[j], pred[j]
            if following != j and not is_chosen[following] and (before == NOBODY or not is_chosen[before]):
                is_chosen[j] = True
                chosen.append(j)
    return chosen


def splice_out(chosen: list[int], succ: list[int], pred: list[int], way: list[int]) -> None:
    """Let each chosen element's neighbors point past it."""
    phase("splice out")
    for j in in_parallel(chosen):
        following, before = succ[j], pred[j]
        pred[following] = before
        if before != NOBODY:
            succ[before] = following
            way[before] += way[j]
