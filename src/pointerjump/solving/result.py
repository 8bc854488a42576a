"""Components and spanning forests of graphs."""

from __future__ import annotations

import weakref
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.labels import number_in_place, numbers_trees
from pointerjump.accel.spanning_forest import edges_of
from pointerjump.base.edges import EdgeList, Ids, VertexArray
from pointerjump.errors import AlgorithmError, GraphError
from pointerjump.solving.inputs import graph_input, session_of
from pointerjump.solving.run import Order, Run, order, solve

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.session import Session

Labels = npt.NDArray[Any]

LABELS = ("consecutive", "representative")  # a component's number, or its smallest vertex

NUMBERED_ON_DEVICE = 1 << 17  # vertices; with fewer, NumPy is faster, because launching kernels takes time

_NUMBERED_AT_ONCE = 1 << 17  # the number of vertices processed at a time
_COUNTED_AT_ONCE = 1 << 22


def check_labels(labels: object) -> None:
    """Raise an AlgorithmError unless `labels` is one of `LABELS`."""
    if not (isinstance(labels, str) and labels in LABELS):
        raise AlgorithmError(f'labels={labels!r}: it must be "consecutive" or "representative"')


class Components:
    """The connected components of a graph.

    Attributes
    ----------
    labels : ndarray of int32, shape (vertices,)
        The component of each vertex. With ``labels="consecutive"``, components are numbered from 0, in order
        of their smallest vertices. With ``labels="representative"``, the label of a component is its smallest
        vertex. The dtype is int64 if there are 2**31 or more vertices.
    stats : dict
        Statistics of the run: ``algorithm``, ``variant``, ``form`` (of the input), ``platform``, ``device``,
        ``seconds`` and counts, such as ``rounds`` or ``records``. The dict ``seconds`` contains the duration
        of each phase: ``rows``, ``transfer``, ``build``, ``compute`` and ``labels``. For edges in blocks,
        there are also ``read``, ``join`` and ``checkpoint``. To repeat a run, pass the same algorithm and
        variant.

    Examples
    --------
    >>> import pointerjump as pj
    >>> c = pj.components(([0, 4], [2, 3]))
    >>> c.count, c.labels.tolist(), c.sizes.tolist()
    (3, [0, 1, 0, 2, 2], [2, 1, 2])
    >>> c.largest().tolist(), [m.tolist() for m in c.members()], c.forest().shape
    ([0, 2], [[0, 2], [1], [3, 4]], (2, 2))
    """

    def __init__(self, labels: Labels, kind: str, run: Run, graph: Any = None) -> None:
        self.labels, self._kind, self.run = labels, kind, run
        self._graph = graph.host if graph is not None else None
        # A weak reference, so that the result does not keep a graph in a device's memory.
        self._input = weakref.ref(graph) if graph is not None else lambda: None

    @property
    def names(self) -> npt.NDArray[Any] | None:
        """The names of the vertices in the input, as an array, or None if they have no names.

        The names may be the nodes of a NetworkX graph, or the ids that ``ids="compact"`` renumbered.
        """
        return self._graph.names if self._graph is not None else None

    @cached_property
    def stats(self) -> dict[str, Any]:
        """Statistics of the run."""
        return self.run.stats()

    @property
    def vertices(self) -> int:
        """The number of vertices."""
        return len(self.labels)

    @cached_property
    def count(self) -> int:
        """The number of components."""
        return int(self._consecutive.max(initial=-1)) + 1

    @property
    def _consecutive(self) -> VertexArray:
        """Labels from 0 to count - 1, even if the caller asked for representatives."""
        return self.labels if self._kind == "consecutive" else self._numbers

    @cached_property
    def _numbers(self) -> VertexArray:
        return number_components(self.labels)

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """An array with the size of each component. Components are in order of their smallest vertices."""
        return sizes_of(self._consecutive, self.count)

    def counted(self) -> Labels:
        """Return the component sizes in the labels' dtype. This is slower than `sizes`, but saves memory."""
        sizes = np.zeros(self.count, self.labels.dtype)
        one = sizes.dtype.type(1)
        for begin in range(0, len(self.labels), _NUMBERED_AT_ONCE):
            some = self._consecutive[begin : begin + _NUMBERED_AT_ONCE]
            np.add.at(sizes, some.astype(np.intp), one)  # only indices of this type are fast
        return sizes

    def largest(self) -> VertexArray:
        """Return the sorted vertices of the largest component (if tied, the one with the smallest vertex)."""
        return largest(self._consecutive, self.sizes)

    def members(self) -> list[VertexArray]:
        """Return a list of all components, in order of their smallest vertices. Each is a sorted array."""
        return grouped(self._consecutive, self.sizes)

    def forest(self) -> npt.NDArray[np.int32]:
        """Find a spanning forest, using the same device as for the components, and return its edges.

        The result has the same form as that of :func:`spanning_forest`. The graph is read again, so the
        caller's arrays must not have been modified in the meantime. A GraphError is raised if the edges were
        passed in blocks, which are not kept.
        """
        if self._graph is None:
            raise GraphError(
                "the edges came in blocks, and none was kept: give them to spanning_forest at once"
            )
        edges = self._graph.edges_as_read
        if edges is not None:  # kernels need valid vertices, and the caller's arrays may have changed
            EdgeList.of(edges.sources, edges.targets, edges.vertices)
        placed = self._input()
        if session_of(placed) is not None:
            return spanning_forest(placed)
        return spanning_forest(self._graph, device=self.run.devices[0])

    def __repr__(self) -> str:
        return f"Components(count={self.count}, vertices={len(self.labels)})"


class ObjectComponents(Components):
    """The connected components of Python objects that were passed as pairs, groups or a dict of neighbors.

    The objects are the vertices. They are numbered in order of first appearance, and `names` contains each of
    them once. Everything else is as in :class:`Components`.

    Examples
    --------
    >>> import pointerjump as pj
    >>> c = pj.components([("ann", "bob"), ("cal", "dee"), ("bob", "eve")])
    >>> [sorted(members) for members in c.members()]
    [['ann', 'bob', 'eve'], ['cal', 'dee']]
    >>> sorted(c.largest())
    ['ann', 'bob', 'eve']
    """

    def members(self) -> list[set[Any]]:  # type: ignore[override]  # objects have no arrays
        """Return a list of all components, in order of first appearance. Each is a set of objects."""
        assert self.names is not None
        return [set(self.names[vertices].tolist()) for vertices in super().members()]

    def largest(self) -> set[Any]:  # type: ignore[override]
        """Return the largest component as a set of objects. In a tie, return the one that appears first."""
        assert self.names is not None
        return set(self.names[super().largest()].tolist())

    def __repr__(self) -> str:
        return f"ObjectComponents(count={self.count}, objects={self.vertices})"


def find_components(
    wanted: Order, graph: Any, labels: str = "consecutive", result: type[Components] = Components
) -> Components:
    session, numbered = wanted.session, labels == "consecutive"
    on_device = numbered and (graph.vertices is None or graph.vertices >= NUMBERED_ON_DEVICE)

    # Returns the labels, and whether components are numbered. If not, labels are smallest vertices.
    def read(session: Session, plan: Plan) -> tuple[VertexArray, bool]:
        n = graph.vertices
        if numbered and plan.labels is not None:
            return session.get(plan.labels, n), True
        if on_device:
            reads = str(wanted.asked.dense.get("reads", "plain"))
            number_in_place(session, plan.result, n, reads, wide=plan.wide)
        return plan.answer(session, n), on_device

    flat = session is None or not (on_device and numbers_trees(session))
    found, run = solve(wanted, graph, read, flat=flat)
    found, done = (smallest_representatives(found), False) if session is None else found
    run.seconds["labels"] = 0.0
    if numbered and not done:
        with run.seconds.timed("labels"):
            number_components(found, in_place=True)
    return result(found, labels, run, graph)


def spanning_forest(
    graph: Any,
    *,
    algorithm: str = "auto",
    device: Any = None,
    vertices: int | None = None,
    ids: Ids | None = None,
    **variant: object,
) -> npt.NDArray[np.int32]:
    """Find a spanning forest: the fewest edges that keep each component connected.

    See :func:`components` for the parameters and errors. Only algorithms for spanning forests are accepted.

    Returns
    -------
    ndarray of int32, shape (vertices - components, 2)
        The edges of the forest, chosen from the edges of the graph. Different runs may choose different
        edges. With ``ids="compact"``, the edges contain vertex numbers, not ids.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.spanning_forest(([0, 1, 2], [1, 2, 0])).shape
    (2, 2)
    """
    wanted = order("spanning-forest", algorithm, device, variant, session_of(graph))
    return find_forest(wanted, graph_input(graph, vertices, ids))[0]


def find_forest(wanted: Order, graph: Any) -> tuple[npt.NDArray[np.int32], dict[str, Any]]:
    """Find a spanning forest of a `HostGraph` or `DeviceGraph`. Return its edges and the run's statistics."""
    found, run = solve(
        wanted, graph, lambda session, plan: edges_of(session, plan, graph.host.vertices), flat=False
    )
    return found, run.stats()


def sizes_of(labels: Labels, count: int) -> npt.NDArray[np.int64]:
    """Return the number of vertices with each label below `count`, counted in chunks to save memory."""
    at_once = max(_COUNTED_AT_ONCE, count // 4)
    sizes = np.zeros(count, np.int64)
    for begin in range(0, len(labels), at_once):
        sizes += np.bincount(labels[begin : begin + at_once], minlength=count)
    return sizes


def largest(labels: Labels, sizes: npt.NDArray[np.int64]) -> Labels:
    """Return the sorted vertices of the largest component. Labels must be consecutive, starting from 0."""
    if not len(labels):
        return labels
    return np.flatnonzero(labels == np.argmax(sizes)).astype(labels.dtype)


def grouped(labels: Labels, sizes: npt.NDArray[np.int64]) -> list[Labels]:
    """Return a list of all components, as sorted arrays. Labels must be consecutive, starting from 0."""
    if not len(labels):
        return []
    by_component = np.argsort(labels, kind="stable").astype(labels.dtype)
    return np.split(by_component, np.cumsum(sizes)[:-1])


def number_components(parents: VertexArray, *, in_place: bool = False) -> VertexArray:
    """Number components from 0, in order of their smallest vertices, and return the labels.

    For each vertex, `parents` must contain the smallest vertex of its component.
    """
    number = np.arange(len(parents), dtype=parents.dtype)
    np.cumsum(parents == number, dtype=parents.dtype, out=number)
    number -= 1
    labels = parents if in_place else np.empty_like(parents)
    for begin in range(0, len(parents), _NUMBERED_AT_ONCE):
        some = slice(begin, begin + _NUMBERED_AT_ONCE)
        labels[some] = number[parents[some]]  # in steps, because large temporary arrays are slow
    return labels


def smallest_representatives(representatives: VertexArray) -> VertexArray:
    """Replace each representative with the smallest vertex in its component.

    In the input, a representative may be any vertex of its component.
    """
    smallest = np.full(len(representatives), len(representatives), np.int32)
    np.minimum.at(smallest, representatives, np.arange(len(representatives), dtype=np.int32))
    return smallest[representatives]
