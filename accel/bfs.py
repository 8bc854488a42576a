"""Breadth-first search on a device.

Level, direction and where the next search begins are decided on the device; the host only reads whether
all is visited.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pointerjump.accel.plan import Facts, Plan, Rounds
from pointerjump.accel.residents.rows import ResidentRows
from pointerjump.accel.runtime.session import Kernels, Launch

if TYPE_CHECKING:
    import pyopencl as cl

STATE_WORDS = 8  # of a search's state; the last one says how many steps it took


def prepare(
    graph: ResidentRows, direction: str, narrow: int, access: str, reads: str, rounds_ahead: int
) -> Plan:
    """Make a run on one graph ready."""
    optimizing, tile = direction == "optimizing", graph.session.tuning.tile
    kernel = graph.kernels("bfs.cl", access, reads, OPTIMIZING=optimizing, TILE=tile, STATE_WORDS=STATE_WORDS)
    return plan_search(graph, Reading(kernel, graph.rows), narrow, rounds_ahead)


class Reading(NamedTuple):
    """A graph's rows as ``rows.h`` reads them, and the kernels that do."""

    kernel: Kernels
    rows: tuple[cl.Buffer, cl.Buffer]


def plan_search(graph: ResidentRows, reading: Reading, narrow: int, rounds_ahead: int) -> Plan:
    """Return a run that searches from every vertex that no search before has reached."""
    label = graph.per_vertex("the labels")
    searching = search(graph, reading, label, range(graph.vertices), narrow, rounds_ahead)
    return Plan(label, rounds=searching)


def search(
    graph: ResidentRows, reading: Reading, label: cl.Buffer, sources: range, few: int, rounds_ahead: int
) -> Callable[[], Facts]:
    """Return a run that searches from each of `sources` that no search before has reached."""
    session, n, kernel = graph.session, graph.n, reading.kernel
    reached = graph.per_vertex("the levels")
    frontier = graph.per_vertex("the frontiers", each=2)
    state = session.empty(STATE_WORDS, np.uint32, "the search's state")
    arrays = (*reading.rows, label, reached, frontier, state)
    unexplored = np.uint32(graph.stored >> (8 if graph.wide else 0))
    first, end, few = np.uint32(sources.start), np.uint32(sources.stop), np.uint32(few)
    group, everywhere = session.shapes.one_group(), session.shapes.everywhere()
    begin = kernel("begin", graph.over_vertices, n, first, unexplored, label, reached, state)

    def one_round(i: int, again: cl.Buffer, round: np.uint32) -> list[Launch]:
        return [
            kernel("narrow", group, n, end, few, *arrays, again, round),
            kernel("wide", everywhere, n, few, *arrays),
        ]

    rounds = Rounds(session, rounds_ahead, one_round)

    def run() -> Facts:
        begin()
        rounds()
        return {"rounds": int(session.get(state, STATE_WORDS, np.uint32)[-1])}

    return run
