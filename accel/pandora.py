"""PANDORA on a device: the tree of merges of a forest, whose edges are sorted and contracted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pointerjump.accel.plan import Counts, Plan
from pointerjump.accel.radix_sort import sort_pairs
from pointerjump.accel.residents.weighted import ResidentWeighted
from pointerjump.errors import AlgorithmError

EACH = 32
"""Edges that a work-item looks at side by side, with partitioning; with striding, there are fewer."""

MOST_VERTICES = 1 << 30
"""Clusters are numbered with 31 bits, and there are fewer than two for each vertex."""


def prepare(forest: ResidentWeighted, access: str) -> Plan:
    """Plan a run on the edges of a forest with weights."""
    graph, session, m = forest.graph, forest.session, forest.graph.stored
    if graph.vertices > MOST_VERTICES:
        raise AlgorithmError(
            f"pandora numbers clusters with 31 bits, which {graph.vertices:,} vertices exceed: ask for "
            'device="reference"'
        )
    merges = session.empty(4 * m, np.int32, "the merges")
    if not m:
        return Plan(merges, read=lambda: np.empty(0, np.int32))
    over, n, edges = session.shapes.over(m), graph.n, np.uint32(m)
    group, one_group = over.local_size[0], session.shapes.one_group()
    each = EACH if access == "partitioning" else 4
    kernel = forest.kernels("pandora.cl", access, EACH=each, GROUP=group)
    in_runs = forest.kernels("pandora.cl", "partitioning", EACH=each, GROUP=group)
    adding = forest.kernels("pandora.cl", "partitioning", EACH=each, GROUP=one_group.local_size[0])

    def scratch(what: str, items: int, dtype: npt.DTypeLike = np.int32) -> object:
        return session.scratch(f"merges: {what}", items, dtype)

    pairs = scratch("pairs", m, np.uint64), scratch("more pairs", m, np.uint64)
    live = scratch("edges", m, np.uint64), scratch("more edges", m, np.uint64)
    rank = scratch("numbers", m), scratch("more numbers", m)
    runs, left = scratch("runs", over.global_size[0]), scratch("edges and vertices that are left", 2)
    lightest, up = scratch("lightest edges", 2 * graph.vertices), scratch("ways up", 2 * graph.vertices)
    taken, into = scratch("taken", m, np.uint64), scratch("contracted", m)
    entries, counts = forest.entries.ends, scratch("sums", over.groups + 1)

    def run() -> Counts:
        pair, spare = pairs
        for shift in (0, 32) if forest.wide else (0,):
            kernel("keys", over, edges, forest.weights, np.uint32(shift), pair)()
            pair, spare = sort_pairs(session, pair, spare, m)
        kernel("begin", over, graph.edge_t(m), *entries, pair, merges, live[0], rank[0], runs)()

        starts, many, remain, level = [0, graph.vertices], graph.vertices, m, 0
        while many:
            start, next = np.uint32(starts[-2]), np.int32(starts[-1])
            over_vertices = session.shapes.over(many)
            kernel("clear", over_vertices, start, np.uint32(many), lightest)()
            if not remain:
                break
            now, then, over_left, given = 0, 0, over, edges
            if access == "striding":
                now, then = level % 2, 1 - level % 2
                over_left, given = session.shapes.over(-(-remain // each)), np.uint32(remain)
            session.fill(left, 0, 2)
            here = given, live[now], rank[now], runs
            kernel("offer", over_left, *here, lightest)()
            kernel("take", over_left, *here, lightest, next, left, up, taken)()
            kernel("contract", over_left, *here, next, left, up, into, live[then], rank[then])()
            remain, many = (int(word) for word in session.get(left, 2))
            starts.append(starts[-1] + many)
            level += 1

        chains = starts[-1] - graph.vertices
        kernel("chain", over, edges, n, into, lightest, up, pair)()
        pair, spare = sort_pairs(session, pair, spare, m, chains.bit_length())
        first, top = scratch("first edges", chains + 1), scratch("top edges", chains, np.uint64)
        kernel("mark", over, edges, np.uint32(chains), pair, first)()
        below, sum = live[0], rank[0]
        for begin, end in zip(starts[1:], starts[2:], strict=False):
            level_chains = np.uint32(begin - graph.vertices), np.uint32(end - graph.vertices), first
            in_runs("look_below", over, n, *level_chains, pair, taken, top, below, sum, counts)()
            adding("add_up", one_group, np.uint32(over.groups), counts)()
            in_runs("sum_up", over, *level_chains, counts, sum)()
            kernel("write", over, n, *level_chains, pair, below, sum, top, merges)()
        return {"levels": level}

    return Plan(merges, rounds=run, read=lambda: session.get(merges, 4 * m))
