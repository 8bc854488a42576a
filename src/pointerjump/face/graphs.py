"""Graphs as inputs of a run, on the host or already on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

from pointerjump import memory
from pointerjump.accel.residents.graphs import place
from pointerjump.face.running import Seconds
from pointerjump.graph import RENUMBER, Graph, Ids
from pointerjump.inputs import as_graph
from pointerjump.registry.facts import Form, InputFacts
from pointerjump.registry.selection import Choice

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.residents.graphs import ResidentGraph
    from pointerjump.accel.runtime.session import Session
    from pointerjump.face.device_graph import DeviceGraph

_BYTES_PER_VERTEX = 13
"""Host memory that finding components needs at its peak: parents, labels, numbers, and a mask of roots."""


class HostGraph:
    """A graph on the host, for one run.

    Raises
    ------
    MemoryLimitError
        If the labels would not fit into memory.
    """

    def __init__(self, graph: Graph) -> None:
        memory.require(_BYTES_PER_VERTEX * graph.vertices, f"labels of {graph.vertices:,} vertices", RENUMBER)
        self.host = graph

    def facts(self) -> InputFacts:
        """Return the facts that selection uses. They do not depend on earlier uses of the graph."""
        edges = self.host.edges_as_read
        if edges:
            return InputFacts(edges.vertices, len(edges.sources), "edges", **edges.order()._asdict())
        form: Form = "rows" if self.host.known_symmetric else "stored rows"
        return InputFacts(self.host.vertices, self.host.directed_edges, form)

    def for_reference(self, seconds: Seconds) -> tuple[Graph]:
        """Return the graph with both directions of every edge in its rows."""
        with seconds.timed("rows"):
            return (self.host.symmetrized(),)

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentGraph:
        """Put the graph on the device in a form."""
        graph = self.host
        if form == "rows":
            with seconds.timed("rows"):
                graph = graph.symmetrized()
        with seconds.timed("transfer"):
            return place(graph, form, session)

    def planned(self, choice: Choice, resident: ResidentGraph) -> Plan:
        """Return the plan for a choice."""
        plan: Plan = choice.algorithm.prepare(resident, **choice.variant)
        return plan


GraphInput = Union["HostGraph", "DeviceGraph"]


def graph_input(graph: Any, vertices: int | None, ids: Ids | None) -> GraphInput:
    """Return a graph, in whatever form the caller has it, as the input of a run."""
    known = as_graph(graph, vertices=vertices, ids=ids)
    if session_of(graph) is None:
        return HostGraph(known)
    placed: DeviceGraph = graph
    return placed


def session_of(given: Any) -> Session | None:
    """Return the session of a DeviceGraph or a DeviceList, or None for other objects."""
    session: Session | None = getattr(getattr(given, "resident", None), "session", None)
    return session
