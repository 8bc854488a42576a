"""Device implementation of Tarjan and Vishkin's algorithm."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.plan import Plan, PlanStep
from pointerjump.accel.residents.spanned import ResidentSpanned, Tags
from pointerjump.base.limits import require_32_bit_edges


def prepare(spanned: ResidentSpanned, access: str, reads: str) -> Plan:
    most = spanned.stored + spanned.vertices
    require_32_bit_edges("tarjan-vishkin", most, "choose fast-bcc")
    on, session = Tags("tarjan_vishkin.cl", spanned, access, reads), spanned.session
    stored = session.empty(2 * most, np.int32, "the auxiliary graph")
    count = session.empty(1, np.int32, "how many edges the auxiliary graph has")
    into, tags = (stored, count), (on.above, on.sizes, on.low, on.minus_high)
    steps: list[PlanStep] = [
        *on.tag,
        on.kernel("begin", on.over_vertices, on.n, on.parent, count),
        on.kernel("store_cross", on.over_edges, *on.edges, on.sizes, *into),
        on.kernel("store_plain", on.over_vertices, on.n, *tags, *into),
        on.kernel("connect", session.shapes.over(most), *into, on.parent),
        *on.label,
    ]
    return Plan(on.labels, steps, read=on.read)
