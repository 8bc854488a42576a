"""Device implementation of PANDORA, which builds the dendrogram (tree of merges) of a weighted forest."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pointerjump.accel.plan import Counts, Plan
from pointerjump.accel.radix_sort import sort_pairs
from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.accel.residents.weighted import ResidentWeighted
from pointerjump.errors import AlgorithmError

EACH = 32  # with partitioning, the number of consecutive edges that a work-item processes at a time

EACH_OF_GROUP = 4  # with striding, the number of edges that a work-item processes at a time

MOST_VERTICES = 1 << 30
"""The maximum number of vertices. Clusters are numbered with 31 bits, and there are fewer than two clusters
per vertex."""


def prepare(forest: ResidentWeighted, access: str) -> Plan:
    graph, session, m = forest.graph, forest.session, forest.graph.stored
    if graph.vertices > MOST_VERTICES:
        raise AlgorithmError(
            f"pandora numbers clusters with 31 bits, which {graph.vertices:,} vertices exceed: ask for "
            'device="reference"'
        )
    found = DeviceArray(session, 4 * m, np.int32, f"the merges of {m:,} edges")
    merges, read = found.buffer, partial(found.take, 4 * m)
    if not m:
        return Plan(merges, read=read)
    over, n, edges = session.shapes.over(m), graph.n, np.uint32(m)
    group = over.local_size[0]
    in_place = access == "partitioning"
    each = EACH if in_place else EACH_OF_GROUP
    kernel = forest.kernels("pandora.cl", access, EACH=each, GROUP=group)
    in_runs = forest.kernels("pandora.cl", "partitioning", EACH=each, GROUP=group)

    def scratch(what: str, items: int, dtype: npt.DTypeLike = np.int32) -> object:
        return session.scratch(f"merges: {what}", items, dtype)

    pairs = scratch("pairs", m, np.uint64), scratch("more pairs", m, np.uint64)
    live, rank = [scratch("edges", m, np.uint64)], [scratch("numbers", m)]
    if not in_place:
        live.append(scratch("edges of the next level", m, np.uint64))
        rank.append(scratch("numbers at the next level", m))
    runs, left = scratch("runs", over.global_size[0]), scratch("edges and vertices that are left", 2)
    lightest, up = (scratch(what, 2 * graph.vertices) for what in ("lightest edges", "ways up"))
    taken, into = scratch("taken", m, np.uint64), scratch("contracted", m)
    entries, counts = forest.entries.ends, scratch("sums", over.groups + 1)

    def run() -> Counts:
        kernel("clear", session.shapes.over(2 * graph.vertices), np.uint32(2 * graph.vertices), lightest)()
        pair, spare = pairs
        for shift in (0, 32) if forest.wide else (0,):
            kernel("keys", over, edges, forest.weights, np.uint32(shift), pair)()
            pair, spare = sort_pairs(session, pair, spare, m)
        over_left, given, now = over, edges, 0
        kernel("begin", over_left, edges, *entries, pair, live[0], rank[0], runs, lightest, merges)()

        starts, remain = [graph.vertices], m
        while remain:
            next, here = np.int32(starts[-1]), (given, live[now], rank[now], runs)
            session.fill(left, 0, 2)
            kernel("take", over_left, *here, next, left, lightest, up, taken)()
            now = now if in_place else 1 - now
            kernel("contract", over_left, *here, next, left, lightest, up, into, live[now], rank[now])()
            remain, many = (int(word) for word in session.get(left, 2))
            starts.append(starts[-1] + many)
            if not in_place:
                over_left, given = session.shapes.over(-(-remain // each)), np.uint32(remain)

        chains = starts[-1] - graph.vertices
        kernel("chain", over, edges, n, into, lightest, up, pair)()
        pair, spare = sort_pairs(session, pair, spare, m, chains.bit_length())
        first, top, below, sum = lightest, up, live[0], rank[0]  # these arrays are reused
        kernel("mark", over, edges, np.uint32(chains), pair, first)()
        for begin, end in pairwise(starts):
            level_chains = np.uint32(begin - graph.vertices), np.uint32(end - graph.vertices), first
            in_runs("look_below", over, n, *level_chains, pair, taken, top, below, sum, counts)()
            in_runs("add_up", session.shapes.one_group(group), np.uint32(over.groups), counts)()
            in_runs("sum_up", over, *level_chains, counts, sum)()
            kernel("write", over, n, *level_chains, pair, below, sum, top, merges)()
        return {"levels": len(starts) - 1}

    return Plan(merges, rounds=run, read=read)
