"""Device implementation of label propagation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pointerjump.accel.bfs import Reading
from pointerjump.accel.plan import Plan, Rounds
from pointerjump.accel.residents.graphs import ResidentRows
from pointerjump.accel.runtime.session import Buffer, Launch


def prepare(graph: ResidentRows, frontier: str, access: str, reads: str, rounds_ahead: int) -> Plan:
    everybody, tile = frontier == "all", graph.session.tuning.tile
    kernel = graph.kernels("label_propagation.cl", access, reads, PROPAGATE_ALL=everybody, TILE=tile)
    return plan_propagation(graph, Reading(kernel, graph.rows), rounds_ahead, everybody)


class LabelArrays(NamedTuple):
    """Device buffers for label propagation: labels, previous labels, frontiers and their sizes."""

    ID: Buffer
    previous: Buffer
    frontier: Buffer
    size: Buffer

    @classmethod
    def of(cls, graph: ResidentRows) -> LabelArrays:
        return cls(
            graph.per_vertex("the labels"),
            graph.per_vertex("the labels before"),
            graph.per_vertex("the frontiers", each=2),
            graph.session.empty(2, np.uint32, "the frontiers' sizes"),
        )


def plan_propagation(
    graph: ResidentRows, reading: Reading, rounds_ahead: int, everybody: bool = False
) -> Plan:
    """Plan a run of label propagation.

    In each round, vertices whose label has changed pass it on. If `everybody` is true, all vertices do.
    """
    arrays = LabelArrays.of(graph)
    init = reading.kernel("init", graph.over_vertices, graph.n, *arrays)
    propagate = propagate_all if everybody else propagate_changed
    return Plan(arrays.ID, [init], propagate(graph, reading, arrays, rounds_ahead))


def propagate_all(graph: ResidentRows, reading: Reading, arrays: LabelArrays, rounds_ahead: int) -> Rounds:
    """Return a callable that runs rounds. In each round, every vertex examines its neighbors' labels."""
    n, over_vertices = graph.n, graph.over_vertices

    def one_round(i: int, again: Buffer, round: np.uint32) -> list[Launch]:
        arguments = (n, *reading.rows, arrays.ID, again, round)
        return [reading.kernel("propagate_all", over_vertices, *arguments)]

    return Rounds(graph.session, rounds_ahead, one_round)


def propagate_changed(
    graph: ResidentRows, reading: Reading, arrays: LabelArrays, rounds_ahead: int, few: int = 0
) -> Rounds:
    """Return a callable that runs rounds. In each round, only vertices in the frontier pass on their labels.

    The rounds end when the frontier has at most `few` vertices.
    """
    session, n, kernel = graph.session, graph.n, reading.kernel
    everywhere, over_vertices = session.shapes.everywhere(), graph.over_vertices

    def one_round(i: int, again: Buffer, round: np.uint32) -> list[Launch]:
        which = np.uint32(i % 2)
        return [
            kernel("propagate_changed", everywhere, n, which, *reading.rows, *arrays),
            kernel("remember", over_vertices, n, which, np.uint32(few), *arrays, again, round),
        ]

    return Rounds(session, rounds_ahead, one_round, period=2)
