"""Graphs as inputs of a run, on the host or already on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pointerjump import memory
from pointerjump.face.running import Request, Seconds, request
from pointerjump.graph import RENUMBER, Graph, Ids
from pointerjump.inputs import as_graph
from pointerjump.registry.algorithm import Problem
from pointerjump.registry.facts import InputFacts
from pointerjump.registry.selection import Choice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pointerjump.accel.plan import Plan
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
            return InputFacts(edges.vertices, len(edges.sources), "edges")
        form = "rows" if self.host.known_symmetric else "stored rows"
        return InputFacts(self.host.vertices, self.host.directed_edges, form)

    def for_reference(self, seconds: Seconds) -> tuple[Graph]:
        """Return the graph with both directions of every edge in its rows."""
        with seconds.timed("rows"):
            return (self.host.symmetrized(),)

    def prepared(self, choice: Choice, session: Session, seconds: Seconds) -> Plan:
        """Put the graph on the device in the chosen form; return the plan of a run."""
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


def graph_request(
    problem: Problem,
    graph: Any,
    algorithm: str,
    device: Any,
    choices: Mapping[str, object],
    vertices: int | None,
    ids: Ids | None,
) -> tuple[Request, HostGraph | DeviceGraph]:
    """Return the request, and the graph as the input of a run."""
    on_device = getattr(graph, "as_input_on", None)
    if on_device is not None:  # a DeviceGraph
        placed: DeviceGraph = on_device(device, vertices=vertices, ids=ids)
        return request(problem, algorithm, device, choices, placed.session), placed
    asked = request(problem, algorithm, device, choices)
    return asked, HostGraph(as_graph(graph, vertices=vertices, ids=ids))
