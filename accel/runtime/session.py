"""A session: the context, queue, programs, buffers and launch shapes of a device.

A session builds each program once per set of options. Creating a kernel object takes a tenth of a
millisecond, so kernels are reused. Each kernel object has only one user at a time, so threads never overwrite
each other's arguments.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from weakref import WeakValueDictionary, finalize

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime import programs
from pointerjump.accel.runtime.devices import Device, relaxed_options
from pointerjump.accel.runtime.icd import context_of, opencl, require_own_process
from pointerjump.accel.runtime.programs import build_quietly, despite_caches, telling_line
from pointerjump.accel.runtime.ring import Ring
from pointerjump.accel.shapes import SIDE_BY_SIDE, Shape, Shapes
from pointerjump.accel.tuning import Tuning, tuning_for
from pointerjump.base import memory
from pointerjump.base.memory import in_words
from pointerjump.errors import DeviceError

if TYPE_CHECKING:
    import pyopencl as cl
    import pyopencl.array as cl_array

Done = TypeVar("Done")

Buffer: TypeAlias = Any
Event: TypeAlias = Any
"""Aliases for pyopencl's types, because pyopencl is imported late and has no type annotations."""

KeptBuffers = dict[str, tuple[int, Any]]
"""The buffers that runs share: for each purpose, the size of a buffer in bytes, and the buffer."""

RING_FROM, BACK_FROM = 1 << 20, 1 << 24
"""The minimum sizes, in bytes, of arrays that are copied through the ring: to a device, and back to the host.
For smaller arrays, it is not worth waking threads."""

IN_PLACE_UP_TO = 1 << 20
"""On CPUs, scratch buffers of up to this size in bytes are read in place. A copy command takes ten
microseconds, whereas NumPy copies a few thousand items in one microsecond."""

of_queues: WeakValueDictionary[int, Session] = WeakValueDictionary()
"""Sessions by the address of their OpenCL queue."""

making = RLock()
"""A lock that is held while a thread creates a session, a program or another object that a session shares."""


class Launch:
    """A kernel with its arguments and shape. Calling the object enqueues the kernel.

    When a launch is garbage-collected, its kernel may be reused by another launch. This is safe even if
    commands are still waiting to run, because OpenCL copied their arguments when they were enqueued.
    """

    __slots__ = ("_arguments", "_idle", "_kernel", "_session", "_where")

    def __init__(
        self, session: Session, kernel: cl.Kernel, idle: list[Any], shape: Shape, arguments: Any
    ) -> None:
        self._kernel = kernel
        self._idle = idle
        self._session = session
        self._where = (session.queue, kernel, shape.global_size, shape.local_size)
        self._arguments = arguments  # OpenCL does not keep these objects alive
        kernel.set_args(*arguments)

    def __call__(self) -> Any:
        cl = opencl()
        try:
            return cl.enqueue_nd_range_kernel(*self._where)
        except cl.Error as error:
            what = f"the kernel {self._kernel.function_name}"
            return self._session.once_more(error, what, cl.enqueue_nd_range_kernel, *self._where)

    def again(self, *first: np.generic) -> Any:
        """Enqueue the kernel with other values for its first arguments.

        Setting a few arguments takes much less time than creating another `Launch`.
        """
        self.set(*first)
        return self()

    def set(self, *first: np.generic) -> None:
        """Set the first arguments of the kernel."""
        for place, value in enumerate(first):
            self._kernel.set_arg(place, value)

    def __del__(self) -> None:
        self._idle.append(self._kernel)


Kernels = Callable[..., Launch]
"""A function that returns a launch of one of a program's kernels. It is called with the name of the kernel,
the shape of the launch and the arguments of the kernel."""


class Session:
    """The context, in-order queue, compiled programs, launch shapes and buffers of a device."""

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
        self._asked_before: dict[tuple[Any, ...], Any] = {}
        self._idle_kernels: dict[tuple[int, str], list[Any]] = {}
        self._shared: dict[Callable[[Session], Any], Any] = {}
        self._scratch: KeptBuffers = {}
        self._idle_buffers: dict[str, list[Any]] = {}
        of_queues[self.queue.int_ptr] = self

    @property
    def tuning(self) -> Tuning:
        """The parameters that decide which algorithm runs on the device and how kernels are launched."""
        return self.shapes.tuning

    @tuning.setter
    def tuning(self, tuning: Tuning) -> None:
        self.shapes = Shapes(self.device, tuning)

    # -- programs and launches -------------------------------------------------------------------

    def kernels(self, file: str, access: str | None = None, **macros: object) -> Kernels:
        """Return a function that creates launches of an OpenCL file's kernels.

        `access` decides which items each work-item processes. By default, this depends on the device. All
        other keyword arguments define macros.
        """
        shapes = self.shapes
        key = (file, access, shapes, *macros.items())
        program = self._asked_before.get(key)
        if program is None:
            if (access or shapes.tuning.access) == "partitioning":
                program = self.program(file, PARTITIONING=shapes.items_per_unit, **macros)
            else:
                program = self.program(file, SIDE_BY_SIDE=SIDE_BY_SIDE, **macros)
            self._asked_before[key] = program
        return partial(self.launch, program)

    def program(self, file: str, **defines: object) -> Any:
        key = (file, tuple(defines.items()))
        if key not in self._programs:
            with making:
                if key not in self._programs:
                    atomics = relaxed_options(self.device) if defines.get("READS_ATOMIC") else []
                    options = programs.options(defines) + atomics
                    self._programs[key] = programs.build(self.context, file, options)
        return self._programs[key]

    def launch(self, program: Any, name: str, shape: Shape, *arguments: Any) -> Launch:
        which = (id(program), name)  # programs live as long as the session
        idle = self._idle_kernels.get(which)
        if idle is None:
            idle = self._idle_kernels.setdefault(which, [])
        try:  # a list's pop needs no lock
            kernel = idle.pop()
        except IndexError:
            kernel = None
        kernel = kernel or self._make_kernel(program, name, *arguments)
        return Launch(self, kernel, idle, shape, arguments)

    def _make_kernel(self, program: Any, name: str, *arguments: Any) -> cl.Kernel:
        """Return a new kernel that accepts arguments of the same types as `arguments`.

        pyopencl takes five microseconds to set a scalar argument, but less than one if it knows the
        argument's type.
        """

        def make() -> cl.Kernel:
            kernel = opencl().Kernel(program, name)
            kernel.set_scalar_arg_dtypes([type(a) if isinstance(a, np.generic) else None for a in arguments])
            return kernel

        return self.attempt(f"the kernel {name}", despite_caches, make)

    def shared(self, make: Callable[[Session], Any]) -> Any:
        """Return the object that `make` creates. It is created only once per session."""
        if make not in self._shared:
            with making:
                if make not in self._shared:
                    self._shared[make] = self.by_pyopencl("a kernel", make, self)
        return self._shared[make]

    # -- buffers ----------------------------------------------------------------------------------

    def empty(self, items: int, dtype: npt.DTypeLike, what: str) -> cl.Buffer:
        return self._allocate(max(1, items) * np.dtype(dtype).itemsize, what, opencl().mem_flags.READ_WRITE)

    def put(self, array: npt.NDArray[Any], what: str) -> cl.Buffer:
        """Return a buffer that holds `array`, which is not copied if the device shares the host's memory."""
        if array.size == 0:  # OpenCL has no empty buffers
            array = np.zeros(1, array.dtype)
        if not self.device.host_memory:
            # If a buffer were initialized when made, NVIDIA's driver would copy twice.
            return self.put_writable(array, what)
        flags = opencl().mem_flags
        # Intel's CPU runtime copies a read-only array unless its address is a multiple of the device's
        # CL_DEVICE_MEM_BASE_ADDR_ALIGN: 64 bytes, as in Arrow, or 128.
        access = flags.READ_WRITE if array.flags.writeable else flags.READ_ONLY
        return self._allocate(array.nbytes, what, access | flags.USE_HOST_PTR, array)

    def put_writable(self, array: npt.NDArray[Any], what: str) -> cl.Buffer:
        buffer = self.empty(array.size, array.dtype, what)
        self.copy_into(buffer, array)
        return buffer

    def copy_of(self, given: cl.Buffer, words: int, what: str) -> cl.Buffer:
        """Return a copy of the first `words` 32-bit words of a buffer."""
        own = self.empty(words, np.int32, what)
        self.copy(own, given, words)
        return own

    def _allocate(
        self, size: int, what: str, flags: int, hostbuf: npt.NDArray[Any] | None = None
    ) -> cl.Buffer:
        cl, most = opencl(), self.device.max_allocation
        if size > most:
            raise DeviceError(
                f"{what} needs {in_words(size)} in one buffer, and {self.device.device} allows "
                f"{in_words(most)}: choose a device that allows more (pointerjump devices)"
            )
        if self.device.host_memory and hostbuf is None:
            memory.require(size, what)
        given = (self.context, flags, 0 if hostbuf is not None else size, hostbuf)
        try:
            return cl.Buffer(*given)
        except cl.Error as error:
            return self.once_more(error, f"{what}, {in_words(size)}", cl.Buffer, *given)

    def scratch(
        self,
        purpose: str,
        items: int,
        dtype: npt.DTypeLike = np.int32,
        kept: KeptBuffers | None = None,
    ) -> cl.Buffer:
        """Return a buffer with room for at least `items` items. `purpose`, such as "ranks", identifies it.

        Runs share the buffer, because allocating a large one is slow on a GPU. Its contents are valid until
        another run requests it. The buffer is stored in `kept` or, by default, in the session.
        """
        kept = self._scratch if kept is None else kept
        size = items * np.dtype(dtype).itemsize
        found = kept.get(purpose)
        if found is None or found[0] < size:
            what = f"the array {purpose!r}"
            if self.shows_writes:
                memory.require(size, what)
                array = np.empty(max(1, items), dtype)  # NumPy asks for large pages, but drivers do not
                # When the last reference to the array is dropped, a kernel may still be using it.
                finalize(array, let_end, self.queue)
                found = size, self.put(array, what)
            else:
                found = size, self.empty(items, dtype, what)
            kept[purpose] = found
        return found[1]

    def borrow(self, purpose: str, size: int) -> cl.Buffer:
        """Return a buffer of `size` bytes. The caller must hand it back with :meth:`give_back`."""
        idle = self._idle_buffers.setdefault(purpose, [])
        while idle:
            buffer = idle.pop()
            if buffer.size == size:
                return buffer
        return self.empty(size, np.uint8, purpose)

    def give_back(self, purpose: str, buffer: cl.Buffer) -> None:
        self._idle_buffers.setdefault(purpose, []).append(buffer)

    # -- copies ----------------------------------------------------------------------------------

    @cached_property
    def ring(self) -> Ring:
        """The ring of memory chunks for streaming arrays. It may be used only inside ``with running()``."""
        return self._make_ring()

    def _make_ring(self) -> Ring:
        def make(*, in_place: bool) -> Ring:
            return self.attempt("a ring of buffers", Ring, self.context, self.queue, in_place=in_place)

        ring = make(in_place=self.device.host_memory)
        return ring if ring.shows_what_is_written() else make(in_place=False)

    def through_ring(self, size: int) -> bool:
        """Return whether an array of `size` bytes is copied to the device in chunks, through :attr:`ring`."""
        return size >= RING_FROM and not self.device.host_memory

    def copy_into(self, buffer: cl.Buffer, array: npt.NDArray[Any]) -> None:
        """Copy `array` to the beginning of a buffer. The array may be modified after the call."""
        if self.through_ring(array.nbytes):
            with self.running():
                self.attempt("a copy", self.ring.upload, buffer, array)
        elif array.size:
            self.attempt("a copy", opencl().enqueue_copy, self.queue, buffer, array)

    def copy(
        self,
        to: cl.Buffer,
        given: cl.Buffer,
        items: int,
        dtype: npt.DTypeLike = np.int32,
        *,
        first: int = 0,
    ) -> None:
        if items:
            enqueue, itemsize = opencl().enqueue_copy, np.dtype(dtype).itemsize
            where = {"byte_count": items * itemsize, "dst_offset": first * itemsize}
            self.attempt("a copy", enqueue, self.queue, to, given, **where)

    def fill(self, buffer: cl.Buffer, value: int, words: int = 1) -> None:
        """Enqueue a command that writes `value` to the first `words` 32-bit words of a buffer."""
        enqueue = opencl().enqueue_fill_buffer
        self.attempt("a fill", enqueue, self.queue, buffer, np.int32(value), 0, 4 * words)

    def get(
        self, buffer: cl.Buffer, items: int, dtype: npt.DTypeLike = np.int32, *, first: int = 0
    ) -> npt.NDArray[Any]:
        """Return `items` items of a buffer, from item `first` on, once all earlier commands have finished."""
        memory.require(items * np.dtype(dtype).itemsize, "the answer")
        array = np.empty(items, dtype)
        self.get_into(array, buffer, first=first)
        return array

    def get_into(self, array: npt.NDArray[Any], buffer: cl.Buffer, *, first: int = 0) -> None:
        """Fill a contiguous array with a buffer's items from `first` on, once earlier commands have ended."""
        if array.nbytes >= BACK_FROM and not self.device.host_memory:
            with self.running():
                self.attempt("a copy", self.ring.download, array, buffer, first * array.itemsize)
        elif array.size:
            require_own_process()  # in a forked child, the copy would never end
            if array.nbytes <= IN_PLACE_UP_TO and self.shows_writes:
                lies_in = buffer.hostbuf
                if lies_in is not None and lies_in.dtype == array.dtype and lies_in.ndim == array.ndim == 1:
                    self.finish()
                    array[:] = lies_in[first : first + len(array)]
                    return
            where = {"src_offset": first * array.itemsize} if first else {}
            self.attempt("a copy", opencl().enqueue_copy, self.queue, array, buffer, **where)

    @cached_property
    def shows_writes(self) -> bool:
        """Whether kernels' results appear in a buffer's host array even if the buffer is not mapped.

        OpenCL requires the buffer to be mapped first, which takes as long as a copy. On CPUs, mapping is
        necessary only if the driver keeps a copy of the array.
        """
        if self.device.type != "cpu":
            return False
        several = np.zeros(2, np.int32)
        at = several.ctypes.data % 64 == 0  # a driver may prefer addresses that are multiples of 64
        array = several[at : at + 1]
        buffer = self.put(array, "a trial")
        for written in (1, 2):
            self.fill(buffer, written)
            self.finish()
            if array[0] != written:
                return False
        return True

    def read_in_place(self, buffer: cl.Buffer, array: npt.NDArray[Any]) -> bool:
        """Wait until kernels have finished. Return whether the buffer's host array contains the results.

        It does not contain them if the driver works on a copy of the array.
        """
        cl = opencl()
        shape = (buffer.size,)
        mapped, _ = self.attempt(
            "a look", cl.enqueue_map_buffer, self.queue, buffer, cl.map_flags.READ, 0, shape, np.uint8
        )
        in_place = bool(mapped.ctypes.data == array.ctypes.data)
        mapped.base.release(self.queue)
        return in_place

    def glance(
        self, buffer: cl.Buffer, items: int, dtype: npt.DTypeLike, after: cl.Event
    ) -> npt.NDArray[Any]:
        """Return a small buffer's contents once the event `after` is complete, ignoring later commands."""
        array = np.empty(items, dtype)
        given = (self._beside, array, buffer)
        self.attempt("a copy", opencl().enqueue_copy, *given, wait_for=[after])
        return array

    @cached_property
    def _beside(self) -> cl.CommandQueue:
        """A second queue, for commands that need not wait for those in the first queue."""
        return self.attempt("a queue", opencl().CommandQueue, self.context, self.queue.device)

    def array(self, buffer: cl.Buffer, items: int) -> cl_array.Array:
        """Return the first `items` int32 items of a buffer as a pyopencl array."""
        import pyopencl.array as cl_array

        return cl_array.Array(self.queue, (items,), np.int32, data=buffer if items else None)

    # -- running ---------------------------------------------------------------------------------

    @contextmanager
    def running(self) -> Iterator[None]:
        """Return a context manager that reserves the session for one thread.

        Runs share buffers, so a run must keep the session until its result has been read.
        """
        require_own_process()  # in a forked child, a lock that was held stays locked
        with self._turn:
            try:
                yield
            except opencl().Error as error:  # from pyopencl's own scans and sorts
                let_end(self.queue)
                raise self.failed(error) from None
            except BaseException:
                let_end(self.queue)
                raise

    def finish(self) -> None:
        try:
            self.queue.finish()
        except opencl().Error as error:
            raise self.failed(error) from None

    # -- errors ----------------------------------------------------------------------------------

    def by_pyopencl(self, what: str, work: Callable[..., Done], *arguments: Any, **options: Any) -> Done:
        """Call `work`, in which pyopencl builds and enqueues kernels of its own."""
        done: Done = self.attempt(what, build_quietly, work, *arguments, **options)
        return done

    def attempt(self, what: str, work: Callable[..., Done], *arguments: Any, **options: Any) -> Done:
        """Call `work`, which uses pyopencl. If memory runs out, free some memory and try again.

        Any command may run out of memory, because some drivers allocate a buffer only when it is first used.
        """
        try:
            return work(*arguments, **options)
        except opencl().Error as error:
            return self.once_more(error, what, work, *arguments, **options)

    def once_more(
        self, error: Exception, what: str, work: Callable[..., Done], *arguments: Any, **options: Any
    ) -> Done:
        """If `error` means that memory ran out, free some memory and call `work` again.

        Raise a DeviceError if `error` has another cause, or if the second call also fails.
        """
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
        """Free scratch buffers, arguments of idle kernels and unreachable objects.

        Buffers that a run is using are not freed until the run has ended.
        """
        for idle in list(self._idle_kernels.values()):
            idle.clear()
        self._scratch.clear()
        self._idle_buffers.clear()
        gc.collect()
        self.finish()  # OpenCL frees a buffer once no command uses it

    def failed(self, error: Exception) -> DeviceError:
        why = telling_line(error)
        return DeviceError(
            f"{self.device.device} gave up: {why}; choose another device (pointerjump devices)"
        )


def let_end(queue: cl.CommandQueue) -> None:
    """Wait until all commands in a queue have finished. Ignore errors.

    The commands may use arrays that are about to be freed.
    """
    with suppress(Exception):  # in a forked child there are no kernels to wait for
        require_own_process()
        queue.finish()
