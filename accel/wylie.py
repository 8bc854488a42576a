"""Wylie's pointer jumping on a device: drives ``kernels_cl/wylie.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pointerjump.accel.residents.lists import DeviceList
from pointerjump.registry import Variant

if TYPE_CHECKING:
    import pyopencl as cl


def prepare(lists: DeviceList, packing: str, launch: str, access: str) -> tuple[cl.Buffer, Variant]:
    """Run the kernels; return the ranks, still on the device, and the variant that ran."""
    session, n = lists.session, lists.n
    lists.ends(access)  # refuses what is not a set of lists
    shape = session.launcher.over(lists.elements)
    program = session.program("wylie.cl", APART=packing == "none", **lists.defines(access))
    pairs = lists.room(lists.elements, np.int64, "the pairs of rank and pointer")
    session.launch(program, "PJ1", shape, n, lists.successors, pairs)()
    pairs = jump(lists, lists.elements, pairs, access, packing, launch)

    ranks = lists.room(lists.elements, np.int32, "the ranks")
    lost = lists.flag()
    session.launch(program, "done", shape, n, lists.successors, pairs, ranks, lost)()
    lists.check_lost(lost)
    return ranks, {"packing": packing, "launch": launch, "access": access}


def jump(
    lists: DeviceList,
    elements: int,
    pairs: cl.Buffer,
    access: str,
    packing: str = "64-bit",
    launch: str = "many",
) -> cl.Buffer:
    """Enqueue PJ2 until every pair of (rank, pointer) spans its list; return where the last round wrote."""
    session, launcher, n = lists.session, lists.session.launcher, np.uint32(elements)
    program = session.program("wylie.cl", APART=packing == "none", **lists.defines(access))
    after = lists.room(elements, np.int64, "the pairs after a jump")
    rounds = (elements - 1).bit_length() if elements > 1 else 0
    if launch == "one":
        group = launcher.one_group(min(launcher.tuning.small_group, session.device.work_group))
        session.launch(program, "PJ2_all", group, n, np.uint32(rounds), pairs, after)()
        return after if rounds % 2 else pairs
    shape = launcher.over(elements)
    for _ in range(rounds):
        session.launch(program, "PJ2", shape, n, pairs, after)()
        pairs, after = after, pairs
    return pairs
