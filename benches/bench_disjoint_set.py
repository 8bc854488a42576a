"""Disjoint sets: many batches against one run over all edges, and against scipy's and NetworkX's unions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from conftest import Measure
from networkx.utils import UnionFind
from scipy.cluster.hierarchy import DisjointSet as ScipyDisjointSet
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import pointerjump as pj
from pointerjump.accel.runtime.session import Session

Ids = npt.NDArray[np.int64]

BATCHES, QUICK_BATCHES = 1_000, 20
CHECKED = 20
"""After how many of the batches the number of subsets is compared with scipy's."""


@dataclass(frozen=True)
class Stream:
    """Random edges in batches, each an (edges, 2) array."""

    vertices: int
    batches: list[Ids]

    @classmethod
    def random(cls, vertices: int, batches: int, edges: int) -> Stream:
        drawn = np.random.default_rng(vertices).integers(0, vertices, (batches, edges, 2))
        return cls(vertices, list(drawn))

    def edges(self, batches: int | None = None) -> Ids:
        """The edges of the first batches, or of all."""
        return np.concatenate(self.batches[:batches])

    def expected_count(self, batches: int | None = None) -> int:
        """How many subsets there are after the first batches, or after all: scipy's answer."""
        s, t = self.edges(batches).T
        matrix = coo_array((np.ones(len(s), np.int8), (s, t)), shape=(self.vertices,) * 2)
        return int(connected_components(matrix, directed=False)[0])


def merged(stream: Stream, session: Session) -> pj.DisjointSet:
    forest = pj.DisjointSet(stream.vertices, session)
    for batch in stream.batches:
        forest.merge(batch)
    return forest


# -- batches of 10,000 edges among a million vertices ----------------------------------------------


@pytest.fixture(scope="module")
def large(quick: bool) -> Stream:
    """1,000 batches of 10,000 edges among a million vertices; with ``--quick``, 20 among 20,000."""
    batches = QUICK_BATCHES if quick else BATCHES
    return Stream.random(1_000 * batches, batches, 10_000)


def group(stream: Stream) -> str:
    return f"disjoint set: {len(stream.batches):,} batches of {len(stream.batches[0]):,} edges"


def test_one_run(measure: Measure, large: Stream, session: Session) -> None:
    """Label all edges at once."""
    edges, vertices = large.edges(), large.vertices
    run = lambda: pj.components(edges, device=session, vertices=vertices)  # noqa: E731
    measure(group(large), run, lambda found: same(found.count, large.expected_count()))


def test_batches(measure: Measure, large: Stream, session: Session) -> None:
    """Merge batch after batch, and label all vertices at the end."""
    run = lambda: merged(large, session).labels()  # noqa: E731
    whole = pj.components(large.edges(), device=session, vertices=large.vertices)
    measure(group(large), run, lambda labels: same(labels.tobytes(), whole.labels.tobytes()))


def test_batches_and_counts(measure: Measure, large: Stream, session: Session) -> None:
    """Merge batch after batch, and ask for the number of subsets after each."""

    def run() -> list[int]:
        forest, counts = pj.DisjointSet(large.vertices, session), []
        for batch in large.batches:
            forest.merge(batch)
            counts.append(forest.n_subsets)
        return counts

    def check(counts: list[int]) -> None:
        for done in np.linspace(1, len(large.batches), CHECKED, dtype=int):
            same(counts[done - 1], large.expected_count(done))

    measure(group(large), run, check)


def same(found: object, expected: object) -> None:
    assert found == expected


# -- batches of 1,000 edges ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(quick: bool) -> Stream:
    """1,000 batches of 1,000 edges among 100,000 vertices; with ``--quick``, 20 among 2,000."""
    batches = QUICK_BATCHES if quick else BATCHES
    return Stream.random(100 * batches, batches, 1_000)


def test_small_batches(measure: Measure, small: Stream, session: Session) -> None:
    run = lambda: merged(small, session).n_subsets  # noqa: E731
    measure(group(small), run, lambda count: same(count, small.expected_count()))


def by_scipy(vertices: int, edges: list[list[int]]) -> int:
    forest = ScipyDisjointSet(range(vertices))
    for u, v in edges:
        forest.merge(u, v)
    return forest.n_subsets


def by_networkx(vertices: int, edges: list[list[int]]) -> int:
    forest = UnionFind(range(vertices))
    for u, v in edges:
        forest.union(u, v)
    return sum(1 for _ in forest.to_sets())


@pytest.mark.parametrize("other", [by_scipy, by_networkx], ids=["scipy", "NetworkX"])
def test_small_batches_by_others(
    measure: Measure, small: Stream, other: Callable[[int, list[list[int]]], int]
) -> None:
    """Take one edge at a time, as they do, from lists of Python's own integers."""
    edges = small.edges().tolist()
    run = lambda: other(small.vertices, edges)  # noqa: E731
    measure(group(small), run, lambda count: same(count, small.expected_count()), rounds=3)


# -- questions -------------------------------------------------------------------------------------


def test_connected(measure: Measure, large: Stream, session: Session, quick: bool) -> None:
    """Ask about a million pairs of vertices in one call."""
    pairs = 20_000 if quick else 1_000_000
    forest = merged(large, session)
    us, vs = np.random.default_rng(1).integers(0, large.vertices, (2, pairs))
    labels = forest.labels()
    measure(
        f"disjoint set: {pairs:,} pairs in one call",
        lambda: forest.connected(us, vs),
        lambda found: same(found.tobytes(), (labels[us] == labels[vs]).tobytes()),
    )
