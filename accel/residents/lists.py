"""A successor array on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.session import Kernels, Session
from pointerjump.accel.runtime.transfer import Scratch
from pointerjump.linked_lists import SuccessorArray

if TYPE_CHECKING:
    import pyopencl as cl


class ResidentLists:
    """A successor array on a device; not copied if the device shares the host's memory.

    Parameters
    ----------
    host : ndarray of int32, shape (elements,)
        Successors, each a position in the array. Each run checks whether they form lists.
    session : Session
    """

    def __init__(self, host: SuccessorArray, session: Session) -> None:
        self.session, self.host = session, host
        self.elements = len(host)
        self.successors = session.put(host, "the successors")
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
