"""Device implementation of Soman's algorithm."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.labels import to_smallest
from pointerjump.accel.plan import Plan, Rounds
from pointerjump.accel.residents.graphs import ResidentGraph
from pointerjump.accel.runtime.session import Buffer, Launch


def prepare(graph: ResidentGraph, input: str, hook: str, access: str, reads: str, rounds_ahead: int) -> Plan:
    n, entries = graph.n, graph.entries(input)
    kernel = graph.kernels("soman.cl", access, reads, hook=hook, entries=entries)
    Label = graph.per_vertex("the labels")
    parent = graph.per_vertex("the parents")
    scratch = graph.per_vertex("the smallest vertices")
    marked = graph.per_edge("the marks of edges", np.uint8)

    def one_round(i: int, again: Buffer, round: np.uint32) -> list[Launch]:
        even = np.uint32(i % 2)  # the paper counts rounds from 1, so its odd rounds are even here
        edges = (entries.items, even, *entries.ends)
        return [
            kernel("hook", entries.shape, *edges, Label, marked, again, round),
            kernel("jump", graph.over_vertices, n, Label),
        ]

    begin = [
        kernel("init", graph.over_vertices, n, Label),
        kernel("unmark", graph.over_edges, entries.edges, marked),
    ]
    rounds = Rounds(graph.session, rounds_ahead, one_round, period=2)
    return Plan(parent, begin, rounds, to_smallest(graph, Label, scratch, parent, reads))
