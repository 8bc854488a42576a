"""ECLaf on a device.

The host repeats the compute kernels until a launch of them leaves the *reiterate* flag 0. Where vertices
are shared by degree, the lists of vertices are made on the host, once for each graph: filling them on
the device would take atomics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pointerjump.accel.plan import Plan, Rounds
from pointerjump.accel.residents.rows import ResidentRows
from pointerjump.accel.runtime.session import Launch
from pointerjump.accel.shapes import Shape
from pointerjump.limits import LOW_DEGREE, MIDDLE_DEGREE

if TYPE_CHECKING:
    import pyopencl as cl

Compute = tuple[str, Shape, np.uint32, "cl.Buffer | None"]
"""What a launch of compute takes: its kernel, its shape, how many vertices, and which."""


def prepare(graph: ResidentRows, balance: str, access: str, reads: str, rounds_ahead: int) -> Plan:
    """Make a run on one graph ready."""
    session, n, rows = graph.session, graph.n, graph.rows
    by_degree = balance == "degree"
    kernel = graph.kernels("eclaf.cl", access, reads, BALANCE_DEGREE=by_degree, TILE=session.tuning.tile)
    parent = graph.per_vertex("the parents")
    whole: list[Compute] = [("compute1", graph.over_vertices, n, None)]
    compute = compute_by_degree(graph) if by_degree else whole

    def one_round(i: int, reiterate: cl.Buffer, round: np.uint32) -> list[Launch]:
        return [
            kernel(name, shape, count, vertices, *rows, parent, reiterate, round)
            for name, shape, count, vertices in compute
        ]

    init = kernel("init", graph.over_vertices, n, *rows, parent)
    finalize = kernel("finalize", graph.over_vertices, n, parent)
    return Plan(parent, [init], Rounds(session, rounds_ahead, one_round), [finalize])


def compute_by_degree(graph: ResidentRows) -> list[Compute]:
    """Return the launches of compute for vertices of low, middling and high degree, where there are any."""
    shapes, degrees = graph.session.shapes, graph.host.degrees
    low = np.flatnonzero(degrees <= LOW_DEGREE)
    middle = np.flatnonzero((degrees > LOW_DEGREE) & (degrees <= MIDDLE_DEGREE))
    high = np.flatnonzero(degrees > MIDDLE_DEGREE)
    launches = (
        ("compute1", shapes.over(len(low)), low),
        ("compute2", shapes.everywhere(), middle),
        ("compute3", shapes.everywhere(), high),
    )
    return [
        (
            name,
            shape,
            np.uint32(len(listed)),
            graph.session.put(listed.astype(np.int32), "the vertices by degree"),
        )
        for name, shape, listed in launches
        if len(listed)
    ]
