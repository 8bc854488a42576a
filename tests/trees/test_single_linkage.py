"""Single linkage: merges and cuts against scipy, components and the definition."""

from __future__ import annotations

import math
import sys
from functools import cache
from io import BytesIO
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_forests import merges_of
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import dendrogram, fcluster, is_valid_linkage, linkage
from scipy.spatial.distance import pdist
from test_kernels import cases
from test_schedules import cases as reference_cases
from test_schedules import machines
from test_spanning_forests import weighted_graphs

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device
from pointerjump.reference.machine import Machine
from pointerjump.registry import Algorithm, Variant
from pointerjump.solving.dendrograms import _ROWS_AT_ONCE


def by_union_find(us: Any, vs: Any, n: int, weights: Any = None, *, maximum: bool = False) -> np.ndarray:
    """What the edges merge, by the oracle."""
    return merges_of(us, vs, n, "single-linkage", "reference", weights, maximum)


def complete(n: int) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of n vertices, in the order of scipy's condensed distance matrices."""
    return np.triu_indices(n, 1)


def clusters_of(h: pj.Dendrogram, merged: int) -> list[frozenset[int]]:
    """The clusters after some merges, by their definition."""
    clusters = {v: frozenset([v]) for v in range(h.vertices)}
    for i, (a, b, _, size) in enumerate(h.merges[:merged].tolist()):
        assert a < b
        clusters[h.vertices + i] = clusters.pop(int(a)) | clusters.pop(int(b))
        assert len(clusters[h.vertices + i]) == size
    return sorted(clusters.values(), key=min)


def labels_of(clusters: list[frozenset[int]], n: int) -> list[int]:
    of = {v: k for k, cluster in enumerate(clusters) for v in cluster}
    return [of[v] for v in range(n)]


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 40))
def test_merges_are_scipys_without_ties(seed: int, n: int) -> None:
    distances = pdist(np.random.default_rng(seed).random((n, 3)))
    theirs, h = linkage(distances, "single"), pj.single_linkage(complete(n), distances)
    np.testing.assert_array_equal(h.merges, theirs)
    assert is_valid_linkage(h.merges)
    assert h.heights.tolist() == theirs[:, 2].tolist()
    assert h.count == 1


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 30))
def test_cuts_are_scipys_with_ties(seed: int, n: int) -> None:
    distances = np.random.default_rng(seed).integers(1, 6, n * (n - 1) // 2).astype(float)
    theirs, h = linkage(distances, "single"), pj.single_linkage(complete(n), distances)
    assert h.heights.tolist() == theirs[:, 2].tolist()
    for height in (0, 1, 2, 2.5, 3, 6):
        flat, ours = fcluster(theirs, height, "distance"), h.cut(height=height)
        assert len(set(zip(flat.tolist(), ours.tolist(), strict=True))) == len(set(flat)) == ours.max() + 1


@settings(max_examples=100)
@given(graph=weighted_graphs(), maximum=st.booleans())
def test_drawn_graphs(device: Device, graph: Any, maximum: bool) -> None:
    n, edges, weights = graph
    h = pj.single_linkage(edges, weights, maximum, vertices=n, device=device)
    whole = pj.components(edges, vertices=n, device="reference")
    assert (h.count, h.vertices, h.merges.shape) == (whole.count, n, (n - whole.count, 4))
    assert h.heights.dtype == weights.dtype or not len(weights)
    fall = [b < a for a, b in pairwise(h.heights.tolist())]
    rise = [b > a for a, b in pairwise(h.heights.tolist())]
    assert not any(rise if maximum else fall)
    np.testing.assert_array_equal(h.merges[:, 2], h.heights.astype(np.float64))

    for height in {*weights.tolist(), 0.5, -0.0, math.inf, -math.inf, 2**63, -(2**64)}:
        exact = np.array([w >= height if maximum else w <= height for w in weights.tolist()], bool)
        labels = pj.components(edges[exact], vertices=n, device="reference").labels
        assert h.cut(height=height).tolist() == labels.tolist(), height
    for count in range(h.count, n + 1):
        labels = h.cut(count=count).tolist()
        assert labels == labels_of(clusters_of(h, n - count), n)
        assert len(set(labels)) == count

    ends = h.forest.edges[np.lexsort((np.arange(n - h.count), _ascending(h)))]
    theirs = by_union_find(ends[:, 0], ends[:, 1], n)
    np.testing.assert_array_equal(h.merges[:, [0, 1, 3]], theirs[:, :3])
    pj.verify_merges(edges, h.merges, weights, maximum, vertices=n)


def _ascending(h: pj.Dendrogram) -> list[int]:
    """The rank of each edge of the forest by its weight; equal weights have equal ranks."""
    weights = h.forest.weights.tolist()
    ranks = {w: k for k, w in enumerate(sorted(set(weights), reverse=h.maximum))}
    return [ranks[w] for w in weights]


def forest(kind: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The edges of a forest in an order and with names that are drawn."""
    rng = np.random.default_rng(seed)
    v = np.arange(1, n)
    u = {
        "path": v - 1,
        "star": np.zeros_like(v),
        "random": (rng.random(len(v)) * v).astype(int),
        "bushes": v - 1 - (rng.random(len(v)) * np.minimum(v, 4)).astype(int),
        "legs": np.where(v % 2, np.maximum(v - 2, 0), v - 1),
        "in twos": v - 1,
    }[kind]
    kept = v % 2 == 1 if kind == "in twos" else rng.random(len(v)) < 0.99
    names, u, v = rng.permutation(n), u[kept], v[kept]
    order = np.arange(len(u)) if seed % 3 == 0 else rng.permutation(len(u))
    return names[u[order]], names[v[order]]


@cache
def weighted_forest(kind: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """A forest, and weights of three kinds; all variants share them."""
    us, vs = forest(kind, n, seed)
    rng = np.random.default_rng(seed)
    return us, vs, [rng.random(len(us)), rng.integers(-3, 3, len(us)), np.arange(len(us), dtype=np.float32)]


@cache
def merges_expected(kind: str, n: int, seed: int, i: int, maximum: bool) -> np.ndarray:
    us, vs, weights = weighted_forest(kind, n, seed)
    return by_union_find(us, vs, n, weights[i], maximum=maximum)


@pytest.mark.diagonal
@pytest.mark.parametrize("kind", ["path", "star", "random", "bushes", "legs", "in twos"])
@pytest.mark.parametrize(("algorithm", "variant"), cases("dendrograms"))
def test_merges_of_forests(kind: str, algorithm: Algorithm, variant: Variant, device: Device) -> None:
    for n in (0, 1, 2, 3, 7, 8, 9, 255, 256, 257, 5000):
        for seed in range(4 if n < 1000 else 1):
            us, vs, weights = weighted_forest(kind, n, seed)
            for i, maximum in enumerate((False, True, False)):
                found = merges_of(us, vs, n, algorithm.name, device, weights[i], maximum, **variant)
                np.testing.assert_array_equal(found, merges_expected(kind, n, seed, i, maximum))


@st.composite
def drawn_forests(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int, np.ndarray]:
    """Any forest with few weights, most of which are alike: some vertices have no earlier neighbor."""
    n = draw(st.integers(0, 40))
    earlier = [draw(st.integers(0, v)) for v in range(n)]
    names, v = np.array(draw(st.permutations(range(n))), int), np.flatnonzero(np.arange(n) != earlier)
    weights = draw(st.lists(st.integers(0, 6), min_size=len(v), max_size=len(v)))
    return names[v], names[np.array(earlier, int)[v]], n, np.array(weights, np.int64)


@settings(max_examples=150)
@given(drawn=drawn_forests(), maximum=st.booleans())
def test_merges_of_drawn_forests(device: Device, drawn: Any, maximum: bool) -> None:
    us, vs, n, weights = drawn
    expected = by_union_find(us, vs, n, weights, maximum=maximum)
    for access in ("striding", "partitioning"):
        found = merges_of(us, vs, n, "pandora", device, weights, maximum, access=access)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("algorithm", "variant"), reference_cases("dendrograms"))
@settings(max_examples=60)
@given(drawn=drawn_forests(), machine=machines())
def test_references_on_drawn_forests(
    algorithm: Algorithm, variant: Variant, drawn: Any, machine: Machine
) -> None:
    us, vs, n, weights = drawn
    expected = by_union_find(us, vs, n, weights)
    with machine:
        found = merges_of(us, vs, n, algorithm.name, "reference", weights, **variant)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.diagonal
@pytest.mark.parametrize("order", ["as it grew", "backwards", "at random"])
@pytest.mark.parametrize("kind", ["path", "star", "legs", "random"])
def test_long_chains(kind: str, order: str, device: Device) -> None:
    """Weights that rise or fall all the way make the longest paths up, and the longest chains."""
    n = 150_001 if kind == "path" else 30_001
    us, vs = forest(kind, n, 0)
    weights = np.arange(len(us), dtype=np.int32)
    weights = {"as it grew": weights, "backwards": -weights, "at random": weights * 7919 % 100_003}[order]
    found = merges_of(us, vs, n, "pandora", device, weights)
    np.testing.assert_array_equal(found, by_union_find(us, vs, n, weights))


def test_a_matrix_that_threads_fill() -> None:
    m = 3 * _ROWS_AT_ONCE - 1
    row = np.arange(m)
    merges = pj.single_linkage((row, row + 1), row / 2).merges
    assert np.array_equal(merges[1:, 0], row[1:] + 1)
    assert np.array_equal(merges[1:, 1], row[1:] + m)
    assert np.array_equal(merges[:, 2], row / 2)
    assert np.array_equal(merges[:, 3], row + 2)


def test_no_vertices_and_one() -> None:
    for n in (0, 1, 3):
        h = pj.single_linkage([], [], vertices=n)
        assert (h.merges.shape, h.count, h.heights.tolist()) == ((0, 4), n, [])
        assert h.cut(height=1).tolist() == h.cut(count=n).tolist() == list(range(n))


def test_heights_that_are_not_alike() -> None:
    big = 2**53
    h = pj.single_linkage(([0, 1, 2], [1, 2, 3]), [big + 1, big, big + 2])
    assert h.cut(height=big).tolist() == [0, 1, 1, 2]
    assert h.cut(height=float(big)).tolist() == [0, 1, 1, 2]
    assert h.cut(height=big + 1).tolist() == [0, 0, 0, 1]
    tenths = pj.single_linkage(([0, 1], [1, 2]), np.array([0.1, 3e38], np.float32))
    assert tenths.cut(height=0.1).tolist() == [0, 0, 1]
    assert tenths.cut(height=np.float64(1e300)).tolist() == [0, 0, 0]
    largest = float(np.finfo(np.float32).max)
    alike = pj.single_linkage(([0], [1]), np.array([largest], np.float32), maximum=True)
    assert [alike.cut(height=height).tolist() for height in (largest, 1e300)] == [[0, 0], [0, 1]]
    endless = pj.single_linkage(([0, 1], [1, 2]), np.array([np.inf, -np.inf], np.float32))
    assert endless.cut(height=1e300).tolist() == [0, 1, 1]
    assert endless.cut(height=-1e300).tolist() == [0, 1, 1]
    assert endless.cut(height=np.inf).tolist() == [0, 0, 0]
    zeros = pj.single_linkage(([0, 1], [1, 2]), [0.0, -0.0])
    assert zeros.merges[:, :2].tolist() == [[0, 1], [2, 3]]
    assert zeros.cut(height=-0.0).tolist() == [0, 0, 0]


def test_tables_and_names() -> None:
    pairs = pa.table({"left": ["a", "b", "d"], "right": ["b", "c", "e"], "score": [0.9, 0.4, 0.8]})
    h = pj.single_linkage(pairs, weight="score", maximum=True)
    assert h.names.tolist() == ["a", "b", "c", "d", "e"]
    assert h.cut(height=0.8).tolist() == [0, 0, 1, 2, 2]
    assert repr(h) == "Dendrogram(count=2, vertices=5)"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "either height=, count= or max_size="),
        ({"height": 1, "count": 2}, "either height=, count= or max_size="),
        ({"height": math.nan}, "height is nan"),
        ({"height": "low"}, "height is 'low'"),
        ({"count": 1}, "count is 1, but there are between 2 and 5 clusters"),
        ({"count": 6}, "count is 6, but"),
        ({"count": 2.5}, "whole number"),
    ],
)
def test_cuts_that_are_refused(asked: Any, message: str) -> None:
    with pytest.raises(pj.GraphError, match=message):
        pj.single_linkage(([0, 1, 3], [1, 2, 4]), [1, 2, 3]).cut(**asked)


@pytest.mark.parametrize("problem", [{"algorithm": "no-such"}, {"nonsense": 1}])
def test_what_is_asked_wrongly(problem: Any) -> None:
    with pytest.raises((pj.AlgorithmError, TypeError)):
        pj.single_linkage([(0, 1)], [1], **problem)


# -- wrong answers -----------------------------------------------------------------------------------------

RIGHT = [[0, 1, 1, 2], [2, 3, 2, 2], [5, 6, 3, 4]]  # and vertex 4, which is alone


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({0: [1, 0, 1, 2]}, r"merges\[0\] merges 1 and 0: give two clusters, ascending"),
        ({0: [0, 7, 1, 2]}, r"merges\[0\] merges 0 and 7"),
        ({0: [0, 0.5, 1, 2]}, r"merges\[0\] merges 0 and 0.5"),
        ({0: [-1, 1, 1, 2]}, r"merges\[0\] merges -1 and 1"),
        ({0: [0, math.nan, 1, 2]}, r"merges\[0\] merges 0 and nan"),
        ({2: [0, 6, 3, 3]}, r"merges\[2\] merges 0, which merges\[0\] has merged"),
        ({0: [0, 1, 1, 3]}, r"merges\[0\] has size 3, and its clusters have 2"),
        ({1: [2, 3, 2.5, 2]}, r"merges\[1\] has height 2.5, and edge 2 has 2"),
        ({1: [3, 4, 2, 2]}, r"merges clusters that no edge joins|which no row merges"),
        ({2: None}, r"edge 1 joins 1 and 2, which no row merges"),
        ({0: [2, 3, 2, 2], 1: [0, 1, 1, 2]}, r"merges\[1\] is by edge 0, lighter than edge 2"),
        ({0: [0, 2, 4, 2], 1: [1, 5, 1, 3], 2: [3, 6, 2, 4]}, r"lighter than edge 3 of the row before"),
    ],
)
def test_merges_that_are_wrong(changed: Any, message: str) -> None:
    edges, weights = [(0, 1), (1, 2), (2, 3), (0, 2), (4, 4)], [1, 3, 2, 4, 0]
    pj.verify_merges(edges, RIGHT, weights)
    rows = [row for i, right in enumerate(RIGHT) if (row := changed.get(i, right)) is not None]
    with pytest.raises(pj.VerificationError, match=message):
        pj.verify_merges(edges, rows, weights)


@pytest.mark.parametrize(
    ("merges", "message"),
    [
        ([[0, 1, 2]], r"have shape \(1, 3\)"),
        ([0, 1, 1, 2], r"have shape \(4,\)"),
        ("x", "not an array of real numbers"),
        ([["a"] * 4], "not an array of real numbers"),
        ([[0, 1], [2]], "not an array of real numbers"),
        (np.zeros((1, 4), complex), "not an array of real numbers"),
    ],
)
def test_merges_that_are_no_table(merges: Any, message: str) -> None:
    with pytest.raises(pj.VerificationError, match=message):
        pj.verify_merges([(0, 1)], merges, [1])


def test_too_many_merges() -> None:
    with pytest.raises(pj.VerificationError, match="no edge joins"):
        pj.verify_merges([(0, 1)], [[0, 1, 1, 2], [2, 3, 1, 3]], [1], vertices=3)


def test_of_equal_weights_the_earlier_edge_merges_first() -> None:
    edges = [(0, 1), (2, 3)]
    pj.verify_merges(edges, [[0, 1, 1, 2], [2, 3, 1, 2]], [1, 1])
    with pytest.raises(pj.VerificationError, match="lighter than edge 1 of the row before"):
        pj.verify_merges(edges, [[2, 3, 1, 2], [0, 1, 1, 2]], [1, 1])
    with pytest.raises(pj.VerificationError, match="lighter than edge 1 of the row before"):
        pj.verify_merges(edges, [[2, 3, 1, 2], [0, 1, 1, 2]], [1, 1], maximum=True)


# -- pictures ----------------------------------------------------------------------------------------------


def segments_of(ax: Any) -> list[list[list[float]]]:
    return [segment.tolist() for segment in ax.collections[0].get_segments()]


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 40), merges=st.sampled_from([1, 5, 100]))
def test_pictures_are_scipys(seed: int, n: int, merges: int) -> None:
    distances = pdist(np.random.default_rng(seed).random((n, 2)))
    h = pj.single_linkage(complete(n), distances)
    theirs = dendrogram(h.merges, merges + 1, "lastp", no_plot=True)
    ax = Figure().subplots()
    assert h.plot(merges, ax) is ax
    across = (np.array(theirs["icoord"]) - 5) / 10
    expected = np.stack((across, theirs["dcoord"]), axis=2)
    ours = segments_of(ax)
    assert sorted(ours) == sorted(expected.tolist())
    assert [label.get_text() for label in ax.get_xticklabels()] == theirs["ivl"]
    assert ax.get_ylim()[0] == 0


def test_pictures_of_several_components_and_of_similarities() -> None:
    pairs = pa.table({"left": list("abde"), "right": list("bcef"), "score": [0.9, 0.4, 0.7, 0.2]})
    h = pj.single_linkage(pairs, weight="score", maximum=True)
    ax = h.plot(3, Figure().subplots())
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert sorted(names) == ["(2)", "c", "d", "e", "f"]
    assert sorted({y for segment in segments_of(ax) for _, y in segment}) == pytest.approx(
        [0.2, 0.4, 0.7, 0.725]
    )
    bottom, top = ax.get_ylim()
    assert bottom == pytest.approx(0.725)
    assert top < 0.2
    across = sorted(ax.get_xticks())
    assert across == [0, 1, 3, 4, 5]
    ax.figure.savefig(BytesIO())


def test_pictures_of_nothing_and_of_falling_heights() -> None:
    assert len(pj.single_linkage([], [], vertices=3).plot(ax=Figure().subplots()).get_xticks()) == 0
    ax = pj.single_linkage([(0, 1), (1, 2)], [-3, -1]).plot(ax=Figure().subplots())
    assert ax.get_ylim()[0] == pytest.approx(-3.1)
    with pytest.raises(pj.GraphError, match="merges is 0: draw at least 1"):
        pj.single_linkage([(0, 1)], [1]).plot(0)
    with pytest.raises(pj.GraphError, match="no axis reaches that far"):
        pj.single_linkage([(0, 1)], [math.inf]).plot()


def test_pictures_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(pj.PointerjumpError, match=r"pip install 'pointerjump\[plot\]'"):
        pj.single_linkage([(0, 1)], [1]).plot()
