"""ECL-CC on a device: drives ``kernels_cl/ecl_cc.cl``.

On GPUs (``balance="degree"``) three compute kernels share the vertices by degree through a double-sided
worklist; on CPUs (``balance="none"``) one kernel takes all, as in the paper's CPU code.
"""

from __future__ import annotations

import numpy as np

from pointerjump.accel.residents.rows import DeviceGraph, Plan, in_order


def prepare(
    graph: DeviceGraph,
    init: str,
    jump: str,
    fini: str,
    balance: str,
    access: str,
    reads: str,
) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n = graph.session, np.uint32(graph.vertices)
    tuning = session.launcher.tuning
    by_degree = balance == "degree"
    program = session.program(
        "ecl_cc.cl",
        INIT=f"init_{init}",
        JUMP=f"jump_{jump}",
        FINI=f"fini_{fini}",
        BALANCE_DEGREE=by_degree,
        TILE=tuning.tile,
        **graph.defines(reads, access),
    )
    parent = session.empty(graph.vertices, np.int32, "the parents")
    worklist = session.empty(graph.vertices if by_degree else 1, np.int32, "the worklist")
    listed = session.empty(2, np.int32, "the worklist's counters")

    rows = (graph.offsets, graph.neighbors)
    vertices, device_full = graph.over_vertices, session.launcher.everywhere()
    sparse = tuning.sparse(graph.vertices, graph.directed_edges)
    few = session.launcher.over(graph.vertices, fewest_each=tuning.fewest_each if sparse else 1)
    steps = [
        session.launch(program, "init", vertices, n, *rows, parent, listed),
        session.launch(program, "compute1", few, n, *rows, parent, worklist, listed),
    ]
    if by_degree:
        steps += [
            session.launch(program, "compute2", device_full, *rows, parent, worklist, listed),
            session.launch(program, "compute3", device_full, n, *rows, parent, worklist, listed),
        ]
    steps.append(session.launch(program, "finalize", vertices, n, parent))

    return Plan(parent, in_order(steps))
