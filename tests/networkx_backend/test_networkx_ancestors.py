"""Common ancestors by the NetworkX backend: NetworkX's answers in its order, or none without a forest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointerjump.networkx_backend import backend
from pointerjump.networkx_backend.advice import can_run, should_run
from pointerjump.networkx_backend.array_graph import ArrayGraph

BACKEND = {"backend": "pointerjump"}
ANCESTOR, ALL_PAIRS, OF_TREE = (
    f"{what}lowest_common_ancestor" for what in ("", "all_pairs_", "tree_all_pairs_")
)
NODES = [*range(9, -1, -1), "a", "b", (1, "c"), 2.5, frozenset({3})]


@pytest.fixture(autouse=True)
def no_warning_of_the_cache() -> Iterator[None]:
    before = set(nx.config.warnings_to_ignore)
    nx.config.warnings_to_ignore = before | {"cache"}
    yield
    nx.config.warnings_to_ignore = before


@st.composite
def digraphs(draw: st.DrawFn) -> nx.DiGraph:
    """Draw a forest, in which nodes and edges are in any order, or one with some more edges."""
    nodes = draw(st.lists(st.sampled_from(NODES), max_size=12, unique=True))
    edges = []
    for i in range(1, len(nodes)):
        above = draw(st.integers(-1, i - 1))
        if above >= 0:
            edges.append((nodes[above], nodes[i]))
    graph = draw(st.sampled_from([nx.DiGraph, nx.MultiDiGraph]))()
    graph.add_nodes_from(draw(st.permutations(nodes)))
    graph.add_edges_from(draw(st.permutations(edges)))
    graph.add_edges_from(draw(st.lists(st.sampled_from(edges), max_size=2)) if edges else [])
    if nodes and draw(st.integers(0, 4)) == 0:
        graph.add_edge(draw(st.sampled_from(nodes)), draw(st.sampled_from(nodes)))
    return graph


def outcome(name: str, graph: nx.DiGraph, *args: Any, **kwargs: Any) -> Any:
    """Return the answer, or the error and what it says."""
    try:
        found = getattr(nx, name)(graph, *args, **kwargs)
        return found if name == ANCESTOR else list(found)
    except (nx.NetworkXException, ValueError) as error:
        return type(error), str(error)


@settings(max_examples=150)
@given(graph=digraphs(), data=st.data())
def test_of_drawn_graphs(graph: nx.DiGraph, data: st.DataObject) -> None:
    node = st.sampled_from(list(graph)) if len(graph) else st.just("no node")
    pairs = data.draw(st.lists(st.tuples(node, node), max_size=6))
    if data.draw(st.integers(0, 9)) == 0:
        pairs.append(data.draw(st.sampled_from([("no node", 0), (), *((v, v, v) for v in graph)])))
    root, u, v = data.draw(node), data.draw(node), data.draw(node)
    questions = [
        *((ANCESTOR, args) for args in ((u, v), (u, v, "none"), (u, "no node"))),
        *((ALL_PAIRS, args) for args in ((), (pairs,), (set(pairs),))),
        *((OF_TREE, args) for args in ((), (root,), (root, pairs), (None, set(pairs)), ("no node",))),
        (OF_TREE, (root, dict.fromkeys(pairs))),
    ]
    is_forest = not len(graph) or nx.is_branching(nx.DiGraph(graph))
    for name, args in questions:
        if is_forest:
            assert can_run(name, (graph, *args), {}) is True
            assert outcome(name, graph, *args, **BACKEND) == outcome(name, graph, *args), (name, args)
            continue
        with pytest.raises(NotImplementedError):
            getattr(nx, name)(graph, *args, **BACKEND)
        with nx.config.backend_priority(algos=["pointerjump"]):
            assert outcome(name, graph, *args) == outcome(name, graph, *args, backend="networkx")


def test_pairs_are_read_once_and_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "PAIRS_AT_ONCE", 7)
    graph = nx.relabel_nodes(nx.random_labeled_rooted_tree(40, seed=1), str)
    tree = nx.bfs_tree(graph, "5")
    for name in (ALL_PAIRS, OF_TREE):
        assert outcome(name, tree, **BACKEND) == outcome(name, tree)
        pairs = [(str(u), str(v)) for u in range(12) for v in range(u, 40, 7)]
        expected = outcome(name, tree, pairs=pairs)
        assert outcome(name, tree, pairs=iter(pairs), **BACKEND) == expected


def test_a_converted_graph_is_rooted_once() -> None:
    tree = nx.balanced_tree(2, 5, create_using=nx.DiGraph)
    assert nx.lowest_common_ancestor(tree, 40, 35, **BACKEND) == nx.lowest_common_ancestor(tree, 40, 35)
    (kept,) = tree.__networkx_cache__["backends"]["pointerjump"].values()
    rooted = kept.rooted
    list(nx.all_pairs_lowest_common_ancestor(tree, [(7, 8)], **BACKEND))
    assert isinstance(kept, ArrayGraph)
    assert kept.rooted is rooted is not None
    tree.add_edge(40, 35)
    assert isinstance(can_run(ANCESTOR, (tree, 1, 2), {}), str)


def test_a_cycle_is_known_once_a_graph_is_converted() -> None:
    graph = nx.DiGraph([(0, 1), (1, 2), (2, 0), (3, 4)])
    assert can_run(ANCESTOR, (graph, 3, 4), {}) is True  # as far as degrees tell
    with pytest.raises(NotImplementedError):
        nx.lowest_common_ancestor(graph, 3, 4, **BACKEND)
    nx.is_weakly_connected(graph, **BACKEND)
    assert "children in a forest" in str(can_run(ANCESTOR, (graph, 3, 4), {}))


def test_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointerjump.networkx_backend.advice.FEWEST_ENTRIES", 10)
    monkeypatch.setattr("pointerjump.networkx_backend.advice.FEWEST_ENTRIES_AT_START", 10)
    star = nx.DiGraph((0, v) for v in range(1, 100))
    assert "early" in str(should_run(ANCESTOR, (star, 1, 2), {}))
    assert "early" in str(should_run(ALL_PAIRS, (star, [(1, 2)]), {}))
    assert should_run(OF_TREE, (star,), {}) is True
    nx.lowest_common_ancestor(star, 1, 2, **BACKEND)
    assert should_run(ANCESTOR, (star, 1, 2), {}) is True
