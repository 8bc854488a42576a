"""Rem's algorithm on a device: drives ``kernels_cl/rem.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pointerjump.accel.residents.rows import DeviceGraph, Plan
from pointerjump.accel.rounds import Rounds
from pointerjump.accel.runtime.session import Launch

if TYPE_CHECKING:
    import pyopencl as cl


def prepare(
    graph: DeviceGraph, splicing: bool, input: str, hook: str, access: str, reads: str, rounds_ahead: int
) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n = graph.session, np.uint32(graph.vertices)
    edges = graph.input(input)
    program = session.program(
        "rem.cl",
        SPLICING=splicing,
        **{f"HOOK_{hook.upper()}": True},
        **edges.defines,
        **graph.defines(reads, access),
    )
    p = session.empty(graph.vertices, np.int32, "the parents")
    left = session.empty(graph.directed_edges, np.uint8, "the edges that are left")

    def one_round(i: int, again: cl.Buffer, round: np.uint32) -> list[Launch]:
        given = (edges.count, *edges.ends)
        return [
            session.launch(program, "unite", edges.shape, *given, p, left, again, round),
            session.launch(program, "verify", edges.shape, *given, p, left, again, round),
        ]

    init = session.launch(program, "init", graph.over_vertices, n, p)
    take_all = session.launch(program, "take_all", graph.over_edges, graph.edge_count, left)
    rounds = Rounds(session, rounds_ahead, one_round)
    flatten = session.launch(program, "flatten", graph.over_vertices, n, p)

    def enqueue() -> dict[str, int]:
        init()
        take_all()
        taken = rounds()
        flatten()
        return {"rounds": taken}

    return Plan(p, enqueue)
