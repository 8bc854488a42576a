"""Spanning forest on a device: drives ``kernels_cl/spanning_forest.cl``."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pointerjump.accel.residents.rows import DeviceGraph, Plan, in_order


def prepare(graph: DeviceGraph, input: str, access: str, reads: str) -> Plan:
    """Build the kernels and set their arguments for one graph.

    The plan leaves a pair for each vertex, in place of a parent: the edge of the forest that joined the tree
    of which the vertex was the root, or (-1, -1).
    """
    session, n = graph.session, np.uint32(graph.vertices)
    edges = graph.input(input)
    program = session.program(
        "spanning_forest.cl", SHORTEN_PATHS=True, **edges.defines, **graph.defines(reads, access)
    )
    pi = session.empty(graph.vertices, np.int32, "the parents")
    joined_by = session.empty(2 * graph.vertices, np.int32, "the forest")
    steps = [
        session.launch(program, "init", graph.over_vertices, n, pi, joined_by),
        session.launch(program, "link_edges", edges.shape, edges.count, *edges.ends, pi, joined_by),
    ]
    return Plan(joined_by, in_order(steps))


def forest_of(graph: DeviceGraph, plan: Plan) -> npt.NDArray[np.int32]:
    """Return on the host the forest's edges that a run of `plan` left, shape (vertices - components, 2)."""
    joined_by = graph.session.get(plan.parents, 2 * graph.vertices).reshape(-1, 2)
    return joined_by[joined_by[:, 0] >= 0]
