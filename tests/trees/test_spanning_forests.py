"""Minimum spanning forests: references and kernels against Kruskal, scipy, networkx and rustworkx."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import NASTY
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree as scipys
from test_kernels import cases, kernel_variants
from test_schedules import machines

import pointerjump as pj
from pointerjump.accel import boruvka
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.session import Session
from pointerjump.base.weighted import WEIGHT_TYPES, Weighted
from pointerjump.ids.weighted import weighted_of
from pointerjump.reference.machine import Machine
from pointerjump.registry import ALGORITHMS, Algorithm, Variant, format_variant
from pointerjump.registry.selection import of_problem

NAMES = of_problem("minimum-spanning-forest")
DATA = Path(__file__).parents[3] / "shared" / "data"


def by_definition(n: int, edges: Any, weights: Any, *, maximum: bool = False) -> list[int]:
    """Kruskal, told in Python's own numbers: the places of the edges, ascending."""
    exact = np.asarray(weights).tolist()
    tree = list(range(n))
    kept = []
    for e in sorted(range(len(exact)), key=lambda e: (-exact[e] if maximum else exact[e], e)):
        a, b = (tree[v] for v in np.asarray(edges)[e].tolist())
        if a != b:
            kept.append(e)
            tree = [b if t == a else t for t in tree]
    return sorted(kept)


@st.composite
def weighted_graphs(draw: st.DrawFn, most: int = 24) -> tuple[int, np.ndarray, np.ndarray]:
    """Few vertices and many edges, so that loops, repeated edges and ties are common."""
    n = draw(st.integers(1, most))
    ends = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(ends, ends), max_size=3 * most))
    dtype = draw(st.sampled_from(WEIGHT_TYPES))
    some: st.SearchStrategy[Any]
    if dtype.startswith("int"):
        info = np.iinfo(dtype)
        some = st.sampled_from([info.min, info.min + 1, -1, 0, 1, 2, info.max]) | st.integers(-3, 3)
    else:
        tiny = float(np.finfo(dtype).smallest_subnormal)
        some = st.sampled_from([-math.inf, math.inf, -0.0, 0.0, tiny, -tiny, 1.5, float(np.finfo(dtype).max)])
        some |= st.integers(-3, 3).map(float)
    weights = draw(st.lists(some, min_size=len(edges), max_size=len(edges)))
    return n, np.array(edges, np.int64).reshape(-1, 2), np.array(weights, dtype)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(graph=weighted_graphs(), maximum=st.booleans(), machine=machines())
def test_references_of_drawn_graphs(name: str, graph: Any, maximum: bool, machine: Machine) -> None:
    n, edges, weights = graph
    with machine:
        found = pj.minimum_spanning_forest(
            edges, weights, maximum, vertices=n, algorithm=name, device="reference"
        )
    assert found.places.tolist() == by_definition(n, edges, weights, maximum=maximum)
    pj.verify_minimum_forest(edges, found.places, weights, maximum, vertices=n)


@pytest.mark.parametrize("algorithm", [a for a in ALGORITHMS.values() if a.kernels and a.name in NAMES])
@settings(max_examples=25)
@given(
    graph=weighted_graphs(),
    maximum=st.booleans(),
    few=st.sampled_from([0, boruvka.ONE_GROUP_EDGES]),
    each=st.sampled_from([1, boruvka.FEWEST_EACH]),
)
def test_kernels_of_drawn_graphs(
    algorithm: Algorithm, device: Device, graph: Any, maximum: bool, few: int, each: int
) -> None:
    """All variants on the same graphs: to draw them takes longer."""
    n, edges, weights = graph
    expected = by_definition(n, edges, weights, maximum=maximum)
    for variant in kernel_variants(algorithm):
        with mock.patch.multiple(boruvka, ONE_GROUP_EDGES=few, FEWEST_EACH=each):
            found = pj.minimum_spanning_forest(
                edges, weights, maximum, vertices=n, algorithm=algorithm.name, device=device, **variant
            )
        assert found.places.tolist() == expected, format_variant(variant)


@pytest.mark.diagonal
@pytest.mark.parametrize(("algorithm", "variant"), cases("minimum-spanning-forest"))
def test_rows_whose_directions_have_the_same_weights_or_almost(
    algorithm: Algorithm, variant: Variant, device: Device
) -> None:
    """Once, the second direction of an edge is a little heavier than the first; once, it is much lighter."""
    rng = np.random.default_rng(5)
    made = sp.csr_array((rng.integers(1, 40, 9000).astype(float), rng.integers(0, 1500, (2, 9000))))
    matrix = sp.csr_array(made + made.T)
    graph, weights = pj.Graph(matrix.indptr, matrix.indices), matrix.data
    rows = np.repeat(np.arange(graph.vertices), np.diff(matrix.indptr))
    second = rng.choice(np.flatnonzero(rows > matrix.indices))
    for change in (0, 1, -100):
        weights[second] += change
        found = pj.minimum_spanning_forest(graph, weights, algorithm=algorithm.name, device=device, **variant)
        again = pj.minimum_spanning_forest(graph, weights, algorithm="kruskal", device="reference")
        np.testing.assert_array_equal(found.places, again.places)
        assert (second in found.places) == (change == -100)


def test_work_groups_of_several_work_items(device: Device) -> None:
    """On a CPU, a work-group has one work-item by default."""
    session = Session(device)
    session.tuning = replace(session.tuning, group=8, small_group=8)
    for name, graph in NASTY.items():
        for kind in ("equal", "ties", "near"):
            for access in ("striding", "partitioning"):
                found = pj.minimum_spanning_forest(
                    graph, weights_for(graph, kind), algorithm="filter-boruvka", device=session, access=access
                )
                np.testing.assert_array_equal(found.places, by_kruskal(name, kind), err_msg=f"{name}, {kind}")


def weights_for(graph: pj.Graph, kind: str) -> np.ndarray:
    """Weights of one kind for the stored edges of a graph; "near" ones differ only in the last bits."""
    edges = graph.edges_as_read
    m = len(edges.sources) if edges else graph.directed_edges
    rng = np.random.default_rng(m)
    made: dict[str, Any] = {
        "float32": lambda: rng.normal(0, 100, m).astype(np.float32),
        "near": lambda: 1 + rng.integers(0, 1000, m) * 2.0**-52,
        "ties": lambda: rng.integers(-2, 3, m, np.int32),
        "equal": lambda: np.ones(m, np.int32),
        "int64": lambda: rng.integers(-(2**63), 2**63 - 1, m),
        "falling": lambda: -np.arange(m, dtype=np.float64),
    }
    return made[kind]()


KINDS = ("float32", "near", "ties", "equal", "int64", "falling")


@cache
def by_kruskal(name: str, kind: str) -> np.ndarray:
    weights = weights_for(NASTY[name], kind)
    found = pj.minimum_spanning_forest(NASTY[name], weights, algorithm="kruskal", device="reference")
    pj.verify_minimum_forest(NASTY[name], found.places, weights)
    return found.places


@pytest.mark.diagonal
@pytest.mark.parametrize(("algorithm", "variant"), cases("minimum-spanning-forest"))
def test_kernels_of_nasty_graphs(
    algorithm: Algorithm, variant: Variant, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boruvka, "FEWEST_EACH", 1)
    for at, (name, graph) in enumerate(NASTY.items()):
        for kind in KINDS if not variant else KINDS[at % 3 :: 3]:
            found = pj.minimum_spanning_forest(
                graph, weights_for(graph, kind), algorithm=algorithm.name, device=device, **variant
            )
            np.testing.assert_array_equal(found.places, by_kruskal(name, kind), err_msg=f"{name}, {kind}")


@pytest.mark.parametrize("name", NAMES)
def test_references_of_nasty_graphs(name: str) -> None:
    for graph in ("two hubs", "sparse random"):
        for kind in KINDS:
            found = pj.minimum_spanning_forest(
                NASTY[graph], weights_for(NASTY[graph], kind), algorithm=name, device="reference"
            )
            np.testing.assert_array_equal(found.places, by_kruskal(graph, kind), err_msg=f"{graph}, {kind}")


@pytest.mark.diagonal
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("degree", [1, 8, 40])
def test_large_graphs(degree: int, kind: str, device: Device) -> None:
    n = 20000
    graph = pj.Graph.from_edges(
        np.random.default_rng(degree).integers(0, n, (n * degree // 2, 2)), vertices=n
    )
    weights = weights_for(graph, kind)
    found = [
        pj.minimum_spanning_forest(graph, weights, algorithm=name, device=device)
        for name in ("boruvka", "filter-boruvka")
    ]
    assert found[0].places.tolist() == found[1].places.tolist()
    pj.verify_minimum_forest(graph, found[0].places, weights)
    labels = pj.components(graph, device=device).labels
    np.testing.assert_array_equal(found[0].components().labels, labels)


def test_a_path_whose_weights_make_one_long_chain(device: Device) -> None:
    n = 30000
    edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    for weights in (np.arange(n - 1), np.arange(n - 1)[::-1]):
        for ends in (edges, n - 1 - edges):
            found = pj.minimum_spanning_forest(ends, weights, algorithm="boruvka", device=device)
            assert len(found.places) == n - 1


# -- scipy's function --------------------------------------------------------------------------------------


def same_as_scipy(matrix: Any, device: Any = None) -> None:
    theirs, ours = scipys(matrix), pj.minimum_spanning_tree(matrix, device=device)
    assert type(ours) is type(theirs)
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    np.testing.assert_array_equal(ours.data, theirs.data)


@settings(max_examples=100)
@given(graph=weighted_graphs(), made=st.sampled_from(["csr_array", "csr_matrix", "coo_array", "csc_array"]))
def test_scipys_edges_of_sparse_matrices(device: Device, graph: Any, made: str) -> None:
    n, edges, weights = graph
    if weights.dtype.kind == "i":
        weights %= 1000  # sums of repeated entries
    elif not np.isfinite(weights).all():
        weights = np.nan_to_num(weights, posinf=7, neginf=-7)
    matrix = sp.coo_array((weights, edges.T), shape=(n, n)).tocsr()
    same_as_scipy(getattr(sp, made)(matrix), device)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64, np.float32, np.float64, bool])
def test_scipys_edges_with_ties_zeros_and_both_triangles(dtype: Any, device: Device) -> None:
    rng = np.random.default_rng(3)
    for n, m in ((1, 0), (30, 400), (3000, 20000)):
        matrix = sp.csr_array((rng.integers(0, 4, m).astype(dtype), rng.integers(0, n, (2, m))), (n, n))
        same_as_scipy(matrix, device)  # with explicit zeros, and weights that differ between triangles
        same_as_scipy(matrix + matrix.T, device)
        same_as_scipy(sp.csr_matrix(matrix.T), device)


def test_scipys_edges_of_large_integers_that_its_floats_make_equal() -> None:
    big = 2**53
    weights = np.array([big + 1, big, big + 1])
    same_as_scipy(sp.csr_array((weights, ([0, 0, 1], [1, 2, 2])), shape=(3, 3)))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_scipys_edges_of_rows_out_of_order_and_of_repeated_entries(dtype: Any) -> None:
    offsets = np.array([0, 3, 3, 4, 4])
    same_as_scipy(sp.csr_array((np.ones(4, dtype), np.array([3, 1, 2, 0]), offsets), (4, 4)))
    rng = np.random.default_rng(7)
    for weights in (rng.integers(-3, 4, 120), np.ones(120)):
        offsets = np.arange(0, 121, 12)
        same_as_scipy(sp.csr_array((weights.astype(dtype), rng.integers(0, 10, 120), offsets), (10, 10)))


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("made", [np.asarray, np.matrix, sp.dia_array, sp.bsr_array, sp.lil_array, list])
def test_scipys_edges_of_other_matrices(made: Any) -> None:
    dense = np.random.default_rng(5).integers(0, 3, (20, 20)).astype(float)
    same_as_scipy(made(dense))
    if made is np.asarray:
        dense[3, 4], dense[5, 6] = np.inf, np.nan
        same_as_scipy(dense)
        same_as_scipy(np.ma.masked_equal(np.nan_to_num(dense, posinf=2), 1))
        same_as_scipy(np.zeros((0, 0)))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((2, 3)), "square"),
        (sp.csr_array((2, 3)), "square"),
        (sp.csr_array(np.eye(2) * 1j), "real numbers"),
        (sp.csr_array(([np.nan], ([0], [1])), shape=(2, 2)), r"weights\[0\] is NaN"),
    ],
)
def test_matrices_that_are_refused(matrix: Any, message: str) -> None:
    with pytest.raises(pj.GraphError, match=message):
        pj.minimum_spanning_tree(matrix)


# -- other libraries ---------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), maximum=st.booleans())
def test_networkx_finds_the_same_edges(seed: int, maximum: bool) -> None:
    graph = nx.gnm_random_graph(30, 90, seed=seed)
    weights = np.random.default_rng(seed).permutation(90).tolist()
    for (u, v), weight in zip(graph.edges, weights, strict=True):
        graph[u][v]["heaviness"] = weight
    theirs = (nx.maximum_spanning_tree if maximum else nx.minimum_spanning_tree)(graph, weight="heaviness")
    ours = pj.minimum_spanning_forest(graph, maximum=maximum, weight="heaviness")
    assert {frozenset(e) for e in ours.edges.tolist()} == {frozenset(e) for e in theirs.edges}
    assert ours.total == theirs.size(weight="heaviness")
    assert [list(graph.edges)[p] for p in ours.places] == [tuple(e) for e in ours.edges.tolist()]


def test_networkx_graphs_of_all_kinds() -> None:
    multi = nx.MultiGraph([("a", "b", {"weight": 3}), ("a", "b", {"weight": 1}), ("b", "c", {})])
    found = pj.minimum_spanning_forest(multi)
    assert (found.places.tolist(), found.total, found.names.tolist()) == ([1, 2], 2, ["a", "b", "c"])
    assert pj.minimum_spanning_forest(nx.DiGraph([(0, 1), (1, 0)])).count == 1


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_rustworkx_has_the_same_total(seed: int) -> None:
    rx = pytest.importorskip("rustworkx")
    rng = np.random.default_rng(seed)
    edges, weights = rng.integers(0, 50, (200, 2)), rng.integers(-9, 9, 200)
    graph = rx.PyGraph()
    graph.add_nodes_from(range(50))
    graph.add_edges_from([(u, v, w) for (u, v), w in zip(edges.tolist(), weights.tolist(), strict=True)])
    theirs = sum(w for *_, w in rx.minimum_spanning_edges(graph, weight_fn=float))
    assert pj.minimum_spanning_forest(edges, weights, vertices=50).total == theirs
    assert pj.minimum_spanning_forest(graph, weights).total == theirs


@pytest.mark.exhaustive
@pytest.mark.parametrize("file", sorted(set(DATA.glob("*")) - {DATA / "expected.csv"}), ids=lambda f: f.name)
def test_real_graphs(file: Path, device: Device) -> None:
    """Verified, of scipy's weight and rustworkx's; and each cut has the components of edges up to there."""
    rx = pytest.importorskip("rustworkx")
    graph = pj.read(file)
    for kind in ("float32", "ties"):
        weights = weights_for(graph, kind)
        found = pj.minimum_spanning_forest(graph, weights, device=device)
        pj.verify_minimum_forest(graph, found.places, weights)
    edges = graph.edges_as_read
    us, vs = (edges.sources, edges.targets) if edges else (graph.sources, graph.neighbors)
    weights = 1 + np.arange(len(us)) * 7 % 1000
    forest = pj.minimum_spanning_forest((us, vs), weights, vertices=graph.vertices, device=device)
    lightest = np.lexsort((weights, np.maximum(us, vs), np.minimum(us, vs)))
    low, high = np.minimum(us, vs)[lightest], np.maximum(us, vs)[lightest]
    first = np.append(True, (low[1:] != low[:-1]) | (high[1:] != high[:-1])) & (low != high)
    matrix = sp.coo_array(
        (weights[lightest][first], (low[first], high[first])), shape=(graph.vertices,) * 2
    ).tocsr()
    assert forest.total == scipys(matrix).sum()
    theirs = rx.PyGraph()
    theirs.add_nodes_from(range(graph.vertices))
    theirs.add_edges_from(list(zip(us.tolist(), vs.tolist(), weights.tolist(), strict=True)))
    assert forest.total == sum(w for *_, w in rx.minimum_spanning_edges(theirs, weight_fn=float))
    merges = pj.single_linkage((us, vs), weights, vertices=graph.vertices, device=device)
    for height in (1, 30, 500):
        light = weights <= height
        some = pj.components((us[light], vs[light]), vertices=graph.vertices, device="reference")
        assert np.array_equal(merges.cut(height=height), some.labels)


# -- what the result says ----------------------------------------------------------------------------------


def test_the_result() -> None:
    found = pj.minimum_spanning_forest(([7, 9, 7], [9, 10, 10]), [2**62, 2**62, -5], ids="compact")
    assert found.edges.tolist() == [[0, 1], [0, 2]]
    assert found.edges.dtype == np.int32
    assert found.names.tolist() == [7, 9, 10]
    assert (found.total, found.count, found.vertices) == (2**62 - 5, 1, 3)
    assert found.components().names.tolist() == [7, 9, 10]
    assert pj.minimum_spanning_forest([(0, 1)] * 2 + [(1, 2)], [2**62] * 3).total == 2**63
    assert pj.minimum_spanning_forest([(0, 1), (2, 3)], [-(2**63)] * 2).total == -(2**64)
    assert math.isnan(pj.minimum_spanning_forest([(0, 1), (2, 3)], [-np.inf, np.inf]).total)
    assert pj.minimum_spanning_forest([], [], vertices=3).count == 3
    again = pj.minimum_spanning_forest([(0, 1)], [1.5], algorithm="boruvka")
    assert again.stats["algorithm"] == "boruvka"


def test_matrices_and_graphs_keep_the_places_of_their_entries() -> None:
    dense = np.array([[0, 5, 1], [0, 0, 2], [3, 0, 0]])
    for made, places in ((sp.csr_array, [1, 2]), (sp.csc_array, [2, 3]), (sp.coo_array, [1, 2])):
        assert pj.minimum_spanning_forest(made(dense)).places.tolist() == places
    rows = pj.Graph.from_scipy(sp.csr_array(dense))
    assert pj.minimum_spanning_forest(rows, [5, 1, 2, 3]).places.tolist() == [1, 2]
    on_device = pj.to_device(([0, 1, 2], [1, 2, 0]))
    assert pj.minimum_spanning_forest(on_device, [3, 2, 3, 1, 2, 1]).places.tolist() == [1, 3]


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "u4", "u8", "f2", ">i4", ">f8", "?"])
def test_other_types_of_weights(dtype: str) -> None:
    weights = np.array([1, 0, 1, 0, 0, 1], dtype)[::2]
    assert pj.minimum_spanning_forest([(0, 1), (1, 2), (2, 0)], weights).places.tolist() == [0, 2]


def test_keys_have_the_order_of_the_weights() -> None:
    triangle = pj.Graph.from_edges([0, 1, 2, 0, 1, 2, 0], [1, 2, 0, 1, 2, 0, 1])
    for dtype in ("f4", "f8"):
        weights = np.array([-np.inf, -1, -0.0, 0.0, 1e-40, 2, np.inf], dtype)
        keys = Weighted(triangle, weights).keys().tolist()
        assert keys == sorted(keys)
        assert keys[2] == keys[3]
        assert len(set(keys)) == 6
        falling = Weighted(triangle, weights, True).keys().tolist()
        assert falling == sorted(falling, reverse=True)


# -- wrong input, and wrong answers ------------------------------------------------------------------------

TRIANGLE = [(0, 1), (1, 2), (2, 0)]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (None, "there are no weights"),
        ([1, 2], r"weights has shape \(2,\): give one weight for each of 3 edges"),
        ([[1, 2, 3]], "shape"),
        ([1, np.nan, np.nan], r"weights\[1\] is NaN, neither light nor heavy"),
        (np.array([np.inf, -np.inf, np.nan], np.float32), r"weights\[2\] is NaN"),
        (["a", "b", "c"], "dtype"),
        ([1j, 2, 3], "dtype complex128"),
        ([Fraction(1, 2)] * 3, "dtype object"),
        (np.ones(3, np.longdouble), "give one of int32, int64, float32, float64"),
        (np.array([1, 2**63, 3], np.uint64), r"weights\[1\] is 9223372036854775808, which exceeds 63 bits"),
        (np.ma.masked_equal([1, 2, 3], 2), r"weights\[1\] is masked"),
    ],
)
def test_wrong_weights(weights: Any, message: str) -> None:
    with pytest.raises(pj.GraphError, match=message):
        pj.minimum_spanning_forest(TRIANGLE, weights)


def test_wrong_questions() -> None:
    with pytest.raises(pj.GraphError, match="or an attribute of a NetworkX graph, and this is a list"):
        pj.minimum_spanning_forest(TRIANGLE, weight="score")
    with pytest.raises(pj.GraphError, match="leave one of the two out"):
        pj.minimum_spanning_forest(nx.path_graph(3), [1, 2], weight="score")
    with pytest.raises(pj.AlgorithmError, match="ecl-cc is for components"):
        pj.minimum_spanning_forest(TRIANGLE, [1, 2, 3], algorithm="ecl-cc")
    with pytest.raises(pj.AlgorithmError, match="kruskal has no kernels"):
        pj.minimum_spanning_forest(TRIANGLE, [1, 2, 3], algorithm="kruskal", device="cpu")


@pytest.mark.parametrize(
    ("places", "message"),
    [
        ([0, 1], "edge 2 is not in the forest, but lighter than edge 0"),
        ([1], "does not connect"),
        ([0, 1, 2], "3 edges, and 2 are enough: they have a cycle"),
        ([1, 1], "edge 1 is in the forest twice"),
        ([1, 3], "numbered from 0 to 2"),
        ([1, -1], "numbered from 0 to 2"),
        ([], "does not connect"),
    ],
)
def test_wrong_forests_are_seen(places: list[int], message: str) -> None:
    with pytest.raises(pj.VerificationError, match=message):
        pj.verify_minimum_forest(TRIANGLE, places, [5, 2, 1])


def test_a_tie_that_went_to_the_later_edge_is_seen() -> None:
    with pytest.raises(
        pj.VerificationError, match="edge 0 is not in the forest, but as heavy as, and before"
    ):
        pj.verify_minimum_forest(TRIANGLE, [1, 2], [1, 1, 1])
    with pytest.raises(pj.VerificationError, match="edge 1 is not in the forest, but heavier than edge 0"):
        pj.verify_minimum_forest(TRIANGLE, [0, 2], [1, 2, 3], maximum=True)


@settings(max_examples=60)
@given(graph=weighted_graphs(), data=st.data())
def test_every_other_spanning_forest_is_refused(graph: Any, data: st.DataObject) -> None:
    """Put an edge that was left out in the place of one on the way between its ends."""
    n, edges, weights = graph
    right = by_definition(n, edges, weights)
    others = [e for e in range(len(edges)) if e not in right and edges[e][0] != edges[e][1]]
    if not others:
        return
    more = data.draw(st.sampled_from(others))
    for less in right:
        wrong = sorted({*right, more} - {less})
        with pytest.raises(pj.VerificationError):
            pj.verify_minimum_forest(edges, wrong, weights, vertices=n)


def test_what_a_caller_gave_is_not_changed() -> None:
    matrix = sp.csr_array(np.array([[0, 2.0, -0.0], [0, 0, 1], [5, 0, 0]]))
    before = matrix.copy()
    pj.minimum_spanning_tree(matrix, overwrite=True)
    assert (matrix != before).nnz == 0
    assert np.shares_memory(weighted_of(matrix)[0].weights, matrix.data)


@pytest.mark.parametrize("weights", [[2**63 + 1, 2**63, -1], [2**53 + 1, 2**53, 0.5]])
def test_integers_are_not_rounded_in_silence(weights: list[float]) -> None:
    with pytest.raises(pj.GraphError, match="may not hold exactly"):
        pj.minimum_spanning_forest(([0, 0, 1], [1, 1, 2]), weights)
