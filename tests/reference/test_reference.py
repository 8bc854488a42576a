"""The reference algorithms, each variant, against scipy and on graphs that break careless ones."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from conftest import BAD_LISTS, NASTY, NASTY_LISTS, graphs, in_parts, linked_lists, meeting
from hypothesis import given, settings
from scipy.sparse.csgraph import connected_components

import pointerjump as pj
from pointerjump.base.linked_lists import require_lists
from pointerjump.reference.vocabulary import kiss
from pointerjump.registry import ALGORITHMS, Algorithm, format_variant


def of_problem(problem: str) -> list:
    with_reference = [r for r in ALGORITHMS.values() if r.problem == problem and r.reference]
    return [pytest.param(algorithm, id=algorithm.name) for algorithm in with_reference]


def cases(problem: str) -> list:
    """Variants in which any two values meet; if what takes long is asked for, any three."""
    return [
        case
        for (algorithm,) in (param.values for param in of_problem(problem))
        for every in [list(algorithm.variants("reference"))]
        for case in in_parts(algorithm, meeting(every), meeting(every, 3))
    ]


def expected_labels(graph: pj.Graph) -> np.ndarray:
    """Scipy's labels; its numbering, by smallest vertex, is the one we promise."""
    return connected_components(graph.to_scipy(), directed=True, connection="weak")[1]


@cache
def labels_of_nasty_graph(name: str) -> np.ndarray:
    return expected_labels(NASTY[name])


@pytest.mark.parametrize(("algorithm", "variant"), cases("components"))
def test_components_of_nasty_graphs(algorithm: Algorithm, variant: dict) -> None:
    for name, graph in NASTY.items():
        found = pj.components(graph, algorithm=algorithm.name, device="reference", **variant)
        np.testing.assert_array_equal(found.labels, labels_of_nasty_graph(name), err_msg=name)


@pytest.mark.parametrize("algorithm", of_problem("components"))
@settings(max_examples=40)
@given(graph=graphs())
def test_components_of_drawn_graphs(algorithm: Algorithm, graph: pj.Graph) -> None:
    """All variants on the same graphs: to draw them takes longer than to label them."""
    expected = expected_labels(graph)
    for variant in meeting(algorithm.variants("reference")):
        found = pj.components(graph, algorithm=algorithm.name, device="reference", **variant)
        np.testing.assert_array_equal(found.labels, expected, err_msg=format_variant(variant))


@pytest.mark.parametrize("name", [r.name for r in ALGORITHMS.values() if r.problem == "components"])
def test_no_recursion_on_a_long_path(name: str) -> None:
    n = 20_000  # twenty times as deep as Python recurses
    found = pj.components((np.arange(n - 1), np.arange(1, n)), algorithm=name, device="reference")
    assert found.count == 1


@pytest.mark.parametrize("name", [r.name for r in ALGORITHMS.values() if r.problem == "components"])
@pytest.mark.parametrize("hub", [0, 20_000])
def test_a_hub(name: str, hub: int) -> None:
    leaves = np.delete(np.arange(20_001), hub)
    edges = (np.full(20_000, hub), leaves)
    if name == "crono":
        with pytest.raises(pj.AlgorithmError, match="pads 20001 vertices to the highest degree, 20000"):
            pj.components(edges, algorithm=name, device="reference")
    else:
        assert pj.components(edges, algorithm=name, device="reference").count == 1


@pytest.mark.parametrize("name", [r.name for r in ALGORITHMS.values() if r.problem == "list-ranking"])
def test_no_recursion_on_a_long_list(name: str) -> None:
    successors = np.minimum(np.arange(20_000) + 1, 19_999)
    ranks = pj.list_rank(successors, algorithm=name, device="reference")
    np.testing.assert_array_equal(ranks, 19_999 - np.arange(20_000))


def expected_ranks(successors: np.ndarray) -> np.ndarray:
    """Ranks by walking back from every last element along predecessors."""
    n = len(successors)
    ranks = np.full(n, -1)
    predecessor = {int(s): j for j, s in enumerate(successors) if s != j}
    for last in range(n):
        if successors[last] != last:
            continue
        j, rank = last, 0
        while j is not None:
            ranks[j] = rank
            j, rank = predecessor.get(j), rank + 1
    return ranks


@pytest.mark.parametrize(("algorithm", "variant"), cases("list-ranking"))
def test_ranks_of_nasty_lists(algorithm: Algorithm, variant: dict) -> None:
    for name, successors in NASTY_LISTS.items():
        ranks = pj.list_rank(successors, algorithm=algorithm.name, device="reference", **variant)
        np.testing.assert_array_equal(ranks, expected_ranks(successors), err_msg=name)


@pytest.mark.parametrize("algorithm", of_problem("list-ranking"))
@settings(max_examples=40)
@given(successors=linked_lists())
def test_ranks_of_drawn_lists(algorithm: Algorithm, successors: np.ndarray) -> None:
    expected = expected_ranks(successors)
    for variant in meeting(algorithm.variants("reference")):
        ranks = pj.list_rank(successors, algorithm=algorithm.name, device="reference", **variant)
        np.testing.assert_array_equal(ranks, expected, err_msg=format_variant(variant))


@pytest.mark.parametrize("name", BAD_LISTS)
@pytest.mark.parametrize("algorithm", ["sequential", "wylie", "random-splitter"])
def test_what_is_no_list_is_refused(name: str, algorithm: str) -> None:
    with pytest.raises(pj.ListError, match=r"successor|followed|cycle"):
        pj.list_rank(BAD_LISTS[name], algorithm=algorithm, device="reference")


def test_require_lists_names_the_witness() -> None:
    with pytest.raises(pj.ListError, match="elements 1 and 3 are both followed by 2"):
        require_lists(np.array([1, 2, 2, 2], np.int32))
    with pytest.raises(pj.ListError, match="element 2 lies on a cycle"):
        require_lists(np.array([0, 1, 3, 2], np.int32))


def test_kiss_is_spread_over_32_bits() -> None:
    draws = np.array([x for x, _ in zip(kiss(5), range(20_000), strict=False)])
    assert draws.max() < 2**32
    ones = np.array([(draws >> bit & 1).mean() for bit in range(32)])
    assert np.all(np.abs(ones - 0.5) < 0.02)
    assert len(np.unique(draws)) > 19_990
