"""A successor array on a device."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.accel.residents.staging import (
    STAGED,
    STAGES,
    filled_stage,
    ids_macros,
    stage_size,
    staged_dtype,
)
from pointerjump.accel.runtime.session import Kept, Kernels, Session
from pointerjump.errors import ListError
from pointerjump.linked_lists import SuccessorArray, as_successors, require_in_range

if TYPE_CHECKING:
    import pyopencl as cl

IN_PLACE = 1 << 17
"""From so many elements on, a copy of their ranks takes longer than to ask for them in place."""

SHARED = 1 << 22
"""Lists of at most so many elements share buffers on CPUs: the first touch of new memory takes as long as a
kernel that fills it."""


def place_lists(given: npt.NDArray[Any], session: Session) -> ResidentLists:
    """Put a successor array on a device.

    A device with its own memory checks the array and makes it int32. For the host, that would take longer
    than the transfer.

    Parameters
    ----------
    given : ndarray of int, shape (elements,)
        Any integers, in any byte order.
    session : Session

    Raises
    ------
    ListError
        If a successor is out of range.
    """
    elements = len(given)
    if not session.through_ring(elements * np.dtype(np.int32).itemsize):
        return ResidentLists(as_successors(given), session)
    with session.running():
        successors = session.empty(elements, np.int32, "the successors")
        outside = session.empty(1, np.int32, "whether a successor is out of range")
        session.fill(outside, 0)
        for stage in _staged(given, successors, outside, session):
            stage.wait()
        if session.get(outside, 1)[0]:
            require_in_range(given)
            raise ListError("the successors have changed while they were copied: give an array that does not")
    return ResidentLists(given, session, successors)


def _staged(
    given: npt.NDArray[Any], successors: cl.Buffer, outside: cl.Buffer, session: Session
) -> Iterator[cl.Event]:
    """Copy successors stage by stage, and have each checked; yield the events of the last checks."""
    elements, dtype = np.uint32(len(given)), staged_dtype(given)
    kernel = session.kernels("successors.cl", None, **ids_macros(dtype))
    at_once = stage_size(session) // dtype.itemsize
    checks: deque[tuple[cl.Buffer, cl.Event]] = deque()
    for begin in range(0, len(given), at_once):
        some = given[begin : begin + at_once]
        if len(checks) == STAGES:
            stage, check = checks.popleft()
            check.wait()
            session.give_back(STAGED, stage)
        stage = filled_stage(session, [some], dtype)
        where = np.uint32(begin), np.uint32(len(some)), elements, stage
        check = kernel("take_in", session.shapes.over(len(some)), *where, successors, outside)()
        checks.append((stage, check))
    for stage, check in checks:
        yield check
        session.give_back(STAGED, stage)


class Ranks:
    """Where kernels write ranks. Many of them lie in NumPy's memory on CPUs, so that nobody copies them.

    Attributes
    ----------
    buffer : Buffer
    in_place : bool
        Whether they lie there.
    """

    def __init__(self, lists: ResidentLists) -> None:
        self._session, self._elements = lists.session, lists.elements
        self._array: DeviceArray | None = None
        self.in_place = lists.session.device.host_memory and lists.elements >= IN_PLACE
        if self.in_place:
            self._array = DeviceArray(lists.session, lists.elements, np.int32, "the ranks")
            self.buffer = self._array.buffer
        else:
            self.buffer = lists.scratch("ranks", lists.elements)

    def read(self) -> SuccessorArray:
        """Return the ranks on the host, once kernels have written them."""
        if self._array is not None:
            return self._array.take(self._elements)
        return self._session.get(self.buffer, self._elements)


class ResidentLists:
    """A successor array on a device; not copied if the device shares the host's memory.

    Parameters
    ----------
    host : ndarray of int, shape (elements,)
        Successors, each a position in the array. Each run checks whether they form lists.
    session : Session
    successors : Buffer, optional
        The same as int32, if they are on the device already. Otherwise, `host` must be int32.
    """

    def __init__(self, host: npt.NDArray[Any], session: Session, successors: cl.Buffer | None = None) -> None:
        self.session, self.host = session, host
        self.elements = len(host)
        self.successors = session.put(host, "the successors") if successors is None else successors
        shared = session.device.host_memory and self.elements <= SHARED
        self._own: Kept | None = None if shared else {}

    @property
    def n(self) -> np.uint32:
        """The number of elements, as kernels take it."""
        return np.uint32(self.elements)

    def kernels(self, file: str, access: str | None = None, **macros: object) -> Kernels:
        """Return the kernels of a file; the default for `access` is what suits the device."""
        return self.session.kernels(file, access, **macros)

    def scratch(self, purpose: str, items: int, dtype: npt.DTypeLike = np.int32) -> cl.Buffer:
        """Return the buffer for a purpose. Runs share it, so its contents last until the next run."""
        return self.session.scratch(purpose, items, dtype, self._own)
