"""Shiloach-Vishkin on a device: drives ``kernels_cl/shiloach_vishkin.cl``.

The host repeats SV1a to SV5 until a round marks nothing. D(s-1) and D(s) are two buffers that change
roles each round.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pointerjump.accel.device_graph import DeviceGraph, Plan
from pointerjump.accel.labels import to_smallest
from pointerjump.accel.session import Launch


def prepare(graph: DeviceGraph, access: str, reads: str) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n = graph.session, np.uint32(graph.vertices)
    program = session.program("shiloach_vishkin.cl", **graph.defines(reads, access))
    m = graph.edge_count

    even = session.empty(graph.vertices, np.int32, "D(s) of even rounds")
    odd = session.empty(graph.vertices, np.int32, "D(s) of odd rounds")
    Q = session.empty(graph.vertices, np.int32, "the marks Q")
    parent = session.empty(graph.vertices, np.int32, "the parents")
    s = session.empty(1, np.int32, "the round")
    marked = session.empty(1, np.int32, "the flag")

    vertices, edges, ends = graph.over_vertices, graph.over_edges, (graph.sources, graph.neighbors)
    SV0 = session.launch(program, "SV0", vertices, n, even, Q, s)

    def one_round(previous_D: Any, D: Any) -> list[Launch]:
        return [
            session.launch(program, "SV1a", vertices, n, previous_D, D, s, marked),
            session.launch(program, "SV1b", vertices, n, s, previous_D, D, Q),
            session.launch(program, "SV2", edges, m, s, *ends, previous_D, D, Q),
            session.launch(program, "SV3", edges, m, s, *ends, D, Q),
            session.launch(program, "SV4", vertices, n, D),
            session.launch(program, "SV5", vertices, n, s, Q, marked),
        ]

    even_round, odd_round = one_round(odd, even), one_round(even, odd)
    # Q is free once the rounds are over.
    from_even = to_smallest(graph, even, smallest=Q, parent=parent)
    from_odd = to_smallest(graph, odd, smallest=Q, parent=parent)

    def enqueue() -> dict[str, int]:
        SV0()
        rounds, again = 0, True
        while again:
            rounds += 1
            for step in odd_round if rounds % 2 else even_round:
                step()
            again = bool(session.get(marked, 1)[0])
        for step in from_odd if rounds % 2 else from_even:
            step()
        return {"rounds": rounds}

    return Plan(parent, enqueue)
