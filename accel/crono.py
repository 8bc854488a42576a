"""CRONO on a device: drives ``kernels_cl/crono.cl``. The padded rows are made on the device, in each run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pointerjump.accel.residents.rows import DeviceGraph, Plan
from pointerjump.accel.rounds import Rounds
from pointerjump.accel.runtime.session import Launch
from pointerjump.limits import require_room_for_padding

if TYPE_CHECKING:
    import pyopencl as cl


def prepare(graph: DeviceGraph, hook: str, access: str, reads: str, rounds_ahead: int) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n = graph.session, np.uint32(graph.vertices)
    d_max = max(1, int(graph.graph.degrees.max(initial=0)))
    require_room_for_padding(graph.vertices, d_max)
    places = graph.vertices * d_max
    program = session.program("crono.cl", **{f"HOOK_{hook.upper()}": True}, **graph.defines(reads, access))
    W = session.empty(places, np.int32, "the padded rows")
    pi = session.empty(graph.vertices, np.int32, "the parents")
    over_places, padded = session.launcher.over(places), (np.uint32(places), np.uint32(d_max))

    def one_round(i: int, again: cl.Buffer, round: np.uint32) -> list[Launch]:
        return [
            session.launch(program, "hook", over_places, *padded, W, pi, again, round),
            session.launch(program, "shortcut_all", graph.over_vertices, n, pi),
        ]

    pad = session.launch(program, "pad", over_places, *padded, graph.offsets, graph.neighbors, W)
    init = session.launch(program, "init", graph.over_vertices, n, pi)
    rounds = Rounds(session, rounds_ahead, one_round)

    def enqueue() -> dict[str, int]:
        pad()
        init()
        return {"rounds": rounds()}

    return Plan(pi, enqueue)
