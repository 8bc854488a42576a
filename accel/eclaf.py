"""ECLaf on a device: drives ``kernels_cl/eclaf.cl``.

The host repeats the compute kernels until a launch of them leaves the *reiterate* flag 0. Where vertices
are shared by degree, the lists of vertices are made on the host, once per graph: filling them on
the device would take atomics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pointerjump.accel.launch import Shape
from pointerjump.accel.residents.rows import DeviceGraph, Plan
from pointerjump.accel.rounds import Rounds
from pointerjump.accel.runtime.session import Launch

if TYPE_CHECKING:
    import pyopencl as cl

LOW_DEGREE, MIDDLE_DEGREE = 16, 352  # thesis 4.2: thread, tile, work-group


def prepare(graph: DeviceGraph, balance: str, access: str, reads: str, rounds_ahead: int) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n = graph.session, np.uint32(graph.vertices)
    launcher = session.launcher
    by_degree = balance == "degree"
    program = session.program(
        "eclaf.cl", BALANCE_DEGREE=by_degree, TILE=launcher.tuning.tile, **graph.defines(reads, access)
    )
    parent = session.empty(graph.vertices, np.int32, "the parents")
    rows = (graph.offsets, graph.neighbors)

    # What each launch of compute takes: its kernel, its shape, how many vertices and which.
    compute: list[tuple[str, Shape, np.uint32, cl.Buffer | None]] = []
    if by_degree:
        degrees = graph.graph.degrees
        low = np.flatnonzero(degrees <= LOW_DEGREE)
        middle = np.flatnonzero((degrees > LOW_DEGREE) & (degrees <= MIDDLE_DEGREE))
        high = np.flatnonzero(degrees > MIDDLE_DEGREE)
        shapes = launcher.over(len(low)), launcher.everywhere(), launcher.everywhere()
        for name, listed, shape in zip(
            ("compute1", "compute2", "compute3"), (low, middle, high), shapes, strict=True
        ):
            if len(listed):
                vertices = session.put(listed.astype(np.int32), "the vertices by degree")
                compute.append((name, shape, np.uint32(len(listed)), vertices))
    else:
        compute.append(("compute1", graph.over_vertices, n, None))

    def one_round(i: int, reiterate: cl.Buffer, round: np.uint32) -> list[Launch]:
        return [
            session.launch(program, name, shape, count, vertices, *rows, parent, reiterate, round)
            for name, shape, count, vertices in compute
        ]

    init = session.launch(program, "init", graph.over_vertices, n, *rows, parent)
    rounds = Rounds(session, rounds_ahead, one_round)
    finalize = session.launch(program, "finalize", graph.over_vertices, n, parent)

    def enqueue() -> dict[str, int]:
        init()
        taken = rounds()
        finalize()
        return {"rounds": taken}

    return Plan(parent, enqueue)
