"""A successor array on a device."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.session import Kernels, Session
from pointerjump.accel.runtime.transfer import Scratch
from pointerjump.linked_lists import as_successors, require_in_range

if TYPE_CHECKING:
    import pyopencl as cl


def place_lists(given: npt.NDArray[Any], session: Session) -> ResidentLists:
    """Put a successor array on a device.

    On the way to a device with its own memory, threads check the array and make it int32, part by part. To do
    so before would take longer than the transfer.

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
    successors = session.empty(elements, np.int32, "the successors")
    check = partial(require_in_range, elements)
    with session.running():
        session.attempt("a copy", session.ring.upload, successors, given, dtype=np.int32, check=check)
    return ResidentLists(given, session, successors)


class ResidentLists:
    """A successor array on a device; not copied if the device shares the host's memory.

    Parameters
    ----------
    host : ndarray of int, shape (elements,)
        Successors, each a position in the array. Each run checks whether they form lists.
    session : Session
    successors : Buffer, optional
        The same as int32, if they are on the device already. Otherwise `host` must be int32.
    """

    def __init__(self, host: npt.NDArray[Any], session: Session, successors: cl.Buffer | None = None) -> None:
        self.session, self.host = session, host
        self.elements = len(host)
        self.successors = session.put(host, "the successors") if successors is None else successors
        self._scratch = Scratch()

    @property
    def n(self) -> np.uint32:
        """The number of elements, as kernels take it."""
        return np.uint32(self.elements)

    def kernels(self, file: str, access: str | None = None, **macros: object) -> Kernels:
        """Return the kernels of a file; the default for `access` is what suits the device."""
        return self.session.kernels(file, access, **macros)

    def scratch(self, purpose: str, items: int, dtype: npt.DTypeLike = np.int32) -> cl.Buffer:
        """Return the buffer for a purpose. Runs share it, so its contents last until the next run."""
        return self._scratch.buffer(self.session, purpose, items, dtype)
