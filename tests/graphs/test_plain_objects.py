"""Edges between Python's own objects: pairs, groups and dicts of neighbors, against NetworkX."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Hashable
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import pointerjump as pj
from pointerjump.accel.runtime.devices import devices

ANYWHERE = None if any(device.works for device in devices()) else "reference"
KINDS: dict[str, Callable[[int], Hashable]] = {
    "strings": lambda i: f"id {i}",
    "tuples": lambda i: (i // 7, i % 7),
    "uuids": lambda i: uuid.UUID(int=i),
    "mixed": lambda i: ("a", i, f"{i}", frozenset([i]))[i % 4],
}


def pairs_of(kind: str, seed: int, ids: int = 60) -> list[tuple[Any, Any]]:
    """Return pairs with a loop and a repeated one, the first of which holds no number."""
    rng = random.Random(seed)
    pairs = [tuple(KINDS[kind](rng.randrange(ids)) for _ in range(2)) for _ in range(40)]
    return [(KINDS[kind](0), KINDS[kind](2)), *pairs, pairs[0], (KINDS[kind](3),) * 2]


def as_sets(components: Any) -> set[frozenset[Any]]:
    return set(map(frozenset, components))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_pairs(kind: str, seed: int) -> None:
    pairs = pairs_of(kind, seed)
    graph = nx.Graph(pairs)
    graph.add_node("alone")
    expected = as_sets(nx.connected_components(graph))
    # Sources and targets are lists: of a tuple of two tuples, nobody knows what it means.
    for given in (pairs, list(map(list, pairs)), set(pairs), (*map(list, zip(*pairs, strict=True)),)):
        c = pj.components(given, nodes=["alone"], device=ANYWHERE)
        assert as_sets(c.members()) == expected
        assert c.largest() in map(set, c.members())
        assert len(c.largest()) == max(map(len, expected)) == c.sizes.max()
    first_seen = dict.fromkeys(end for pair in pairs for end in pair)
    assert pj.components(pairs, device=ANYWHERE).names.tolist() == [*first_seen]


@pytest.mark.parametrize("kind", KINDS)
def test_dicts_of_neighbors(kind: str) -> None:
    graph = nx.DiGraph(pairs_of(kind, 1))
    graph.add_node("alone")
    expected = as_sets(nx.weakly_connected_components(graph))
    neighbors = {vertex: list(graph[vertex]) for vertex in graph}
    for given in (neighbors, nx.to_dict_of_dicts(graph), {v: iter(some) for v, some in neighbors.items()}):
        assert as_sets(pj.components(given, device=ANYWHERE).members()) == expected


def test_groups() -> None:
    rng = random.Random(1)
    groups = [[f"{rng.randrange(80)}" for _ in range(rng.choice([0, 1, 2, 5]))] for _ in range(50)]
    graph: nx.Graph[str] = nx.Graph()
    for group in groups:
        nx.add_path(graph, group)
    expected = as_sets(nx.connected_components(graph))
    named = dict(enumerate(groups))
    for given in (groups, map(iter, groups), list(map(set, groups)), named, (g for g in groups)):
        assert as_sets(pj.components(groups=given, device=ANYWHERE).members()) == expected


def test_faces_of_a_mesh_are_vertex_numbers() -> None:
    faces = np.array([[0, 1, 2], [2, 1, 3], [5, 6, 5]], np.uint16)
    c = pj.components(groups=faces, vertices=8, device=ANYWHERE)
    assert c.labels.tolist() == [0, 0, 0, 0, 1, 2, 2, 3]
    assert pj.components(groups=faces * 10, ids="compact", device=ANYWHERE).names.tolist() == [
        0, 10, 20, 30, 50, 60,
    ]  # fmt: skip
    assert pj.components(groups=faces[:, :1], device=ANYWHERE).labels.tolist() == [0, 1, 2, 3, 4, 5]
    assert pj.components(groups=faces[:, :0], device=ANYWHERE).vertices == 0


def test_lists_of_numbers_are_still_vertex_numbers() -> None:
    assert pj.components([(0, 1), (4, 1)], device=ANYWHERE).labels.tolist() == [0, 0, 1, 2, 0]
    assert as_sets(pj.components({7: [9], 8: []}, device=ANYWHERE).members()) == {
        frozenset([7, 9]), frozenset([8]),
    }  # fmt: skip


def test_strings_in_arrays() -> None:
    pairs = np.array([["a", "b"], ["c", "b"]])
    for given in (pairs, pairs.astype(object), (pairs[:, 0], pairs[:, 1]), list(pairs)):
        assert as_sets(pj.components(given, device=ANYWHERE).members()) == {frozenset("abc")}


def test_other_problems_take_objects_too() -> None:
    pairs = [("a", "b"), ("b", "c"), ("c", "a")]
    assert len(pj.spanning_forest(pairs, device=ANYWHERE)) == 2
    pj.verify(pairs, [0, 0, 0])
    with pytest.raises(pj.VerificationError):
        pj.verify(pairs, [0, 0, 1])


def test_nothing_at_all() -> None:
    for c in (pj.components({}), pj.components(groups=[]), pj.components(groups=[[]]), pj.components(set())):
        assert (c.count, c.members(), c.largest()) == (0, [], set())


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ([("a", "b", "c")], "no pair: components takes groups as groups=, and weights are given apart"),
        ([("a", "b"), "cd"], "hold 'cd', a single str"),
        ([("a", "b"), {"left": 1, "right": 2}], "a single dict"),
        ([("a", "b"), 3], "no iterable of iterables"),
        ([("a", None)], "None, NaN or NA"),
        ([("a", float("nan"))], "None, NaN or NA"),
        ([("a", pd.NA)], "None, NaN or NA"),
        ([("a", ["b"])], "unhashable type: 'list'"),
        ((("a", "b"), ("c", "d")), "may be two edges"),
        ((["a"], ["b", "c"]), "1 sources and 2 targets"),
        ([(0, 1, 5), (1, 2, 3)], r"shape \(2, 3\): .* and weights apart"),
        ({"a": "bc"}, "hold 'bc', a single str"),
        ({"a": 3}, "no iterable of iterables .*: give lists of objects"),
    ],
)
def test_what_is_no_edge(given: Any, match: str) -> None:
    with pytest.raises(pj.GraphError, match=match):
        pj.components(given)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"groups": ["ab", "c"]}, "hold 'ab', a single str"),
        ({"groups": 3}, "no iterable of iterables"),
        ({"groups": np.arange(3)}, "a group in each row"),
        ({"groups": np.zeros((2, 2), int), "nodes": [1]}, "vertices="),
        ({"groups": pd.DataFrame({"a": [1]})}, "groups is a table"),
        ({"groups": [["a"]], "source": "a"}, "have no columns: leave out"),
        ({"groups": [["a"]], "graph": ([0], [1])}, "leave out graph beside groups"),
        ({"groups": [["a"]], "nodes": "bc"}, "nodes hold 'bc', a single str"),
        ({"groups": [["a"]], "vertices": 5}, "vertices and ids are for numbers"),
        ({}, "cannot make a graph of NoneType"),
    ],
)
def test_what_is_no_group(options: dict[str, Any], match: str) -> None:
    with pytest.raises(pj.GraphError, match=match):
        pj.components(**options)
