"""Recursive sub-list ranking on a device: drives ``kernels_cl/rehman.cl``, and wylie.cl for the shortest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pointerjump.accel import wylie
from pointerjump.accel.residents.lists import DeviceList
from pointerjump.registry import Variant

if TYPE_CHECKING:
    import pyopencl as cl

SHORTEST = 256  # so many elements one work-group ranks by itself
_ELEMENT = np.dtype("4i4")


def prepare(lists: DeviceList, seed: int, access: str) -> tuple[cl.Buffer, Variant]:
    """Run the kernels; return the ranks, still on the device, and the variant that ran."""
    session, over = lists.session, lists.session.launcher.over
    program = session.program("rehman.cl", WALKS=session.launcher.tuning.walks, **lists.defines(access))
    ends = lists.ends(access)
    length, element = lists.elements, lists.room(lists.elements, _ELEMENT, "the elements")
    lost = lists.flag()
    session.launch(program, "begin", over(length), lists.n, lists.successors, element)()

    levels: list[tuple[int, cl.Buffer]] = []
    while length > SHORTEST:
        r = len(ends) + length // length.bit_length()
        if r > length // 2:
            break  # mostly lists' ends: another level would hardly be shorter
        splitter = lists.room(r, np.int32, "the splitters")
        if not levels:
            session.copy_into(splitter, ends)
        sizes = np.uint32(length), np.uint32(r), np.uint32(len(ends)), np.uint32(seed % 2**32)
        level = np.int32(len(levels))
        session.launch(program, "draw_splitters", over(r), *sizes, splitter, element)()
        session.launch(program, "own_ends", over(len(ends)), sizes[2], level, splitter, element)()
        shorter = lists.room(r, _ELEMENT, f"the elements of level {level + 1}")
        session.launch(program, "reduce", over(r), sizes[1], splitter, element, shorter, lost)()
        levels.append((length, element))
        length, element = r, shorter

    pairs = lists.room(length, np.int64, "the pairs of rank and pointer")
    session.launch(program, "as_pairs", over(length), np.uint32(length), element, pairs)()
    launch = "one" if length <= SHORTEST else "many"
    pairs = wylie.jump(lists, length, pairs, access, launch=launch)
    ranks = _ranks(lists, len(levels), length)
    session.launch(program, "as_ranks", over(length), np.uint32(length), element, pairs, ranks, lost)()
    while levels:
        length, element = levels.pop()
        shorter, ranks = ranks, _ranks(lists, len(levels), length)
        session.launch(program, "expand", over(length), np.uint32(length), element, shorter, ranks, lost)()
    lists.check_lost(lost)
    return ranks, {"seed": seed, "access": access}


def _ranks(lists: DeviceList, level: int, length: int) -> cl.Buffer:
    return lists.room(length, np.int32, f"the ranks of level {level}")
