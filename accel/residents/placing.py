"""Putting a graph on a device in one form or another."""

from __future__ import annotations

from pointerjump.accel.residents.edges import ResidentEdges
from pointerjump.accel.residents.graphs import ResidentGraph
from pointerjump.accel.residents.rows import ResidentRows
from pointerjump.accel.runtime.session import Session
from pointerjump.graph import Graph


def place(graph: Graph, form: str, session: Session) -> ResidentGraph:
    """Put a graph on a device, and wait until it is there.

    Parameters
    ----------
    graph : Graph
    form : {"edges", "rows"}
        Its edges as they were read, or its rows as they are stored.
    session : Session
    """
    resident = ResidentEdges(graph, session) if form == "edges" else ResidentRows(graph, session)
    session.finish()
    return resident
