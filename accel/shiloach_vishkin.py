"""Device implementation of Shiloach-Vishkin.

The kernels SV1b and SV2 mark trees that change. The host repeats SV1a to SV5 until a round marks nothing.
D(s) contains the parents after round s. D(s-1) and D(s) are stored in two buffers that swap roles in each
round. They are equal after a round that marks nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pointerjump.accel.labels import to_smallest
from pointerjump.accel.plan import Plan, PlanStep, Rounds
from pointerjump.accel.residents.graphs import Entries, ResidentGraph, ResidentRows
from pointerjump.accel.runtime.session import Buffer, Launch, Session


def prepare(graph: ResidentRows, update: bool, access: str, reads: str, rounds_ahead: int) -> Plan:
    kernel = graph.kernels("shiloach_vishkin.cl", access, reads)
    arrays = HookingArrays.of(graph)
    parent = graph.per_vertex("the parents")
    begin: list[PlanStep] = [kernel("SV0", graph.over_vertices, graph.n, arrays.D, arrays.Q, arrays.s)]

    given = edges = graph.entries("edges")
    if update:  # updating overwrites the edges, so each run begins with a copy of them
        own = graph.per_edge("the parents of first ends"), graph.per_edge("the parents of second ends")
        edges = given._replace(ends=own)
        begin += [copying(graph.session, *ends, graph.stored) for ends in zip(own, given.ends, strict=True)]
    rounds = join(graph, edges, arrays, update, access, reads, rounds_ahead)
    return Plan(parent, begin, rounds, to_smallest(graph, arrays.D, arrays.Q, parent, reads))


def copying(session: Session, to: Buffer, given: Buffer, words: int) -> Callable[[], None]:
    return lambda: session.copy(to, given, words)


class HookingArrays(NamedTuple):
    """The arrays of Shiloach-Vishkin. `D` holds the initial and final parents, and those of even rounds."""

    D: Buffer
    odd: Buffer
    Q: Buffer
    s: Buffer

    @classmethod
    def of(cls, graph: ResidentGraph) -> HookingArrays:
        return cls(
            graph.per_vertex("D(s) of even rounds"),
            graph.per_vertex("D(s) of odd rounds"),
            graph.per_vertex("the marks Q"),
            graph.session.empty(1, np.int32, "the round s"),
        )


def join(
    graph: ResidentGraph,
    edges: Entries,
    arrays: HookingArrays,
    update: bool,
    access: str,
    reads: str,
    rounds_ahead: int,
) -> Rounds:
    """Return a callable that joins the trees of ``arrays.D``, each of depth at most one, along `edges`.

    The kernel SV0 or SV0_marks must be run before each call.
    """
    n, m, ends = graph.n, edges.items, edges.ends
    kernel = graph.kernels("shiloach_vishkin.cl", access, reads)
    over_vertices, over_edges = graph.over_vertices, edges.shape
    Q, s = arrays.Q, arrays.s

    def one_round(i: int, marked: Buffer, round: np.uint32) -> list[Launch]:
        previous_D, D = (arrays.odd, arrays.D) if i % 2 else (arrays.D, arrays.odd)
        steps = [
            kernel("SV1a", over_vertices, n, previous_D, D, s),
            kernel("SV1b", over_vertices, n, s, previous_D, D, Q),
            kernel("SV2", over_edges, m, s, *ends, previous_D, D, Q, marked, round),
            kernel("SV3", over_edges, m, s, *ends, D, Q, marked, round),
            kernel("SV4", over_vertices, n, D),
            kernel("SV5", over_vertices, n, s, Q, marked, round),
        ]
        if update:
            steps.append(kernel("update", over_edges, m, D, *ends, marked, round))
        return steps

    return Rounds(graph.session, rounds_ahead, one_round, period=2)
