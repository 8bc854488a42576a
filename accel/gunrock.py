"""Device implementation of Gunrock's algorithm.

In each round, the host reads how many edges are left, and whether pointer jumping must continue.
"""

from __future__ import annotations

import numpy as np

from pointerjump.accel.labels import to_smallest
from pointerjump.accel.plan import Counts, Plan, Rounds
from pointerjump.accel.residents.graphs import ResidentRows
from pointerjump.accel.runtime.session import Buffer, Launch
from pointerjump.base.limits import require_32_bit_edges


def prepare(graph: ResidentRows, hook: str, access: str, reads: str, rounds_ahead: int) -> Plan:
    require_32_bit_edges("gunrock", graph.stored)
    session, n, m = graph.session, graph.n, np.uint32(graph.stored)
    over_vertices, over_edges, ends = graph.over_vertices, graph.over_edges, graph.entries("edges").ends
    kernel = graph.kernels("gunrock.cl", access, reads, hook=hook)
    Label = graph.per_vertex("the labels")
    parent = graph.per_vertex("the parents")
    scratch = graph.per_vertex("the smallest vertices")
    vertices = [graph.per_vertex("a frontier of vertices") for _ in range(2)]
    edges = [graph.per_edge("a frontier of edges") for _ in range(2)]
    size = session.empty(4, np.uint32, "the frontiers' sizes")

    def jump_round(i: int, again: Buffer, round: np.uint32) -> list[Launch]:
        which, before, after = np.uint32(i % 2), vertices[i % 2], vertices[1 - i % 2]
        return [
            kernel("vertex_filter", over_vertices, which, before, after, size, Label, again, round),
            kernel("jump", over_vertices, which, after, size, Label),
        ]

    # In even and odd rounds, hooks go in opposite directions, and frontiers use different buffers.
    hooks = [
        kernel("hook", over_edges, np.uint32(i), np.uint32(i), *ends, edges[i], size, Label) for i in range(2)
    ]
    filters = [
        kernel("edge_filter", over_edges, np.uint32(i), *ends, edges[i], edges[1 - i], size, Label)
        for i in range(2)
    ]
    all_vertices = kernel("all_vertices", over_vertices, n, vertices[0], size)
    jumps = Rounds(session, rounds_ahead, jump_round, period=2)
    stored = graph.stored  # so that the plan does not keep a reference to the graph

    def rounds() -> Counts:
        done, left = 0, stored
        while left:
            i = done % 2
            hooks[i]()
            all_vertices()
            jumps()
            filters[i]()
            left = int(session.get(size, 4, np.uint32)[3 - i])
            done += 1
        return {"rounds": done}

    begin = [kernel("init", over_vertices, n, Label), kernel("all_edges", over_edges, m, edges[0], size)]
    return Plan(parent, begin, rounds, to_smallest(graph, Label, scratch, parent, reads))
