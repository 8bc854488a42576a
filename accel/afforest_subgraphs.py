"""Device implementation of Afforest with alternative partitions of the graph into subgraphs.

The host sorts the edges by subgraph once per graph. With ``partition="forest"``, the device first finds a
spanning forest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pointerjump.accel import spanning_forest
from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.graphs import ResidentRows
from pointerjump.base.limits import SUBGRAPHS

LinkingOrder = tuple[npt.NDArray[np.intp], list[int]]
"""The positions of the directed edges in the order in which they are linked, and the bounds of the subgraphs
in that order."""


def by_row(graph: ResidentRows, seed: int) -> LinkingOrder:
    return np.arange(graph.stored), in_parts(graph.stored, SUBGRAPHS)


def by_edge(graph: ResidentRows, seed: int) -> LinkingOrder:
    order = np.random.default_rng(seed).permutation(graph.stored)
    return order, in_parts(graph.stored, SUBGRAPHS)


def by_neighbor(graph: ResidentRows, seed: int) -> LinkingOrder:
    position = np.arange(graph.stored) - graph.host.offsets[graph.host.sources]
    subgraph = np.minimum(position, SUBGRAPHS - 1)
    order = np.argsort(subgraph, kind="stable")
    return order, [0, *np.cumsum(np.bincount(subgraph, minlength=SUBGRAPHS)).tolist()]


def by_forest(graph: ResidentRows, seed: int) -> LinkingOrder:
    n, u, v = graph.vertices, graph.host.sources.astype(np.int64), graph.host.neighbors
    plan = spanning_forest.prepare(graph, "edges", graph.session.tuning.access, "plain")
    plan.run()
    forest = spanning_forest.edges_of(graph.session, plan, n).astype(np.int64)
    chosen = np.isin(u * n + v, forest[:, 0] * n + forest[:, 1])
    order = np.argsort(~chosen, kind="stable")
    first = int(chosen.sum())
    rest = in_parts(graph.stored - first, SUBGRAPHS // 4)
    return order, in_parts(first, SUBGRAPHS // 4)[:-1] + [first + begin for begin in rest]


def in_parts(edges: int, parts: int) -> list[int]:
    """Divide `edges` edges into nearly equal parts. Return where each part begins and where the last ends."""
    return [edges * i // parts for i in range(parts + 1)]


PARTITION: dict[str, Callable[[ResidentRows, int], LinkingOrder]] = {
    "neighbor": by_neighbor,
    "row": by_row,
    "edge": by_edge,
    "forest": by_forest,
}


def prepare(graph: ResidentRows, partition: str, seed: int, access: str, reads: str) -> Plan:
    session, n, shapes, edge_t = graph.session, graph.n, graph.session.shapes, graph.edge_t
    kernel = graph.kernels("afforest_subgraphs.cl", access, reads, SHORTEN_PATHS=True)
    order, bounds = PARTITION[partition](graph, seed)
    ends = (
        session.put(graph.host.sources[order], "the edges' sources in order"),
        session.put(graph.host.neighbors[order], "the edges' targets in order"),
    )
    pi = graph.per_vertex("the parents")
    compress_all = kernel("compress_all", shapes.over(graph.vertices, at_once=True), n, pi)
    steps = [kernel("init", graph.over_vertices, n, pi)]
    for begin, end in zip(bounds, bounds[1:], strict=False):
        subgraph = (edge_t(begin), edge_t(end), *ends)
        steps += [kernel("link_edges", shapes.over(end - begin), *subgraph, pi), compress_all]
    return Plan(pi, steps)
