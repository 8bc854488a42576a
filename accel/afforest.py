"""Device implementation of Afforest.

The device estimates which component is the largest, so the host can enqueue a whole run without waiting.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pointerjump.accel.plan import Plan
from pointerjump.accel.residents import graphs as resident_graphs
from pointerjump.accel.residents.graphs import ResidentRows
from pointerjump.base.limits import BLOCK, GIANT

SAMPLES = 256

BEFORE_HELP = 4  # how many neighbors of a high-degree vertex a work-item processes before others help it

SHORT_ROWS = 16  # rows count as short if the mean degree is at most this

GROUP_OF_SHORT_ROWS = 64
"""The size of a work-group that links short rows. A small group spends less time waiting for its slowest
vertex."""

ALONE_DEGREE = 256
"""If there is no giant component, a single work-item processes all neighbors of a vertex of at most this
degree."""


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
    session, n, rows, over_vertices = graph.session, graph.n, graph.rows, graph.over_vertices
    m = graph.edge_t(graph.stored)
    tuning, shapes = session.tuning, session.shapes
    sample_group = shapes.one_group(SAMPLES)
    macros: dict[str, Any] = {f"REST_{rest.upper().replace('-', '_')}": True}
    adaptive = rest == "adaptive"
    looks = adaptive and skip_largest and init == "first" and access == "striding"
    samplers = sample_group.local_size[0] if looks else None
    published = (neighbor_rounds, skip_largest, init, one_in, rest) == (2, True, "own", 1, "all")
    sparse = adaptive and tuning.sparse(graph.vertices, graph.stored)
    short_rows = graph.stored <= SHORT_ROWS * graph.vertices
    group = min(tuning.group, GROUP_OF_SHORT_ROWS) if short_rows else tuning.group
    # On CPUs, the giant of a low-degree graph forms too late for the sample, so any tree counts as a giant.
    late = graph.stored <= tuning.late_giant_degree * graph.vertices
    if adaptive:
        macros |= {"LOOKS": looks, "SPARSE": sparse, "GIANT": SAMPLES if late else GIANT}
        macros |= {"SHALLOW": tuning.shallow, "AHEAD": 1 if sparse else tuning.parents_ahead}
        macros |= {"BEFORE_HELP": BEFORE_HELP, "ALONE_DEGREE": ALONE_DEGREE}
    kernel = graph.kernels(
        "afforest.cl",
        access,
        reads,
        BALANCE_DEGREE=balance == "degree",
        BLOCK=BLOCK,
        **graph.by_degree,
        **graph.in_runs,
        GROUP=group,
        ANY_NEIGHBOR=looks and not short_rows,
        LONG_ROW=resident_graphs.LONG_ROW,
        SAMPLES=sample_group.local_size[0],
        SKIP_LARGEST=skip_largest,
        SPLITTING=tuning.shorten_paths,
        SHORTEN_PATHS=not published,
        PATIENCE=0 if sparse else tuning.patience,  # paths in sparse graphs are long
        **macros,
    )
    parts = [one_in]
    if adaptive:  # sampling even fewer vertices would save nothing
        most = graph.vertices // tuning.fewest_sampled
        parts = [max(1, min(one_in, most))]
        if looks and graph.host.numbering().local:
            parts.append(1)  # nearby vertices share cache lines, so linking them all costs little
        elif looks and short_rows:  # a giant may appear only in a larger part
            parts.append(max(1, min(one_in // 4, most // 2)))
    one_in = parts[0]
    decided = {"one_in": one_in} if adaptive else {}
    pi = graph.per_vertex("the parents")
    if graph.stored == 0:
        return Plan(pi, [kernel("init", over_vertices, n, pi)], one_launch=True, decided=decided)
    largest = session.empty(4, np.int32, "the largest component")
    at_once = shapes.over(graph.vertices, at_once=True)
    compress_all = kernel("compress_all", at_once, n, pi)

    if init == "first":  # this replaces linking neighbor 0
        rounds = range(1, neighbor_rounds)
        steps = [kernel("init_smaller", graph.over_runs(access), n, *rows, pi, largest)]
        # With partitioning, chains are already short, unless they lead through most runs of a sparse graph.
        if adaptive and (access == "striding" or (rounds and late)):
            probing = shapes.over(graph.vertices, samplers, at_once=True)
            steps.append(kernel("compress_deep", probing, n, m, graph.neighbors, pi, largest))
        elif access == "striding":
            steps.append(compress_all)
    else:
        rounds = range(neighbor_rounds)
        steps = [kernel("init", over_vertices, n, pi)]
    for part in sorted(set(parts), reverse=True):  # the larger part is linked only if there is no giant yet
        sampled = -(-graph.vertices // (BLOCK * part)) * BLOCK
        sample = (n, np.uint32(sampled), np.uint32(min(part, graph.vertices)))
        for i in rounds:
            over = shapes.over(sampled, samplers)
            steps.append(kernel("link_neighbors", over, *sample, np.uint32(i), m, *rows, pi, largest))
            if rest == "all" or i < rounds[-1]:  # otherwise link_remaining looks for roots itself
                steps.append(compress_all)
    if skip_largest and not looks:
        steps.append(kernel("sample_largest", sample_group, m, graph.neighbors, pi, largest))
    elif looks and not sparse:
        steps.append(kernel("compress_small", at_once, n, pi, largest))
    linked = np.uint32(len(rounds) if init == "own" and one_in == 1 else 0)
    shape = over_vertices
    shared: tuple[Any, ...] = ()
    if balance == "degree":
        at_a_time = _at_a_time(graph, group)
        runs, most_pieces = -(-graph.vertices // at_a_time), graph.stored // resident_graphs.LONG_ROW
        for_pieces = shapes.over(most_pieces * group, group, at_once=True).groups
        # Few vertices are left if first parents alone join most of them, or if the second round links all
        # vertices, as it does if numbers are near.
        few_left = init == "first" and (not rounds or (looks and graph.host.numbering().local))
        uneven = short_rows and not few_left
        shape = shapes.over(max(runs, for_pieces) * group, group, uneven=uneven)
        shared = np.uint32(at_a_time), *graph.long_rows
    steps.append(kernel("link_remaining", shape, n, linked, *rows, pi, largest, *shared))
    return Plan(pi, steps, flatten=[compress_all], decided=decided)


def _at_a_time(graph: ResidentRows, group: int) -> int:
    """Return how many vertices a work-group processes at a time: fewer if the mean degree is high."""
    tuning, units = graph.session.tuning, graph.session.device.compute_units
    if graph.stored <= tuning.tile * graph.vertices:
        return group
    each = graph.vertices // (units * tuning.groups_at_once)
    return min(max(each, tuning.tile), tuning.group)
