"""A successor array on a device."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.plan import ReadBack
from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.accel.residents.staging import (
    STAGED,
    STAGES,
    filled_stage,
    ids_macros,
    stage_size,
    staged_dtype,
)
from pointerjump.accel.runtime.session import Buffer, Event, KeptBuffers, Kernels, Session
from pointerjump.base.linked_lists import SuccessorArray, as_successors, require_in_range
from pointerjump.errors import ListError

IN_PLACE = 1 << 17
"""With at least this many elements, copying ranks takes longer than mapping them."""

SHARED = 1 << 22
"""On CPUs, lists of at most this many elements share buffers, because touching new memory takes as long as
filling it."""

SHARED_BYTES, SHARE = 16, 64
"""On other devices, lists share buffers if `SHARED_BYTES` per element are at most this fraction of the memory
(1 / `SHARE`), so that repeated runs on lists of one length allocate nothing."""


def place_lists(given: npt.NDArray[Any], session: Session) -> ResidentLists:
    """Put successors, of any integer type, on a device; raise a ListError if one is out of range.

    A device with its own memory checks the array and converts it to int32. On the host, this would take
    longer than the transfer.
    """
    elements = len(given)
    if not session.through_ring(elements * np.dtype(np.int32).itemsize):
        return ResidentLists(as_successors(given), session)
    with session.running():
        successors = session.empty(elements, np.int32, "the successors")
        outside = session.empty(1, np.int32, "whether a successor is out of range")
        session.fill(outside, 0)
        dtype = staged_dtype(given)
        kernel = session.kernels("successors.cl", None, **ids_macros(dtype))
        at_once = stage_size(session) // dtype.itemsize
        checks: deque[tuple[Buffer, Event]] = deque()
        for begin in range(0, elements, at_once):
            if len(checks) == STAGES:
                _end_first(checks, session)
            some = given[begin : begin + at_once]
            stage = filled_stage(session, [some], dtype)
            where = np.uint32(begin), np.uint32(len(some)), np.uint32(elements), stage
            check = kernel("take_in", session.shapes.over(len(some)), *where, successors, outside)()
            checks.append((stage, check))
        while checks:
            _end_first(checks, session)
        if session.get(outside, 1)[0]:
            require_in_range(given)
            raise ListError("the successors have changed while they were copied: give an array that does not")
    return ResidentLists(given, session, successors)


def _end_first(checks: deque[tuple[Buffer, Event]], session: Session) -> None:
    """Wait until the oldest stage has been checked, and give it back."""
    stage, check = checks.popleft()
    check.wait()
    session.give_back(STAGED, stage)


class ResidentLists:
    """A successor array on a device. A device that shares the host's memory needs no copy.

    Successors are positions in the array, and each run checks that they form lists. `successors` are the
    successors as int32, if they are on the device already. Otherwise, `host` must be int32. If a kernel
    writes the successors, `host` is None. The caller then states the number of elements and the `ends` of the
    lists.
    """

    def __init__(
        self,
        host: npt.NDArray[Any] | None,
        session: Session,
        successors: Buffer | None = None,
        elements: int = 0,
        ends: SuccessorArray | None = None,
    ) -> None:
        self.session, self.host, self.ends = session, host, ends
        self.elements = elements if host is None else len(host)
        if successors is None:
            assert host is not None
            successors = session.put(host, "the successors")
        self.successors = successors
        device = session.device
        most = SHARED if device.host_memory else device.memory // SHARE // SHARED_BYTES
        self._own: KeptBuffers | None = None if self.elements <= most else {}

    @property
    def n(self) -> np.uint32:
        return np.uint32(self.elements)

    def kernels(self, file: str, access: str | None = None, **macros: object) -> Kernels:
        """Return the kernels of a file; the default for `access` is what suits the device."""
        return self.session.kernels(file, access, **macros)

    def scratch(self, purpose: str, items: int, dtype: npt.DTypeLike = np.int32) -> Buffer:
        """Return the buffer for a purpose. Runs share it, so its contents are valid until the next run."""
        return self.session.scratch(purpose, items, dtype, self._own)

    def ranks(self) -> tuple[Buffer, ReadBack | None]:
        """Return a buffer for the ranks and, if it saves a copy, a function that reads them.

        On CPUs, many ranks are kept in NumPy's memory, so that they need not be copied. If a kernel wrote the
        successors, the ranks take their place.
        """
        if self.host is None:
            return self.successors, None
        if self.session.device.host_memory and self.elements >= IN_PLACE:
            ranks = DeviceArray(self.session, self.elements, np.int32, "the ranks")
            return ranks.buffer, partial(ranks.take, self.elements)
        return self.scratch("ranks", self.elements), None
