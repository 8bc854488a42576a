"""Graphs of other libraries: from their object to a Graph, and to labels, beside the library's own search."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from conftest import Measure

import pointerjump as pj
from pointerjump.accel.runtime.session import Session
from pointerjump.inputs import as_graph

VERTICES, EDGES = 200_000, 1_000_000
QUICK_VERTICES, QUICK_EDGES = 200, 1_000

Ends = np.ndarray


def igraph_of(ends: Ends, vertices: int) -> tuple[Any, Callable[[Any], int]]:
    import igraph

    return igraph.Graph(vertices, ends.T), lambda graph: len(graph.connected_components())


def networkit_of(ends: Ends, vertices: int) -> tuple[Any, Callable[[Any], int]]:
    import networkit

    graph = networkit.Graph(vertices)
    graph.addEdges(tuple(ends))
    return graph, lambda graph: int(
        networkit.components.ConnectedComponents(graph).run().numberOfComponents()
    )


def rustworkx_of(ends: Ends, vertices: int) -> tuple[Any, Callable[[Any], int]]:
    import rustworkx

    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(vertices))
    graph.add_edges_from_no_data(list(zip(*ends.tolist(), strict=True)))
    return graph, lambda graph: len(rustworkx.connected_components(graph))


LIBRARIES = {"igraph": igraph_of, "networkit": networkit_of, "rustworkx": rustworkx_of}


@pytest.fixture(scope="module", params=LIBRARIES)
def library(request: pytest.FixtureRequest, quick: bool) -> tuple[str, Any, Callable[[Any], int]]:
    """A library's name, a random graph of it, and its own count of components."""
    if find_spec(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    vertices, edges = (QUICK_VERTICES, QUICK_EDGES) if quick else (VERTICES, EDGES)
    ends = np.random.default_rng(1).integers(0, vertices, (2, edges))
    return request.param, *LIBRARIES[request.param](ends, vertices)


def test_to_a_graph(measure: Measure, library: tuple[str, Any, Callable[[Any], int]]) -> None:
    name, graph, _ = library
    measure(f"objects: {name}", lambda: as_graph(graph), None)


def test_to_labels(
    measure: Measure, library: tuple[str, Any, Callable[[Any], int]], session: Session
) -> None:
    name, graph, count = library

    def check(found: pj.Components) -> None:
        assert found.count == count(graph)

    measure(f"objects: {name}", lambda: pj.components(graph, device=session), check)


def test_its_own(measure: Measure, library: tuple[str, Any, Callable[[Any], int]]) -> None:
    name, graph, count = library
    measure(f"objects: {name}", lambda: count(graph), None)
