"""Finds lowest common ancestors with inlabel numbers. A forest is preprocessed once for all runs on it."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.plan import Plan, PlanStep
from pointerjump.accel.residents.rooted import ResidentRooted
from pointerjump.accel.runtime.session import Buffer
from pointerjump.base.edges import VertexArray

_PAIR = np.dtype("V8")  # a vertex and its preorder, or its preorder and ascendant


def prepare(rooted: ResidentRooted, us: VertexArray, vs: VertexArray, access: str) -> Plan:
    session, pairs = rooted.session, len(us)
    kernel = session.kernels("inlabel.cl", access)
    steps, kept = preparation(rooted, access)
    ancestor = session.scratch("ancestors", pairs)
    both = session.put(us, "the first vertices"), session.put(vs, "the second vertices")
    steps.append(kernel("answer", session.shapes.over(pairs), np.uint32(pairs), *both, *kept, ancestor))
    return Plan(ancestor, steps)


def preparation(rooted: ResidentRooted, access: str) -> tuple[list[PlanStep], tuple[Buffer, ...]]:
    """Return the steps that preprocess the forest (none if this has been done), and the resulting buffers."""
    prepared = rooted.prepared
    if "inlabel" in prepared:
        return [], prepared["inlabel"]
    session, n, items = rooted.session, rooted.n, 2 * rooted.vertices
    over_vertices, over_sums = session.shapes.over(rooted.vertices), session.shapes.over(items)
    group = over_sums.local_size[0]
    kernel = session.kernels("inlabel.cl", access)
    in_runs = session.kernels("inlabel.cl", "partitioning", GROUP=group)

    parent, depth, preorder, size = map(rooted.array, ("parent", "depth", "preorder", "size"))
    sums = session.scratch("sums along paths", items)
    counts = session.scratch("sums of groups", over_sums.groups + 1)
    kept = tuple(session.empty(rooted.vertices, _PAIR, "what is known of ancestors") for _ in range(2))
    known, above = kept
    steps: list[PlanStep] = [
        kernel("head", over_vertices, n, parent, depth, preorder, size, sums, above),
        in_runs("leave_sums", over_sums, np.uint32(items), sums, counts),
        in_runs("add_up", session.shapes.one_group(group), np.uint32(over_sums.groups), counts),
        in_runs("sum", over_sums, np.uint32(items), sums, counts),
        kernel("ascend", over_vertices, n, depth, preorder, sums, known),
        lambda: prepared.update(inlabel=kept),
    ]
    return steps, kept
