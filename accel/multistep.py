"""Device implementation of Multistep. It uses the kernels of breadth-first search and label propagation."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.bfs import MACROS, Reading, search
from pointerjump.accel.label_propagation import LabelArrays, propagate_changed
from pointerjump.accel.labels import to_smallest
from pointerjump.accel.plan import Counts, Plan
from pointerjump.accel.residents.graphs import ResidentRows


def prepare(graph: ResidentRows, few: int, narrow: int, access: str, reads: str, rounds_ahead: int) -> Plan:
    session, n, rows, tile = graph.session, graph.n, graph.rows, graph.session.tuning.tile
    kernel = graph.kernels("multistep.cl", access, reads)
    arrays = LabelArrays.of(graph)
    ID, prevID, frontier, size = arrays
    waiting = session.empty(graph.vertices, np.uint8, "the marks of who waits")
    stack = graph.per_vertex("the stack")
    parent = graph.per_vertex("the parents")

    degrees = graph.host.degrees
    hub = int(degrees.argmax()) if len(degrees) else 0
    sources = range(hub, min(hub + 1, graph.vertices))
    for_search = Reading(graph.kernels("bfs.cl", access, reads, TILE=tile, **MACROS), rows)
    for_propagation = Reading(graph.kernels("label_propagation.cl", access, reads, TILE=tile), rows)
    searching = search(graph, for_search, ID, sources, narrow, rounds_ahead)
    rest = kernel("rest", graph.over_vertices, n, ID, prevID, frontier, size, waiting)
    propagating = propagate_changed(graph, for_propagation, arrays, rounds_ahead, few)

    def rounds() -> Counts:
        levels = searching()["rounds"]
        session.fill(size, 0, 2)
        rest()
        return {"levels": levels, **propagating()}

    serially = session.shapes.one_group(1)
    finish = kernel("finish", serially, n, *rows, ID, frontier, size, waiting, stack)
    return Plan(parent, rounds=rounds, end=[finish, *to_smallest(graph, ID, prevID, parent, reads)])
