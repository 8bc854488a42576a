"""Uses Euler tours to root trees on a device. The tours are ranked by kernels that use random splitters."""

from __future__ import annotations

import numpy as np

from pointerjump.accel import random_splitter
from pointerjump.accel.plan import Plan, PlanStep
from pointerjump.accel.residents.lists import ResidentLists
from pointerjump.accel.residents.trees import ResidentTrees
from pointerjump.errors import AlgorithmError

PLACES = 32  # positions of the tours per word of `downs`, which has a bit for each


def prepare(forest: ResidentTrees, access: str) -> Plan:
    session, n, k, stored = forest.session, forest.n, forest.k, 2 * forest.edges
    if stored >= 2**31:
        raise AlgorithmError(
            f"euler-tour: the tours have {stored:,} edges, whose numbers are 32-bit: choose level-by-level"
        )
    kernel, over = session.kernels("euler_tour.cl", access), session.shapes.over
    rooted, roots, successor = forest.answer, forest.roots, forest.spare
    ends = session.empty(2 * forest.trees, np.int32, "the ends of the tours")
    kernel("tour_ends", forest.over_trees, k, roots, *forest.rows, ends)()
    known = session.get(ends, 2 * forest.trees)
    lists = ResidentLists(None, session, successor, stored, known[known >= 0])
    ranking = random_splitter.prepare(
        lists, splitters=None, seed=1, choice="random", packing="64-bit", access=access
    )
    rank, (place_roots, first_vertex) = ranking.result, forest.place_roots()
    words = stored // PLACES + 1
    downs, downs_before = (session.empty(words, np.uint32, "the edges down") for _ in range(2))
    over_words, w = over(words), np.uint32(words)
    group = over_words.local_size[0]
    counts = session.empty(over_words.groups + 1, np.uint32, "the groups' counts")
    counting = session.kernels("euler_tour.cl", "partitioning", GROUP=group)
    steps: list[PlanStep] = [
        kernel("tour", forest.over_edges, *forest.rows, successor),
        kernel("cut", over(max(words, forest.trees)), k, w, ends, successor, downs),
        *ranking.begin,
        *ranking.end,
        kernel("plant", forest.over_trees, k, roots, *rooted),
        kernel("measure", forest.over_trees, k, roots, ends, rank, forest.rooted["size"].buffer),
        *place_roots,
        kernel(
            "orient", forest.over_edges, *forest.rows[:3], rank, forest.tree, first_vertex, *rooted, downs
        ),
        counting("count_downs", over_words, w, downs, counts),
        counting("add_up", session.shapes.one_group(group), np.uint32(over_words.groups), counts),
        counting("place_downs", over_words, w, downs, counts, downs_before),
        kernel("number", forest.over_vertices, n, forest.tree, downs, downs_before, *rooted),
    ]
    return Plan(rank, steps)
