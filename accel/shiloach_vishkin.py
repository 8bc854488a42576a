"""Shiloach-Vishkin on a device: drives ``kernels_cl/shiloach_vishkin.cl``.

The host repeats SV1a to SV5 until a round marks nothing. D(s-1) and D(s) are two buffers that change
roles each round; a round that marks nothing leaves them equal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pointerjump.accel.labels import to_smallest
from pointerjump.accel.residents.rows import DeviceGraph, EdgeInput, Plan
from pointerjump.accel.rounds import Rounds
from pointerjump.accel.runtime.session import Launch

if TYPE_CHECKING:
    import pyopencl as cl


def prepare(graph: DeviceGraph, update: bool, access: str, reads: str, rounds_ahead: int) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n = graph.session, np.uint32(graph.vertices)
    program = session.program("shiloach_vishkin.cl", **graph.defines(reads, access))
    arrays = Arrays.of(graph)
    parent = session.empty(graph.vertices, np.int32, "the parents")
    SV0 = session.launch(program, "SV0", graph.over_vertices, n, arrays.D, arrays.Q, arrays.s)

    given = edges = graph.input("edges")
    m = graph.directed_edges
    if update:  # which writes to the edges: each run begins with a copy
        own = (
            session.empty(m, np.int32, "the parents of first ends"),
            session.empty(m, np.int32, "the parents of second ends"),
        )
        edges = replace(given, ends=own)
    joining = join(graph, edges, arrays, update, access, reads, rounds_ahead)
    relabel = to_smallest(graph, arrays.D, smallest=arrays.Q, parent=parent, reads=reads)  # Q is free by then

    def enqueue() -> dict[str, int]:
        SV0()
        if update:
            for copied, ends in zip(edges.ends, given.ends, strict=True):
                session.copy(copied, ends, m)
        rounds = joining()
        for step in relabel:
            step()
        return {"rounds": rounds}

    return Plan(parent, enqueue)


class Arrays(NamedTuple):
    """What the rounds work on: D(s) of even rounds, which is D before and after them, and of odd ones."""

    D: cl.Buffer
    odd: cl.Buffer
    Q: cl.Buffer
    s: cl.Buffer

    @classmethod
    def of(cls, graph: DeviceGraph) -> Arrays:
        """Make them for one graph."""
        session, n = graph.session, graph.vertices
        return cls(
            session.empty(n, np.int32, "D(s) of even rounds"),
            session.empty(n, np.int32, "D(s) of odd rounds"),
            session.empty(n, np.int32, "the marks Q"),
            session.empty(1, np.int32, "the round s"),
        )


def join(
    graph: DeviceGraph,
    edges: EdgeInput,
    arrays: Arrays,
    update: bool,
    access: str,
    reads: str,
    rounds_ahead: int,
) -> Callable[[], int]:
    """Return the rounds that join the trees of ``arrays.D``, each of depth one at most, along `edges`.

    SV0 or SV0_marks goes before them.
    """
    session, n, m = graph.session, np.uint32(graph.vertices), edges.count
    program = session.program("shiloach_vishkin.cl", **graph.defines(reads, access))
    over_vertices, over_edges, ends = graph.over_vertices, edges.shape, edges.ends
    Q, s = arrays.Q, arrays.s

    def one_round(i: int, marked: cl.Buffer, round: np.uint32) -> list[Launch]:
        previous_D, D = (arrays.odd, arrays.D) if i % 2 else (arrays.D, arrays.odd)
        steps = [
            session.launch(program, "SV1a", over_vertices, n, previous_D, D, s),
            session.launch(program, "SV1b", over_vertices, n, s, previous_D, D, Q),
            session.launch(program, "SV2", over_edges, m, s, *ends, previous_D, D, Q, marked, round),
            session.launch(program, "SV3", over_edges, m, s, *ends, D, Q, marked, round),
            session.launch(program, "SV4", over_vertices, n, D),
            session.launch(program, "SV5", over_vertices, n, s, Q, marked, round),
        ]
        if update:
            steps.append(session.launch(program, "update", over_edges, m, D, *ends, marked, round))
        return steps

    return Rounds(session, rounds_ahead, one_round, period=2)
