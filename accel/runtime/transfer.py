"""Buffers on a device, and copies to and from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from pointerjump import memory
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.icd import opencl
from pointerjump.errors import DeviceError
from pointerjump.memory import in_words

if TYPE_CHECKING:
    import pyopencl as cl
    import pyopencl.array as cl_array

Done = TypeVar("Done")


class Transfers:
    """What a session does with buffers. It brings the context, the queue, and what to do about failures."""

    device: Device
    context: cl.Context
    queue: cl.CommandQueue

    def attempt(self, what: str, work: Callable[..., Done], *arguments: Any, **options: Any) -> Done:
        """Call `work`, which uses pyopencl, and turn what it fails with into our errors."""
        raise NotImplementedError

    def once_more(
        self, error: Exception, what: str, work: Callable[..., Done], *arguments: Any, **options: Any
    ) -> Done:
        """Do about a failure what :meth:`attempt` does."""
        raise NotImplementedError

    def put(self, array: npt.NDArray[Any], what: str) -> cl.Buffer:
        """Return a buffer of `array`: in place where the device shares the host's memory."""
        cl = opencl()
        if array.size == 0:  # OpenCL has no empty buffers
            array = np.zeros(1, array.dtype)
        flags = cl.mem_flags
        if not self.device.host_memory:
            # NVIDIA's driver copies memory twice when a buffer is made of it.
            return self.put_writable(array, what)
        # Intel's CPU runtime copies what is read-only, unless its address is a multiple of 64, as Arrow's is.
        access = flags.READ_WRITE if array.flags.writeable else flags.READ_ONLY
        return self._allocate(array.nbytes, what, access | flags.USE_HOST_PTR, array)

    def put_writable(self, array: npt.NDArray[Any], what: str) -> cl.Buffer:
        """Return a read-write buffer that begins as a copy of `array`."""
        buffer = self.empty(array.size, array.dtype, what)
        self.copy_into(buffer, array)
        return buffer

    def copy_into(self, buffer: cl.Buffer, array: npt.NDArray[Any]) -> None:
        """Copy `array` to where a buffer begins."""
        if array.size:
            self.attempt("a copy", opencl().enqueue_copy, self.queue, buffer, array)

    def copy(self, to: cl.Buffer, given: cl.Buffer, words: int) -> None:
        """Enqueue copying the first 32-bit words of one buffer to another."""
        if words:
            enqueue = opencl().enqueue_copy
            self.attempt("a copy", enqueue, self.queue, to, given, byte_count=4 * words)

    def copy_of(self, given: cl.Buffer, words: int, what: str) -> cl.Buffer:
        """Return a new buffer that begins as a copy of another one's first 32-bit words."""
        own = self.empty(words, np.int32, what)
        self.copy(own, given, words)
        return own

    def array(self, buffer: cl.Buffer, items: int) -> cl_array.Array:
        """Return a buffer's first int32 as a pyopencl array."""
        import pyopencl.array as cl_array

        return cl_array.Array(self.queue, (items,), np.int32, data=buffer if items else None)

    def zeros(self, items: int, what: str) -> cl.Buffer:
        """Return a buffer of int32 zeros."""
        return self.put_writable(np.zeros(max(1, items), np.int32), what)

    def empty(self, items: int, dtype: npt.DTypeLike, what: str) -> cl.Buffer:
        """Return a buffer whose contents are undefined."""
        return self._allocate(max(1, items) * np.dtype(dtype).itemsize, what, opencl().mem_flags.READ_WRITE)

    def _allocate(
        self, size: int, what: str, flags: int, hostbuf: npt.NDArray[Any] | None = None
    ) -> cl.Buffer:
        cl = opencl()
        self._refuse_too_large(size, what, in_place=hostbuf is not None)
        given = (self.context, flags, 0 if hostbuf is not None else size, hostbuf)
        try:
            return cl.Buffer(*given)
        except cl.Error as error:
            return self.once_more(error, f"{what}, {in_words(size)}", cl.Buffer, *given)

    def _refuse_too_large(self, size: int, what: str, *, in_place: bool = False) -> None:
        most = self.device.max_allocation
        if size > most:
            raise DeviceError(
                f"{what} needs {in_words(size)} in one buffer, and {self.device.device} allows "
                f"{in_words(most)}: choose a device with a larger one (pointerjump devices)"
            )
        if self.device.host_memory and not in_place:
            memory.require(size, what, memory.LESS_AT_A_TIME)

    def fill(self, buffer: cl.Buffer, value: int, words: int = 1) -> None:
        """Enqueue writing `value` to a buffer's first 32-bit words."""
        enqueue = opencl().enqueue_fill_buffer
        self.attempt("a fill", enqueue, self.queue, buffer, np.int32(value), 0, 4 * words)

    def get(
        self, buffer: cl.Buffer, items: int, dtype: npt.DTypeLike = np.int32, *, first: int = 0
    ) -> npt.NDArray[Any]:
        """Return a host copy of a buffer's items from `first` on, after everything enqueued before."""
        size = items * np.dtype(dtype).itemsize
        memory.require(size, "the answer", memory.LESS_AT_A_TIME)
        array = np.empty(items, dtype)
        if items:
            where = {"src_offset": first * array.itemsize} if first else {}
            self.attempt("a copy", opencl().enqueue_copy, self.queue, array, buffer, **where)
        return array


class Scratch:
    """Buffers for one purpose each, the same ones in every run, because large ones take a GPU long to make.

    What they hold is good until the next run that asks for them.
    """

    def __init__(self) -> None:
        self._buffers: dict[str, tuple[int, cl.Buffer]] = {}

    def buffer(
        self, session: Transfers, purpose: str, items: int, dtype: npt.DTypeLike = np.int32
    ) -> cl.Buffer:
        """Return the buffer for a purpose, which names what it holds, with room for so many items."""
        size = items * np.dtype(dtype).itemsize
        if purpose not in self._buffers or self._buffers[purpose][0] < size:
            self._buffers[purpose] = size, session.empty(items, dtype, f"the array {purpose!r}")
        return self._buffers[purpose][1]
