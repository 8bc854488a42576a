"""Spanning forests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.face.graphs import HostGraph, graph_request
from pointerjump.face.running import Request, solve
from pointerjump.graph import Ids

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.face.device_graph import DeviceGraph

ForestEdges = npt.NDArray[np.int32]


def spanning_forest(
    graph: Any,
    algorithm: str = "auto",
    device: Any = None,
    *,
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
    asked, input = graph_request("spanning-forest", graph, algorithm, device, variant, vertices, ids)
    return find_forest(asked, input)[0]


def find_forest(request: Request, input: HostGraph | DeviceGraph) -> tuple[ForestEdges, dict[str, Any]]:
    """Find a spanning forest as requested; return its edges and facts about the run."""

    def read(plan: Plan) -> ForestEdges:
        from pointerjump.accel.spanning_forest import edges_of

        assert request.session is not None
        return edges_of(request.session, plan, input.host.vertices)

    found, run = solve(request, input, read, lambda forest: forest)
    return found, run.stats()
