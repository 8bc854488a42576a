"""Device implementation of Rem-CAS."""

from __future__ import annotations

from typing import Any

import numpy as np

from pointerjump.accel.afforest import SAMPLES
from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.graphs import ResidentGraph


def prepare(
    graph: ResidentGraph, compression: str, sampling: str, input: str, access: str, reads: str
) -> Plan:
    session, n, over_vertices, entries = graph.session, graph.n, graph.over_vertices, graph.entries(input)
    sampled = sampling == "fused" and graph.vertices > 0  # an empty graph has nothing to sample
    sample_group = session.shapes.one_group(SAMPLES)
    macros: dict[str, Any] = {
        compression.upper(): True,
        "SAMPLING": sampled,
        "SAMPLES": sample_group.local_size[0],
    }
    kernel = graph.kernels("rem_cas.cl", access, reads, entries=entries, **macros)
    p, read = graph.parents()
    largest = session.empty(1, np.int32, "the largest component")

    compress_all = kernel("compress_all", session.shapes.over(graph.vertices, at_once=True), n, p)
    steps = [kernel("init", over_vertices, n, p)]
    if sampled:
        steps += [
            kernel("unite_sample", over_vertices, n, *graph.entries("rows").ends, p),
            compress_all,
            kernel("find_largest", sample_group, n, p, largest),
        ]
    if graph.stored:
        shape = session.shapes.over(int(entries.items), uneven=True)
        steps.append(kernel("unite_edges", shape, entries.items, *entries.ends, p, largest))
    return Plan(p, steps, flatten=[compress_all], read=read)
