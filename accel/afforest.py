"""Afforest on a device: drives ``kernels_cl/afforest.cl``.

The guess of the largest component stays on the device, so a run is enqueued without waiting.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pointerjump.accel.device_graph import DeviceGraph, Plan, in_order, run
from pointerjump.graph import VertexArray
from pointerjump.registry import Variant

SAMPLES = 256
BLOCK = 64  # as in the kernel


def afforest(
    graph: Any,
    neighbor_rounds: int = 2,
    skip_largest: bool = True,
    init: str = "own",
    one_in: int = 1,
    rest: str = "all",
    *,
    device: object = None,
    balance: str | None = None,
    access: str | None = None,
    reads: str = "plain",
) -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    Parameters
    ----------
    graph : Graph, DeviceGraph or anything :func:`pointerjump.components` takes
    neighbor_rounds, skip_largest, init, one_in, rest
        As in :func:`pointerjump.reference.afforest.afforest`.
    device : optional
        See :func:`pointerjump.to_device`.
    balance : {"degree", "none"}, optional
        Whether vertices of high degree are shared; default: by device.
    access : {"striding", "partitioning"}, optional
        Which vertices a work-item takes; default: by device.
    reads : {"plain", "atomic"}
        How parents are read.

    Returns
    -------
    ndarray of int32, shape (vertices,)

    Examples
    --------
    >>> afforest(([0, 4], [2, 3]), device="cpu").tolist()
    [0, 1, 0, 3, 3]
    """
    choices = {
        "neighbor_rounds": neighbor_rounds,
        "skip_largest": skip_largest,
        "init": init,
        "one_in": one_in,
        "rest": rest,
    }
    return run("afforest", graph, device, balance=balance, access=access, reads=reads, **choices)


def prepare(
    graph: DeviceGraph,
    neighbor_rounds: int,
    skip_largest: bool,
    init: str,
    one_in: int,
    rest: str,
    reads: str,
    balance: str | None = None,
    access: str | None = None,
) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n = graph.session, np.uint32(graph.vertices)
    launcher = session.launcher
    balance, access = balance or launcher.tuning.balance, access or launcher.tuning.access
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

    variant: Variant = {
        "neighbor_rounds": neighbor_rounds,
        "skip_largest": skip_largest,
        "init": init,
        "one_in": one_in,
        "rest": rest,
        "balance": balance,
        "access": access,
        "reads": reads,
    }
    return Plan(pi, in_order(steps), variant)
