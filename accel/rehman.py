"""Device implementation of recursive sub-list ranking. Wylie's algorithm ranks the last level's list."""

from __future__ import annotations

import numpy as np

from pointerjump.accel import wylie
from pointerjump.accel.plan import Plan, PlanStep
from pointerjump.accel.residents.lists import ResidentLists
from pointerjump.accel.runtime.session import Buffer
from pointerjump.accel.successors import LostFlag, find_ends
from pointerjump.base.limits import ONE_GROUP_RANKS

_ELEMENT = np.dtype("4i4")


def prepare(lists: ResidentLists, seed: int, access: str) -> Plan:
    session, over = lists.session, lists.session.shapes.over
    kernel = lists.kernels("rehman.cl", access, WALKS=session.tuning.walks)
    ends = find_ends(lists, access)
    length, element = lists.elements, lists.scratch("elements of level 0", lists.elements, _ELEMENT)
    splitters = lists.scratch("splitters", len(ends) + length // max(1, length.bit_length()))
    lost = LostFlag(lists)
    steps: list[PlanStep] = [
        lost.clear,
        lambda: session.copy_into(splitters, ends),  # the ends are the first splitters in every level
        kernel("begin", over(length), lists.n, lists.successors, element),
    ]

    levels: list[tuple[int, Buffer]] = []
    while length > ONE_GROUP_RANKS:
        r = len(ends) + length // length.bit_length()
        if r > length // 2:
            break  # most elements are ends of lists, so another level would hardly be shorter
        sizes = np.uint32(length), np.uint32(r), np.uint32(len(ends)), np.uint32(seed % 2**32)
        level = len(levels)
        shorter = lists.scratch(f"elements of level {level + 1}", r, _ELEMENT)
        steps += [
            kernel("draw_splitters", over(r), *sizes, splitters, element),
            kernel("own_ends", over(len(ends)), sizes[2], np.int32(level), splitters, element),
            kernel("reduce", over(r), sizes[1], splitters, element, shorter, lost.buffer),
        ]
        levels.append((length, element))
        length, element = r, shorter

    pairs = lists.scratch("pairs", length, np.int64)
    jumps, jumped = wylie.jump(
        lists, length, pairs, access, launch="one" if length <= ONE_GROUP_RANKS else "many"
    )
    ranks = _ranks(lists, len(levels), length)
    count = np.uint32(length)
    steps += [
        kernel("as_pairs", over(length), count, element, pairs),
        *jumps,
        kernel("as_ranks", over(length), count, element, jumped, ranks, lost.buffer),
    ]
    while levels:
        length, element = levels.pop()
        shorter, ranks = ranks, _ranks(lists, len(levels), length)
        steps.append(kernel("expand", over(length), np.uint32(length), element, shorter, ranks, lost.buffer))
    return Plan(ranks, steps, end=[lost.check])


def _ranks(lists: ResidentLists, level: int, length: int) -> Buffer:
    return lists.scratch(f"ranks of level {level}", length)
