"""Afforest over other subgraphs, on a device: drives ``kernels_cl/afforest_subgraphs.cl``.

The edges are put into the order of their subgraphs on the host, once per graph; a spanning forest to begin
with is found on the device.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pointerjump.accel.residents.rows import DeviceGraph, Plan, in_order
from pointerjump.registry import find_algorithm

SUBGRAPHS = 32

Bounds = list[int]
Order = tuple[npt.NDArray[np.intp], Bounds]
"""The directed edges by position, in the order in which they are linked, and where each subgraph begins."""


def by_row(graph: DeviceGraph, seed: int) -> Order:
    """Take runs of rows, as they are stored."""
    return np.arange(graph.directed_edges), in_parts(graph.directed_edges, SUBGRAPHS)


def by_edge(graph: DeviceGraph, seed: int) -> Order:
    """Take edges at random, each with the same chance."""
    order = np.random.default_rng(seed).permutation(graph.directed_edges)
    return order, in_parts(graph.directed_edges, SUBGRAPHS)


def by_neighbor(graph: DeviceGraph, seed: int) -> Order:
    """Take the first neighbor of every vertex, then the second, and so on; the last subgraph is the rest."""
    position = np.arange(graph.directed_edges) - graph.graph.offsets[graph.graph.sources]
    subgraph = np.minimum(position, SUBGRAPHS - 1)
    order = np.argsort(subgraph, kind="stable")
    return order, [0, *np.cumsum(np.bincount(subgraph, minlength=SUBGRAPHS)).tolist()]


def by_forest(graph: DeviceGraph, seed: int) -> Order:
    """Take the edges of a spanning forest, in a few parts, then the others."""
    from pointerjump.accel.spanning_forest import forest_of

    n, u, v = graph.vertices, graph.graph.sources.astype(np.int64), graph.graph.neighbors
    plan = graph.prepared(find_algorithm("auto", "spanning-forest"), {})
    plan.enqueue()
    forest = forest_of(graph, plan).astype(np.int64)
    chosen = np.isin(u * n + v, forest[:, 0] * n + forest[:, 1])
    order = np.argsort(~chosen, kind="stable")
    first = int(chosen.sum())
    rest = in_parts(graph.directed_edges - first, SUBGRAPHS // 4)
    return order, in_parts(first, SUBGRAPHS // 4)[:-1] + [first + begin for begin in rest]


def in_parts(edges: int, parts: int) -> Bounds:
    """Return where equal parts of so many edges begin, and where the last one ends."""
    return [edges * i // parts for i in range(parts + 1)]


PARTITION: dict[str, Callable[[DeviceGraph, int], Order]] = {
    "neighbor": by_neighbor,
    "row": by_row,
    "edge": by_edge,
    "forest": by_forest,
}


def prepare(graph: DeviceGraph, partition: str, seed: int, access: str, reads: str) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n, launcher = graph.session, np.uint32(graph.vertices), graph.session.launcher
    program = session.program("afforest_subgraphs.cl", SHORTEN_PATHS=True, **graph.defines(reads, access))
    order, bounds = PARTITION[partition](graph, seed)
    ends = (
        session.put(graph.graph.sources[order], "the edges' sources in order"),
        session.put(graph.graph.neighbors[order], "the edges' targets in order"),
    )
    pi = session.empty(graph.vertices, np.int32, "the parents")
    edge_t = type(graph.edge_count)
    resident = launcher.over(graph.vertices, resident=True)
    compress_all = session.launch(program, "compress_all", resident, n, pi)
    steps = [session.launch(program, "init", graph.over_vertices, n, pi)]
    for begin, end in zip(bounds, bounds[1:], strict=False):
        over = launcher.over(end - begin)
        steps += [
            session.launch(program, "link_subgraph", over, edge_t(begin), edge_t(end), *ends, pi),
            compress_all,
        ]
    return Plan(pi, in_order(steps))
