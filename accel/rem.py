"""Device implementation of Rem's algorithm."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.plan import Plan, Rounds
from pointerjump.accel.residents.graphs import ResidentGraph
from pointerjump.accel.runtime.session import Buffer, Launch


def prepare(
    graph: ResidentGraph, splicing: bool, input: str, hook: str, access: str, reads: str, rounds_ahead: int
) -> Plan:
    n, entries = graph.n, graph.entries(input)
    kernel = graph.kernels("rem.cl", access, reads, hook=hook, entries=entries, SPLICING=splicing)
    p = graph.per_vertex("the parents")
    left = graph.per_edge("the edges that are left", np.uint8)
    edges = (entries.items, *entries.ends)

    def one_round(i: int, again: Buffer, round: np.uint32) -> list[Launch]:
        return [
            kernel("unite", entries.shape, *edges, p, left, again, round),
            kernel("verify", entries.shape, *edges, p, left, again, round),
        ]

    begin = [
        kernel("init", graph.over_vertices, n, p),
        kernel("take_all", graph.over_edges, entries.edges, left),
    ]
    flatten = kernel("flatten", graph.over_vertices, n, p)
    return Plan(p, begin, Rounds(graph.session, rounds_ahead, one_round), [flatten])
