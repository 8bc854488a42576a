"""Finds a spanning forest on a device."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.accel.residents.graphs import ResidentGraph
from pointerjump.accel.runtime.session import Session


def prepare(graph: ResidentGraph, input: str, access: str, reads: str) -> Plan:
    n, entries = graph.n, graph.entries(input)
    kernel = graph.kernels("spanning_forest.cl", access, reads, entries=entries, SHORTEN_PATHS=True)
    pi = DeviceArray(graph.session, graph.vertices, np.int32, "the parents").buffer
    joined_by = DeviceArray(graph.session, 2 * graph.vertices, np.int32, "the forest").buffer
    steps = [
        kernel("init", graph.over_vertices, n, pi, joined_by),
        kernel("link_edges", entries.shape, entries.items, *entries.ends, pi, joined_by),
    ]
    at_once = graph.session.shapes.over(graph.vertices, at_once=True)
    return Plan(joined_by, steps, flatten=[kernel("flatten", at_once, n, pi)], labels=pi)


def edges_of(session: Session, plan: Plan, vertices: int) -> npt.NDArray[np.int32]:
    """Return the edges that a run has found, as a host array of shape (vertices - components, 2)."""
    joined_by = session.get(plan.result, 2 * vertices).reshape(-1, 2)
    return joined_by[joined_by[:, 0] >= 0]
