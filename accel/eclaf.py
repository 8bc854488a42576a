"""ECLaf on a device: drives ``kernels_cl/eclaf.cl``.

The host repeats the compute kernels until a launch of them leaves the *reiterate* flag 0. Where vertices
are shared by degree, the lists of vertices are made on the host, once per graph: filling them on
the device would take atomics.
"""

from __future__ import annotations

import numpy as np

from pointerjump.accel.device_graph import DeviceGraph, Plan

LOW_DEGREE, MIDDLE_DEGREE = 16, 352  # thesis 4.2: thread, tile, work-group


def prepare(graph: DeviceGraph, balance: str, access: str, reads: str) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n = graph.session, np.uint32(graph.vertices)
    launcher = session.launcher
    by_degree = balance == "degree"
    program = session.program(
        "eclaf.cl", BALANCE_DEGREE=by_degree, TILE=launcher.tuning.tile, **graph.defines(reads, access)
    )
    parent = session.empty(graph.vertices, np.int32, "the parents")
    reiterate = session.empty(1, np.int32, "the flag")

    rows = (graph.offsets, graph.neighbors)
    compute = []
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
                arguments = (np.uint32(len(listed)), vertices, *rows, parent, reiterate)
                compute.append(session.launch(program, name, shape, *arguments))
    else:
        arguments = (n, None, *rows, parent, reiterate)
        compute.append(session.launch(program, "compute1", graph.over_vertices, *arguments))
    init = session.launch(program, "init", graph.over_vertices, n, *rows, parent)
    finalize = session.launch(program, "finalize", graph.over_vertices, n, parent)

    def enqueue() -> dict[str, int]:
        init()
        rounds, again = 0, True
        while again:
            session.fill(reiterate, 0)
            for step in compute:
                step()
            again = bool(session.get(reiterate, 1)[0])
            rounds += 1
        finalize()
        return {"rounds": rounds}

    return Plan(parent, enqueue)
