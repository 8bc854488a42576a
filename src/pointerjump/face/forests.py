"""Spanning forests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.face.graphs import GraphInput, graph_input, session_of
from pointerjump.face.running import solve
from pointerjump.graph import Ids

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.session import Session

ForestEdges = npt.NDArray[np.int32]


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
    return find_forest(
        algorithm, device, variant, lambda: graph_input(graph, vertices, ids), session_of(graph)
    )[0]


def find_forest(
    algorithm: str,
    device: Any,
    choices: Mapping[str, object],
    take: Callable[[], GraphInput],
    input_session: Session | None = None,
) -> tuple[ForestEdges, dict[str, Any]]:
    """Find a spanning forest of the graph that `take` returns; return its edges and facts about the run."""
    found, _, run = solve(
        "spanning-forest", algorithm, device, choices, take, _read, input_session=input_session
    )
    return found, run.stats()


def _read(session: Session, plan: Plan, input: GraphInput) -> ForestEdges:
    from pointerjump.accel.spanning_forest import edges_of

    return edges_of(session, plan, input.host.vertices)
