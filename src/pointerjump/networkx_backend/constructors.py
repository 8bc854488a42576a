"""Graphs from edge lists, tables and matrices: as :class:`ArrayGraph`, without a NetworkX graph between.

Nodes, edges and errors are those that NetworkX's functions of the same names would give.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np

from pointerjump.graph import Graph
from pointerjump.networkx_backend.adjacency import Vertices, positions, positions_by_node
from pointerjump.networkx_backend.array_graph import KINDS, ArrayGraph


def from_edgelist(edgelist: Iterable[Any], create_using: Any = None) -> Any:
    """Make a graph of edges; if one has a key or data, make a NetworkX graph, which keeps them."""
    edges = list(edgelist)
    if set(map(len, edges)) - {2}:
        graph = _kind(create_using)()
        graph.add_edges_from(edges)
        return graph
    return _graph_of_ends(list(chain.from_iterable(edges)), create_using)


def from_pandas_edgelist(
    df: Any,
    source: Any = "source",
    target: Any = "target",
    edge_attr: Any = None,
    create_using: Any = None,
    edge_key: Any = None,
) -> ArrayGraph:
    """Make a graph of two columns of a table."""
    sources, targets = df[source], df[target]
    if _has_plain_ids(sources) and sources.dtype == targets.dtype and not targets.hasnans:
        nodes, codes = _factorized(sources, targets)
        return _graph_of_codes(nodes, codes, create_using)
    return _graph_of_ends(list(chain.from_iterable(zip(sources, targets, strict=False))), create_using)


def from_scipy_sparse_array(
    A: Any, parallel_edges: bool = False, create_using: Any = None, edge_attribute: Any = "weight"
) -> ArrayGraph:
    """Make a graph of a sparse adjacency matrix; the stored entries become edges with an attribute."""
    n, m = A.shape
    if n != m:
        raise nx.NetworkXError(f"Adjacency matrix not square: nx,ny={A.shape}")
    entries = A.tocoo(copy=True)
    sources, targets, values = entries.row, entries.col, entries.data
    kind = _kind(create_using)
    if kind is nx.MultiGraph:  # one triangle, or each edge would be there twice
        upper = sources <= targets
        sources, targets, values = sources[upper], targets[upper], values[upper]
    host = Graph.of_edges(sources, targets, n)
    return ArrayGraph(range(n), host, weights=(edge_attribute, values.tolist()), kind=kind)


def _kind(create_using: Any) -> Any:
    """Return the class of graph that is asked for."""
    if create_using is None:
        return nx.Graph
    if create_using in KINDS:
        return create_using
    raise NotImplementedError(f"create_using={create_using!r}: give None, or one of NetworkX's four classes")


def _graph_of_ends(ends: list[Hashable], create_using: Any) -> ArrayGraph:
    """Make a graph of both ends of each edge, one edge after the other."""
    nodes = list(dict.fromkeys(ends))
    position = positions_by_node(nodes)
    if None in position:
        raise ValueError("None cannot be a node")
    return _graph_of_codes(nodes, positions(ends, len(ends), position), create_using)


def _graph_of_codes(nodes: Sequence[Hashable], codes: Vertices, create_using: Any) -> ArrayGraph:
    """Make a graph of the positions of both ends of each edge, one edge after the other."""
    return ArrayGraph(nodes, Graph.of_edges(codes.reshape(-1, 2), None, len(nodes)), kind=_kind(create_using))


def _has_plain_ids(column: Any) -> bool:
    """Whether pandas can number a column as NetworkX would: integers, or strings, and none is missing."""
    dtype = getattr(column, "dtype", None)
    kind = getattr(dtype, "kind", "") if isinstance(dtype, np.dtype) else getattr(dtype, "name", "")
    return kind in ("i", "u", "str", "string") and hasattr(column, "hasnans") and not column.hasnans


def _factorized(sources: Any, targets: Any) -> tuple[list[Hashable], Vertices]:
    """Return the nodes in order of first appearance, and both ends of each edge, one edge after the other."""
    import pandas as pd

    codes, ids = pd.factorize(pd.concat([sources, targets], ignore_index=True))
    by_edge, seen = pd.factorize(codes.reshape(2, -1).T.ravel())
    return ids[seen].tolist(), by_edge.astype(np.int32)
