"""What lies on a device goes when its last user does, without waiting for the garbage collector."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from made_forests import rooted_from
from test_kernels import kernel_variants

import pointerjump as pj
from pointerjump.accel.residents.graphs import ResidentEdges, place
from pointerjump.accel.residents.weighted import ResidentWeighted
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.base.weighted import Weighted
from pointerjump.registry import ALGORITHMS, ask, select
from pointerjump.solving.ancestors import common_ancestors
from pointerjump.solving.device_graph import DeviceGraph
from pointerjump.solving.inputs import HostGraph, as_graph
from pointerjump.solving.lists import DeviceList

RINGS = pj.Graph.from_edges(np.arange(300), (np.arange(300) + 3) % 300).in_rows()
WITH_KERNELS = [algorithm for algorithm in ALGORITHMS.values() if algorithm.kernels]


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Nothing that is in a cycle goes while a test runs."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def names(problem: str) -> list[str]:
    return [algorithm.name for algorithm in WITH_KERNELS if algorithm.problem == problem]


@pytest.mark.diagonal
@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("name", names("components"))
def test_a_graph_goes_whatever_ran_on_it(name: str, device: Device) -> None:
    for variant in kernel_variants(ALGORITHMS[name]):
        d = pj.to_device(RINGS, device)
        for _ in range(2):
            assert pj.components(d, algorithm=name, **variant).count == 3
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


@pytest.mark.diagonal
@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("name", names("list-ranking"))
def test_lists_go_whatever_ran_on_them(name: str, device: Device) -> None:
    for variant in kernel_variants(ALGORITHMS[name]):
        lists = DeviceList([1, 2, 2], device)
        for _ in range(2):
            assert pj.list_rank(lists, algorithm=name, **variant).tolist() == [2, 1, 0]
        assert lists.rank(name).get().tolist() == [2, 1, 0]
        alive = weakref.ref(lists)
        del lists
        assert alive() is None, variant


@pytest.mark.usefixtures("no_collector")
def test_lists_go_after_a_scan(device: Device) -> None:
    session = session_for(device)
    lists = DeviceList([1, 2, 2], session)
    choice = select(ask("list-scan", "auto", {}, session.tuning), lists.facts(), session.tuning)
    choice.algorithm.prepare(lists.resident, np.array([1, 2, 3]), "add", **choice.variant).run()
    alive = weakref.ref(lists)
    del lists
    assert alive() is None


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("name", names("common-ancestors"))
def test_rooted_forests_go_after_questions(name: str, device: Device) -> None:
    rooted, residents = rooted_from(np.arange(300) // 2), {}
    for _ in range(2):
        assert common_ancestors(rooted, 298, 299, algorithm=name, device=device, residents=residents) == 149
    alive = weakref.ref(residents.popitem()[1])
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
    graph, session = as_graph((np.arange(9), np.arange(9))), session_for(device)
    for algorithm in [a for a in WITH_KERNELS if a.takes == "edges"]:
        choices = {"input": "edges"} if any(axis.name == "input" for axis in algorithm.axes) else {}
        asked = ask(algorithm.problem, algorithm.name, choices, session.tuning)
        choice = select(asked, HostGraph(graph).facts(), session.tuning)
        assert choice.form == "edges"
        edges = place(graph, "edges", session)
        assert isinstance(edges, ResidentEdges)
        given: Any = edges
        if algorithm.problem == "minimum-spanning-forest":
            weights = np.ones(9, np.int32)
            keys = Weighted(graph, weights).keys_about()
            given = ResidentWeighted(edges, session.put(weights, "the weights"), weights.dtype, keys=keys)
        plan = algorithm.prepare(given, **choice.variant)
        plan.run()
        session.finish()
        alive = weakref.ref(edges), weakref.ref(plan)
        del edges, plan, given
        assert [each() for each in alive] == [None, None], algorithm.name


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize(
    "refused",
    [
        lambda d: pj.components(d, algorithm="afforest", init="no such thing"),
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
