"""Readers and writers for graph files.

:func:`read` supports every format in `FORMATS`, and :func:`read_blocks` supports most of them.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from pointerjump.base.edges import Ids, check_choice
from pointerjump.base.graph import Graph
from pointerjump.base.progress import Progress
from pointerjump.errors import FormatError, GraphError
from pointerjump.formats.blocks import Blocks, read_blocks
from pointerjump.formats.files import PathLike, files_named, name_of, naming
from pointerjump.formats.known import FORMATS, Format, to_read, to_write
from pointerjump.formats.labels import read_labels, read_successors, write_labels, write_successors
from pointerjump.formats.outputs import replacing, require_writable, warn_of_lost_names
from pointerjump.formats.pieces import graph_of_pieces
from pointerjump.formats.sources import opened

__all__ = [
    "FORMATS",
    "Blocks",
    "Format",
    "read",
    "read_blocks",
    "read_labels",
    "read_successors",
    "read_weighted",
    "require_graph_file",
    "require_writable",
    "write_graph",
    "write_labels",
    "write_successors",
]


def read(
    path: PathLike | list[PathLike] | tuple[PathLike, PathLike],
    *,
    format: str | None = None,
    ids: Ids = "auto",
    vertices: int | None = None,
    header: bool | None = None,
    columns: tuple[str | int, str | int] | None = None,
    progress: Progress | None = None,
) -> Graph:
    r"""Read a graph from a file.

    Parameters
    ----------
    path : path or list of paths
        The file to read. A file ending in ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` is decompressed. To read
        several files with integer ids as one graph, pass a list of paths, or a pattern such as
        ``"part-*.raw32"``; see :func:`read_blocks`.
    format : str, optional
        The name of one of the `FORMATS`. By default, the suffix determines the format. If several formats
        share the suffix, the content decides: a ``.gr`` file may be a Galois or DIMACS file, and a ``.txt``
        file may be an edge list or a Matrix Market, DIMACS or Ligra file.
    ids : {"auto", "keep", "compact"}
        How ids are mapped to vertices in edge lists, ``.npy`` files and other formats with arbitrary ids.
        "keep": integers are used as vertex numbers. "compact": vertices are numbered 0, 1, ..., in ascending
        order of integer ids or in the order in which string ids first appear. The graph's ``names`` attribute
        then holds the ids. "auto": string ids are compacted. Integers are kept if the number of vertices is
        given. Otherwise, integers are compacted if the largest is at least 2**31 - 1. They are also
        compacted if the largest is at least 2**24 and at least 64 times the number of edges.
    vertices : int, optional
        The number of vertices. Useful for edge lists, ``.npy`` files and other formats that may not state it.
        Defaults to the largest id + 1. If the file states this number, it must be equal to `vertices`.
    header : bool, optional
        Whether the first line of an edge list, after any comments, contains the names of the columns. By
        default, a line of two numbers is read as an edge, and a line of two names followed by a line of two
        integers is read as a header. Any other first line raises an error.
    columns : (str or int, str or int), optional
        The columns that contain the ids in an edge list, a ``.npy`` file or a Parquet or Arrow table. A
        column is specified by its name in the header or by its number, counting from 0. Defaults to the first
        two columns, not counting an unnamed first column such as the index that pandas' ``to_csv`` writes. In
        Parquet and Arrow tables, the default is the two integer columns, if there are exactly two.
    progress : callable, optional
        Called periodically with the fraction of the file that has been read, from 0 to 1.

    Returns
    -------
    Graph
        The graph. Its ``records`` attribute is the number of data lines in an edge list, the number of arcs
        in a DIMACS file, or the number of stored entries in any other file.

    Raises
    ------
    FormatError
        If the file is missing, is not in the expected format or is truncated.
    MemoryLimitError
        If the graph would not fit into memory.

    Warns
    -----
    FormatWarning
        If the first line is read as a header with more than two columns, and `columns` is not given.

    Notes
    -----
    The first edge of an edge list determines the type of all ids. If both of its ids are integers, all ids
    must be integers. If the ids are numbers in another form (``1.0``, ``1e3``, ``+1``, ``0x1``), an error
    is raised, because ``1`` and ``1.0`` would be different vertices if they were read as text. With
    ``ids="compact"``, such ids are read as text.

    See Also
    --------
    write : Write a graph to a file.
    read_blocks : Read a file that is larger than memory.
    read_successors : Read linked lists.

    Examples
    --------
    >>> from pathlib import Path
    >>> import pointerjump as pj
    >>> Path("friends.csv").write_text("who,whom,since\nann,bob,2019\nbob,cid,2021\n")
    41
    >>> g = pj.read("friends.csv", header=True)
    >>> g.edges, g.names.tolist()
    (2, ['ann', 'bob', 'cid'])
    >>> pj.read("friends.csv", columns=("who", "since")).names.tolist()
    ['ann', '2019', 'bob', '2021']
    """
    if isinstance(path, list | tuple) and len(path) == 1:
        path = path[0]
    files = []
    if not isinstance(path, list | tuple):
        with naming(path) as pattern:
            files = files_named(pattern)
    if len(files) != 1:
        check_choice(ids)
        blocks = read_blocks(
            path, format=format, vertices=vertices, header=header, columns=columns, progress=progress
        )
        try:
            return graph_of_pieces(blocks.pieces(), ids, blocks.vertices)[0]
        except GraphError as error:
            raise FormatError(f"{name_of(*blocks.called)}: {error}") from error
    how = {"ids": ids, "vertices": vertices, "header": header, "columns": columns, "progress": progress}
    return _read_one(files[0], format, **how)[0]


def read_weighted(
    path: PathLike, *, format: str | None = None, **options: Any
) -> tuple[Graph, npt.NDArray[Any]]:
    """Read a graph and the weight of each stored edge. Options and errors are the same as for `read`."""
    graph, weights = _read_one(path, format, weighted=True, **options)
    assert weights is not None  # formats without weights were rejected
    return graph, weights


def _read_one(path: PathLike, format: str | None, **options: Any) -> tuple[Graph, npt.NDArray[Any] | None]:
    with opened(path, **options) as source:
        check_choice(source.ids)
        graph, weights = to_read(source, format).read(source)
        if source.vertices not in (None, graph.vertices):
            raise FormatError(f"states {graph.vertices} vertices, but vertices={source.vertices} was given")
        return graph, weights


def write_graph(graph: Graph, path: PathLike, format: str | None = None) -> None:
    """Write a graph to a file; see :func:`pointerjump.write`."""
    with naming(path) as target:
        writer = to_write(target, format)
        if graph.names is not None:
            warn_of_lost_names(target)
        with replacing(target) as file:
            graph = graph.symmetrized()  # the rows replace the edges, which are no longer needed
            writer(graph, file)


def require_graph_file(path: PathLike, format: str | None = None) -> None:
    """Check in advance that `write_graph` can write to a path."""
    require_writable(path)
    with naming(path) as target:
        to_write(target, format)
