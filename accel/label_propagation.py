"""Label propagation on a device: drives ``kernels_cl/label_propagation.cl``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pointerjump.accel.bfs import Rows
from pointerjump.accel.residents.rows import DeviceGraph, Plan
from pointerjump.accel.rounds import Rounds
from pointerjump.accel.runtime.session import Launch

if TYPE_CHECKING:
    import pyopencl as cl


def prepare(graph: DeviceGraph, frontier: str, access: str, reads: str, rounds_ahead: int) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    defines = {"PROPAGATE_ALL": frontier == "all", **graph.defines(reads, access)}
    tile = graph.session.launcher.tuning.tile
    rows = Rows("label_propagation.cl", defines, graph.offsets, graph.neighbors, tile)
    return plan_propagation(graph, rows, rounds_ahead, everybody=frontier == "all")


class Arrays(NamedTuple):
    """What propagation works on."""

    ID: cl.Buffer
    previous: cl.Buffer
    frontier: cl.Buffer
    size: cl.Buffer

    @classmethod
    def of(cls, graph: DeviceGraph) -> Arrays:
        """Make them for one graph."""
        session, n = graph.session, graph.vertices
        return cls(
            session.empty(n, np.int32, "the labels"),
            session.empty(n, np.int32, "the labels before"),
            session.empty(2 * n, np.int32, "the frontiers"),
            session.empty(2, np.uint32, "the frontiers' sizes"),
        )


def plan_propagation(graph: DeviceGraph, rows: Rows, rounds_ahead: int, everybody: bool = False) -> Plan:
    """Return a run in which all vertices begin with their own labels."""
    session, n = graph.session, np.uint32(graph.vertices)
    program = session.program(rows.file, TILE=rows.tile, **rows.defines)
    arrays = Arrays.of(graph)
    init = session.launch(program, "init", graph.over_vertices, n, *arrays)
    propagate = propagate_all if everybody else propagate_changed
    rounds = propagate(graph, rows, arrays, rounds_ahead)

    def enqueue() -> dict[str, int]:
        init()
        return {"rounds": rounds()}

    return Plan(arrays.ID, enqueue)


def propagate_all(graph: DeviceGraph, rows: Rows, arrays: Arrays, rounds_ahead: int) -> Callable[[], int]:
    """Return the rounds in which every vertex looks at all its neighbors."""
    session, n = graph.session, np.uint32(graph.vertices)
    program = session.program(rows.file, TILE=rows.tile, **rows.defines)

    def one_round(i: int, again: cl.Buffer, round: np.uint32) -> list[Launch]:
        arguments = (n, rows.offsets, rows.words, arrays.ID, again, round)
        return [session.launch(program, "propagate_all", graph.over_vertices, *arguments)]

    return Rounds(session, rounds_ahead, one_round)


def propagate_changed(
    graph: DeviceGraph, rows: Rows, arrays: Arrays, rounds_ahead: int, few: int = 0
) -> Callable[[], int]:
    """Return the rounds in which only the frontier speaks, until at most `few` vertices are in it."""
    session, n, everywhere = graph.session, np.uint32(graph.vertices), graph.session.launcher.everywhere()
    program = session.program(rows.file, TILE=rows.tile, **rows.defines)

    def one_round(i: int, again: cl.Buffer, round: np.uint32) -> list[Launch]:
        which = np.uint32(i % 2)
        after = (*arrays, again, round)
        return [
            session.launch(
                program, "propagate_changed", everywhere, n, which, rows.offsets, rows.words, *arrays
            ),
            session.launch(program, "remember", graph.over_vertices, n, which, np.uint32(few), *after),
        ]

    return Rounds(session, rounds_ahead, one_round, period=2)
