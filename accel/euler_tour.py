"""Rooting trees by an Euler tour on a device. The kernels of random splitters rank the tour."""

from __future__ import annotations

import numpy as np

from pointerjump.accel import random_splitter
from pointerjump.accel.plan import Plan, PlanStep
from pointerjump.accel.residents.graphs import ResidentRows
from pointerjump.accel.residents.lists import ResidentLists
from pointerjump.base.edges import VertexArray
from pointerjump.errors import AlgorithmError

PLACES = 32  # for each word of `downs`


def prepare(graph: ResidentRows, roots: VertexArray, tree: VertexArray, access: str) -> Plan:
    """Plan a run on the rows of a forest.

    There is a root for each tree; `tree` is the number of each vertex's tree.
    """
    if graph.stored >= 2**31:
        raise AlgorithmError(
            f"euler-tour: the tours have {graph.stored:,} edges, and their numbers are 32-bit: "
            "choose level-by-level"
        )
    session, n, m, over = graph.session, graph.n, np.uint32(graph.stored), graph.session.shapes.over
    ahead = session.tuning.walks
    kernel, k = graph.kernels("euler_tour.cl", access, AHEAD=ahead), np.uint32(len(roots))
    planted, first_vertex = session.put(roots, "the roots"), graph.first_vertices(tree, len(roots))
    rooted, read = graph.rooted()
    plant = kernel("plant", over(len(roots)), n, k, planted, first_vertex, rooted)
    if m == 0:
        return Plan(rooted, [plant], read=read)

    numbers, ends = (
        session.put(tree, "the trees"),
        session.empty(2 * len(roots), np.int32, "the ends of the tours"),
    )
    kernel("tour_ends", over(len(roots)), k, planted, *graph.rows, ends)()
    twin, successor = graph.per_edge("the twins"), graph.per_edge("the successors")
    known = session.get(ends, 2 * len(roots))
    lists = ResidentLists(None, session, successor, graph.stored, known[known >= 0])
    ranking = random_splitter.prepare(
        lists, splitters=None, seed=1, choice="random", packing="64-bit", access=access
    )

    words = graph.stored // PLACES + 1
    downs, downs_before = (session.empty(words, np.uint32, "the edges down") for _ in range(2))
    over_edges, over_words = over(-(-graph.stored // ahead)), over(words)
    group = over_words.local_size[0]
    counts = session.empty(over_words.groups + 1, np.uint32, "the groups' counts")
    counting = graph.kernels("euler_tour.cl", "partitioning", AHEAD=ahead, GROUP=group)
    entries = graph.sources, graph.neighbors
    w = np.uint32(words)
    steps: list[PlanStep] = [
        kernel("tour", over_edges, m, graph.offsets, *entries, twin, successor),
        kernel("cut", over(max(words, len(roots))), k, w, ends, successor, downs),
        *ranking.begin,
        *ranking.end,
        kernel(
            "orient", over_edges, n, m, *entries, twin, ranking.result, numbers, first_vertex, rooted, downs
        ),
        plant,
        counting("count_downs", over_words, w, downs, counts),
        counting("add_up", session.shapes.one_group(group), np.uint32(over_words.groups), counts),
        counting("place_downs", over_words, w, downs, counts, downs_before),
        kernel("number", graph.over_vertices, n, numbers, downs, downs_before, rooted),
    ]
    return Plan(rooted, steps, read=read)
