"""Device implementation of Stages, which uses the kernels of its inner algorithm.

The host shuffles the edges once per graph. During a run, it enqueues one group of edges after another, and
checks whether the inner algorithm needs more rounds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pointerjump.accel import graft_shortcut, shiloach_vishkin, shiloach_vishkin_csr
from pointerjump.accel.labels import to_smallest
from pointerjump.accel.plan import Counts, Plan, PlanStep
from pointerjump.accel.residents.graphs import Entries, ResidentRows
from pointerjump.accel.runtime.session import Buffer
from pointerjump.accel.shiloach_vishkin import HookingArrays


def prepare(
    graph: ResidentRows, inner: str, q: int, seed: int, access: str, reads: str, rounds_ahead: int
) -> Plan:
    session, n, shapes, edge_t = graph.session, graph.n, graph.session.shapes, graph.edge_t
    both = not inner.startswith("graft-shortcut")
    kernel = graph.kernels("stages.cl", access, reads, BOTH_DIRECTIONS=both)

    u, v = graph.host.sources, graph.host.neighbors
    order = np.flatnonzero(u < v)
    np.random.default_rng(seed).shuffle(order)
    El = session.put(u[order], "the first ends"), session.put(v[order], "the second ends")
    m, qn = len(order), max(1, min(q * graph.vertices, len(order)))

    arrays = HookingArrays.of(graph)
    room = 2 * qn if both else qn
    group = (
        session.empty(room, np.int32, "a group's first ends"),
        session.empty(room, np.int32, "a group's second ends"),
    )
    joins: dict[int, Callable[[], Counts]] = {}  # all groups but the last have the same size
    steps: list[PlanStep] = []
    for begin in range(0, m, qn):
        size = min(qn, m - begin)
        if size not in joins:
            joins[size] = join(graph, group, size, arrays, inner, access, reads, rounds_ahead)
        next_group = (edge_t(begin), edge_t(size), *El, arrays.D, *group)
        steps += [kernel("next_group", shapes.over(size), *next_group), joins[size]]
    groups = -(-m // qn)

    def run() -> Counts:
        for step in steps:
            step()
        return {"groups": groups}

    parent = graph.per_vertex("the parents")
    init = kernel("init", graph.over_vertices, n, arrays.D)
    return Plan(parent, [init], run, to_smallest(graph, arrays.D, arrays.odd, parent, reads))


def join(
    graph: ResidentRows,
    group: tuple[Buffer, Buffer],
    size: int,
    arrays: HookingArrays,
    inner: str,
    access: str,
    reads: str,
    rounds_ahead: int,
) -> Callable[[], Counts]:
    """Return a function that runs the inner algorithm on a group of `size` edges."""
    update = inner.endswith("-updt")
    one_way = inner.startswith("graft-shortcut")
    m = graph.edge_t(size if one_way else 2 * size)
    edges = Entries(group, m, m, graph.session.shapes, {})
    how = (access, reads, rounds_ahead)
    if one_way:
        return graft_shortcut.join(graph, edges, arrays.D, update, "direct", "plain", *how)
    if inner == "shiloach-vishkin-csr":
        return shiloach_vishkin_csr.join(graph, edges, arrays.D, "plain", *how)
    rounds = shiloach_vishkin.join(graph, edges, arrays, update, *how)
    kernel = graph.kernels("shiloach_vishkin.cl", access, reads)
    SV0_marks = kernel("SV0_marks", graph.over_vertices, graph.n, arrays.Q, arrays.s)

    def run() -> Counts:
        SV0_marks()
        return rounds()

    return run
