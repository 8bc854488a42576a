"""The functions, with NetworkX's names, arguments and results. NetworkX's docstrings describe them.

Where a function is not for directed graphs, or only for these, NetworkX itself refuses the others: its
decorators run before a backend does.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import networkx as nx

from pointerjump.networkx_backend.array_graph import ArrayGraph


def connected_components(G: ArrayGraph) -> Iterator[set[Hashable]]:
    """Generate the components as sets of nodes, in order of their first nodes."""
    yield from G.node_sets()


def number_connected_components(G: ArrayGraph) -> int:
    """Return the number of components."""
    return G.components.count


def is_connected(G: ArrayGraph) -> bool:
    """Return whether there is one component."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return G.components.count == 1


def node_connected_component(G: ArrayGraph, n: Hashable) -> set[Hashable]:
    """Return the nodes of the component of node `n`."""
    return G.nodes_with(n)


weakly_connected_components = connected_components
number_weakly_connected_components = number_connected_components
is_weakly_connected = is_connected


def is_forest(G: ArrayGraph) -> bool:
    """Return whether there is no cycle, directions ignored."""
    _require_nodes(G)
    return G.number_of_edges() == len(G) - G.components.count


def is_tree(G: ArrayGraph) -> bool:
    """Return whether the graph is connected and has no cycle, directions ignored."""
    _require_nodes(G)
    return G.number_of_edges() == len(G) - 1 and G.components.count == 1


def _require_nodes(G: ArrayGraph) -> None:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("G has no nodes.")


def isolates(G: ArrayGraph) -> Iterator[Hashable]:
    """Return an iterator over the nodes without edges."""
    return (G.nodes[vertex] for vertex in G.isolated.tolist())


def number_of_isolates(G: ArrayGraph) -> int:
    """Return the number of nodes without edges."""
    return len(G.isolated)


def has_path(G: ArrayGraph, source: Hashable, target: Hashable) -> bool:
    """Return whether two nodes of an undirected graph are in one component."""
    for node in (source, target):
        if node not in G:
            raise nx.NodeNotFound(f"Node {node} is not in G")
    labels = G.components.labels
    return bool(labels[G.position[source]] == labels[G.position[target]])
