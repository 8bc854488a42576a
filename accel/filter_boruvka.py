"""Device implementation of Filter-Boruvka, which uses the kernels of Boruvka's algorithm."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.boruvka import TreesOnDevice
from pointerjump.accel.plan import Counts, Plan
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
    flatten = kernel("flatten", graph.over_vertices, graph.n, growing.parent)
    take_heavy = [growing.take("take_heavy", parity, growing.parent) for parity in (0, 1)]

    def run() -> Counts:
        sample()
        keys, places = session.get(sampled, 2 * samples, np.uint64).reshape(2, samples)
        key = np.partition(keys, light - 1)[light - 1]
        equal = np.sort(places[keys == key])
        place = np.int32(equal[light - 1 - np.count_nonzero(keys < key)])
        growing.take_light(key, place)
        last = growing.rounds(0)
        flatten()
        take_heavy[last % 2].again(np.uint32(last), key, place)
        return {"rounds": growing.rounds(last)}

    return Plan(growing.joined_by, growing.begin(), run if m else None, decided=growing.decided)
