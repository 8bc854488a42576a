"""Information about the backend. Importing NetworkX also imports this module, so it imports nothing large."""

from __future__ import annotations

from typing import Any

_KEPT = "The components are kept with the converted graph, so that asking again takes no time."
_EARLY = "NetworkX is often quick here, so a graph is converted only if `backend=` asks for it."
_FOREST = (
    "Only for forests whose edges lead from parents to children: each node has at most one parent, and there "
    "is no cycle. The rooted forest is kept with the converted graph, and on the device."
)
_KRUSKAL = "The edges that Kruskal's algorithm finds, in its order; other values of `algorithm` are declined."
_BLOCKS = (
    "Found from any spanning forest, so nodes and components come in another order than in NetworkX's "
    "depth-first search. The blocks are kept with the converted graph."
)
_TABLE = "Makes the backend's own graph, which holds edges in arrays, without first making a NetworkX graph."

STOP_EARLY = frozenset(
    (
        *("is_connected", "is_weakly_connected", "is_biconnected", "is_forest", "is_tree", "has_path"),
        *("node_connected_component", "isolates", "number_of_isolates"),
        *("lowest_common_ancestor", "all_pairs_lowest_common_ancestor"),
    )
)
"""Functions that NetworkX may finish in the time that a conversion takes, for example because it looks at
only a few nodes or reads no edges."""

_DOCUMENTED = {
    "connected_components": _KEPT,
    "number_connected_components": _KEPT,
    "is_connected": _KEPT,
    "node_connected_component": _KEPT,
    "weakly_connected_components": _KEPT,
    "number_weakly_connected_components": _KEPT,
    "is_weakly_connected": _KEPT,
    "is_forest": _KEPT,
    "is_tree": _KEPT,
    "isolates": "A node with a self-loop is not isolated.",
    "number_of_isolates": "A node with a self-loop is not isolated.",
    "has_path": f"Undirected graphs only; `source` and `target` must be nodes. {_EARLY}",
    "lowest_common_ancestor": _FOREST,
    "all_pairs_lowest_common_ancestor": _FOREST,
    "tree_all_pairs_lowest_common_ancestor": _FOREST,
    "minimum_spanning_edges": _KRUSKAL,
    "maximum_spanning_edges": _KRUSKAL,
    "minimum_spanning_tree": _KRUSKAL,
    "maximum_spanning_tree": _KRUSKAL,
    "bridges": "In the order of `G.edges()`. They are kept with the converted graph.",
    "has_bridges": "The bridges are kept with the converted graph.",
    "bridge_components": "In order of the components' first nodes.",
    "articulation_points": _BLOCKS,
    "biconnected_components": _BLOCKS,
    "biconnected_component_edges": f"{_BLOCKS} Graphs with self-loops are declined.",
    "is_biconnected": _BLOCKS,
    "from_edgelist": f"{_TABLE} Edges with data make a NetworkX graph.",
    "from_pandas_edgelist": f"{_TABLE} `edge_attr` and `edge_key` are declined.",
    "from_scipy_sparse_array": f"{_TABLE} `parallel_edges` is declined.",
}


def get_info() -> dict[str, Any]:
    """Return the information that NetworkX displays about the backend, and its default configuration."""
    texts = {name: f"{text} {_EARLY}" if name in STOP_EARLY else text for name, text in _DOCUMENTED.items()}
    return {
        "backend_name": "pointerjump",
        "project": "pointerjump",
        "package": "pointerjump",
        "short_summary": "Components, bridges, spanning trees and common ancestors on any OpenCL device.",
        "functions": {name: {"additional_docs": text} for name, text in texts.items()},
        "default_config": {"device": None},
    }
