"""List ranking with random splitters: Reid-Miller's algorithm in Dehne and Yogaratnam's GPU form.

Random *splitters* cut the lists into sub-lists, which are walked in parallel. The splitters, which are few,
are then ranked by pointer jumping. Choose this algorithm for long lists, or for any list on a GPU, as
``auto`` does.

M. Reid-Miller, "List ranking and list scan on the Cray C90", JCSS 53, 1996; F. Dehne and
K. Yogaratnam, "Exploring the limits of GPUs with parallel graph algorithms", 2010, section 3.2 and
algorithm 3 (kernels RS1 to RS5).

Each splitter walks its sub-list and counts its steps, until it reaches the next splitter. The rank of an
element is the rank of its splitter minus its distance from the splitter.

In pseudo-code::

    p random elements, and the first and last element of each list, are splitters
    RS1: for each element j in parallel: owner[j] = none
    RS2: for each splitter s in parallel: owner[s] = s and distance[s] = 0
    RS3: for each splitter s in parallel:
        steps = 1, or 0 if s is a last element
        j = succ[s]
        while owner[j] is none:
            owner[j] = s and distance[j] = steps
            steps = steps + 1
            j = succ[j]
        spsucc[s] = owner[j] and sprank[s] = steps
    PJ1: for each splitter s in parallel: last[s] = spsucc[s]
    repeat ceil(log2 p) times:
        RS4: for each splitter s in parallel:
            sprank[s], last[s] = sprank[s] + sprank[last[s]], last[last[s]]
    RS5: for each element j in parallel: rank[j] = sprank[owner[j]] - distance[j]

Its phases:

- *RS1*: all elements start without an owner
- *RS2*: each splitter owns itself
- *RS3*: each splitter walks to the next one and owns the elements it passes
- *PJ1*: each splitter points to the next one and stores the distance to it
- *RS4*: each splitter adds the rank of the one it points to, and jumps
- *RS5*: each element's rank is its splitter's rank minus its distance from the splitter

Input: disjoint lists in one successor array, in which the last element of each list is its own successor. The
splitters are drawn at random, using the KISS generator with a given seed. The ranks depend on neither the
splitters nor the schedule, because every element is visited exactly once. Work O(n + p log p) for p
splitters, including the ends of the lists; depth O(n / p log p + log p) expected.

Deviations: the first and last elements of every list are also splitters, so every sub-list ends at a
splitter. In Dehne's paper, there is only one list, whose first element becomes a splitter only by chance. The
reference implementation counts its reads and writes, except those that find the ends of the lists before RS1.
If there are many splitters, the OpenCL kernels let only a few of them jump, and rank the others by walks. In
the reference implementation, all splitters jump, so its counts are those of the paper.

See also ``wylie``: ranks the splitters; ``rehman``: reduces lists repeatedly; ``list-scan``: combines values.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from pointerjump.base.linked_lists import SuccessorArray, require_marks
from pointerjump.reference.vocabulary import as_vertices, in_parallel, kiss, phase, shared
from pointerjump.reference.wylie import jump_arrays

T = TypeVar("T")

UNOWNED = -1


class PackedMarks:
    """The owner (a splitter) and rank of each element, packed into one word so that one access reads both."""

    def __init__(self, n: int, splitters: int) -> None:
        self._mark: list[tuple[int, Any]] = shared("mark", [(UNOWNED, None)] * n)

    def clear(self, j: int) -> None:
        self._mark[j] = (UNOWNED, None)

    def owner(self, j: int) -> int:
        return self._mark[j][0]

    def own(self, j: int, owner: int, rank: Any) -> None:
        self._mark[j] = (owner, rank)

    def read(self, j: int) -> tuple[int, Any]:
        return self._mark[j]


class MarksApart:
    """Each element's 16-bit owner and 32-bit rank, in two arrays: more accesses, but fewer bits to move."""

    def __init__(self, n: int, splitters: int) -> None:
        require_marks(splitters)
        self._owner = shared("owner", [UNOWNED] * n)
        self._rank: list[Any] = shared("rank", [None] * n)

    def clear(self, j: int) -> None:
        self._owner[j] = UNOWNED  # the rank is not read before j has an owner again

    def owner(self, j: int) -> int:
        return self._owner[j]

    def own(self, j: int, owner: int, rank: Any) -> None:
        self._owner[j] = owner
        self._rank[j] = rank

    def read(self, j: int) -> tuple[int, Any]:
        return self._owner[j], self._rank[j]


Marks = PackedMarks | MarksApart
PACKING: dict[str, type[PackedMarks] | type[MarksApart]] = {"64-bit": PackedMarks, "48-bit": MarksApart}


def random_splitter(
    successors: SuccessorArray,
    splitters: int = 64,
    seed: int = 1,
    choice: str = "random",
    packing: str = "64-bit",
) -> SuccessorArray:
    """Return each element's distance to the last element of its list.

    The array is divided into `splitters` stretches of equal length, and one splitter is drawn from each of
    them, using `seed`. With ``choice="even"``, splitters are spaced evenly along each list instead. With
    ``packing="64-bit"``, each element's owner (a splitter) and rank are packed into one word. With
    ``"48-bit"``, they are stored in two words of 16 and 32 bits, and an AlgorithmError is raised if there are
    too many splitters for 16 bits.

    Examples
    --------
    >>> random_splitter(np.array([2, 1, 3, 3], np.int32)).tolist()
    [2, 0, 1, 0]
    """
    succ = successors.tolist()
    way = [int(succ[j] != j) for j in range(len(succ))]  # the distance from each element to the next
    chosen = CHOICE[choice](successors, splitters, seed)
    splitter = sorted({*chosen, *heads(successors), *tails(successors)})

    # RS1 to RS3: reduce the lists to their splitters
    mark = PACKING[packing](len(succ), len(splitter))
    spsucc, sprank = walk_sublists(succ, splitter, mark, way, lambda so_far, step: so_far + step)

    # RS4: rank the list of splitters by pointer jumping
    sprank = jump_arrays(sprank, spsucc, "RS4")

    # RS5: an element's rank is its splitter's rank minus the distance from the splitter
    phase("RS5")
    rank = shared("rank", succ)
    for j in in_parallel(range(len(succ))):
        owner, from_splitter = mark.read(j)
        rank[j] = sprank[owner] - from_splitter
    return as_vertices(rank)


def walk_sublists(
    succ: list[int], splitter: list[int], mark: Marks, value: list[T], combine: Callable[[T, T], T]
) -> tuple[list[int], list[T]]:
    """Walk all sub-lists. For each splitter, return the next splitter and the total of its sub-list.

    The rank that `mark` stores for an element combines the values before it in its sub-list, beginning with
    the value of the splitter. The rank of a splitter itself is 0, whatever the type of the values.
    """
    phase("RS1")
    following = shared("succ", succ)
    for j in in_parallel(range(len(succ))):
        mark.clear(j)

    phase("RS2")
    for i in in_parallel(range(len(splitter))):
        mark.own(splitter[i], i, 0)

    phase("RS3")
    spsucc = shared("spsucc", [0] * len(splitter))
    sprank = shared("sprank", [value[s] for s in splitter])
    for i in in_parallel(range(len(splitter))):
        so_far = value[splitter[i]]
        j = following[splitter[i]]
        while (owner := mark.owner(j)) == UNOWNED:
            mark.own(j, i, so_far)
            so_far = combine(so_far, value[j])
            j = following[j]
        spsucc[i] = owner
        sprank[i] = so_far
    return list(spsucc), list(sprank)


def drawn(successors: SuccessorArray, splitters: int, seed: int) -> list[int]:
    """Draw one random element from each of `splitters` equally long stretches of the array."""
    n = len(successors)
    p = min(splitters, n)
    bounds = [n * i // p for i in range(p + 1)] if p else [0]
    draws = islice(kiss(seed), p)
    return [low + x % (high - low) for low, high, x in zip(bounds, bounds[1:], draws, strict=False)]


def even(successors: SuccessorArray, splitters: int, seed: int) -> list[int]:
    """Walk every list and choose elements at equal distances, about `splitters` of them in total."""
    succ = successors.tolist()
    chosen: list[int] = []
    for head in heads(successors):
        order = [head]
        while succ[order[-1]] != order[-1]:
            order.append(succ[order[-1]])
        share = max(1, round(splitters * len(order) / len(succ)))
        chosen += [order[len(order) * i // share] for i in range(share)]
    return chosen


CHOICE: dict[str, Callable[[SuccessorArray, int, int], list[int]]] = {"random": drawn, "even": even}


def heads(successors: SuccessorArray) -> list[int]:
    """Return the elements that no other element points to."""
    own = np.arange(len(successors))
    found: list[int] = np.setdiff1d(own, successors[successors != own]).tolist()
    return found


def tails(successors: SuccessorArray) -> list[int]:
    return np.flatnonzero(successors == np.arange(len(successors))).tolist()
