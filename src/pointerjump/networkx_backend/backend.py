"""The backend as NetworkX sees it: conversions, advice, and functions named as NetworkX names them."""

from __future__ import annotations

from pointerjump.networkx_backend.advice import can_run, should_run
from pointerjump.networkx_backend.constructors import (
    from_edgelist,
    from_pandas_edgelist,
    from_scipy_sparse_array,
)
from pointerjump.networkx_backend.conversion import convert_from_nx, convert_to_nx
from pointerjump.networkx_backend.functions import (
    connected_components,
    has_path,
    is_connected,
    is_forest,
    is_tree,
    is_weakly_connected,
    isolates,
    node_connected_component,
    number_connected_components,
    number_of_isolates,
    number_weakly_connected_components,
    weakly_connected_components,
)

__all__ = [
    "can_run",
    "connected_components",
    "convert_from_nx",
    "convert_to_nx",
    "from_edgelist",
    "from_pandas_edgelist",
    "from_scipy_sparse_array",
    "has_path",
    "is_connected",
    "is_forest",
    "is_tree",
    "is_weakly_connected",
    "isolates",
    "node_connected_component",
    "number_connected_components",
    "number_of_isolates",
    "number_weakly_connected_components",
    "should_run",
    "weakly_connected_components",
]
