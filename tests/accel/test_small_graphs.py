"""Small graphs: one launch of one work-group, by one work-item or several, gives what all others give."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from threading import Barrier, Timer

import numpy as np
import pyopencl as cl
import pytest
import scipy.sparse as sp
from conftest import NASTY, graphs
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components as scipy_components

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.accel.shapes import Shape
from pointerjump.accel.tuning import TUNING
from pointerjump.registry import parse_variant

GROUPS = (1, 2, 64)
"""Work-items in the one work-group: serial, and with barriers, of which CPUs run any number."""


@contextmanager
def tuned(device: Device, **changes: int) -> Iterator[Session]:
    """Run the block with other thresholds or sizes on a device."""
    session = session_for(device)
    before = session.tuning
    session.tuning = replace(before, **changes)
    try:
        yield session
    finally:
        session.tuning = before


def stored_edges(graph: pj.Graph) -> tuple[np.ndarray, np.ndarray]:
    return graph.sources.copy(), graph.neighbors.copy()


def path_of(found: pj.Components) -> str:
    """Say which way a graph went: one launch, by one work-item or several, or several launches."""
    if found.stats["algorithm"] != "one-group":
        return "several launches"
    return "serial" if parse_variant(found.stats["variant"])["work_items"] == "1" else "one-group"


def check(given: object, device: Device, vertices: int | None, expected: np.ndarray, path: str) -> None:
    """Compare both kinds of labels, and the path taken."""
    found = pj.components(given, device=device, vertices=vertices)
    assert path_of(found) == path
    np.testing.assert_array_equal(found.labels, expected)
    assert found.labels.dtype == np.int32
    assert found.count == (expected.max() + 1 if len(expected) else 0)
    smallest = pj.components(given, device=device, vertices=vertices, labels="representative")
    assert smallest.count == found.count
    firsts = np.unique(expected, return_index=True)[1]
    np.testing.assert_array_equal(smallest.labels, firsts[expected])
    np.testing.assert_array_equal(smallest.sizes, found.sizes)


@pytest.mark.parametrize("group", GROUPS)
def test_nasty_graphs_as_edges_and_as_rows(group: int, device: Device) -> None:
    with tuned(device, small=100_000, small_group=group):
        for graph in NASTY.values():
            expected = pj.components(
                graph, algorithm="union-find", device="reference", union="index", find="splitting"
            ).labels
            path = "serial" if group == 1 else "one-group"
            check(stored_edges(graph), device, graph.vertices, expected, path)
            check(graph, device, None, expected, path)


@pytest.mark.parametrize("group", GROUPS)
@settings(max_examples=60)
@given(graph=graphs(), over=st.sampled_from([-1, 0, 1]), as_rows=st.booleans())
def test_scipy_agrees_on_either_side_of_the_threshold(
    group: int, device: Device, graph: pj.Graph, over: int, as_rows: bool
) -> None:
    size = graph.vertices + graph.directed_edges
    one = "serial" if group == 1 else "one-group"
    matrix = graph.to_scipy()
    expected = scipy_components(matrix)[1] if graph.vertices else np.empty(0, np.int32)
    with tuned(device, small=size - over, small_group=group):
        path = one if over < 1 else "several launches"
        given = matrix if as_rows else stored_edges(graph)
        check(given, device, None if as_rows else graph.vertices, expected, path)


@pytest.mark.parametrize("group", GROUPS)
def test_more_vertices_or_edges_than_work_items_and_fewer(group: int, device: Device) -> None:
    rng = np.random.default_rng(5)
    with tuned(device, small=100_000, small_group=group):
        for n in {1, max(1, group - 1), group, group + 1, 20 * group, 3001}:
            for m in {0, 1, group - 1, group, group + 1, 5000}:
                s, t = rng.integers(0, n, m), rng.integers(0, n, m)
                pattern = sp.coo_array((np.ones(m), (s, t)), shape=(n, n)).tocsr()
                expected = scipy_components(pattern)[1]
                path = "serial" if group == 1 else "one-group"
                check((s, t), device, n, expected, path)
                check(pattern, device, None, expected, path)


@pytest.mark.parametrize("group", GROUPS)
def test_edges_in_a_hostile_order(group: int, device: Device) -> None:
    """A star around the last vertex, edges descending: without shortened paths, n walks of n steps."""
    n = 20_000
    leaves = np.arange(n - 1)[::-1]
    with tuned(device, small=100_000, small_group=group):
        for edges in ((np.full(n - 1, n - 1), leaves), (leaves, np.full(n - 1, n - 1)), (leaves, leaves + 1)):
            assert pj.components(edges, device=device).count == 1


def test_the_callers_arrays_stay_as_they_are(device: Device) -> None:
    rng = np.random.default_rng(6)
    for dtype in (np.int32, np.int64, np.uint32):
        s, t = rng.integers(0, 500, 700).astype(dtype), rng.integers(0, 500, 700).astype(dtype)
        pairs = np.column_stack([s, t])
        copies = s.copy(), t.copy(), pairs.copy()
        first = pj.components((s, t), device=device).labels
        np.testing.assert_array_equal(pj.components(pairs, device=device).labels, first)
        for array, copy in zip((s, t, pairs), copies, strict=True):
            np.testing.assert_array_equal(array, copy)


def test_labels_belong_to_the_caller(device: Device) -> None:
    """Buffers are used again by the next call; what was returned must not be."""
    first = pj.components(([0, 1], [1, 2]), device=device, vertices=4)
    pj.components(([3], [2]), device=device, vertices=4)
    assert first.labels.tolist() == [0, 0, 0, 1]
    first.labels[:] = 7
    assert pj.components(([0, 1], [1, 2]), device=device, vertices=4).labels.tolist() == [0, 0, 0, 1]


def test_a_device_may_share_no_memory_with_the_host(device: Device) -> None:
    session = Session(replace(device, host_memory=False))
    for labels, expected in (("consecutive", [0, 1, 0, 2, 2]), ("representative", [0, 1, 0, 3, 3])):
        for graph in (([0, 4], [2, 3]), pj.Graph.from_edges([0, 4], [2, 3]).in_rows()):
            found = pj.components(graph, device=session, labels=labels)
            assert path_of(found) in ("serial", "one-group")
            assert found.labels.tolist() == expected
    assert pj.components(([], []), device=session).count == 0


def test_only_auto_takes_the_short_way(device: Device) -> None:
    edges = ([0, 4], [2, 3])
    assert pj.components(edges, device=device).stats["algorithm"] == "one-group"
    for choices in ({"algorithm": "afforest"}, {"algorithm": "ecl-cc"}, {"reads": "plain"}):
        stats = pj.components(edges, device=device, **choices).stats
        assert stats["algorithm"] != "one-group"


def test_every_class_of_device_has_a_threshold() -> None:
    for tuning in TUNING.values():
        assert tuning.small >= 0
        assert tuning.small_group >= 1


# -- several threads at once, and what they share -------------------------------------------------------


@pytest.mark.parametrize("small", [-1, 100_000])
def test_threads_do_not_set_each_others_arguments(small: int, device: Device) -> None:
    rng = np.random.default_rng(8)
    graphs = []
    for n in (1, 10, 100, 1000, 3000, 4000, 5000, 6000):
        s, t = rng.integers(0, n, n), rng.integers(0, n, n)
        graphs.append(
            ((s, t), n, pj.components((s, t), algorithm="union-find", device="reference", vertices=n).labels)
        )
    start = Barrier(len(graphs))

    def work(first: int) -> None:
        start.wait()
        for i in range(25):
            edges, n, expected = graphs[(first + i) % len(graphs)]
            found = pj.components(edges, device=device, vertices=n)
            np.testing.assert_array_equal(found.labels, expected)

    with tuned(device, small=small), ThreadPoolExecutor(len(graphs)) as pool:
        for done in [pool.submit(work, first) for first in range(len(graphs))]:
            done.result()


def test_threads_may_share_a_graph_on_the_device(device: Device) -> None:
    rng = np.random.default_rng(9)
    n = 20_000
    d = pj.to_device((rng.integers(0, n, n), rng.integers(0, n, n)), device)
    for algorithm in ("shiloach-vishkin", "auto"):
        expected = pj.components(d, algorithm=algorithm).labels

        def work(_: int, algorithm: str = algorithm, expected: np.ndarray = expected) -> None:
            for _ in range(10):
                np.testing.assert_array_equal(pj.components(d, algorithm=algorithm).labels, expected)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(4)))


def test_kernels_are_lent_to_one_launch_at_a_time(device: Device) -> None:
    session = Session(device)
    program = session.program("labels.cl")
    n = 100
    buffers = [session.put_writable(np.zeros(n, np.int32), "a test's words") for _ in range(3)]
    once = Shape((1,), (1,))

    def launch(vertices: int, which: int) -> object:
        return session.launch(program, "clear_smallest", once, np.uint32(vertices), buffers[which])

    first, second = launch(n, 0), launch(7, 1)
    assert first._kernel is not second._kernel
    kernel = first._kernel
    first()
    del first  # enqueued: what its kernel is set to now is none of its business
    third = launch(9, 2)
    assert third._kernel is kernel
    second()
    third()
    lengths = (n, 7, 9)
    for buffer, length in zip(buffers, lengths, strict=True):
        np.testing.assert_array_equal(session.get(buffer, n), np.where(np.arange(n) < length, length, 0))


def test_a_name_is_looked_for_once(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYOPENCL_TEST", "PYOPENCL_CTX"):
        monkeypatch.delenv(name, raising=False)
    assert session_for(device) is session_for(device)
    assert session_for(device.platform) is session_for(device)
    assert session_for() is session_for()
    monkeypatch.setenv("PYOPENCL_CTX", device.platform)  # what the environment says may change
    assert session_for().device == device
    with pytest.raises(pj.DeviceError):
        session_for("no such thing")
    monkeypatch.setenv("PYOPENCL_CTX", "no such thing")
    with pytest.raises(pj.DeviceError):
        session_for()


@pytest.mark.parametrize("shows", [True, False], ids=["in place", "as a driver that keeps a copy"])
def test_scratch_is_read_in_place(shows: bool, device: Device) -> None:
    """What was read from scratch is the caller's own: the next run, which writes there, leaves it."""
    session = Session(device)
    if not shows:
        session.__dict__["shows_writes"] = False
    scratch = session.scratch("a test's", 1000)
    assert (scratch.hostbuf is not None) == (session.shows_writes and device.type == "cpu")
    given = np.arange(1000, dtype=np.int32)
    session.copy_into(scratch, given)
    np.testing.assert_array_equal(session.get(scratch, 7, first=10), given[10:17])
    np.testing.assert_array_equal(session.get(scratch, 500, np.int64), given.view(np.int64))

    rings = [(np.arange(n), np.roll(np.arange(n), 1)) for n in (3, 1000, 20)]
    found = [pj.components(ring, device=session).labels for ring in rings]
    ranks = [pj.list_rank(np.minimum(np.arange(n) + 1, n - 1), device=session) for n in (3, 1000, 20)]
    for n, labels, rank in zip((3, 1000, 20), found, ranks, strict=True):
        np.testing.assert_array_equal(labels, np.zeros(n))
        np.testing.assert_array_equal(rank, np.arange(n)[::-1])


def test_scratch_that_grows_outlives_the_kernels_that_use_it(device: Device) -> None:
    """Its array is NumPy's, which would free it while a kernel writes there."""
    session = Session(device)
    if not session.shows_writes:
        pytest.skip("scratch is the driver's own")
    session.scratch("a test's", 1000)
    gate = cl.UserEvent(session.context)
    last = cl.enqueue_barrier(session.queue, wait_for=[gate])
    Timer(0.2, lambda: gate.set_status(cl.command_execution_status.COMPLETE)).start()
    session.scratch("a test's", 2000)
    assert last.command_execution_status == cl.command_execution_status.COMPLETE
