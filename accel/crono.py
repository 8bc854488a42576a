"""Device implementation of CRONO. Each run begins by padding the rows to the same length."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.plan import Plan, Rounds
from pointerjump.accel.residents.graphs import ResidentRows
from pointerjump.accel.runtime.session import Buffer, Launch
from pointerjump.base.limits import require_room_for_padding


def prepare(graph: ResidentRows, hook: str, access: str, reads: str, rounds_ahead: int) -> Plan:
    session, n = graph.session, graph.n
    d_max = max(1, int(graph.host.degrees.max(initial=0)))
    require_room_for_padding(graph.vertices, d_max)
    places = graph.vertices * d_max
    kernel = graph.kernels("crono.cl", access, reads, hook=hook)
    W = session.empty(places, np.int32, "the padded rows")
    pi = graph.per_vertex("the parents")
    over_places, padded = session.shapes.over(places), (np.uint32(places), np.uint32(d_max))

    def one_round(i: int, again: Buffer, round: np.uint32) -> list[Launch]:
        return [
            kernel("hook", over_places, *padded, W, pi, again, round),
            kernel("shortcut_all", graph.over_vertices, n, pi),
        ]

    begin = [
        kernel("pad", over_places, *padded, *graph.rows, W),
        kernel("init", graph.over_vertices, n, pi),
    ]
    return Plan(pi, begin, Rounds(session, rounds_ahead, one_round))
