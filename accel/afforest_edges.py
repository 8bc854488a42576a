"""Device implementation of Afforest that works on an edge list, without building rows of neighbors."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from pointerjump.accel.plan import Plan, PlanStep
from pointerjump.accel.residents.graphs import ResidentGraph
from pointerjump.base.limits import FIRST_BATCH, GROWTH

MOST_STEPS = 128  # with striding, a link is deferred after this number of steps, which must be at least 1

MOST_DEFERRED = 1 << 16
"""The maximum number of deferred links. Once it is reached, further links are finished immediately."""

MOST_BATCHES = 64  # more batches than there can be, because each quadruples the number of linked edges

MOST_WORDS = 12_000
"""The maximum size, in 32-bit words, of the table that marks the giant component. The table must fit into
local memory, which is 48 KiB in OpenCL on NVIDIA's GPUs."""


def prepare(graph: ResidentGraph, init: str, batches: str, access: str, reads: str) -> Plan:
    session, shapes, n, m, edge_t = graph.session, graph.session.shapes, graph.n, graph.stored, graph.edge_t
    entries = graph.entries("edges")
    defers = access == "striding" and m > 0
    macros: dict[str, Any] = {}
    if defers:
        most_words = max(
            1, min(MOST_WORDS, session.device.local_memory // 4 - 64)
        )  # drivers may need a little
        shift = 0  # a run of the table has 2^shift vertices
        while (graph.vertices >> shift) >= 32 * most_words:
            shift += 1
        runs = (graph.vertices >> shift) + 1
        words = -(-runs // 32)
        macros = {
            "MOST_STEPS": MOST_STEPS,
            "MOST_DEFERRED": MOST_DEFERRED,
            "MOST_BATCHES": MOST_BATCHES,
            "MOST_WORDS": most_words,
        }
    macros |= {"SHORTEN_PATHS": True, "INIT_FIRST": init == "first"}
    kernel = graph.kernels("afforest_edges.cl", access, reads, entries=entries, **macros)
    pi, read = graph.parents()
    at_once = shapes.over(graph.vertices, at_once=True)
    compress_all = kernel("compress_all", at_once, n, pi)

    steps: list[PlanStep]
    last: list[PlanStep]
    if defers:
        deferred = session.empty(2 * MOST_DEFERRED, np.int32, "the links that are put off")
        count = session.empty(1, np.int32, "how many links are put off")
        outside = session.empty(MOST_BATCHES, np.int32, "how many runs reach outside the giant")
        giant = session.empty(words, np.uint32, "the runs inside the giant")
        total, table = shapes.turns(m), (np.uint32(shift), np.uint32(words))
        steps = [kernel("init_deferring", graph.over_vertices, n, pi, count, outside)]
        last = [
            kernel("compress_for_deferred", at_once, n, pi, count),
            kernel("link_deferred", shapes.over(MOST_DEFERRED), pi, deferred, count),
        ]
    else:
        total, steps, last = m, [kernel("init", graph.over_vertices, n, pi)], []

    if init == "smaller":
        steps += [kernel("init_by_edges", entries.shape, entries.items, *entries.ends, pi), compress_all]
    # Each batch but the last has more edges than all batches before it. The first one is small: until a giant
    # component has formed, chains grow with every link, which makes linking slow.
    begin, end, batch = 0, total, np.uint32(0)
    if batches == "growing" and m:
        end = min(total, max(1, int(FIRST_BATCH * graph.vertices * total / m)))
    while begin < total:
        if begin:
            steps.append(compress_all)
        some = edge_t(begin), edge_t(end)
        if not defers:
            steps.append(kernel("link_edges", shapes.over(end - begin), *some, *entries.ends, pi))
        else:
            # With a mean degree of d, about e^-d of the vertices of a random graph are outside the giant. A
            # run of them is probably inside if it has fewer than e^d / 4 vertices. A batch that is worth a
            # table has at least a quarter of the edges.
            degree = 2 * begin / total * m / graph.vertices
            marks = 4 * (end - begin) >= total and degree >= log(4 << shift)
            enough = np.int32(max(1, runs // 4) if marks else 0)
            arguments = *some, edge_t(m), *entries.ends, pi, deferred, count, outside, batch, enough
            if marks:
                mark = kernel("mark_giant", at_once, n, *table, pi, giant, outside, batch)
                steps += [mark, kernel("link_outside", shapes.with_tables(), *arguments, *table, giant)]
            # If link_outside may link the batch instead, this launch often does nothing, so it must be cheap.
            over = shapes.over(end - begin, uneven=not marks)
            steps.append(kernel("link_or_defer", over, *arguments))
        begin, end, batch = end, min(total, GROWTH * end), batch + np.uint32(1)
    return Plan(pi, steps + last, flatten=[compress_all], read=read)
