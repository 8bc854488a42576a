"""Graphs from NetworkX and back. NetworkX keeps what is converted, and drops it when the original changes."""

from __future__ import annotations

from typing import Any

import networkx as nx

from pointerjump.graph import Graph
from pointerjump.networkx_backend.adjacency import edges_of, is_view
from pointerjump.networkx_backend.array_graph import ArrayGraph


def convert_from_nx(
    graph: Any,
    *,
    edge_attrs: dict[str, Any] | None = None,
    node_attrs: dict[str, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> ArrayGraph:
    """Convert a NetworkX graph; the parameters are NetworkX's.

    Raises
    ------
    NotImplementedError
        If attributes of edges or nodes are asked for, which no function of the backend reads.
    """
    if edge_attrs or node_attrs or preserve_edge_attrs or preserve_node_attrs:
        raise NotImplementedError(
            f"{name} needs attributes of nodes or edges, which pointerjump does not keep: "
            "leave backend= out, or give a graph without attributes"
        )
    if is_view(graph):  # nobody would tell the view that the graph under it has changed
        graph.__networkx_cache__ = None
    nodes, sources, targets = edges_of(graph)
    return ArrayGraph(
        nodes,
        Graph.of_edges(sources, targets, len(nodes)),
        kind=_kind_of(graph),
        distinct=True,
        attributes=graph.graph if preserve_graph_attrs else None,
    )


def _kind_of(graph: Any) -> Any:
    """Return NetworkX's class for a graph, which may be of a class of its user's own."""
    if graph.is_directed():
        return nx.MultiDiGraph if graph.is_multigraph() else nx.DiGraph
    return nx.MultiGraph if graph.is_multigraph() else nx.Graph


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """Make a NetworkX graph of an :class:`ArrayGraph`; return any other result as it is.

    Nodes, edges and attributes are added in the order in which the backend's constructors got them.
    """
    if not isinstance(result, ArrayGraph):
        return result
    graph = result.kind()
    graph.graph.update(result.graph)
    graph.add_nodes_from(result.nodes)
    sources, targets = (map(result.nodes.__getitem__, ends.tolist()) for ends in result.ends)
    if result.weights is None:
        graph.add_edges_from(zip(sources, targets, strict=True))
    else:
        name, values = result.weights
        data = ({name: value} for value in values)
        graph.add_edges_from(zip(sources, targets, data, strict=True))
    return graph
