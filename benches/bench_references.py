"""The references on 100,000 edges: those with linear work should stay under two seconds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import Measure
from scipy import ndimage

import pointerjump as pj
from pointerjump.registry import ALGORITHMS

ELEMENTS, QUICK_ELEMENTS = 100_000, 1_000


def names(problem: str) -> list[str]:
    """Return the algorithms for `problem`."""
    return [algorithm.name for algorithm in ALGORITHMS.values() if algorithm.problem == problem]


@pytest.fixture(scope="module")
def graph(quick: bool) -> pj.Graph:
    """A random graph with a few isolated vertices."""
    scale = 9 if quick else 15  # 98,304 edges drawn
    return pj.generate(f"urand:scale={scale},degree=3,seed=1")


@pytest.mark.parametrize("algorithm", names("components"))
def test_components(measure: Measure, graph: pj.Graph, algorithm: str) -> None:
    def run() -> pj.Components:
        return pj.components(graph, algorithm=algorithm, device="reference")

    def check(found: pj.Components) -> None:
        pj.verify(graph, found.labels)

    measure("references: components", run, check, rounds=3, edges=graph.edges)


@pytest.mark.parametrize("algorithm", names("spanning-forest"))
def test_spanning_forest(measure: Measure, graph: pj.Graph, algorithm: str) -> None:
    def run() -> Any:
        return pj.spanning_forest(graph, algorithm=algorithm, device="reference")

    def check(found: Any) -> None:
        pj.verify_forest(graph, found)

    measure("references: spanning forest", run, check, rounds=3, edges=graph.edges)


@pytest.mark.parametrize("algorithm", names("list-ranking"))
def test_list_rank(measure: Measure, quick: bool, algorithm: str) -> None:
    order = np.random.default_rng(1).permutation(QUICK_ELEMENTS if quick else ELEMENTS)
    successors = np.empty_like(order)
    successors[order] = np.append(order[1:], order[-1])

    def run() -> Any:
        return pj.list_rank(successors, algorithm=algorithm, device="reference")

    def check(ranks: Any) -> None:
        assert np.array_equal(ranks[order], np.arange(len(order))[::-1])

    measure("references: list ranking", run, check, rounds=3)


@pytest.mark.parametrize("algorithm", names("list-scan"))
def test_list_scan(measure: Measure, quick: bool, algorithm: str) -> None:
    n = QUICK_ELEMENTS if quick else ELEMENTS
    successors = np.minimum(np.arange(n) + 1, n - 1)

    def run() -> Any:
        return pj.list_scan(successors, np.arange(n), "add", algorithm=algorithm, device="reference")

    def check(sums: Any) -> None:
        assert np.array_equal(sums, np.arange(n).cumsum())

    measure("references: list scan", run, check, rounds=3)


@pytest.mark.parametrize("algorithm", names("id-numbering"))
def test_number_ids(measure: Measure, quick: bool, algorithm: str) -> None:
    n = QUICK_ELEMENTS if quick else ELEMENTS
    ids = np.random.default_rng(1).integers(0, n // 2, n)

    def run() -> Any:
        return pj.number_ids(ids, algorithm=algorithm, device="reference")

    def check(found: Any) -> None:
        numbers, distinct = found
        assert np.array_equal(distinct.to_numpy()[numbers], ids)

    measure("references: numbers for ids", run, check, rounds=3)


@pytest.mark.parametrize("algorithm", names("image-labelling"))
def test_label(measure: Measure, quick: bool, algorithm: str) -> None:
    side = 32 if quick else 316  # 99,856 pixels
    mask = np.random.default_rng(1).random((side, side)) < 0.5

    def run() -> Any:
        return pj.label(mask, 2, algorithm=algorithm, device="reference")

    def check(labels: Any) -> None:
        assert np.array_equal(labels, ndimage.label(mask, np.ones((3, 3)))[0])

    measure("references: labels for images", run, check, rounds=3)
