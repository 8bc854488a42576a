"""Random splitters on a device: drives ``kernels_cl/random_splitter.cl``, and wylie.cl for RS4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.accel.successors import DeviceList, rank
from pointerjump.accel.wylie import jump
from pointerjump.linked_lists import SuccessorArray
from pointerjump.registry import Variant

if TYPE_CHECKING:
    import pyopencl as cl


def random_splitter(
    successors: Any,
    splitters: int | None = None,
    seed: int = 1,
    *,
    device: object = None,
    access: str | None = None,
) -> SuccessorArray:
    """Return each element's distance to the last element of its list.

    Parameters
    ----------
    successors : array_like of int, shape (n,), or DeviceList
        The element after each element; a last element's successor is itself.
    splitters : int, optional
        How many splitters to draw, one in each of as many equal stretches of the array; default: by
        device and length.
    seed : int
        Of the draw.
    device : optional
        See :func:`pointerjump.to_device`.
    access : {"striding", "partitioning"}, optional
        Which elements a work-item takes; default: by device.

    Returns
    -------
    ndarray of int32, shape (n,)

    Raises
    ------
    ListError
        If two elements have one successor, or there is a cycle.

    Examples
    --------
    >>> random_splitter([2, 1, 3, 3], device="cpu").tolist()
    [2, 0, 1, 0]
    """
    return rank("random-splitter", successors, device, splitters=splitters, seed=seed, access=access)


def rank_on_device(
    lists: DeviceList, seed: int, splitters: int | None = None, access: str | None = None
) -> tuple[cl.Buffer, Variant]:
    """Run the kernels; return the ranks, still on the device, and the variant that ran."""
    session, n = lists.session, lists.n
    tuning = session.launcher.tuning
    access = access or tuning.access
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
