"""Mutual reachability distances against their definition, and clusters by them against two libraries."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import pointerjump as pj


def by_definition(distances: np.ndarray, k: int) -> np.ndarray:
    """All mutual reachability distances, given all distances; a point's row begins with itself."""
    core = np.sort(distances + np.diag(np.full(len(distances), -1.0)), axis=1)[:, k]
    reached = np.maximum(distances, np.maximum.outer(core, core))
    np.fill_diagonal(reached, 0)
    return reached


def points(seed: int, n: int, *, grid: bool = False) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, (n, 2)).astype(float) if grid else rng.random((n, 2))


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 30), grid=st.booleans(), data=st.data())
def test_all_distances(seed: int, n: int, grid: bool, data: st.DataObject) -> None:
    """Points on a grid are often at one place."""
    k = data.draw(st.integers(1, n - 1))
    distances = cdist(*[points(seed, n, grid=grid)] * 2)
    indices = np.argsort(distances, axis=1, kind="stable")
    rows = np.arange(n)[:, None]
    entries = distances[rows, indices].ravel(), (np.repeat(np.arange(n), n), indices.ravel())
    forms: list[Any] = [
        (indices, distances[rows, indices]),
        (distances[rows, indices], indices.astype(np.int32)),
        sp.coo_array(entries, shape=(n, n)),
        sp.coo_array(entries, shape=(n, n)).tocsc(),
    ]
    for form in forms:
        found = pj.mutual_reachability(form, k)
        assert found.nnz == n * (n - 1)
        np.testing.assert_array_equal(found.toarray(), by_definition(distances, k))


def test_nearest_neighbors_of_scikit_learn() -> None:
    neighbors = pytest.importorskip("sklearn.neighbors")
    where = points(3, 200)
    graph = neighbors.kneighbors_graph(where, 7, mode="distance")
    found = pj.mutual_reachability(graph, 5)
    assert (found.nnz, found.dtype) == (1400, np.float64)
    full = by_definition(cdist(where, where), 5)
    entries = found.tocoo()
    np.testing.assert_allclose(entries.data, full[entries.row, entries.col])
    with_themselves = neighbors.kneighbors_graph(where, 8, mode="distance", include_self=True)
    np.testing.assert_array_equal(pj.mutual_reachability(with_themselves, 5).toarray(), found.toarray())
    graph.data = graph.data.astype(np.float32)
    assert pj.mutual_reachability(graph, 5).dtype == np.float32


def same_clusters(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Whether labels name the same clusters, and -1 is no cluster in both."""
    pairs = {*zip(ours.tolist(), theirs.tolist(), strict=True)}
    return len(pairs) == len({*ours.tolist()}) == len({*theirs.tolist()}) and not any(
        (a < 0) != (b < 0) for a, b in pairs
    )


def fitted(where: np.ndarray, min_samples: int) -> tuple[pj.Dendrogram, Any, Any]:
    """Our tree, and what hdbscan and scikit-learn fit, with clusters of at least 6."""
    hdbscan, sklearn = pytest.importorskip("hdbscan"), pytest.importorskip("sklearn.cluster")
    neighbors = pytest.importorskip("sklearn.neighbors").NearestNeighbors(n_neighbors=len(where) - 1)
    distances, indices = neighbors.fit(where).kneighbors()
    exact = {"algorithm": "generic", "approx_min_span_tree": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = hdbscan.HDBSCAN(6, min_samples, **exact).fit(where)
        others = sklearn.HDBSCAN(6, min_samples=min_samples + 1, copy=True).fit(where)
    return pj.single_linkage(pj.mutual_reachability((indices, distances), min_samples)), theirs, others


def blobs(seed: int, noise: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centers = rng.uniform(-10, 10, (4, 2))
    return np.concatenate(
        (rng.normal(centers, 1.0, (40, 4, 2)).reshape(-1, 2), rng.uniform(-12, 12, (noise, 2)))
    )


@pytest.mark.parametrize("seed", range(8))
def test_clusters_without_ties_are_hdbscans(seed: int) -> None:
    """The distance to one's nearest neighbor is never the largest of the three, so no two are equal."""
    tree, theirs, others = fitted(blobs(seed, 30), 1)
    found = tree.clusters(6)
    assert same_clusters(found.labels, theirs.labels_)
    assert same_clusters(found.labels, others.labels_)
    np.testing.assert_allclose(found.probabilities, theirs.probabilities_)
    assert sorted(found.persistence) == pytest.approx(sorted(theirs.cluster_persistence_))


@pytest.mark.parametrize("min_samples", [2, 5, 10])
@pytest.mark.parametrize("seed", range(3))
def test_heights_are_hdbscans(seed: int, min_samples: int) -> None:
    """Of equal distances, another may merge first, which moves a few points at the borders of clusters."""
    tree, theirs, others = fitted(blobs(seed, 30), min_samples)
    np.testing.assert_allclose(tree.heights, theirs.single_linkage_tree_.to_numpy()[:, 2])
    np.testing.assert_allclose(tree.heights, others._single_linkage_tree_["value"])


@pytest.mark.parametrize(
    ("neighbors", "min_samples", "message"),
    [
        (([[1], [0]], [[1.0], [1.0]]), 0, "min_samples is 0: give at least 1"),
        (([[1], [0]], [[1.0], [1.0]]), 2, "point 0 has 1 neighbors besides itself, and min_samples is 2"),
        (([[1], [-1]], [[1.0], [np.inf]]), 1, "point 1 has 0 neighbors"),
        (([[1], [2]], [[1.0], [1.0]]), 1, "numbers from 1 to 2, and there are 2 points"),
        (([[1], [-2]], [[1.0], [1.0]]), 1, "numbers from -2 to 1"),
        (([[1], [0]], [[1.0], [-1.0]]), 1, "the distance from point 1 to 0 is -1.0"),
        (([[1], [0]], [[np.nan], [1.0]]), 1, "the distance from point 0 to 1 is nan"),
        (([[1], [0]], [[1], [1]]), 1, "arrays of int64 and int64"),
        (([1, 0], [1.0, 1.0]), 1, r"arrays of shape \(2,\) and \(2,\)"),
        (([[1], [0]], [[1.0]]), 1, r"shape \(2, 1\) and \(1, 1\)"),
        (np.eye(2), 1, "neighbors is of type ndarray"),
        (sp.csr_array((2, 3)), 1, "2x3"),
        (sp.csr_array(np.eye(2)[::-1] * 1j), 1, "distances of complex128"),
        (sp.dia_array(np.eye(2)), 1, "filled up with zeros"),
    ],
)
def test_what_is_refused(neighbors: Any, min_samples: int, message: str) -> None:
    with pytest.raises(pj.GraphError, match=message):
        pj.mutual_reachability(neighbors, min_samples)


def test_no_points() -> None:
    assert pj.mutual_reachability(sp.csr_array((0, 0)), 3).shape == (0, 0)
    assert pj.mutual_reachability((np.empty((0, 4), int), np.empty((0, 4))), 3).shape == (0, 0)
