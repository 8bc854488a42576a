"""Finds lowest common ancestors as range minima. A forest is preprocessed once for all runs on it."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.plan import Plan, PlanStep
from pointerjump.accel.residents.rooted import ResidentRooted
from pointerjump.accel.runtime.session import Buffer, Kernels
from pointerjump.base.edges import VertexArray

BLOCK = 32  # entries per block


def prepare(rooted: ResidentRooted, us: VertexArray, vs: VertexArray, access: str) -> Plan:
    session, pairs = rooted.session, len(us)
    kernel = session.kernels("range_minimum.cl", access, BLOCK=BLOCK)
    steps, kept = preparation(rooted, kernel)
    ancestor = session.scratch("ancestors", pairs)
    both = session.put(us, "the first vertices"), session.put(vs, "the second vertices")
    given = np.uint32(pairs), _blocks(rooted), *both, rooted.array("preorder")
    steps.append(kernel("answer", session.shapes.over(pairs), *given, *kept, ancestor))
    return Plan(ancestor, steps)


def preparation(rooted: ResidentRooted, kernel: Kernels) -> tuple[list[PlanStep], tuple[Buffer, ...]]:
    """Return the steps that preprocess the forest (none if this has been done), and the resulting buffers."""
    prepared = rooted.prepared
    if "range-minimum" in prepared:
        return [], prepared["range-minimum"]
    session, n, over, blocks = rooted.session, rooted.n, rooted.session.shapes.over, _blocks(rooted)
    levels = max(1, int(blocks).bit_length())
    vertex = session.empty(rooted.vertices, np.int32, "the vertices in preorder")
    above = session.empty(rooted.vertices, np.int32, "the parents in preorder")
    ends = [session.empty(rooted.vertices, np.int32, "the minima within blocks") for _ in range(2)]
    least = session.empty(levels * int(blocks), np.int32, "the minima of blocks")
    kept = vertex, above, *ends, least

    given = rooted.array("parent"), rooted.array("preorder")
    steps: list[PlanStep] = [
        kernel("place", over(rooted.vertices), n, *given, vertex, above),
        kernel("block_minima", over(int(blocks)), n, blocks, above, *ends, least),
    ]
    for k in range(1, levels):
        run, runs = np.uint32(1 << k - 1), blocks - np.uint32((1 << k) - 1)
        where = np.uint32(k - 1) * blocks, np.uint32(k) * blocks
        steps.append(kernel("double_runs", over(int(runs)), runs, run, *where, least))
    steps.append(lambda: prepared.update({"range-minimum": kept}))
    return steps, kept


def _blocks(rooted: ResidentRooted) -> np.uint32:
    return np.uint32(-(-rooted.vertices // BLOCK))
