"""A forest on a device: its edges in two orders, and its trees."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.radix_sort import sort_by_both
from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.accel.residents.graphs import Entries
from pointerjump.accel.runtime.session import Buffer, KeptBuffers, Launch, Session
from pointerjump.accel.shapes import Shape
from pointerjump.base.edges import VertexArray

ROOTED = ("parent", "depth", "preorder", "size")
"""The arrays of a rooted forest, in the order in which ``rooted.h`` expects them."""


class ResidentTrees:
    """A forest on a device.

    It is built from a list with at most as many edges as there are vertices. Edges with negative ends are
    ignored. If `spent` is true, sorting may overwrite the buffer of the `given` edges. The buffer must then
    contain pairs of int32 and have room for one pair per vertex. The forest is complete once :meth:`number`
    has been called.

    Attributes
    ----------
    n, k, m : np.uint32
        The numbers of vertices, trees and edges.
    tree : Buffer
        The number of each vertex's tree.
    roots : Buffer
        The root of each tree, which is its smallest vertex unless :meth:`choose` has been called.
    pairs : Buffer
        The edges in ascending order.
    rows : tuple
        The arguments `m`, `edges`, `others`, `greater` and `lesser` of ``trees.h``.
    spare : Buffer
        Room for two words per vertex.
    rooted : dict of str to DeviceArray
        The arrays of the rooted forest, which an algorithm fills in.
    """

    def __init__(self, session: Session, vertices: int, given: Entries, *, spent: bool = False) -> None:
        self.session, self.vertices, self.n = session, vertices, np.uint32(vertices)
        self._own: KeptBuffers = {}
        # Sorting may exchange these buffers, so all have the same size. A forest has fewer edges than
        # vertices.
        pairs = given.ends[0] if spent else self._room("the edges", 2)
        self.spare = self._room("room to sort edges", 2)
        take = session.kernels("trees.cl", None, **given.defines)
        take("take", given.shape, given.items, self.n, *given.ends, pairs)()
        self.pairs, self.spare = self._sorted(pairs, int(given.items), vertices)

    def number(self, tree: Buffer, trees: int, reads: str) -> None:
        """Set the number of each vertex's tree, and build the arrays that depend on these numbers.

        Trees must be numbered in the order of their smallest vertices.
        """
        session, vertices, self.tree, self.trees = self.session, self.vertices, tree, trees
        self.edges = vertices - trees
        self.k, self.m = np.uint32(trees), np.uint32(self.edges)
        self.roots = session.empty(trees, np.int32, "the roots")
        session.fill(self.roots, vertices, max(1, trees))
        labels = session.kernels("labels.cl", READS_ATOMIC=reads == "atomic")
        labels("smallest_members", self.over_vertices, self.n, tree, self.roots)()
        self.rooted = {name: DeviceArray(session, vertices, np.int32, f"the {name}") for name in ROOTED}
        kernel, others = session.kernels("trees.cl"), self._room("the edges by greater ends", 2)
        kernel("turn", self.over_edges, self.m, self.pairs, others)()
        others, self.spare = self._sorted(others, self.edges, self.edges)
        runs = self._room("edges to greater ends", 1), self._room("edges to lesser ends", 1)
        self.rows = self.m, self.pairs, others, *runs
        for pairs, first in zip((self.pairs, others), runs, strict=True):
            kernel("begin", self.over_vertices, self.n, first)()
            kernel("rows", self.over_edges, self.m, pairs, first)()

    def _room(self, what: str, each: int) -> Buffer:
        return self.session.scratch(what, each * self.vertices, np.int32, self._own)

    def _sorted(self, pairs: Buffer, items: int, most: int) -> tuple[Buffer, Buffer]:
        bits = most.bit_length(), self.vertices.bit_length()
        return sort_by_both(self.session, pairs, self.spare, items, *bits)

    @property
    def over_vertices(self) -> Shape:
        return self.session.shapes.over(self.vertices)

    @property
    def over_edges(self) -> Shape:
        return self.session.shapes.over(self.edges)

    @property
    def over_trees(self) -> Shape:
        return self.session.shapes.over(self.trees)

    @property
    def answer(self) -> tuple[Buffer, ...]:
        """The arrays of the rooted forest, as kernel arguments."""
        return tuple(array.buffer for array in self.rooted.values())

    def place_roots(self) -> tuple[list[Launch], Buffer]:
        """Return the launches that compute each root's position in preorder from the sizes of all trees.

        Also return the buffer to which they write the number of vertices in the trees before each tree.
        """
        session, over = self.session, self.over_trees
        group, size = over.local_size[0], self.rooted["size"].buffer
        counts = session.empty(over.groups + 1, np.uint32, "the groups' counts")
        first_vertex = session.empty(self.trees + 1, np.int32, "the trees' first vertices")
        kernel = session.kernels("trees.cl", "partitioning", GROUP=group)
        placed = self.rooted["preorder"].buffer, first_vertex
        steps = [
            kernel("count_vertices", over, self.k, self.roots, size, counts),
            kernel("add_up", session.shapes.one_group(group), np.uint32(over.groups), counts),
            kernel("place_vertices", over, self.k, self.roots, size, counts, *placed),
        ]
        return steps, first_vertex

    @property
    def tree_numbers(self) -> VertexArray:
        lies_in: VertexArray | None = self.tree.hostbuf
        if lies_in is not None and self.session.read_in_place(self.tree, lies_in):
            return lies_in[: self.vertices]
        return self.session.get(self.tree, self.vertices)

    @property
    def chosen_roots(self) -> VertexArray:
        return self.session.get(self.roots, self.trees)

    def choose(self, roots: VertexArray) -> None:
        """Replace the roots. There must be one root for each tree."""
        self.roots = self.session.put(roots, "the roots")
