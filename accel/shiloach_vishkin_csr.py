"""Device implementation of the CSR form of Shiloach-Vishkin."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.plan import Plan, Rounds
from pointerjump.accel.residents.graphs import Entries, ResidentGraph
from pointerjump.accel.runtime.session import Buffer, Launch

FILE = "shiloach_vishkin_csr.cl"


def prepare(graph: ResidentGraph, input: str, hook: str, access: str, reads: str, rounds_ahead: int) -> Plan:
    entries = graph.entries(input)
    pi = graph.per_vertex("the parents")
    kernel = graph.kernels(FILE, access, reads, hook=hook, entries=entries)
    init = kernel("init", graph.over_vertices, graph.n, pi)
    return Plan(pi, [init], join(graph, entries, pi, hook, access, reads, rounds_ahead))


def join(
    graph: ResidentGraph, edges: Entries, pi: Buffer, hook: str, access: str, reads: str, rounds_ahead: int
) -> Rounds:
    """Return a callable that joins the trees of `pi`, each of depth at most one, along `edges`."""
    kernel = graph.kernels(FILE, access, reads, hook=hook, entries=edges)
    over_vertices, n = graph.over_vertices, graph.n

    def one_round(i: int, again: Buffer, round: np.uint32) -> list[Launch]:
        return [
            kernel("hook", edges.shape, edges.items, *edges.ends, pi, again, round),
            kernel("shortcut_all", over_vertices, n, pi),
        ]

    return Rounds(graph.session, rounds_ahead, one_round)
