"""Device implementation of Galois's asynchronous algorithm."""

from __future__ import annotations

from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.graphs import ResidentGraph


def prepare(graph: ResidentGraph, input: str, access: str, reads: str) -> Plan:
    n, entries = graph.n, graph.entries(input)
    kernel = graph.kernels("galois.cl", access, reads, entries=entries)
    parent = graph.per_vertex("the parents")
    steps = [
        kernel("init", graph.over_vertices, n, parent),
        kernel("merge", entries.shape, entries.items, *entries.ends, parent),
        kernel("finalize", graph.over_vertices, n, parent),
    ]
    return Plan(parent, steps)
