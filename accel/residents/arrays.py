"""Arrays on a device, which lie in the host's memory where the device shares it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump import memory
from pointerjump.accel.runtime.icd import require_own_process

if TYPE_CHECKING:
    from pointerjump.accel.runtime.session import Session


class DeviceArray:
    """An array on a device, of undefined content. If the device shares the host's memory, it lies in NumPy's.

    Parameters
    ----------
    session : Session
    items : int
    dtype : dtype
    what : str
        What errors call it.
    needs_memory, way_out : str
        What errors say if the host's memory cannot hold it.

    Attributes
    ----------
    buffer : Buffer
    dtype : dtype
    """

    def __init__(
        self, session: Session, items: int, dtype: npt.DTypeLike, what: str, needs_memory: str, way_out: str
    ) -> None:
        self.session, self.dtype = session, dtype
        self._array: npt.NDArray[Any] | None = None
        if session.device.host_memory:
            memory.require(items * np.dtype(dtype).itemsize, needs_memory, way_out)
            self._array = np.empty(max(1, items), dtype)
            self.buffer = session.put(self._array, what)
        else:
            self.buffer = session.empty(items, dtype, what)

    def __del__(self) -> None:
        """Wait for kernels that use the array, which is freed with this."""
        if getattr(self, "_array", None) is not None:
            let_end(self.session)

    def take(self, items: int) -> npt.NDArray[Any]:
        """Return the first items on the host, without a copy if possible."""
        if self._array is not None and self.session.read_in_place(self.buffer, self._array):
            return self._array if items == len(self._array) else self._array[:items]
        return self.session.get(self.buffer, items, self.dtype)


def let_end(session: Session) -> None:
    """Wait for what is enqueued: it may use host arrays that are about to be freed."""
    with suppress(Exception):  # in a forked child there are no kernels, and nobody to wait for
        require_own_process()
        session.queue.finish()
