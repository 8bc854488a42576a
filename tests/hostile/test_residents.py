"""What lies on a device goes when its last user does, without waiting for the garbage collector."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from test_kernels import kernel_variants

import pointerjump as pj
from pointerjump.accel.one_group import SmallGraph
from pointerjump.accel.residents.edges import DeviceEdges
from pointerjump.accel.residents.lists import DeviceList
from pointerjump.accel.residents.rows import DeviceGraph
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.session import session_for
from pointerjump.registry import ALGORITHMS, find_algorithm

RINGS = pj.Graph.from_edges(np.arange(300), (np.arange(300) + 3) % 300).in_rows()
WITH_KERNELS = [row for row in ALGORITHMS.values() if row.kernels]


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Nothing that is in a cycle goes while a test runs."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def names(problem: str) -> list[str]:
    return [row.name for row in WITH_KERNELS if row.problem == problem]


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("name", names("components"))
def test_a_graph_goes_whatever_ran_on_it(name: str, device: Device) -> None:
    for variant in kernel_variants(ALGORITHMS[name]):
        d = pj.to_device(RINGS, device)
        for _ in range(2):
            assert pj.components(d, name, **variant).count == 3
        alive = weakref.ref(d)
        del d
        assert alive() is None, variant


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("labels", ["consecutive", "representative"])
def test_a_graph_goes_though_its_labels_stay(labels: str, device: Device) -> None:
    d = pj.to_device(RINGS, device)
    label = d.label(labels=labels)
    alive = weakref.ref(d)
    del d
    assert alive() is None
    assert label.get().max() == 2


@pytest.mark.usefixtures("no_collector")
def test_a_graph_goes_after_a_forest(device: Device) -> None:
    d = pj.to_device(RINGS, device)
    assert len(pj.spanning_forest(d)) == 297
    alive = weakref.ref(d)
    del d
    assert alive() is None


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("name", names("list-ranking"))
def test_lists_go_whatever_ran_on_them(name: str, device: Device) -> None:
    for variant in kernel_variants(ALGORITHMS[name]):
        lists = DeviceList([1, 2, 2], device)
        for _ in range(2):
            assert pj.list_rank(lists, name, **variant).tolist() == [2, 1, 0]
        assert lists.rank(name).get().tolist() == [2, 1, 0]
        alive = weakref.ref(lists)
        del lists
        assert alive() is None, variant


@pytest.mark.usefixtures("no_collector")
def test_lists_go_after_a_scan(device: Device) -> None:
    session, row = session_for(device), find_algorithm("auto", "list-scan")
    lists = DeviceList([1, 2, 2], session)
    row.driver()(lists, np.array([1, 2, 3]), "add", **session.variant(row, {}))
    alive = weakref.ref(lists)
    del lists
    assert alive() is None


@pytest.mark.usefixtures("no_collector")
def test_lists_that_are_refused_go_too(device: Device) -> None:
    lists = DeviceList([1, 2, 0], device)
    with pytest.raises(pj.ListError):
        pj.list_rank(lists)
    alive = weakref.ref(lists)
    del lists
    assert alive() is None


@pytest.mark.usefixtures("no_collector")
def test_edges_go_after_a_run(device: Device) -> None:
    graph = pj.inputs.as_graph((np.arange(9), np.arange(9)))
    edges = DeviceEdges(graph, graph.edges_as_read, session_for(device))
    plan = edges.plan()
    plan.enqueue()
    assert edges.parents(plan).tolist() == list(range(9))
    of_edges, of_plan = weakref.ref(edges), weakref.ref(plan)
    del edges, plan
    assert of_edges() is None
    assert of_plan() is None


@pytest.mark.usefixtures("no_collector")
def test_a_small_graph_goes_after_a_run(device: Device) -> None:
    small = SmallGraph(RINGS, session_for(device))
    assert small.run("consecutive", {})[0].max() == 2
    alive = weakref.ref(small)
    del small
    assert alive() is None


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize(
    "refused",
    [
        lambda d: pj.components(d, "afforest", init="no such thing"),
        lambda d: d.label("no such algorithm"),
        lambda d: d.label(labels="no such kind"),
    ],
)
def test_a_graph_goes_after_a_call_that_was_refused(
    refused: Callable[[DeviceGraph], object], device: Device
) -> None:
    d = pj.to_device(RINGS, device)
    with pytest.raises(pj.AlgorithmError):
        refused(d)
    alive = weakref.ref(d)
    del d
    assert alive() is None
