"""Afforest on a device.

The largest component is guessed on the device, so the host enqueues a whole run without waiting.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pointerjump.accel.plan import Plan
from pointerjump.accel.residents import graphs as resident_graphs
from pointerjump.accel.residents.graphs import ResidentRows
from pointerjump.base.limits import BLOCK, GIANT

SAMPLES = 256

BEFORE_HELP = 4
"""How many neighbors a work-item takes of a vertex of high degree before others help it."""

ALONE_DEGREE = 256
"""Without a giant, up to this degree a work-item takes all neighbors of a vertex by itself."""


def prepare(
    graph: ResidentRows,
    neighbor_rounds: int,
    skip_largest: bool,
    init: str,
    one_in: int,
    rest: str,
    balance: str,
    access: str,
    reads: str,
) -> Plan:
    """Plan a run on one graph."""
    session, n, rows, over_vertices = graph.session, graph.n, graph.rows, graph.over_vertices
    tuning, shapes = session.tuning, session.shapes
    sample_group = shapes.one_group(SAMPLES)
    rest_macro: dict[str, Any] = {f"REST_{rest.upper().replace('-', '_')}": True}
    adaptive = rest == "adaptive"
    published = (neighbor_rounds, skip_largest, init, one_in, rest) == (2, True, "own", 1, "all")
    sparse = adaptive and not skip_largest
    kernel = graph.kernels(
        "afforest.cl",
        access,
        reads,
        BALANCE_DEGREE=balance == "degree",
        BLOCK=BLOCK,
        **graph.by_degree,
        GROUP=tuning.group,
        LONG_ROW=resident_graphs.LONG_ROW,
        SAMPLES=sample_group.local_size[0],
        SKIP_LARGEST=skip_largest,
        **rest_macro,
        SPLITTING=tuning.shorten_paths,
        SHORTEN_PATHS=not published,
        PATIENCE=0 if sparse else tuning.patience,  # paths in sparse graphs are long
        **(_adaptive(graph, sparse) if adaptive else {}),
    )
    if adaptive:  # sampling even fewer vertices would save nothing
        one_in = max(1, min(one_in, graph.vertices // tuning.fewest_sampled))
    decided = {"one_in": one_in} if adaptive else {}
    pi = graph.per_vertex("the parents")
    if graph.stored == 0:  # there is nothing to sample, nor to link
        return Plan(pi, [kernel("init", over_vertices, n, pi)], one_launch=True, decided=decided)
    largest = session.empty(2, np.int32, "the largest component")
    at_once = shapes.over(graph.vertices, at_once=True)
    compress_all = kernel("compress_all", at_once, n, pi)

    if init == "first":  # in place of linking neighbor 0
        rounds = range(1, neighbor_rounds)
        steps = [kernel("init_smaller", over_vertices, n, *rows, pi)]
        # With partitioning, chains are short already, unless they lead through most runs of a sparse graph.
        if adaptive and rounds and (access == "striding" or _is_late(graph)):
            steps.append(kernel("compress_deep", at_once, n, pi))
        elif access == "striding":
            steps.append(compress_all)
    else:
        rounds = range(neighbor_rounds)
        steps = [kernel("init", over_vertices, n, pi)]
    sampled = -(-graph.vertices // (BLOCK * one_in)) * BLOCK
    sample = (n, np.uint32(sampled), np.uint32(min(one_in, graph.vertices)))
    for i in rounds:
        steps.append(kernel("link_neighbors", shapes.over(sampled), *sample, np.uint32(i), *rows, pi))
        if rest == "all" or i < rounds[-1]:  # otherwise link_remaining looks for roots itself
            steps.append(compress_all)
    if skip_largest:
        steps.append(kernel("sample_largest", sample_group, n, graph.offsets, pi, largest))
    linked = np.uint32(len(rounds) if init == "own" and one_in == 1 else 0)
    shape = over_vertices
    shared: tuple[Any, ...] = ()
    if balance == "degree":
        at_a_time = _at_a_time(graph)
        runs, most_pieces = -(-graph.vertices // at_a_time), graph.stored // resident_graphs.LONG_ROW
        for_pieces = shapes.over(most_pieces * tuning.group, at_once=True).groups
        shape = shapes.over(max(runs, for_pieces) * tuning.group)
        shared = np.uint32(at_a_time), *graph.long_rows
    steps.append(kernel("link_remaining", shape, n, linked, *rows, pi, largest, *shared))
    return Plan(pi, steps, flatten=[compress_all], decided=decided)


def _at_a_time(graph: ResidentRows) -> int:
    """Return how many vertices a work-group takes at a time: fewer if they are few and their degrees high."""
    tuning, units = graph.session.tuning, graph.session.device.compute_units
    if graph.stored <= tuning.tile * graph.vertices:
        return tuning.group
    each = graph.vertices // (units * tuning.groups_at_once)
    return min(max(each, tuning.tile), tuning.group)


def _adaptive(graph: ResidentRows, sparse: bool) -> dict[str, Any]:
    """Return the macros of ``rest="adaptive"``, for a sparse graph, or for one of which a tree is sampled."""
    tuning = graph.session.tuning
    return {
        "GIANT": SAMPLES if _is_late(graph) else GIANT,
        "SHALLOW": tuning.shallow,
        "BEFORE_HELP": BEFORE_HELP,
        "ALONE_DEGREE": ALONE_DEGREE,
        "AHEAD": 1 if sparse else tuning.parents_ahead,
    }


def _is_late(graph: ResidentRows) -> bool:
    """Return whether a giant would show too late for the sample, so that any tree counts as one."""
    return graph.stored <= graph.session.tuning.late_giant_degree * graph.vertices
