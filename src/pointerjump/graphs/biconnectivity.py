"""Bridges, articulation points and blocks of graphs and tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base.edges import EdgeList, Ids
from pointerjump.ids.multigraphs import Multigraph, multigraph_of
from pointerjump.registry.algorithm import Problem
from pointerjump.solving.biconnected import (
    BiconnectedComponents,
    components_without,
    find_blocks,
    find_bridges,
    find_points,
)
from pointerjump.solving.inputs import session_of
from pointerjump.solving.result import Components
from pointerjump.solving.run import REFERENCE, Order, order
from pointerjump.tables.open import Roles


def bridges(
    graph: Any,
    *,
    source: str | None = None,
    target: str | None = None,
    where: Any = None,
    vertices: int | None = None,
    ids: Ids | None = None,
    algorithm: str = "auto",
    device: Any = None,
    **variant: object,
) -> Any:
    """Find the bridges of a graph: the edges whose removal disconnects their component.

    An edge is a bridge if and only if it does not lie on a cycle.

    Parameters
    ----------
    graph : object
        A graph or a table of pairs, as for :func:`components`. In arrays, lists and tables, each row is a
        separate edge, regardless of its direction: two rows with the same ends are parallel edges, and
        neither is a bridge. Each edge should therefore be listed once, not in both directions. The same
        applies to NetworkX multigraphs, and to igraph, networkit, rustworkx and graph-tool graphs. All other
        inputs, such as matrices, :class:`Graph` objects and graph files, have at most one edge between two
        vertices, no matter how often it is stored. Loops are ignored. If edges are passed in blocks (see
        :func:`read_blocks`), at most 4 edges per vertex are kept in memory, or 2 per vertex plus 4 million if
        that is more.
    source, target, where : optional
        For tables: as for :func:`components`.
    vertices, ids : optional
        As for :func:`components`. With ``ids="compact"``, the result contains vertex numbers, not the
        original ids.
    algorithm, device, **variant
        As for :func:`components`, except that only algorithms for bridges are accepted.

    Returns
    -------
    ndarray of int32, shape (bridges, 2), or table
        The ends of each bridge, with the smaller end first. Bridges are sorted in ascending order. For a
        table, the result is a table of the same kind with the rows that are bridges.

    Raises
    ------
    GraphError, FormatError, TableError
        If `graph` is not a graph or a table.
    AlgorithmError, DeviceError
        As for :func:`components`. Also raised if a device would have to process 2**31 edges or more.

    Warns
    -----
    PointerjumpWarning
        If every edge occurs in both directions, so that every edge has a parallel edge.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.bridges([(0, 1), (1, 2), (2, 0), (3, 2), (3, 4), (4, 3)]).tolist()
    [[2, 3]]
    >>> import pyarrow as pa
    >>> pairs = pa.table({"left": ["a", "b", "a", "c"], "right": ["b", "c", "c", "d"], "score": [9, 8, 9, 5]})
    >>> pj.bridges(pairs).to_pylist()
    [{'left': 'c', 'right': 'd', 'score': 5}]
    """
    wanted, given = _asked(
        "bridges",
        graph,
        True,
        source=source,
        target=target,
        where=where,
        vertices=vertices,
        ids=ids,
        algorithm=algorithm,
        device=device,
        **variant,
    )
    places, _ = find_bridges(wanted, given.edges)
    if not len(places):
        given.warn_if_doubled()
    if given.rows_of is not None:
        return given.rows_of(places)
    return _in_order(given.edges, places)


def articulation_points(graph: Any, **options: Any) -> Any:
    """Find the articulation points: the vertices whose removal disconnects their component.

    Articulation points are also called *cut vertices*. Parameters and errors are the same as for
    :func:`bridges`, except that only algorithms for biconnectivity are accepted. Parallel edges make no
    difference.

    Returns
    -------
    ndarray of int32, or table
        The articulation points in ascending order. For a table, the result is a table of the same kind with
        the column ``id``.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.articulation_points([(0, 1), (1, 2), (2, 0), (2, 3)]).tolist()
    [2]
    """
    wanted, given = _asked("biconnectivity", graph, False, **options)
    found = find_points(wanted, given.edges)
    return found if given.ids_of is None else given.ids_of(found)


def biconnected_components(graph: Any, **options: Any) -> BiconnectedComponents:
    """Find the biconnected components, or blocks: parts that stay connected when any one vertex is removed.

    A block is either a single bridge or a maximal set of edges such that any two of them lie on a common
    cycle. Two blocks share at most one vertex, which is then an articulation point. Parallel edges belong to
    the same block. Parameters and errors are the same as for :func:`bridges`, except that only algorithms for
    biconnectivity are accepted.

    Returns
    -------
    BiconnectedComponents
        The blocks, and one label per edge, in the order of the input. For a table, there is a label for each
        row that `where` selects.

    Examples
    --------
    >>> import pointerjump as pj
    >>> b = pj.biconnected_components(([0, 1, 2, 2, 3, 4], [1, 2, 0, 3, 4, 2]))
    >>> b.count, b.labels.tolist(), b.sizes.tolist()
    (2, [0, 0, 0, 1, 1, 1], [3, 3])
    """
    wanted, given = _asked("biconnectivity", graph, False, **options)
    return find_blocks(wanted, given.edges, given.names)


def two_edge_connected_components(graph: Any, **options: Any) -> Components:
    """Find the two-edge-connected components: the parts that stay connected when any one edge is removed.

    These are the connected components that remain when all bridges are removed. Parameters and errors are the
    same as for :func:`bridges`.

    Returns
    -------
    Components
        The components, numbered in order of their smallest vertices. For a table, ``names`` contains the ids
        in ascending order.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.two_edge_connected_components([(0, 1), (1, 2), (2, 0), (2, 3)]).labels.tolist()
    [0, 0, 0, 1]
    """
    wanted, given = _asked("bridges", graph, False, **options)
    places, run = find_bridges(wanted, given.edges)
    if not len(places):
        given.warn_if_doubled()
    found = components_without(given.edges, places, run.devices[0], given.names)
    for phase, spent in found.run.seconds.items():
        run.seconds[phase] = run.seconds.get(phase, 0.0) + spent
    found.run = run
    return found


def is_biconnected(graph: Any, **options: Any) -> bool:
    """Return whether a graph is biconnected, that is, connected and without articulation points.

    As in NetworkX, a graph with fewer than two vertices is not biconnected. Parameters and errors are the
    same as for :func:`biconnected_components`.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.is_biconnected([(0, 1), (1, 2), (2, 0)]), pj.is_biconnected([(0, 1), (1, 2)])
    (True, False)
    """
    found = biconnected_components(graph, **options)
    return found.count == 1 and int(found.sizes[0]) == found.vertices


def _asked(
    problem: Problem,
    graph: Any,
    whole: bool,
    /,
    *,
    source: str | None = None,
    target: str | None = None,
    where: Any = None,
    vertices: int | None = None,
    ids: Ids | None = None,
    algorithm: str = "auto",
    device: Any = None,
    **variant: object,
) -> tuple[Order, Multigraph]:
    wanted = order(problem, algorithm, device, variant, session_of(graph))
    given = multigraph_of(
        graph,
        roles=Roles(source, target),
        where=where,
        vertices=vertices,
        ids=ids,
        numbering=wanted.session or REFERENCE,
        whole=whole,
        bridges=problem == "bridges",
    )
    return wanted, given


def _in_order(edges: EdgeList, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    us, vs = edges.sources[places], edges.targets[places]
    pairs = np.empty((len(places), 2), "<i4")  # the smaller end is the upper half of a 64-bit integer
    np.maximum(us, vs, out=pairs[:, 0], casting="unsafe")
    np.minimum(us, vs, out=pairs[:, 1], casting="unsafe")
    pairs.view("<i8").sort(axis=0)
    return pairs[:, ::-1].astype(np.int32, order="C")
