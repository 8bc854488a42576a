"""Roots trees on a device, level by level. After each level, the host reads the index of the level's end."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.plan import Counts, Plan
from pointerjump.accel.residents.trees import ResidentTrees


def prepare(forest: ResidentTrees, access: str) -> Plan:
    session, over, k = forest.session, forest.session.shapes.over, forest.k
    kernel, rooted = session.kernels("level_by_level.cl", access), forest.answer
    order, reached = forest.spare, session.empty(1, np.int32, "how many are reached")
    place_roots, _ = forest.place_roots()
    arrays = *forest.rows, *rooted, order
    begin = [
        kernel("plant", forest.over_trees, k, forest.roots, *rooted),
        kernel("begin", forest.over_trees, k, forest.roots, order, reached),
    ]

    def over_levels() -> Counts:
        ends = [0, forest.trees]
        while ends[-1] > ends[-2]:
            level = np.uint32(ends[-2]), np.uint32(ends[-1])
            kernel("expand", over(ends[-1] - ends[-2]), *level, *arrays, reached)()
            ends.append(int(session.get(reached, 1)[0]))
        levels = [
            (over(end - first), np.uint32(first), np.uint32(end), *arrays)
            for first, end in zip(ends[:-2], ends[1:-1], strict=True)
        ]
        for level_from_below in reversed(levels):
            kernel("add_up", *level_from_below)()
        for step in place_roots:
            step()
        for level_from_above in levels:
            kernel("number", *level_from_above)()
        return {"levels": len(levels)}

    return Plan(rooted[0], begin, rounds=over_levels)
