"""The ring through which arrays stream to a device and back, with pinned slots and with slots in place."""

from __future__ import annotations

import dataclasses
import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyopencl as cl
import pytest
from conftest import BAD_LISTS, NASTY_LISTS

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.ring import Fill, Ring
from pointerjump.accel.runtime.session import RING_FROM, Session
from pointerjump.accel.runtime.sessions import session_for

SLOT = 4096  # bytes
SIZES = [0, 1, SLOT - 1, SLOT, SLOT + 1, 2 * SLOT, 50 * SLOT + 17]


@pytest.fixture
def session(device: Device) -> Session:
    return session_for(device)


@pytest.fixture(params=["pinned", "in place", "pinned, without threads", "in place, with threads"])
def ring(request: pytest.FixtureRequest, session: Session) -> Ring:
    in_place = "in place" in request.param
    if in_place and not session.device.host_memory:
        pytest.skip(f"{session.device.device} does not share the host's memory")
    slots = 2 if in_place else 5
    threads = 0 if request.param in ("in place", "pinned, without threads") else 2
    return Ring(session.context, session.queue, in_place=in_place, slots=slots, size=SLOT, threads=threads)


@pytest.fixture
def apart(device: Device) -> Session:
    """Return a session that treats the device as one with its own memory."""
    return Session(dataclasses.replace(device, host_memory=False))


def noise(size: int) -> np.ndarray:
    return np.random.default_rng(size).integers(0, 256, size, np.uint8)


def fill_with(part: np.ndarray, fact: Any = None) -> Fill[Any]:
    def fill(memory: np.ndarray) -> tuple[int, Any]:
        memory[: len(part)] = part
        return len(part), fact

    return fill


def parts(data: np.ndarray) -> list[tuple[int, np.ndarray]]:
    return [(begin, data[begin : begin + SLOT]) for begin in range(0, len(data), SLOT)]


def collect(session: Session, target: cl.Buffer) -> Callable[[cl.Buffer, tuple[int, int]], None]:
    """Return a `use` that copies what came to its place in `target`."""

    def use(buffer: cl.Buffer, fact: tuple[int, int]) -> None:
        begin, size = fact
        if size:
            cl.enqueue_copy(session.queue, target, buffer, byte_count=size, dst_offset=begin)

    return use


def fed(ring: Ring, session: Session, data: np.ndarray) -> np.ndarray:
    """Return data that went through `feed`."""
    target = session.empty(len(data), np.uint8, "a buffer")
    ring.feed((fill_with(part, (b, len(part))) for b, part in parts(data)), collect(session, target))
    return session.get(target, len(data), np.uint8)


# -- what comes is what was sent -------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_what_is_fed_is_used_in_order(size: int, ring: Ring, session: Session) -> None:
    data = noise(size)
    with session.running():
        for _ in range(3):
            np.testing.assert_array_equal(fed(ring, session, data), data)


@pytest.mark.parametrize("size", SIZES)
def test_up_and_down(size: int, ring: Ring, session: Session) -> None:
    data = noise(size)
    with session.running():
        buffer = session.empty(size, np.uint8, "a buffer")
        given = data.copy()
        ring.upload(buffer, given)
        given[:] = 0  # it was copied
        there = session.get(buffer, size, np.uint8)
        back = np.zeros_like(data)[3:]
        ring.download(back, buffer, first_byte=3)
    np.testing.assert_array_equal(there, data)
    np.testing.assert_array_equal(back, data[3:])


@pytest.mark.parametrize("dtype", ["<i8", ">i8", "<u8", ">i4", "<u4", "i2", "u1"])
@pytest.mark.parametrize("items", [0, 1, SLOT // 4 - 1, SLOT // 4, SLOT // 4 + 1, 10_001])
def test_narrowed_on_the_way(dtype: str, items: int, ring: Ring, session: Session) -> None:
    every_other = np.random.default_rng(items).integers(0, 200, 2 * items).astype(dtype)[::2]
    with session.running():
        buffer = session.empty(items, np.int32, "a buffer")
        ring.upload(buffer, every_other, np.int32)
        found = session.get(buffer, items)
    np.testing.assert_array_equal(found, every_other)


def test_pairs_go_up_row_by_row(ring: Ring, session: Session) -> None:
    pairs = np.arange(6000, dtype=np.int64).reshape(-1, 2)
    with session.running():
        for given in (pairs, pairs[::3], pairs[:, ::-1]):
            buffer = session.empty(given.size, np.int32, "a buffer")
            ring.upload(buffer, given, dtype=np.int32)
            np.testing.assert_array_equal(session.get(buffer, given.size), given.ravel())


# -- how far ahead it works ------------------------------------------------------------------------


def test_memory_is_bounded_and_no_fill_is_taken_far_ahead(ring: Ring, session: Session) -> None:
    data, places, taken, used = noise(40 * SLOT), set(), 0, 0
    slots = len(ring._slots)

    def fill(memory: np.ndarray) -> tuple[int, None]:
        places.add((memory.ctypes.data, len(memory)))
        return SLOT, None

    def fills() -> Iterator[Fill[None]]:
        nonlocal taken
        for _ in parts(data):
            taken += 1
            assert taken - used <= slots
            yield fill

    def use(buffer: cl.Buffer, _: None) -> None:
        nonlocal used
        assert buffer.size == SLOT
        used += 1

    with session.running():
        ring.feed(fills(), use)
    assert taken == used == 40
    assert len(places) == slots
    assert {size for _, size in places} == {SLOT}


def test_a_session_has_one_ring_of_at_most_64_mib(session: Session, apart: Session) -> None:
    for each in (session, apart):
        with each.running():
            ring = each.ring
            assert ring is each.ring
            assert sum(len(slot.bytes) for slot in ring._slots) <= 64 << 20


def test_feed_does_not_wait_and_no_slot_is_filled_before_its_last_use(ring: Ring, session: Session) -> None:
    data, slots, filled = noise(4 * SLOT), len(ring._slots), []
    blocker = cl.UserEvent(session.context)

    def fill(number: int) -> Fill[tuple[int, int]]:
        def work(memory: np.ndarray) -> tuple[int, tuple[int, int]]:
            filled.append(number)
            return fill_with(data[number % 4 * SLOT :][:SLOT], (number * SLOT, SLOT))(memory)

        return work

    with session.running():
        target = session.empty((slots + 2) * SLOT, np.uint8, "a buffer")
        use = collect(session, target)
        cl.enqueue_barrier(session.queue, wait_for=[blocker])
        try:
            for number in range(slots):
                ring.feed([fill(number)], use)  # returns, though the device cannot begin
            further = threading.Thread(
                target=ring.feed, args=([fill(number) for number in (slots, slots + 1)], use), daemon=True
            )
            further.start()
            time.sleep(0.05)
            assert filled == list(range(slots))
        finally:
            blocker.set_status(cl.command_execution_status.COMPLETE)
        further.join(20)
        assert not further.is_alive()
        found = session.get(target, (slots + 2) * SLOT, np.uint8)
    expected = [data[number % 4 * SLOT :][:SLOT] for number in range(slots + 2)]
    np.testing.assert_array_equal(found, np.concatenate(expected))


# -- failures --------------------------------------------------------------------------------------


class OopsError(Exception):
    pass


def test_what_a_failed_feed_has_enqueued_is_used_before_slots_are_filled_again(
    ring: Ring, session: Session
) -> None:
    data, blocker = noise(2 * SLOT), cl.UserEvent(session.context)
    chunks = [(0, data[:SLOT]), (SLOT, data[SLOT:]), (0, data[:0])]

    def fails_last(buffer: cl.Buffer, fact: tuple[int, int]) -> None:
        if not fact[1]:
            raise OopsError
        collect(session, target)(buffer, fact)

    with session.running():
        target = session.empty(len(data), np.uint8, "a buffer")
        cl.enqueue_barrier(session.queue, wait_for=[blocker])
    done = cl.command_execution_status.COMPLETE
    threading.Timer(0.02, blocker.set_status, [done]).start()
    with session.running():
        with pytest.raises(OopsError):
            ring.feed([fill_with(part, (begin, len(part))) for begin, part in chunks], fails_last)
        ring.feed([fill_with(np.zeros(SLOT, np.uint8))] * 8, lambda *_: None)
        np.testing.assert_array_equal(session.get(target, len(data), np.uint8), data)


@pytest.mark.parametrize("at", [0, 1, 7, 29])
@pytest.mark.parametrize("where", ["fill", "fills", "use", "interrupt"])
def test_a_failure_ends_a_feed_cleanly(where: str, at: int, ring: Ring, session: Session) -> None:
    data = noise(30 * SLOT)
    error = KeyboardInterrupt if where == "interrupt" else OopsError
    busy = threading.Semaphore(0)
    begun = ended = 0

    def fill(number: int, part: np.ndarray) -> Fill[int]:
        def work(memory: np.ndarray) -> tuple[int, int]:
            nonlocal begun, ended
            begun += 1
            busy.acquire(timeout=0.001)  # others are still at work when one fails
            ended += 1
            if number == at and where == "fill":
                raise OopsError
            return fill_with(part, number)(memory)

        return work

    def fills() -> Iterator[Fill[int]]:
        for number, (_, part) in enumerate(parts(data)):
            if number == at and where == "fills":
                raise OopsError
            yield fill(number, part)

    def use(buffer: cl.Buffer, number: int) -> None:
        if number == at and where in ("use", "interrupt"):
            raise error

    with pytest.raises(error), session.running():
        ring.feed(fills(), use)
    assert begun == ended, "no thread is at work any more"
    after = begun
    with session.running():
        np.testing.assert_array_equal(fed(ring, session, data), data)
    assert begun == after


def test_opencl_errors_become_ours(ring: Ring, session: Session) -> None:
    data = noise(10 * SLOT)
    small = session.empty(5 * SLOT, np.uint8, "a buffer")
    for work in (
        lambda: ring.upload(small, data),
        lambda: ring.download(np.empty_like(data), small),
        lambda: ring.feed([fill_with(p, (b, len(p))) for b, p in parts(data)], collect(session, small)),
    ):
        with pytest.raises(pj.DeviceError, match="gave up: "), session.running():
            work()
        with session.running():
            np.testing.assert_array_equal(fed(ring, session, data), data)


def test_a_command_that_failed_fails_once(ring: Ring, session: Session) -> None:
    if not session.device.host_memory:
        pytest.skip("NVIDIA's driver does not pass on the status of a user event")
    data, command = noise(10 * SLOT), cl.UserEvent(session.context)
    command.set_status(-5)
    ring._slots[1].last_use = command
    with pytest.raises(pj.DeviceError, match="gave up: "), session.running():
        fed(ring, session, data)
    with session.running():
        np.testing.assert_array_equal(fed(ring, session, data), data)


def test_without_threads_to_be_had_the_caller_works(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    data = noise(20 * SLOT)
    with session.running():
        ring = Ring(session.context, session.queue, in_place=False, slots=3, size=SLOT, threads=4)
        monkeypatch.setattr(threading.Thread, "start", refuse)
        np.testing.assert_array_equal(fed(ring, session, data), data)


def test_a_ring_that_is_let_go_ends_its_threads(session: Session) -> None:
    before = set(threading.enumerate())
    with session.running():
        ring = Ring(session.context, session.queue, in_place=False, slots=3, size=SLOT, threads=4)
        fed(ring, session, noise(20 * SLOT))
    own = set(threading.enumerate()) - before
    assert len(own) == 4
    del ring
    gc.collect()
    for thread in own:
        thread.join(10)
        assert not thread.is_alive()


# -- sessions --------------------------------------------------------------------------------------


@pytest.mark.parametrize("beyond", [-4, 0, 4, 5 << 20])
def test_arrays_of_any_size_reach_a_device_with_its_own_memory(beyond: int, apart: Session) -> None:
    items = (RING_FROM + beyond) // 4
    given = np.random.default_rng(1).integers(0, 1 << 31, items, np.int32)
    buffer = apart.put(given, "an array")
    np.testing.assert_array_equal(apart.get(buffer, items), given)
    np.testing.assert_array_equal(apart.get(buffer, items - 3, first=3), given[3:])
    apart.copy_into(buffer, given[::-1].copy())
    np.testing.assert_array_equal(apart.get(buffer, items), given[::-1])


def test_copies_keep_their_place_among_kernels(apart: Session) -> None:
    words = RING_FROM // 4
    buffer = apart.empty(words, np.int32, "a buffer")
    kept = []
    for value in range(5):
        apart.fill(buffer, -1, words)
        apart.copy_into(buffer, np.full(words, value, np.int32))
        kept.append(apart.copy_of(buffer, words, "a copy"))
    for value, copy in enumerate(kept):
        assert (apart.get(copy, words) == value).all()


@pytest.mark.parametrize("own_memory", [True, False])
def test_what_feeds_a_ring_may_use_the_device(own_memory: bool, device: Device) -> None:
    if not (own_memory or device.host_memory):
        pytest.skip(f"{device.device} does not share the host's memory")
    session = Session(dataclasses.replace(device, host_memory=not own_memory))
    n = RING_FROM // 4
    words = np.arange(n, dtype=np.int32)

    def blocks() -> Iterator[Fill[tuple[int, int]]]:
        for begin, part in parts(words.view(np.uint8)):
            if begin % (64 * SLOT) == 0:
                buffer = session.put(words, "an array")
                np.testing.assert_array_equal(session.get(buffer, n), words)
            yield fill_with(part, (begin, len(part)))

    with session.running():
        target = session.empty(n, np.int32, "a buffer")
        ring = session.ring
        ring.feed(blocks(), collect(session, target))
        np.testing.assert_array_equal(session.get(target, n), words)
        assert session.ring is ring


def test_threads_share_a_ring(apart: Session) -> None:
    wrong: list[int] = []

    def there_and_back(seed: int) -> None:
        given = np.random.default_rng(seed).integers(0, 1 << 31, RING_FROM // 2, np.int32)
        for _ in range(3):
            if not np.array_equal(apart.get(apart.put(given, "an array"), len(given)), given):
                wrong.append(seed)

    threads = [threading.Thread(target=there_and_back, args=[seed]) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_graphs_and_labels_go_through_the_ring(apart: Session) -> None:
    n = 400_000
    ends = np.random.default_rng(3).integers(0, n, (2, n))
    expected = pj.components(tuple(ends), vertices=n, device=apart.device)
    for dtype in (np.int32, np.int64):
        found = pj.components(tuple(ends.astype(dtype)), vertices=n, device=apart)
        np.testing.assert_array_equal(found.labels, expected.labels)
    graph = pj.Graph.from_edges(*ends, vertices=n).in_rows()
    np.testing.assert_array_equal(pj.components(graph, device=apart).labels, expected.labels)


# -- successor lists -------------------------------------------------------------------------------

LONG = RING_FROM // 4 + 1000
INTEGERS = ["<i8", ">i8", "<u8", "<i4", ">i4", "<u4"]


def shuffled(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the successors of a long list, and its ranks."""
    order = np.random.default_rng(5).permutation(LONG)
    successors, ranks = np.empty(LONG, dtype), np.empty(LONG, np.int32)
    successors[order] = np.append(order[1:], order[-1])
    ranks[order] = np.arange(LONG)[::-1]
    return successors, ranks


@pytest.mark.parametrize("dtype", INTEGERS)
def test_lists_of_all_integers_are_ranked(dtype: str, apart: Session) -> None:
    successors, ranks = shuffled(dtype)
    np.testing.assert_array_equal(pj.list_rank(successors, device=apart), ranks)
    twice = np.repeat(successors, 2)[::2]  # not contiguous
    lists = pj.DeviceList(twice, device=apart)
    np.testing.assert_array_equal(lists.rank().get(), ranks)
    if dtype == "<i8":
        np.testing.assert_array_equal(pj.list_rank(lists, algorithm="sequential", device="reference"), ranks)


OUTSIDE = [
    (dtype, value)
    for dtype in INTEGERS
    for value in (-1, LONG, 1 << 31, 1 << 32, (1 << 32) + 5, 1 << 62)
    if np.iinfo(dtype).min <= value <= np.iinfo(dtype).max
]


@pytest.mark.one_device
@pytest.mark.parametrize(("dtype", "value"), OUTSIDE)
def test_errors_are_the_same_on_the_way_as_on_the_host(dtype: str, value: int, apart: Session) -> None:
    for at in (0, 7, LONG - 1):
        successors, _ = shuffled(dtype)
        successors[at : at + 2] = value  # the first is named
        errors = []
        for device in (apart, "reference"):
            with pytest.raises(pj.ListError) as refused:
                pj.list_rank(successors, device=device)
            errors.append(str(refused.value))
        assert errors[0] == errors[1]
        assert errors[0].startswith(f"successors[{at}] is {value}, outside 0 .. {LONG - 1}")


@pytest.mark.parametrize("dtype", ["<i8", ">u4"])
def test_what_is_no_list_is_named_from_what_was_given(dtype: str, apart: Session) -> None:
    for bad in BAD_LISTS.values():
        if min(bad) < 0 or max(bad) >= len(bad):
            continue
        successors = np.arange(LONG, dtype=dtype)
        successors[: len(bad)] = bad
        errors = []
        for device in (apart, "reference"):
            with pytest.raises(pj.ListError) as refused:
                pj.list_rank(successors, device=device)
            errors.append(str(refused.value))
        assert errors[0] == errors[1]


def test_short_lists_do_not_wake_threads(apart: Session) -> None:
    before = set(threading.enumerate())
    for successors in NASTY_LISTS.values():
        expected = pj.list_rank(successors, device=apart.device)
        np.testing.assert_array_equal(pj.list_rank(successors.astype(np.int64), device=apart), expected)
    assert set(threading.enumerate()) <= before


# -- processes -------------------------------------------------------------------------------------


FORKED = """
import atexit, dataclasses, gc, os, signal, sys, warnings, weakref
import numpy as np
import pointerjump as pj
from pointerjump.accel.runtime.devices import choose
from pointerjump.accel.runtime.session import Session
warnings.simplefilter("ignore")  # Python's own, of forks beside threads

session = Session(dataclasses.replace(choose(sys.argv[1]), host_memory=False))
given = np.arange(1 << 20)
buffer = session.put(given, "an array")
with session.running():
    ring = weakref.ref(session.ring)
    session.ring.feed([lambda memory: (len(memory), None)] * 20, lambda *_: None)

child = os.fork()
if child == 0:
    signal.alarm(20)
    for call in (lambda: session.put(given, "an array"), lambda: session.get(buffer, 1 << 20, np.int64)):
        try:
            call()
            print("no error", flush=True)
        except pj.DeviceError as error:
            assert '"spawn"' in str(error), error
    del session, buffer
    gc.collect()
    assert ring() is not None  # to unmap its memory would wait for threads that the child does not have
    atexit._run_exitfuncs()
    os._exit(0)  # as multiprocessing does: Intel's own exit handler may wait for such threads, too
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

def late(session=session):
    assert (session.get(buffer, 1 << 20, np.int64) == given).all()
    assert (session.get(session.put(given + 1, "an array"), 1 << 20, np.int64) == given + 1).all()
    print("late", flush=True)

atexit.register(late)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
def test_a_fork_and_the_end_of_the_interpreter(device: Device) -> None:
    if not device.host_memory:
        pytest.skip("when a forked child ends, NVIDIA's exit handlers end its parent's context, too")
    ran = subprocess.run(
        [sys.executable, "-c", FORKED, device.platform], capture_output=True, text=True, timeout=60
    )
    assert (ran.returncode, ran.stdout) == (0, "late\n"), ran.stderr
