"""Device implementation of ECL-CC.

On GPUs (``balance="degree"``), there are two compute kernels: one for vertices of low degree, and one for all
others. A double-sided worklist holds the vertices for the second kernel: those of medium degree are at the
front, and those of high degree are at the back. On CPUs (``balance="none"``), one kernel processes all
vertices, as in the paper's CPU code.
"""

from __future__ import annotations

import numpy as np

from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.graphs import ResidentRows
from pointerjump.base.limits import LOW_DEGREE


def prepare(
    graph: ResidentRows, init: str, jump: str, fini: str, balance: str, access: str, reads: str
) -> Plan:
    session, n, rows = graph.session, graph.n, graph.rows
    by_degree = balance == "degree"
    kernel = graph.kernels(
        "ecl_cc.cl",
        access,
        reads,
        INIT=f"init_{init}",
        JUMP=f"jump_{jump}",
        FINI=f"fini_{fini}",
        FIRST_JOINED=by_degree and init == "first",
        MOST_TRIED=LOW_DEGREE if by_degree else None,
        BALANCE_DEGREE=by_degree,
        DEAL_VERTICES=access == "striding" and graph.host.numbering().local,
        **graph.by_degree,
        **graph.in_runs,
    )
    parent = graph.per_vertex("the parents")
    worklist = session.empty(graph.vertices if by_degree else 1, np.int32, "the worklist")
    listed = session.empty(2, np.int32, "the worklist's counters")

    # With striding, each work-item takes two or more vertices that are far apart. With one each, work-items
    # that run at the same time would take adjacent vertices, and most would hook one tree where a component
    # begins.
    over_pairs = session.shapes.over(graph.vertices, uneven=True, fewest_each=2)
    steps = [
        kernel("init", graph.over_runs(access), n, *rows, parent, listed),
        kernel("compute1", over_pairs, n, *rows, parent, worklist, listed),
    ]
    if by_degree:
        steps.append(kernel("compute2", session.shapes.everywhere(), n, *rows, parent, worklist, listed))
    at_once = session.shapes.over(graph.vertices, at_once=True)
    return Plan(parent, [*steps, kernel("finalize", at_once, n, parent)])
