"""Rooted forests: parents, depths, orders and sizes, by every algorithm, against a search in plain Python."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import TREES
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import breadth_first_order
from test_kernels import cases
from test_schedules import cases as reference_cases
from test_schedules import machines

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.session import Session
from pointerjump.reference.machine import Machine
from pointerjump.registry import Algorithm, Variant

Edges = list[tuple[int, int]]


@st.composite
def forests(draw: st.DrawFn, most: int = 30) -> tuple[int, Edges, list[int]]:
    """Draw a forest: the number of vertices, edges in any order and direction, some twice, and some roots."""
    n = draw(st.integers(0, most))
    name = draw(st.permutations(range(n)))
    edges = []
    for v in range(1, n):
        up = draw(st.integers(-1, v - 1))  # -1: another tree begins
        if up >= 0:
            edges.append((name[v], name[up]) if draw(st.booleans()) else (name[up], name[v]))
    edges = draw(st.permutations(edges))
    roots = [v for v in range(n) if draw(st.integers(0, 3)) == 0]
    tree = trees_of(n, edges)
    return n, edges + edges[: n // 4], list({tree[v]: v for v in roots}.values())


def trees_of(n: int, edges: Edges) -> list[int]:
    """Return the smallest vertex of each vertex's tree."""
    graph = nx.Graph(edges)
    graph.add_nodes_from(range(n))
    return [
        smallest for _, smallest in sorted((v, min(c)) for c in nx.connected_components(graph) for v in c)
    ]


def searched(n: int, edges: Edges, roots: list[int]) -> dict[str, list[int]]:
    """Search each tree depth-first, children in ascending order, beginning after the parent."""
    neighbors: list[set[int]] = [set() for _ in range(n)]
    for u, v in edges:
        if u != v:
            neighbors[u].add(v)
            neighbors[v].add(u)
    tree = trees_of(n, edges)
    root_of = {**{s: s for s in tree}, **{tree[r]: r for r in roots}}
    parent, depth, size = [-1] * n, [0] * n, [1] * n
    order: list[int] = []
    finished: list[int] = []
    for smallest in sorted(root_of):
        root = root_of[smallest]
        parent[root] = root
        stack = [(root, False)]
        while stack:
            v, done = stack.pop()
            if done:
                finished.append(v)
                if parent[v] != v:
                    size[parent[v]] += size[v]
                continue
            order.append(v)
            stack.append((v, True))
            up = parent[v] if v != root else -1
            for u in sorted(neighbors[v] - {up}, key=lambda u: (u < up, u), reverse=True):
                parent[u], depth[u] = v, depth[v] + 1
                stack.append((u, False))
    number = {smallest: i for i, smallest in enumerate(sorted(root_of))}
    return {
        "parent": parent,
        "depth": depth,
        "preorder": np.argsort(order).tolist(),
        "postorder": np.argsort(finished).tolist(),
        "size": size,
        "tree": [number[s] for s in tree],
        "roots": [root_of[smallest] for smallest in sorted(root_of)],
    }


def assert_rooted(found: pj.RootedForest, expected: dict[str, list[int]]) -> None:
    for name, values in expected.items():
        array = getattr(found, name)
        assert array.dtype == np.int32
        assert array.tolist() == values, name


@pytest.mark.parametrize(("algorithm", "variant"), reference_cases("trees"))
@settings(max_examples=60)
@given(forest=forests(), machine=machines())
def test_references(
    algorithm: Algorithm, variant: Variant, forest: tuple[int, Edges, list[int]], machine: Machine
) -> None:
    n, edges, roots = forest
    with machine:
        found = pj.rooted_forest(
            np.array(edges, int).reshape(-1, 2),
            roots,
            vertices=n,
            algorithm=algorithm.name,
            device="reference",
            **variant,
        )
    assert_rooted(found, searched(n, edges, roots))


SHAPES = {
    "path": lambda n: np.arange(n - 1),
    "star": lambda n: np.zeros(n - 1, int),
    "caterpillar": lambda n: np.maximum(np.arange(1, n) - 1 - np.arange(1, n) % 2, 0),
    "comb": lambda n: np.where(np.arange(1, n) % 16, np.arange(n - 1), np.maximum(np.arange(1, n) - 16, 0)),
    "binary": lambda n: np.arange(n - 1) // 2,
    "recursive": lambda n: (np.random.default_rng(1).random(n - 1) * np.arange(1, n)).astype(int),
}


def shaped(shape: str, n: int, shuffled: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of a tree's edges."""
    name = np.random.default_rng(2).permutation(n) if shuffled else np.arange(n)
    return name[1:], name[SHAPES[shape](n)]


@cache
def searched_shape(shape: str, n: int, shuffled: bool) -> dict[str, list[int]]:
    """Search a shape from the vertex in the middle; all variants share what is found."""
    u, v = shaped(shape, n, shuffled)
    return searched(n, list(zip(u.tolist(), v.tolist(), strict=True)), [n // 2])


@pytest.mark.parametrize(("algorithm", "variant"), cases("trees"))
def test_shapes(algorithm: Algorithm, variant: Variant, device: Device) -> None:
    for i, shape in enumerate(SHAPES):
        for n in (2, 31, 257, 3000):
            if algorithm.name == "level-by-level" and shape in ("path", "caterpillar", "comb") and n > 300:
                continue  # a launch for each level
            shuffled = i % 2 == 0 or n == 257
            edges = shaped(shape, n, shuffled)
            found = pj.rooted_forest(edges, [n // 2], algorithm=algorithm.name, device=device, **variant)
            assert_rooted(found, searched_shape(shape, n, shuffled))


@pytest.mark.parametrize(("algorithm", "variant"), cases("trees"))
def test_many_trees(algorithm: Algorithm, variant: Variant, device: Device) -> None:
    rng = np.random.default_rng(3)
    n = 5000
    up = np.maximum(np.arange(n) - rng.integers(1, 40, n), 0)
    kept = (rng.random(n) < 0.8) & (np.arange(n) > 0)
    name = rng.permutation(n)
    edges = np.stack([name[np.flatnonzero(kept)], name[up[kept]]], axis=1)
    found = pj.rooted_forest(edges, vertices=n, algorithm=algorithm.name, device=device, **variant)
    assert found.trees == n - int(kept.sum())
    assert_rooted(found, searched(n, [(int(u), int(v)) for u, v in edges], []))


@pytest.mark.parametrize("name", ["euler-tour", "level-by-level"])
def test_devices_that_sort_by_digits(name: str, device: Device) -> None:
    session = Session(device)
    session.tuning = replace(session.tuning, group=8, small_group=8)
    session.shows_writes = False  # as if it had memory of its own
    for n in (2, 5, 300, 5000):
        for some in (1, 10):  # the last vertices are in no edge
            u, v = (ends[: n // some] for ends in shaped("recursive", n, shuffled=True))
            found = pj.rooted_forest((u, v), vertices=n, algorithm=name, device=session)
            assert_rooted(found, searched(n, list(zip(u.tolist(), v.tolist(), strict=True)), []))


@pytest.mark.parametrize("name", ["euler-tour", "level-by-level"])
def test_none_and_one(name: str, device: Device) -> None:
    none = pj.rooted_forest(np.empty((0, 2), int), algorithm=name, device=device)
    assert (none.vertices, none.trees, none.height, none.widths.tolist()) == (0, 0, 0, [])
    one = pj.rooted_forest(np.empty((0, 2), int), vertices=1, algorithm=name, device=device)
    assert_rooted(one, searched(1, [], []))
    assert one.leaves.tolist() == [0]
    loops = pj.rooted_forest([(1, 1), (0, 0)], algorithm=name, device=device)
    assert_rooted(loops, searched(2, [], []))


def test_what_is_told(device: Device) -> None:
    found = pj.rooted_forest(TREES, [9], device=device)
    assert repr(found) == "RootedForest(trees=4, vertices=11)"
    assert found.roots.tolist() == [9, 1, 3, 10]
    assert found.leaves.tolist() == [0, 1, 5, 6, 7, 8, 10]
    assert (found.height, found.widths.tolist()) == (2, [4, 4, 3])
    assert found.stats["algorithm"] == "euler-tour"
    assert found.lowest_common_ancestor([5, 5, 0, 6], [8, 0, 7, 1]).tolist() == [9, 9, 4, -1]
    assert found.distance([5, 5, 6], [8, 0, 1]).tolist() == [3, 4, -1]
    assert found.is_ancestor(9, [5, 4, 3]).tolist() == [True, True, False]
    assert found.path(5, 0).tolist() == [5, 2, 9, 4, 0]
    assert found.kth_ancestor([5, 5, 5], [0, 2, 3]).tolist() == [5, 9, -1]
    assert found.kth_ancestor(5, np.uint64(2)) == 9
    assert found.kth_ancestor([5, 6], np.array([1, 2], np.uint64)).tolist() == [2, -1]
    with pytest.raises(pj.GraphError, match=r"vs.0. is 11"):
        found.kth_ancestor(11, 1)
    for many in (list(range(10**5)), np.arange(10**5), np.arange(10).reshape(5, 2)):
        with pytest.raises(pj.GraphError, match=r"^u is .{1,50}: it must be a whole number$"):
            found.path(many, 0)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["parent", "depth", "preorder", "size", "tree", "roots"])
def test_wrong_arrays_are_seen(name: str) -> None:
    found = pj.rooted_forest(TREES, [9], device="reference")
    pj.verify_rooted(TREES, found)
    array = getattr(found.rooted, name)
    for v, wrong in product(range(len(array)), (-1, 0, 1, 3, 7, 10, TREES.vertices, 2**31 - 1)):
        if array[v] != wrong:
            changed = array.copy()
            changed[v] = wrong
            with pytest.raises(pj.VerificationError, match=r"\d"):  # names a vertex or a tree
                pj.verify_rooted(TREES, pj.RootedForest(found.rooted._replace(**{name: changed}), found.run))
    with pytest.raises(pj.VerificationError, match="vertices 0 and 1 share an edge"):
        pj.verify_rooted([(0, 1)], pj.rooted_forest([(0, 0), (1, 1)], device="reference"))


def test_forests_of_any_kind(device: Device) -> None:
    expected = searched(4, [(0, 1), (1, 2)], [])
    matrix = sp.csr_array((np.ones(2), ([0, 1], [1, 2])), shape=(4, 4))
    for forest in (matrix, matrix + matrix.T, matrix.tocoo()):
        assert_rooted(pj.rooted_forest(forest, device=device), expected)
    assert_rooted(pj.rooted_forest(([1, 2, 1], [0, 1, 2]), vertices=4, device=device), expected)
    assert pj.rooted_forest("path:vertices=4", device=device).height == 3
    unsorted = pj.Graph([0, 2, 4, 6, 6], [1, 1, 2, 0, 1, 1])  # repeated entries, in no order
    assert_rooted(pj.rooted_forest(unsorted), expected)
    named = pj.rooted_forest(nx.path_graph(["x", "y", "z"]))
    assert named.names.tolist() == ["x", "y", "z"]
    spanning = pj.components(([0, 1, 2, 2], [1, 2, 0, 3]), device=device).forest()
    assert pj.rooted_forest(spanning, device=device).trees == 1


def test_parents_of_scipy_and_of_ours(device: Device) -> None:
    u, v = shaped("recursive", 500, shuffled=True)
    matrix = sp.csr_array((np.ones(499, bool), (u, v)), shape=(502, 502))
    _, predecessors = breadth_first_order(matrix, 7, directed=False)
    found = pj.RootedForest.from_parents(predecessors, device=device)
    expected = searched(502, list(zip(u.tolist(), v.tolist(), strict=True)), [7])
    assert_rooted(found, expected)
    assert_rooted(pj.RootedForest.from_parents(found.parent, device=device), expected)
    assert pj.RootedForest.from_parents([]).vertices == 0
    assert pj.RootedForest.from_parents(np.full(200, -1, np.int8)).trees == 200  # 8 bits have no 199


BAD = {
    "the edge between [0-2] and [0-2] lies": lambda: pj.rooted_forest([(0, 1), (1, 2), (2, 0), (3, 4)]),
    "the edge between [xyz] and [xyz] .* `pointerjump f": lambda: pj.rooted_forest(
        nx.cycle_graph(["x", "y", "z"])
    ),
    "roots 0 and 1 are in one tree": lambda: pj.rooted_forest([(0, 1)], roots=[0, 1]),
    "roots.0. is 5": lambda: pj.rooted_forest([(0, 1)], roots=[5]),
    "roots.0. is -1": lambda: pj.rooted_forest([(0, 1)], roots=[-1]),
    "from 0 to 1 lies": lambda: pj.RootedForest.from_parents([1, 0, 2, 0, 3]),
    "from 0 to 1 lies:": lambda: pj.RootedForest.from_parents(np.array([1, 0, 1], np.uint64)),
    "parents.1. is 7": lambda: pj.RootedForest.from_parents([0, 7]),
    "parents.1. is -2": lambda: pj.RootedForest.from_parents([0, -2]),
}


@pytest.mark.parametrize("message", BAD)
def test_what_is_no_forest(message: str) -> None:
    with pytest.raises(pj.GraphError, match=message):
        BAD[message]()


# -- values ----------------------------------------------------------------------------------------


def vertices_below(rooted: pj.RootedForest) -> list[np.ndarray]:
    begin, size = rooted.preorder, rooted.size
    return [np.flatnonzero((begin >= begin[v]) & (begin < begin[v] + size[v])) for v in range(len(begin))]


def vertices_above(rooted: pj.RootedForest) -> list[list[int]]:
    found = []
    for v in range(rooted.vertices):
        way = [v]
        while rooted.parent[way[-1]] != way[-1]:
            way.append(int(rooted.parent[way[-1]]))
        found.append(way)
    return found


@pytest.mark.diagonal
@pytest.mark.parametrize(
    "dtype", [np.bool_, np.int32, np.uint8, np.int64, np.float32, np.float64, np.longdouble]
)
@pytest.mark.parametrize("shape", ["path", "star", "comb", "recursive"])
def test_values(shape: str, dtype: type, device: Device) -> None:
    for n in (2, 33, 400):
        edges = shaped(shape, n, shuffled=True)
        found = pj.rooted_forest(edges, [n - 1], vertices=n + 1, device=device)
        by_host = pj.rooted_forest(edges, [n - 1], vertices=n + 1, device="reference")
        values = (np.random.default_rng(n).random(n + 1) * 100).astype(dtype)
        below, above = vertices_below(found), vertices_above(found)
        exact = np.array(values, np.longdouble) if np.issubdtype(dtype, np.floating) else values.astype(int)
        close = {"rtol": 1e-5} if dtype == np.float32 else {"rtol": 1e-12}
        np.testing.assert_allclose(found.subtree_sum(values), [exact[some].sum() for some in below], **close)
        np.testing.assert_allclose(found.path_sum(values), [exact[some].sum() for some in above], **close)
        np.testing.assert_array_equal(found.subtree_min(values), [exact[some].min() for some in below])
        np.testing.assert_array_equal(found.subtree_max(values), [exact[some].max() for some in below])
        for name in ("subtree_sum", "path_sum", "subtree_min", "subtree_max"):  # rounded alike
            np.testing.assert_array_equal(getattr(found, name)(values), getattr(by_host, name)(values))


def test_what_is_not_a_number_stays_in_its_subtree(device: Device) -> None:
    found = pj.rooted_forest([(0, 1), (0, 2), (2, 3)], vertices=5, device=device)
    values = [1.0, np.nan, np.inf, 5.0, 2.0]
    np.testing.assert_array_equal(found.subtree_sum(values), [np.nan, np.nan, np.inf, 5, 2])
    np.testing.assert_array_equal(found.subtree_min(values), [np.nan, np.nan, 5, 5, 2])
    np.testing.assert_array_equal(found.path_sum(values), [1, np.nan, np.inf, np.inf, 2])


def test_values_that_are_refused() -> None:
    found = pj.rooted_forest([(0, 1), (1, 2)])
    with pytest.raises(pj.GraphError, match=r"shape \(2,\): give one value for each of 3 vertices"):
        found.subtree_sum([1, 2])
    with pytest.raises(pj.GraphError, match="may exceed 64 bits"):
        found.subtree_sum([2**62, 2**62, 0])
    with pytest.raises(pj.GraphError, match="may exceed 64 bits"):
        found.path_sum([-(2**62), -(2**62), 0])
    with pytest.raises(pj.GraphError, match="exceeds 63 bits"):
        found.subtree_max(np.array([2**63, 0, 0], np.uint64))
    with pytest.raises(pj.GraphError, match="exceed 63 bits"):
        found.subtree_max([2**63, 2**53 + 1, 1])
    with pytest.raises(pj.GraphError, match="cannot be made into an array"):
        found.kth_ancestor([[1], [1, 2]], 1)
    with pytest.raises(pj.GraphError):
        found.subtree_sum(sp.csr_array(np.eye(3)))
    with pytest.raises(pj.AlgorithmError, match="residents"):
        found.lowest_common_ancestor(0, 1, residents=5)
    with pytest.raises(ValueError, match="read-only"):
        found.depth[:] = 0
    with pytest.raises(pj.GraphError, match="dtype"):
        found.subtree_sum(["a", "b", "c"])
    assert found.subtree_min([2**62, -(2**62), 5]).tolist() == [-(2**62), -(2**62), 5]
    table = np.arange(6, dtype=">f8").reshape(3, 2)  # byte-swapped, and its columns are strided
    assert found.subtree_sum(table[:, 0]).tolist() == [6, 6, 4]
    assert found.subtree_max(np.arange(6, dtype=np.float32)[::2]).tolist() == [4, 4, 4]
    assert found.path_sum(table[:, 1]).tolist() == [1, 4, 9]
    none = pj.rooted_forest(np.empty((0, 2), int))
    assert none.subtree_sum([]).tolist() == none.path_sum([]).tolist() == none.subtree_max([]).tolist() == []


@pytest.mark.parametrize("where", [None, "reference"])
def test_of_zeros_of_either_sign_the_first_in_preorder_counts(where: str | None, device: Device) -> None:
    rng = np.random.default_rng(4)
    parents = [-1, *(int(rng.integers(v)) for v in range(1, 300))]
    values = rng.choice([0.0, -0.0, 1.0, -1.0], 300, p=[0.45, 0.45, 0.05, 0.05])
    forest = pj.RootedForest.from_parents(parents, device=where or device)
    for found, least in ((forest.subtree_min(values), min), (forest.subtree_max(values), max)):
        for v, below in enumerate(vertices_below(forest)):
            in_preorder = values[below[np.argsort(forest.preorder[below])]].tolist()
            assert repr(found[v].item()) == repr(least(in_preorder))  # Python's return the first of equals


@pytest.mark.parametrize(
    "parents", [[1, 0], [-1, 2, 3, 1], [1, 2, 3, 0, 0, 4], [-1, 0, 3, 2, 2]], ids=["2", "3", "4", "2 beside"]
)
def test_cycles_of_parents_of_any_length_are_told_alike(parents: list[int], device: Device) -> None:
    with pytest.raises(pj.GraphError, match=r"parents lead round a cycle, .* edge from (\d+) to") as told:
        pj.RootedForest.from_parents(parents, device=device)
    v, above = (int(number) for number in re.findall(r"\d+", str(told.value))[:2])
    assert parents[v] == above
    for _ in parents:
        above = v if above == v else parents[above]
    assert above == v


@pytest.mark.parametrize("k", [-1, 0.5, [1, 2], "two"])
def test_errors_about_k_are_those_of_graphs(k: object) -> None:
    forest = pj.RootedForest.from_parents([-1, 0, 1], device="reference")
    with pytest.raises(pj.GraphError, match=r"^k "):
        forest.kth_ancestor([0, 1, 2], k)


def test_a_forest_goes_to_the_device_once(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    forest = pj.RootedForest.from_parents(np.maximum(np.arange(1000) - 1, 0), device=device)
    put, placed = Session.put, []

    def noted(session: Session, array: np.ndarray, what: str) -> Any:
        placed.append(what)
        return put(session, array, what)

    monkeypatch.setattr(Session, "put", noted)
    for _ in range(2):
        forest.subtree_min(np.arange(1000.0))
        forest.lowest_common_ancestor(5, 9, algorithm="inlabel")
    assert placed.count("the values") == 2  # what is new in each call
    assert {what: placed.count(what) for what in placed if "forest" in what} == {
        f"the forest's {name}": 1 for name in ("preorder", "size", "parent", "depth")
    }
