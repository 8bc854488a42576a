"""Device implementation of union-find in a single launch of one work-group."""

from __future__ import annotations

from typing import Any

from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.graphs import ResidentGraph
from pointerjump.base.limits import FEW_EDGES


def prepare(graph: ResidentGraph, find: str, input: str, work_items: int, reads: str) -> Plan:
    session, entries = graph.session, graph.entries(input)
    group = session.shapes.one_group(work_items)
    macros: dict[str, Any] = {"FIND_TOGETHER": True}
    if find != "together":
        mostly_joined = group.local_size == (1,) and graph.stored > FEW_EDGES * graph.vertices
        macros = {"FIND": f"find_{find}", "MOSTLY_JOINED": mostly_joined}
    kernel = graph.kernels(
        "one_group.cl",
        "partitioning",  # on GPUs, too: the kernel numbers contiguous runs of vertices
        reads,
        entries=entries,
        GROUP=group.local_size[0],
        **macros,
    )
    # Allocating memory takes longer than a small graph, so small graphs share scratch. A large graph gets
    # buffers of its own, so that the session does not keep large ones.
    room = session.tuning.small
    if graph.vertices <= room:
        parent = session.scratch("parent", room)
        label = session.scratch("label", room)
    else:
        parent, label = graph.per_vertex("the parents"), graph.per_vertex("the labels")
    run = kernel(f"of_{input}", group, graph.n, entries.edges, *entries.ends, parent, label)
    return Plan(parent, [run], one_launch=True, labels=label)
