"""Device implementation of Filter-Boruvka, which uses the kernels of Boruvka's algorithm."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.boruvka import TreesOnDevice
from pointerjump.accel.plan import Counts, Plan, PlanStep
from pointerjump.accel.residents.weighted import ResidentWeighted
from pointerjump.base.limits import SAMPLED_WEIGHTS
from pointerjump.base.weighted import light_samples


def prepare(edges: ResidentWeighted, atomics: str | None = None, *, access: str, rounds_ahead: int) -> Plan:
    growing = TreesOnDevice("filter_boruvka.cl", edges, atomics, access, rounds_ahead)
    graph, session, m = edges.graph, edges.session, growing.m
    kernel, samples = growing.kernel, min(m, SAMPLED_WEIGHTS)
    sampled = session.scratch("sampled weights", 2 * samples, np.uint64)
    sample = kernel(
        "sample", session.shapes.over(samples), graph.edge_t(m), np.uint32(samples), edges.weights, sampled
    )
    light = light_samples(graph.host, m, samples)

    def run() -> Counts:
        sample()
        key, place = session.get(sampled, 2 * samples, np.uint64).reshape(2, samples)
        threshold = np.lexsort((place, key))[light - 1]
        up_to = np.uint64(key[threshold]), np.int32(place[threshold])
        growing.take("take_light", 0, *up_to)()
        last = growing.rounds(0)
        kernel("flatten", graph.over_vertices, graph.n, growing.parent)()
        growing.take("take_heavy", last, *up_to, growing.parent)()
        return {"rounds": growing.rounds(last)}

    begin: list[PlanStep] = [growing.clear, growing.init]
    return Plan(growing.joined_by, begin, run if m else None, decided=growing.decided)
