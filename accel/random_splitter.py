"""Random splitters on a device: drives ``kernels_cl/random_splitter.cl``, and wylie.cl for RS4."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pointerjump.accel import wylie
from pointerjump.accel.residents.lists import DeviceList
from pointerjump.linked_lists import MOST_MARKS, require_marks
from pointerjump.registry import Variant

if TYPE_CHECKING:
    import pyopencl as cl


def prepare(
    lists: DeviceList, splitters: int | None, seed: int, choice: str, packing: str, access: str
) -> tuple[cl.Buffer, Variant]:
    """Run the kernels; return the ranks, still on the device, and the variant that ran."""
    session, n = lists.session, lists.n
    tuning = session.launcher.tuning
    narrow = packing == "48-bit"
    given = lists.ends(access)
    if splitters is None:
        splitters = lists.elements // tuning.elements_per_splitter
        if narrow:
            splitters = min(splitters, max(0, MOST_MARKS - len(given)))
    splitters = min(splitters, lists.elements)
    drawn = splitters
    if choice == "even":
        given, drawn = np.union1d(given, evenly(lists, splitters, access)), 0
    r = np.uint32(len(given) + drawn)
    if narrow:
        require_marks(int(r))

    program = session.program(
        "random_splitter.cl", WALKS=tuning.walks, NARROW_OWNERS=narrow, **lists.defines(access)
    )
    splitter = lists.room(int(r), np.int32, "the splitters")
    session.copy_into(splitter, given)  # the others are drawn
    mark = lists.room(lists.elements, np.int64, "the marks of rank and owner")
    sublist = lists.room(int(r), np.int64, "the list of splitters")
    ranks = lists.room(lists.elements, np.int32, "the ranks")
    lost = lists.flag()
    over_elements, over_splitters = session.launcher.over(lists.elements), session.launcher.over(int(r))
    counts = np.uint32(len(given)), np.uint32(seed % 2**32)

    session.launch(program, "RS1", over_elements, n, lists.successors, mark)()
    session.launch(program, "RS2", over_splitters, n, r, *counts, splitter, mark)()
    session.launch(program, "RS3", over_splitters, n, r, lists.successors, splitter, mark, sublist)()
    sublist = wylie.jump(lists, int(r), sublist, access)  # RS4
    session.launch(program, "RS4_check", over_splitters, r, lists.successors, splitter, sublist, lost)()
    session.launch(program, "RS5", over_elements, n, mark, sublist, ranks, lost)()
    lists.check_lost(lost)
    variant: Variant = {"splitters": splitters, "seed": seed, "choice": choice, "packing": packing}
    return ranks, {**variant, "access": access}


def evenly(lists: DeviceList, splitters: int, access: str) -> npt.NDArray[np.int32]:
    """Return elements at equal distances along every list, which takes knowing the ranks beforehand."""
    buffer, _ = wylie.prepare(lists, "64-bit", "many", access)
    ranks = lists.session.get(buffer, lists.elements).astype(np.int64)
    return np.flatnonzero(ranks * splitters % lists.elements < splitters).astype(np.int32)
