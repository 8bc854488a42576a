"""Minimum spanning forests of graphs and tables, and single-linkage clusters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from pointerjump.base.edges import Ids
from pointerjump.errors import DeviceError, GraphError
from pointerjump.ids.weighted import weighted_of
from pointerjump.solving.dendrograms import Dendrogram
from pointerjump.solving.inputs import classify, session_of
from pointerjump.solving.minimum_forest import minimum_forest_of_blocks
from pointerjump.solving.run import REFERENCE, order
from pointerjump.solving.spanning_forests import SpanningForest, find_minimum_forest
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
    devices: Any = None,
    **variant: object,
) -> SpanningForest:
    """Find the minimum spanning forest: the lightest edges that keep each component connected.

    A spanning forest has one tree for each component of the graph. The minimum spanning forest is the one
    with the smallest total weight. Among edges with equal weights, those that come first in the input are
    preferred. The result therefore depends neither on the device nor on the algorithm.

    Parameters
    ----------
    graph : object
        A graph or a table of pairs, as for :func:`components`. Loops are ignored. An edge may occur several
        times, or in both directions, with different weights; only the lightest one counts. For edges in
        blocks, pass the result of ``read_blocks(..., weighted=True)``, or an iterator over triples (sources,
        targets, weights).
    weights : array_like, shape (m,), optional
        One weight for each edge of the input. For a matrix, or a graph stored as lists of neighbors: one
        weight for each stored entry. Required for igraph, rustworkx and networkit graphs, whose
        attributes are not read. Otherwise, defaults to the graph's own weights. In a scipy matrix, the
        weights are the stored values. Explicit zeros are edges with weight 0, except in BSR and DIA
        matrices, which store zeros only to fill up blocks and diagonals. Matrix Market, ``.npz``,
        ``.egr``, ``.wsg``, METIS and DIMACS files and edge lists can contain weights. In an edge list,
        the weight is the third field of each line. If some weights in a file have fractions, all become
        floating-point numbers, so integers beyond 2**53 are rounded. Weights may be negative or infinite.
        -0.0 and 0.0 count as equal.
    maximum : bool
        Whether to find the maximum spanning forest instead, for weights that are similarities.
    weight : str, optional
        For tables, including those in files: the column with the weights. For NetworkX graphs: the edge
        attribute with the weights (default: ``"weight"``). An edge without this attribute has weight 1, as in
        NetworkX.
    source, target, where : optional
        For tables: as for :func:`components`.
    vertices, ids : optional
        As for :func:`components`.
    algorithm : str
        The name of an algorithm for minimum spanning forests, as listed by :func:`pointerjump.algorithms`, or
        ``"auto"``.
    device : optional
        As for :func:`components`.
    devices : list or "all", optional
        For edges in blocks: several devices, each of which takes the next block as soon as it is free.
    **variant
        Options of the algorithm.

    Raises
    ------
    GraphError, FormatError, TableError
        If `graph` is not a graph or a table, if the number of weights is wrong, or if a weight is NaN or not
        a number.
    AlgorithmError, DeviceError
        As for :func:`components`. Also raised if a device would have to process 2**31 edges or more.

    See Also
    --------
    minimum_spanning_tree : The same task, with scipy's parameters and results.
    single_linkage : Clusters that merge along the forest's edges, from the lightest to the heaviest.
    MinimumForest : Minimum spanning forests of graphs whose edges arrive over time.
    spanning_forest : An arbitrary spanning forest, which is faster to find than a minimum one.
    rooted_forest : The parents and depths of vertices in a forest.

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
    columns = any(each is not None for each in (source, target, where))
    columns |= weight is not None and isinstance(graph, Iterator)  # must yield tables: blocks have no columns
    numbers = any(each is not None for each in (vertices, ids, weights))
    read = classify(graph, columns=columns, numbers=numbers)
    if read.kind == "blocks":
        for name, value in (("weights", weights), ("weight", weight), ("ids", ids)):
            if value is not None:
                raise GraphError(
                    f"{name} is for edges that come at once, and these come in blocks: leave it out"
                )
        if devices is not None and device is not None:
            raise DeviceError("device and devices are both given: leave one out")
        chosen: dict[str, Any] = {"algorithm": algorithm, **variant}
        return minimum_forest_of_blocks(
            graph, maximum, device if devices is None else devices, vertices, **chosen
        )
    if devices is not None:
        raise DeviceError("devices are for edges in blocks, and these come at once: name one device")
    wanted = order("minimum-spanning-forest", algorithm, device, variant, session_of(graph))
    given = weighted_of(
        read,
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


def single_linkage(
    graph: Any, weights: npt.ArrayLike | None = None, maximum: bool = False, **options: Any
) -> Dendrogram:
    """Cluster the vertices of a graph by single linkage.

    Initially, each vertex is a cluster of its own. The edges are processed from the lightest to the heaviest.
    An edge between two clusters merges them. The height of the merge is the edge's weight.
    The clusters at a given height are therefore the components formed by the edges with weights up to that
    height. Among edges with equal weights, those that come first in the input are processed first.

    Parameters and errors are the same as for :func:`minimum_spanning_forest`. If weights are similarities,
    set `maximum` to process the heaviest edges first. To cluster a table of pairs at given thresholds, you
    can also use :func:`components_at`.

    Examples
    --------
    >>> import pointerjump as pj
    >>> h = pj.single_linkage(([0, 1, 2, 3], [1, 2, 0, 4]), [0.9, 0.4, 0.8, 0.7], maximum=True)
    >>> h.cut(height=0.8).tolist(), h.cut(height=0.7).tolist()
    ([0, 0, 0, 1, 2], [0, 0, 0, 1, 1])
    """
    return Dendrogram(minimum_spanning_forest(graph, weights, maximum, **options), maximum=bool(maximum))
