"""Device implementation of list ranking by a single work-item."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.lists import ResidentLists
from pointerjump.accel.shapes import Shape
from pointerjump.accel.successors import not_lists
from pointerjump.base.linked_lists import SuccessorArray

_WALKS = 8  # the number of sub-lists walked at once: a CPU cannot prefetch elements of more sub-lists


def prepare(lists: ResidentLists, *, splitters: int, seed: int) -> Plan:
    session, n, host = lists.session, lists.elements, lists.host
    splitter, owner = lists.scratch("splitter", n), lists.scratch("owner", n)
    sublist = lists.scratch("sublist", n, np.int64)
    ranks, in_place = lists.ranks()
    kernel = lists.kernels("sequential.cl", None, WALKS=_WALKS)
    draw = np.uint32(min(splitters, n)), np.uint32(seed % 2**32)
    buffers = lists.successors, splitter, owner, sublist, ranks

    def read() -> SuccessorArray:
        found = in_place() if in_place else session.get(ranks, n)
        if n and found[0] < 0:
            raise not_lists(session, host)
        return found

    run = kernel("sequential", Shape((1,), (1,)), lists.n, *draw, *buffers)
    return Plan(ranks, [run], one_launch=True, read=read)
