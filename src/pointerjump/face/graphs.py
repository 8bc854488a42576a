"""Graphs as inputs of a run: on the host, or on a device already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

from pointerjump import memory
from pointerjump.face.running import Seconds
from pointerjump.graph import RENUMBER, Graph, Ids
from pointerjump.inputs import as_graph
from pointerjump.registry.facts import InputFacts
from pointerjump.registry.selection import Choice

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.session import Session
    from pointerjump.face.device_graph import DeviceGraph

_BYTES_PER_VERTEX = 13
"""What finding components takes of the host at its peak: parents, labels, numbers, and which are roots."""


class HostGraph:
    """A graph on the host, for one run.

    Raises
    ------
    MemoryLimitError
        If labels for so many vertices would not fit into memory.
    """

    def __init__(self, graph: Graph) -> None:
        memory.require(_BYTES_PER_VERTEX * graph.vertices, f"labels of {graph.vertices:,} vertices", RENUMBER)
        self.host = graph

    def facts(self) -> InputFacts:
        """Return its size and form. Neither is changed by what was asked of the graph before."""
        edges = self.host.edges_as_read
        if edges:
            return InputFacts(edges.vertices, len(edges.sources), "edges")
        form = "rows" if self.host.known_symmetric else "stored rows"
        return InputFacts(self.host.vertices, self.host.directed_edges, form)

    def for_reference(self, seconds: Seconds) -> tuple[Graph]:
        """Return rows with both directions of every edge."""
        with seconds.timed("rows"):
            return (self.host.symmetrized(),)

    def prepared(self, choice: Choice, session: Session, seconds: Seconds) -> Plan:
        """Put it on the device in the form chosen, and make a run ready."""
        from pointerjump.accel.residents.placing import place

        graph = self.host
        if choice.form == "rows":
            with seconds.timed("rows"):
                graph = graph.symmetrized()
        with seconds.timed("transfer"):
            resident = place(graph, choice.form, session)
        with seconds.timed("build"):
            plan: Plan = choice.algorithm.prepare(resident, **choice.variant)
        return plan


GraphInput = Union["HostGraph", "DeviceGraph"]


def graph_input(graph: Any, vertices: int | None, ids: Ids | None) -> GraphInput:
    """Return whatever was given as the input of a run."""
    known = as_graph(graph, vertices=vertices, ids=ids)
    if session_of(graph) is None:
        return HostGraph(known)
    placed: DeviceGraph = graph
    return placed


def session_of(given: Any) -> Session | None:
    """Return the session of a DeviceGraph or a DeviceList; None of all else."""
    session: Session | None = getattr(getattr(given, "resident", None), "session", None)
    return session
