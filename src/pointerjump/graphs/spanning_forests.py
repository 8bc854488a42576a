"""Minimum spanning forests of whatever a caller has: :func:`minimum_spanning_forest`."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt
import scipy.sparse as sp

from pointerjump.base.edges import Ids
from pointerjump.base.graph import require_sound_blocks
from pointerjump.base.weighted import Weighted, Weights
from pointerjump.errors import GraphError, TableError
from pointerjump.formats.files import are_paths
from pointerjump.solving.inputs import as_graph, classify, session_of
from pointerjump.solving.run import REFERENCE, order
from pointerjump.solving.spanning_forests import (
    SpanningForest,
    TableOfEdges,
    checked_weights,
    find_minimum_forest,
)
from pointerjump.tables.open import Roles


def minimum_spanning_forest(
    graph: Any,
    weights: npt.ArrayLike | None = None,
    maximum: bool = False,
    *,
    weight: str | None = None,
    source: str | None = None,
    target: str | None = None,
    where: Any = None,
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
        A graph or a table of pairs, as for :func:`components`. Loops never count. An edge may be repeated, or
        given in both directions, with different weights: the lightest one counts.
    weights : array_like, shape (m,), optional
        One number for each edge of the input, or for each stored entry of a matrix or of rows. Default: what
        the graph itself has. That is the values of a scipy matrix, where explicit zeros are edges with weight
        0; a column of a table, or an attribute of a NetworkX graph's edges, which `weight` names; or the
        weights in a file (Matrix Market, ``.npz``, ``.egr``, ``.wsg``, METIS, DIMACS, or the third field of
        each line of an edge list). Weights may be negative or infinite. -0.0 equals 0.0.
    maximum : bool
        Whether to find the maximum spanning forest instead, for weights that say how alike two vertices are.
    weight : str, optional
        Tables, also in files: the column with the weights. NetworkX graphs: the attribute of edges that has
        their weights (default: ``"weight"``). An edge without it weighs 1, as in NetworkX.
    source, target, where : optional
        Tables: as for :func:`components`.
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
    GraphError, FormatError, TableError
        If `graph` is not a graph or a table, there is not one weight for each edge, or a weight is NaN or no
        number.
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
    >>> import pyarrow as pa
    >>> pairs = pa.table({"left": ["a", "b", "a"], "right": ["b", "c", "c"], "distance": [0.5, 0.1, 0.2]})
    >>> pj.minimum_spanning_forest(pairs, weight="distance").table().to_pylist()
    [{'left': 'b', 'right': 'c', 'distance': 0.1}, {'left': 'a', 'right': 'c', 'distance': 0.2}]
    """
    wanted = order("minimum-spanning-forest", algorithm, device, variant, session_of(graph))
    given = weighted_of(
        graph,
        weights,
        maximum,
        weight=weight,
        roles=Roles(source, target),
        where=where,
        vertices=vertices,
        ids=ids,
        numbering=wanted.session or REFERENCE,
    )
    return find_minimum_forest(wanted, *given)


def weighted_of(
    graph: Any,
    weights: npt.ArrayLike | None = None,
    maximum: bool = False,
    *,
    weight: str | None = None,
    roles: Roles | None = None,
    where: Any = None,
    vertices: int | None = None,
    ids: Ids | None = None,
    numbering: Any = None,
    **reading: Any,
) -> tuple[Weighted, TableOfEdges | None]:
    """Return a graph with weights, in any form that :func:`minimum_spanning_forest` takes.

    If it is a table, also return what makes a table of edges; its ids are numbered on the device `numbering`.
    Files are read with the options of :func:`read`.
    """
    numbers = vertices is not None or ids is not None or weights is not None
    roles = roles or Roles()
    columns = any(each is not None for each in (*roles, where))
    kind, what = given = classify(graph, columns=columns, numbers=numbers)
    if weight is not None and weights is not None:
        raise GraphError(f"there are both weights and weight={weight!r}: leave one of the two out")
    if kind == "table" or (kind == "files" and weight is not None):
        from pointerjump.ids.weighted import weighted_of_table

        if weights is not None or numbers:
            raise GraphError("weights, vertices and ids are for graphs, and this is a table: leave them out")
        if weight is None:
            raise TableError("the weights of a table are in a column: name it with weight= (--weight)")
        return weighted_of_table(what, roles, weight, where, maximum, numbering)
    named: Any = hasattr(what, "is_multigraph") and hasattr(what, "adj")
    if weight is not None and not named:
        raise GraphError(
            f"weight={weight!r} names a column of a table or an attribute of a NetworkX graph, and this is "
            f"a {type(what).__name__}: give weights, one for each edge"
        )
    if kind == "files" and weights is None:
        from pointerjump.formats import read_weighted

        if are_paths(what):
            raise GraphError("weights are read from one file: name one, or the weights' column with weight=")
        read, of_file = read_weighted(what, vertices=vertices, ids=ids or "auto", **reading)
        return Weighted(read, checked_weights(of_file, len(of_file)), bool(maximum)), None
    if weights is None and sp.issparse(what):
        given, weights = _in_place(what)
    elif weights is None and named:
        weights = [each for *_, each in what.edges(data=weight or "weight", default=1)]
    made = as_graph(given, vertices=vertices, ids=ids, **reading)
    edges = made.edges_as_read
    stored = len(edges.sources) if edges else made.directed_edges
    if weights is None:
        raise GraphError("the edges have no weights: give weights, one for each edge, or use spanning_forest")
    return Weighted(made, checked_weights(weights, stored), bool(maximum)), None


def _in_place(matrix: Any) -> tuple[Any, Weights]:
    """Return a scipy matrix in a format whose entries are kept in their order, and their values."""
    if matrix.format == "bsr":
        require_sound_blocks(matrix)
        matrix = matrix.tocsr()
        matrix.eliminate_zeros()
    elif matrix.format not in ("csr", "csc", "coo"):
        matrix = matrix.tocoo()
    return matrix, matrix.data[: matrix.nnz]
