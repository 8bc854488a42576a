"""Putting a graph on a device, in one of three forms."""

from __future__ import annotations

from pointerjump.accel.residents.edges import ResidentEdges
from pointerjump.accel.residents.graphs import ResidentGraph
from pointerjump.accel.residents.rows import ResidentRows
from pointerjump.accel.runtime.session import Session
from pointerjump.graph import Graph


def place(graph: Graph, form: str, session: Session) -> ResidentGraph:
    """Put a graph on a device in a given form.

    Parameters
    ----------
    graph : Graph
    form : {"edges", "stored rows", "rows"}
        Edges as they were read; rows as they are stored, which may hold an edge in only one direction; or
        rows that hold both directions of every edge.
    session : Session
    """
    if form == "edges":
        return ResidentEdges(graph, session)
    return ResidentRows(graph, session, one_direction=form == "stored rows")
