"""Device implementation of FAST-BCC."""

from __future__ import annotations

from pointerjump.accel.plan import Plan, PlanStep
from pointerjump.accel.residents.spanned import ResidentSpanned, Tags


def prepare(spanned: ResidentSpanned, access: str, reads: str) -> Plan:
    on = Tags("fast_bcc.cl", spanned, access, reads)
    tags = on.above, on.sizes, on.low, on.minus_high
    steps: list[PlanStep] = [
        *on.tag,
        on.kernel("fence", on.over_vertices, on.n, *tags, on.parent),
        on.compress,
        on.kernel("connect", on.over_edges, *on.edges, on.sizes, on.parent),
        *on.label,
    ]
    return Plan(on.labels, steps, read=on.read)
