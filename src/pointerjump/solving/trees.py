"""Rooted forests, and queries about them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel import subtrees as on_device
from pointerjump.accel.labels import number_in_place, numbers_trees
from pointerjump.accel.list_scan import has_doubles
from pointerjump.accel.residents.graphs import PAIRS, Entries, ResidentEdges, place
from pointerjump.accel.residents.lists import ResidentLists
from pointerjump.accel.residents.trees import ResidentTrees
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.accel.subtrees import VALUE
from pointerjump.base.edges import EdgeList, VertexArray, check_ids, check_vertex_count
from pointerjump.base.graph import Graph
from pointerjump.base.integers import as_array, as_integers
from pointerjump.base.rooted import Rooted
from pointerjump.errors import GraphError
from pointerjump.registry.algorithm import Form, InputFacts
from pointerjump.registry.selection import select
from pointerjump.solving import ancestors
from pointerjump.solving.functional_graphs import checked_steps, walked
from pointerjump.solving.inputs import HostGraph, as_graph
from pointerjump.solving.lists import HostLists
from pointerjump.solving.result import find_components, spanning_forest
from pointerjump.solving.run import REFERENCE, Instance, Order, Run, Seconds, order, solve
from pointerjump.solving.tree_values import as_summands, as_values, fold_subtrees, sum_paths, sum_subtrees

if TYPE_CHECKING:
    from pointerjump.accel.residents.graphs import ResidentGraph
    from pointerjump.accel.runtime.session import Session

_ROOTS = (-9999, -1)  # values for "no parent" in an array of parents: scipy's and the usual one


def rooted_forest(
    forest: Any,
    roots: npt.ArrayLike | None = None,
    *,
    vertices: int | None = None,
    algorithm: str = "auto",
    device: Any = None,
    **variant: object,
) -> RootedForest:
    """Root a forest: find the parent, depth, subtree size and preorder position of each vertex.

    A forest is a graph without cycles, so each of its components is a tree. Rooting chooses one vertex of
    each tree as the root, and directs all edges toward the root.

    Parameters
    ----------
    forest : object
        A graph in any form that :func:`components` accepts: edges in an (m, 2) array or in two arrays, a
        scipy matrix, a NetworkX graph or a file. Each edge may be stored in either direction or both. Loops
        and repeated edges are ignored.
    roots : array_like of int, optional
        The roots, at most one per tree. By default, the root of a tree is its smallest vertex.
    vertices : int, optional
        The number of vertices, if it is not stored with the edges. Defaults to the largest id + 1.
    algorithm, device, **variant
        See :func:`components`. Only algorithms for trees are accepted.

    Raises
    ------
    GraphError
        If the graph has a cycle (the message mentions one of its edges), if a tree has two roots, or if a
        root is not a vertex.
    AlgorithmError, DeviceError
        See :func:`components`.

    Examples
    --------
    >>> import pointerjump as pj
    >>> t = pj.rooted_forest([(0, 1), (1, 2), (1, 3), (4, 5)])
    >>> t.parent.tolist(), t.depth.tolist(), t.size.tolist()
    ([0, 0, 1, 1, 4, 4], [0, 1, 2, 2, 0, 1], [4, 3, 1, 1, 2, 1])
    >>> pj.rooted_forest([(0, 1), (1, 2)], roots=[2]).parent.tolist()
    [1, 2, 2]
    """
    wanted = order("trees", algorithm, device, variant)
    return root(wanted, as_graph(forest, vertices=vertices), roots)


def root(wanted: Order, graph: Graph, roots: npt.ArrayLike | None) -> RootedForest:
    forest = HostForest(graph, roots)
    found, run = solve(wanted, forest, lambda session, plan: forest.rooted())
    return RootedForest(found, run, graph.names)


def host_forest(rows: Graph, roots: npt.ArrayLike | None = None) -> tuple[Graph, VertexArray, VertexArray]:
    """Return the arguments of the serial reference implementation: rows, roots and each vertex's tree.

    Raise a GraphError if the graph has a cycle.
    """
    trees = find_components(order("components", "auto", REFERENCE, {}), HostGraph(rows)).labels
    # Trees are numbered in order of smallest vertex, so the largest number so far rises at these vertices.
    smallest = np.flatnonzero(np.diff(np.maximum.accumulate(trees), prepend=-1)).astype(np.int32)
    if rows.directed_edges // 2 != rows.vertices - len(smallest):
        raise _has_cycle(rows, REFERENCE)
    return rows, _chosen(roots, trees, smallest), trees


def _has_cycle(graph: Graph, device: Any) -> GraphError:
    """Return an error that mentions an edge on a cycle. Any edge outside a spanning forest is on a cycle."""
    rows = rows_of_forest(graph)
    kept = np.sort(spanning_forest(rows, device=device), axis=1).astype(np.int64)
    sources = rows.sources.astype(np.int64)
    once = sources < rows.neighbors
    left = np.setdiff1d(sources[once] << 32 | rows.neighbors[once], kept[:, 0] << 32 | kept[:, 1])
    u, v = int(left[0] >> 32), int(left[0] & 0xFFFFFFFF)
    if graph.names is not None:
        u, v = graph.names[[u, v]]
    return GraphError(
        f"the graph has a cycle, on which the edge between {u} and {v} lies: a forest has none; "
        "spanning_forest, or the command `pointerjump forest`, finds one in any graph"
    )


def _require_roots(above: npt.NDArray[Any]) -> None:
    """Raise an error unless every vertex has a root among its ancestors, or is a root itself."""
    reached = above
    for _ in range(len(above).bit_length()):
        reached = reached[reached]
    round_a_cycle = np.flatnonzero(above[reached] != reached)
    if len(round_a_cycle):
        v = int(reached[round_a_cycle].min())
        raise GraphError(
            f"parents lead round a cycle, on which the edge from {v} to {above[v]} lies: the way up from "
            "every vertex must end at a root, which is its own parent or has -1"
        )


def _chosen(roots: npt.ArrayLike | None, trees: VertexArray, smallest: VertexArray) -> VertexArray:
    if roots is None:
        return smallest
    given = as_integers(roots, "roots", GraphError)
    check_ids(given, len(trees), "roots")
    given = np.unique(given).astype(np.int32)
    of_tree = trees[given]
    chosen = smallest.copy()
    chosen[of_tree] = given
    if (lost := np.flatnonzero(chosen[of_tree] != given)).size:
        one = int(given[lost[0]])
        raise GraphError(
            f"roots {one} and {chosen[trees[one]]} are in one tree: give at most one root for each tree"
        )
    return chosen


def rows_of_forest(graph: Graph) -> Graph:
    """Return the graph as sorted rows without loops, with each edge once in each direction."""
    edges = graph.edges_as_read
    sources, targets = (edges.sources, edges.targets) if edges else (graph.sources, graph.neighbors)
    proper = sources != targets
    without_loops = EdgeList(sources[proper], targets[proper], graph.vertices, graph.names)
    return Graph.of_checked(without_loops).symmetrized()


class HostForest(Instance):
    """A graph on the host that should be a forest, and the roots that the caller chose.

    Before a run on a device, the trees of the graph are found on that device. A GraphError is raised if the
    graph has a cycle.
    """

    def __init__(self, graph: Graph, roots: npt.ArrayLike | None) -> None:
        self._graph, self._roots = HostGraph(graph), roots
        self._resident: ResidentTrees | None = None

    def facts(self) -> InputFacts:
        return self._graph.facts()

    def for_reference(self, seconds: Seconds) -> tuple[Any, ...]:
        with seconds.timed("rows"):
            rows = rows_of_forest(self._graph.host)
        with seconds.timed("trees"):
            return host_forest(rows, self._roots)

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentTrees:
        forest = _forest_of(self._graph, session, seconds)
        if self._roots is not None:
            forest.choose(_chosen(self._roots, forest.tree_numbers, forest.chosen_roots))
        self._resident = forest
        return forest

    def rooted(self) -> Rooted:
        """Return the result of a run, copied from the device."""
        forest = self._resident
        assert forest is not None
        arrays = {name: array.take(forest.vertices) for name, array in forest.rooted.items()}
        return Rooted(**arrays, tree=forest.tree_numbers, roots=forest.chosen_roots)


def _forest_of(input: HostGraph, session: Session, seconds: Seconds) -> ResidentTrees:
    host, n, edges = input.host, input.vertices, input.host.edges_as_read
    if edges and len(edges.sources) < n:
        with seconds.timed("transfer"):
            given = place(host, "edges", session).entries("edges")
        with session.running(), seconds.timed("trees"):
            forest = ResidentTrees(session, n, given)
            in_order = ResidentEdges(host, session, forest.pairs)
            facts = InputFacts(n, len(edges.sources), "edges", in_order=True)
            choice = select(order("components", "auto", session, {}).asked, facts, session.tuning)
            plan = choice.algorithm.prepare(in_order, **choice.variant)
            plan.run(flat=not numbers_trees(session))
            reads = str(choice.variant.get("reads", "plain"))
            trees = number_in_place(session, plan.result, n, reads)()
            if len(edges.sources) == n - trees:  # so there are no loops or repeated edges
                forest.number(plan.result, trees, reads)
                return forest
    forest, _ = find_spanning(input, session, {}, seconds)
    if host.edges != forest.edges:
        raise _has_cycle(host, session)
    return forest


def find_spanning(
    input: HostGraph, session: Session, choices: Mapping[str, object], seconds: Seconds
) -> tuple[ResidentTrees, ResidentGraph]:
    """Find a spanning forest on a device. Return the forest and the graph, both stored on the device."""
    n, asked = input.vertices, order("spanning-forest", "auto", session, choices).asked
    choice = select(asked, input.facts(), session.tuning)
    graph = input.placed(choice.form, session, seconds)
    with session.running(), seconds.timed("forest"):
        plan = input.planned(choice, graph)
        plan.run(flat=not numbers_trees(session))
        reads = str(choice.variant["reads"])
        trees = number_in_place(session, plan.labels, n, reads)()
        joined_by = Entries((plan.result, plan.result), np.uint32(n), np.uint32(n), session.shapes, PAIRS)
        forest = ResidentTrees(session, n, joined_by, spent=True)
        forest.number(plan.labels, trees, reads)
        return forest, graph


class _Parents(HostLists):
    """An input in which each vertex's successor is its parent. The parents may already be on the device."""

    def __init__(self, rooted: Rooted, residents: ancestors.ResidentForests) -> None:
        super().__init__(rooted.parent)
        self._rooted, self._residents = rooted, residents

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentLists:
        with session.running(), seconds.timed("transfer"):
            resident = ancestors.resident_of(self._rooted, session, self._residents)
            return ResidentLists(self._rooted.parent, session, resident.array("parent"))


class RootedForest:
    """A forest in which each tree has a root.

    The children of a root are in ascending order. The children of any other vertex are in cyclic order,
    starting after its parent: first the children that are greater than that parent, in ascending order, and
    then the others. Trees are in order of their smallest vertices. All arrays are thus determined by the
    edges and the roots. The arrays are read-only.

    Attributes
    ----------
    parent : ndarray of int32, shape (vertices,)
        The parent of each vertex. A root is its own parent.
    depth : ndarray of int32, shape (vertices,)
        The number of edges between each vertex and its root.
    preorder : ndarray of int32, shape (vertices,)
        The position of each vertex in preorder. In preorder, a vertex comes before its children, the whole
        subtree of a child before the next child, and a whole tree before the next tree.
    size : ndarray of int32, shape (vertices,)
        The number of vertices in the subtree of each vertex. In preorder, the subtree of v occupies the
        positions ``preorder[v]`` to ``preorder[v] + size[v] - 1``.
    tree : ndarray of int32, shape (vertices,)
        The number of the tree that each vertex belongs to. Trees are numbered from 0.
    roots : ndarray of int32, shape (trees,)
        The root of each tree.
    names : ndarray or None
        The names of the vertices in the input, or None if they have no names.

    Examples
    --------
    >>> import pointerjump as pj
    >>> t = pj.rooted_forest([(0, 2), (2, 1), (2, 3)])
    >>> t.preorder.tolist(), t.postorder.tolist(), t.leaves.tolist(), t.height
    ([0, 2, 1, 3], [3, 0, 2, 1], [1, 3], 2)
    >>> t.lowest_common_ancestor([1, 1], [3, 0]).tolist(), t.kth_ancestor([1, 3, 0], 2).tolist()
    ([2, 0], [0, 0, -1])
    >>> t.subtree_sum([1, 10, 100, 1000]).tolist(), t.path_sum([1, 10, 100, 1000]).tolist()
    ([1111, 10, 1110, 1000], [1, 111, 101, 1101])
    """

    def __init__(self, rooted: Rooted, run: Run, names: npt.NDArray[Any] | None = None) -> None:
        self.rooted, self.run, self.names = rooted, run, names
        for array in rooted:  # because tables prepared from them are kept
            array.flags.writeable = False
        self.parent, self.depth, self.preorder, self.size, self.tree, self.roots = rooted
        self._residents: ancestors.ResidentForests = {}

    @classmethod
    def from_parents(
        cls, parents: npt.ArrayLike, *, algorithm: str = "auto", device: Any = None, **variant: object
    ) -> RootedForest:
        """Create a rooted forest from the parent of each vertex.

        The parent of a root must be the root itself, -1 or -9999. Vertices that a scipy search did not reach
        become roots, because scipy stores -9999 as their predecessor. See :func:`rooted_forest` for the other
        parameters and errors.
        """
        wanted = order("trees", algorithm, device, variant)
        given = as_integers(parents, "parents", GraphError)
        n = check_vertex_count(len(given))
        own = np.arange(n, dtype=np.int32)
        roots = np.flatnonzero(np.isin(given, _ROOTS) | (given == own))
        above = given.copy()
        above[roots] = 0
        check_ids(above, n, "parents")
        above = above.astype(np.int32, copy=False)
        above[roots] = roots
        lower, upper = (np.delete(ends, roots) for ends in (own, above))
        edges = EdgeList(lower, upper, n)
        try:
            found = root(wanted, Graph.of_checked(edges), roots)
        except GraphError:
            _require_roots(above)
            raise
        if not np.array_equal(found.parent, above):  # two vertices are each other's parents
            _require_roots(above)
        return found

    @cached_property
    def stats(self) -> dict[str, Any]:
        """Statistics of the run, as in :class:`Components`."""
        return self.run.stats()

    @property
    def vertices(self) -> int:
        """The number of vertices."""
        return len(self.parent)

    @property
    def trees(self) -> int:
        """The number of trees."""
        return len(self.roots)

    @cached_property
    def postorder(self) -> VertexArray:
        """The position of each vertex in postorder, in which a vertex comes after its children."""
        return self.preorder + (self.size - 1) - self.depth

    @cached_property
    def leaves(self) -> VertexArray:
        """The vertices without children, in ascending order. A root without children is a leaf, too."""
        return np.flatnonzero(self.size == 1).astype(np.int32)

    @cached_property
    def widths(self) -> npt.NDArray[np.int64]:
        """The number of vertices at each depth, as an array of shape (height + 1,)."""
        return np.bincount(self.depth)

    @property
    def height(self) -> int:
        """The greatest depth of a vertex, or 0 if there are no vertices."""
        return int(self.depth.max(initial=0))

    # -- pairs of vertices ---------------------------------------------------------------------------

    def is_ancestor(self, us: npt.ArrayLike, vs: npt.ArrayLike) -> Any:
        """For each pair, return whether the first vertex is an ancestor of the second or equal to it.

        See :meth:`lowest_common_ancestor` for the parameters, the errors and the shape of the result.
        """
        first, second = ancestors.pairs_of(self.rooted, us, vs)
        after = self.preorder[second] - self.preorder[first]
        return ancestors.one_or_all((after >= 0) & (after < self.size[first]), us, vs)

    def lowest_common_ancestor(
        self, us: npt.ArrayLike, vs: npt.ArrayLike, *, algorithm: str = "auto", **variant: object
    ) -> Any:
        """Return the lowest common ancestor of each pair of vertices, or -1 if they are in different trees.

        The lowest common ancestor is where the paths from both vertices to the root first meet. `us` and `vs`
        must be arrays of the same length, or single vertices. A single vertex is paired with every vertex of
        the other argument. If both are single vertices, the result is a number.

        `algorithm` must be ``"auto"`` or an algorithm for common ancestors. It runs on the device that rooted
        the forest. The first call prepares the forest, so that later calls are faster.
        """
        return ancestors.common_ancestors(
            self.rooted,
            us,
            vs,
            algorithm=algorithm,
            device=self.run.devices[0],
            residents=self._residents,
            choices=variant,
        )

    def kth_ancestor(self, vs: npt.ArrayLike, k: int | npt.ArrayLike) -> Any:
        """Return the ancestor `k` edges above each vertex, or -1 if `k` exceeds the depth of the vertex.

        `k` is a single number, or an array with one number per vertex. If `vs` is a single vertex, the result
        is a number.
        """
        given = as_array(vs, "vs", GraphError)
        starts = as_integers(given.ravel(), "vs", GraphError)
        check_ids(starts, self.vertices, "vs")
        steps, below = checked_steps(k, given.shape, "vs", GraphError), self.depth[starts]
        most = np.asarray(np.minimum(steps, below if steps.ndim else below.max(initial=0)))
        wanted = order("functional-graphs", "auto", self.run.devices[0], {})
        parents = _Parents(self.rooted, self._residents)
        found = walked(wanted, parents, starts.astype(np.int32, copy=False), most.astype(np.int32))
        found = np.where(np.asarray(steps <= below, bool), found, np.int32(-1)).reshape(given.shape)
        return found if found.ndim else found.item()

    def distance(self, us: npt.ArrayLike, vs: npt.ArrayLike) -> Any:
        """Return the number of edges between the vertices of each pair, or -1 if they are in different trees.

        See :meth:`lowest_common_ancestor` for the parameters, the errors and the shape of the result.
        """
        wanted = order("common-ancestors", "auto", self.run.devices[0], {})
        first, second = ancestors.pairs_of(self.rooted, us, vs)
        above = ancestors.find_ancestors(wanted, self.rooted, first, second, self._residents)
        apart = self.depth[first] + self.depth[second] - 2 * self.depth[above]
        return ancestors.one_or_all(np.where(above < 0, np.int32(-1), apart), us, vs)

    def path(self, u: int, v: int) -> VertexArray:
        """Return the vertices on the path from `u` to `v`, or an empty array if there is no path."""
        first, second = ancestors.vertex_of(self.rooted, u, "u"), ancestors.vertex_of(self.rooted, v, "v")
        if self.tree[first] != self.tree[second]:
            return np.empty(0, np.int32)
        up, down = [first], [second]
        while up[-1] != down[-1]:
            end = up if self.depth[up[-1]] >= self.depth[down[-1]] else down
            end.append(int(self.parent[end[-1]]))
        return np.array(up + down[-2::-1], np.int32)

    # -- values --------------------------------------------------------------------------------------

    def subtree_sum(self, values: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the sum of the values in each vertex's subtree.

        There must be one value per vertex. Integers are summed as int64. A GraphError is raised if a sum
        might exceed 64 bits.

        Floating-point numbers are added in an order that depends only on the forest, so the result is the
        same on every device. A subtree is an interval in preorder. The interval is divided into as few
        aligned blocks of 1, 2, 4, ... vertices as possible. The sum of a block is the sum of its first half
        plus the sum of its second half. The sums of the blocks are then added inward from each end of the
        interval. Finally, the two totals are added.
        """
        summands = as_summands(values, self.vertices)
        return (
            sum_subtrees(self.rooted, summands) if summands.dtype == np.int64 else self._fold(summands, "add")
        )

    def subtree_min(self, values: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the smallest value in each vertex's subtree, or NaN if any value in the subtree is NaN.

        If several values are equal, such as 0.0 and -0.0, the first of them in preorder is returned. See
        :meth:`subtree_sum` for the parameters.
        """
        return self._fold(as_values(values, self.vertices), "minimum")

    def subtree_max(self, values: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the largest value in each vertex's subtree, or NaN if any value in the subtree is NaN.

        See :meth:`subtree_min` for the details.
        """
        return self._fold(as_values(values, self.vertices), "maximum")

    def path_sum(self, values: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the sum of the values on the path from the root to each vertex, including both ends.

        See :meth:`subtree_sum` for the parameters and errors. Floating-point numbers are added in a fixed
        order. The sum over a path of two or more vertices is the sum over its upper part plus the sum over
        its lower part. The number of vertices in the lower part is the largest power of two that is less than
        the number in the path. Both parts are summed in the same way.
        """
        return sum_paths(self.rooted, as_summands(values, self.vertices))

    def _fold(self, values: npt.NDArray[Any], combine: str) -> npt.NDArray[Any]:
        """Combine the values in each subtree, on the forest's device if its kernels support the dtype."""
        device = self.run.devices[0]
        if isinstance(device, str) or not self.vertices or values.dtype.name not in VALUE:
            return fold_subtrees(self.rooted, values, combine)
        session = session_for(device)
        if values.dtype == np.float64 and not has_doubles(session):
            return fold_subtrees(self.rooted, values, combine)
        with session.running():
            return on_device.fold_subtrees(
                ancestors.resident_of(self.rooted, session, self._residents), values, combine
            )

    def __repr__(self) -> str:
        return f"RootedForest(trees={self.trees}, vertices={self.vertices})"
