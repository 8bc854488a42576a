"""Device implementation of breadth-first search.

The device decides when a level ends, in which direction to search and where the next search starts. The host
only checks whether all vertices have been visited.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pointerjump.accel.plan import Counts, Plan, Rounds
from pointerjump.accel.residents.graphs import ResidentRows
from pointerjump.accel.runtime.session import Buffer, Kernels, Launch
from pointerjump.base.limits import ALPHA, BETA

STATE_WORDS = 8  # the size of a search's state in words, the last of which counts the steps
MACROS: dict[str, Any] = {"STATE_WORDS": STATE_WORDS, "ALPHA": ALPHA, "BETA": BETA}


def prepare(
    graph: ResidentRows, direction: str, narrow: int, access: str, reads: str, rounds_ahead: int
) -> Plan:
    optimizing, tile = direction == "optimizing", graph.session.tuning.tile
    kernel = graph.kernels("bfs.cl", access, reads, OPTIMIZING=optimizing, TILE=tile, **MACROS)
    return plan_search(graph, Reading(kernel, graph.rows), narrow, rounds_ahead)


class Reading(NamedTuple):
    """A graph's rows in the form that ``rows.h`` expects, and the kernels that read them."""

    kernel: Kernels
    rows: tuple[Buffer, Buffer]


def plan_search(graph: ResidentRows, reading: Reading, narrow: int, rounds_ahead: int) -> Plan:
    """Plan a run in which a search starts at every vertex that no earlier search has reached."""
    label = graph.per_vertex("the labels")
    searching = search(graph, reading, label, range(graph.vertices), narrow, rounds_ahead)
    return Plan(label, rounds=searching)


def search(
    graph: ResidentRows, reading: Reading, label: Buffer, sources: range, few: int, rounds_ahead: int
) -> Callable[[], Counts]:
    """Return a function that starts a search at each vertex of `sources` not reached by an earlier search."""
    session, n, kernel = graph.session, graph.n, reading.kernel
    reached = graph.per_vertex("the levels")
    frontier = graph.per_vertex("the frontiers", each=2)
    state = session.empty(STATE_WORDS, np.uint32, "the search's state")
    arrays = (*reading.rows, label, reached, frontier, state)
    unexplored = np.uint32(graph.stored >> (8 if graph.wide else 0))
    first, end, most = np.uint32(sources.start), np.uint32(sources.stop), np.uint32(few)
    group, everywhere = session.shapes.one_group(), session.shapes.everywhere()
    begin = kernel("begin", graph.over_vertices, n, first, unexplored, label, reached, state)

    def one_round(i: int, again: Buffer, round: np.uint32) -> list[Launch]:
        return [
            kernel("narrow", group, n, end, most, *arrays, again, round),
            kernel("wide", everywhere, n, most, *arrays),
        ]

    rounds = Rounds(session, rounds_ahead, one_round)

    def run() -> Counts:
        begin()
        rounds()
        return {"rounds": int(session.get(state, STATE_WORDS, np.uint32)[-1])}

    return run
