"""Device implementation of list scan with random splitters."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel import wylie
from pointerjump.accel.plan import Plan, PlanStep
from pointerjump.accel.residents.lists import ResidentLists
from pointerjump.accel.runtime.probe import query
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.successors import LostFlag, find_ends

_WIDE = np.dtype("V16")  # the data of an element or a sub-list


def has_doubles(session: Session) -> bool:
    return bool(query(session.device.handle, "double_fp_config", 0))


def prepare(
    lists: ResidentLists,
    values: npt.NDArray[Any],
    operator: str,
    splitters: int,
    seed: int,
    access: str,
) -> Plan:
    """Plan a scan of linked lists.

    `values` must be int64 or float64, and `operator` must be "add", "multiply", "min" or "max". A run raises
    an OverflowError if an integer exceeds 64 bits, even if it is only an intermediate value.
    """
    session, n, over = lists.session, lists.n, lists.session.shapes.over
    splitters = min(splitters, lists.elements)
    combine = {f"COMBINE_{operator.upper()}": True, "FLOATING": values.dtype.kind == "f"}
    kernel = lists.kernels("list_scan.cl", access, WALKS=session.tuning.walks, **combine)

    given = session.put(values, "the values")
    ends = find_ends(lists, access)
    e, r = np.uint32(len(ends)), np.uint32(len(ends) + splitters)
    splitter = lists.scratch("splitter", int(r))
    element = lists.scratch("element", lists.elements, _WIDE)
    sublist = lists.scratch("sublist", int(r), _WIDE)
    after = lists.scratch("sublist after a jump", int(r), _WIDE)
    result = lists.scratch("result", lists.elements, values.dtype)
    lost = LostFlag(lists)
    overflow = lists.scratch("overflow", 1)
    over_elements, over_splitters = over(lists.elements), over(int(r))

    draw = n, r, e, np.uint32(seed % 2**32)
    steps: list[PlanStep] = [
        lost.clear,
        lambda: session.fill(overflow, 0),
        lambda: session.copy_into(splitter, ends),  # the other splitters are drawn
        kernel("LS1", over_elements, n, lists.successors, given, element),
        kernel("LS2_draw", over(splitters), *draw, splitter, element, sublist),
        kernel("LS2_ends", over(len(ends)), e, splitter, element, sublist),
        kernel("LS3", over_splitters, r, splitter, element, sublist, overflow),
    ]
    there = kernel("LS4", over_splitters, r, sublist, after, overflow)
    back = kernel("LS4", over_splitters, r, after, sublist, overflow)
    rounds = wylie.rounds(int(r))
    steps += [(there, back)[i % 2] for i in range(rounds)]
    scanned = after if rounds % 2 else sublist
    steps.append(kernel("LS5", over_elements, n, e, element, scanned, result, lost.buffer, overflow))

    def check_overflow() -> None:
        if session.get(overflow, 1)[0]:
            raise OverflowError("integers passed 64 bits")

    return Plan(result, steps, end=[lost.check, check_overflow])
