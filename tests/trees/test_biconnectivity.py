"""Bridges, articulation points and blocks against networkx and rustworkx, by every algorithm."""

from __future__ import annotations

import warnings
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from conftest import NASTY
from hypothesis import given, settings
from hypothesis import strategies as st
from test_kernels import cases
from test_schedules import cases as reference_cases
from test_schedules import machines

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device
from pointerjump.reference.machine import Machine
from pointerjump.registry import Algorithm, Variant
from pointerjump.solving import minimum_forest

pytestmark = pytest.mark.filterwarnings("ignore::pointerjump.PointerjumpWarning")  # of edges that are drawn
DATA = Path(__file__).parents[3] / "shared" / "data"
Drawn = tuple[int, np.ndarray]


@st.composite
def multigraphs(draw: st.DrawFn, most: int = 24) -> Drawn:
    """Draw edges among few vertices, or a tree with some more: loops and parallel edges are common."""
    n = draw(st.integers(1, most))
    ends = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(ends, ends), max_size=2 * most))
    if draw(st.booleans()):
        edges = [(v, draw(st.integers(0, v - 1))) for v in range(1, n)] + edges[: n // 2]
    return n, np.array(draw(st.permutations(edges)), np.int64).reshape(-1, 2)


def as_networkx(n: int, edges: np.ndarray) -> nx.MultiGraph:
    graph = nx.MultiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from((u, v) for u, v in edges.tolist() if u != v)
    return graph


def networkx_bridges(graph: nx.MultiGraph) -> list[list[int]]:
    found = nx.bridges(nx.Graph(graph))  # of a multigraph it may find bridges among parallel edges
    return sorted(sorted((u, v)) for u, v in found if graph.number_of_edges(u, v) == 1)


def networkx_blocks(n: int, edges: np.ndarray) -> list[int]:
    """Labels of edges, numbered in order of the blocks' first edges."""
    block = {}
    for i, some in enumerate(nx.biconnected_component_edges(nx.Graph(as_networkx(n, edges)))):
        block |= {frozenset(edge): i for edge in some}
    number: dict[int, int] = {}
    return [
        -1 if u == v else number.setdefault(block[frozenset((u, v))], len(number)) for u, v in edges.tolist()
    ]


@pytest.mark.parametrize(("algorithm", "variant"), reference_cases("biconnectivity"))
@settings(max_examples=50)
@given(drawn=multigraphs(), machine=machines())
def test_references_of_blocks(algorithm: Algorithm, variant: Variant, drawn: Drawn, machine: Machine) -> None:
    n, edges = drawn
    with machine:
        found = pj.biconnected_components(
            edges, vertices=n, algorithm=algorithm.name, device="reference", **variant
        )
    assert found.labels.tolist() == networkx_blocks(n, edges)
    pj.verify_biconnected(edges, found.labels, vertices=n)


@settings(max_examples=25)
@given(drawn=multigraphs())
def test_kernels_of_blocks(device: Device, drawn: Drawn) -> None:
    """All variants on the same graphs: to draw them takes longer."""
    n, edges = drawn
    expected = networkx_blocks(n, edges)
    for algorithm, variant in (case.values for case in cases("biconnectivity")):
        how = {"vertices": n, "algorithm": algorithm.name, "device": device, **variant}
        assert pj.biconnected_components(edges, **how).labels.tolist() == expected, how


@pytest.mark.parametrize(("algorithm", "variant"), reference_cases("bridges"))
@settings(max_examples=50)
@given(drawn=multigraphs(), machine=machines())
def test_references_of_bridges(
    algorithm: Algorithm, variant: Variant, drawn: Drawn, machine: Machine
) -> None:
    n, edges = drawn
    with machine:
        found = pj.bridges(edges, vertices=n, algorithm=algorithm.name, device="reference", **variant)
    assert found.tolist() == networkx_bridges(as_networkx(n, edges))
    pj.verify_bridges(edges, found, vertices=n)


@settings(max_examples=25)
@given(drawn=multigraphs())
def test_kernels_of_bridges(device: Device, drawn: Drawn) -> None:
    n, edges = drawn
    expected = networkx_bridges(as_networkx(n, edges))
    for algorithm, variant in (case.values for case in cases("bridges")):
        how = {"vertices": n, "algorithm": algorithm.name, "device": device, **variant}
        assert pj.bridges(edges, **how).tolist() == expected, how


@settings(max_examples=20)
@given(drawn=multigraphs(12))
def test_a_bridge_is_what_parts_a_component(device: Device, drawn: Drawn) -> None:
    n, edges = drawn
    count = pj.components(edges, vertices=n, device="reference").count
    parting = [
        sorted(edges[e].tolist())
        for e in range(len(edges))
        if pj.components(np.delete(edges, e, 0), vertices=n, device="reference").count > count
    ]
    assert pj.bridges(edges, vertices=n, device=device).tolist() == sorted(parting)


@settings(max_examples=20)
@given(drawn=multigraphs(12))
def test_an_articulation_point_is_what_parts_a_component(device: Device, drawn: Drawn) -> None:
    n, edges = drawn
    graph = as_networkx(n, edges)
    parting = []
    for v in range(n):
        without = graph.copy()
        without.remove_node(v)
        if nx.number_connected_components(without) - nx.number_connected_components(graph) > 0:
            parting.append(v)
    assert pj.articulation_points(edges, vertices=n, device=device).tolist() == parting


@settings(max_examples=25)
@given(drawn=multigraphs())
def test_what_is_told_of_blocks(device: Device, drawn: Drawn) -> None:
    n, edges = drawn
    graph = nx.Graph(as_networkx(n, edges))
    found = pj.biconnected_components(edges, vertices=n, device=device)
    blocks = [found.vertices_of(i).tolist() for i in range(found.count)]
    assert sorted(blocks) == sorted(map(sorted, nx.biconnected_components(graph)))
    assert found.sizes.tolist() == list(map(len, blocks))
    assert [len(found.edges_of(i)) for i in range(found.count)] == [
        int((found.labels == i).sum()) for i in range(found.count)
    ]
    assert found.articulation_points.tolist() == sorted(nx.articulation_points(graph))
    assert pj.is_biconnected(edges, vertices=n, device=device) == nx.is_biconnected(graph)
    tree, cuts = found.tree(), found.articulation_points.tolist()
    assert tree.vertices == found.count + len(cuts)
    assert tree.trees == sum(len(c) > 1 for c in nx.connected_components(graph))
    beside = {(v, p) for v, p in enumerate(tree.parent.tolist()) if v != p}
    in_tree = {(max(pair), min(pair)) for pair in beside}
    assert in_tree == {
        (found.count + at, block)
        for at, v in enumerate(cuts)
        for block, some in enumerate(blocks)
        if v in some
    }
    together = pj.two_edge_connected_components(edges, vertices=n, device=device)
    assert together.stats["algorithm"] == "marking", "it takes nearly all the time"
    without = as_networkx(n, edges)
    without.remove_edges_from(networkx_bridges(without))
    assert sorted(map(sorted, nx.connected_components(without))) == sorted(
        m.tolist() for m in together.members()
    )


@settings(max_examples=20)
@given(drawn=multigraphs())
def test_as_rustworkx(device: Device, drawn: Drawn) -> None:
    rx = pytest.importorskip("rustworkx")
    n, edges = drawn
    graph = rx.PyGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from_no_data([(u, v) for u, v in edges.tolist() if u != v])
    assert set(pj.articulation_points(graph, device=device).tolist()) == set(rx.articulation_points(graph))
    found = pj.biconnected_components(graph, device=device)
    theirs = dict(rx.biconnected_components(graph).items())
    alike = defaultdict(set)
    for (u, v), label in zip(found.edges.tolist(), found.labels.tolist(), strict=True):
        alike[label].add(theirs.get((u, v), theirs.get((v, u))))
    assert all(len(each) == 1 for each in alike.values())
    assert len({min(each) for each in alike.values()}) == found.count


@settings(max_examples=20)
@given(drawn=multigraphs(), shuffle=st.randoms(use_true_random=False))
def test_any_order_direction_and_numbering(device: Device, drawn: Drawn, shuffle: Any) -> None:
    n, edges = drawn
    order, number = (np.array(shuffle.sample(range(k), k), int) for k in (len(edges), n))
    turned = np.array([shuffle.random() < 0.5 for _ in edges], bool)
    other = number[edges][order]
    other[turned] = other[turned, ::-1]
    before = pj.biconnected_components(edges, vertices=n, device=device)
    after = pj.biconnected_components(other, vertices=n, device=device)
    again = dict(zip(before.labels[order].tolist(), after.labels.tolist(), strict=True))
    assert [again[label] for label in before.labels[order].tolist()] == after.labels.tolist()
    assert (before.count, len(set(again.values()))) == (after.count, len(again))
    moved = np.sort(number[pj.bridges(edges, vertices=n, device=device)].reshape(-1, 2), axis=1)
    assert pj.bridges(other, vertices=n, device=device).tolist() == sorted(moved.tolist())


def test_nasty_graphs(device: Device) -> None:
    for name, graph in NASTY.items():
        found = {
            algorithm.name: pj.biconnected_components(
                graph, algorithm=algorithm.name, device=device, **variant
            )
            for algorithm, variant in (case.values for case in cases("biconnectivity"))
        }
        expected = pj.biconnected_components(graph, algorithm="hopcroft-tarjan", device="reference")
        for each in found.values():
            np.testing.assert_array_equal(each.labels, expected.labels, err_msg=name)
        pj.verify_biconnected(graph, expected.labels)
        bridges = pj.bridges(graph, device=device)
        np.testing.assert_array_equal(bridges, pj.bridges(graph, algorithm="chain", device="reference"))
        pj.verify_bridges(graph, bridges)
        alone = np.bincount(expected.labels, minlength=1)[expected.labels] == 1  # each edge is there once
        np.testing.assert_array_equal(bridges, expected.edges[alone], err_msg=name)


@pytest.mark.parametrize("degree", [1, 2, 3, 8])
def test_large_graphs(degree: int, device: Device) -> None:
    n = 6000
    edges = np.random.default_rng(degree).integers(0, n, (n * degree // 2, 2))
    by_device = pj.biconnected_components(edges, vertices=n, device=device)
    again = pj.biconnected_components(edges, vertices=n, device=device, algorithm="tarjan-vishkin")
    serial = pj.biconnected_components(edges, vertices=n, device="reference", algorithm="hopcroft-tarjan")
    np.testing.assert_array_equal(by_device.labels, serial.labels)
    np.testing.assert_array_equal(again.labels, serial.labels)
    pj.verify_biconnected(edges, serial.labels, vertices=n)
    pj.verify_bridges(edges, pj.bridges(edges, vertices=n, device=device), vertices=n)


def test_long_shapes(device: Device) -> None:
    """A ring, a path, a ladder and a chain of triangles: their trees are deep."""
    n = 8000
    i = np.arange(n)
    ring = np.stack([i, (i + 1) % n], axis=1)
    for order in (i, np.random.default_rng(1).permutation(n)):
        assert pj.is_biconnected(order[ring], device=device)
        path = order[ring[:-1]]
        assert pj.biconnected_components(path, device=device).count == n - 1
        assert len(pj.bridges(path, device=device)) == n - 1
        ladder = np.concatenate(
            [ring[: n // 2 - 1], ring[n // 2 : -1], np.stack([i, i + n // 2], 1)[: n // 2]]
        )
        assert pj.biconnected_components(order[ladder], device=device).count == 1
        triangles = np.concatenate([ring[:-1], np.stack([i, i + 2], axis=1)[: n - 2 : 2]])
        found = pj.biconnected_components(order[triangles], vertices=n, device=device)
        assert found.count == n // 2  # one bridge is left at the end
        assert len(pj.bridges(order[triangles], device=device)) == 1


# -- what is an edge -----------------------------------------------------------------------------------------


def test_each_row_of_arrays_and_tables_is_an_edge(device: Device) -> None:
    twice = [(0, 1), (1, 0), (1, 2), (2, 2)]
    frame = pd.DataFrame(twice, columns=["source", "target"])
    for given_edges in (twice, np.array(twice), tuple(np.array(twice).T), nx.MultiGraph(twice)):
        assert pj.bridges(given_edges, device=device).tolist() == [[1, 2]]
        assert pj.biconnected_components(given_edges, device=device).labels.tolist() in ([0, 0, 1, -1],)
    assert pj.bridges(frame, device=device).to_dict("list") == {"source": [1], "target": [2]}


def test_graphs_have_one_edge_between_two_vertices(device: Device) -> None:
    matrix = sp.csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 0, 1]]))
    twice = [(0, 1), (1, 0), (1, 2), (0, 1)]
    for graph in (
        matrix,
        matrix.tocoo(),
        sp.csc_array(matrix),
        pj.Graph.from_edges(twice),
        pj.Graph.from_edges(twice).symmetrized(),
        pj.to_device(pj.Graph.from_edges(twice), device),
        nx.Graph(twice),
        nx.DiGraph(twice),
    ):
        assert pj.bridges(graph, device=device).tolist() == [[0, 1], [1, 2]], type(graph)
        assert pj.biconnected_components(graph, device=device).edges.tolist() == [[0, 1], [1, 2]]


def test_files_of_graphs_have_one_edge_between_two_vertices(tmp_path: Path, device: Device) -> None:
    for name, text in {"edges.txt": "0 1\n1 0\n1 2\n", "graph.mtx": None}.items():
        if text:
            (tmp_path / name).write_text(text)
        else:
            pj.write(pj.Graph.from_edges([(0, 1), (1, 2)]), tmp_path / name)
        assert pj.bridges(str(tmp_path / name), device=device).tolist() == [[0, 1], [1, 2]], name


def test_multigraphs_of_libraries(device: Device) -> None:
    ig, rx = pytest.importorskip("igraph"), pytest.importorskip("rustworkx")
    twice = [(0, 1), (1, 0), (1, 2)]
    graph = rx.PyGraph()
    graph.add_nodes_from(range(3))
    graph.add_edges_from_no_data(twice)
    for each in (ig.Graph(twice), graph):
        assert pj.bridges(each, device=device).tolist() == [[1, 2]]


def test_none_one_and_loops(device: Device) -> None:
    none = np.empty((0, 2), int)
    for edges, n in ((none, 0), (none, 1), (none, 5), ([(1, 1), (0, 0), (1, 1)], 3)):
        found = pj.biconnected_components(edges, vertices=n, device=device)
        assert (found.count, set(found.labels.tolist()) <= {-1}, found.vertices) == (0, True, n)
        assert (found.sizes.tolist(), found.articulation_points.tolist()) == ([], [])
        assert found.tree().vertices == 0
        assert pj.bridges(edges, vertices=n, device=device).shape == (0, 2)
        assert not pj.is_biconnected(edges, vertices=n, device=device)
        assert pj.two_edge_connected_components(edges, vertices=n, device=device).count == n
        pj.verify_biconnected(edges, found.labels, vertices=n)
        pj.verify_bridges(edges, [], vertices=n)
    assert pj.is_biconnected([(0, 1)], device=device)


# -- tables --------------------------------------------------------------------------------------------------

PAIRS = {
    "left": ["a", "b", "c", "c", "e", "d"],
    "right": ["b", "c", "a", "d", "e", "c"],
    "score": [9, 8, 9, 5, 1, 2],
}


@pytest.mark.parametrize("kind", [pa.table, pd.DataFrame, pl.DataFrame])
def test_tables(kind: Any, device: Device) -> None:
    table = kind(PAIRS)
    few = pj.bridges(table, source="left", target="right", where=("score", ">", 2), device=device)
    assert type(few) is type(table)
    assert pa.table(few).to_pylist() == [{"left": "c", "right": "d", "score": 5}]
    assert len(pj.bridges(table, device=device)) == 0  # both rows join c and d
    points = pj.articulation_points(table, device=device)
    assert type(points) is type(table)
    assert pa.table(points).to_pydict() == {"id": ["c"]}
    found = pj.biconnected_components(table, device=device)
    assert found.labels.tolist() == [0, 0, 0, 1, -1, 1]
    assert found.names[found.vertices_of(1)].tolist() == ["c", "d"]
    parts = pj.two_edge_connected_components(table, where=("score", ">", 2), device=device)
    assert [parts.names[m].tolist() for m in parts.members()] == [["a", "b", "c"], ["d"]]


@pytest.mark.parametrize("block", [-1, 2, 1.5, "0"])
def test_what_is_no_block(block: Any) -> None:
    found = pj.biconnected_components([(0, 0), (0, 1), (1, 2)], device="reference")
    for ask in (found.edges_of, found.vertices_of):
        with pytest.raises(pj.GraphError, match=r"^block "):
            ask(block)


def test_tables_in_files(tmp_path: Path, device: Device) -> None:
    pd.DataFrame(PAIRS).to_parquet(tmp_path / "pairs.parquet")
    pd.DataFrame(PAIRS).to_csv(tmp_path / "pairs.csv", index=False)
    for path in ("pairs.parquet", "pairs.csv"):
        found = pj.bridges(tmp_path / path, where=("score", ">", 2), device=device)
        assert found.to_pylist() == [{"left": "c", "right": "d", "score": 5}]


@pytest.mark.parametrize("find", [pj.bridges, pj.two_edge_connected_components])
def test_edges_in_both_directions(find: Any) -> None:
    both = np.array([(0, 1), (1, 0), (2, 1), (1, 2), (3, 3)])
    for edges in (both, both.astype(np.uint64), pa.table({"left": both[:, 0], "right": both[:, 1]})):
        with pytest.warns(pj.PointerjumpWarning, match="each edge is there in both directions"):
            find(edges)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for edges in (both[:-2], both[[0, 3]], [(0, 1), (1, 2), (2, 0)], [(3, 3)], both[:0]):
            find(edges)
        matrix = sp.coo_array((np.ones(4), both[:4].T))
        found = find(matrix)
    assert find is not pj.bridges or found.tolist() == [[0, 1], [1, 2]]


def test_wrong_questions() -> None:
    with pytest.raises(pj.GraphError, match="this is a table: leave them out"):
        pj.bridges(pa.table(PAIRS), vertices=7)
    with pytest.raises(pj.GraphError, match="the edges come in blocks"):
        pj.biconnected_components(iter([([0], [1])]))
    with pytest.raises(pj.AlgorithmError, match="ecl-cc is for components"):
        pj.bridges([(0, 1)], algorithm="ecl-cc")
    with pytest.raises(pj.AlgorithmError, match="chain has no kernels"):
        pj.bridges([(0, 1)], algorithm="chain", device="cpu")
    with pytest.raises(pj.TableError, match="target= is not"):
        pj.biconnected_components(pa.table(PAIRS), source="left")
    with pytest.raises(pj.TableError, match="has no column 'rigth': it has 'left', 'right', 'score'"):
        pj.bridges(pa.table(PAIRS), source="left", target="rigth")


def test_what_is_told(device: Device) -> None:
    found = pj.biconnected_components(([2_000_000_000, 7], [7, 9]), ids="compact", device=device)
    assert found.names.tolist() == [7, 9, 2000000000]
    assert repr(found) == "BiconnectedComponents(count=2, edges=2, vertices=3)"
    assert found.stats["algorithm"] == "fast-bcc"
    assert {"forest", "compute"} <= set(found.stats["seconds"])


# -- wrong answers -------------------------------------------------------------------------------------------

BOW = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2), (4, 5)]


@pytest.mark.parametrize(
    ("bridges", "message"),
    [
        ([], "4-5 is a bridge, but is not given"),
        ([(4, 5), (5, 4)], "4-5 is given twice"),
        ([(4, 5), (0, 2)], "0-2 is given as a bridge, but is not one"),
        ([(4, 5), (0, 5)], "0-5 is given as a bridge, but is not one"),
        ([4, 5, 1], "3 ends"),
        ([(-1, 5)], "is given as a bridge"),
    ],
)
def test_wrong_bridges_are_seen(bridges: Any, message: str) -> None:
    pj.verify_bridges(BOW, [(5, 4)])
    with pytest.raises(pj.VerificationError, match=message):
        pj.verify_bridges(BOW, bridges)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 0, 0, 0, 0, 0, 1], "block 0 comes apart without vertex 2"),
        ([0, 0, 0, 1, 1, 1, 1], "block 1 comes apart without vertex 4"),
        ([0, 0, 1, 2, 2, 2, 3], "comes apart without vertex 1"),
        ([0, 1, 2, 3, 3, 3, 4], "close a cycle, and are one block"),
        ([0, 0, 0, 1, 1, 1, 0], "block 0 is not connected"),
        ([1, 1, 1, 0, 0, 0, 2], "not numbered"),
        ([0, 0, 0, 1, 1, 1, 3], "not numbered"),
        ([0, 0, 0, 1, 1, 1, -1], "edge 6 has label -1"),
        ([0, 0, 0, 1, 1, 1], "6 labels: give one for each of 7"),
    ],
)
def test_wrong_blocks_are_seen(labels: list[int], message: str) -> None:
    pj.verify_biconnected(BOW, [0, 0, 0, 1, 1, 1, 2])
    with pytest.raises(pj.VerificationError, match=message):
        pj.verify_biconnected(BOW, labels)


@settings(max_examples=25)
@given(drawn=multigraphs(), data=st.data())
def test_every_other_labelling_is_refused(drawn: Drawn, data: st.DataObject) -> None:
    n, edges = drawn
    right = networkx_blocks(n, edges)
    if max(right, default=-1) < 1:
        return
    one, other = data.draw(st.permutations(range(max(right) + 1)))[:2]
    for wrong in (
        [min(one, other) if label in (one, other) else label for label in right],  # two in one
        [*right[:-1], right[-1] + 1],
        [one if label == other else other if label == one else label for label in right],
    ):
        with pytest.raises(pj.VerificationError):
            pj.verify_biconnected(edges, wrong, vertices=n)


# -- real graphs ---------------------------------------------------------------------------------------------


SMALL_FILE = 100_000  # bytes


def real_graphs() -> list[Any]:
    """The graphs in shared/data: those in small files, and all if the tests that take long are asked for."""
    return [
        pytest.param(
            path, id=path.name, marks=[] if path.stat().st_size < SMALL_FILE else pytest.mark.exhaustive
        )
        for path in sorted(DATA.glob("*"))
        if path.name != "expected.csv"
    ]


@cache
def theirs(path: Path) -> tuple[list[int], list[list[int]], int]:
    """Return articulation points, bridges and the number of blocks, as rustworkx has them.

    Networkx must say the same of graphs on which it does not take minutes.
    """
    rx = pytest.importorskip("rustworkx")
    edges = pj.biconnected_components(pj.read(path)).edges.tolist()
    graph = rx.PyGraph()
    graph.add_nodes_from(range(max(map(max, edges)) + 1))
    graph.add_edges_from_no_data(list(map(tuple, edges)))
    cuts, parting = sorted(rx.articulation_points(graph)), sorted(map(sorted, rx.bridges(graph)))
    count = len(set(rx.biconnected_components(graph).values()))
    if len(edges) < 200_000:
        graph = nx.Graph(edges)
        assert sorted(nx.articulation_points(graph)) == cuts
        assert sorted(map(sorted, nx.bridges(graph))) == parting
        assert sum(1 for _ in nx.biconnected_component_edges(graph)) == count
    return cuts, parting, count


@pytest.mark.skipif(not DATA.exists(), reason="the graphs are not in the repository")
@pytest.mark.parametrize("path", real_graphs())
def test_real_graphs(path: Path, device: Device) -> None:
    graph = pj.read(path)
    found = pj.biconnected_components(graph, device=device)
    bridges = pj.bridges(graph, device=device)
    assert (found.articulation_points.tolist(), bridges.tolist(), found.count) == theirs(path)
    pj.verify_biconnected(graph, found.labels)
    pj.verify_bridges(graph, bridges)
    parts = np.array_split(np.random.default_rng(1).permutation(found.edges), 5)
    assert pj.bridges(iter(parts), vertices=graph.vertices, device=device).tolist() == bridges.tolist()


# -- edges in blocks ---------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(drawn=multigraphs(), cuts=st.lists(st.integers(0, 48), max_size=6), waiting=st.integers(1, 30))
@pytest.mark.parametrize("where", ["reference", None])
def test_bridges_of_any_blocks_are_those_of_all_edges(
    where: str | None, drawn: Drawn, cuts: list[int], waiting: int
) -> None:
    n, edges = drawn
    parts = np.split(edges, sorted(min(cut, len(edges)) for cut in cuts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(minimum_forest, "WAITING", waiting)
        found = pj.bridges(iter(parts), vertices=n, device=where)
        alike = pj.two_edge_connected_components(iter(parts), vertices=n, device=where)
    assert found.tolist() == pj.bridges(edges, vertices=n, device="reference").tolist()
    expected = pj.two_edge_connected_components(edges, vertices=n, device="reference")
    assert alike.labels.tolist() == expected.labels.tolist()


@pytest.mark.parametrize("waiting", [1, 50, 1 << 22])
def test_bridges_of_a_files_blocks_are_those_of_the_file(
    waiting: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both directions of an edge are in it, which are one edge, in blocks as in the file."""
    monkeypatch.setattr(minimum_forest, "WAITING", waiting)
    rng = np.random.default_rng(1)
    edges = rng.integers(0, 400, (440, 2))
    edges = np.concatenate([edges, edges[::-1, ::-1]])
    np.save(tmp_path / "edges.npy", edges)
    found = pj.bridges(pj.read_blocks(tmp_path / "edges.npy", vertices=400))
    assert len(found) > 100
    assert found.tolist() == pj.bridges(tmp_path / "edges.npy").tolist()


def test_few_edges_stay_of_many() -> None:
    edges = np.random.default_rng(1).integers(0, 100, (20, 1000, 2))
    stay, _ = minimum_forest.certificate_of_blocks(iter(edges), "reference")
    assert stay.vertices == 100
    assert len(stay.sources) == 198  # two trees


@pytest.mark.parametrize(
    ("blocks", "options", "message"),
    [
        ([[(0, 1)], [(1, 7)]], {"vertices": 5}, "from number 1 on.*7"),
        ([[(0, 1)], [(1, -2)]], {}, "from number 1 on.*-2"),
        ([[(0, 1 << 40)]], {}, str(1 << 40)),
        ([[(0, 1)]], {"ids": "compact"}, "leave ids out"),
        ([[(0, 1, 2)]], {}, "shape"),
    ],
)
def test_blocks_that_are_refused(blocks: list[Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(pj.GraphError, match=message):
        pj.bridges(iter(blocks), **options)
