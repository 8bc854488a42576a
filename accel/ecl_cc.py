"""Device implementation of ECL-CC.

On GPUs (``balance="degree"``), there are three compute kernels, each for a different range of degrees. A
double-sided worklist holds the vertices for the second and the third kernel. On CPUs (``balance="none"``),
one kernel processes all vertices, as in the paper's CPU code.
"""

from __future__ import annotations

import numpy as np

from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.graphs import ResidentRows


def prepare(
    graph: ResidentRows, init: str, jump: str, fini: str, balance: str, access: str, reads: str
) -> Plan:
    session, n, rows = graph.session, graph.n, graph.rows
    shapes = session.shapes
    by_degree = balance == "degree"
    kernel = graph.kernels(
        "ecl_cc.cl",
        access,
        reads,
        INIT=f"init_{init}",
        JUMP=f"jump_{jump}",
        FINI=f"fini_{fini}",
        BALANCE_DEGREE=by_degree,
        DEAL_VERTICES=access == "striding" and graph.host.numbering().local,
        **graph.by_degree,
        **graph.in_runs,
    )
    parent = graph.per_vertex("the parents")
    worklist = session.empty(graph.vertices if by_degree else 1, np.int32, "the worklist")
    listed = session.empty(2, np.int32, "the worklist's counters")

    steps = [
        kernel("init", graph.over_runs(access), n, *rows, parent, listed),
        kernel("compute1", graph.over_vertices, n, *rows, parent, worklist, listed),
    ]
    if by_degree:
        everywhere = shapes.everywhere()
        steps += [
            kernel("compute2", everywhere, *rows, parent, worklist, listed),
            kernel("compute3", everywhere, n, *rows, parent, worklist, listed),
        ]
    return Plan(parent, [*steps, kernel("finalize", graph.over_vertices, n, parent)])
