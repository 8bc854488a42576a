"""The input and the result of runs that find minimum spanning forests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.accel.residents.graphs import place
from pointerjump.accel.residents.weighted import ResidentWeighted
from pointerjump.base import memory
from pointerjump.base.arrow import pa
from pointerjump.base.edges import EdgeList, VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.integers import as_array
from pointerjump.base.weighted import EXACT, WEIGHT_TYPES, Weighted, Weights
from pointerjump.errors import GraphError
from pointerjump.registry.algorithm import Form, InputFacts
from pointerjump.solving.inputs import HostGraph
from pointerjump.solving.result import Components, find_components
from pointerjump.solving.run import Instance, Order, Run, Seconds, order, solve

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.session import Session


_BYTES_PER_VERTEX = 32  # at the peak of reading a forest: an edge with its weight and position, and a copy
_BYTES_PER_EDGE = 1  # at the same time: a mark for each edge of the input


class WeightedGraph(Instance):
    """Weighted edges on the host, as the input of a run.

    If `forest` is true, the edges already form a forest, and the run finds the merges of its dendrogram.
    """

    def __init__(self, host: Weighted, *, forest: bool = False) -> None:
        n, m = host.graph.vertices, len(host.weights)
        memory.require(_BYTES_PER_VERTEX * n + _BYTES_PER_EDGE * m, f"a spanning forest of {n:,} vertices")
        self.host = host
        self._form: Form = "forest" if forest else "edges" if host.graph.edges_as_read else "stored rows"

    def facts(self) -> InputFacts:
        return InputFacts(self.host.graph.vertices, len(self.host.weights), self._form)

    def for_reference(self, seconds: Seconds) -> tuple[Weighted]:
        return (self.host,)

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentWeighted:
        graph, weights, maximum = self.host
        with seconds.timed("transfer"):
            resident = place(graph, "edges" if form == "forest" else form, session)
            buffer = session.put(weights, "the weights")
        keys = self.host.keys_about()
        return ResidentWeighted(resident, buffer, weights.dtype, maximum=maximum, keys=keys)


class TableOfEdges(NamedTuple):
    """The data needed to return edges as rows of the caller's table."""

    make: Callable[[VertexArray, Weights], Any]  # makes the table, given the edges' endpoints and weights
    places: npt.NDArray[np.int64]  # the rows of the edges
    read: int  # the number of rows read; if there are fewer places, some rows are not edges


class SpanningForest:
    """A minimum spanning forest of a weighted graph.

    Attributes
    ----------
    places : ndarray of int64, shape (vertices - count,)
        The positions of the forest's edges in the input, starting from 0, in ascending order. If the input is
        a table, only the rows selected by `where` (see :func:`minimum_spanning_forest`) are counted.
    weights : ndarray, shape (vertices - count,)
        The weights of the forest's edges.
    vertices : int
        The number of vertices.
    edges : ndarray of int32, shape (vertices - count, 2)
        The endpoints of the forest's edges, in input order.

    Examples
    --------
    >>> import pointerjump as pj
    >>> f = pj.minimum_spanning_forest(([0, 1, 2], [1, 2, 0]), [0.5, 0.25, 1.0])
    >>> f.total, f.edges.tolist()
    (0.75, [[0, 1], [1, 2]])
    >>> f.components().labels.tolist()
    [0, 0, 0]
    """

    def __init__(
        self,
        ends: Sequence[VertexArray],
        weights: Weights,
        places: npt.NDArray[np.int64],
        vertices: int,
        run: Run,
        names: npt.NDArray[Any] | None = None,
        table_of: TableOfEdges | None = None,
    ) -> None:
        self.weights, self.places, self.vertices, self.run = weights, places, vertices, run
        self.names, self._table_of = names, table_of
        self.edges = np.stack(ends, axis=1)

    @property
    def count(self) -> int:
        """The number of trees, which is also the number of components of the graph."""
        return self.vertices - len(self.places)

    @cached_property
    def total(self) -> int | float:
        """The sum of the weights. The sum of integers is exact; other weights are summed as float64."""
        if self.weights.dtype.kind == "f":
            with np.errstate(invalid="ignore", over="ignore"):  # the sum may be infinite or NaN
                return float(self.weights.sum(dtype=np.float64))
        high, low = self.weights.astype(np.int64) >> 32, self.weights.astype(np.int64) & 0xFFFFFFFF
        return (int(high.sum()) << 32) + int(low.sum())

    @cached_property
    def stats(self) -> dict[str, Any]:
        """Statistics of the run, as in :class:`Components`."""
        return self.run.stats()

    def table(self) -> Any:
        """Return the forest's edges as a table, in input order.

        If the input was a table, the result is a table of the same kind. It contains the two ids and the
        weight of each edge, and its columns have the same names as in the input. Otherwise, the result is an
        Arrow table with the columns ``source``, ``target`` and ``weight``. If vertices have names, the table
        contains the names.
        """
        if self._table_of is not None:
            return self._table_of.make(self.edges, self.weights)
        sources, targets = (self.edges if self.names is None else self.names[self.edges]).T
        return pa.table({"source": sources, "target": targets, "weight": self.weights})

    def components(self) -> Components:
        """Find the graph's components from the edges of the forest, on the device that found the forest."""
        sources, targets = self.edges.T
        graph = Graph.of_checked(EdgeList(sources, targets, self.vertices, self.names))
        return find_components(order("components", "auto", self.run.devices[0], {}), HostGraph(graph))

    def __repr__(self) -> str:
        return f"SpanningForest(count={self.count}, vertices={self.vertices})"


def find_minimum_forest(
    wanted: Order, weighted: Weighted, table_of: TableOfEdges | None = None
) -> SpanningForest:
    def read(session: Session, plan: Plan) -> npt.NDArray[np.int64]:
        joined_by = plan.answer(session, weighted.graph.vertices)
        in_forest = np.zeros(len(weighted.weights), bool)
        in_forest[joined_by[joined_by >= 0]] = True
        return np.flatnonzero(in_forest)  # in order, and in less time than a sort

    found, run = solve(wanted, WeightedGraph(weighted), read)
    ends = [end[found].astype(np.int32, copy=False) for end in weighted.ends]
    graph, weights = weighted.graph, weighted.weights[found]
    places = found if table_of is None else table_of.places[found]
    return SpanningForest(ends, weights, places, graph.vertices, run, graph.names, table_of)


def earliest_forest(edges: EdgeList, device: Any) -> npt.NDArray[np.int64]:
    """Return the sorted indices of the edges whose endpoints are not connected by earlier edges."""
    alike = Weighted(Graph.of_checked(edges), np.zeros(len(edges.sources), np.int32), False)
    return find_minimum_forest(order("minimum-spanning-forest", "auto", device, {}), alike).places


def checked_weights(weights: npt.ArrayLike, edges: int) -> Weights:
    """Validate weights, and convert them to one of the `WEIGHT_TYPES` without loss."""
    array = as_array(weights, "weights", GraphError)
    if array.shape != (edges,):
        raise GraphError(f"weights has shape {array.shape}: give one weight for each of {edges:,} edges")
    kind, size = array.dtype.kind, array.itemsize
    if edges == 0:
        return np.empty(0, np.float64)
    if kind == "f" and isinstance(weights, list | tuple):
        large = (each for each in weights if isinstance(each, int) and abs(each) >= EXACT)
        if (each := next(large, None)) is not None:
            raise GraphError(
                f"weights has {each}, which a floating-point number may not hold exactly: give an array of "
                "integers, or of floating-point numbers"
            )
    if kind not in "biuf" or size > 8:
        raise GraphError(f"weights have dtype {array.dtype}: give one of {', '.join(WEIGHT_TYPES)}")
    if kind == "u" and size == 8 and int(array.max()) >= 1 << 63:
        raise GraphError(
            f"weights[{int(np.argmax(array))}] is {array.max()}, which exceeds 63 bits: give "
            "floating-point numbers, or smaller integers"
        )
    wide = size > 4 or (kind == "u" and size == 4)
    dtype = ("float" if kind == "f" else "int") + ("64" if wide else "32")
    kept = np.ascontiguousarray(array, dtype)
    if kind == "f":
        with np.errstate(invalid="ignore"):
            greatest = np.maximum.reduce(kept)  # the maximum is NaN if a weight is
        if np.isnan(greatest):
            at = int(np.argmax(np.isnan(kept)))
            raise GraphError(
                f"weights[{at}] is NaN, neither light nor heavy: remove the edge, or give it a weight"
            )
    return kept
