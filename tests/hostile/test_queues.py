"""Command queues of the caller's: out of order, held twice, gone; and work that fails or is interrupted."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

import pointerjump as pj
from pointerjump.accel.runtime import programs
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.icd import opencl
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.solving.lists import DeviceList

RINGS = pj.Graph.from_edges(np.arange(3000), (np.arange(3000) + 3) % 3000).in_rows()
SMALL = ([0, 1], [1, 2])
OUT_OF_ORDER = "^the command queue is out of order, .* give an in-order queue, or the queue's context$"


def answer_or_error(call: Callable[[], object]) -> object:
    try:
        return call()
    except pj.DeviceError as error:
        return error


@pytest.fixture
def context(device: Device) -> cl.Context:
    return cl.Context([device.handle])


@pytest.fixture
def out_of_order(context: cl.Context) -> cl.CommandQueue:
    properties = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    queue = cl.CommandQueue(context, properties=properties)
    if not queue.properties & properties:
        pytest.skip("the device has no queues that are out of order")
    return queue


@pytest.mark.parametrize(
    "call",
    [
        lambda queue: pj.components(RINGS, device=queue),
        lambda queue: pj.components(RINGS, algorithm="soman", device=queue),
        lambda queue: pj.components(([0, 1], [1, 2]), device=queue),
        lambda queue: pj.connected_components(RINGS, device=queue),
        lambda queue: pj.spanning_forest(RINGS, device=queue),
        lambda queue: pj.list_rank([1, 1], device=queue),
        lambda queue: pj.list_scan([1, 1], [1, 2], device=queue),
        lambda queue: pj.label([1, 1], device=queue),
        lambda queue: pj.label(cl_array.to_device(queue, np.ones(2, np.uint8))),
        lambda queue: pj.to_device(RINGS, queue),
        lambda queue: DeviceList([1, 1], queue),
        lambda queue: Session(session_for(queue.device).device, queue),
        lambda queue: pj.DeviceGraph.from_arrays(
            cl_array.to_device(queue, RINGS.offsets), cl_array.to_device(queue, RINGS.neighbors)
        ),
    ],
)
def test_a_queue_that_is_out_of_order_is_refused(
    call: Callable[[cl.CommandQueue], object], out_of_order: cl.CommandQueue
) -> None:
    with pytest.raises(pj.DeviceError, match=OUT_OF_ORDER):
        call(out_of_order)


def test_its_context_is_taken(out_of_order: cl.CommandQueue) -> None:
    assert pj.components(RINGS, device=out_of_order.context).count == 3


# -- one session a queue -------------------------------------------------------------------------


def test_a_queue_has_one_session_and_its_programs_are_built_once(
    context: cl.Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []
    build = programs.build
    monkeypatch.setattr(
        programs, "build", lambda context, name, options: built.append(name) or build(context, name, options)
    )
    queue = cl.CommandQueue(context)
    for _ in range(3):
        assert pj.components(RINGS, algorithm="soman", device=queue).count == 3
        assert pj.list_rank([1, 1], device=queue).tolist() == [1, 0]
    assert built
    assert len(built) == len(set(built))
    assert session_for(queue) is session_for(queue)
    assert session_for(cl.CommandQueue(context)) is not session_for(queue)


def test_two_objects_of_one_queue_have_one_session(context: cl.Context) -> None:
    queue = cl.CommandQueue(context)
    same = cl.CommandQueue.from_int_ptr(queue.int_ptr, retain=True)
    session = session_for(queue)
    assert session_for(same) is session
    del queue
    assert session_for(same) is session
    assert session_for(session.queue) is session


def test_arrays_of_a_session_stay_in_it(device: Device) -> None:
    session = session_for(device)
    offsets = cl_array.to_device(session.queue, RINGS.offsets)
    neighbors = cl_array.to_device(session.queue, RINGS.neighbors)
    assert pj.DeviceGraph.from_arrays(offsets, neighbors).session is session


def test_a_session_goes_when_its_queue_does(context: cl.Context) -> None:
    gc.collect()
    gc.disable()
    try:
        queue = cl.CommandQueue(context)
        pj.components(RINGS, algorithm="soman", device=queue)
        pj.components(([0, 1], [1, 2]), device=queue)
        pj.list_rank([1, 1], device=queue)
        alive = weakref.ref(session_for(queue))
        del queue
        assert alive() is None
    finally:
        gc.enable()


def without_context(device: Device) -> cl.CommandQueue:
    queue = cl.CommandQueue(cl.Context([device.handle]))
    gc.collect()
    return queue


def array_without_context(device: Device, values: list[int]) -> cl_array.Array:
    context = cl.Context([device.handle])
    array = cl_array.to_device(cl.CommandQueue(context), np.array(values, np.int32))
    array.queue = without_context(device)
    return array


@pytest.mark.parametrize(
    "call",
    [
        lambda device: pj.components(RINGS, device=without_context(device)),
        lambda device: pj.list_rank([1, 1], device=without_context(device)),
        lambda device: pj.to_device(RINGS, without_context(device)),
        lambda device: pj.DisjointSet(3, device=without_context(device)),
        lambda device: pj.label(array_without_context(device, [1, 0, 1])),
        lambda device: pj.regions(array_without_context(device, [1, 0, 2])),
        lambda device: pj.regions(array_without_context(device, [1, 0, 2]), device="reference"),
        lambda device: pj.verify_labels([1, 0, 1], array_without_context(device, [1, 0, 2])),
        lambda device: pj.DeviceGraph.from_arrays(
            array_without_context(device, [0, 0]), array_without_context(device, [])
        ),
    ],
)
def test_a_queue_whose_context_is_gone_says_so(call: Callable[[Device], object], device: Device) -> None:
    with suppress(cl.Error):
        if without_context(device).context:
            pytest.skip("this driver's queues keep their context")
    with pytest.raises(
        pj.DeviceError, match=r"^the Context of the command queue is gone .*: keep a reference"
    ):
        call(device)


def test_a_queue_that_was_used_keeps_its_context(device: Device) -> None:
    context = cl.Context([device.handle])
    queue = cl.CommandQueue(context)
    session_for(queue)
    del context
    gc.collect()
    assert pj.components(RINGS, device=queue).count == 3
    assert pj.label(cl_array.to_device(queue, np.eye(3))).get().max() == 3


def test_arrays_that_cannot_be_used_where_they_are(context: cl.Context, device: Device) -> None:
    queue = cl.CommandQueue(context)
    offsets, neighbors = (cl_array.to_device(queue, a) for a in (RINGS.offsets, RINGS.neighbors))
    spread = cl_array.to_device(queue, np.repeat(RINGS.offsets, 2))[::2]
    with pytest.raises(pj.GraphError, match="the array of offsets is not contiguous: give one that"):
        pj.DeviceGraph.from_arrays(spread, neighbors)
    with pytest.raises(pj.GraphError, match="the array of neighbors has no command queue: give it one"):
        pj.DeviceGraph.from_arrays(offsets, neighbors.with_queue(None))
    another = cl.Context([device.handle])
    elsewhere = cl.CommandQueue(another)
    with pytest.raises(pj.GraphError, match="two OpenCL contexts"):
        pj.DeviceGraph.from_arrays(offsets, cl_array.to_device(elsewhere, RINGS.neighbors))
    other = cl.CommandQueue(context)
    behind = cl_array.to_device(other, np.concatenate([[7], RINGS.neighbors]).astype(np.int32))[1:]
    assert pj.components(pj.DeviceGraph.from_arrays(offsets, behind)).count == 3


# -- commands that fail ---------------------------------------------------------------------------


class Failing:
    """A function of pyopencl's that fails the first times it is called."""

    def __init__(self, name: str, times: int, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.function, self.times, self.called = getattr(opencl(), name), times, 0
        self.error = _error(code)
        monkeypatch.setattr(opencl(), name, self)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        self.called += 1
        if self.called <= self.times:
            raise self.error
        return self.function(*arguments, **options)


def _error(code: int) -> cl.Error:
    record = cl._cl._ErrorRecord(msg="", code=code, routine="clEnqueueSomething")
    kind = cl.LogicError if code == cl.status_code.INVALID_WORK_GROUP_SIZE else cl.MemoryError
    error: cl.Error = kind(record)
    return error


OUT_OF_MEMORY = ("MEM_OBJECT_ALLOCATION_FAILURE", "OUT_OF_RESOURCES", "OUT_OF_HOST_MEMORY")
COMMANDS = ("Buffer", "Kernel", "enqueue_nd_range_kernel", "enqueue_copy", "enqueue_fill_buffer")
CALLS: list[Callable[[Session], object]] = [
    lambda session: pj.components(RINGS, algorithm="soman", device=session).count,
    lambda session: pj.components(RINGS, algorithm="nd-hybrid", device=session).count,
    lambda session: pj.components(RINGS, device=session).count,
    lambda session: int(pj.to_device(RINGS, session).label("shiloach-vishkin").get().max()) + 1,
    lambda session: len(np.unique(pj.to_device(RINGS, session).label(labels="representative").get())),
    lambda session: 3000 - len(pj.spanning_forest(RINGS, device=session)),
    lambda session: 1 + int(pj.list_rank([1, 2, 2], device=session)[0]),
    lambda session: int(DeviceList([1, 2, 2], session).rank("wylie").get().max()) + 1,
    lambda session: int(pj.list_scan([1, 2, 2], [1, 1, 1], device=session)[2]),
    lambda session: int(pj.label(np.eye(3), device=session).max()),
]


@pytest.fixture
def session(context: cl.Context) -> Session:
    return session_for(cl.CommandQueue(context))


@pytest.fixture(scope="module")
def kept(device: Device) -> Iterator[Session]:
    """A session for many failures: each must leave it usable."""
    context = cl.Context([device.handle])  # some drivers' queues do not keep it
    yield session_for(cl.CommandQueue(context))  # noqa: PT022


@pytest.mark.one_device
@pytest.mark.parametrize("call", range(len(CALLS)))
@pytest.mark.parametrize("command", COMMANDS)
def test_out_of_memory_once_is_tried_again(
    command: str, call: int, kept: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert CALLS[call](kept) == 3  # with all programs built
    Failing(command, 1, cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE, monkeypatch)
    assert CALLS[call](kept) == 3


@pytest.mark.one_device
@pytest.mark.parametrize("call", range(len(CALLS)))
@pytest.mark.parametrize("command", COMMANDS)
def test_out_of_memory_for_good_is_a_clear_error(
    command: str, call: int, kept: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    CALLS[call](kept)
    code = OUT_OF_MEMORY[(call + COMMANDS.index(command)) % len(OUT_OF_MEMORY)]
    with monkeypatch.context() as patches:
        failing = Failing(command, 10**9, getattr(cl.status_code, code), patches)
        found = answer_or_error(lambda: CALLS[call](kept))
        if failing.called:
            assert isinstance(found, pj.DeviceError)
            assert all(part in str(found) for part in (kept.device.device, code, "choose"))
            assert "\n" not in str(found)
        else:
            assert found == 3
    assert CALLS[call](kept) == 3


def test_another_failure_is_not_tried_again(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = Failing("enqueue_nd_range_kernel", 1, cl.status_code.INVALID_WORK_GROUP_SIZE, monkeypatch)
    with pytest.raises(pj.DeviceError, match=r"gave up: .*INVALID_WORK_GROUP_SIZE; choose another device"):
        pj.components(RINGS, algorithm="soman", device=session)
    assert failing.called == 1


@pytest.fixture
def buffers_of_a_small_graph(session: Session, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """A function that runs a small graph and says how many buffers that took: fewer where some are idle."""
    session.scratch("the first", 1)  # for which a session tries once, in a buffer, whether arrays show writes
    made = Failing("Buffer", 0, cl.status_code.OUT_OF_RESOURCES, monkeypatch)

    def run() -> int:
        before = made.called
        assert pj.components(SMALL, device=session).count == 1
        return made.called - before

    return run


def test_what_is_idle_makes_room(
    session: Session, buffers_of_a_small_graph: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    all_of_them, some = buffers_of_a_small_graph(), buffers_of_a_small_graph()
    assert some < all_of_them
    Failing("enqueue_nd_range_kernel", 1, cl.status_code.OUT_OF_RESOURCES, monkeypatch)
    pj.to_device(RINGS, session).plan("soman").run()
    assert buffers_of_a_small_graph() == all_of_them


# -- interrupts -----------------------------------------------------------------------------------


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, int], None]]:
    """A function that has Control-C pressed in the n-th call of one of pyopencl's functions."""

    def interrupt(name: str, nth: int) -> None:
        function, called = getattr(opencl(), name), 0

        def once(*arguments: Any, **options: Any) -> Any:
            nonlocal called
            called += 1
            if called == nth:
                raise KeyboardInterrupt
            return function(*arguments, **options)

        monkeypatch.setattr(opencl(), name, once)

    return interrupt


@pytest.mark.one_device
@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.parametrize("command", ["enqueue_nd_range_kernel", "enqueue_copy"])
@pytest.mark.parametrize("call", range(len(CALLS)))
def test_an_interrupted_call_leaves_nothing_locked(
    call: int, command: str, nth: int, session: Session, interrupted: Callable[[str, int], None]
) -> None:
    CALLS[call](session)
    interrupted(command, nth)
    try:
        CALLS[call](session)
    except KeyboardInterrupt:
        pass
    else:
        pytest.skip("it takes fewer such commands")
    with ThreadPoolExecutor(1) as other_thread:
        assert other_thread.submit(CALLS[call], session).result(timeout=60) == 3


def test_an_interrupted_small_graph_gives_back_what_it_was_lent(
    session: Session,
    interrupted: Callable[[str, int], None],
    buffers_of_a_small_graph: Callable[[], int],
) -> None:
    all_of_them, some = buffers_of_a_small_graph(), buffers_of_a_small_graph()
    assert some < all_of_them
    interrupted("enqueue_nd_range_kernel", 1)
    with pytest.raises(KeyboardInterrupt):
        pj.components(SMALL, device=session)
    assert buffers_of_a_small_graph() == some


def test_a_queue_for_the_callers_own_kernels(device: Device) -> None:
    """It is a new one each time, keeps its context alive, and what is on it stays there."""
    queue = pj.device_queue(device)
    gc.collect()
    assert queue.context.devices == [queue.device] == [device.handle]
    assert pj.device_queue(device) != queue
    there = cl_array.to_device(queue, np.array([1, 0, 1], np.uint8))
    labels = pj.label(there)
    assert labels.queue == queue
    assert labels.get().tolist() == [1, 0, 2]
    with pytest.raises(pj.DeviceError, match="no device 'reference'"):
        pj.device_queue("reference")
