"""List ranking by a single work-item, on a device.

A launch costs microseconds before it does any work. In that time, one work-item of a CPU ranks a list with
some thousand elements.
"""

from __future__ import annotations

import numpy as np

from pointerjump import memory
from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.accel.residents.lists import ResidentLists
from pointerjump.accel.shapes import Shape
from pointerjump.accel.successors import not_lists
from pointerjump.linked_lists import SuccessorArray

_WALKS = 16  # sub-lists under way at once
_IN_PLACE = (
    1 << 17
)  # from so many elements on, a copy of the ranks takes longer than asking for them in place


def prepare(lists: ResidentLists, *, splitters: int, seed: int) -> Plan:
    """Plan a run on linked lists."""
    session, n, host = lists.session, lists.elements, lists.host
    # Buffers of the session, because new memory costs more time than a short list takes.
    scratch = session.scratch.buffer
    splitter, owner = scratch(session, "splitter", n), scratch(session, "owner", n)
    sublist = scratch(session, "sublist", n, np.int64)
    array = None
    if n >= _IN_PLACE:
        array = DeviceArray(session, n, np.int32, "the ranks", "the ranks", memory.LESS_AT_A_TIME)
    ranks = array.buffer if array else scratch(session, "ranks", n)

    def read() -> SuccessorArray:
        found = array.take(n) if array else session.get(ranks, n)
        if n and found[0] < 0:
            raise not_lists(session, host)
        return found

    kernel = lists.kernels("sequential.cl", None, WALKS=_WALKS)
    draw = np.uint32(min(splitters, n)), np.uint32(seed % 2**32)
    run = kernel(
        "sequential", Shape((1,), (1,)), lists.n, *draw, lists.successors, splitter, owner, sublist, ranks
    )
    return Plan(ranks, [run], one_launch=True, read=read)
