"""Device implementation of ndHybrid.

After each level, the host reads how many parts and edges are left for the next level. The number of steps in
a decomposition is known in advance, because it depends only on the number of vertices.
"""

from __future__ import annotations

from math import ceil, exp
from typing import Any

import numpy as np

from pointerjump.accel.bfs import STATE_WORDS
from pointerjump.accel.labels import number_in_place, to_smallest
from pointerjump.accel.plan import Counts, Plan
from pointerjump.accel.residents.graphs import ResidentRows
from pointerjump.accel.runtime.icd import opencl
from pointerjump.accel.runtime.session import Buffer, Kernels, Session
from pointerjump.base.limits import STARTS_GROW, require_32_bit_edges


def prepare(graph: ResidentRows, seed: int, access: str, reads: str) -> Plan:
    require_32_bit_edges("nd-hybrid", graph.stored)
    kernel = graph.kernels("nd_hybrid.cl", access, reads, WIDE_OFFSETS=False, STATE_WORDS=STATE_WORDS)
    decomposition = Decomposition(graph, seed, kernel, reads)
    representative = graph.per_vertex("the representatives")
    parent = graph.per_vertex("the parents")
    scratch = graph.per_vertex("the smallest vertices")
    n, over_vertices = graph.n, graph.over_vertices

    def levels() -> Counts:
        found = decomposition()
        names = (decomposition.part, decomposition.names)
        kernel("write_names", over_vertices, n, *names, representative)()
        return {"levels": found}

    return Plan(parent, rounds=levels, end=to_smallest(graph, representative, scratch, parent, reads))


class Decomposition:
    """Decomposes a graph into parts and contracts the parts, until no edge joins two parts.

    Afterwards, `part` holds the number of each vertex's part, and `names` holds the vertex after which each
    part is named.
    """

    def __init__(self, graph: ResidentRows, seed: int, kernel: Kernels, reads: str) -> None:
        session, n, m = graph.session, graph.vertices, graph.stored
        self.session, self.kernel, self.vertices, self.seed = session, kernel, n, seed
        self._reads = reads
        self.state = session.empty(STATE_WORDS, np.uint32, "the search's state")
        self.reached = session.empty(n, np.int32, "the levels")
        self.frontier = session.empty(2 * n, np.int32, "the frontiers")
        self.part = session.empty(n, np.int32, "the parts")
        self.names = session.empty(n, np.int32, "the parts' names")
        self.new_names = session.empty(n, np.int32, "the parts' next names")
        self._center = session.empty(n, np.int32, "the centers")
        # A level reads one of two sets of rows and writes the other. The first level reads the graph's rows.
        self._rows = [
            (
                session.empty(n + 1, np.int32, "a level's offsets"),
                session.empty(m, np.int32, "a level's neighbors"),
            )
            for _ in range(2)
        ]
        self._place = session.empty(n + 1, np.int32, "where rows are filled")
        self._given_rows = graph.rows
        if graph.wide:  # the kernels expect 32 bits, which are enough
            offsets = graph.host.offsets.astype(np.int32)
            self._given_rows = session.put(offsets, "the offsets, narrowed"), graph.neighbors
        self._identity = session.put(np.arange(n, dtype=np.int32), "the vertices")

    def __call__(self) -> int:
        session, given = self.session, self.vertices
        for buffer in (self.part, self.names):
            session.copy(buffer, self._identity, given)
        n, levels = given, 0
        rows = self._given_rows
        while n:
            self._decompose(n, levels, rows)
            n, contracted = self._contract(n, rows, self._rows[levels % 2])
            levels += 1
            rows = contracted
        return levels

    def _launch(self, name: str, items: int, *arguments: Any) -> None:
        self.kernel(name, self.session.shapes.over(items), *arguments)()

    def _decompose(self, n: int, level: int, rows: tuple[Buffer, Buffer]) -> None:
        """For each vertex, find its center: the source of the search that reached the vertex first."""
        count, center = np.uint32(n), self._center
        searches = (center, self.reached, self.frontier, self.state)
        self._launch("begin_level", n, count, center, self.reached, self.state)
        bits, seed = np.uint32((n - 1).bit_length()), np.uint32((self.seed + level) % 2**32)
        started = t = 0
        while started < n:
            due = min(n, ceil(exp(STARTS_GROW * t)))
            numbers = (count, bits, seed, np.uint32(started), np.uint32(due))
            self._launch("start", max(1, due - started), *numbers, rows[0], *searches)
            self._launch("search_level", n, count, *rows, *searches)
            self._launch("next_step", 1, self.state)
            started, t = due, t + 1

    def _contract(
        self, n: int, rows: tuple[Buffer, Buffer], contracted: tuple[Buffer, Buffer]
    ) -> tuple[int, tuple[Buffer, Buffer]]:
        """Contract each part to a single vertex.

        Return the number of parts, or 0 if no edges are left, and the rows of the contracted graph.
        """
        session, center = self.session, self._center
        of = session.copy_of(center, n, "the numbers of parts")
        parts = number_in_place(session, of, n, self._reads)()
        count = np.uint32(n)
        self._launch("name_parts", n, count, center, of, self.names, self.new_names)
        self.names, self.new_names = self.new_names, self.names
        self._launch("compose", self.vertices, np.uint32(self.vertices), of, self.part)

        offsets, neighbors = contracted
        session.fill(self._place, 0, parts + 1)
        self._launch("count_edges", n, count, *rows, of, self._place)
        scan = session.shared(_sum_before)
        counts, sums = (session.array(buffer, parts + 1) for buffer in (self._place, offsets))
        session.by_pyopencl("summing up", scan, counts, sums, queue=session.queue)
        session.copy(self._place, offsets, parts + 1)
        if not session.get(offsets, 1, first=parts)[0]:
            return 0, contracted
        self._launch("scatter_edges", n, count, *rows, of, self._place, neighbors)
        return parts, contracted


def _sum_before(session: Session) -> Any:
    """Return the exclusive scan that turns counts into offsets."""
    opencl()
    from pyopencl.scan import GenericScanKernel

    return GenericScanKernel(
        session.context,
        np.int32,
        arguments="__global const int *counts, __global int *offsets",
        input_expr="counts[i]",
        scan_expr="a + b",
        neutral="0",
        output_statement="offsets[i] = prev_item;",
    )
