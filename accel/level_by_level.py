"""Rooting trees level by level on a device. The host launches each level, and reads where it ends."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.plan import Counts, Plan
from pointerjump.accel.residents.graphs import ResidentRows
from pointerjump.base.edges import VertexArray


def prepare(graph: ResidentRows, roots: VertexArray, tree: VertexArray, access: str) -> Plan:
    """Plan a run on the rows of a forest.

    There is a root for each tree; `tree` is the number of each vertex's tree.
    """
    session, n, over = graph.session, graph.n, graph.session.shapes.over
    kernel, k = graph.kernels("level_by_level.cl", access), np.uint32(len(roots))
    planted, first_vertex = session.put(roots, "the roots"), graph.first_vertices(tree, len(roots))
    rooted, read = graph.rooted()
    order, reached = graph.per_vertex("the levels"), session.empty(1, np.int32, "how many are reached")
    arrays = *graph.rows, rooted, order
    begin = [
        kernel("plant", over(len(roots)), n, k, planted, first_vertex, rooted),
        kernel("begin", over(len(roots)), k, planted, order, reached),
    ]

    def over_levels() -> Counts:
        ends = [0, len(roots)]
        while ends[-1] > ends[-2]:
            level = np.uint32(ends[-2]), np.uint32(ends[-1])
            kernel("expand", over(ends[-1] - ends[-2]), n, *level, *arrays, reached)()
            ends.append(int(session.get(reached, 1)[0]))
        levels = [
            (over(end - first), n, np.uint32(first), np.uint32(end), *arrays)
            for first, end in zip(ends[:-2], ends[1:-1], strict=True)
        ]
        for level_from_below in reversed(levels):
            kernel("add_up", *level_from_below)()
        for level_from_above in levels:
            kernel("number", *level_from_above)()
        return {"levels": len(levels)}

    return Plan(rooted, begin, rounds=over_levels, read=read)
