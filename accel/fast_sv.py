"""Device implementation of FastSV."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.plan import Plan, Rounds
from pointerjump.accel.residents.graphs import ResidentGraph
from pointerjump.accel.runtime.session import Buffer, Launch


def prepare(graph: ResidentGraph, input: str, hook: str, access: str, reads: str, rounds_ahead: int) -> Plan:
    n, entries = graph.n, graph.entries(input)
    kernel = graph.kernels("fast_sv.cl", access, reads, hook=hook, entries=entries)
    f = graph.per_vertex("the parents f")
    f_next = graph.per_vertex("the next parents")
    gf = graph.per_vertex("the grandparents gf")

    def one_round(i: int, again: Buffer, round: np.uint32) -> list[Launch]:
        edges = (entries.items, *entries.ends)
        return [
            kernel("hook", entries.shape, *edges, f, gf, f_next, again, round),
            kernel("shortcut", graph.over_vertices, n, gf, f_next),
            kernel("grandparents", graph.over_vertices, n, f, f_next, gf, again, round),
        ]

    init = kernel("init", graph.over_vertices, n, f, f_next, gf)
    return Plan(gf, [init], Rounds(graph.session, rounds_ahead, one_round))
