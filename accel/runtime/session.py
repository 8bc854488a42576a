"""A session: a device's context, queue, programs, buffers and launch shapes.

There is one session per device. It builds each program once per set of options. Making a kernel object takes
a tenth of a millisecond, so kernels are kept and reused. Each has one user at a time, so that no thread sets
another thread's arguments.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from pointerjump.accel.runtime import programs
from pointerjump.accel.runtime.caches import despite_caches
from pointerjump.accel.runtime.compiler import build_quietly
from pointerjump.accel.runtime.devices import Device, relaxed_options
from pointerjump.accel.runtime.icd import context_of, opencl, require_own_process
from pointerjump.accel.runtime.probe import telling_line
from pointerjump.accel.runtime.ring import Ring
from pointerjump.accel.runtime.transfer import Scratch, Transfers
from pointerjump.accel.shapes import SIDE_BY_SIDE, Shape, Shapes
from pointerjump.accel.tuning import Tuning, tuning_for
from pointerjump.errors import DeviceError

if TYPE_CHECKING:
    import pyopencl as cl

Made = TypeVar("Made")
Done = TypeVar("Done")

of_queues: WeakValueDictionary[int, Session] = WeakValueDictionary()
"""Sessions by the address of their OpenCL queue."""

making = RLock()
"""Held while a thread makes a session, a program, or something that a session shares."""


class Launch:
    """A kernel with its arguments and shape: calling it enqueues it.

    When a launch is garbage-collected, its kernel becomes idle, and another launch may take it. That is safe
    even if commands are still waiting to run: OpenCL copied their arguments when they were enqueued.
    """

    def __init__(
        self, session: Session, kernel: cl.Kernel, idle: list[Any], shape: Shape, arguments: Any
    ) -> None:
        self._kernel = kernel
        self._idle = idle
        self._session = session
        self._where = (session.queue, kernel, shape.global_size, shape.local_size)
        self._arguments = arguments  # OpenCL does not keep these objects alive
        self._enqueue = opencl().enqueue_nd_range_kernel
        kernel.set_args(*arguments)

    def __call__(self) -> Any:
        """Enqueue it; return the event."""
        try:
            return self._enqueue(*self._where)
        except opencl().Error as error:
            what = f"the kernel {self._kernel.function_name}"
            return self._session.once_more(error, what, self._enqueue, *self._where)

    def __del__(self) -> None:
        self._idle.append(self._kernel)


class Kernels:
    """The kernels of one program: calling it with a name, a shape and arguments makes a launch."""

    def __init__(self, session: Session, file: str, defines: Mapping[str, object]) -> None:
        self._session = session
        self._program = session.program(file, **defines)

    def __call__(self, name: str, shape: Shape, *arguments: Any) -> Launch:
        """Return a launch of the kernel called `name`, with its arguments set."""
        return self._session.launch(self._program, name, shape, *arguments)


class Session(Transfers):
    """A device's context, in-order queue, built programs, launch shapes and buffers.

    Raises
    ------
    DeviceError
        If `queue` may run commands out of order, or its context is gone.
    """

    def __init__(self, device: Device, queue: cl.CommandQueue | None = None) -> None:
        cl = opencl()
        if queue and queue.properties & cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE:
            raise DeviceError(
                "the command queue is out of order, and each kernel here needs the one before it: give an "
                "in-order queue, or the queue's context"
            )
        self.device = device
        try:
            self.context = context_of(queue) if queue else cl.Context([device.handle])
            self.queue = queue or cl.CommandQueue(self.context)
        except cl.Error as error:
            raise self.failed(error) from None
        self.shapes = Shapes(device, tuning_for(device))
        self._turn = RLock()
        self._programs: dict[tuple[str, tuple[tuple[str, object], ...]], Any] = {}
        self._idle_kernels: dict[tuple[int, str], list[Any]] = {}
        self._shared: dict[Callable[[Session], Any], Any] = {}
        self._ring: Ring | None = None
        self._beside: Any = None
        self.scratch = Scratch()
        of_queues[self.queue.int_ptr] = self

    @property
    def tuning(self) -> Tuning:
        """What suits the device: the facts that decide which algorithm runs, and how it is launched."""
        return self.shapes.tuning

    @tuning.setter
    def tuning(self, tuning: Tuning) -> None:
        self.shapes = Shapes(self.device, tuning)

    # -- programs and launches -------------------------------------------------------------------

    def program(self, file: str, **defines: object) -> Any:
        """Return the program of a kernel file, built with these macros."""
        key = (file, tuple(defines.items()))
        return made_once(self._programs, key, lambda: self._build(file, defines))

    def _build(self, file: str, defines: Mapping[str, object]) -> Any:
        build_options = programs.options(defines)
        if defines.get("READS_ATOMIC"):
            build_options += relaxed_options(self.device)
        return programs.build(self.context, file, build_options)

    def kernels(self, file: str, access: str | None = None, **macros: object) -> Kernels:
        """Return the kernels of a file.

        `access` says which items a work-item takes; the default is what suits the device. The other macros
        are the file's own.
        """
        partitioning = (access or self.tuning.access) == "partitioning"
        sharing = (
            {"PARTITIONING": self.shapes.items_per_unit} if partitioning else {"SIDE_BY_SIDE": SIDE_BY_SIDE}
        )
        return Kernels(self, file, {**sharing, **macros})

    def launch(self, program: Any, name: str, shape: Shape, *arguments: Any) -> Launch:
        """Return a launch of a kernel, with its arguments set."""
        idle = self._idle_kernels.setdefault((program.int_ptr, name), [])
        try:  # a list's pop needs no lock
            kernel = idle.pop()
        except IndexError:
            kernel = None
        kernel = kernel or self._make_kernel(program, name, *arguments)
        return Launch(self, kernel, idle, shape, arguments)

    def _make_kernel(self, program: Any, name: str, *arguments: Any) -> cl.Kernel:
        """Return a new kernel that takes arguments of these types.

        Setting a scalar argument takes pyopencl five microseconds, or a fraction of one if it knows the
        type beforehand.
        """

        def make() -> cl.Kernel:
            kernel = opencl().Kernel(program, name)
            kernel.set_scalar_arg_dtypes([type(a) if isinstance(a, np.generic) else None for a in arguments])
            return kernel

        return self.attempt(f"the kernel {name}", despite_caches, make)

    def shared(self, make: Callable[[Session], Any]) -> Any:
        """Return what `make` makes for this session; it is made once and kept as long as the session."""
        return made_once(self._shared, make, lambda: self.by_pyopencl("a kernel", make, self))

    @property
    def beside(self) -> cl.CommandQueue:
        """A second queue, for what need not wait for the first one."""
        if self._beside is None:
            self._beside = self.attempt("a queue", opencl().CommandQueue, self.context, self.queue.device)
        return self._beside

    @property
    def ring(self) -> Ring:
        """The ring through which arrays stream to the device and back. Use it only while running."""
        if self._ring is None:
            self._ring = self._make_ring()
        return self._ring

    def _make_ring(self) -> Ring:
        def make(*, in_place: bool) -> Ring:
            return self.attempt("a ring of buffers", Ring, self.context, self.queue, in_place=in_place)

        ring = make(in_place=self.device.host_memory)
        return ring if ring.shows_what_is_written() else make(in_place=False)

    # -- running -----------------------------------------------------------------------------------

    @contextmanager
    def running(self) -> Iterator[None]:
        """Reserve the session for one thread, from preparing a run until its answer has been read.

        Runs share the buffers of residents and of the session, so they must take turns.
        """
        require_own_process()  # in a forked child, a lock that was held stays locked
        with self._turn:
            try:
                yield
            except opencl().Error as error:  # from pyopencl's own scans and sorts
                self._let_end()
                raise self.failed(error) from None
            except BaseException:
                self._let_end()
                raise

    def _let_end(self) -> None:
        """Wait for what is enqueued: it may use host arrays that are freed as the exception propagates."""
        with suppress(opencl().Error):
            self.queue.finish()

    def by_pyopencl(self, what: str, work: Callable[..., Done], *arguments: Any, **options: Any) -> Done:
        """Call `work`, which lets pyopencl build and enqueue its own kernels."""
        done: Done = self.attempt(what, build_quietly, work, *arguments, **options)
        return done

    def attempt(self, what: str, work: Callable[..., Done], *arguments: Any, **options: Any) -> Done:
        """Call `work`, which uses pyopencl. If memory runs out, free some and call it again.

        Raises
        ------
        DeviceError
            If OpenCL reports an error. Memory may run out in any command: some drivers allocate a buffer
            only when a command first uses it.
        """
        try:
            return work(*arguments, **options)
        except opencl().Error as error:
            return self.once_more(error, what, work, *arguments, **options)

    def once_more(
        self, error: Exception, what: str, work: Callable[..., Done], *arguments: Any, **options: Any
    ) -> Done:
        """Free memory and call `work` again, if `error` says that memory ran out."""
        cl = opencl()
        if not isinstance(error, cl.MemoryError):
            raise self.failed(error) from None
        self._make_room()
        try:
            return work(*arguments, **options)
        except cl.MemoryError as still:
            raise DeviceError(
                f"{self.device.device} has no memory for {what}: {telling_line(still)}; free what is on "
                "it, or choose a device with more (pointerjump devices)"
            ) from None
        except cl.Error as other:
            raise self.failed(other) from None

    def _make_room(self) -> None:
        """Free the buffers that nobody uses: scratch, arguments of idle kernels, and unreachable objects."""
        for idle in list(self._idle_kernels.values()):
            idle.clear()
        self.scratch.clear()
        gc.collect()
        self.finish()  # OpenCL frees a buffer only when no command uses it

    def finish(self) -> None:
        """Wait until everything enqueued is done."""
        try:
            self.queue.finish()
        except opencl().Error as error:
            raise self.failed(error) from None

    def failed(self, error: Exception) -> DeviceError:
        """Return our error for one that OpenCL reported."""
        why = telling_line(error)
        return DeviceError(
            f"{self.device.device} gave up: {why}; choose another device (pointerjump devices)"
        )


def made_once(made: dict[Any, Any], key: Hashable, make: Callable[[], Made]) -> Made:
    """Return ``made[key]``; if it is missing, make it, in one thread only."""
    if key not in made:
        with making:
            if key not in made:
                made[key] = make()
    found: Made = made[key]
    return found
