"""What NetworkX asks before it calls the backend: whether it can run a function, and whether it should.

Both return True, or the reason why not. `should_run` is asked only if ``nx.config.backend_priority`` names
the backend and a graph would have to be converted. With ``backend="pointerjump"`` the function always runs.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.sessions import session_for
from pointerjump.errors import DeviceError
from pointerjump.networkx_backend import constructors, functions
from pointerjump.networkx_backend.adjacency import as_near_integers, is_view
from pointerjump.networkx_backend.array_graph import KINDS, ArrayGraph, configured_device

STOP_EARLY = frozenset(
    {
        "has_path",
        "is_connected",
        "is_forest",
        "is_tree",
        "is_weakly_connected",
        "isolates",
        "node_connected_component",
        "number_of_isolates",
    }
)
"""Functions that NetworkX may answer after looking at a few nodes, or without looking at any edge."""

FEWEST_ENTRIES = 50_000
"""Below so many entries in the rows, a run's fixed costs can exceed the whole time that NetworkX takes."""

FEWEST_ENTRIES_AT_START = 4_000_000
"""The same in a process that has not used OpenCL yet: opening a device takes up to a second."""

SOME_ROWS = 0.4
"""Where this share of the rows, the longest ones, may name all nodes, NetworkX may be faster than converting.
That is so on binary trees, but not on paths."""

CONVERTED_FIRST = "call it once with backend='pointerjump' to have the graph converted"


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return whether the backend can answer a call, or why not."""
    given = _arguments(name, args, kwargs)
    if name == "has_path":
        return _can_find_path(given)
    wanted = given.get("create_using")
    if wanted is not None and wanted not in KINDS:
        return "create_using must be None or one of NetworkX's four classes themselves"
    for declined in ("edge_attr", "edge_key"):
        if given.get(declined) is not None:
            return f"{declined} is for NetworkX's own graphs, which keep data for each edge"
    if given.get("parallel_edges"):
        return "parallel_edges makes several edges of one entry, which only NetworkX does"
    return True


def _arguments(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments by name; none if they do not fit, because the call then raises its own error."""
    function = getattr(functions, name, None) or getattr(constructors, name)
    try:
        return inspect.signature(function).bind_partial(*args, **kwargs).arguments
    except TypeError:
        return {}


def _can_find_path(given: dict[str, Any]) -> bool | str:
    graph = given.get("G")
    if graph is not None and graph.is_directed():
        return "components say nothing about paths along directed edges"
    if given.get("source") is None or given.get("target") is None:
        return "None asks for the paths between many nodes"
    return True


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return whether the backend is faster than NetworkX, conversion included, or why not."""
    if not hasattr(functions, name):
        return True
    graph = args[0] if args else kwargs["G"]
    if isinstance(graph, ArrayGraph) or _is_converted(graph):
        return True
    if name in STOP_EARLY:
        return f"NetworkX may stop early: {CONVERTED_FIRST}"
    if is_view(graph):
        return "a view is slow to convert, and cannot be kept: copy it"
    return _is_worth_converting(graph)


def _is_converted(graph: Any) -> bool:
    """Whether NetworkX keeps a converted graph, which it drops when the graph changes."""
    kept = getattr(graph, "__networkx_cache__", None) or {}
    return bool(kept.get("backends", {}).get("pointerjump"))


def _is_worth_converting(graph: Any) -> bool | str:
    lengths = _row_lengths(graph)
    entries = int(lengths.sum())
    if entries < FEWEST_ENTRIES:
        return "the graph is small"
    if "pyopencl" not in sys.modules and entries < FEWEST_ENTRIES_AT_START:
        return f"the graph is small for a process that has no device open yet: {CONVERTED_FIRST}"
    if _may_stop_early(lengths):
        return f"NetworkX may see all nodes in some of the rows: {CONVERTED_FIRST}"
    if as_near_integers(list(graph)) is None:
        return f"only integers in a short range are quick to number: {CONVERTED_FIRST}"
    return _device_works()


def _may_stop_early(lengths: npt.NDArray[np.int64]) -> bool:
    """Whether NetworkX's search may see all nodes before it has read most rows.

    It stops there, but only in a component that holds all nodes not seen before. So it reads every row of the
    others, and of all if an isolated node comes late.
    """
    n = len(lengths)
    if not lengths[n // 2 :].all():
        return False
    some = int(SOME_ROWS * n)
    return bool(np.partition(lengths, -some)[-some:].sum() >= n)


def _row_lengths(graph: Any) -> npt.NDArray[np.int64]:
    """Return how many neighbors each node has, in both directions if the graph is directed."""
    lengths = np.fromiter(map(len, graph._adj.values()), np.int64, len(graph))
    if graph.is_directed():
        lengths += np.fromiter(map(len, graph._pred.values()), np.int64, len(graph))
    return lengths


def _device_works() -> bool | str:
    try:
        session_for(configured_device())
    except DeviceError as error:
        return str(error)
    return True
