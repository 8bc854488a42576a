"""Device implementation of Groute's algorithm."""

from __future__ import annotations

from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.graphs import ResidentGraph


def prepare(graph: ResidentGraph, input: str, access: str, reads: str) -> Plan:
    n, entries = graph.n, graph.entries(input)
    kernel = graph.kernels("groute.cl", access, reads, entries=entries)
    Label = graph.per_vertex("the labels")

    multi_jump = kernel("multi_jump", graph.over_vertices, n, Label)
    steps = [kernel("init", graph.over_vertices, n, Label)]
    segments = max(1, 2 * graph.stored // max(graph.vertices, 1))
    count_t, count = type(entries.items), int(entries.items)
    for i in range(segments):
        begin, end = count * i // segments, count * (i + 1) // segments
        segment = (count_t(begin), count_t(end), *entries.ends)
        over = graph.session.shapes.over(end - begin)
        steps += [kernel("hook_edges", over, *segment, Label), multi_jump]
    return Plan(Label, steps)
