"""One device at work: its context, queue, programs, buffers and launch shapes.

A session is made once per device and kept; programs are built once per file and options. Kernels are
slow to make (a tenth of a millisecond) and are lent: to one user at a time, so that no thread sets
another's arguments.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from pointerjump.accel import programs
from pointerjump.accel.devices import Device, choose, relaxed_options
from pointerjump.accel.drivers import opencl
from pointerjump.accel.launch import Launcher, Shape
from pointerjump.errors import DeviceError
from pointerjump.registry import Algorithm

if TYPE_CHECKING:
    import pyopencl as cl

Lent = TypeVar("Lent")

_making = Lock()  # one thread at a time makes a session or a program


class Launch:
    """A kernel with its arguments and shape: calling it enqueues it.

    When the launch goes, its kernel is idle until another one takes it. OpenCL has copied the arguments
    of what was enqueued by then.
    """

    def __init__(
        self, queue: cl.CommandQueue, kernel: cl.Kernel, idle: list[Any], shape: Shape, arguments: Any
    ) -> None:
        self._kernel = kernel
        self._idle = idle
        self._where = (queue, kernel, shape.global_size, shape.local_size)
        self._arguments = arguments  # OpenCL does not hold on to them
        self._enqueue = opencl().enqueue_nd_range_kernel
        kernel.set_args(*arguments)

    def __call__(self) -> Any:
        """Enqueue it; return the event."""
        return self._enqueue(*self._where)

    def __del__(self) -> None:
        self._idle.append(self._kernel)


class Session:
    """A device's context, in-order queue, built programs and launch shapes."""

    def __init__(self, device: Device, queue: cl.CommandQueue | None = None) -> None:
        cl = opencl()
        self.device = device
        self.context = queue.context if queue else cl.Context([device.handle])
        self.queue = queue or cl.CommandQueue(self.context)
        self.launcher = Launcher(device)
        self.running = Lock()  # held until an answer is read that lies in a buffer others may share
        self._programs: dict[tuple[str, tuple[str, ...]], Any] = {}
        self._idle: dict[Hashable, list[Any]] = {}
        self._kept: dict[Callable[[Session], Any], Any] = {}

    def variant(self, row: Algorithm, choices: Mapping[str, object]) -> dict[str, Any]:
        """Return `choices` checked, with this device's defaults where its launch table has them."""
        given = row.variant("kernels", choices)
        return {  # None where the driver decides
            axis.name: given.get(axis.name, getattr(self.launcher.tuning, axis.name, None))
            for axis in row.axes_of("kernels")
        }

    # -- programs and launches -------------------------------------------------------------------

    def program(self, file: str, **defines: object) -> Any:
        """Return the built program of a kernel file, with these macros defined."""
        build_options = programs.options(defines)
        if defines.get("READS_ATOMIC"):
            build_options += relaxed_options(self.device)
        key = (file, tuple(build_options))
        if key not in self._programs:
            with _making:
                self._programs[key] = programs.build(self.context, file, build_options)
        return self._programs[key]

    def launch(self, program: Any, name: str, shape: Shape, *arguments: Any) -> Launch:
        """Return a launch of a kernel, its arguments set for good."""
        idle = self._idle_list((program, name))
        kernel = _take(idle, lambda: make_kernel(program, name, *arguments))
        return Launch(self.queue, kernel, idle, shape, arguments)

    @contextmanager
    def lent(self, key: Hashable, make: Callable[[], Lent]) -> Iterator[Lent]:
        """Lend what `make` makes to one user at a time, and keep it for the next that names `key`."""
        idle = self._idle_list(key)
        thing = _take(idle, make)
        try:
            yield thing
        finally:
            idle.append(thing)

    def _idle_list(self, key: Hashable) -> list[Any]:
        return self._idle.setdefault(key, [])

    def kept(self, make: Callable[[Session], Any]) -> Any:
        """Return what `make` makes for this session, made once and kept no longer than the session."""
        if make not in self._kept:
            self._kept[make] = make(self)
        return self._kept[make]

    # -- buffers ---------------------------------------------------------------------------------

    def put(self, array: npt.NDArray[Any], what: str) -> cl.Buffer:
        """Return a buffer of `array`: in place where the device shares the host's memory."""
        cl = opencl()
        if array.size == 0:  # OpenCL has no empty buffers
            array = np.zeros(1, array.dtype)
        flags = cl.mem_flags
        if not self.device.host_memory:
            # NVIDIA's driver copies memory twice when a buffer is made of it: 268 MB in 157 ms, so in 30.
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
            opencl().enqueue_copy(self.queue, buffer, array)

    def copy(self, to: cl.Buffer, given: cl.Buffer, words: int) -> None:
        """Enqueue copying the first 32-bit words of one buffer to another."""
        if words:
            opencl().enqueue_copy(self.queue, to, given, byte_count=4 * words)

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

    def fill(self, buffer: cl.Buffer, value: int, words: int = 1) -> None:
        """Enqueue writing `value` to a buffer's first 32-bit words."""
        opencl().enqueue_fill_buffer(self.queue, buffer, np.int32(value), 0, 4 * words)

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


def make_kernel(program: Any, name: str, *arguments: Any) -> cl.Kernel:
    """Return a new kernel that takes arguments of these types.

    Told the types of its scalars, pyopencl sets one in a fraction of a microsecond; not told, in five.
    """
    kernel = opencl().Kernel(program, name)
    kernel.set_scalar_arg_dtypes([type(a) if isinstance(a, np.generic) else None for a in arguments])
    return kernel


def _take(idle: list[Lent], make: Callable[[], Lent]) -> Lent:
    """Return one of those that are idle, or else a new one."""
    try:  # a list's pop needs no lock
        return idle.pop()
    except IndexError:
        return make()


_sessions: dict[Device, Session] = {}
_asked_before: dict[Hashable, Session] = {}


def session_for(device: object = None) -> Session:
    """Return the session of the device that `device` names (see :func:`~pointerjump.accel.devices.choose`).

    A pyopencl command queue gets a session of its own, so that work goes where the caller's does.
    """
    if isinstance(device, Session):
        return device
    if device is None or isinstance(device, str):  # looked for once: it takes longer than a small graph
        question: Hashable = device
        if device is None:
            question = (os.environ.get("PYOPENCL_TEST"), os.environ.get("PYOPENCL_CTX"))
        if question not in _asked_before:
            _asked_before[question] = _session_of(choose(device))
        return _asked_before[question]
    chosen = choose(device)
    return Session(chosen, device) if type(device).__name__ == "CommandQueue" else _session_of(chosen)


def _session_of(device: Device) -> Session:
    with _making:
        if device not in _sessions:
            _sessions[device] = Session(device)
    return _sessions[device]


def _gib(size: int) -> str:
    return f"{size / 2**30:.2f} GiB"
