"""Groute's algorithm on a device: drives ``kernels_cl/groute.cl``. A run is enqueued without waiting."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.residents.rows import DeviceGraph, Plan, in_order


def prepare(graph: DeviceGraph, input: str, access: str, reads: str) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n = graph.session, np.uint32(graph.vertices)
    edges = graph.input(input)
    program = session.program("groute.cl", **edges.defines, **graph.defines(reads, access))
    Label = session.empty(graph.vertices, np.int32, "the labels")

    multi_jump = session.launch(program, "multi_jump", graph.over_vertices, n, Label)
    steps = [session.launch(program, "init", graph.over_vertices, n, Label)]
    segments = max(1, 2 * graph.directed_edges // max(graph.vertices, 1))
    count_t, count = type(edges.count), int(edges.count)
    for i in range(segments):
        begin, end = count * i // segments, count * (i + 1) // segments
        over = session.launcher.over(end - begin)
        bounds = (count_t(begin), count_t(end))
        steps += [
            session.launch(program, "hook_edges", over, *bounds, *edges.ends, Label),
            multi_jump,
        ]
    return Plan(Label, in_order(steps))
