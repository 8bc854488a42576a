"""Makes a :class:`~pointerjump.Graph` of whatever a user has, and successor arrays of files and specs."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pointerjump.errors import GraphError, SpecError
from pointerjump.formats.files import are_paths
from pointerjump.graph import Graph, Ids, check_vertex_count
from pointerjump.numbering import check_choice, graph_of_integers
from pointerjump.progress import Progress

_LIBRARIES: tuple[tuple[tuple[str, str], Callable[[Any], Graph]], ...] = (
    (("get_edgelist", "vcount"), Graph.from_igraph),
    (("iterEdges", "upperNodeIdBound"), Graph.from_networkit),
    (("edge_list", "node_indices"), Graph.from_rustworkx),
    (("get_edges", "get_vertices"), Graph.from_graph_tool),
    (("edge_index", "num_nodes"), Graph.from_torch_geometric),
    (("is_multigraph", "adj"), Graph.from_networkx),
)
"""By which attributes a library's graphs are known, without importing it; and what takes them."""


def as_graph(graph: Any, *, vertices: int | None = None, ids: Ids | None = None) -> Graph:
    """Return `graph` as a :class:`Graph`. Arrays are not copied: a later change of them changes the graph.

    Parameters
    ----------
    graph : object
        A Graph, a scipy sparse matrix or array, a tuple of two arrays (sources, targets), an (m, 2) array
        or list of edges, a path or a list of paths, or a generator spec. Or a graph of NetworkX,
        igraph, networkit, rustworkx, graph-tool or PyTorch Geometric.
    vertices : int, optional
        How many vertices there are, if edges alone don't say (default: largest id + 1).
    ids : {"keep", "compact", "auto"}, optional
        What integer ids in edges become; see :func:`pointerjump.read`. Default: "keep" for arrays,
        "auto" for files.

    Returns
    -------
    Graph

    Raises
    ------
    GraphError
        If `graph` is none of these, or has another number of vertices than `vertices` says.
    FormatError, SpecError
        If `graph` is a file or a spec that cannot be read.

    Examples
    --------
    >>> as_graph(([0, 1], [1, 2]), vertices=4).edges
    2
    >>> as_graph(([2_000_000_000, 7], [7, 9]), ids="compact").names.tolist()
    [7, 9, 2000000000]
    """
    if ids is not None:
        check_choice(ids)
    if isinstance(graph, str | PathLike) or are_paths(graph):
        return read_or_generate(graph, vertices=vertices, ids=ids or "auto")
    if isinstance(graph, np.ndarray | list | tuple):
        return graph_of_integers(graph, None, ids or "keep", vertices)
    if ids == "compact":
        raise GraphError(
            f"ids={ids!r} is for edges, but a {type(graph).__name__} already numbers its vertices: "
            "leave ids out"
        )
    return _require_vertices(_from_object(graph), vertices)


def _require_vertices(graph: Graph, vertices: int | None) -> Graph:
    """Return `graph`; refuse it if a number of vertices was stated and it has another."""
    if vertices is not None and check_vertex_count(vertices) != graph.vertices:
        raise GraphError(
            f"vertices={vertices}, but the graph given has {graph.vertices}: leave vertices out, which only "
            "edges need"
        )
    return graph


def _from_object(graph: Any) -> Graph:
    """Make a graph of an object, importing no library but the one that the object comes from."""
    if isinstance(graph, Graph):
        return graph
    if sp.issparse(graph):
        return Graph.from_scipy(graph)
    if isinstance(getattr(graph, "host", None), Graph):  # a DeviceGraph, without importing it
        return graph.host  # type: ignore[no-any-return]
    for attributes, constructor in _LIBRARIES:
        if all(hasattr(graph, attribute) for attribute in attributes):
            return constructor(graph)
    raise GraphError(
        f"cannot make a graph of {type(graph).__name__}: give a Graph, a scipy sparse matrix, a tuple "
        "(sources, targets) of arrays or of a table's columns, an (m, 2) array, a NetworkX, igraph, "
        "networkit, rustworkx, graph-tool or PyTorch Geometric graph, a path or a spec; or for edges in "
        "blocks, an iterator"
    )


def read_or_generate(text: Any, **reading: Any) -> Graph:
    """Read files, or run a generator spec. If a file has the name that a spec would have, it is read.

    `reading` is for :func:`pointerjump.read`.
    """
    from pointerjump.formats import read
    from pointerjump.generators import generate_graph, is_spec

    if isinstance(text, str) and is_spec(text):
        if reading.get("ids") == "compact":
            raise SpecError(f"{text!r}: a generator already numbers its vertices: leave ids out")
        return _require_vertices(generate_graph(text), reading.get("vertices"))
    return read(text, **reading)


def read_or_generate_list(text: str | PathLike[str], *, progress: Progress | None = None) -> npt.NDArray[Any]:
    """Read a successor array from a file, or run a generator spec. Nothing checks that it holds lists."""
    from pointerjump.formats import read_successors
    from pointerjump.generators import generate_list, is_spec

    if isinstance(text, str) and is_spec(text):
        return generate_list(text)
    return read_successors(text, progress=progress)


def write(graph: Any, path: str | PathLike[str], *, format: str | None = None) -> None:
    """Write a graph to a file, whole or not at all.

    Formats that store both directions of an edge get both, and the others get each edge once. Names are
    not written: `write_labels` writes them beside labels.

    Parameters
    ----------
    graph : Graph or anything :func:`pointerjump.components` takes
    path : path
        The file to make or replace; compressed where ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` follows
        the suffix. All but ``.zst`` hold a checksum, by which `read` notices damage.
    format : str, optional
        One of the names in `FORMATS`. Default: the suffix decides (``.gr``: Galois, ``.txt``: edge list).

    Raises
    ------
    FormatError
        If the file cannot be written, or its format is unknown or can only be read.
    GraphError
        If `graph` is not a graph.

    Warns
    -----
    FormatWarning
        If the graph has names, which the file will not hold.

    See Also
    --------
    read : The other way. All formats but ``.npy`` keep isolated vertices after the last edge.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.write(pj.Graph.from_edges([0, 1], [1, 2], vertices=5), "path.egr")
    >>> pj.read("path.egr").vertices
    5
    """
    from pointerjump.formats import write_graph

    write_graph(as_graph(graph), path, format)
