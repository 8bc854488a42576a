"""Minimum spanning forests: what they are found in, and the result."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pointerjump.accel.residents.graphs import place
from pointerjump.accel.residents.weighted import ResidentWeighted
from pointerjump.base import memory
from pointerjump.base.edges import Ids
from pointerjump.base.graph import Graph, require_sound_blocks
from pointerjump.base.integers import as_array
from pointerjump.base.weighted import WEIGHT_TYPES, Weighted, Weights
from pointerjump.errors import GraphError
from pointerjump.registry.algorithm import Form, InputFacts
from pointerjump.solving.inputs import HostGraph, as_graph, session_of
from pointerjump.solving.result import Components, find_components
from pointerjump.solving.run import Instance, Order, Run, Seconds, order, solve

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.session import Session

_BYTES_PER_VERTEX = 20
"""Host memory that reading a forest takes at its peak: the edge that joined each vertex, and places."""


def minimum_spanning_forest(
    graph: Any,
    weights: npt.ArrayLike | None = None,
    maximum: bool = False,
    *,
    weight: str | None = None,
    vertices: int | None = None,
    ids: Ids | None = None,
    algorithm: str = "auto",
    device: Any = None,
    **variant: object,
) -> SpanningForest:
    """Find the minimum spanning forest: the lightest edges that keep each component connected.

    A spanning forest has a tree for each component of the graph. The minimum spanning forest is the one with
    the smallest total weight. Of edges with equal weights, those that come first in the input are taken. So
    there is only one answer, whatever the device and the algorithm.

    Parameters
    ----------
    graph : object
        As for :func:`components`, except that it cannot be a table: edges in an (m, 2) array or in two
        arrays, a scipy matrix, a NetworkX graph. Loops never count. An edge may be repeated, or given in both
        directions, with different weights: the lightest one counts.
    weights : array_like, shape (m,), optional
        One number for each edge of the input, or for each stored entry of a matrix or of rows. Default: the
        values of a scipy matrix, where explicit zeros are edges with weight 0, or what `weight` names.
        Weights may be negative or infinite. -0.0 equals 0.0.
    maximum : bool
        Whether to find the maximum spanning forest instead, for weights that say how alike two vertices are.
    weight : str, optional
        The attribute of a NetworkX graph's edges that has their weights. Default: ``"weight"``. An edge
        without it weighs 1, as in NetworkX.
    vertices, ids : optional
        As for :func:`components`.
    algorithm : str
        A minimum-spanning-forest name from :func:`pointerjump.algorithms`, or ``"auto"``.
    device : optional
        As for :func:`components`.
    **variant
        Choices on the algorithm's axes.

    Returns
    -------
    SpanningForest

    Raises
    ------
    GraphError
        If `graph` is not a graph, there is not one weight for each edge, or a weight is NaN or no number.
    AlgorithmError, DeviceError
        As for :func:`components`; also if a device is to take 2**31 edges or more.

    See Also
    --------
    minimum_spanning_tree : scipy's function, for scipy's matrices.
    spanning_forest : Any spanning forest, faster.
    rooted_forest : Parents and depths in a forest.

    Examples
    --------
    >>> import pointerjump as pj
    >>> f = pj.minimum_spanning_forest([(0, 1), (1, 2), (2, 0), (3, 4)], [5, 2, 1, 7])
    >>> f.edges.tolist(), f.weights.tolist(), f.total, f.count
    ([[1, 2], [2, 0], [3, 4]], [2, 1, 7], 10, 2)
    >>> f.places.tolist()
    [1, 2, 3]
    """
    wanted = order("minimum-spanning-forest", algorithm, device, variant, session_of(graph))
    return find_minimum_forest(
        wanted, as_weighted(graph, weights, maximum, weight=weight, vertices=vertices, ids=ids)
    )


class SpanningForest:
    """A minimum spanning forest of a graph with weights.

    Attributes
    ----------
    places : ndarray of int64, shape (vertices - count,)
        Which edges of the input are in the forest, ascending: their numbers, counted from 0.
    weights : ndarray, shape (vertices - count,)
        Their weights.
    vertices : int
        The number of vertices.

    See Also
    --------
    minimum_spanning_forest : Finds it.

    Examples
    --------
    >>> import pointerjump as pj
    >>> f = pj.minimum_spanning_forest(([0, 1, 2], [1, 2, 0]), [0.5, 0.25, 1.0])
    >>> f.total, f.edges.tolist()
    (0.75, [[0, 1], [1, 2]])
    """

    def __init__(self, weighted: Weighted, places: npt.NDArray[np.int64], run: Run) -> None:
        self.places, self.run = places, run
        self.vertices, self.names = weighted.graph.vertices, weighted.graph.names
        self.weights: Weights = weighted.weights[places]
        sources, targets = weighted.ends
        self._edges = np.stack((sources[places], targets[places]), axis=1).astype(np.int32)

    @property
    def edges(self) -> npt.NDArray[np.int32]:
        """The edges of the forest, shape (vertices - count, 2), in the order of the input."""
        return self._edges

    @property
    def count(self) -> int:
        """The number of trees, which is that of the graph's components."""
        return self.vertices - len(self.places)

    @cached_property
    def total(self) -> int | float:
        """The sum of the weights: exact if they are integers, and otherwise summed as float64."""
        if self.weights.dtype.kind == "f":
            with np.errstate(invalid="ignore"):  # infinities of both signs
                return float(self.weights.sum(dtype=np.float64))
        high, low = self.weights.astype(np.int64) >> 32, self.weights.astype(np.int64) & 0xFFFFFFFF
        return (int(high.sum()) << 32) + int(low.sum())

    @cached_property
    def stats(self) -> dict[str, Any]:
        """Facts about the run, as for :class:`Components`."""
        return self.run.stats()

    def components(self) -> Components:
        """Return the components of the graph, found from the forest's edges, on the same device.

        Examples
        --------
        >>> import pointerjump as pj
        >>> pj.minimum_spanning_forest([(0, 1), (2, 3)], [1, 1]).components().labels.tolist()
        [0, 0, 1, 1]
        """
        graph = Graph.of_edges(self._edges, None, self.vertices, names=self.names)
        return find_components(order("components", "auto", self.run.devices[0], {}), HostGraph(graph))

    def __repr__(self) -> str:
        return f"SpanningForest(count={self.count}, vertices={self.vertices})"


def find_minimum_forest(wanted: Order, weighted: Weighted) -> SpanningForest:
    """Find the minimum spanning forest of edges with weights, given what is asked for, checked."""

    def read(session: Session, plan: Plan) -> npt.NDArray[np.int64]:
        joined_by = plan.answer(session, weighted.graph.vertices)
        places = joined_by[joined_by >= 0]
        places.sort()
        return places.astype(np.int64)

    found, run = solve(wanted, WeightedGraph(weighted), read)
    return SpanningForest(weighted, found, run)


class WeightedGraph(Instance):
    """Edges with weights on the host, for one run, whose forest fits into memory."""

    def __init__(self, host: Weighted) -> None:
        n = host.graph.vertices
        memory.require(_BYTES_PER_VERTEX * n, f"a spanning forest of {n:,} vertices")
        self.host = host

    def facts(self) -> InputFacts:
        form: Form = "edges" if self.host.graph.edges_as_read else "stored rows"
        return InputFacts(self.host.graph.vertices, len(self.host.weights), form)

    def for_reference(self, seconds: Seconds) -> tuple[Weighted]:
        return (self.host,)

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentWeighted:
        graph, weights, maximum = self.host
        with seconds.timed("transfer"):
            resident, buffer = place(graph, form, session), session.put(weights, "the weights")
        keys = self.host.keys_about()
        return ResidentWeighted(resident, buffer, weights.dtype, maximum=maximum, keys=keys)


# -- from what a caller gave to edges with weights -------------------------------------------------------


def as_weighted(
    given: Any,
    weights: npt.ArrayLike | None = None,
    maximum: bool = False,
    *,
    weight: str | None = None,
    vertices: int | None = None,
    ids: Ids | None = None,
) -> Weighted:
    """Return a graph with weights in any form that :func:`minimum_spanning_forest` takes, in place."""
    if weight is not None and weights is not None:
        raise GraphError(f"there are both weights and weight={weight!r}: leave one of the two out")
    named: Any = hasattr(given, "is_multigraph") and hasattr(given, "adj")
    if weight is not None and not named:
        raise GraphError(
            f"weight={weight!r} names an attribute of a NetworkX graph, and this is a "
            f"{type(given).__name__}: give weights, one for each edge"
        )
    if weights is None and sp.issparse(given):
        given, weights = _in_place(given)
    elif weights is None and named:
        weights = [each for *_, each in given.edges(data=weight or "weight", default=1)]
    graph = as_graph(given, vertices=vertices, ids=ids)
    edges = graph.edges_as_read
    stored = len(edges.sources) if edges else graph.directed_edges
    if weights is None:
        raise GraphError("the edges have no weights: give weights, one for each edge, or use spanning_forest")
    return Weighted(graph, _as_weights(weights, stored), bool(maximum))


def _in_place(matrix: Any) -> tuple[Any, Weights]:
    """Return a scipy matrix in a format whose entries are kept in their order, and their values."""
    if matrix.format == "bsr":
        require_sound_blocks(matrix)
        matrix = matrix.tocsr()
        matrix.eliminate_zeros()
    elif matrix.format not in ("csr", "csc", "coo"):
        matrix = matrix.tocoo()
    return matrix, matrix.data[: matrix.nnz]


def _as_weights(weights: npt.ArrayLike, edges: int) -> Weights:
    """Return weights as one of `WEIGHT_TYPES`, in the same order and without loss."""
    array = as_array(weights, "weights", GraphError)
    if array.shape != (edges,):
        raise GraphError(f"weights has shape {array.shape}: give one weight for each of {edges:,} edges")
    kind, size = array.dtype.kind, array.itemsize
    if edges == 0:
        return np.empty(0, np.float64)
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
            greatest = np.maximum.reduce(kept)  # which is NaN if one of them is
        if np.isnan(greatest):
            at = int(np.argmax(np.isnan(kept)))
            raise GraphError(
                f"weights[{at}] is NaN, neither light nor heavy: remove the edge, or give it a weight"
            )
    return kept
