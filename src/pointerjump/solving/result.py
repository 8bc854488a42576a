"""Components of one graph, and spanning forests."""

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

NUMBERED_ON_DEVICE = 1 << 17  # vertices; with fewer, launching kernels takes longer than NumPy

_NUMBERED_AT_ONCE = 1 << 17  # vertices
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
        Each vertex's component. With ``labels="consecutive"``, components are numbered from 0, in order of
        smallest vertex; with ``labels="representative"``, each label is that smallest vertex itself. The
        dtype is int64 from 2**31 vertices on.
    stats : dict
        Facts about the run: ``algorithm``, ``variant``, ``form``, ``platform``, ``device``, ``seconds`` of
        each phase (``rows``, ``transfer``, ``build``, ``compute``, ``labels``; for edges in blocks also
        ``read``, ``join`` and ``checkpoint``), and counts, such as ``rounds`` or ``records``. To repeat a
        run, give the same algorithm and variant.

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
        """The vertices' names in the input, in an array, or None if the vertices have only numbers.

        Names are, for example, ids that ``ids="compact"`` renumbered, or the nodes of a NetworkX graph.
        """
        return self._graph.names if self._graph is not None else None

    @cached_property
    def stats(self) -> dict[str, Any]:
        """Facts about the run."""
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
        """The sizes of all components, in order of smallest vertex: an array of shape (count,)."""
        return sizes_of(self._consecutive, self.count)

    def counted(self) -> Labels:
        """Return the sizes in the labels' dtype, with as little memory as possible, but more slowly."""
        sizes = np.zeros(self.count, self.labels.dtype)
        one = sizes.dtype.type(1)
        for begin in range(0, len(self.labels), _NUMBERED_AT_ONCE):
            some = self._consecutive[begin : begin + _NUMBERED_AT_ONCE]
            np.add.at(sizes, some.astype(np.intp), one)  # only indices of this type are quick
        return sizes

    def largest(self) -> VertexArray:
        """Return the sorted vertices of the largest component; if several are equally large, of the first."""
        return largest(self._consecutive, self.sizes)

    def members(self) -> list[VertexArray]:
        """Return the sorted vertices of each component. Components are in order of smallest vertex."""
        return grouped(self._consecutive, self.sizes)

    def forest(self) -> npt.NDArray[np.int32]:
        """Find a spanning forest of the graph on the same device, and return its edges.

        The result is as for :func:`spanning_forest`. The graph is read again, so the caller's arrays must not
        have changed.
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
    """The connected components of Python objects, given in pairs or groups, or by a dict of neighbors.

    The objects are the vertices, numbered in order of first appearance; `names` holds every object once.
    Everything else is as for `Components`.

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
        """Return each component's objects, in order of first appearance."""
        assert self.names is not None
        return [set(self.names[vertices].tolist()) for vertices in super().members()]

    def largest(self) -> set[Any]:  # type: ignore[override]
        """Return the objects of the largest component; if several are equally large, of the first."""
        assert self.names is not None
        return set(self.names[super().largest()].tolist())

    def __repr__(self) -> str:
        return f"ObjectComponents(count={self.count}, objects={self.vertices})"


def find_components(
    wanted: Order, graph: Any, labels: str = "consecutive", result: type[Components] = Components
) -> Components:
    session, numbered = wanted.session, labels == "consecutive"
    on_device = numbered and (graph.vertices is None or graph.vertices >= NUMBERED_ON_DEVICE)

    def read(session: Session, plan: Plan) -> tuple[VertexArray, bool]:
        """Return labels and True, or smallest vertices that are yet to be numbered and False."""
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

    Parameters and errors are as for :func:`components`, with the algorithms for spanning forests.

    Returns
    -------
    ndarray of int32, shape (vertices - components, 2)
        Edges of the graph. Different runs may choose different edges. With ``ids="compact"``, the edges hold
        vertex numbers, not ids.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.spanning_forest(([0, 1, 2], [1, 2, 0])).shape
    (2, 2)
    """
    wanted = order("spanning-forest", algorithm, device, variant, session_of(graph))
    return find_forest(wanted, graph_input(graph, vertices, ids))[0]


def find_forest(wanted: Order, graph: Any) -> tuple[npt.NDArray[np.int32], dict[str, Any]]:
    """Find a spanning forest of a `HostGraph` or `DeviceGraph`; return its edges and facts about the run."""
    found, run = solve(
        wanted, graph, lambda session, plan: edges_of(session, plan, graph.host.vertices), flat=False
    )
    return found, run.stats()


def sizes_of(labels: Labels, count: int) -> npt.NDArray[np.int64]:
    """Return the number of vertices with each label, from 0 to count - 1.

    Labels are counted in pieces, because bincount makes an int64 copy of what it counts.
    """
    at_once = max(_COUNTED_AT_ONCE, count // 4)
    sizes = np.zeros(count, np.int64)
    for begin in range(0, len(labels), at_once):
        sizes += np.bincount(labels[begin : begin + at_once], minlength=count)
    return sizes


def largest(labels: Labels, sizes: npt.NDArray[np.int64]) -> Labels:
    """Return the sorted vertices of the largest component, given labels 0, 1, ... and the sizes."""
    if not len(labels):
        return labels
    return np.flatnonzero(labels == np.argmax(sizes)).astype(labels.dtype)


def grouped(labels: Labels, sizes: npt.NDArray[np.int64]) -> list[Labels]:
    """Return the sorted vertices of each component, given labels 0, 1, ... and the sizes."""
    if not len(labels):
        return []
    by_component = np.argsort(labels, kind="stable").astype(labels.dtype)
    return np.split(by_component, np.cumsum(sizes)[:-1])


def number_components(parents: VertexArray, *, in_place: bool = False) -> VertexArray:
    """Number components from 0 in order of their smallest vertices.

    `parents` holds the smallest vertex of each vertex's component.
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
    """Replace each representative, which may be any vertex of its component, with the smallest one."""
    smallest = np.full(len(representatives), len(representatives), np.int32)
    np.minimum.at(smallest, representatives, np.arange(len(representatives), dtype=np.int32))
    return smallest[representatives]
