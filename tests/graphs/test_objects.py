"""Graphs of other libraries: each is taken as it comes, and its own library knows the components."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest

import pointerjump as pj
from pointerjump import Graph, GraphError
from pointerjump.accel.runtime.devices import devices

Sets = set[frozenset[int]]
ANYWHERE = None if any(device.works for device in devices()) else "reference"
N, REMOVED = 40, (0, 7, 39)


def edges(seed: int) -> np.ndarray:
    """Return edges between some of N vertices, with a loop and a repeated edge."""
    found = np.random.default_rng(seed).integers(0, N, (24, 2))
    return np.concatenate([found, found[:1], [[5, 5]]])


def found_in(graph: Any) -> Sets:
    """Return the components that pointerjump finds, as sets of the vertices' names."""
    c = pj.components(graph, device=ANYWHERE)
    names = np.arange(c.labels.size) if c.names is None else c.names
    return {frozenset(names[members].tolist()) for members in c.members()}


def sets_of(components: Any) -> Sets:
    return {frozenset(component) for component in components}


# -- igraph ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_igraph(seed: int, directed: bool) -> None:
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph(n=N, edges=edges(seed), directed=directed)
    assert found_in(graph) == sets_of(graph.connected_components(mode="weak"))
    graph.delete_vertices(REMOVED)  # those that stay are numbered anew
    assert found_in(graph) == sets_of(graph.connected_components(mode="weak"))
    graph.vs["name"] = [f"v{v}" for v in range(graph.vcount())]
    expected = (graph.vs[component]["name"] for component in graph.connected_components(mode="weak"))
    assert found_in(graph) == sets_of(expected)


@pytest.mark.parametrize(
    "names", [["a", "b", "c"], [3, 1, 2], ["a", 1, None], [(0, 1), (0, 2), (1, 2)], [(), 1.5, 2]]
)
def test_igraphs_names_stay_as_they_are(names: list[Any]) -> None:
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph(n=3, edges=[(0, 1)])
    graph.vs["name"] = names
    assert Graph.from_igraph(graph).names.tolist() == names


# -- networkit -------------------------------------------------------------------------------------


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_networkit(seed: int, directed: bool) -> None:
    networkit = pytest.importorskip("networkit")
    graph = networkit.Graph(N, directed=directed)
    graph.addEdges(tuple(edges(seed).T.copy()))
    find = (
        networkit.components.WeaklyConnectedComponents
        if directed
        else networkit.components.ConnectedComponents
    )
    whole = find(graph).run()
    assert found_in(graph) == sets_of(whole.getComponents())
    for v in REMOVED:
        graph.removeNode(v)
    alone = [[v] for v in REMOVED]
    assert found_in(graph) == sets_of(chain(find(graph).run().getComponents(), alone))


# -- rustworkx -------------------------------------------------------------------------------------


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_rustworkx(seed: int, directed: bool) -> None:
    rustworkx = pytest.importorskip("rustworkx")
    graph = (rustworkx.PyDiGraph if directed else rustworkx.PyGraph)()
    find = rustworkx.weakly_connected_components if directed else rustworkx.connected_components
    assert found_in(graph) == set()
    graph.add_nodes_from([f"payload {v}" for v in range(N)])
    graph.add_edges_from_no_data([(int(u), int(v)) for u, v in edges(seed)])
    assert found_in(graph) == sets_of(find(graph))
    assert Graph.from_rustworkx(graph).names is None
    graph.remove_nodes_from(REMOVED)
    assert found_in(graph) == sets_of(find(graph))
    left = [v for v in range(N) if v not in REMOVED]
    assert Graph.from_rustworkx(graph).names.tolist() == left
    graph.clear_edges()
    assert found_in(graph) == {frozenset([v]) for v in left}


# -- graph-tool, which pip does not bring ----------------------------------------------------------


@dataclass
class LikeGraphTool:
    """What a graph-tool graph, or a filtered view of one, has."""

    vertices: np.ndarray
    edges: np.ndarray

    def get_vertices(self) -> np.ndarray:
        return self.vertices

    def get_edges(self) -> np.ndarray:
        return self.edges


@pytest.mark.parametrize("columns", [2, 3])  # older versions also return the numbers of the edges
@pytest.mark.parametrize("removed", [(), REMOVED, range(1, N), range(N)])
def test_graph_tool(removed: Any, columns: int) -> None:
    whole = nx.Graph(edges(1).tolist())
    whole.add_nodes_from(range(N))
    whole.remove_nodes_from(removed)
    some = np.array(whole.edges, np.int64).reshape(-1, 2)
    numbered = np.column_stack([some, np.arange(len(some))])[:, :columns]
    graph = LikeGraphTool(np.array(sorted(whole), np.int64), numbered)
    assert found_in(graph) == sets_of(nx.connected_components(whole))


# -- PyTorch Geometric -----------------------------------------------------------------------------


@dataclass
class LikeTensor:
    """What a tensor has; one on a GPU cannot be made into an array."""

    array: Any
    where: str = "cuda"

    def cpu(self) -> LikeTensor:
        return LikeTensor(self.array, "cpu")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self.where != "cpu":
            raise TypeError("can't convert cuda:0 device type tensor to numpy")
        return np.asarray(self.array, dtype)


def test_torch_geometric() -> None:
    data = SimpleNamespace(edge_index=LikeTensor(edges(2).T), num_nodes=N)
    whole = nx.Graph(edges(2).tolist())
    whole.add_nodes_from(range(N))
    assert found_in(data) == sets_of(nx.connected_components(whole))
    data.num_nodes = None
    assert Graph.from_torch_geometric(data).vertices == edges(2).max() + 1


@pytest.mark.parametrize(
    ("index", "nodes", "message"),
    [
        (None, 3, r"edge_index is missing: its shape must be \(2, number of edges\)"),
        (LikeTensor(np.zeros((5, 3), int)), 3, r"edge_index has shape \(5, 3\): its shape must be"),
        (LikeTensor(np.zeros((2, 3))), 3, "must hold integers"),
        (LikeTensor(np.full((2, 3), 3)), 3, "not below the number of vertices"),
    ],
)
def test_torch_geometric_without_edges(index: Any, nodes: int, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        pj.components(SimpleNamespace(edge_index=index, num_nodes=nodes))


# -- all of them -----------------------------------------------------------------------------------


@dataclass
class WithoutEnd:
    """A graph with more vertices than ids can number, of igraph or of networkit."""

    def vcount(self) -> int:
        return 2**31

    def get_edgelist(self) -> list[tuple[int, int]]:
        return [(0, 2**31)]

    def ecount(self) -> int:
        return 1

    upperNodeIdBound, iterEdges, numberOfEdges = vcount, get_edgelist, ecount  # noqa: N815


@pytest.mark.parametrize("take", [Graph.from_igraph, Graph.from_networkit])
def test_too_many_vertices(take: Any) -> None:
    with pytest.raises(GraphError, match="ids are 32-bit"):
        take(WithoutEnd())


def test_what_cannot_be_a_graph_is_told_what_can() -> None:
    with pytest.raises(
        GraphError, match=r"cannot make a graph of object: give a Graph, .*rustworkx, graph-tool"
    ):
        pj.components(object())
