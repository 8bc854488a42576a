"""The inputs and results of runs that find bridges and blocks (biconnected components)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.residents.spanned import ResidentSpanned
from pointerjump.base import memory
from pointerjump.base.edges import EdgeList, VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.integers import as_count
from pointerjump.errors import GraphError
from pointerjump.registry.algorithm import Form, InputFacts
from pointerjump.registry.selection import select
from pointerjump.solving.inputs import HostGraph
from pointerjump.solving.result import Components, find_components
from pointerjump.solving.run import Instance, Order, Run, Seconds, order, solve
from pointerjump.solving.trees import RootedForest, find_spanning, root

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.session import Session

_BYTES_PER_VERTEX, _BYTES_PER_EDGE = 60, 12  # at the memory peak: a forest with its rows, and edge labels


class SpannedEdges(Instance):
    """The edges of a graph on the host, as the input of a run that finds bridges or blocks.

    When the edges are placed on a device, a spanning forest is found and rooted. Atomic reads are used if
    `wanted` asks for them. If `points` is true, the run finds articulation points instead of blocks.
    """

    def __init__(self, wanted: Order, edges: EdgeList, *, points: bool = False) -> None:
        n, m = edges.vertices, len(edges.sources)
        memory.require(_BYTES_PER_VERTEX * n + _BYTES_PER_EDGE * m, f"blocks of {n:,} vertices, {m:,} edges")
        self.edges, self.points = edges, points
        asked = wanted.asked.dense
        self.choices = {"reads": asked["reads"]} if asked.get("reads") == "atomic" else {}

    def facts(self) -> InputFacts:
        return InputFacts(self.edges.vertices, len(self.edges.sources), "spanned")

    def for_reference(self, seconds: Seconds) -> tuple[EdgeList]:
        return (self.edges,)

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentSpanned:
        input = HostGraph(Graph.of_checked(self.edges))
        forest, graph = find_spanning(input, session, self.choices, seconds)
        with session.running(), seconds.timed("rooting"):
            choice = select(order("trees", "auto", session, {}).asked, self.facts(), session.tuning)
            choice.algorithm.prepare(forest, **choice.variant).run()
        return ResidentSpanned(graph, forest, points=self.points)


def find_bridges(wanted: Order, edges: EdgeList) -> tuple[npt.NDArray[np.int64], Run]:
    """Return the indices of the bridges in ascending order, and a record of the run."""

    def read(session: Session, plan: Plan) -> npt.NDArray[np.int64]:
        return np.flatnonzero(session.get(plan.result, len(edges.sources), np.bool_))

    return solve(wanted, SpannedEdges(wanted, edges), read)


def components_without(
    edges: EdgeList, places: npt.NDArray[np.int64], device: Any, names: npt.NDArray[Any] | None = None
) -> Components:
    """Find the components that remain when the edges at the indices `places` are removed."""
    left = EdgeList(np.delete(edges.sources, places), np.delete(edges.targets, places), edges.vertices)
    return find_components(order("components", "auto", device, {}), HostGraph(Graph.of_checked(left, names)))


def find_points(wanted: Order, edges: EdgeList) -> VertexArray:
    if wanted.session is None:
        return find_blocks(wanted, edges).articulation_points
    input = SpannedEdges(wanted, edges, points=True)
    is_cut, _ = solve(wanted, input, lambda session, plan: plan.answer(session, edges.vertices))
    return np.flatnonzero(is_cut).astype(np.int32)


def find_blocks(
    wanted: Order, edges: EdgeList, names: npt.NDArray[Any] | None = None
) -> BiconnectedComponents:
    input, m = SpannedEdges(wanted, edges), len(edges.sources)
    found, run = solve(wanted, input, lambda session, plan: plan.answer(session, m))
    return BiconnectedComponents(edges, found, run, names)


class BiconnectedComponents:
    """The blocks (biconnected components) of a graph.

    A block is a bridge, or a maximal set of edges such that any two of them lie on a common cycle. Each edge
    that is not a loop belongs to exactly one block. A vertex that belongs to several blocks is an
    *articulation point*: removing it separates these blocks.

    Attributes
    ----------
    edges : ndarray of int32, shape (m, 2)
        The two endpoints of each edge. For arrays and tables, the edges are in input order. For graphs
        without parallel edges, they are sorted, and the smaller endpoint of each edge comes first.
    labels : ndarray of int32, shape (m,)
        The block number of each edge, or -1 for a loop. Blocks are numbered from 0, in the order in which
        their first edges occur.
    vertices : int
        The number of vertices.
    names : ndarray or None
        The names of the vertices in the input, or None if they have no names.

    Examples
    --------
    >>> import pointerjump as pj
    >>> b = pj.biconnected_components([(0, 1), (1, 2), (2, 0), (2, 3)])
    >>> b.count, b.labels.tolist(), b.articulation_points.tolist(), b.vertices_of(1).tolist()
    (2, [0, 0, 0, 1], [2], [2, 3])
    >>> b.tree().parent.tolist()
    [0, 2, 0]
    """

    def __init__(
        self, edges: EdgeList, labels: VertexArray, run: Run, names: npt.NDArray[Any] | None = None
    ) -> None:
        self.labels, self.run, self.names = labels, run, names
        self.vertices = edges.vertices
        self._ends = edges.sources, edges.targets

    @cached_property
    def edges(self) -> npt.NDArray[np.int32]:
        """The two endpoints of each edge."""
        return np.stack(self._ends, axis=1).astype(np.int32)

    @cached_property
    def stats(self) -> dict[str, Any]:
        """Statistics of the run, as in :class:`Components`."""
        return self.run.stats()

    @cached_property
    def count(self) -> int:
        """The number of blocks."""
        return int(self.labels.max(initial=-1)) + 1

    @cached_property
    def _joining(self) -> tuple[VertexArray, npt.NDArray[Any], npt.NDArray[Any]]:
        if self.labels.min(initial=0) >= 0:
            return self.labels, *self._ends
        joining = self.labels >= 0
        return self.labels[joining], self._ends[0][joining], self._ends[1][joining]

    @cached_property
    def _one(self) -> VertexArray:
        # For each vertex, a block that contains it; -1 for vertices without edges.
        labels, *both_ends = self._joining
        one = np.full(self.vertices, -1, np.int32)
        for ends in both_ends:
            one[ends] = labels
        return one

    @cached_property
    def _is_cut(self) -> npt.NDArray[np.bool_]:
        labels, *both_ends = self._joining
        is_cut = np.zeros(self.vertices, bool)
        for ends in both_ends:
            is_cut[ends[self._one[ends] != labels]] = True
        return is_cut

    @cached_property
    def _of_cuts(self) -> npt.NDArray[np.int64]:
        # Sorted pairs: an articulation point and a block that contains it.
        labels, *both_ends = self._joining
        keys = []
        for ends in both_ends:
            some = np.flatnonzero(self._is_cut[ends])
            keys.append(ends[some].astype(np.int64) << 32 | labels[some])
        found = np.unique(np.concatenate(keys))
        return np.stack([found >> 32, found & 0xFFFFFFFF], axis=1)

    @cached_property
    def articulation_points(self) -> VertexArray:
        """The vertices that belong to several blocks, in ascending order."""
        return np.flatnonzero(self._is_cut).astype(np.int32)

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The number of vertices in each block."""
        of_others = self._one[(self._one >= 0) & ~self._is_cut]
        of_cuts = np.bincount(self._of_cuts[:, 1], minlength=self.count)
        return np.bincount(of_others, minlength=self.count) + of_cuts

    @cached_property
    def _by_block(self) -> list[npt.NDArray[np.int64]]:
        in_order = np.argsort(self.labels, kind="stable")
        bounds = np.searchsorted(self.labels[in_order], np.arange(self.count + 1))
        return np.split(in_order, bounds)[1:-1]

    def edges_by_block(self) -> Iterator[npt.NDArray[np.int32]]:
        """Yield the edges of each block, in the same format as :meth:`edges_of`."""
        return (self.edges[places] for places in self._by_block)

    def edges_of(self, block: int) -> npt.NDArray[np.int32]:
        """Return the edges of a block, in input order, as an array of shape (k, 2)."""
        number = as_count(block, "block", GraphError)
        if not 0 <= number < self.count:
            raise GraphError(
                f"block is {number}, but there are {self.count} blocks, numbered from 0: loops, whose label "
                "is -1, are in none"
            )
        return self.edges[self._by_block[number]]

    def vertices_of(self, block: int) -> VertexArray:
        """Return the vertices of a block, in ascending order."""
        return np.unique(self.edges_of(block))

    def tree(self) -> RootedForest:
        """Return the block-cut trees of all components as a rooted forest.

        Vertices 0 to ``count - 1`` of the forest are the blocks. They are followed by the articulation
        points, in the order of :attr:`articulation_points`. Each articulation point is connected to the
        blocks that contain it. The root of each tree is the block with the smallest number.
        """
        points, blocks = self._of_cuts.T
        cuts = self.count + np.searchsorted(self.articulation_points, points)
        vertices = self.count + len(self.articulation_points)
        joined = Graph.of_checked(EdgeList(blocks.astype(np.int32), cuts.astype(np.int32), vertices))
        return root(order("trees", "auto", self.run.devices[0], {}), joined, None)

    def __repr__(self) -> str:
        return (
            f"BiconnectedComponents(count={self.count}, edges={len(self.labels)}, vertices={self.vertices})"
        )
