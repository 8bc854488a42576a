"""Bridges by marking, on a device. The host enqueues a whole run without waiting."""

from __future__ import annotations

from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.spanned import Renamed, ResidentSpanned


def prepare(spanned: ResidentSpanned, access: str, reads: str) -> Plan:
    on, graph = Renamed("marking.cl", spanned, access, reads), spanned.graph
    up, bridge = graph.per_vertex("the marks"), graph.per_vertex("the bridges")
    steps = [
        on.rename,
        on.kernel("begin", on.over_vertices, on.n, up),
        on.kernel("mark", on.over_edges, *on.edges, on.above, on.claimed, up),
        on.kernel("gather", on.over_vertices, on.n, on.above, on.claimed, up, bridge),
    ]
    return Plan(bridge, steps)
