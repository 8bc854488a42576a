"""Lists of edges and their rooted spanning forests, on a device."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.labels import number_in_place
from pointerjump.accel.plan import PlanStep, ReadBack
from pointerjump.accel.residents.graphs import Entries, ResidentGraph
from pointerjump.accel.residents.trees import ResidentTrees
from pointerjump.accel.runtime.session import Buffer, Kernels, Launch, Session
from pointerjump.base.limits import require_32_bit_edges

NO_EDGE = 2**31 - 1  # greater than every edge's number


class ResidentSpanned:
    """A list of edges on a device, with a rooted spanning forest.

    There may be parallel edges. `points` says whether to find articulation points instead of blocks
    (biconnected components).
    """

    def __init__(self, graph: ResidentGraph, forest: ResidentTrees, *, points: bool = False) -> None:
        self.graph, self.forest, self.session, self.points = graph, forest, graph.session, points
        self.vertices, self.stored, self.n = graph.vertices, graph.stored, graph.n

    @property
    def entries(self) -> Entries:
        return self.graph.entries("edges")


class Renamed:
    """Kernels that use ``spanned.h``, and arrays for the spanning forest, indexed by position in preorder.

    `edges` contains the number of edges, their ends and the position of each vertex in preorder. For the
    vertex at each position, `above` holds the position of its parent, `sizes` the size of its subtree, and
    `claimed` the edge to its parent. The launch `rename` initializes these three arrays.
    """

    def __init__(self, file: str, spanned: ResidentSpanned, access: str, reads: str, **macros: Any) -> None:
        graph, n = spanned.graph, spanned.n
        name = file.removesuffix(".cl").replace("_", "-")
        require_32_bit_edges(name, spanned.stored, 'ask for device="reference"')
        macros |= {"PATIENCE": graph.session.tuning.patience, "SHORTEN_PATHS": True}
        entries = spanned.entries
        self.kernel: Kernels = graph.kernels(file, access, reads, entries=entries, **macros)
        self.n, self.over_vertices, self.over_edges = n, graph.over_vertices, entries.shape
        parent, _, self.preorder, size = spanned.forest.answer
        self.edges = entries.items, *entries.ends, self.preorder
        self.above, self.sizes, self.claimed = (
            graph.per_vertex(what)
            for what in ("the places above", "the subtrees' sizes", "the forest's edges")
        )
        self.rename: Launch = self.kernel(
            "rename",
            self.over_vertices,
            n,
            parent,
            self.preorder,
            size,
            self.above,
            self.sizes,
            self.claimed,
        )


class Tags(Renamed):
    """Kernels that use ``blocks.h`` to find where edges from subtrees lead, and to label edges or vertices.

    The kernels build a tree for each block (biconnected component), and store the parents in `parent`.
    `labels` holds the block of each edge or, for each vertex, whether it is an articulation point. `read`
    returns the block number of each edge. `tag` contains the first steps of a run, and `label` the last ones.
    """

    label: list[PlanStep]
    read: ReadBack | None = None

    def __init__(self, file: str, spanned: ResidentSpanned, access: str, reads: str) -> None:
        super().__init__(file, spanned, access, reads, VALUE="int", COMBINE_MINIMUM=True)
        session, graph, kernel, n = spanned.session, spanned.graph, self.kernel, self.n
        levels = [spanned.vertices]
        while levels[-1] > 1:
            levels.append((levels[-1] + 1) // 2)
        self.low, self.minus_high = (session.scratch(what, sum(levels)) for what in ("low", "minus high"))
        self.parent = graph.per_vertex("the parents")
        tags = self.low, self.minus_high
        self.tag = [
            self.rename,
            kernel("begin_tags", self.over_vertices, n, *tags),
            kernel("tag", self.over_edges, *self.edges, self.above, self.claimed, *tags),
        ]
        begin = 0
        for blocks in levels[:-1]:
            where = np.uint32(begin), np.uint32(blocks)
            over = session.shapes.over((blocks + 1) // 2)
            self.tag += [kernel("fold_pairs", over, *where, each) for each in tags]
            begin += blocks
        over_all = session.shapes.over(spanned.vertices, at_once=True)
        self.compress = kernel("compress_all", over_all, n, self.parent)
        if spanned.points:
            cut, self.labels = graph.per_vertex("the cuts"), graph.per_vertex("the articulation points")
            self.label = [
                partial(session.fill, cut, 0, max(1, spanned.vertices)),
                kernel("find_cuts", self.over_vertices, n, self.above, self.parent, cut),
                kernel("name_cuts", self.over_vertices, n, self.preorder, cut, self.labels),
            ]
            return
        self.labels, first = (
            graph.per_edge("the labels of edges"),
            session.empty(spanned.vertices + 1, np.int32, "the first edges"),
        )
        number, m = graph.kernels("labels.cl", reads=reads), np.uint32(spanned.stored)
        self.label = [
            self.compress,
            kernel("label_edges", self.over_edges, *self.edges, n, self.parent, self.labels),
            partial(session.fill, first, NO_EDGE, spanned.vertices + 1),
            number("smallest_members", graph.over_edges, m, self.labels, first),
            number("relabel", graph.over_edges, m, self.labels, first, self.labels),
            partial(number_in_place, session, self.labels, spanned.stored, reads),
        ]
        self.read = partial(_numbers, session, self.labels, spanned.stored, first, spanned.vertices)


def _numbers(
    session: Session, labels: Buffer, edges: int, first: Buffer, vertices: int
) -> npt.NDArray[np.int32]:
    """Return the block number of each edge, or -1 for a loop.

    Kernels number all loops together as one block, which is removed here.
    """
    number = session.get(labels, edges)
    loop = session.get(first, 1, first=vertices)[0]
    if loop < NO_EDGE:
        of_loops = number[loop]
        is_loop = number == of_loops
        number -= number > of_loops
        number[is_loop] = -1
    return number
