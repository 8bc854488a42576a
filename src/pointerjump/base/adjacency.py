"""Converts the nested dicts of NetworkX graphs to arrays of edges, without loops in Python."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from itertools import chain, compress
from operator import methodcaller
from typing import Any

import numpy as np
import numpy.typing as npt

Vertices = npt.NDArray[np.int32]
Adjacency = Mapping[Hashable, Mapping[Hashable, Any]]

NUMBERS_PER_NODE = 8  # maximum number of entries per node in a table that maps integer nodes to positions


def edges_of(
    graph: Any, data: list[tuple[Any, ...]] | None = None
) -> tuple[list[Hashable], Vertices, Vertices]:
    """Return the nodes of a NetworkX graph, and the two ends of each edge as positions in the list of nodes.

    Edges, and the two ends of each edge, are in the same order as in ``graph.edges()``. Parallel edges are
    repeated. If `data` is a list, a tuple is appended to it for each edge. The tuple contains the edge's
    attributes, preceded by the edge's key if the graph is a multigraph.
    """
    adjacency: Adjacency | None = getattr(graph, "_adj", None)
    if not isinstance(adjacency, dict) or is_view(graph):  # views compute rows at each access
        adjacency = {node: dict(row.items()) for node, row in graph.adj.items()}
    nodes = list(adjacency)
    lengths = np.fromiter(map(len, adjacency.values()), np.int64, len(nodes))
    targets = _targets(adjacency, int(lengths.sum()), nodes)
    sources = np.repeat(np.arange(len(nodes), dtype=np.int32), lengths)
    if graph.is_multigraph():
        rows = map(methodcaller("values"), adjacency.values())
        parallel = np.fromiter(map(len, chain.from_iterable(rows)), np.int64, len(targets))
        sources, targets = np.repeat(sources, parallel), np.repeat(targets, parallel)
    taken: slice | npt.NDArray[np.bool_] = slice(None)
    if not graph.is_directed():  # each edge is in the rows of both its ends
        taken = sources <= targets
    if data is not None:
        of_rows: Iterable[Any] = chain.from_iterable(map(methodcaller("values"), adjacency.values()))
        of_edges: Iterable[Any]
        if graph.is_multigraph():
            of_edges = chain.from_iterable(map(methodcaller("items"), of_rows))
        else:
            of_edges = zip(of_rows, strict=False)
        data.extend(of_edges if isinstance(taken, slice) else compress(of_edges, taken.tolist()))
    return nodes, sources[taken], targets[taken]


def is_view(graph: Any) -> bool:
    """Return whether a NetworkX graph is a view, whose contents change when the underlying graph changes."""
    return hasattr(graph, "_graph")


def _targets(adjacency: Adjacency, count: int, nodes: list[Hashable]) -> Vertices:
    """Concatenate the rows of `adjacency`, and return the `count` neighbors as positions in `nodes`."""
    numbers = as_near_integers(nodes)
    if numbers is not None:
        try:
            found = np.fromiter(chain.from_iterable(adjacency.values()), np.int64, count)
        except TypeError:  # a neighbor equals an integer, but has another type
            numbers = None
    if numbers is None:
        return positions(chain.from_iterable(adjacency.values()), count, nodes)
    in_order = np.arange(len(numbers), dtype=np.int32)
    if np.array_equal(numbers, in_order):
        return found.astype(np.int32)
    smallest = numbers.min()
    position = np.empty(numbers.max() - smallest + 1, np.int32)
    position[numbers - smallest] = in_order
    at: Vertices = position[found - smallest]
    return at


def as_near_integers(nodes: list[Any]) -> npt.NDArray[np.int64] | None:
    """Return the nodes as an array if they are Python integers within a small range, otherwise None."""
    if set(map(type, nodes)) != {int}:
        return None
    try:
        numbers = np.fromiter(nodes, np.int64, len(nodes))
    except OverflowError:
        return None
    near = int(numbers.max()) - int(numbers.min()) < NUMBERS_PER_NODE * len(nodes)
    return numbers if near else None


def positions(some: Iterable[Hashable], count: int, nodes: Iterable[Hashable]) -> Vertices:
    """Return the positions in `nodes` of the `count` nodes in `some`. All `nodes` must be distinct."""
    position = {node: at for at, node in enumerate(nodes)}
    return np.fromiter(map(position.__getitem__, some), np.int32, count)
