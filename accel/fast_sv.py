"""FastSV on a device: drives ``kernels_cl/fast_sv.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pointerjump.accel.residents.rows import DeviceGraph, Plan
from pointerjump.accel.rounds import Rounds
from pointerjump.accel.runtime.session import Launch

if TYPE_CHECKING:
    import pyopencl as cl


def prepare(graph: DeviceGraph, input: str, hook: str, access: str, reads: str, rounds_ahead: int) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n = graph.session, np.uint32(graph.vertices)
    edges = graph.input(input)
    defines = {**graph.defines(reads, access), **edges.defines, f"HOOK_{hook.upper()}": True}
    program = session.program("fast_sv.cl", **defines)
    f = session.empty(graph.vertices, np.int32, "the parents f")
    f_next = session.empty(graph.vertices, np.int32, "the next parents")
    gf = session.empty(graph.vertices, np.int32, "the grandparents gf")
    init = session.launch(program, "init", graph.over_vertices, n, f, f_next, gf)

    def one_round(i: int, again: cl.Buffer, round: np.uint32) -> list[Launch]:
        given = (edges.count, *edges.ends, f, gf, f_next, again, round)
        return [
            session.launch(program, "hook", edges.shape, *given),
            session.launch(program, "shortcut", graph.over_vertices, n, gf, f_next),
            session.launch(program, "grandparents", graph.over_vertices, n, f, f_next, gf, again, round),
        ]

    rounds = Rounds(session, rounds_ahead, one_round)

    def enqueue() -> dict[str, int]:
        init()
        return {"rounds": rounds()}

    return Plan(gf, enqueue)
