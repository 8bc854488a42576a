"""Pointer doubling: the k-th successors of elements in a functional graph, and all of its cycles.

In a functional graph, every element has exactly one successor. Pointer doubling finds where many steps lead,
by repeatedly doubling the number of steps. Choose this algorithm for the k-th successor or ancestor of many
elements, and for the cycles of a permutation or any other map.

J. C. Wylie, "The complexity of parallel computations", PhD thesis, Cornell, 1979; J. JaJa, "An introduction
to parallel algorithms", 1992, sections 2.2 and 3.1; M. Reid-Miller, "List ranking and list scan on the Cray
C90", JCSS 53, 1996 (splitters).

The map from elements to successors is squared repeatedly. A walk of k steps applies one power of the map for
each 1 in the binary form of k. The elements that can be reached in n steps are exactly those on cycles. To
find them, each round continues only from the elements that the previous round reached. Every cycle is then
reduced to a few of its elements, the *splitters*, which find its length and smallest element by doubling.

In pseudo-code::

    k-th successors, with power = succ, unless all walks are short:
        for each binary digit of k, from the lowest on:
            advance: at[i] = power[at[i]], for each start i whose k has a 1 in this place
            square: power[j] = power[power[j]], for each element j
    walk: otherwise, each start takes its k steps
    cycles:
        image: mark the successor of each element; jump = succ
        until nothing is dropped:
            drop: drop the elements that the last round did not mark: they lie on no cycle
            jump: for each element j that is not dropped: jump[j] = jump[jump[j]], and mark jump[j]
        split: one random element out of every 32 becomes a splitter, unless it was dropped
        sublists: each splitter walks to the next one, and finds the smallest element on the way
        fold: until no minimum changes, each splitter takes the next one's minimum if smaller, and jumps
        measure: the splitter before a cycle's smallest element adds up the cycle's length
        label: each element of a cycle takes its splitter's minimum or, without one, walks around
        enter: dropped elements point to their successors, the others to themselves
        climb: until nothing changes, each element adds the steps of the one it points to, and jumps
        finish: each dropped element copies the data of its cycle

Its phases:

- *walk*: each walk takes its steps one by one
- *advance*: if k's current digit is 1, walks advance by the current power
- *square*: the power is squared, so it spans twice as many steps
- *image*: each element marks its successor
- *drop*: elements that the last round did not mark lie on no cycle
- *jump*: each remaining element jumps, and marks the element it reaches
- *split*: one random element in 32 becomes a splitter, unless it was dropped
- *sublists*: each splitter walks to the next one and owns the elements it passes
- *fold*: each splitter jumps, and updates the smallest element found on its cycle
- *measure*: the splitter before a cycle's smallest element adds up the cycle's length
- *label*: each element on a cycle learns the cycle's smallest element
- *enter*: elements outside cycles point to their successors
- *climb*: each element adds the steps of the one it points to, and jumps
- *finish*: elements outside cycles copy the data of the cycle they reach

Input: the successor of each element, and the walks to take. The result is deterministic regardless of the
schedule, because each round reads one copy of the data and writes another. If several elements mark the same
element in a round, they all write the same value. Work O(n log k), or O(n log h + p log p) for cycles; depth
O(log k), or O(log n) expected. Here p = n / 32 is the number of splitters, and h is the largest number of
steps from any element to a cycle. Finding the elements on cycles takes O(n) for random maps and permutations.

Deviations: JaJa's algorithm takes log n rounds; here the rounds end as soon as nothing changes. If a cycle
has no splitter, each of its elements walks around it. Nearly all of these cycles are short: only one in
1.03^L cycles of L elements has no splitter. New splitters are drawn in every run, so no input is always slow.

See also ``wylie``: doubles along lists; ``random-splitter``: reduces lists to splitters in the same way.
"""

from __future__ import annotations

from secrets import randbits

import numpy as np

from pointerjump.base.edges import VertexArray
from pointerjump.base.functional_graphs import STRETCH, Walks
from pointerjump.base.linked_lists import SuccessorArray
from pointerjump.reference.random_splitter import drawn
from pointerjump.reference.vocabulary import as_vertices, in_parallel, phase, shared
from pointerjump.reference.wylie import rounds

DROPPED = -1  # marks an element that lies on no cycle
Sublist = tuple[int, int, int, int]  # smallest element, its distance, next splitter, its distance


def pointer_doubling(successors: SuccessorArray, walks: Walks | None) -> VertexArray:
    """Return where each walk ends or, if `walks` is None, the cycle that each element leads to.

    Parameters
    ----------
    successors : ndarray of int32, shape (n,)
        The successor of each element.
    walks : Walks or None
        The walks to take, or None to find the cycles.

    Returns
    -------
    ndarray of int32, shape (s,) or (3, n)
        The element at which each of the s walks ends. For cycles, three rows with one entry per element: the
        number of steps to its cycle, the length of the cycle and the smallest element of the cycle.

    Examples
    --------
    >>> successors = np.array([1, 2, 1, 3], np.int32)
    >>> five = np.array([[5]], np.uint32)
    >>> pointer_doubling(successors, Walks(np.array([0, 3], np.int32), five)).tolist()
    [1, 3]
    >>> pointer_doubling(successors, None).tolist()
    [[1, 0, 0, 0], [2, 2, 2, 1], [1, 1, 1, 3]]
    """
    succ = successors.tolist()
    if walks is None:
        return cycles(succ)
    return walk(succ, walks) if walks.are_short(len(succ)) else powers(succ, walks)


# -- walks -----------------------------------------------------------------------------------------


def walk(succ: list[int], walks: Walks) -> VertexArray:
    phase("walk")
    after, steps, at = shared("power", succ), walks.steps(), shared("at", walks.starts.tolist())
    for i in in_parallel(range(len(at))):
        j = at[i]
        for _ in range(steps[i]):
            j = after[j]
        at[i] = j
    return as_vertices(at)


def powers(succ: list[int], walks: Walks) -> VertexArray:
    power, squared = shared("power", succ), shared("power", succ)
    steps, at = walks.steps(), shared("at", walks.starts.tolist())
    for digit in range(walks.digits):
        if digit:
            phase("square")
            for j in in_parallel(range(len(succ))):
                squared[j] = power[power[j]]
            power, squared = squared, power
        if walks.has(digit):
            phase("advance")
            for i in in_parallel(range(len(at))):
                if steps[i] >> digit & 1:
                    at[i] = power[at[i]]
    return as_vertices(at)


# -- cycles ----------------------------------------------------------------------------------------


def cycles(succ: list[int]) -> VertexArray:
    mark = find_cycles(succ)
    smallest, length = name_cycles(succ, mark)
    steps, entry = enter_cycles(succ, mark)
    phase("finish")
    for j in in_parallel(range(len(succ))):
        if mark[j] == DROPPED:
            smallest[j] = smallest[entry[j]]
    return np.array([list(steps), [length[least] for least in smallest], list(smallest)], np.int32)


def find_cycles(succ: list[int]) -> list[int]:
    """Return a mark for each element: `DROPPED` if it does not lie on a cycle, otherwise a positive number.

    After round i, only the elements that can be reached in 2^i - 1 steps remain. If a round drops nothing,
    all remaining elements lie on cycles, because further steps would only permute them.
    """
    phase("image")
    mark = shared("mark", [0] * len(succ))
    jump, jumped = shared("jump", succ), shared("jump", succ)
    for j in in_parallel(range(len(succ))):
        mark[jump[j]] = 1

    for i in range(1, rounds(len(succ)) + 1):
        phase("drop")
        again = shared("again", [False])
        for j in in_parallel(range(len(succ))):
            if DROPPED < mark[j] < i:
                mark[j] = DROPPED
                again[0] = True
        if not again[0]:
            break
        phase("jump")
        for j in in_parallel(range(len(succ))):
            if mark[j] != DROPPED:  # an old mark has the same effect
                jumped[j] = jump[jump[j]]
                mark[jumped[j]] = i + 1
        jump, jumped = jumped, jump
    return mark


def owned(splitter: int) -> int:
    """Convert the index of a splitter to the mark of the elements that it owns, or vice versa."""
    return DROPPED - 1 - splitter


def name_cycles(succ: list[int], mark: list[int]) -> tuple[list[int], list[int]]:
    """Return the smallest element of each element's cycle, and the lengths of the cycles.

    Both lists have one entry per element. The length of a cycle is stored at its smallest element. For an
    element outside cycles, the first list contains the element itself.
    """
    n = len(succ)
    following = shared("succ", succ)
    splitter = drawn(np.array(succ, np.int32), -(-n // STRETCH), randbits(32))
    sublists = walk_sublists(following, splitter, mark)
    folded = fold(sublists)

    phase("measure")
    length = shared("length", [0] * n)
    for s in in_parallel(range(len(sublists))):
        least, way, following_s, span = sublists[s]
        if span and folded[s][0] == least:
            length[least] = span - way + folded[following_s][1]

    phase("label")
    smallest = shared("smallest", range(n))
    for j in in_parallel(range(n)):
        if mark[j] < DROPPED:
            smallest[j] = folded[owned(mark[j])][0]
        elif mark[j] != DROPPED:
            least, steps, at = j, 1, following[j]
            while at != j:
                least, steps, at = min(least, at), steps + 1, following[at]
            smallest[j] = least
            if least == j:
                length[j] = steps
    return smallest, length


def walk_sublists(succ: list[int], splitter: list[int], mark: list[int]) -> list[Sublist]:
    phase("split")
    for s in in_parallel(range(len(splitter))):
        if mark[splitter[s]] != DROPPED:
            mark[splitter[s]] = owned(s)

    phase("sublists")
    sublist: list[Sublist] = shared("sublist", [(0, 0, s, 0) for s in range(len(splitter))])
    for s in in_parallel(range(len(splitter))):
        if mark[splitter[s]] != DROPPED:
            least, way, span = splitter[s], 0, 1
            j = succ[splitter[s]]
            while mark[j] > DROPPED:
                mark[j] = owned(s)
                if j < least:
                    least, way = j, span
                j, span = succ[j], span + 1
            sublist[s] = least, way, owned(mark[j]), span
    return sublist


def fold(sublists: list[Sublist]) -> list[Sublist]:
    """Find the smallest element of each splitter's cycle, and the distance to it, by pointer doubling.

    The last round is the first one that changes no minimum. Following its jumps from any splitter leads
    around the cycle without reaching a smaller minimum. Therefore, all splitters of a cycle have found the
    same minimum.
    """
    before, after = shared("sublist", sublists), shared("sublist", sublists)
    for _ in range(rounds(len(sublists))):
        phase("fold")
        again = shared("again", [False])
        for s in in_parallel(range(len(sublists))):
            least, way, following, span = before[s]
            least_ahead, way_ahead, following, span_ahead = before[following]
            if least_ahead < least:
                least, way = least_ahead, span + way_ahead
                again[0] = True
            after[s] = least, way, following, span + span_ahead
        before, after = after, before
        if not again[0]:
            break
    return before


def enter_cycles(succ: list[int], mark: list[int]) -> tuple[list[int], list[int]]:
    """Return each element's distance to its cycle, and the element where it enters the cycle."""
    phase("enter")
    before, after = shared("pair", [(0, 0)] * len(succ)), shared("pair", [(0, 0)] * len(succ))
    for j in in_parallel(range(len(succ))):
        before[j] = (1, succ[j]) if mark[j] == DROPPED else (0, j)

    for _ in range(rounds(len(succ))):
        phase("climb")
        again = shared("again", [False])
        for j in in_parallel(range(len(succ))):
            steps, entry = before[j]
            steps_ahead, entry_ahead = before[entry]
            after[j] = steps + steps_ahead, entry_ahead
            if steps_ahead:
                again[0] = True
        before, after = after, before
        if not again[0]:
            break
    return [steps for steps, _ in before], [entry for _, entry in before]
