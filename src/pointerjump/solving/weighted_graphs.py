"""Graphs with weights, as the input of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pointerjump.accel.residents.graphs import place
from pointerjump.accel.residents.weighted import ResidentWeighted
from pointerjump.base import memory
from pointerjump.base.weighted import Weighted
from pointerjump.registry.algorithm import Form, InputFacts
from pointerjump.solving.run import Instance, Seconds

if TYPE_CHECKING:
    from pointerjump.accel.runtime.session import Session

_BYTES_PER_VERTEX = 20
"""Bytes of host memory per vertex at the peak of reading a forest: the edge that joined each vertex, and
places."""


class WeightedGraph(Instance):
    """Edges with weights on the host, for one run, whose forest fits into memory."""

    def __init__(self, host: Weighted) -> None:
        n = host.graph.vertices
        memory.require(_BYTES_PER_VERTEX * n, f"a spanning forest of {n:,} vertices")
        self.host = host

    def facts(self) -> InputFacts:
        form: Form = "edges" if self.host.graph.edges_as_read else "stored rows"
        return InputFacts(self.host.graph.vertices, len(self.host.weights), form)

    def for_reference(self, seconds: Seconds) -> tuple[Weighted]:
        return (self.host,)

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentWeighted:
        graph, weights, maximum = self.host
        with seconds.timed("transfer"):
            resident, buffer = place(graph, form, session), session.put(weights, "the weights")
        keys = self.host.keys_about()
        return ResidentWeighted(resident, buffer, weights.dtype, maximum=maximum, keys=keys)
