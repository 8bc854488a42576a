"""Galois' asynchronous algorithm on a device: drives ``kernels_cl/galois.cl``."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.residents.rows import DeviceGraph, Plan, in_order


def prepare(graph: DeviceGraph, input: str, access: str, reads: str) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n = graph.session, np.uint32(graph.vertices)
    edges = graph.input(input)
    program = session.program("galois.cl", **edges.defines, **graph.defines(reads, access))
    parent = session.empty(graph.vertices, np.int32, "the parents")
    steps = [
        session.launch(program, "init", graph.over_vertices, n, parent),
        session.launch(program, "merge", edges.shape, edges.count, *edges.ends, parent),
        session.launch(program, "finalize", graph.over_vertices, n, parent),
    ]
    return Plan(parent, in_order(steps))
