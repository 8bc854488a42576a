"""One device at work: its context, queue, programs, buffers and launch shapes.

A session is made once per device and kept; programs are built once per file and options. Kernels are
slow to make (a tenth of a millisecond) and are lent: to one user at a time, so that no thread sets
another's arguments.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from pointerjump import memory
from pointerjump.accel.launch import Launcher, Shape
from pointerjump.accel.runtime import programs
from pointerjump.accel.runtime.caches import despite_caches
from pointerjump.accel.runtime.compiler import build_quietly
from pointerjump.accel.runtime.devices import Device, choose, relaxed_options
from pointerjump.accel.runtime.icd import opencl, require_own_process
from pointerjump.accel.runtime.probe import telling_line
from pointerjump.errors import DeviceError
from pointerjump.memory import in_words
from pointerjump.registry import Algorithm

if TYPE_CHECKING:
    import pyopencl as cl
    import pyopencl.array as cl_array

Lent = TypeVar("Lent")
Done = TypeVar("Done")


_of_queues: WeakValueDictionary[int, Session] = WeakValueDictionary()  # by the OpenCL queue's address
_making = RLock()  # one thread at a time makes a session, a program, or what a session keeps


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


class Session:
    """A device's context, in-order queue, built programs and launch shapes.

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
        self.launcher = Launcher(device)
        self._turn = RLock()
        self._programs: dict[tuple[str, tuple[str, ...]], Any] = {}
        self._idle: dict[Hashable, list[Any]] = {}
        self._kept: dict[Callable[[Session], Any], Any] = {}
        _of_queues[self.queue.int_ptr] = self

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
        return _made_once(self._programs, key, lambda: programs.build(self.context, file, build_options))

    def launch(self, program: Any, name: str, shape: Shape, *arguments: Any) -> Launch:
        """Return a launch of a kernel, its arguments set for good."""
        idle = self._idle_list((program, name))
        kernel = _take(idle, lambda: self.make_kernel(program, name, *arguments))
        return Launch(self, kernel, idle, shape, arguments)

    def make_kernel(self, program: Any, name: str, *arguments: Any) -> cl.Kernel:
        """Return a new kernel that takes arguments of these types.

        Told the types of its scalars, pyopencl sets one in a fraction of a microsecond; not told, in five.
        """

        def make() -> cl.Kernel:
            kernel = opencl().Kernel(program, name)
            kernel.set_scalar_arg_dtypes([type(a) if isinstance(a, np.generic) else None for a in arguments])
            return kernel

        return self.attempt(f"the kernel {name}", despite_caches, make)

    @contextmanager
    def lent(self, key: Hashable, make: Callable[[], Lent]) -> Iterator[Lent]:
        """Lend what `make` makes to one user at a time, and keep it for the next that names `key`."""
        idle = self._idle_list(key)
        thing = _take(idle, make)
        try:
            yield thing
        except BaseException:
            self._let_end()
            raise
        finally:
            idle.append(thing)

    def _idle_list(self, key: Hashable) -> list[Any]:
        return self._idle.setdefault(key, [])

    def kept(self, make: Callable[[Session], Any]) -> Any:
        """Return what `make` makes for this session, made once and kept no longer than the session."""
        return _made_once(self._kept, make, lambda: self.by_pyopencl("a kernel", make, self))

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
        for idle in list(self._idle.values()):
            idle.clear()
        gc.collect()
        self.finish()  # a buffer stays for as long as commands use it

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
        return self.attempt(f"{what}, {in_words(size)}", cl.Buffer, *given)

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


def _take(idle: list[Lent], make: Callable[[], Lent]) -> Lent:
    """Return one of those that are idle, or else a new one."""
    try:  # a list's pop needs no lock
        return idle.pop()
    except IndexError:
        return make()


def _made_once(made: dict[Any, Any], key: Hashable, make: Callable[[], Done]) -> Done:
    """Return ``made[key]``, made by one thread if it is not there yet."""
    if key not in made:
        with _making:
            if key not in made:
                made[key] = make()
    found: Done = made[key]
    return found


_sessions: dict[Device, Session] = {}
_asked_before: dict[Hashable, Session] = {}


def session_for(device: object = None) -> Session:
    """Return the session of the device that `device` names, as `devices.choose` takes it.

    A pyopencl command queue has a session of its own, so that work goes where the caller's does. It is the
    same each time, and goes when the queue does.
    """
    require_own_process()
    if isinstance(device, Session):
        return device
    if device is None or isinstance(device, str):  # looked for once: it takes longer than a small graph
        question: Hashable = device
        if device is None:
            question = (os.environ.get("PYOPENCL_TEST"), os.environ.get("PYOPENCL_CTX"))
        if question not in _asked_before:
            _asked_before[question] = _session_of(choose(device))
        return _asked_before[question]
    if isinstance(device, opencl().CommandQueue):
        return _session_of_queue(device)
    return _session_of(choose(device))


def _session_of(device: Device) -> Session:
    return _made_once(_sessions, device, lambda: Session(device))


def _session_of_queue(queue: Any) -> Session:
    """Return the session of a queue of the caller's, which holds it.

    pyopencl's queues take attributes, but no weak references. The session has a queue object of its own for
    the same OpenCL queue, so the two do not hold each other.
    """
    if hasattr(queue, "pointerjump_session"):
        found: Session = queue.pointerjump_session
        return found
    with _making:
        session = _of_queues.get(queue.int_ptr) or _session_on(queue)
        if session.queue is not queue:
            queue.pointerjump_session = session
    return session


def _session_on(queue: Any) -> Session:
    cl = opencl()
    try:
        own = cl.CommandQueue.from_int_ptr(queue.int_ptr, retain=True)
        return Session(choose(queue), own)
    except cl.Error as error:
        raise DeviceError(
            f"the command queue cannot be used: {telling_line(error)}; make a new one"
        ) from None


def require_same_device(resident: Session, device: object, what: str) -> None:
    """Refuse another device than that of a resident's session, if one is named.

    `what` begins the message, as in "the graph is".
    """
    if device is None:
        return
    here, asked = resident.device, session_for(device).device
    if asked != here:
        raise DeviceError(f"{what} on {here}, not on {asked}: leave device out, or give the original instead")
