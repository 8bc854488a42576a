"""Buffers on a device, and copies to and from them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from pointerjump import memory
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.icd import opencl, require_own_process
from pointerjump.accel.runtime.ring import Ring
from pointerjump.errors import DeviceError
from pointerjump.memory import in_words

if TYPE_CHECKING:
    import pyopencl as cl
    import pyopencl.array as cl_array

Done = TypeVar("Done")

RING_FROM, BACK_FROM = 1 << 20, 1 << 24
"""From these sizes on, in bytes, arrays go to a device through the ring, and come back through it. Smaller
ones do not pay for waking threads."""


class Transfers:
    """What a session does with buffers. Session adds the context, the queue and the handling of errors."""

    device: Device
    context: cl.Context
    queue: cl.CommandQueue

    def attempt(self, what: str, work: Callable[..., Done], *arguments: Any, **options: Any) -> Done:
        """Call `work`, which uses pyopencl, and turn its errors into ours."""
        raise NotImplementedError

    def once_more(
        self, error: Exception, what: str, work: Callable[..., Done], *arguments: Any, **options: Any
    ) -> Done:
        """Handle a failure as :meth:`attempt` does."""
        raise NotImplementedError

    def running(self) -> AbstractContextManager[None]:
        """Reserve the session for one thread."""
        raise NotImplementedError

    @property
    def ring(self) -> Ring:
        """The ring through which arrays stream to the device and back. Use it only while running."""
        raise NotImplementedError

    def through_ring(self, size: int) -> bool:
        """Return whether an array of this size in bytes goes to the device through the ring."""
        return size >= RING_FROM and not self.device.host_memory

    def put(self, array: npt.NDArray[Any], what: str) -> cl.Buffer:
        """Return a buffer that holds `array`; no copy is made if the device shares the host's memory."""
        cl = opencl()
        if array.size == 0:  # OpenCL has no empty buffers
            array = np.zeros(1, array.dtype)
        flags = cl.mem_flags
        if not self.device.host_memory:
            # NVIDIA's driver copies twice if a buffer is initialized when it is made.
            return self.put_writable(array, what)
        # Intel's CPU runtime copies a read-only array unless its address is a multiple of 64, as in Arrow.
        access = flags.READ_WRITE if array.flags.writeable else flags.READ_ONLY
        return self._allocate(array.nbytes, what, access | flags.USE_HOST_PTR, array)

    def put_writable(self, array: npt.NDArray[Any], what: str) -> cl.Buffer:
        """Return a new read-write buffer with a copy of `array`."""
        buffer = self.empty(array.size, array.dtype, what)
        self.copy_into(buffer, array)
        return buffer

    def read_in_place(self, buffer: cl.Buffer, array: npt.NDArray[Any]) -> bool:
        """Wait until the array that a buffer uses in place holds what kernels wrote.

        Return whether it does: some drivers copy the array all the same.
        """
        cl = opencl()
        shape = (buffer.size,)
        mapped, _ = self.attempt(
            "a look", cl.enqueue_map_buffer, self.queue, buffer, cl.map_flags.READ, 0, shape, np.uint8
        )
        in_place = bool(mapped.ctypes.data == array.ctypes.data)
        mapped.base.release(self.queue)
        return in_place

    def copy_into(self, buffer: cl.Buffer, array: npt.NDArray[Any]) -> None:
        """Copy `array` to the beginning of a buffer. Afterwards it may change."""
        if self.through_ring(array.nbytes):
            with self.running():
                self.attempt("a copy", self.ring.upload, buffer, array)
        elif array.size:
            self.attempt("a copy", opencl().enqueue_copy, self.queue, buffer, array)

    def wait_for(self, event: cl.Event) -> None:
        """Let whatever is enqueued from now on wait for an event."""
        self.attempt("a barrier", opencl().enqueue_barrier, self.queue, wait_for=[event])

    def copy(self, to: cl.Buffer, given: cl.Buffer, words: int) -> None:
        """Enqueue copying the first 32-bit words of one buffer to another."""
        self.copy_bytes(to, given, 4 * words)

    def copy_bytes(self, to: cl.Buffer, given: cl.Buffer, size: int, *, first: int = 0) -> None:
        """Enqueue copying the first `size` bytes of one buffer to another, from byte `first` of that on."""
        if size:
            enqueue = opencl().enqueue_copy
            self.attempt("a copy", enqueue, self.queue, to, given, byte_count=size, dst_offset=first)

    def copy_of(self, given: cl.Buffer, words: int, what: str) -> cl.Buffer:
        """Return a new buffer with a copy of another buffer's first 32-bit words."""
        own = self.empty(words, np.int32, what)
        self.copy(own, given, words)
        return own

    def array(self, buffer: cl.Buffer, items: int) -> cl_array.Array:
        """Return a buffer's first `items` int32 as a pyopencl array."""
        import pyopencl.array as cl_array

        return cl_array.Array(self.queue, (items,), np.int32, data=buffer if items else None)

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
                f"{in_words(most)}: choose a device that allows more (pointerjump devices)"
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
        """Return a host copy of a buffer's items from `first` on, once all earlier commands are done."""
        size = items * np.dtype(dtype).itemsize
        memory.require(size, "the answer", memory.LESS_AT_A_TIME)
        array = np.empty(items, dtype)
        self.get_into(array, buffer, first=first)
        return array

    def get_into(self, array: npt.NDArray[Any], buffer: cl.Buffer, *, first: int = 0) -> None:
        """Copy a buffer's items from `first` on to a contiguous array, once all earlier commands are done."""
        if array.nbytes >= BACK_FROM and not self.device.host_memory:
            with self.running():
                self.attempt("a copy", self.ring.download, array, buffer, first * array.itemsize)
        elif array.size:
            require_own_process()  # in a forked child, the copy would never end
            where = {"src_offset": first * array.itemsize} if first else {}
            self.attempt("a copy", opencl().enqueue_copy, self.queue, array, buffer, **where)

    def glance(
        self, buffer: cl.Buffer, items: int, dtype: npt.DTypeLike, after: cl.Event
    ) -> npt.NDArray[Any]:
        """Return a host copy of a small buffer once an event is over; what comes later may go on."""
        array = np.empty(items, dtype)
        given = (self.beside, array, buffer)
        self.attempt("a copy", opencl().enqueue_copy, *given, wait_for=[after])
        return array

    @property
    def beside(self) -> cl.CommandQueue:
        """A second queue, for what need not wait for the first one."""
        raise NotImplementedError


class Scratch:
    """Buffers that runs share, one for each purpose: on a GPU, making a large buffer takes long.

    Their contents are valid until the next run that asks for them.
    """

    def __init__(self) -> None:
        self._buffers: dict[str, tuple[int, cl.Buffer]] = {}
        self._idle: dict[str, list[cl.Buffer]] = {}

    def buffer(
        self, session: Transfers, purpose: str, items: int, dtype: npt.DTypeLike = np.int32
    ) -> cl.Buffer:
        """Return the buffer for a purpose, such as "ranks", with room for at least `items` items."""
        size = items * np.dtype(dtype).itemsize
        if purpose not in self._buffers or self._buffers[purpose][0] < size:
            self._buffers[purpose] = size, session.empty(items, dtype, f"the array {purpose!r}")
        return self._buffers[purpose][1]

    def borrow(self, session: Transfers, purpose: str, size: int) -> cl.Buffer:
        """Return a buffer of `size` bytes that nobody else gets before it is given back."""
        idle = self._idle.setdefault(purpose, [])
        while idle:
            buffer = idle.pop()
            if buffer.size == size:
                return buffer
        return session.empty(size, np.uint8, purpose)

    def give_back(self, purpose: str, buffer: cl.Buffer) -> None:
        """Let the next one have a buffer that was borrowed for a purpose."""
        self._idle.setdefault(purpose, []).append(buffer)

    def clear(self) -> None:
        """Forget all buffers. One that a run still uses lives until that run is over."""
        self._buffers.clear()
        self._idle.clear()
