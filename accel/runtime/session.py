"""One device at work: its context, queue, programs, buffers and launch shapes.

A session is made once per device and kept; programs are built once per file and options. Kernels are
slow to make (a tenth of a millisecond) and are lent: to one user at a time, so that no thread sets
another's arguments.
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
from pointerjump.accel.runtime.icd import opencl, require_own_process
from pointerjump.accel.runtime.probe import telling_line
from pointerjump.accel.runtime.transfer import Scratch, Transfers
from pointerjump.accel.shapes import Shape, Shapes
from pointerjump.accel.tuning import Tuning, tuning_for
from pointerjump.errors import DeviceError

if TYPE_CHECKING:
    import pyopencl as cl

Made = TypeVar("Made")
Done = TypeVar("Done")

of_queues: WeakValueDictionary[int, Session] = WeakValueDictionary()
"""Sessions by the address of their OpenCL queue."""

making = RLock()
"""Held by the one thread that makes a session, a program, or something a session shares."""


class Launch:
    """A kernel with its arguments and shape: calling it enqueues it.

    When the launch goes, its kernel is idle until another one takes it. OpenCL has copied the arguments
    of what was enqueued by then.
    """

    def __init__(
        self, session: Session, kernel: cl.Kernel, idle: list[Any], shape: Shape, arguments: Any
    ) -> None:
        self._kernel = kernel
        self._idle = idle
        self._session = session
        self._where = (session.queue, kernel, shape.global_size, shape.local_size)
        self._arguments = arguments  # OpenCL does not hold on to them
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
        """Return a launch of the kernel called `name`, its arguments set for good."""
        return self._session.launch(self._program, name, shape, *arguments)


class Session(Transfers):
    """A device's context, in-order queue, built programs, launch shapes and buffers.

    Raises
    ------
    DeviceError
        If `queue` may run commands in another order than they are given in.
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
            self.context = queue.context if queue else cl.Context([device.handle])
            self.queue = queue or cl.CommandQueue(self.context)
        except cl.Error as error:
            raise self.failed(error) from None
        self.shapes = Shapes(device, tuning_for(device))
        self._turn = RLock()
        self._programs: dict[tuple[str, tuple[tuple[str, object], ...]], Any] = {}
        self._idle_kernels: dict[tuple[Any, str], list[cl.Kernel]] = {}
        self._shared: dict[Callable[[Session], Any], Any] = {}
        self.scratch = Scratch()
        of_queues[self.queue.int_ptr] = self

    @property
    def tuning(self) -> Tuning:
        """What suits the device: the facts about it that algorithms are selected and launched by."""
        return self.shapes.tuning

    @tuning.setter
    def tuning(self, tuning: Tuning) -> None:
        self.shapes = Shapes(self.device, tuning)

    # -- programs and launches -------------------------------------------------------------------

    def program(self, file: str, **defines: object) -> Any:
        """Return the built program of a kernel file, with these macros defined."""
        key = (file, tuple(defines.items()))
        return made_once(self._programs, key, lambda: self._build(file, defines))

    def _build(self, file: str, defines: Mapping[str, object]) -> Any:
        build_options = programs.options(defines)
        if defines.get("READS_ATOMIC"):
            build_options += relaxed_options(self.device)
        return programs.build(self.context, file, build_options)

    def launch(self, program: Any, name: str, shape: Shape, *arguments: Any) -> Launch:
        """Return a launch of a kernel, its arguments set for good."""
        idle = self._idle_kernels.setdefault((program, name), [])
        try:  # a list's pop needs no lock
            kernel = idle.pop()
        except IndexError:
            kernel = None
        kernel = kernel or self._make_kernel(program, name, *arguments)
        return Launch(self, kernel, idle, shape, arguments)

    def _make_kernel(self, program: Any, name: str, *arguments: Any) -> cl.Kernel:
        """Return a new kernel that takes arguments of these types.

        Told the types of its scalars, pyopencl sets one in a fraction of a microsecond; not told, in five.
        """

        def make() -> cl.Kernel:
            kernel = opencl().Kernel(program, name)
            kernel.set_scalar_arg_dtypes([type(a) if isinstance(a, np.generic) else None for a in arguments])
            return kernel

        return self.attempt(f"the kernel {name}", despite_caches, make)

    def shared(self, make: Callable[[Session], Any]) -> Any:
        """Return what `make` makes for this session: made once, and gone when the session goes."""
        return made_once(self._shared, make, lambda: self.by_pyopencl("a kernel", make, self))

    # -- running -----------------------------------------------------------------------------------

    @contextmanager
    def running(self) -> Iterator[None]:
        """Hold this from preparing a run until its answer is read; one thread at a time can.

        The buffers of a resident, and what the session keeps, are used by one run after the other.
        """
        require_own_process()  # a lock that was held when a process was forked stays locked in the child
        with self._turn:
            try:
                yield
            except opencl().Error as error:  # from within pyopencl's own scans and sorts
                self._let_end()
                raise self.failed(error) from None
            except BaseException:
                self._let_end()
                raise

    def _let_end(self) -> None:
        """Wait for what is enqueued: it may use arrays of the host, which go when an exception passes."""
        with suppress(opencl().Error):
            self.queue.finish()

    def by_pyopencl(self, what: str, work: Callable[..., Done], *arguments: Any, **options: Any) -> Done:
        """Call `work`, which has pyopencl build and enqueue kernels of its own."""
        done: Done = self.attempt(what, build_quietly, work, *arguments, **options)
        return done

    def attempt(self, what: str, work: Callable[..., Done], *arguments: Any, **options: Any) -> Done:
        """Call `work`, which uses pyopencl; if it fails for want of memory, once more with more of it.

        Raises
        ------
        DeviceError
            If OpenCL reports an error. Some drivers only allocate a buffer when a command first uses it.
        """
        try:
            return work(*arguments, **options)
        except opencl().Error as error:
            return self.once_more(error, what, work, *arguments, **options)

    def once_more(
        self, error: Exception, what: str, work: Callable[..., Done], *arguments: Any, **options: Any
    ) -> Done:
        """Make room and call it again, if what it failed with says that memory is short."""
        cl = opencl()
        if not isinstance(error, cl.MemoryError):
            raise self.failed(error) from None
        self._make_room()
        try:
            return work(*arguments, **options)
        except cl.MemoryError as still:
            raise DeviceError(
                f"{self.device.device} has no memory for {what}: {telling_line(still)}; free what lies on "
                "it, or choose a device with more (pointerjump devices)"
            ) from None
        except cl.Error as other:
            raise self.failed(other) from None

    def _make_room(self) -> None:
        """Free the buffers that nobody uses: those lent to nobody, and those of unreachable objects."""
        for idle in list(self._idle_kernels.values()):
            idle.clear()
        self.scratch.clear()
        gc.collect()
        self.finish()  # a buffer stays for as long as commands use it

    def finish(self) -> None:
        """Wait until everything enqueued is done."""
        try:
            self.queue.finish()
        except opencl().Error as error:
            raise self.failed(error) from None

    def failed(self, error: Exception) -> DeviceError:
        """Return the error for work that the device gave up on."""
        why = telling_line(error)
        return DeviceError(
            f"{self.device.device} gave up: {why}; choose another device (pointerjump devices)"
        )


def made_once(made: dict[Any, Any], key: Hashable, make: Callable[[], Made]) -> Made:
    """Return ``made[key]``; if it is not there yet, one thread makes it."""
    if key not in made:
        with making:
            if key not in made:
                made[key] = make()
    found: Made = made[key]
    return found
