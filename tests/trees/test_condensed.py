"""Condensed trees and the clusters chosen from them: against hdbscan and against the definition."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from test_spanning_forests import weighted_graphs

import pointerjump as pj


def of_points(seed: int, n: int, *, ties: bool = False, centers: int = 3) -> pj.Dendrogram:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2)) + 4 * rng.integers(0, centers, (n, 1))
    distances = pdist(points)
    return pj.single_linkage(np.triu_indices(n, 1), np.round(distances, 1) if ties else distances)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 90),
    least=st.sampled_from([2, 3, 5, 10]),
    method=st.sampled_from(["eom", "leaf"]),
    ties=st.booleans(),
)
@pytest.mark.filterwarnings("ignore")
def test_hdbscan_chooses_the_same(seed: int, n: int, least: int, method: Any, ties: bool) -> None:
    hdbscan = pytest.importorskip("hdbscan.hdbscan_")
    h = of_points(seed, n, ties=ties)
    theirs = hdbscan._tree_to_labels(np.empty((n, 2)), h.merges.copy(), least, method)
    labels, probabilities, persistence = np.asarray(theirs[0]), theirs[1], np.asarray(theirs[2])
    ours = h.clusters(least, method)
    assert ((labels < 0) == (ours.labels < 0)).all()
    pairs = dict(zip(labels.tolist(), ours.labels.tolist(), strict=True))
    assert len(set(zip(labels.tolist(), ours.labels.tolist(), strict=True))) == len(set(pairs.values()))
    np.testing.assert_allclose(ours.probabilities, probabilities)
    for theirs_is, ours_is in pairs.items():
        if theirs_is >= 0:
            np.testing.assert_allclose(ours.persistence[ours_is], persistence[theirs_is])


def by_definition(h: pj.Dendrogram, least: int) -> Counter[tuple[frozenset[int], Any, float]]:
    """What leaves which cluster, and when: clusters as sets of vertices, downwards from the roots."""
    n = h.vertices
    sets = [frozenset([v]) for v in range(n)]
    for a, b, *_ in h.merges.tolist():
        sets.append(sets[int(a)] | sets[int(b)])
    merged = {int(c) for row in h.merges[:, :2].tolist() for c in row}
    tops = [c for c in range(len(sets)) if c not in merged]
    large = [c for c in tops if len(sets[c]) >= least]
    found: Counter[tuple[frozenset[int], Any, float]] = Counter()
    root = frozenset(range(n))

    def down(c: int, cluster: frozenset[int]) -> None:
        a, b, height, _ = h.merges[c - n].tolist()
        when = height if h.maximum else (1 / abs(height) if height else math.inf)
        sides = [int(a), int(b)]
        both = all(len(sets[side]) >= least for side in sides)
        for side in sides:
            if both:
                found[cluster, sets[side], when] += 1
                down(side, sets[side])
            elif len(sets[side]) >= least:
                down(side, cluster)
            else:
                found.update((cluster, v, when) for v in sets[side])

    for c in tops:
        if len(sets[c]) < least:
            found.update((root, v, 0.0) for v in sets[c])
        elif len(large) == 1:
            down(c, root)
        else:
            found[root, sets[c], 0.0] += 1
            down(c, sets[c])
    return found


@settings(max_examples=150)
@given(graph=weighted_graphs(), maximum=st.booleans(), least=st.integers(2, 5))
def test_condensed_trees_of_drawn_graphs(graph: Any, maximum: bool, least: int) -> None:
    n, edges, weights = graph
    weights = np.abs(weights // 2 if weights.dtype.kind == "i" else weights)
    h = pj.single_linkage(edges, weights, maximum, vertices=n)
    tree = h.condense(least)
    clusters = len(tree.parent) - n + 1
    assert tree.child.tolist() == [v for v in range(n + clusters) if v != n]
    assert (tree.parent[n:] < tree.child[n:]).all()
    assert (tree.child_size[:n] == 1).all()

    rows = list(
        zip(*(a.tolist() for a in (tree.parent, tree.child, tree.lambda_val, tree.child_size)), strict=True)
    )
    inside: list[set[int]] = [set() for _ in range(clusters)]
    for parent, child, *_ in rows[:n] + rows[n:][::-1]:  # a cluster's parts come after it
        inside[parent - n] |= {child} if child < n else inside[child - n]
    found: Counter[Any] = Counter()
    for parent, child, when, size in rows:
        what = child if child < n else frozenset(inside[child - n])
        found[frozenset(inside[parent - n]), what, when] += 1
        assert child < n or size == len(inside[child - n])
    assert found == by_definition(h, least)
    for method in ("eom", "leaf"):
        labels, probabilities, persistence = h.clusters(least, method)
        kept = labels[labels >= 0]
        firsts = [int(np.flatnonzero(labels == k)[0]) for k in range(len(persistence))]
        assert firsts == sorted(firsts)
        assert set(kept.tolist()) == set(range(len(persistence)))
        assert (np.bincount(kept, minlength=1) >= (least if len(persistence) else 0)).all()
        assert ((probabilities >= 0) & (probabilities <= 1)).all()
        assert (probabilities[labels < 0] == 0).all()
        assert not np.isnan(persistence).any()


def test_several_components_are_parts_of_the_root() -> None:
    edges, weights = [(0, 1), (1, 2), (4, 5), (5, 6)], [1, 2, 1, 4]
    labels, probabilities, persistence = pj.single_linkage(edges, weights).clusters(2)
    assert labels.tolist() == [0, 0, 0, -1, 1, 1, 1]
    assert probabilities.tolist() == [1, 1, 0.5, 0, 1, 1, 0.25]
    assert persistence.tolist() == [2.5 / 3, 2.25 / 3]
    similar = pj.single_linkage(edges, [1, 0.5, 1, 0.25], maximum=True).clusters(2)
    assert similar.labels.tolist() == labels.tolist()
    assert similar.probabilities.tolist() == probabilities.tolist()
    alone = pj.single_linkage(edges[:2], weights[:2], vertices=5).clusters(2)
    assert alone.labels.tolist() == [-1] * 5  # the root is no choice


def test_no_vertices() -> None:
    for n in (0, 1, 3):
        h = pj.single_linkage([], [], vertices=n)
        assert h.clusters(2).labels.tolist() == [-1] * n
        assert h.condense(2).parent.tolist() == [n] * n


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ((1,), "min_cluster_size is 1: a cluster has at least 2 vertices"),
        ((2.5,), "whole number"),
        ((2, "best"), "method='best': it must be one of eom, leaf"),
    ],
)
def test_what_is_refused(asked: Any, message: str) -> None:
    with pytest.raises(pj.GraphError, match=message):
        of_points(1, 9).clusters(*asked)


def test_negative_weights_have_no_lambda() -> None:
    with pytest.raises(pj.GraphError, match=r"a weight is -1\.0: clusters are chosen by"):
        pj.single_linkage([(0, 1), (1, 2)], [2, -1]).condense(2)
