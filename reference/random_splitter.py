"""List ranking with random splitters: Reid-Miller's algorithm in Dehne and Yogaratnam's GPU form.

M. Reid-Miller, "List ranking and list scan on the Cray C90", JCSS 53, 1996; F. Dehne and
K. Yogaratnam, "Exploring the limits of GPUs with parallel graph algorithms", 2010, section 3.2 and
algorithm 3 (kernels RS1 to RS5).

Random elements, the splitters, cut the lists into sub-lists. Each splitter walks its own sub-list
until it meets an element that another splitter owns, counting; that leaves a short list of splitters, which
pointer jumping ranks. An element's rank is its splitter's minus its distance from the splitter.

Input: disjoint lists in one successor array, each last element its own successor. The splitters are
drawn from the KISS generator and a seed; the ranks do not depend on them. Work O(n + p log p) for p
splitters, expected depth O(n / p log p + log p).

Deviation: the first and the last element of every list are splitters too. Dehne's only list begins at
element 0, which RS2 draws only by chance; with a splitter at the end, every sub-list ends at one, and
ranks end at 0.
"""

from __future__ import annotations

from itertools import islice

import numpy as np

from pointerjump.linked_lists import SuccessorArray
from pointerjump.reference.vocabulary import as_vertices, kiss
from pointerjump.reference.wylie import jump, rounds

UNOWNED = -1


def random_splitter(successors: SuccessorArray, splitters: int = 64, seed: int = 1) -> SuccessorArray:
    """Return each element's distance to the last element of its list.

    Parameters
    ----------
    successors : ndarray of int32, shape (n,)
        The element after each element; a last element's successor is itself.
    splitters : int
        How many splitters to draw, one in each of as many equal stretches of the array.
    seed : int
        Of the draw.

    Returns
    -------
    ndarray of int32, shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> random_splitter(np.array([2, 1, 3, 3], np.int32)).tolist()
    [2, 0, 1, 0]
    """
    succ = successors.tolist()
    n = len(succ)

    # RS1: nobody owns anything
    owner = [UNOWNED] * n
    rank = [0] * n

    # RS2: select splitters: one drawn from each stretch, every head and every last element
    splitter = sorted({*draw(n, splitters, seed), *heads(successors), *tails(successors)})
    r = len(splitter)
    for i in range(r):
        owner[splitter[i]] = i

    # RS3: walk the sub-lists, mark and count, and link the splitters
    spsucc = [0] * r
    sprank = [0] * r
    for i in range(r):
        j, dist = succ[splitter[i]], 1
        while owner[j] == UNOWNED:
            owner[j], rank[j] = i, dist
            j, dist = succ[j], dist + 1
        spsucc[i] = owner[j]
        sprank[i] = dist if spsucc[i] != i else 0  # a last element points to itself

    # RS4: rank the list of splitters by pointer jumping
    for _ in range(rounds(r)):
        sprank, spsucc = jump(sprank, spsucc)

    # RS5: an element is as far from the end as its splitter, less the way from the splitter
    return as_vertices([sprank[owner[j]] - rank[j] for j in range(n)])


def draw(n: int, splitters: int, seed: int) -> list[int]:
    """Draw one element from each of `splitters` equal stretches of 0 .. n - 1."""
    p = min(splitters, n)
    bounds = [n * i // p for i in range(p + 1)] if p else [0]
    draws = islice(kiss(seed), p)
    return [low + x % (high - low) for low, high, x in zip(bounds, bounds[1:], draws, strict=False)]


def heads(successors: SuccessorArray) -> list[int]:
    """Return the elements that no other element points to."""
    own = np.arange(len(successors))
    return np.setdiff1d(own, successors[successors != own]).tolist()  # type: ignore[no-any-return]


def tails(successors: SuccessorArray) -> list[int]:
    """Return the last elements: those that are their own successors."""
    return np.flatnonzero(successors == np.arange(len(successors))).tolist()
