"""Rem-CAS on a device: launches ``kernels_cl/rem_cas.cl``. A run is enqueued without waiting."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.afforest import SAMPLES
from pointerjump.accel.residents.rows import DeviceGraph, Plan, in_order


def prepare(graph: DeviceGraph, compression: str, sampling: str, input: str, access: str, reads: str) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n, launcher = graph.session, np.uint32(graph.vertices), graph.session.launcher
    edges = graph.input(input)
    sampled = sampling == "fused" and graph.vertices > 0  # of no vertices no sample can be taken
    samples = min(SAMPLES, session.device.work_group)
    program = session.program(
        "rem_cas.cl",
        **{compression.upper(): True},
        SAMPLING=sampled,
        SAMPLES=samples,
        **edges.defines,
        **graph.defines(reads, access),
    )
    p = session.empty(graph.vertices, np.int32, "the parents")
    largest = session.empty(1, np.int32, "the largest component")

    vertices, resident = graph.over_vertices, launcher.over(graph.vertices, resident=True)
    compress_all = session.launch(program, "compress_all", resident, n, p)
    steps = [session.launch(program, "init", vertices, n, p)]
    if sampled:
        rows, alone = (graph.offsets, graph.neighbors), launcher.one_group(samples)
        steps += [
            session.launch(program, "unite_sample", vertices, n, *rows, p),
            compress_all,
            session.launch(program, "find_largest", alone, n, p, largest),
        ]
    steps += [
        session.launch(program, "unite_edges", edges.shape, edges.count, *edges.ends, p, largest),
        compress_all,
    ]
    return Plan(p, in_order(steps))
