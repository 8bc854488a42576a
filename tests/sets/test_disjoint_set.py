"""Disjoint sets: on any device, and in plain Python, every answer is scipy's for all edges so far."""

from __future__ import annotations

import copy
import pickle
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier, Thread
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import NASTY, graphs
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from scipy.cluster.hierarchy import DisjointSet as ScipyDisjointSet
from scipy.sparse.csgraph import connected_components
from test_schedules import machines

import pointerjump as pj
from pointerjump.accel.disjoint_set import DeviceDisjointSet
from pointerjump.accel.runtime.devices import Device, devices
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.reference.disjoint_set import DisjointSets
from pointerjump.reference.machine import Machine
from pointerjump.registry import parse_variant

WORKING = [*(device for device in devices() if device.works), "reference"]
EVERYWHERE = pytest.mark.parametrize(
    "where",
    [pytest.param(where, id=str(getattr(where, "platform", where)).split("(")[0]) for where in WORKING],
)
LIMIT = "pointerjump.base.limits.MOST_NARROW_VERTICES"
"""The largest number of vertices whose parents are int32."""

MOST = 40  # vertices of a drawn set
DTYPES = ("i1", "u1", "i2", "u2", "i4", ">i4", "u4", "i8", "u8", ">u8")
Ids = np.ndarray


def labels_by_scipy(vertices: int, sources: Any, targets: Any) -> Ids:
    """Scipy numbers components in the order of their smallest vertices, as we do."""
    if vertices == 0:
        return np.empty(0, np.int32)
    edges = (np.ones(len(sources), np.int8), (np.asarray(sources, int), np.asarray(targets, int)))
    return connected_components(sp.coo_array(edges, shape=(vertices, vertices)), directed=False)[1]


def smallest_of(labels: Ids) -> Ids:
    """The smallest vertex of each vertex's component."""
    return np.unique(labels, return_index=True)[1][labels] if len(labels) else labels


def random_edges(seed: int, vertices: int, edges: int) -> tuple[Ids, Ids]:
    sources, targets = np.random.default_rng(seed).integers(0, vertices, (2, edges))
    return sources, targets


def merged(where: object, sources: Any, targets: Any, vertices: int | None = None) -> pj.DisjointSet:
    forest = pj.DisjointSet(vertices, where)
    forest.merge(sources, targets)
    return forest


# -- every call, in any order ----------------------------------------------------------------------


def in_blocks(s: Ids, t: Ids, n: int) -> tuple[Iterator[object]]:
    middle = len(s) // 2
    return (iter([(s[:middle], t[:middle]), np.stack([s[middle:], t[middle:]], axis=1)]),)


FORMS: dict[str, Callable[[Ids, Ids, int], tuple]] = {
    "two arrays": lambda s, t, n: (s, t),
    "a tuple": lambda s, t, n: ((s, t),),
    "pairs": lambda s, t, n: (np.stack([s, t], axis=1),),
    "lists": lambda s, t, n: (s.tolist(), t.tolist()),
    "columns of a table": lambda s, t, n: (*np.stack([s, t, s], axis=1).T[:2],),
    "a graph": lambda s, t, n: (pj.Graph.from_edges(s, t, vertices=n),),
    "rows": lambda s, t, n: (pj.Graph.from_edges(s, t, vertices=n).in_rows(),),
    "a matrix": lambda s, t, n: (sp.coo_array((np.ones(len(s)), (s, t)), shape=(n, n)),),
    "blocks": in_blocks,
}
"""Takes sources, targets and the number of vertices; returns the arguments of `merge`."""


class SameCallsEverywhere(RuleBasedStateMachine):
    """Sets on all devices and in plain Python get the same calls; scipy knows the answers."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()

    def teardown(self) -> None:
        self.folder.cleanup()

    @initialize(vertices=st.none() | st.integers(0, MOST))
    def begin(self, vertices: int | None) -> None:
        self.fixed = vertices is not None
        self.vertices = vertices or 0
        self.sets = [pj.DisjointSet(vertices, where) for where in WORKING]
        self.sources: list[int] = []
        self.targets: list[int] = []

    # What is drawn, and what is expected.

    def draw_ids(self, data: st.DataObject, largest: int, size: int | None = None) -> list[int]:
        ids = st.integers(0, max(largest, 0))
        most = 0 if largest < 0 else 12
        return data.draw(st.lists(ids, min_size=size or 0, max_size=most if size is None else size))

    def draw_edges(self, data: st.DataObject, dtype: str = "i8") -> tuple[Ids, Ids]:
        s = self.draw_ids(data, (self.vertices if self.fixed else MOST) - 1)
        t = self.draw_ids(data, (self.vertices if self.fixed else MOST) - 1, len(s))
        return np.array(s, dtype), np.array(t, dtype)

    def remember(self, sources: Ids, targets: Ids) -> None:
        self.sources += sources.tolist()
        self.targets += targets.tolist()
        self.vertices = max([self.vertices, *(sources + 1), *(targets + 1)])

    def labels(self) -> Ids:
        return labels_by_scipy(self.vertices, self.sources, self.targets)

    # What changes a set.

    @precondition(lambda self: not self.fixed)
    @rule(v=st.integers(0, MOST - 1) | st.lists(st.integers(0, MOST - 1)))
    def add(self, v: int | list[int]) -> None:
        for forest in self.sets:
            forest.add(v)
        self.vertices = max([self.vertices, *(np.array(v, int).ravel() + 1)])

    @precondition(lambda self: self.vertices or not self.fixed)
    @rule(data=st.data())
    def merge_one_pair(self, data: st.DataObject) -> None:
        u, v = data.draw(st.tuples(*[st.integers(0, (self.vertices if self.fixed else MOST) - 1)] * 2))
        before = self.labels()
        apart = u != v and (max(u, v) >= self.vertices or before[u] != before[v])
        for forest in self.sets:
            assert forest.merge(u, v) is bool(apart)
        self.remember(np.array([u]), np.array([v]))

    @rule(data=st.data(), form=st.sampled_from(list(FORMS)), dtype=st.sampled_from(DTYPES))
    def merge(self, data: st.DataObject, form: str, dtype: str) -> None:
        s, t = self.draw_edges(data, dtype)
        self.remember(s.astype(int), t.astype(int))
        for forest in self.sets:
            assert forest.merge(*FORMS[form](s, t, self.vertices)) is None

    @rule(data=st.data(), where=st.sampled_from(WORKING))
    def update(self, data: st.DataObject, where: object) -> None:
        s, t = self.draw_edges(data)
        other = merged(where, s, t)
        for forest in self.sets:
            forest.update(other)
        self.remember(s, t)

    @rule()
    def update_with_each_other(self) -> None:
        for one, other in pairwise([*self.sets, self.sets[0], self.sets[0]]):
            one.update(other)

    @rule()
    def save_and_load_elsewhere(self) -> None:
        path = Path(self.folder.name) / "set.npz"
        for i, (forest, where) in enumerate(zip(self.sets, WORKING[1:] + WORKING[:1], strict=True)):
            forest.save(path)
            self.sets[i] = pj.DisjointSet.load(path, where)

    # What asks.

    @invariant()
    def sizes_are_right(self) -> None:
        count = self.labels().max(initial=-1) + 1
        for forest in self.sets:
            assert (forest.n_subsets, forest.vertices, len(forest)) == (count, self.vertices, self.vertices)

    @precondition(lambda self: self.vertices)
    @rule(data=st.data(), dtype=st.sampled_from(DTYPES))
    def ask_about_some(self, data: st.DataObject, dtype: str) -> None:
        labels = self.labels()
        us = np.array(self.draw_ids(data, self.vertices - 1), dtype)
        vs = np.array(self.draw_ids(data, self.vertices - 1, len(us)), dtype)
        for forest in self.sets:
            same = forest.connected(us, vs)
            assert same.dtype == bool
            np.testing.assert_array_equal(same, labels[us] == labels[vs])
            np.testing.assert_array_equal(forest.find(us), smallest_of(labels)[us])
            np.testing.assert_array_equal(forest[us], smallest_of(labels)[us])
            np.testing.assert_array_equal(forest.subset_size(us), np.bincount(labels)[labels[us]])

    @precondition(lambda self: self.vertices)
    @rule(data=st.data())
    def ask_about_one(self, data: st.DataObject) -> None:
        labels = self.labels()
        u, v = data.draw(st.tuples(*[st.integers(0, self.vertices - 1)] * 2))
        mates = np.flatnonzero(labels == labels[v])
        for forest in self.sets:
            assert forest.connected(u, v) is bool(labels[u] == labels[v])
            assert forest.find(v) == forest[v] == mates[0]
            assert forest.subset_size(v) == len(mates)
            np.testing.assert_array_equal(forest.subset(v), mates)
            assert v in forest
            assert self.vertices not in forest

    @rule()
    def ask_about_all(self) -> None:
        labels = self.labels()
        subsets = [np.flatnonzero(labels == label).tolist() for label in range(labels.max(initial=-1) + 1)]
        for forest in self.sets:
            assert [subset.tolist() for subset in forest.subsets()] == subsets
            assert forest.sizes.tolist() == [len(subset) for subset in subsets]
            assert forest.largest().tolist() == max(subsets, key=len, default=[])
            assert list(forest) == list(range(self.vertices))
            np.testing.assert_array_equal(forest.labels(), labels)
            np.testing.assert_array_equal(forest.labels("representative"), smallest_of(labels))


SameCallsEverywhere.TestCase.settings = settings(max_examples=30, stateful_step_count=12)
TestSameCallsEverywhere = SameCallsEverywhere.TestCase


@EVERYWHERE
def test_scipys_names_give_scipys_answers(where: object) -> None:
    n = 60
    ours, scipys = pj.DisjointSet(n, where), ScipyDisjointSet(range(n))
    for u, v in zip(*(ends.tolist() for ends in random_edges(1, n, 70)), strict=True):
        assert ours.merge(u, v) == scipys.merge(u, v)
        assert ours.n_subsets == scipys.n_subsets
        assert ours.connected(v, n - 1) == scipys.connected(v, n - 1)
    assert [set(subset.tolist()) for subset in ours.subsets()] == scipys.subsets()
    assert set(ours.subset(5).tolist()) == scipys.subset(5)
    assert ours.subset_size(5) == scipys.subset_size(5)
    assert list(ours) == list(scipys)
    assert len(ours) == len(scipys)


# -- shaped graphs, orders and blocks --------------------------------------------------------------


@EVERYWHERE
@pytest.mark.parametrize("limit", [None, 0], ids=["32-bit", "64-bit"])
def test_nasty_graphs_in_blocks(where: object, limit: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if limit is not None:
        monkeypatch.setattr(LIMIT, limit)
    for name, graph in NASTY.items():
        forest = pj.DisjointSet(graph.vertices, where)
        for begin in range(0, graph.directed_edges, 997):
            forest.merge(graph.sources[begin : begin + 997], graph.neighbors[begin : begin + 997])
        labels = labels_by_scipy(graph.vertices, graph.sources, graph.neighbors)
        np.testing.assert_array_equal(forest.labels(), labels, err_msg=name)
        assert forest.n_subsets == labels.max(initial=-1) + 1, name


def test_neither_order_nor_blocks_nor_devices_show() -> None:
    """Edges in another order, direction, number or division, on any devices, have the same answers."""
    rng = np.random.default_rng(34)
    n, m = 3000, 2500
    s, t = random_edges(34, n, m)
    expected = labels_by_scipy(n, s, t)
    for where in WORKING * 4:
        again = np.append(rng.permutation(m), rng.integers(0, m, m // 3))
        turned = rng.random(len(again)) < 0.5
        u, v = np.where(turned, s[again], t[again]), np.where(turned, t[again], s[again])
        cuts = np.sort(rng.integers(0, len(again), rng.integers(0, 12)))
        parts = list(zip(np.split(u, cuts), np.split(v, cuts), strict=True))
        forest, other = pj.DisjointSet(n, where), pj.DisjointSet(device=WORKING[rng.integers(len(WORKING))])
        for part in parts:
            (forest if rng.random() < 0.7 else other).merge(*part)
        forest.update(other)
        np.testing.assert_array_equal(forest.labels(), expected)
        assert forest.n_subsets == expected.max() + 1


@EVERYWHERE
@pytest.mark.parametrize(
    "graph",
    [
        pytest.param([[0, 1], [3, 4]], id="list"),
        pytest.param("grid2d:rows=9,columns=9,keep=0.4,seed=1", id="spec"),
        pytest.param(nx.disjoint_union(nx.path_graph(4), nx.star_graph(5)), id="networkx"),
        pytest.param(sp.csr_array(np.eye(6, k=3)), id="csr"),
        pytest.param(pj.Graph.from_edges([0], [2], vertices=9), id="isolated vertices"),
    ],
)
def test_what_components_takes(where: object, graph: Any) -> None:
    expected = pj.components(graph, device="reference").labels
    forest = pj.DisjointSet(device=where)
    forest.merge(graph)
    np.testing.assert_array_equal(forest.labels(), expected)


@EVERYWHERE
def test_a_file(where: object, tmp_path: Path) -> None:
    pj.write(NASTY["two hubs"], tmp_path / "graph.egr")
    forest = merged(where, [1], [2000])
    forest.merge(tmp_path / "graph.egr")
    assert (forest.n_subsets, forest.subset_size(2000)) == (1 + 2000 - 1000, 1001)


def test_ids_in_a_file_are_kept(device: Device, tmp_path: Path) -> None:
    """`components` renumbers such ids, but numbers of one block would be wrong in the next."""
    path = tmp_path / "sparse.el"
    path.write_text(f"0 {2**24}\n")
    assert pj.components(path, device=device).names.tolist() == [0, 2**24]
    forest = pj.DisjointSet(device=device)
    forest.merge(path)
    assert (forest.vertices, forest.n_subsets, forest.find(2**24)) == (2**24 + 1, 2**24, 0)


def test_a_graph_on_the_device(device: Device) -> None:
    resident = pj.to_device(NASTY["dense random"], device)
    forest = pj.DisjointSet(device=device)
    forest.merge(resident)
    np.testing.assert_array_equal(forest.labels(), pj.components(resident).labels)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_edges_in_arrays_on_the_device(device: Device, dtype: type) -> None:
    import pyopencl.array as cl_array

    n = 5000
    s, t = (ends.astype(dtype) for ends in random_edges(3, n, 4000))
    queue = session_for(device).queue
    forest = pj.DisjointSet(n, device)
    forest.merge(cl_array.to_device(queue, s), cl_array.to_device(queue, t))
    before = forest.labels()
    np.testing.assert_array_equal(before, labels_by_scipy(n, s, t))
    forest.merge(*[cl_array.to_device(queue, ends)[1:].with_queue(None) for ends in (s, t)])
    for ends in ([1, n], [1, -1]):
        bad = cl_array.to_device(queue, np.array(ends, dtype))
        with pytest.raises(
            pj.GraphError, match=rf"{ends[1]}.*(negative|not below the number of vertices, {n})"
        ):
            forest.merge(bad, bad)
    with pytest.raises(pj.GraphError):
        forest.merge(cl_array.to_device(queue, s), cl_array.to_device(queue, t[:-1].copy()))
    with pytest.raises(pj.GraphError):
        forest.merge(*[cl_array.to_device(queue, ends.astype(np.float32)) for ends in (s, t)])
    elsewhere = Session(device)
    with pytest.raises(pj.GraphError, match="context"):
        forest.merge(*[cl_array.to_device(elsewhere.queue, ends) for ends in (s, t)])
    np.testing.assert_array_equal(forest.labels(), before)


@pytest.mark.parametrize("limit", [None, 100], ids=["32-bit", "64-bit"])
@pytest.mark.parametrize("host_memory", [True, False], ids=["host's memory", "own memory"])
def test_a_block_of_many_chunks(
    device: Device, host_memory: bool, limit: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Large blocks travel in chunks, each checked on its way; a CPU may be treated as a GPU is."""
    if limit is not None:
        monkeypatch.setattr(LIMIT, limit)
    if host_memory and not device.host_memory:
        pytest.skip(f"{device.device} does not share the host's memory")
    session = Session(replace(device, host_memory=host_memory))
    n, m = 50_000, 600_000
    s, t = random_edges(5, n, m)
    s[m // 25 :] //= 5  # so that not everything is connected
    t[m // 25 :] //= 5
    expected = labels_by_scipy(n, s, t)
    assert 1000 < expected.max() < n // 2
    for edges in (np.stack([s, t], axis=1), (s.astype(np.int32), t.astype(np.uint64))):
        forest = pj.DisjointSet(device=session)
        forest.merge(edges)
        forest.add(n - 1)
        np.testing.assert_array_equal(forest.labels(), expected)
        assert forest.n_subsets == expected.max() + 1
    fixed = pj.DisjointSet(n, session)
    for bad in (n, -1):
        wrong = s.copy()
        wrong[-3] = bad
        assert f"sources[{m - 3}] is {bad}" in fact_of(lambda wrong=wrong: fixed.merge(wrong, t))
        assert fixed.n_subsets == fixed.labels().max() + 1
    fixed.merge(s, t)
    np.testing.assert_array_equal(fixed.labels(), expected)


def test_batches_share_one_ring(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Making a ring takes longer than merging a small batch."""
    session = Session(device)
    made, make = [], session._make_ring
    monkeypatch.setattr(session, "_make_ring", lambda: made.append(1) or make())
    forest = pj.DisjointSet(100, session)
    for seed in range(5):
        forest.merge(*random_edges(seed, 100, 50))
    assert len(made) == 1


def test_two_equal_devices_are_two(device: Device) -> None:
    """A machine may have several GPUs that only their handles tell apart; parts of a CPU are like that."""
    import pyopencl as cl

    try:
        parts = device.handle.create_sub_devices([cl.device_partition_property.EQUALLY, 1])
    except cl.Error as error:
        pytest.skip(f"{device} cannot be divided: {error}")
    if len(parts) < 2:
        pytest.skip(f"{device} has a single compute unit")
    sessions = [session_for(part) for part in parts[:2]]
    assert sessions[0] is not sessions[1]
    assert [session.device.handle for session in sessions] == parts[:2]
    one, other = (merged(session, [0], [1 + i]) for i, session in enumerate(sessions))
    one.update(other)
    assert one.labels().tolist() == [0, 0, 0]


# -- long chains -----------------------------------------------------------------------------------


def labels_after_update(forest: pj.DisjointSet) -> Ids:
    other = pj.DisjointSet(device="reference")
    other.update(forest)
    return other.labels()


@EVERYWHERE
@pytest.mark.parametrize(
    "ask",
    [
        lambda forest: forest.labels(),
        lambda forest: forest.labels("representative"),
        lambda forest: forest.find(range(len(forest))),
        lambda forest: ~forest.connected(0, range(len(forest))),
        labels_after_update,
    ],
    ids=["labels", "representatives", "find", "connected", "update"],
)
def test_chains_are_walked_to_their_roots(where: object, ask: Callable[[pj.DisjointSet], Ids]) -> None:
    """Edge by edge from its far end, a path becomes one chain, too early for it to be compressed."""
    n, step = 60_000, 200
    forest = pj.DisjointSet(n, where)
    for v in range(n - step, 0, -step):
        forest.merge(v, v - step)
    assert forest.n_subsets == n - n // step + 1
    found = ask(forest)
    assert not found[::step].any()
    assert np.count_nonzero(found) == n - n // step


def test_trees_are_compressed_as_often_as_by_the_reference(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    s, t = random_edges(2, 100, 1000)
    compress, times = DeviceDisjointSet._compress, []
    monkeypatch.setattr(DeviceDisjointSet, "_compress", lambda self: times.append(compress(self)))
    forest = pj.DisjointSet(100, device)
    with Machine(counting=False) as machine:
        for either in (forest, pj.DisjointSet(100, "reference")):
            for begin in range(0, 1000, 7):
                either.merge(s[begin : begin + 7], t[begin : begin + 7])
    assert len(times) == machine.rounds("compress") == len([105, 420])
    forest.labels()  # which needs flat trees, though a CPU that takes vertices in order would hide it
    assert len(times) == 3


# -- the reference on a parallel machine -----------------------------------------------------------


@settings(max_examples=60)
@given(graph=graphs(), machine=machines(), block=st.integers(1, 30))
def test_the_reference_under_any_schedule(graph: pj.Graph, machine: Machine, block: int) -> None:
    """Blocks and queries take turns; the hooks are counted right, whatever stale parents they saw."""
    n, s, t = graph.vertices, graph.sources, graph.neighbors
    with machine:
        forest = DisjointSets(n)
        for begin in range(0, len(s), block):
            forest.merge(s[begin : begin + block], t[begin : begin + block])
            labels = labels_by_scipy(n, s[: begin + block], t[: begin + block])
            assert forest.n_subsets == labels.max() + 1
            np.testing.assert_array_equal(forest.find(np.arange(n)), smallest_of(labels))
        other = DisjointSets(n // 2)
        other.update(forest.representatives())
    np.testing.assert_array_equal(other.representatives(), smallest_of(labels_by_scipy(n, s, t)))


# -- growing, and 64-bit parents -------------------------------------------------------------------


@EVERYWHERE
def test_growing_in_many_steps(where: object) -> None:
    forest = pj.DisjointSet(device=where)
    assert (forest.n_subsets, forest.vertices, forest.labels().tolist()) == (0, 0, [])
    for v in range(700):
        assert forest.merge(v, v + 2)
        assert (forest.n_subsets, forest.vertices) == (2, v + 3)
    forest.add(100_000)
    assert (forest.n_subsets, forest.vertices) == (2 + 100_001 - 702, 100_001)
    np.testing.assert_array_equal(forest.labels()[:702], np.arange(702) % 2)


@EVERYWHERE
def test_growing_past_32_bits(where: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(LIMIT, 100)
    forest, edges = pj.DisjointSet(device=where), np.empty((2, 0), int)
    for n, dtype in ((60, np.int32), (100, np.int32), (101, np.int64), (300, np.int64)):
        block = np.stack([*random_edges(n, n, n // 2)])
        block[0, 0] = n - 1
        edges = np.append(edges, block, axis=1)
        forest.merge(*block)
        labels = labels_by_scipy(n, *edges)
        for found, expected in (
            (forest.labels(), labels),
            (forest.labels("representative"), smallest_of(labels)),
            (forest.find(np.arange(n)), smallest_of(labels)),
        ):
            assert found.dtype == dtype
            np.testing.assert_array_equal(found, expected)
        assert forest.n_subsets == labels.max() + 1
        assert forest.sizes.dtype == np.int64
        assert forest.connected(int(block[0, 3]), int(block[1, 3]))
    narrow = merged(where, [5], [90])
    narrow.update(forest)
    np.testing.assert_array_equal(
        narrow.labels(), labels_by_scipy(300, *np.append(edges, [[5], [90]], axis=1))
    )
    forest.update(merged(where, [5], [90]))
    np.testing.assert_array_equal(forest.labels(), narrow.labels())
    forest.save(tmp_path / "wide.npz")
    monkeypatch.undo()
    loaded = pj.DisjointSet.load(tmp_path / "wide.npz", where)
    assert loaded.labels().dtype == np.int32
    np.testing.assert_array_equal(loaded.labels(), forest.labels())


@pytest.mark.parametrize("wide", [False, True], ids=["32-bit", "64-bit"])
@pytest.mark.parametrize("reads", ["plain", "atomic"])
@pytest.mark.parametrize("access", ["striding", "partitioning"])
def test_variants(
    access: str, reads: str, wide: bool, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LIMIT, 100 if wide else 2**31 - 1)
    n = 20_000
    edges = np.stack(random_edges(3, n, n))
    forest = pj.DisjointSet(device=device, access=access, reads=reads)
    forest.merge(*edges[:, : n // 2])
    other = pj.DisjointSet(device=device, access=access, reads=reads)
    other.merge(*edges[:, n // 2 :])
    forest.update(other)
    labels = labels_by_scipy(forest.vertices, *edges)
    assert forest.labels().dtype == (np.int64 if wide else np.int32)
    np.testing.assert_array_equal(forest.labels(), labels)
    found = pj.components(
        iter([edges.T]), algorithm="disjoint-set", device=device, access=access, reads=reads
    )
    np.testing.assert_array_equal(found.labels, labels)
    if not wide:  # a graph in one piece never has 64-bit parents
        again = pj.components(
            edges.T,
            algorithm=found.stats["algorithm"],
            device=device,
            **parse_variant(found.stats["variant"]),
        )
        np.testing.assert_array_equal(again.labels, labels)


def test_variants_that_there_are_not(device: Device) -> None:
    for variant in ({"reads": "bold"}, {"colour": "red"}, {"block": 5}):
        with pytest.raises(pj.AlgorithmError, match=f"{next(iter(variant))}.*: "):
            pj.DisjointSet(device=device, **variant)
        with pytest.raises(pj.AlgorithmError):
            pj.DisjointSet(device="reference", **variant)


@EVERYWHERE
def test_sets_are_not_copied(where: object) -> None:
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(pj.PointerjumpError, match="cannot be copied or pickled: save it"):
            attempt(pj.DisjointSet(3, where))


def test_devices_without_64_bit_atomics_refuse(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LIMIT, 100)
    without = Session(replace(device, int64_atomics=False))
    with pytest.raises(pj.DeviceError, match=r"64-bit atomic.*: "):
        pj.DisjointSet(101, without)
    forest = merged(without, [0, 98], [1, 99])
    for grow in (
        lambda: forest.merge([0, 0], [2, 100]),
        lambda: forest.merge(0, 100),
        lambda: forest.add(100),
    ):
        with pytest.raises(pj.DeviceError, match=r"64-bit atomic.*: "):
            grow()
    assert (forest.vertices, forest.n_subsets) == (100, 98)


# -- threads ---------------------------------------------------------------------------------------


@EVERYWHERE
def test_sixteen_threads_share_one(where: object) -> None:
    n, threads, blocks = 3000, 16, 5
    s, t = random_edges(16, n, 2400)
    shares = [
        (np.array_split(s[i::threads], blocks), np.array_split(t[i::threads], blocks)) for i in range(threads)
    ]
    forest, start = pj.DisjointSet(n, where), Barrier(threads)

    def work(sources: list[Ids], targets: list[Ids]) -> None:
        *sources, last_sources = sources
        *targets, last_targets = targets
        start.wait()
        for u, v in zip(sources, targets, strict=True):
            before = forest.n_subsets
            forest.merge(u, v)
            assert forest.connected(u, v).all()
            assert forest.n_subsets <= before
            assert forest.merge(int(u[0]), int(v[0])) is False
        forest.update(merged("reference", last_sources, last_targets))

    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, *share) for share in shares]:
            done.result()
    expected = labels_by_scipy(n, s, t)
    np.testing.assert_array_equal(forest.labels(), expected)
    assert forest.n_subsets == expected.max() + 1


def test_two_threads_join_two_sets_both_ways(device: Device) -> None:
    """Threads that held one set while they waited for the other would wait for ever."""
    for elsewhere in ("reference", Session(device)):
        join_both_ways(merged(device, [0], [1], vertices=4), merged(elsewhere, [2], [3], vertices=4))


def join_both_ways(one: pj.DisjointSet, other: pj.DisjointSet) -> None:
    def join(a: pj.DisjointSet, b: pj.DisjointSet) -> None:
        for _ in range(50):
            a.update(b)

    threads = [Thread(target=join, args=both, daemon=True) for both in ((one, other), (other, one))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert one.labels().tolist() == other.labels().tolist() == [0, 0, 1, 1]


DROPPING = """
import sys
import numpy as np
import pointerjump as pj
device = next(d for d in pj.devices() if str(d) == sys.argv[1])
edges = np.random.default_rng(1).integers(0, 2_000_000, (60_000, 2))
for _ in range(20):
    pj.DisjointSet(2_000_000, device).merge(edges)
    np.full(2_000_000, -1, np.int32)
"""


def test_a_set_may_be_dropped_while_kernels_use_it(device: Device) -> None:
    """Nobody waits for the merging, and the memory of the parents is soon somebody else's."""
    done = subprocess.run([sys.executable, "-c", DROPPING, str(device)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_was_linked_before_an_error_is_counted(device: Device) -> None:
    """Kernels that check ids link the good edges of a block that is refused."""
    session = Session(replace(device, host_memory=False))
    n, m = 20_000, 300_000
    s, t = random_edges(3, n, m)
    for bad in (-1, 2**62):
        wrong = s.astype(np.int64)
        wrong[m // 2] = bad
        forest = pj.DisjointSet(device=session)
        with pytest.raises(pj.PointerjumpError):
            forest.merge(wrong, t.astype(np.int64))
        labels = forest.labels()
        assert forest.n_subsets == labels.max(initial=-1) + 1
        forest.merge(s, t)
        np.testing.assert_array_equal(forest.labels(), labels_by_scipy(forest.vertices, s, t))


def test_one_vertex_is_compared_with_none(device: Device) -> None:
    forest = merged(device, [0], [1])
    assert forest.connected(0, []).tolist() == forest.connected([], 0).tolist() == []


# -- what is refused -------------------------------------------------------------------------------

BAD_EDGES = {
    "negative": ([0, -1], [1, 2]),
    "beyond the vertices": ([0, 3], [1, 5]),
    "beyond 32 bits": (np.array([0, 2**40]), np.array([1, 2])),
    "beyond 63 bits": (np.array([0, 2**63], np.uint64), np.array([1, 2], np.uint64)),
    "an int8 of -1": (np.array([0, -1], np.int8), np.array([1, 2], np.int8)),
    "floats": ([0.5], [1.5]),
    "whole floats": ([0.0], [1.0]),
    "NaN": ([0.0], [np.nan]),
    "booleans": ([True], [False]),
    "masked": (np.ma.array([0, 1], mask=[False, True]), [1, 2]),
    "strings": (["a"], ["b"]),
    "of two lengths": ([0, 1], [1]),
    "2-D sources": ([[0, 1]], [[1, 2]]),
    "ragged": ([0, [1]], [1, 2]),
    "triples": np.zeros((4, 3), int),
    "one-dimensional": np.arange(4),
    "a set": {0, 1},
    "none": None,
}


def fact_of(refused: Callable[[], object]) -> str:
    """The fact that a GraphError of one line names; the way out may be another."""
    with pytest.raises(pj.GraphError) as error:
        refused()
    fact, colon, way_out = str(error.value).partition(": ")
    assert colon
    assert way_out
    assert "\n" not in way_out
    return fact


@EVERYWHERE
@pytest.mark.parametrize("edges", [pytest.param(edges, id=name) for name, edges in BAD_EDGES.items()])
def test_bad_edges_are_refused_as_components_does(where: object, edges: Any) -> None:
    forest = merged(where, [2], [4], vertices=5)
    fact = fact_of(lambda: pj.components(edges, device="reference", vertices=5))
    assert fact_of(lambda: forest.merge(edges)) == fact
    if isinstance(edges, tuple):
        assert fact_of(lambda: forest.merge(*edges)) == fact
        assert fact_of(lambda: forest.merge(iter([edges]))) == fact
    assert forest.labels().tolist() == [0, 1, 2, 3, 2], "nothing of a refused block is merged"


@EVERYWHERE
def test_bad_pairs_are_refused(where: object) -> None:
    for vertices in (None, 5):
        forest = merged(where, [2], [4], vertices)
        for u, v in (
            (0, -1),
            (-(2**70), 0),
            (0, 0.5),
            (0, np.nan),
            (0, True),
            ("a", "b"),
            (0, [1, 2]),
            (0, None),
        ):
            fact_of(lambda u=u, v=v, forest=forest: forest.merge(u, v))
        assert forest.labels().tolist() == [0, 1, 2, 3, 2]
    for v in (5, 2**31, 2**40):
        assert "not below the number of vertices, 5" in fact_of(lambda v=v: forest.merge(0, v))
        fact_of(lambda v=v: forest.add(v))
    assert forest.vertices == 5


@EVERYWHERE
def test_growing_beyond_memory_is_refused(where: object) -> None:
    forest = merged(where, [0], [1])
    for v in (2**45, 2**62, 2**63 - 1, 2**70):
        for grow in (
            lambda v=v: forest.merge(0, v),
            lambda v=v: forest.merge([0], [v]),
            lambda v=v: forest.add(v),
        ):
            with pytest.raises(
                (pj.GraphError, pj.MemoryLimitError, pj.DeviceError), match=r"^[^\n]*: [^\n]*$"
            ):
                grow()
    assert (forest.vertices, forest.n_subsets) == (2, 1)


@EVERYWHERE
def test_questions_about_no_vertex_are_refused(where: object) -> None:
    forest = merged(where, [2], [4])
    for v in (5, -1, 2**40, 2**70, 1.0, True, "a", None, [0, 5], [-1], [0.5]):
        questions = (forest.find, forest.subset_size, forest.__getitem__, lambda v: forest.connected(v, v))
        for ask in questions if isinstance(v, list) else (*questions, forest.subset):
            fact_of(lambda ask=ask, v=v: ask(v))
        assert isinstance(v, list | bool | float) or v not in forest
    fact_of(lambda: forest.connected([0, 1, 2], [0, 1]))
    assert forest.find([]).tolist() == forest.connected([], []).tolist() == []


@EVERYWHERE
def test_bad_arguments_are_refused(where: object) -> None:
    for vertices in (-1, 2.0, True, "5"):
        fact = fact_of(
            lambda vertices=vertices: pj.components([[0, 1]], device="reference", vertices=vertices)
        )
        assert fact_of(lambda vertices=vertices: pj.DisjointSet(vertices, where)) == fact
    with pytest.raises(pj.PointerjumpError, match=r"^[^\n]*: [^\n]*$"):
        pj.DisjointSet(2**70, where)
    forest = merged(where, [2], [4], vertices=5)
    with pytest.raises(pj.AlgorithmError, match="labels='smallest'"):
        forest.labels("smallest")
    for other in ([0, 1], None, 3):
        with pytest.raises(pj.GraphError):
            forest.update(other)
    fact = fact_of(lambda: forest.update(merged(where, [0], [5])))
    assert fact == "the other set has 6 vertices, but this one has 5"
    assert forest.labels().tolist() == [0, 1, 2, 3, 2]


@EVERYWHERE
def test_blocks_before_a_failing_one_are_kept(where: object) -> None:
    def blocks() -> Iterator[object]:
        yield [0, 1], [1, 2]
        yield np.array([[5, 6]])
        raise OSError("the disk is gone")

    forest = pj.DisjointSet(device=where)
    with pytest.raises(OSError, match="the disk is gone"):
        forest.merge(blocks())
    assert (forest.n_subsets, forest.labels().tolist()) == (4, [0, 0, 0, 1, 2, 3, 3])
    fact_of(lambda: forest.merge(iter([([3], [4]), ([0], [0.5])])))
    assert (forest.n_subsets, forest.connected(3, 4)) == (3, True)


# -- files -----------------------------------------------------------------------------------------


@EVERYWHERE
def test_a_loaded_set_grows_if_the_saved_one_did(where: object, tmp_path: Path) -> None:
    for vertices in (None, 5):
        merged(where, [2], [4], vertices).save(tmp_path / "set.npz")
        loaded = pj.DisjointSet.load(tmp_path / "set.npz", where)
        if vertices is None:
            assert loaded.merge(4, 7)
            assert loaded.labels().tolist() == [0, 1, 2, 3, 2, 4, 5, 2]
        else:
            fact_of(lambda loaded=loaded: loaded.merge(4, 7))


def saved_arrays(path: Path) -> dict[str, Any]:
    """The arrays of a saved set of five vertices, in which 2 and 4 are one subset."""
    merged("reference", [2], [4]).save(path)
    with np.load(path) as arrays:  # which refuses to unpickle
        return dict(arrays)


@EVERYWHERE
def test_parents_in_a_file_may_form_any_forest(where: object, tmp_path: Path) -> None:
    arrays = saved_arrays(tmp_path / "set.npz")
    assert arrays["parents"].tolist() == [0, 1, 2, 3, 2]
    for parents in ([0, 0, 1, 2, 3], [0, 1, 2, 3, 4], [0, 1, 0, 1, 2], []):
        np.savez(tmp_path / "set.npz", **{**arrays, "parents": np.array(parents, np.int32)})
        loaded = pj.DisjointSet.load(tmp_path / "set.npz", where)
        labels = labels_by_scipy(len(parents), range(len(parents)), parents)
        np.testing.assert_array_equal(loaded.labels(), labels)
        assert loaded.n_subsets == labels.max(initial=-1) + 1


BAD_PARENTS = {
    "above its child": np.array([1, 1, 2], np.int32),
    "the last above its child": np.array([0, 1, 3], np.int32),
    "negative": np.array([0, -1, 2], np.int32),
    "a cycle": np.array([2, 0, 1], np.int32),
    "floats": np.array([0.0, 1.0, 2.0]),
    "unsigned": np.array([0, 1, 2], np.uint64),
    "booleans": np.array([False, True, True]),
    "two-dimensional": np.zeros((2, 2), np.int32),
    "a number": np.array(0, np.int32),
    "objects": np.array([0, 1, 2], object),
    "text": np.array(["0", "1", "2"]),
    "missing": None,
}


def refusal_of(path: Path, where: object = "reference") -> str:
    with pytest.raises(pj.FormatError) as error:
        pj.DisjointSet.load(path, where)
    message = str(error.value)
    assert path.name in message
    assert "\n" not in message
    return message


@EVERYWHERE
@pytest.mark.parametrize("parents", [pytest.param(bad, id=name) for name, bad in BAD_PARENTS.items()])
def test_bad_parents_are_refused(where: object, parents: Ids | None, tmp_path: Path) -> None:
    path = tmp_path / "set.npz"
    arrays = {**saved_arrays(path), "parents": parents}
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    assert "parents" in refusal_of(path, where) or (parents is not None and parents.dtype == object)


def test_files_that_hold_no_set_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "set.npz"
    arrays = saved_arrays(path)
    good = path.read_bytes()
    for name in arrays:
        np.savez(path, **{other: array for other, array in arrays.items() if other != name})
        refusal_of(path)
        np.savez(path, **{**arrays, name: np.array([b"nonsense", b"more"])})
        refusal_of(path)
    sp.save_npz(path, sp.eye_array(5, format="csr"))
    refusal_of(path)
    for content in (
        b"",
        b"PK",
        good[:-1],
        good[: len(good) // 2],
        b"0 1\n1 2\n",
        pickle.dumps(arrays),
        good[1:],
    ):
        path.write_bytes(content)
        refusal_of(path)
    refusal_of(tmp_path)
    refusal_of(tmp_path / "missing.npz")


def test_a_flipped_bit_is_noticed_or_harmless(tmp_path: Path) -> None:
    path = tmp_path / "set.npz"
    saved_arrays(path)
    good = path.read_bytes()
    for at in range(0, len(good), 5):
        path.write_bytes(good[:at] + bytes([good[at] ^ 1 << at % 8]) + good[at + 1 :])
        with suppress(pj.FormatError):
            assert pj.DisjointSet.load(path, "reference").labels().tolist() == [0, 1, 2, 3, 2], at


@contextmanager
def files_end_at(size: int) -> Iterator[None]:
    """Make the system refuse to write more than this into any file, as if the disk were full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@EVERYWHERE
def test_a_set_is_saved_whole_or_not_at_all(where: object, tmp_path: Path) -> None:
    path = tmp_path / "set.npz"
    merged(where, [2], [4]).save(path)
    old = path.read_bytes()
    large = pj.DisjointSet(100_000, where)
    with files_end_at(50_000), pytest.raises(pj.FormatError, match=r"set\.npz"):
        large.save(path)
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]
    large.save(path)
    assert pj.DisjointSet.load(path, where).vertices == 100_000
    for nowhere in (tmp_path, tmp_path / "missing" / "set.npz"):
        with pytest.raises(pj.FormatError):
            large.save(nowhere)
