"""Soman's algorithm on a device: drives ``kernels_cl/soman.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pointerjump.accel.labels import to_smallest
from pointerjump.accel.residents.rows import DeviceGraph, Plan
from pointerjump.accel.rounds import Rounds
from pointerjump.accel.runtime.session import Launch

if TYPE_CHECKING:
    import pyopencl as cl


def prepare(graph: DeviceGraph, input: str, hook: str, access: str, reads: str, rounds_ahead: int) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n = graph.session, np.uint32(graph.vertices)
    edges = graph.input(input)
    program = session.program(
        "soman.cl", **edges.defines, **{f"HOOK_{hook.upper()}": True}, **graph.defines(reads, access)
    )
    Label = session.empty(graph.vertices, np.int32, "the labels")
    marked = session.empty(graph.directed_edges, np.uint8, "the marks of edges")
    smallest = session.empty(graph.vertices, np.int32, "the smallest vertices")
    parent = session.empty(graph.vertices, np.int32, "the parents")

    def one_round(i: int, again: cl.Buffer, round: np.uint32) -> list[Launch]:
        even = np.uint32(i % 2)  # the first round, 0, is the paper's first, odd one
        given = (edges.count, even, *edges.ends)
        return [
            session.launch(program, "hook", edges.shape, *given, Label, marked, again, round),
            session.launch(program, "jump", graph.over_vertices, n, Label),
        ]

    begin = [
        session.launch(program, "init", graph.over_vertices, n, Label),
        session.launch(program, "unmark", graph.over_edges, graph.edge_count, marked),
    ]
    rounds = Rounds(session, rounds_ahead, one_round, period=2)
    relabel = to_smallest(graph, Label, smallest=smallest, parent=parent, reads=reads)

    def enqueue() -> dict[str, int]:
        for step in begin:
            step()
        taken = rounds()
        for step in relabel:
            step()
        return {"rounds": taken}

    return Plan(parent, enqueue)
