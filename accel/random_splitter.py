"""List ranking with random splitters on a device. Wylie's kernels do step RS4."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pointerjump.accel import wylie
from pointerjump.accel.plan import Plan, PlanStep
from pointerjump.accel.residents.lists import ResidentLists
from pointerjump.accel.successors import LostFlag, find_ends
from pointerjump.base.linked_lists import MOST_MARKS, require_marks


def prepare(
    lists: ResidentLists,
    *,
    splitters: int | None = None,
    seed: int,
    choice: str,
    packing: str,
    access: str,
) -> Plan:
    """Plan a run on linked lists.

    By default there are as many splitters as suit the device, but not more than 48-bit marks can name.
    """
    session, n, over = lists.session, lists.n, lists.session.shapes.over
    narrow = packing == "48-bit"
    given = find_ends(lists, access)
    if splitters is None:
        splitters = lists.elements // session.tuning.elements_per_splitter
        if narrow:
            splitters = min(splitters, max(0, MOST_MARKS - len(given)))
    splitters = drawn = min(splitters, lists.elements)
    if choice == "even":
        given, drawn = np.union1d(given, evenly(lists, splitters, access)), 0
    r = np.uint32(len(given) + drawn)
    if narrow:
        require_marks(int(r))

    kernel = lists.kernels("random_splitter.cl", access, WALKS=session.tuning.walks, NARROW_OWNERS=narrow)
    splitter = lists.scratch("splitter", int(r))
    mark = lists.scratch("mark", lists.elements, np.int64)
    sublist = lists.scratch("sublist", int(r), np.int64)
    ranks, read = lists.ranks()
    lost = LostFlag(lists)
    over_elements, over_splitters = over(lists.elements), over(int(r))
    counts = np.uint32(len(given)), np.uint32(seed % 2**32)

    RS4, ranked = wylie.jump(lists, int(r), sublist, access)
    steps: list[PlanStep] = [
        lost.clear,
        lambda: session.copy_into(splitter, given),  # the others are drawn
        kernel("RS1", over_elements, n, lists.successors, mark),
        kernel("RS2", over_splitters, n, r, *counts, splitter, mark),
        kernel("RS3", over_splitters, n, r, lists.successors, splitter, mark, sublist),
        *RS4,
        kernel("RS4_check", over_splitters, r, lists.successors, splitter, ranked, lost.buffer),
        kernel("RS5", over_elements, n, mark, ranked, ranks, lost.buffer),
    ]
    return Plan(ranks, steps, end=[lost.check], read=read, decided={"splitters": splitters})


def evenly(lists: ResidentLists, splitters: int, access: str) -> npt.NDArray[np.int32]:
    """Return elements at equal distances along every list. This ranks the lists first."""
    plan = wylie.prepare(lists, "64-bit", "many", access)
    plan.run()
    ranks = lists.session.get(plan.result, lists.elements).astype(np.int64)
    return np.flatnonzero(ranks * splitters % lists.elements < splitters).astype(np.int32)
