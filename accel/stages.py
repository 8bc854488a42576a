"""Stages on a device: drives ``kernels_cl/stages.cl`` and the kernels of its inner algorithms.

The edges are put into random order on the host, once per graph. The host enqueues group after group, and
reads the inner algorithm's flags.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pointerjump.accel import graft_shortcut, shiloach_vishkin, shiloach_vishkin_csr
from pointerjump.accel.labels import to_smallest
from pointerjump.accel.residents.rows import DeviceGraph, EdgeInput, Plan
from pointerjump.accel.shiloach_vishkin import Arrays

if TYPE_CHECKING:
    pass


def prepare(
    graph: DeviceGraph, inner: str, q: int, seed: int, access: str, reads: str, rounds_ahead: int
) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n, launcher = graph.session, np.uint32(graph.vertices), graph.session.launcher
    both = not inner.startswith("graft-shortcut")
    defines = graph.defines(reads, access)
    program = session.program("stages.cl", BOTH_DIRECTIONS=both, **defines)
    edge_t = type(graph.edge_count)

    u, v = graph.graph.sources, graph.graph.neighbors
    order = np.flatnonzero(u < v)
    np.random.default_rng(seed).shuffle(order)
    El = session.put(u[order], "the first ends"), session.put(v[order], "the second ends")
    m, qn = len(order), max(1, min(q * graph.vertices, len(order)))

    arrays = Arrays.of(graph)
    D = arrays.D
    room = 2 * qn if both else qn
    group = (
        session.empty(room, np.int32, "a group's first ends"),
        session.empty(room, np.int32, "a group's second ends"),
    )
    joins: dict[int, Callable[[], int]] = {}  # all groups but the last have one size
    init = session.launch(program, "init", graph.over_vertices, n, D)
    steps: list[Callable[[], object]] = [init]
    for begin in range(0, m, qn):
        size = min(qn, m - begin)
        if size not in joins:
            entries = edge_t(2 * size if both else size)
            edges = EdgeInput(group, entries, entries, launcher.over(int(entries)), {})
            joins[size] = _join(graph, edges, arrays, inner, access, reads, rounds_ahead)
        bounds = edge_t(begin), edge_t(size)
        next_group = session.launch(program, "next_group", launcher.over(size), *bounds, *El, D, *group)
        steps += [next_group, joins[size]]

    parent = session.empty(graph.vertices, np.int32, "the parents")
    steps += to_smallest(graph, D, smallest=arrays.odd, parent=parent, reads=reads)
    groups = -(-m // qn)

    def enqueue() -> dict[str, int]:
        for step in steps:
            step()
        return {"groups": groups}

    return Plan(parent, enqueue)


def _join(
    graph: DeviceGraph,
    edges: EdgeInput,
    arrays: Arrays,
    inner: str,
    access: str,
    reads: str,
    rounds_ahead: int,
) -> Callable[[], int]:
    """Return a run of the inner algorithm on a group."""
    update = inner.endswith("-updt")
    if inner.startswith("graft-shortcut") or inner == "shiloach-vishkin-csr":
        defines = {**graph.defines(reads, access), "HOOK_PLAIN": True}
        if inner == "shiloach-vishkin-csr":
            return shiloach_vishkin_csr.join(graph, edges, arrays.D, defines, rounds_ahead)
        return graft_shortcut.join(graph, edges, arrays.D, update, "direct", defines, rounds_ahead)
    rounds = shiloach_vishkin.join(graph, edges, arrays, update, access, reads, rounds_ahead)
    program = graph.session.program("shiloach_vishkin.cl", **graph.defines(reads, access))
    n = np.uint32(graph.vertices)
    SV0_marks = graph.session.launch(program, "SV0_marks", graph.over_vertices, n, arrays.Q, arrays.s)

    def run() -> int:
        SV0_marks()
        return rounds()

    return run
