"""Tells NetworkX before a call whether the backend can run the function, and whether it should.

`can_run` and `should_run` return True or, if the answer is no, a string with the reason. NetworkX calls
`should_run` only if ``nx.config.backend_priority`` includes the backend and a graph must be converted.
"""

from __future__ import annotations

import inspect
import sys
from itertools import chain, islice
from typing import Any

import networkx as nx
import numpy as np

from pointerjump.accel.runtime.sessions import session_for
from pointerjump.base.adjacency import as_near_integers, is_view
from pointerjump.errors import DeviceError
from pointerjump.networkx_backend.array_graph import KINDS, NO_FOREST, ArrayGraph, configured_device
from pointerjump.networkx_backend.info import STOP_EARLY

ANCESTOR = "lowest_common_ancestor"  # the names of functions for common ancestors end with this

SPANNING = frozenset(
    ("minimum_spanning_edges", "maximum_spanning_edges", "minimum_spanning_tree", "maximum_spanning_tree")
)
"""Functions that read weights from the dicts of the original graph."""

OF_ALL_ROWS = SPANNING.union(
    ("bridges", "has_bridges", "bridge_components", "articulation_points"),
    ("biconnected_components", "biconnected_component_edges"),
)
"""Functions for which NetworkX reads all adjacency rows. This takes far longer than the conversion."""

FEWEST_ENTRIES = 50_000  # in the rows; with fewer, the fixed cost of a run can exceed NetworkX's total time
FEWEST_ENTRIES_AT_START = 4_000_000  # before the process has used OpenCL: opening a device takes a second

SOME_ROWS = 0.4
"""If this fraction of the adjacency rows, the longest ones, contains at least as many entries as there are
nodes, NetworkX may be faster than the conversion. This is the case in binary trees, but not in paths."""

SAMPLES = 64  # number of searches for small components, each from a node in the second half with one neighbor
SMALL = 8  # the most nodes in a small component

CONVERTED_FIRST = "call it once with backend='pointerjump' to have the graph converted"


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    try:
        given = inspect.signature(getattr(nx, name).orig_func).bind_partial(*args, **kwargs).arguments
    except (AttributeError, TypeError):  # not in nx (bridge_components), or the call will fail, too
        given = {}
    if name == "has_path":
        if given.get("G") is not None and given["G"].is_directed():
            return "components say nothing about paths along directed edges"
        if given.get("source") is None or given.get("target") is None:
            return "None asks for the paths between many nodes"
    if name.endswith(ANCESTOR) and given.get("G") is not None and not _may_be_forest(given["G"]):
        return NO_FOREST
    wanted = given.get("create_using")
    if wanted is not None and wanted not in KINDS:
        return "create_using must be None or exactly one of NetworkX's four classes"
    if name in SPANNING and given.get("algorithm", "kruskal") != "kruskal":
        return "only Kruskal's algorithm has a fixed order and choice of edges"
    for declined in ("edge_attr", "edge_key"):
        if given.get(declined) is not None:
            return f"{declined} is for NetworkX's own graphs, which keep data for each edge"
    if given.get("parallel_edges"):
        return "parallel_edges makes several edges from one entry, which only NetworkX does"
    return True


def _may_be_forest(graph: Any) -> bool:
    """Return whether each node has at most one parent. Cycles are detected later."""
    kept = _converted(graph)
    if kept is not None and "rooted" in vars(kept):
        return kept.rooted is not None
    return bool(graph.is_directed()) and max(map(len, graph._pred.values()), default=0) <= 1


def _converted(graph: Any) -> ArrayGraph | None:
    """Return the cached conversion of a graph, or None if it was not converted or has changed since."""
    if isinstance(graph, ArrayGraph):
        return graph
    kept = getattr(graph, "__networkx_cache__", None) or {}  # dropped when the graph changes
    return next(iter(kept.get("backends", {}).get("pointerjump", {}).values()), None)


def _small_component_comes_late(graph: Any, lengths: np.ndarray[Any, Any]) -> bool:
    """Guess from a sample whether there is a small component in the second half of the nodes."""
    half = len(lengths) // 2
    if not lengths[half:].all():
        return True
    nodes, late = list(graph), np.flatnonzero(lengths[half:] == 1) + half
    directions = (graph._adj, graph._pred) if graph.is_directed() else (graph._adj,)
    for at in late[:: max(1, len(late) // SAMPLES)].tolist():
        seen, waiting = {nodes[at]}, [nodes[at]]
        while waiting and len(seen) <= SMALL:
            node = waiting.pop()
            for other in chain.from_iterable(islice(rows[node], SMALL + 1) for rows in directions):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        if not waiting:
            return True
    return False


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return True if the backend is likely to be faster, conversion included. Otherwise, return a reason."""
    if name.startswith("from_"):
        return True
    graph = args[0] if args else kwargs["G"]
    if _converted(graph) is not None:
        return True
    if name in STOP_EARLY:
        return f"NetworkX may stop early: {CONVERTED_FIRST}"
    if is_view(graph):
        return "a view is slow to convert, and cannot be kept: copy it"
    lengths = np.fromiter(map(len, graph._adj.values()), np.int64, len(graph))
    if graph.is_directed():
        lengths += np.fromiter(map(len, graph._pred.values()), np.int64, len(graph))
    entries = int(lengths.sum())
    if entries < FEWEST_ENTRIES:
        return "the graph is small"
    if "pyopencl" not in sys.modules and entries < FEWEST_ENTRIES_AT_START:
        return f"the graph is small for a process that has no device open yet: {CONVERTED_FIRST}"
    # NetworkX's search stops when it has seen all nodes, so it can stop early only in the last component. It
    # reads every row of the other components, and almost all rows if a small component is found late.
    some = int(SOME_ROWS * len(lengths))
    longest = np.partition(lengths, -some)[-some:]
    if name not in OF_ALL_ROWS:
        searches = not name.endswith(ANCESTOR)
        if searches and longest.sum() >= len(lengths) and not _small_component_comes_late(graph, lengths):
            return f"NetworkX may see all nodes in some of the rows: {CONVERTED_FIRST}"
        if as_near_integers(list(graph)) is None:
            return f"only integers in a short range are quick to number: {CONVERTED_FIRST}"
    try:
        session_for(configured_device())
    except DeviceError as error:
        return str(error)
    return True
