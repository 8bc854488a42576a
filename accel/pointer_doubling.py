"""Device implementation of pointer doubling in functional graphs."""

from __future__ import annotations

from secrets import randbits

import numpy as np

from pointerjump.accel import wylie
from pointerjump.accel.plan import ROUND_STEP, Plan, PlanStep
from pointerjump.accel.residents.lists import ResidentLists
from pointerjump.accel.runtime.session import Kernels
from pointerjump.base.functional_graphs import STRETCH, Walks

_SUBLIST = np.dtype("V16")


def prepare(lists: ResidentLists, walks: Walks | None, access: str) -> Plan:
    """Plan a run that follows `walks`. If `walks` is None, the run finds cycles.

    For cycles, the result has three parts, each with one item per element: the number of steps to a cycle,
    the length of that cycle, and its smallest element.
    """
    kernel = lists.kernels(
        "pointer_doubling.cl", access, ROUND_STEP=ROUND_STEP, WALKS=lists.session.tuning.walks
    )
    return _cycles(lists, kernel) if walks is None else _walks(lists, walks, kernel)


def _walks(lists: ResidentLists, walks: Walks, kernel: Kernels) -> Plan:
    session, n = lists.session, lists.n
    starts = session.put(walks.starts, "the starts")
    k = session.put(np.ascontiguousarray(walks.words), "the steps")
    at = lists.scratch("at", len(walks.starts))
    over_starts, over_elements = session.shapes.over(len(walks.starts)), session.shapes.over(lists.elements)
    count, width = len(walks.starts), walks.words.shape[1]
    s, each = np.uint32(count), np.uint32(width == count)
    steps: list[PlanStep] = [lambda: session.copy(at, starts, count)]
    if walks.are_short(lists.elements):
        return Plan(at, [*steps, kernel("walk", over_starts, s, each, lists.successors, k, at)])
    power = lists.successors
    for digit in range(walks.digits):
        if digit:
            squared = lists.scratch(f"power {digit % 2}", lists.elements)
            steps.append(kernel("square", over_elements, n, power, squared))
            power = squared
        if walks.has(digit):
            word = np.uint64(digit // 32 * width), np.uint32(digit % 32)
            steps.append(kernel("advance", over_starts, s, each, *word, power, k, at))
    return Plan(at, steps)


def _cycles(lists: ResidentLists, kernel: Kernels) -> Plan:
    session, n = lists.session, lists.n
    splitters = -(-lists.elements // STRETCH)
    over_elements, over_splitters = session.shapes.over(lists.elements), session.shapes.over(splitters)
    seed = np.uint32(randbits(32))  # unpredictable: see the reference
    p, rounds, rounds_of_fold = np.uint32(splitters), wylie.rounds(lists.elements), wylie.rounds(splitters)
    mark, length = lists.scratch("mark", lists.elements), lists.scratch("length", lists.elements)
    pairs = [lists.scratch(name, lists.elements, np.int64) for name in ("pairs", "pairs after a jump")]
    names = ("sublist", "sublist folded", "sublist folded again")
    sublist, *folded = (lists.scratch(name, splitters, _SUBLIST) for name in names)
    again = lists.scratch("again", max(1, rounds) * ROUND_STEP)
    found = lists.scratch("found", 3 * lists.elements)

    def clear() -> None:
        session.fill(again, 0, max(1, rounds) * ROUND_STEP)

    steps: list[PlanStep] = [
        lambda: session.fill(mark, 0, max(1, lists.elements)),
        clear,
        kernel("image", over_elements, n, lists.successors, mark),
    ]
    before = lists.successors
    for i in range(rounds):
        mine = n, np.int32(i + 1), again, np.uint32(i * ROUND_STEP)
        steps.append(kernel("drop", over_elements, *mine, mark))
        if i + 1 < rounds:
            steps.append(kernel("jump", over_elements, *mine, before, pairs[i % 2], mark))
            before = pairs[i % 2]  # this buffer holds no pairs yet

    steps += [
        kernel("split", over_splitters, n, p, seed, mark),
        kernel("sublists", over_splitters, n, p, seed, lists.successors, mark, sublist),
        clear,
    ]
    least = sublist
    for i in range(rounds_of_fold):
        round = again, np.uint32(i * ROUND_STEP)
        steps.append(kernel("fold", over_splitters, p, *round, least, folded[i % 2]))
        least = folded[i % 2]

    steps += [
        kernel("measure", over_splitters, p, sublist, least, length),
        kernel("label", over_elements, n, lists.successors, mark, least, length, found),
        clear,
        kernel("enter", over_elements, n, lists.successors, mark, pairs[0]),
    ]
    for i in range(rounds):
        round = again, np.uint32(i * ROUND_STEP)
        steps.append(kernel("climb", over_elements, n, *round, pairs[i % 2], pairs[1 - i % 2]))
    steps.append(kernel("finish", over_elements, n, pairs[rounds % 2], length, found))
    return Plan(found, steps)
