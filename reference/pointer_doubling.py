"""Pointer doubling: where k steps lead in a functional graph, and all of its cycles.

In a functional graph, every element has one successor. Pointer doubling finds where 2, 4, 8 ... steps lead,
each time from the previous result. Choose it for the k-th successor or ancestor of many elements, and for the
cycles of a permutation or any other map.

J. C. Wylie, "The complexity of parallel computations", PhD thesis, Cornell, 1979; J. JaJa, "An introduction
to parallel algorithms", 1992, sections 2.2 and 3.1; M. Reid-Miller, "List ranking and list scan on the Cray
C90", JCSS 53, 1996 (splitters).

The map is squared again and again; each start follows the powers whose steps add up to its k. The elements
that are reached in n steps are those on cycles. In each round, only elements that were reached in the round
before still jump. Every cycle is then cut down to a few splitters, which combine what they know of it by
doubling. Elements outside cycles jump, as in wylie, until all of them point to a cycle.

In pseudo-code::

    k-th successors, with power = succ, unless all walks are short:
        for each binary digit of k, from the lowest on:
            advance: at[i] = power[at[i]], for each start i whose k has a 1 there
            square: power[j] = power[power[j]], for each element j
    walk: otherwise, each start takes its k steps
    cycles:
        image: mark the successor of each element; jump = succ
        until nothing is dropped:
            drop: an element that the last round has not marked lies on no cycle
            jump: jump[j] = jump[jump[j]], and mark it, for each element j not dropped
        split: one random element of each 32 is a splitter, unless it was dropped
        sublists: each splitter walks to the next one, and finds the least element on the way
        fold: until no least changes, each splitter takes the lesser of both, and jumps
        measure: the splitter before a cycle's least element adds up the length
        label: each element of a cycle has its splitter's least, or walks round
        enter: dropped elements point to their successors, the others to themselves
        climb: until nothing changes, each adds the steps of the one it points to, and jumps
        finish: each dropped element copies what is known of its cycle

Its phases:

- *walk*: each start takes its steps one by one
- *advance*: starts whose k has a 1 there take that power's steps
- *square*: the map's power is squared, so it spans twice as many steps
- *image*: each element marks its successor
- *drop*: what was not marked in the last round lies on no cycle
- *jump*: each element that may lie on a cycle marks where it jumps
- *split*: one random element of each stretch becomes a splitter, if on a cycle
- *sublists*: each splitter walks to the next one, and owns what it passes
- *fold*: each splitter doubles what it knows of its cycle
- *measure*: the splitter before a cycle's least element adds up the length
- *label*: each element of a cycle knows its least element
- *enter*: elements outside cycles begin to point along their paths
- *climb*: each adds the steps of the one it points to, and jumps
- *finish*: elements outside cycles copy what is known of the cycle they reach

Input: any successors in range, and the walks to take; None instead of walks asks for the cycles. The result
is deterministic whatever the schedule: rounds read one copy and write another. All iterations that mark an
element in one round write the same value. Work O(n log k), or O(n log h + p log p) for cycles; depth O(log
k), or O(log n) expected. Here at most h steps lead to a cycle; p = n / 32 splitters are drawn. As only
elements that are still reached jump, finding which elements of a random map or a permutation lie on cycles
takes O(n). On the cycles, the rest takes O(n) expected.

Deviations: JaJa takes log n rounds; here the rounds end when nothing changes. If a cycle has no splitter,
each of its elements walks round it. Nearly all of these cycles are short: of cycles of L elements, one in
1.03^L has no splitter. Every run draws new splitters, so no input can be made to have a long cycle without
splitters. The answer does not depend on the splitters.

See also ``wylie``: doubles along lists; ``random-splitter``: contracts lists to splitters in the same way.
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
Sublist = tuple[int, int, int, int]  # the least element, how far that is, the next splitter, how far that is


def pointer_doubling(successors: SuccessorArray, walks: Walks | None) -> VertexArray:
    """Return where walks lead or, without walks, what each element's cycle is.

    Parameters
    ----------
    successors : ndarray of int32, shape (n,)
        The element after each element.
    walks : Walks or None
        The walks; None asks for the cycles.

    Returns
    -------
    ndarray of int32, shape (s,) or (3, n)
        The element at which each walk ends. Or, in three rows, for each element: how many steps lead to a
        cycle, the length of that cycle, and its smallest element.

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
    """Take one step at a time."""
    phase("walk")
    after, steps, at = shared("power", succ), walks.steps(), shared("at", walks.starts.tolist())
    for i in in_parallel(range(len(at))):
        j = at[i]
        for _ in range(steps[i]):
            j = after[j]
        at[i] = j
    return as_vertices(at)


def powers(succ: list[int], walks: Walks) -> VertexArray:
    """Take 1, 2, 4, 8 ... steps at once, one power for each bit that is set in a walk's k."""
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
    """Mark the elements that lie on no cycle as dropped, and the others with positive numbers.

    Round i leaves the elements that 2^i - 1 steps lead to. For 2^i >= n, these are on cycles. If a round
    drops nothing, the steps of the next round would permute the elements that are left. So these are on
    cycles, too.
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
    """Return the mark of the elements that a splitter owns or, given such a mark, the splitter."""
    return DROPPED - 1 - splitter


def name_cycles(succ: list[int], mark: list[int]) -> tuple[list[int], list[int]]:
    """Return the smallest element of each element's cycle and, for each smallest element, the length."""
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
    """Let each splitter on a cycle walk to the next one, and own what it passes."""
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
    """Find the least element of each splitter's cycle, and how far it is, by doubling.

    A round that changes no minimum is the last one: its jumps go round the cycle, and along them no minimum
    is greater than the next, so all are equal.
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
    """Return how many steps each element is from its cycle, and where it enters the cycle."""
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
