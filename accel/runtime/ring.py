"""A ring of small chunks of memory, through which arrays are streamed to a device and back.

A GPU copies several times faster from *pinned* memory, which the operating system never moves. However,
pinned memory is scarce, and pinning an array takes longer than copying it. A ring therefore has a few pinned
chunks, called slots. While some slots are being copied to the device, threads fill others.

If a device shares the host's memory, nothing is copied: the device uses the memory of a slot as its buffer.

Callers must reserve the session and handle OpenCL errors; ``with session.running()`` does both.
"""

from __future__ import annotations

import ctypes
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from itertools import cycle
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.icd import opencl

if TYPE_CHECKING:
    import pyopencl as cl

Fact = TypeVar("Fact")

Bytes = npt.NDArray[np.uint8]
Fill = Callable[[Bytes], tuple[int, Fact]]
"""A function that writes to the given bytes. It returns the number of bytes written, and a value that
:meth:`Ring.feed` passes to its callback `use`."""

PINNED = 16, 4 << 20
"""The number of slots in pinned memory, and the size of a slot in bytes."""
IN_PLACE = 2, 1 << 20
"""The number of slots on devices that share the host's memory, and the size of a slot in bytes. One slot is
filled while the other is in use."""
MOST_THREADS = 8
"""The maximum number of threads. More threads would not be faster, because the host's memory is the
bottleneck."""
_LEAST_PIECE = 1 << 20
"""The minimum size in bytes of a piece of an array. With smaller pieces, Python's overhead would exceed the
time for the copy."""
_PAGE = 4096
"""The size of a memory page in bytes. Slots that are used in place begin on a page boundary."""


class Slot:
    """A chunk of memory that the host reads and writes, and its buffer on the device.

    `copy` is the event of the last copy between the chunk and the buffer. `last_use` is the event of the last
    use of the buffer.
    """

    def __init__(self, memory: Bytes, buffer: cl.Buffer) -> None:
        self.bytes, self.buffer = memory, buffer
        self.copy: cl.Event | None = None
        self.last_use: cl.Event | None = None

    def wait(self) -> None:
        self.wait_for_copy()
        if self.last_use is not None:
            self.last_use.wait()

    def wait_for_copy(self) -> None:
        if self.copy is not None:
            self.copy.wait()


class Ring:
    """Chunks of memory through which arrays are streamed to a device and back.

    Kernels in the in-order `queue` use the chunks. `in_place` says whether the device shares the host's
    memory. There are `slots` slots of `size` bytes, which are filled by `threads` threads. If `threads` is 0,
    the caller's thread fills them.
    """

    def __init__(
        self,
        context: cl.Context,
        queue: cl.CommandQueue,
        *,
        in_place: bool,
        slots: int | None = None,
        size: int | None = None,
        threads: int | None = None,
    ) -> None:
        suitable = IN_PLACE if in_place else PINNED
        self.size = size or suitable[1]
        self._queue = queue
        self._in_place = in_place
        # A second queue, so that a chunk can be copied while kernels use the previous one.
        self._copies = opencl().CommandQueue(context, queue.device)
        make = _shared_slots if in_place else self._pinned_slots
        self._slots = list(make(context, slots or suitable[0], self.size))
        self._turns = cycle(self._slots)
        if threads is None:  # if kernels run on the same cores, no other thread is needed
            threads = 0 if in_place else min(MOST_THREADS, os.cpu_count() or 1)
        self._threads = threads
        at_once = min(2 * self._threads, len(self._slots), os.cpu_count() or 1)
        self._most_threads = max(self._threads, at_once)
        self._workers = Threads(self._most_threads)

    def _pinned_slots(self, context: cl.Context, slots: int, size: int) -> Iterator[Slot]:
        cl = opencl()
        flags = cl.mem_flags.READ_WRITE
        pinned = cl.Buffer(context, flags | cl.mem_flags.ALLOC_HOST_PTR, slots * size)
        access = cl.map_flags.READ | cl.map_flags.WRITE
        _pinning.add(self)
        memory, _ = cl.enqueue_map_buffer(self._copies, pinned, access, 0, (slots, size), np.uint8)
        for part in memory:
            buffer = cl.Buffer(context, flags, size)
            # Some drivers allocate a buffer only when it is first used.
            cl.enqueue_fill_buffer(self._copies, buffer, np.uint8(0), 0, 1)
            yield Slot(part, buffer)
        self._copies.finish()

    def shows_what_is_written(self) -> bool:
        """Return whether the device sees what the host writes to a slot. Some drivers use a copy instead."""
        seen = np.empty(1, np.uint8)
        slot = self._slots[0]
        for written in (1, 2):  # a copy made by the driver would still hold the first value
            slot.bytes[0] = written
            opencl().enqueue_copy(self._queue, seen, slot.buffer)
            if self._in_place and seen[0] != written:
                return False
        return True

    # -- transfers ---------------------------------------------------------------------------------

    def feed(self, fills: Iterable[Fill[Fact]], use: Callable[[cl.Buffer, Fact], object]) -> None:
        """Send chunks to the device, and use each chunk there while later ones are being filled.

        Threads call the functions in `fills`, each with the memory of a slot. For each function, in the order
        of `fills`, the caller's thread calls `use` with the slot's buffer and the function's return value.
        `use` enqueues kernels that read the buffer. A slot is not filled again before its last use is
        complete. The call returns when the last chunk has been sent, possibly before the device has used it.
        """
        started: deque[tuple[Slot, Future[tuple[int, Fact]]]] = deque()

        def send_first() -> None:
            slot, filled = started[0]
            written, fact = filled.result()
            if written and not self._in_place:
                self._copy_to_buffer(slot, written)
            use(slot.buffer, fact)
            slot.last_use = opencl().enqueue_marker(self._queue)
            self._queue.flush()
            started.popleft()

        # For a single chunk, the caller would only wait for the thread.
        start = do if isinstance(fills, Sequence) and len(fills) == 1 else self._workers.start
        try:
            for fill, slot in zip(fills, self._turns, strict=False):
                started.append((slot, Future()))
                start(started[-1][1], partial(_filled, slot, fill))
                while started and (len(started) == len(self._slots) or started[0][1].done()):
                    send_first()
            while started:
                send_first()
            self._forget_copies()
        except BaseException:
            self._let_end([filled for _, filled in started])
            raise

    def upload(self, buffer: cl.Buffer, array: npt.NDArray[Any], dtype: npt.DTypeLike | None = None) -> None:
        """Copy an array to a buffer, after all commands that have been enqueued so far.

        The array may be modified once the call has returned. Its items are converted to `dtype`, which must
        be able to represent them.
        """
        self._send(self._queue, buffer, [array], np.dtype(dtype or array.dtype))

    def send(self, buffer: cl.Buffer, arrays: Sequence[npt.NDArray[Any]], dtype: npt.DTypeLike) -> None:
        """Copy arrays to a buffer, one after another, while kernels are running.

        The arrays may be modified once the call has returned. Commands that were enqueued earlier must no
        longer need the buffer; later commands may use it.
        """
        cl = opencl()
        self._send(self._copies, buffer, arrays, np.dtype(dtype))
        cl.enqueue_barrier(self._queue, wait_for=[cl.enqueue_marker(self._copies)])

    def _send(
        self,
        queue: cl.CommandQueue,
        buffer: cl.Buffer,
        arrays: Sequence[npt.NDArray[Any]],
        dtype: np.dtype[Any],
    ) -> None:
        cl = opencl()

        def copy(slots: Sequence[Slot], piece: tuple[npt.NDArray[Any], int]) -> None:
            items, first_byte = piece
            slot = slots[0]
            slot.wait()
            memory = slot.bytes[: len(items) * dtype.itemsize]
            np.copyto(memory.view(dtype), items, casting="unsafe")
            slot.copy = cl.enqueue_copy(queue, buffer, memory, dst_offset=first_byte, is_blocking=False)
            queue.flush()

        pieces, at = [], 0
        for array in arrays:
            items = array.reshape(-1)
            for begin, end in self._pieces(len(items), dtype.itemsize):
                pieces.append((items[begin:end], at + begin * dtype.itemsize))
            at += items.size * dtype.itemsize
        self._share(pieces, copy)

    def download(self, array: npt.NDArray[Any], buffer: cl.Buffer, first_byte: int = 0) -> None:
        """Copy part of a buffer to a contiguous array, and wait for the copy.

        The copy runs after all commands enqueued so far. Touching the memory of a new array for the first
        time takes longer than the copy. The work is therefore shared among more threads than in an upload.
        """
        cl = opencl()
        items = array.reshape(-1)

        def fetch(slots: Sequence[Slot], piece: tuple[int, int]) -> Callable[[], None]:
            part = items[slice(*piece)]
            slot = slots[0]
            slot.wait()
            source = slot.bytes[: part.nbytes]
            where = first_byte + piece[0] * items.itemsize
            slot.copy = cl.enqueue_copy(self._queue, source, buffer, src_offset=where, is_blocking=False)
            self._queue.flush()

            def take_over() -> None:
                slot.wait_for_copy()
                np.copyto(part, source.view(part.dtype))

            return take_over

        self._share(self._pieces(len(items), items.itemsize), fetch, self._most_threads)

    def reader(self, buffer: cl.Buffer) -> Callable[[Bytes, int], None]:
        """Return a function that copies part of a buffer to the host and waits for the copy.

        The function accepts the host memory to copy to, and the position of the first byte to copy. Several
        threads may call it at the same time. The part to copy must fit in a slot.
        """
        cl = opencl()
        idle: SimpleQueue[Slot] = SimpleQueue()
        for slot in self._slots:
            idle.put(slot)

        def read(memory: Bytes, first_byte: int) -> None:
            if self._in_place:
                cl.enqueue_copy(self._queue, memory, buffer, src_offset=first_byte)
                return
            slot = idle.get()
            try:
                slot.wait()
                pinned = slot.bytes[: len(memory)]
                cl.enqueue_copy(self._queue, pinned, buffer, src_offset=first_byte)
                np.copyto(memory, pinned)
            finally:
                idle.put(slot)

        return read

    # -- internals ---------------------------------------------------------------------------------

    def _copy_to_buffer(self, slot: Slot, size: int) -> None:
        """Use the second queue to copy a slot to its buffer, and make the first queue wait for the copy."""
        cl = opencl()
        slot.copy = cl.enqueue_copy(self._copies, slot.buffer, slot.bytes[:size], is_blocking=False)
        self._copies.flush()
        cl.enqueue_barrier(self._queue, wait_for=[slot.copy])

    def _pieces(self, items: int, itemsize: int) -> list[tuple[int, int]]:
        even = items * itemsize // (2 * max(1, self._threads))
        step = max(1, min(self.size, max(_LEAST_PIECE, even)) // itemsize)
        return [(begin, min(begin + step, items)) for begin in range(0, items, step)]

    def _share(
        self,
        pieces: Sequence[Any],
        work: Callable[[Sequence[Slot], Any], Callable[[], None] | None],
        most: int | None = None,
    ) -> None:
        """Call `work` for each piece, in several threads, each of which has its own slots.

        `work` may return a function that does the rest of the work on a piece. The thread calls that function
        later, so that it can start on its next pieces first. Threads do not wait for the caller's thread.
        """
        threads = max(1, min(most or self._threads, len(pieces), len(self._slots)))
        each = len(self._slots) // threads
        failed: list[BaseException] = []
        turns = iter(pieces)

        def serve(thread: int) -> None:
            slots = deque(self._slots[thread * each : (thread + 1) * each])
            left: deque[Callable[[], None]] = deque()
            try:
                for piece in turns:  # any free thread takes the next piece
                    if failed:
                        return
                    if len(left) == each:
                        left.popleft()()
                    rest = work(slots, piece)
                    slots.rotate(-1)
                    if rest is not None:
                        left.append(rest)
                while left:
                    left.popleft()()
            except BaseException as error:
                failed.append(error)
                raise

        done: list[Future[None]] = [Future() for _ in range(threads)]
        start = do if threads == 1 else self._workers.start
        try:
            for thread in range(threads):
                start(done[thread], partial(serve, thread))
            for each_done in done:
                each_done.result()
            self._forget_copies()
        except BaseException:
            self._let_end(done)
            raise

    def _forget_copies(self) -> None:
        """Wait for copies, so that their events can be discarded.

        When the event of an array's copy is garbage-collected, pyopencl waits for the copy. In a forked
        process, it would wait forever.
        """
        for slot in self._slots:
            slot.wait_for_copy()
            slot.copy = None

    def _let_end(self, started: list[Future[Any]]) -> None:
        """Wait for threads and commands whose results are no longer needed."""
        for done in started:
            if not done.cancel():
                done.exception()
        with suppress(opencl().Error):  # the first error has been raised already
            self._copies.finish()
            self._queue.finish()
        for slot in self._slots:
            slot.copy = slot.last_use = None


_pinning: WeakSet[Ring] = WeakSet()
"""Rings whose slots are in mapped memory."""


def _keep_forever() -> None:
    """In a forked child process, keep the parent's rings alive, even during interpreter shutdown.

    Garbage collection would unmap the memory of a ring, and wait for threads of the OpenCL driver that do not
    exist in the child.
    """
    for ring in _pinning:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(ring))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_keep_forever)


def _filled(slot: Slot, fill: Fill[Fact]) -> tuple[int, Fact]:
    slot.wait()
    return fill(slot.bytes)


def _shared_slots(context: cl.Context, slots: int, size: int) -> Iterator[Slot]:
    cl = opencl()
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    for _ in range(slots):
        room = np.zeros(size + _PAGE, np.uint8)
        begin = -room.ctypes.data % _PAGE  # for other addresses, drivers would copy the memory
        memory = room[begin : begin + size]
        yield Slot(memory, cl.Buffer(context, flags, hostbuf=memory))


class Threads:
    """A pool of up to `most` threads, which are started when they are first needed.

    If `most` is 0 or no thread can be started, the caller's thread does the work. Unlike the threads of
    ``concurrent.futures``, these threads can still be used during interpreter shutdown, which does not wait
    for them.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._threads = 0
        self._waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()

    def start(self, done: Future[Any], work: Callable[[], Any]) -> None:
        try:
            while self._threads < self._most:
                Thread(target=_serve, args=[self._waiting], name="pointerjump-ring", daemon=True).start()
                self._threads += 1
        except RuntimeError:  # the system allows no more threads, or the interpreter is ending
            self._most = self._threads
        if self._threads:
            self._waiting.put((done, work))
        else:
            do(done, work)

    def __del__(self) -> None:
        for _ in range(self._threads):
            self._waiting.put(None)


def _serve(waiting: SimpleQueue[Any]) -> None:
    while (given := waiting.get()) is not None:
        do(*given)
        del given  # so that an idle thread does not keep an array in memory


def do(done: Future[Any], work: Callable[[], Any]) -> None:
    """Call `work` and store the outcome in `done`, unless `done` has been cancelled."""
    if not done.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:  # raised again when the caller asks for the result
        done.set_exception(error)
    else:
        done.set_result(result)
