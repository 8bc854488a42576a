"""Spanning forests."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.edges import Ids
from pointerjump.inputs import graph_input, session_of
from pointerjump.run import Order, order, solve


def spanning_forest(
    graph: Any,
    *,
    algorithm: str = "auto",
    device: Any = None,
    vertices: int | None = None,
    ids: Ids | None = None,
    **variant: object,
) -> npt.NDArray[np.int32]:
    """Find a spanning forest: for each component, as few of its edges as keep it connected.

    Parameters
    ----------
    graph : object
        As for :func:`components`.
    algorithm : str
        A spanning-forest name from :func:`pointerjump.algorithms`, or ``"auto"``.
    device, vertices, ids : optional
        As for :func:`components`. With ``ids="compact"`` the edges name vertices by number, not by id.
    **variant
        Choices on the algorithm's axes, such as ``input="rows"``.

    Returns
    -------
    ndarray of int32, shape (vertices - components, 2)
        Edges of the graph. Their number is always the same, but which edges they are may vary between runs.

    Raises
    ------
    GraphError, FormatError, SpecError
        If `graph` is not a graph.
    AlgorithmError
        If there is no such algorithm or variant.
    DeviceError
        If there is no such device, or it cannot hold the graph.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.spanning_forest(([0, 1, 2], [1, 2, 0])).shape
    (2, 2)
    """
    wanted = order("spanning-forest", algorithm, device, variant, session_of(graph))
    return find_forest(wanted, graph_input(graph, vertices, ids))[0]


def find_forest(wanted: Order, graph: Any) -> tuple[npt.NDArray[np.int32], dict[str, Any]]:
    """Find a spanning forest of a `HostGraph` or `DeviceGraph`; return its edges and facts about the run."""
    from pointerjump.accel.spanning_forest import edges_of

    found, run = solve(wanted, graph, lambda session, plan: edges_of(session, plan, graph.host.vertices))
    return found, run.stats()
