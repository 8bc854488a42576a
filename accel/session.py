"""One device at work: its context, queue, programs, buffers and launch shapes.

A session is made once per device and kept; programs are built once per file and options.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel import programs
from pointerjump.accel.devices import Device, build_standard, choose
from pointerjump.accel.drivers import opencl
from pointerjump.accel.launch import Launcher, Shape
from pointerjump.errors import DeviceError

if TYPE_CHECKING:
    import pyopencl as cl

Launch = Callable[[], Any]
"""A kernel with its arguments and shape: calling it enqueues it and returns the event."""


class Session:
    """A device's context, in-order queue, built programs and launch shapes."""

    def __init__(self, device: Device, queue: cl.CommandQueue | None = None) -> None:
        cl = opencl()
        self.device = device
        self.context = queue.context if queue else cl.Context([device.handle])
        self.queue = queue or cl.CommandQueue(self.context)
        self.launcher = Launcher(device)
        self._programs: dict[tuple[str, tuple[str, ...]], Any] = {}

    # -- programs and launches -------------------------------------------------------------------

    def program(self, file: str, **defines: object) -> Any:
        """Return the built program of a kernel file, with these macros defined."""
        build_options = programs.options(defines)
        if defines.get("READS_ATOMIC") and self.device.relaxed_atomics:
            build_options += ["-DHAS_C11_ATOMICS", build_standard(self.device)]
        key = (file, tuple(build_options))
        if key not in self._programs:
            self._programs[key] = programs.build(self.context, file, build_options)
        return self._programs[key]

    def launch(self, program: Any, name: str, shape: Shape, *arguments: Any) -> Launch:
        """Return a launch of a kernel, its arguments set for good."""
        kernel = opencl().Kernel(program, name)  # its own object: arguments stay set
        kernel.set_args(*arguments)
        enqueue, queue = opencl().enqueue_nd_range_kernel, self.queue

        def launched(_keep_alive: Any = arguments) -> Any:  # OpenCL does not hold on to its arguments
            return enqueue(queue, kernel, shape.global_size, shape.local_size)

        return launched

    # -- buffers ---------------------------------------------------------------------------------

    def put(self, array: npt.NDArray[Any], what: str) -> cl.Buffer:
        """Return a buffer of `array`: in place where the device shares the host's memory."""
        cl = opencl()
        if array.size == 0:  # OpenCL has no empty buffers
            array = np.zeros(1, array.dtype)
        flags = cl.mem_flags
        if not self.device.host_memory:
            return self._allocate(array.nbytes, what, flags.READ_ONLY | flags.COPY_HOST_PTR, array)
        # Intel's CPU runtime copies what is read-only, unless its address is a multiple of 64, as Arrow's is.
        access = flags.READ_WRITE if array.flags.writeable else flags.READ_ONLY
        return self._allocate(array.nbytes, what, access | flags.USE_HOST_PTR, array)

    def put_writable(self, array: npt.NDArray[Any], what: str) -> cl.Buffer:
        """Return a read-write buffer that begins as a copy of `array`."""
        buffer = self.empty(array.size, array.dtype, what)
        if array.size:
            opencl().enqueue_copy(self.queue, buffer, array)
        return buffer

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
        if size > self.device.max_allocation:
            raise DeviceError(
                f"{what} needs {_gib(size)} in one buffer, and {self.device.device} allows "
                f"{_gib(self.device.max_allocation)}: choose a device with a larger one (pointerjump devices)"
            )
        try:
            return cl.Buffer(self.context, flags, 0 if hostbuf is not None else size, hostbuf)
        except cl.Error as error:
            raise DeviceError(
                f"{self.device.device} cannot hold {what}, {_gib(size)}: {error}; choose a device with "
                "more memory (pointerjump devices)"
            ) from None

    def fill(self, buffer: cl.Buffer, value: int) -> None:
        """Enqueue writing `value` to a buffer's first 32-bit word."""
        opencl().enqueue_fill_buffer(self.queue, buffer, np.int32(value), 0, 4)

    def get(self, buffer: cl.Buffer, items: int, dtype: npt.DTypeLike = np.int32) -> npt.NDArray[Any]:
        """Return a host copy of a buffer, after everything enqueued before."""
        array = np.empty(items, dtype)
        if items:
            try:
                opencl().enqueue_copy(self.queue, array, buffer)
            except opencl().Error as error:
                raise self.failed(error) from None
        return array

    def finish(self) -> None:
        """Wait until everything enqueued is done."""
        try:
            self.queue.finish()
        except opencl().Error as error:
            raise self.failed(error) from None

    def failed(self, error: Exception) -> DeviceError:
        """Return the error for work that the device gave up on."""
        return DeviceError(
            f"{self.device.device} gave up: {error}; choose another device (pointerjump devices)"
        )


_sessions: dict[Device, Session] = {}


def session_for(device: object = None) -> Session:
    """Return the session of the device that `device` names (see :func:`~pointerjump.accel.devices.choose`).

    A pyopencl command queue gets a session of its own, so that work goes where the caller's does.
    """
    if isinstance(device, Session):
        return device
    chosen = choose(device)
    if type(device).__name__ == "CommandQueue":
        return Session(chosen, device)
    if chosen not in _sessions:
        _sessions[chosen] = Session(chosen)
    return _sessions[chosen]


def _gib(size: int) -> str:
    return f"{size / 2**30:.2f} GiB"
