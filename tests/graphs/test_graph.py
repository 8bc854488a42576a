"""Graph: what is a graph, what is not, and every way to make one."""

from __future__ import annotations

import copy
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import NASTY, graphs
from hypothesis import given
from hypothesis import strategies as st

import pointerjump as pj
from pointerjump import Graph, GraphError
from pointerjump.base.edges import EdgeList
from pointerjump.solving.inputs import as_graph

PATH = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])


@pytest.mark.parametrize(
    ("offsets", "neighbors", "message"),
    [
        ([], [], "offsets is empty"),
        ([1, 1], [0], r"offsets\[0\] is 1"),
        ([0, 2], [0], "last offset is 2, but there are 1 neighbors"),
        ([0, 2, 1, 3], [0, 1, 2], "offsets fall from 2 to 1 at vertex 1"),
        (np.array([0, 2, 1, 3], np.uint64), [0, 1, 2], "offsets fall"),
        ([0, 1], [1], r"neighbors\[0\] is 1, which is not below the number of vertices, 1"),
        ([0, 1], [-1], r"neighbors\[0\] is -1, which is negative"),
        ([0, 1], np.array([2**40]), "not below the number of vertices"),
        ([0.0, 1.0], [0], "offsets has dtype float64"),
        ([0, 1], ["a"], "neighbors has dtype"),
        ([[0, 1]], [0], "offsets has shape"),
        ([0, 1], [True], "neighbors has dtype bool"),
    ],
)
def test_arrays_that_are_no_graph(offsets: list, neighbors: list, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Graph(offsets, neighbors)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [1]), "2 sources and 1 targets"),
        (([0], [-2]), r"targets\[0\] is -2, which is negative"),
        (([0.5], [1.5]), "sources has dtype float64"),
        (([[0, 1, 2]],), r"edges has shape \(1, 3\)"),
        ((np.array([2**31 - 1]), np.array([0])), "needs 2147483648 vertices"),
        ((np.array([2**63], np.uint64), np.array([0], np.uint64)), "needs 9223372036854775809 vertices"),
    ],
)
def test_edges_that_are_no_graph(arguments: tuple, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Graph.from_edges(*arguments)


def test_vertices_bounds_the_ids() -> None:
    with pytest.raises(GraphError, match=r"targets\[1\] is 5"):
        Graph.from_edges([0, 1], [1, 5], vertices=5)
    with pytest.raises(GraphError, match="cannot be negative"):
        Graph.from_edges([], [], vertices=-1)
    assert Graph.from_edges([0, 1], [1, 4], vertices=9).vertices == 9
    assert Graph.from_edges([], []).vertices == 0
    assert Graph.from_edges([]).vertices == 0


def test_from_edges_stores_both_directions_once() -> None:
    graph = Graph.from_edges([0, 1, 0, 3, 3], [1, 0, 1, 3, 2])
    assert graph.offsets.tolist() == [0, 1, 2, 3, 5]
    assert graph.neighbors.tolist() == [1, 0, 3, 2, 3]
    assert (graph.edges, graph.records, graph.symmetric) == (2, 5, True)
    assert graph.offsets.dtype == graph.neighbors.dtype == np.int32


ASKED = {
    "offsets": lambda graph: graph.offsets,
    "neighbors": lambda graph: graph.neighbors,
    "directed_edges": lambda graph: graph.directed_edges,
    "degrees": lambda graph: graph.degrees,
    "sources": lambda graph: graph.sources,
    "edges": lambda graph: graph.edges,
    "symmetric": lambda graph: graph.symmetric,
    "symmetrized": lambda graph: graph.symmetrized(),
    "in_rows": lambda graph: graph.in_rows(),
    "to_scipy": lambda graph: graph.to_scipy(),
}


@pytest.mark.parametrize("asked", ASKED)
def test_a_graph_made_of_edges_keeps_them_whatever_it_is_asked(asked: str) -> None:
    graph = Graph.of_edges([0, 1, 0, 3, 3], [1, 0, 1, 3, 2], 6, names=list("abcdef"))
    edges = graph.edges_as_read
    for _ in range(2):  # and again once its rows are made
        ASKED[asked](graph)
        assert graph.edges_as_read is edges
        assert (graph.vertices, graph.records, graph.edges) == (6, 5, 2)
        assert graph.known_symmetric
        assert repr(graph) == "Graph(vertices=6, records=5)"
        assert graph.neighbors.tolist() == [1, 0, 3, 2, 3]
        assert graph.offsets.tolist() == [0, 1, 2, 3, 5, 5, 5]


def test_rows_of_edges_are_made_once_and_only_if_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    rows = EdgeList.rows
    monkeypatch.setattr(EdgeList, "rows", lambda edges: made.append(edges) or rows(edges))
    graph = Graph.from_edges([0, 1, 0, 3, 3], [1, 0, 1, 3, 2])
    assert (graph.vertices, graph.edges, graph.symmetric, graph.known_symmetric) == (4, 2, True, True)
    assert repr(graph) == "Graph(vertices=4, records=5)"
    assert not made
    for ask in ASKED.values():
        ask(graph)
    assert made == [graph.edges_as_read]


def test_a_graph_in_rows_has_let_go_of_the_edges() -> None:
    graph = Graph.from_edges([0, 1, 3], [1, 2, 3], names=list("abcd"))
    for rows in (graph.in_rows(), graph.symmetrized()):
        assert rows.edges_as_read is None
        assert (rows.vertices, rows.records, rows.edges, rows.known_symmetric) == (4, 3, 2, True)
        assert rows.names.tolist() == ["a", "b", "c", "d"]
        assert rows.neighbors is graph.neighbors
        assert rows.in_rows() is rows
        assert rows.symmetrized() is rows
    held = weakref.ref(graph.edges_as_read)
    graph = graph.in_rows()
    assert held() is None


def test_copies_keep_the_edges() -> None:
    graph = Graph.from_edges([0, 1], [1, 2], names=list("abc"))
    for made in (copy.copy(graph), copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert made.edges_as_read.sources.tolist() == [0, 1]
        assert made.neighbors.tolist() == [1, 0, 2, 1]
        assert made.names.tolist() == ["a", "b", "c"]


class Column:
    """What a library's column may be: not an array, but ready to lend its own."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return self.values


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint16, ">i4"])
@pytest.mark.parametrize("ids", ["keep", "auto", "compact"])
def test_the_callers_edges_may_change_afterwards(dtype: type, ids: str) -> None:
    s, t = np.array([0, 1, 4], dtype), np.array([1, 2, 3], dtype)
    pairs = np.column_stack([s, t])
    frozen = s[:]
    frozen.flags.writeable = False
    matrix = sp.coo_array((np.ones(3), (s.astype(np.int32), t.astype(np.int32))), shape=(5, 5))
    graphs_of_them = [
        Graph.from_edges(s, t, ids=ids),
        Graph.from_edges(pairs, ids=ids),
        Graph.from_edges(pairs[:, 0], [1, 2, 3], ids=ids),
        Graph.from_edges([0, 1, 4], t, ids=ids),
        Graph.from_edges(frozen, t, ids=ids),
        Graph.from_edges(Column(s), Column(t), ids=ids),
        Graph.from_edges(np.ma.array(s), memoryview(t.astype(t.dtype.newbyteorder("="))), ids=ids),
        Graph.from_scipy(matrix),
    ]
    for array in (s, t, pairs, *matrix.coords):
        array[:] = 0
    for graph in graphs_of_them:
        assert graph.offsets.tolist() == [0, 1, 3, 4, 5, 6]
        assert graph.neighbors.tolist() == [1, 0, 2, 1, 4, 3]


def test_without_a_copy() -> None:
    s, t = np.array([0, 1]), np.array([1, 2])
    graph = Graph.of_edges(s, t)
    assert graph.edges_as_read.sources is s
    assert graph.edges_as_read.targets is t
    with pytest.raises(GraphError, match=r"names has shape \(1,\): give one name for each of 2"):
        Graph.of_edges([0], [1], names=["a"])


@given(graph=graphs(), dtype=st.sampled_from(["i4", "i8", "u8", ">i4"]))
def test_edges_are_counted_without_rows(graph: Graph, dtype: str) -> None:
    dense = graph.to_scipy().toarray()
    ends = graph.sources.astype(dtype), graph.neighbors.astype(dtype)
    for sources, targets in (ends, ends[::-1]):
        counted = EdgeList.of(sources, targets, graph.vertices).count()
        assert counted == np.count_nonzero(np.triu(dense | dense.T, 1))
        assert type(counted) is int


@pytest.mark.parametrize("times", [255, 256, 257, 512, 65536])
def test_no_count_of_duplicates_makes_an_edge_vanish(times: int) -> None:
    graph = Graph.from_edges(np.zeros(times, int), np.ones(times, int))
    assert graph.neighbors.tolist() == [1, 0]
    stored = Graph([0, times, times], np.ones(times, int))
    assert stored.symmetrized().neighbors.tolist() == [1, 0]


@given(graph=graphs())
def test_symmetrized_is_the_same_undirected_graph(graph: Graph) -> None:
    both = graph.symmetrized()
    dense = graph.to_scipy().toarray()
    np.testing.assert_array_equal(both.to_scipy().toarray(), dense | dense.T)
    assert both.symmetric
    assert both.edges_as_read is None
    assert graph.edges == both.edges == np.count_nonzero(np.triu(dense | dense.T, 1))
    assert both.symmetrized() is both


def test_symmetric_sees_through_unsorted_rows() -> None:
    assert NASTY["unsorted rows"].symmetric
    assert not Graph([0, 1, 1], [1]).symmetric
    assert not Graph([0, 2, 3], [1, 1, 0]).symmetric  # twice one way, once the other


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("array", [sp.csr_array, sp.csr_matrix])
def test_from_scipy_in_every_format(form: str, array: type) -> None:
    upper = array(np.triu(PATH)).asformat(form)
    graph = Graph.from_scipy(upper).symmetrized()
    np.testing.assert_array_equal(graph.to_scipy().toarray(), PATH.astype(bool))


def test_from_scipy_keeps_explicit_zeros_and_the_arrays() -> None:
    rows = np.array([1, 0], np.int32), np.array([0, 1, 2], np.int32)
    matrix = sp.csr_array((np.zeros(2), *rows), shape=(2, 2))
    graph = Graph.from_scipy(matrix)
    assert graph.edges == 1
    assert np.shares_memory(graph.neighbors, matrix.indices)
    with pytest.raises(GraphError, match="the matrix is 2x3"):
        Graph.from_scipy(sp.csr_array((2, 3)))


def test_from_scipy_where_scipy_left_spare_room() -> None:
    matrix = sp.csr_array((np.ones(4), np.array([1, 1, 0, 0]), np.array([0, 2, 4])), shape=(2, 2))
    matrix.indices, matrix.data = np.array([1, 0, 9, 9]), np.ones(4)
    matrix.indptr = np.array([0, 1, 2])
    assert Graph.from_scipy(matrix).neighbors.tolist() == [1, 0]


def test_scipy_cannot_tidy_up_a_graph_from_outside() -> None:
    graph = NASTY["duplicates"]
    before = graph.offsets.copy(), graph.neighbors.copy()
    matrix = graph.to_scipy()
    matrix.sum_duplicates()
    assert graph.edges == 2
    graph.symmetrized()
    np.testing.assert_array_equal(graph.offsets, before[0])
    np.testing.assert_array_equal(graph.neighbors, before[1])


def test_from_other_libraries() -> None:
    named = nx.Graph([("a", "b"), ("b", "c")])
    named.add_node("alone")
    graph = Graph.from_networkx(named)
    assert graph.names.tolist() == ["a", "b", "c", "alone"]
    assert (graph.vertices, graph.edges) == (4, 2)
    assert Graph.from_networkx(nx.MultiDiGraph([(0, 1), (0, 1), (1, 0)])).edges == 1
    assert Graph.from_networkx(nx.Graph([((0, 1), (0, 2))])).names.tolist() == [(0, 1), (0, 2)]


def test_from_igraph() -> None:
    igraph = pytest.importorskip("igraph")
    flat = igraph.Graph(n=4, edges=[(0, 1), (1, 2)])
    assert as_graph(flat).edges == 2
    flat.vs["name"] = ["w", "x", "y", "z"]
    assert as_graph(flat).names.tolist() == ["w", "x", "y", "z"]


def test_from_networkit() -> None:
    networkit = pytest.importorskip("networkit")
    kit = networkit.Graph(5)
    kit.addEdge(0, 4)
    kit.removeNode(2)
    assert (as_graph(kit).vertices, as_graph(kit).edges) == (5, 1)


def test_as_graph_takes_what_users_have() -> None:
    for given_graph in (
        ([0, 1], [1, 2]),
        [[0, 1], [1, 2]],
        np.array([[0, 1], [1, 2], [0, 1]]),
        sp.coo_array(PATH),
        nx.path_graph(3),
        "path:vertices=3",
        Graph.from_edges([0, 1], [1, 2]),
    ):
        graph = as_graph(given_graph)
        assert (graph.vertices, graph.edges) == (3, 2), given_graph
    assert as_graph(([0, 1], [1, 2]), vertices=7).vertices == 7
    with pytest.raises(GraphError, match="vertices=7, but the graph given has 3"):
        as_graph(nx.path_graph(3), vertices=7)
    with pytest.raises(GraphError, match="vertices=7, but the graph given has 3"):
        as_graph("path:vertices=3", vertices=7)
    with pytest.raises(GraphError, match="cannot make a graph of object"):
        as_graph(object())


ONE_WITH_TWO_AND_SEVEN_WITH_EIGHT = (
    [(1, 2), (7, 8)],
    ((1, 2), (7, 8), (1, 2)),
    [(1, 2), np.array([7, 8])],
    ([1, 7], [2, 8]),
    (np.array([1, 7]), (2, 8)),
    ((1, 7, 1), (2, 8, 2)),
)
DOORS: dict[str, Callable[[Any], Any]] = {
    "components": lambda edges: pj.components(edges).labels,
    "blocks": lambda edges: pj.components(iter([edges])).labels,
    "from_edges": lambda edges: pj.components(Graph.from_edges(edges)).labels,
    "DisjointSet": lambda edges: (merged := pj.DisjointSet()).merge(edges) or merged.labels(),
    "verify_blocks": lambda edges: pj.verify_blocks([edges], LABELS) or np.array(LABELS),
}
LABELS = [0, 1, 1, 2, 3, 4, 5, 6, 6]


@pytest.mark.parametrize("door", DOORS)
def test_a_tuple_of_two_is_both_ends_and_of_two_pairs_is_refused(door: str) -> None:
    for edges in ONE_WITH_TWO_AND_SEVEN_WITH_EIGHT:
        assert DOORS[door](edges).tolist() == LABELS, edges
    way_out = r"give \[\(1, 2\), \(7, 8\)\] for edges, or \(\[1, 2\], \[7, 8\]\) for sources"
    with pytest.raises(GraphError, match=way_out):
        DOORS[door](((1, 2), (7, 8)))


def test_two_ends_that_are_named_may_be_any_sequences() -> None:
    merged = pj.DisjointSet(9)
    merged.merge((1, 7), (2, 8))
    assert merged.connected(7, 8)
    assert not merged.connected(1, 7)
    assert Graph.from_edges((1, 7), (2, 8)).edges == 2


def test_names_must_fit() -> None:
    with pytest.raises(GraphError, match=r"names has shape \(1,\): give one name for each of 2"):
        Graph([0, 0, 0], [], names=["a"])


def test_edges_of_nasty_graphs() -> None:
    for name, graph in NASTY.items():
        dense = graph.to_scipy().toarray()
        assert graph.edges == np.count_nonzero(np.triu(dense | dense.T, 1)), name
