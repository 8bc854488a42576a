"""Breadth-first search on a device: drives ``kernels_cl/bfs.cl``.

Level, direction and where the next search begins are decided on the device; the host only reads whether
all is visited.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pointerjump.accel.residents.rows import DeviceGraph, Plan
from pointerjump.accel.rounds import Rounds
from pointerjump.accel.runtime.session import Launch

if TYPE_CHECKING:
    import pyopencl as cl

STEPS, STATE_WORDS = 7, 8  # as in the kernels


def prepare(
    graph: DeviceGraph, direction: str, narrow: int, access: str, reads: str, rounds_ahead: int
) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    defines = {"OPTIMIZING": direction == "optimizing", **graph.defines(reads, access)}
    rows = Rows("bfs.cl", defines, graph.offsets, graph.neighbors, graph.session.launcher.tuning.tile)
    return plan_search(graph, rows, narrow, rounds_ahead)


class Rows(NamedTuple):
    """A graph's rows as ``rows.h`` reads them, and the kernels that do."""

    file: str
    defines: Mapping[str, object]
    offsets: cl.Buffer
    words: cl.Buffer
    tile: int


def plan_search(graph: DeviceGraph, rows: Rows, narrow: int, rounds_ahead: int) -> Plan:
    """Return a run that searches from every vertex that no search before has reached."""
    label = graph.session.empty(graph.vertices, np.int32, "the labels")
    return Plan(label, search(graph, rows, label, range(graph.vertices), narrow, rounds_ahead))


def search(
    graph: DeviceGraph, rows: Rows, label: cl.Buffer, sources: range, few: int, rounds_ahead: int
) -> Callable[[], dict[str, int]]:
    """Return a run that searches from each of `sources` that no search before has reached."""
    session, n, launcher = graph.session, np.uint32(graph.vertices), graph.session.launcher
    program = session.program(rows.file, TILE=rows.tile, **rows.defines)
    reached = session.empty(graph.vertices, np.int32, "the levels")
    frontier = session.empty(2 * graph.vertices, np.int32, "the frontiers")
    state = session.empty(STATE_WORDS, np.uint32, "the search's state")
    arrays = (rows.offsets, rows.words, label, reached, frontier, state)
    unexplored = np.uint32(graph.directed_edges >> (8 if graph.edge_count.itemsize == 8 else 0))

    first, end = np.uint32(sources.start), np.uint32(sources.stop)
    group = launcher.one_group(min(launcher.tuning.small_group, session.device.work_group))
    begin = session.launch(program, "begin", graph.over_vertices, n, first, unexplored, label, reached, state)

    def one_round(i: int, again: cl.Buffer, round: np.uint32) -> list[Launch]:
        return [
            session.launch(program, "narrow", group, n, end, np.uint32(few), *arrays, again, round),
            session.launch(program, "wide", launcher.everywhere(), n, np.uint32(few), *arrays),
        ]

    rounds = Rounds(session, rounds_ahead, one_round)

    def enqueue() -> dict[str, int]:
        begin()
        rounds()
        return {"rounds": int(session.get(state, STATE_WORDS, np.uint32)[STEPS])}

    return enqueue
