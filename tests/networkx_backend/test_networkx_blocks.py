"""Bridges and blocks by the NetworkX backend, against NetworkX."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointerjump.networkx_backend.advice import should_run

BACKEND = {"backend": "pointerjump"}
NODES = [*range(9, -1, -1), "a", "b", (1, "c"), 2.5, frozenset({3})]


@pytest.fixture(autouse=True)
def no_warning_of_the_cache() -> Iterator[None]:
    before = set(nx.config.warnings_to_ignore)
    nx.config.warnings_to_ignore = before | {"cache"}
    yield
    nx.config.warnings_to_ignore = before


@st.composite
def undirected(draw: st.DrawFn, *, loops: bool = False) -> Any:
    """Draw a graph with or without parallel edges."""
    nodes = draw(st.lists(st.sampled_from(NODES), min_size=1, max_size=12, unique=True))
    ends = st.sampled_from(nodes)
    edges = draw(st.lists(st.tuples(ends, ends), max_size=18))
    graph = draw(st.sampled_from([nx.Graph, nx.MultiGraph]))()
    graph.add_nodes_from(draw(st.permutations(nodes)))
    graph.add_edges_from((u, v) for u, v in edges if loops or u != v)
    return graph


@settings(max_examples=150)
@given(graph=undirected(loops=True), data=st.data())
def test_bridges(graph: Any, data: st.DataObject) -> None:
    assert list(nx.bridges(graph, **BACKEND)) == list(nx.bridges(graph))
    assert nx.has_bridges(graph, **BACKEND) == nx.has_bridges(graph)
    root = data.draw(st.sampled_from(list(graph)))
    found = nx.bridges(graph, root, **BACKEND)
    assert set(map(frozenset, found)) == set(map(frozenset, nx.bridges(graph, root)))
    assert nx.has_bridges(graph, root, **BACKEND) == nx.has_bridges(graph, root)
    for run in (nx.bridges, nx.has_bridges):
        with pytest.raises(nx.NodeNotFound, match="Root node -7 is not in graph"):
            list([run(graph, -7, **BACKEND)][0])  # of has_bridges, the call fails
    if not graph.is_multigraph():
        parts = nx.connectivity.bridge_components
        assert list(parts(graph, **BACKEND)) == list(parts(graph))


def parts(found: Any) -> list[list[int]]:
    return sorted(sorted(map(hash, each)) for each in found)


@settings(max_examples=150)
@given(graph=undirected())
def test_blocks(graph: Any) -> None:
    assert set(nx.articulation_points(graph, **BACKEND)) == set(nx.articulation_points(graph))
    assert nx.is_biconnected(graph, **BACKEND) == nx.is_biconnected(graph)
    assert parts(nx.biconnected_components(graph, **BACKEND)) == parts(nx.biconnected_components(graph))
    ours, theirs = (
        [[frozenset(edge) for edge in block] for block in nx.biconnected_component_edges(graph, **how)]
        for how in (BACKEND, {})
    )
    assert parts(ours) == parts(theirs)


def test_what_the_backend_declines() -> None:
    with pytest.raises(NotImplementedError, match="biconnected_component_edges"):
        nx.biconnected_component_edges(nx.Graph([(0, 0), (0, 1)]), **BACKEND)
    for name in ("bridges", "articulation_points", "is_biconnected"):
        with pytest.raises(nx.NetworkXNotImplemented):
            list([getattr(nx, name)(nx.DiGraph([(0, 1)]), **BACKEND)][0])


def test_edges_that_stand_twice() -> None:
    graph = nx.from_edgelist([(0, 1), (1, 0), (1, 2)], **BACKEND)
    assert list(nx.bridges(graph)) == [(0, 1), (1, 2)]
    assert nx.has_bridges(graph)
    assert list(nx.articulation_points(graph)) == [1]


def test_advice() -> None:
    assert should_run("bridges", (nx.path_graph(5),), {}) == "the graph is small"
    assert "stop early" in str(should_run("is_biconnected", (nx.path_graph(5),), {}))
