"""Spanning forests: right on any graph under any schedule, and a verifier that wrong ones do not pass."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from conftest import NASTY, graphs
from hypothesis import given, settings
from hypothesis import strategies as st
from test_cli import run
from test_kernels import kernel_variants

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device
from pointerjump.reference.machine import ORDERS, Machine
from pointerjump.registry import ALGORITHMS, Variant, format_variant

SQUARE = ([0, 1, 2, 3], [1, 2, 3, 0])


def test_forests_of_nasty_graphs() -> None:
    for graph in NASTY.values():
        forest = pj.spanning_forest(graph, device="reference")
        assert forest.dtype == np.int32
        pj.verify_forest(graph, forest)


@pytest.mark.parametrize("variant", kernel_variants(ALGORITHMS["spanning-forest"]), ids=format_variant)
def test_forests_from_kernels(variant: Variant, device: Device) -> None:
    for graph in NASTY.values():
        forest = pj.spanning_forest(graph, algorithm="spanning-forest", device=device, **variant)
        assert forest.dtype == np.int32
        pj.verify_forest(graph, forest)
        assert len(forest) == len(pj.spanning_forest(graph, device="reference"))


@settings(max_examples=60)
@given(graph=graphs())
def test_forests_of_drawn_graphs(graph: pj.Graph, device: Device) -> None:
    pj.verify_forest(graph, pj.spanning_forest(graph, device=device))


@settings(max_examples=60)
@given(graph=graphs(), order=st.sampled_from(list(ORDERS)), seed=st.integers(0, 99))
def test_forests_under_any_schedule(graph: pj.Graph, order: str, seed: int) -> None:
    with Machine(order, stale=True, seed=seed):
        forest = pj.spanning_forest(graph, device="reference")
    pj.verify_forest(graph, forest)


@pytest.mark.parametrize(
    ("edges", "complaint"),
    [
        ([[0, 1], [1, 2]], "the forest has 2 edges, and a spanning one has 3"),
        ([[0, 1], [1, 2], [2, 3], [3, 0]], r"edge \(3, 0\) closes a cycle"),
        ([[0, 1], [1, 0], [2, 3]], r"edge \(1, 0\) closes a cycle"),
        ([[0, 0], [1, 2], [2, 3]], r"edge \(0, 0\) is not in the graph"),
        ([[0, 1], [0, 2], [2, 3]], r"edge \(0, 2\) is not in the graph"),
        ([[0, 1], [1, 2], [3, 4]], r"edge \(3, 4\) has an end outside 0 .. 3"),
        ([[0, 1], [1, 2], [3, -1]], r"edge \(3, -1\) has an end outside"),
        ([0, 1, 2], "edges has shape"),
        ([[0.0, 1.0]], "edges has shape"),
        ([], "the forest has 0 edges, and a spanning one has 3"),
    ],
)
def test_wrong_forests_are_refused(edges: list, complaint: str) -> None:
    with pytest.raises(pj.VerificationError, match=complaint) as refused:
        pj.verify_forest(SQUARE, edges)
    if edge := re.search(r"edge \((.*), (.*)\)", str(refused.value)):
        assert refused.value.vertices == tuple(map(int, edge.groups()))


def test_loops_are_in_no_forest() -> None:
    with pytest.raises(pj.VerificationError, match="closes a cycle"):
        pj.verify_forest(([0, 0], [0, 1]), [[0, 0]])


def test_a_graph_on_a_device_may_be_used(device: Device) -> None:
    resident = pj.to_device(SQUARE, device)
    assert len(pj.spanning_forest(resident)) == 3
    with pytest.raises(pj.AlgorithmError, match="has no variant 'palette'"):
        pj.spanning_forest(resident, palette=1)


def test_command(tmp_path: Path) -> None:
    written = tmp_path / "forest.egr"
    report = json.loads(
        run("forest", "urand:scale=8,degree=3,seed=1", "--verify", "-o", written, "--json").stdout
    )
    assert report["verified"] is True
    assert pj.read(written).edges == report["forest"]
    assert report["components"] == pj.components("urand:scale=8,degree=3,seed=1", device="reference").count
    assert "spanning forest" in run("forest", "path:vertices=9", "--verify").stdout
