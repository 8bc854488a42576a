"""List scan with random splitters on a device: drives ``kernels_cl/list_scan.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.residents.lists import DeviceList
from pointerjump.accel.runtime.probe import query
from pointerjump.accel.runtime.session import Session
from pointerjump.registry import Variant

if TYPE_CHECKING:
    import pyopencl as cl

_WIDE = np.dtype("V16")  # an element, or a sub-list


def has_doubles(session: Session) -> bool:
    """Whether the device computes with 64-bit floating-point numbers."""
    return bool(query(session.device.handle, "double_fp_config", 0))


def prepare(
    lists: DeviceList,
    values: npt.NDArray[Any],
    operator: str,
    splitters: int | None,
    seed: int,
    access: str,
) -> tuple[cl.Buffer, Variant]:
    """Run the kernels; return the result, still on the device, and the variant that ran.

    `values` are int64 or float64, and `operator` is "add", "multiply", "min" or "max".

    Raises
    ------
    OverflowError
        If integers passed 64 bits, though perhaps in no result.
    """
    session, n, over = lists.session, lists.n, lists.session.launcher.over
    tuning = session.launcher.tuning
    if splitters is None:
        splitters = lists.elements // tuning.elements_per_splitter
    splitters = min(splitters, lists.elements)
    program = session.program(
        "list_scan.cl",
        WALKS=tuning.walks,
        FLOATING=values.dtype.kind == "f",
        **{f"COMBINE_{operator.upper()}": True},
        **lists.defines(access),
    )

    given = session.put(values, "the values")
    ends = lists.ends(access)
    e, r = np.uint32(len(ends)), np.uint32(len(ends) + splitters)
    splitter = lists.room(int(r), np.int32, "the splitters")
    session.copy_into(splitter, ends)  # the others are drawn
    element = lists.room(lists.elements, _WIDE, "the elements")
    sublist = lists.room(int(r), _WIDE, "the list of splitters")
    after = lists.room(int(r), _WIDE, "the list of splitters after a jump")
    result = lists.room(lists.elements, values.dtype, "the result")
    lost = lists.flag()
    overflow = session.zeros(1, "the overflow flag")

    draw = n, r, e, np.uint32(seed % 2**32)
    session.launch(program, "LS1", over(lists.elements), n, lists.successors, given, element)()
    session.launch(program, "LS2_draw", over(splitters), *draw, splitter, element, sublist)()
    session.launch(program, "LS2_ends", over(len(ends)), e, splitter, element, sublist)()
    session.launch(program, "LS3", over(int(r)), r, splitter, element, sublist, overflow)()
    for _ in range(int(r - 1).bit_length() if r > 1 else 0):
        session.launch(program, "LS4", over(int(r)), r, sublist, after, overflow)()
        sublist, after = after, sublist
    session.launch(program, "LS5", over(lists.elements), n, e, element, sublist, result, lost, overflow)()
    lists.check_lost(lost)
    if session.get(overflow, 1)[0]:
        raise OverflowError("integers passed 64 bits")
    return result, {"splitters": splitters, "seed": seed, "access": access}
