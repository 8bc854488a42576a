"""Gunrock's algorithm on a device: drives ``kernels_cl/gunrock.cl``.

The host reads how many edges the edge filter has left, once a round, and whether jumping goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pointerjump.accel.labels import to_smallest
from pointerjump.accel.residents.rows import DeviceGraph, Plan
from pointerjump.accel.rounds import Rounds
from pointerjump.accel.runtime.session import Launch
from pointerjump.limits import require_32_bit_edges

if TYPE_CHECKING:
    import pyopencl as cl


def prepare(graph: DeviceGraph, hook: str, access: str, reads: str, rounds_ahead: int) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    require_32_bit_edges("gunrock", graph.directed_edges)
    session, n, m = graph.session, np.uint32(graph.vertices), np.uint32(graph.directed_edges)
    program = session.program("gunrock.cl", **{f"HOOK_{hook.upper()}": True}, **graph.defines(reads, access))
    ends = (graph.sources, graph.neighbors)
    Label = session.empty(graph.vertices, np.int32, "the labels")
    vertices = [session.empty(graph.vertices, np.uint32, "a frontier of vertices") for _ in range(2)]
    edges = [session.empty(graph.directed_edges, np.uint32, "a frontier of edges") for _ in range(2)]
    size = session.empty(4, np.uint32, "the frontiers' sizes")
    smallest = session.empty(graph.vertices, np.int32, "the smallest vertices")
    parent = session.empty(graph.vertices, np.int32, "the parents")
    over_vertices, over_edges = graph.over_vertices, graph.over_edges

    def jump_round(i: int, again: cl.Buffer, round: np.uint32) -> list[Launch]:
        before, after = vertices[i % 2], vertices[1 - i % 2]
        which = np.uint32(i % 2)
        return [
            session.launch(
                program, "vertex_filter", over_vertices, which, before, after, size, Label, again, round
            ),
            session.launch(program, "jump", over_vertices, which, after, size, Label),
        ]

    begin = [
        session.launch(program, "init", over_vertices, n, Label),
        session.launch(program, "all_edges", over_edges, m, edges[0], size),
    ]
    # Hooks alternate in direction and frontiers in buffer, both with the round's parity.
    hooks = [
        session.launch(program, "hook", over_edges, np.uint32(i), np.uint32(i), *ends, edges[i], size, Label)
        for i in range(2)
    ]
    filters = [
        session.launch(
            program, "edge_filter", over_edges, np.uint32(i), *ends, edges[i], edges[1 - i], size, Label
        )
        for i in range(2)
    ]
    all_vertices = session.launch(program, "all_vertices", over_vertices, n, vertices[0], size)
    jumps = Rounds(session, rounds_ahead, jump_round, period=2)
    relabel = to_smallest(graph, Label, smallest=smallest, parent=parent, reads=reads)
    all_left = graph.directed_edges  # a number: what the graph keeps must not keep the graph

    def enqueue() -> dict[str, int]:
        for step in begin:
            step()
        rounds, left = 0, all_left
        while left:
            i = rounds % 2
            hooks[i]()
            all_vertices()
            jumps()
            filters[i]()
            left = int(session.get(size, 4, np.uint32)[3 - i])
            rounds += 1
        for step in relabel:
            step()
        return {"rounds": rounds}

    return Plan(parent, enqueue)
