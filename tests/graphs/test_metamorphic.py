"""What must not change when a graph or a list is written down differently."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from conftest import graphs, linked_lists
from hypothesis import given, settings
from hypothesis import strategies as st

import pointerjump as pj
from pointerjump.accel.runtime.devices import devices
from pointerjump.registry import ALGORITHMS, Algorithm

DEVICE = next((d for d in devices() if d.works), None)


def sides(problem: str) -> list:
    """Each algorithm's reference, and its kernels on one device."""
    found = []
    for algorithm in ALGORITHMS.values():
        if algorithm.problem == problem and algorithm.reference:
            found.append(pytest.param(algorithm, "reference", id=f"{algorithm.name}:reference"))
        if algorithm.problem == problem and algorithm.kernels:
            marks = [] if DEVICE else [pytest.mark.skip("no OpenCL device works")]
            found.append(pytest.param(algorithm, DEVICE, id=f"{algorithm.name}:kernels", marks=marks))
    return found


def ends(graph: pj.Graph) -> tuple[np.ndarray, np.ndarray]:
    return graph.sources, graph.neighbors


def same_partition(a: np.ndarray, b: np.ndarray) -> bool:
    return len(set(zip(a.tolist(), b.tolist(), strict=True))) == len(set(a.tolist())) == len(set(b.tolist()))


COMPONENTS = pytest.mark.parametrize(("algorithm", "where"), sides("components"))
Find = Callable[[pj.Graph], np.ndarray]


def labels(algorithm: Algorithm, where: object) -> Find:
    return lambda graph: pj.components(graph, algorithm=algorithm.name, device=where).labels


@COMPONENTS
@settings(max_examples=8)
@given(graph=graphs(), seed=st.integers(0, 999))
def test_relabelled_vertices(algorithm: Algorithm, where: object, graph: pj.Graph, seed: int) -> None:
    find = labels(algorithm, where)
    to = np.random.default_rng(seed).permutation(graph.vertices)
    sources, targets = ends(graph)
    moved = pj.Graph.from_edges(to[sources], to[targets], vertices=graph.vertices)
    assert same_partition(find(moved)[to], find(graph))


@COMPONENTS
@settings(max_examples=8)
@given(graph=graphs(), seed=st.integers(0, 999))
def test_permuted_repeated_and_looped_edges(
    algorithm: Algorithm, where: object, graph: pj.Graph, seed: int
) -> None:
    """Rows in another order, an edge twice, a loop: the labels are the same to the last one."""
    find = labels(algorithm, where)
    if graph.vertices == 0:
        return
    random = np.random.default_rng(seed)
    sources, targets = (np.concatenate([a, a[:2], [graph.vertices - 1]]) for a in ends(graph.symmetrized()))
    order = random.permutation(len(sources))
    sources, targets = sources[order], targets[order]
    by_row = np.argsort(sources, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=graph.vertices))])
    untidy = pj.Graph(offsets, targets[by_row])
    np.testing.assert_array_equal(find(untidy), find(graph))


@COMPONENTS
@settings(max_examples=8)
@given(graph=graphs())
def test_one_more_vertex(algorithm: Algorithm, where: object, graph: pj.Graph) -> None:
    find = labels(algorithm, where)
    before = find(graph)
    more = pj.Graph(np.append(graph.offsets, graph.offsets[-1]), graph.neighbors)
    np.testing.assert_array_equal(find(more), [*before, before.max(initial=-1) + 1])


@COMPONENTS
@settings(max_examples=8)
@given(first=graphs(), second=graphs())
def test_two_graphs_side_by_side(
    algorithm: Algorithm, where: object, first: pj.Graph, second: pj.Graph
) -> None:
    find = labels(algorithm, where)
    both = pj.Graph(
        np.concatenate([first.offsets, second.offsets[1:] + first.offsets[-1]]),
        np.concatenate([first.neighbors, second.neighbors + first.vertices]),
    )
    one, other = find(first), find(second)
    np.testing.assert_array_equal(find(both), np.concatenate([one, other + one.max(initial=-1) + 1]))


@COMPONENTS
@settings(max_examples=8)
@given(graph=graphs(), seed=st.integers(0, 999))
def test_one_more_edge_joins_two_components_or_none(
    algorithm: Algorithm, where: object, graph: pj.Graph, seed: int
) -> None:
    find = labels(algorithm, where)
    if graph.vertices == 0:
        return
    u, v = np.random.default_rng(seed).integers(0, graph.vertices, 2)
    sources, targets = ends(graph)
    more = pj.Graph.from_edges(np.append(sources, u), np.append(targets, v), vertices=graph.vertices)
    before, after = find(graph), find(more)
    joined = np.where(before == before[v], before[u], before)
    assert same_partition(after, joined)


RANKS = pytest.mark.parametrize(("algorithm", "where"), sides("list-ranking"))


@RANKS
@settings(max_examples=8)
@given(successors=linked_lists(), seed=st.integers(0, 999))
def test_moved_elements(algorithm: Algorithm, where: object, successors: np.ndarray, seed: int) -> None:
    to = np.random.default_rng(seed).permutation(len(successors))
    moved = np.empty_like(successors)
    moved[to] = to[successors]
    ranks = pj.list_rank(successors, algorithm=algorithm.name, device=where)
    np.testing.assert_array_equal(pj.list_rank(moved, algorithm=algorithm.name, device=where)[to], ranks)


@RANKS
@settings(max_examples=8)
@given(successors=linked_lists(), following=linked_lists())
def test_one_list_before_another(
    algorithm: Algorithm, where: object, successors: np.ndarray, following: np.ndarray
) -> None:
    """Putting a list before a list's head adds the latter's length to all its ranks."""
    if len(successors) == 0 or len(following) == 0:
        return
    n = len(successors)
    last = int(np.flatnonzero(successors == np.arange(n))[0])
    heads = np.setdiff1d(np.arange(len(following)), following[following != np.arange(len(following))])
    both = np.concatenate([successors, following + n]).astype(np.int32)
    both[last] = n + heads[0]
    ranks, ranks_after = (
        pj.list_rank(s, algorithm=algorithm.name, device=where) for s in (successors, following)
    )
    found = pj.list_rank(both, algorithm=algorithm.name, device=where)
    np.testing.assert_array_equal(found[n:], ranks_after)
    end = np.arange(n)
    for _ in range(n):
        end = successors[end]
    np.testing.assert_array_equal(found[:n], ranks + np.where(end == last, ranks_after[heads[0]] + 1, 0))
