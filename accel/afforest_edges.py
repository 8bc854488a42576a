"""Device implementation of Afforest that works on an edge list, without building rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.graphs import ResidentGraph
from pointerjump.base.limits import FIRST_BATCH

MOST_STEPS = 128  # with striding, a link is deferred after this number of steps (at least 1)

MOST_DEFERRED = 1 << 16
"""The maximum number of deferred links. Once it is reached, further links are finished immediately."""


def prepare(graph: ResidentGraph, init: str, batches: str, access: str, reads: str) -> Plan:
    session, shapes, n, m, edge_t = graph.session, graph.session.shapes, graph.n, graph.stored, graph.edge_t
    entries = graph.entries("edges")
    defers = access == "striding" and m > 0
    macros: dict[str, Any] = {"MOST_STEPS": MOST_STEPS, "MOST_DEFERRED": MOST_DEFERRED} if defers else {}
    kernel = graph.kernels("afforest_edges.cl", access, reads, entries=entries, SHORTEN_PATHS=True, **macros)
    pi, read = graph.parents()
    at_once = shapes.over(graph.vertices, at_once=True)
    compress_all = kernel("compress_all", at_once, n, pi)

    if defers:
        deferred = session.empty(2 * MOST_DEFERRED, np.int32, "the links that are put off")
        count = session.empty(1, np.int32, "how many links are put off")
        total, link = shapes.turns(m), "link_or_defer"
        arguments: tuple[Any, ...] = (edge_t(m), *entries.ends, pi, deferred, count)
        steps = [kernel("init_deferring", graph.over_vertices, n, pi, count)]
        last = [
            kernel("compress_for_deferred", at_once, n, pi, count),
            kernel("link_deferred", shapes.over(MOST_DEFERRED), pi, deferred, count),
        ]
    else:
        total, link, arguments = m, "link_edges", (*entries.ends, pi)
        steps, last = [kernel("init", graph.over_vertices, n, pi)], []

    if init == "smaller":
        steps += [kernel("init_by_edges", entries.shape, entries.items, *entries.ends, pi), compress_all]
    # Each batch has as many edges as all batches before it. The first batches are small: until a giant
    # component has formed, chains grow with every link, which makes linking slow.
    begin, end = 0, total
    if batches == "doubling" and m:
        end = min(total, max(1, int(FIRST_BATCH * graph.vertices * total / m)))
    while begin < total:
        if begin:
            steps.append(compress_all)
        steps.append(kernel(link, shapes.over(end - begin), edge_t(begin), edge_t(end), *arguments))
        begin, end = end, min(total, 2 * end)
    return Plan(pi, steps + last, flatten=[compress_all], read=read)
