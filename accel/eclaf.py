"""Device implementation of ECLaf.

The host repeats the compute kernels until a round leaves the *reiterate* flag at 0. With
``balance="degree"``, the host lists the vertices by degree once per graph, because the device would need
atomics to do so.
"""

from __future__ import annotations

import numpy as np

from pointerjump.accel.plan import Plan, Rounds
from pointerjump.accel.residents.graphs import ResidentRows
from pointerjump.accel.runtime.session import Buffer, Launch
from pointerjump.accel.shapes import Shape
from pointerjump.base.limits import LOW_DEGREE, MIDDLE_DEGREE

Compute = tuple[str, Shape, np.uint32, "Buffer | None"]
"""A launch of a compute kernel: its name, its shape, the number of vertices and the vertices themselves. None
stands for all vertices."""


def prepare(graph: ResidentRows, balance: str, access: str, reads: str, rounds_ahead: int) -> Plan:
    session, n, rows = graph.session, graph.n, graph.rows
    by_degree = balance == "degree"
    kernel = graph.kernels("eclaf.cl", access, reads, BALANCE_DEGREE=by_degree, TILE=session.tuning.tile)
    parent = graph.per_vertex("the parents")
    whole: list[Compute] = [("compute1", graph.over_vertices, n, None)]
    compute = compute_by_degree(graph) if by_degree else whole

    def one_round(i: int, reiterate: Buffer, round: np.uint32) -> list[Launch]:
        return [
            kernel(name, shape, count, vertices, *rows, parent, reiterate, round)
            for name, shape, count, vertices in compute
        ]

    init = kernel("init", graph.over_vertices, n, *rows, parent)
    finalize = kernel("finalize", graph.over_vertices, n, parent)
    return Plan(parent, [init], Rounds(session, rounds_ahead, one_round), [finalize])


def compute_by_degree(graph: ResidentRows) -> list[Compute]:
    """Return a launch of a compute kernel for each class of vertices: those of low, medium and high degree.

    Classes without vertices are omitted.
    """
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
