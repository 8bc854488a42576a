"""Arrays on a device, or in the host's memory if the device shares it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.session import let_end
from pointerjump.base import memory

if TYPE_CHECKING:
    from pointerjump.accel.runtime.session import Buffer, Session


class DeviceArray:
    """A new array on a device, with uninitialized contents.

    If the device shares the host's memory, NumPy allocates the array. Error messages refer to the array as
    `what`, and suggest `way_out` if it does not fit in the host's memory.
    """

    def __init__(
        self,
        session: Session,
        items: int,
        dtype: npt.DTypeLike,
        what: str,
        way_out: str = memory.LESS_AT_A_TIME,
    ) -> None:
        self.session, self.dtype = session, np.dtype(dtype)
        self._array: npt.NDArray[Any] | None = None
        if session.device.host_memory:
            memory.require(items * self.dtype.itemsize, what, way_out)
            self._array = np.empty(max(1, items), dtype)
            self.buffer = session.put(self._array, what)
        else:
            self.buffer = session.empty(items, dtype, what)

    def __del__(self) -> None:
        # Kernels may still be using the array, which is about to be freed.
        if getattr(self, "_array", None) is not None:
            let_end(self.session.queue)

    def copy_from(self, other: Buffer, items: int) -> None:
        """Enqueue a copy into this array of the first `items` items of a buffer with the same dtype."""
        self.session.copy(self.buffer, other, items, self.dtype)

    def take(self, items: int) -> npt.NDArray[Any]:
        """Return the first `items` items on the host, without a copy if possible."""
        if self._array is not None and self.session.read_in_place(self.buffer, self._array):
            return self._array if items == len(self._array) else self._array[:items]
        return self.session.get(self.buffer, items, self.dtype)
