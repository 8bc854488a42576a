"""Random splitters on a device: drives ``kernels_cl/random_splitter.cl``, and wylie.cl for RS4."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pointerjump.accel.successors import DeviceList
from pointerjump.accel.wylie import jump
from pointerjump.registry import Variant

if TYPE_CHECKING:
    import pyopencl as cl


def prepare(lists: DeviceList, splitters: int | None, seed: int, access: str) -> tuple[cl.Buffer, Variant]:
    """Run the kernels; return the ranks, still on the device, and the variant that ran."""
    session, n = lists.session, lists.n
    tuning = session.launcher.tuning
    if splitters is None:
        splitters = lists.elements // tuning.elements_per_splitter
    splitters = min(splitters, lists.elements)
    program = session.program("random_splitter.cl", WALKS=tuning.walks, **lists.defines(access))

    ends = lists.ends(access)
    r = np.uint32(len(ends) + splitters)
    splitter = lists.room(int(r), np.int32, "the splitters")
    session.copy_into(splitter, ends)  # the others are drawn
    mark = lists.room(lists.elements, np.int64, "the marks of rank and owner")
    sublist = lists.room(int(r), np.int64, "the list of splitters")
    ranks = lists.room(lists.elements, np.int32, "the ranks")
    lost = lists.flag()
    over_elements, over_splitters = session.launcher.over(lists.elements), session.launcher.over(int(r))

    session.launch(program, "RS1", over_elements, n, lists.successors, mark)()
    session.launch(
        program, "RS2", over_splitters, n, r, np.uint32(len(ends)), np.uint32(seed % 2**32), splitter, mark
    )()
    session.launch(program, "RS3", over_splitters, r, lists.successors, splitter, mark, sublist)()
    sublist = jump(lists, int(r), sublist, access)  # RS4
    session.launch(program, "RS4_check", over_splitters, r, lists.successors, splitter, sublist, lost)()
    session.launch(program, "RS5", over_elements, n, mark, sublist, ranks, lost)()
    lists.check_lost(lost)
    return ranks, {"splitters": splitters, "seed": seed, "access": access}
