"""Finds bridges on a device by marking the edges of a spanning forest that lie on cycles."""

from __future__ import annotations

from functools import partial

import numpy as np

from pointerjump.accel.plan import Plan, PlanStep
from pointerjump.accel.residents.spanned import Renamed, ResidentSpanned


def prepare(spanned: ResidentSpanned, access: str, reads: str) -> Plan:
    on, graph = Renamed("marking.cl", spanned, access, reads), spanned.graph
    up, words = graph.per_vertex("the marks"), graph.stored // 4 + 1
    is_bridge = graph.session.empty(words, np.int32, "which edges are bridges")  # a byte each
    steps: list[PlanStep] = [
        partial(graph.session.fill, is_bridge, 0, words),
        on.rename,
        on.kernel("begin", on.over_vertices, on.n, up),
        on.kernel("mark", on.over_edges, *on.edges, on.above, on.claimed, up),
        on.kernel("gather", on.over_vertices, on.n, on.above, on.claimed, up, is_bridge),
    ]
    return Plan(is_bridge, steps)
