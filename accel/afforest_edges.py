"""Afforest over an edge list, on a device. It never makes rows."""

from __future__ import annotations

from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.graphs import ResidentGraph
from pointerjump.limits import FIRST_BATCH


def prepare(graph: ResidentGraph, init: str, batches: str, access: str, reads: str) -> Plan:
    """Plan a run on one graph."""
    shapes, n, m, edge_t = graph.session.shapes, graph.n, graph.stored, graph.edge_t
    entries = graph.entries("edges")
    kernel = graph.kernels("afforest_edges.cl", access, reads, entries=entries, SHORTEN_PATHS=True)
    pi, read = graph.parents()
    compress_all = kernel("compress_all", shapes.over(graph.vertices, at_once=True), n, pi)

    steps = [kernel("init", graph.over_vertices, n, pi)]
    if init == "smaller":
        steps += [kernel("init_by_edges", entries.shape, entries.items, *entries.ends, pi), compress_all]
    # Each batch has as many edges as all before it. The first ones are small, because chains grow with every
    # link until a giant component has formed, and long chains make linking slow.
    first = max(1, int(FIRST_BATCH * graph.vertices)) if batches == "doubling" else m
    begin, end = 0, min(m, first)
    while begin < m:
        if begin:
            steps.append(compress_all)
        batch = (edge_t(begin), edge_t(end))
        steps.append(kernel("link_edges", shapes.over(end - begin), *batch, *entries.ends, pi))
        begin, end = end, min(m, 2 * end)
    return Plan(pi, steps, flatten=[compress_all], read=read)
