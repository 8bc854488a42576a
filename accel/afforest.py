"""Afforest on a device: drives ``kernels_cl/afforest.cl``.

The guess of the largest component stays on the device, so a run is enqueued without waiting.
"""

from __future__ import annotations

import numpy as np

from pointerjump.accel.residents.rows import DeviceGraph, Plan, in_order

SAMPLES = 256
BLOCK = 64  # as in the kernel


def prepare(
    graph: DeviceGraph,
    neighbor_rounds: int,
    skip_largest: bool,
    init: str,
    one_in: int,
    rest: str,
    balance: str,
    access: str,
    reads: str,
) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n = graph.session, np.uint32(graph.vertices)
    launcher = session.launcher
    samples = min(SAMPLES, session.device.work_group)
    program = session.program(
        "afforest.cl",
        BALANCE_DEGREE=balance == "degree",
        TILE=launcher.tuning.tile,
        GROUP=min(launcher.tuning.group, session.device.work_group),
        SAMPLES=samples,
        SKIP_LARGEST=skip_largest,
        UNTIL_JOINED=rest == "until-joined",
        SHORTEN_PATHS=rest == "until-joined" and launcher.tuning.shorten_paths,
        **graph.defines(reads, access),
    )
    pi = session.empty(graph.vertices, np.int32, "the parents")
    largest = session.empty(1, np.int32, "the largest component")

    rows, vertices = (graph.offsets, graph.neighbors), graph.over_vertices
    resident = launcher.over(graph.vertices, resident=True)
    compress_all = session.launch(program, "compress_all", resident, n, pi)
    if init == "first":  # in place of linking neighbor 0
        rounds = range(1, neighbor_rounds)
        steps = [session.launch(program, "init_smaller", vertices, n, *rows, pi)]
        if access == "striding":  # runs of vertices come out of it with short chains
            steps.append(compress_all)
    else:
        rounds = range(neighbor_rounds)
        steps = [session.launch(program, "init", vertices, n, pi)]
    sampled = -(-graph.vertices // (BLOCK * one_in)) * BLOCK
    sampled_vertices = (n, np.uint32(sampled), np.uint32(min(one_in, graph.vertices)))
    for i in rounds:
        link_neighbors = session.launch(
            program, "link_neighbors", launcher.over(sampled), *sampled_vertices, np.uint32(i), *rows, pi
        )
        steps.append(link_neighbors)
        if rest == "all" or i < rounds[-1]:  # until-joined looks for roots itself
            steps.append(compress_all)
    if skip_largest and graph.vertices:  # of no vertices no sample can be taken
        alone = launcher.one_group(samples)
        steps.append(session.launch(program, "sample_largest", alone, n, pi, largest))
    linked = np.uint32(len(rounds) if init == "own" and one_in == 1 else 0)
    steps += [
        session.launch(program, "link_remaining", vertices, n, linked, *rows, pi, largest),
        compress_all,
    ]

    return Plan(pi, in_order(steps))
