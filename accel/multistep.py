"""Multistep on a device: drives ``kernels_cl/multistep.cl``, bfs.cl and label_propagation.cl."""

from __future__ import annotations

import numpy as np

from pointerjump.accel import bfs, label_propagation
from pointerjump.accel.bfs import Rows
from pointerjump.accel.label_propagation import Arrays
from pointerjump.accel.labels import to_smallest
from pointerjump.accel.residents.rows import DeviceGraph, Plan


def prepare(graph: DeviceGraph, few: int, narrow: int, access: str, reads: str, rounds_ahead: int) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n = graph.session, np.uint32(graph.vertices)
    defines, tile = graph.defines(reads, access), session.launcher.tuning.tile
    program = session.program("multistep.cl", **defines)
    arrays = Arrays.of(graph)
    ID, prevID, frontier, size = arrays
    waiting = session.empty(graph.vertices, np.uint8, "the marks of who waits")
    stack = session.empty(graph.vertices, np.int32, "the stack")
    parent = session.empty(graph.vertices, np.int32, "the parents")

    degrees = graph.graph.degrees
    hub = int(degrees.argmax()) if len(degrees) else 0
    rows = Rows("bfs.cl", defines, graph.offsets, graph.neighbors, tile)
    searching = bfs.search(graph, rows, ID, range(hub, min(hub + 1, graph.vertices)), narrow, rounds_ahead)
    rest = session.launch(program, "rest", graph.over_vertices, n, ID, prevID, frontier, size, waiting)
    propagating = label_propagation.propagate_changed(
        graph, rows._replace(file="label_propagation.cl"), arrays, rounds_ahead, few
    )
    finish = session.launch(
        program,
        "finish",
        session.launcher.one_group(1),
        *(n, graph.offsets, graph.neighbors, ID, frontier, size, waiting, stack),
    )
    relabel = to_smallest(graph, ID, smallest=prevID, parent=parent, reads=reads)

    def enqueue() -> dict[str, int]:
        levels = searching()["rounds"]
        session.fill(size, 0, 2)
        rest()
        rounds = propagating()
        for step in [finish, *relabel]:
            step()
        return {"levels": levels, "rounds": rounds}

    return Plan(parent, enqueue)
