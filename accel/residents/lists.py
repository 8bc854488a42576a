"""Successor arrays on a device."""

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
"""If a list has at least this number of elements, copying its ranks takes longer than mapping them."""

SHARED = 1 << 22
"""On devices that share the host's memory, lists of up to `SHARED` elements share buffers, because the first
access to new memory takes as long as filling it."""

SHARED_BYTES, SHARE = 16, 64
"""On other devices, lists share buffers if `SHARED_BYTES` bytes per element are at most 1 / `SHARE` of the
device's memory. Repeated runs on lists of the same length then allocate nothing."""


def place_lists(given: npt.NDArray[Any], session: Session) -> ResidentLists:
    """Put successors of any integer type on a device. Raise a ListError if one of them is out of range.

    If the device has its own memory, a large array is checked and converted to int32 there. Doing so on the
    host would take longer than the transfer.
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
    stage, check = checks.popleft()
    check.wait()
    session.give_back(STAGED, stage)


class ResidentLists:
    """A successor array on a device. If the device shares the host's memory, the array is not copied.

    Successors are positions in the array, and each run checks that they form lists. If the successors are
    already on the device, they are passed as `successors` and must be int32. Otherwise, `host` must be int32.
    If a kernel writes the successors, `host` is None, and the caller must pass the number of elements and the
    `ends` of the lists.
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
        return self.session.kernels(file, access, **macros)

    def scratch(self, purpose: str, items: int, dtype: npt.DTypeLike = np.int32) -> Buffer:
        """Return the buffer for a purpose, such as "ranks". Its contents are valid until the next run."""
        return self.session.scratch(purpose, items, dtype, self._own)

    def ranks(self) -> tuple[Buffer, ReadBack | None]:
        """Return a buffer for the ranks, and a function that returns them on the host.

        If the function is None, the buffer must be copied instead. On devices that share the host's memory,
        NumPy allocates the buffer for a long list, so that the ranks need not be copied. If a kernel has
        written the successors, the ranks overwrite them.
        """
        if self.host is None:
            return self.successors, None
        if self.session.device.host_memory and self.elements >= IN_PLACE:
            ranks = DeviceArray(self.session, self.elements, np.int32, "the ranks")
            return ranks.buffer, partial(ranks.take, self.elements)
        return self.scratch("ranks", self.elements), None
