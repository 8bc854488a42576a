"""Readers and writers of graph files.

:func:`read` reads every format in `FORMATS`, and :func:`read_blocks` reads most of them; linked lists and
labels have their own functions. A faulty file raises a :class:`~pointerjump.errors.FormatError` that names
the file; a file that is too large raises a :class:`~pointerjump.errors.MemoryLimitError`.
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
        The file; ``.gz``, ``.bz2``, ``.xz`` and ``.zst`` files are decompressed. To read several files with
        integer ids as one, give a pattern such as ``"part-*.raw32"``, or a list; see :func:`read_blocks`.
    format : str, optional
        One of the names in `FORMATS`. Default: the suffix decides, and the content if formats share a suffix
        (``.gr`` is Galois or DIMACS; ``.txt`` is an edge list, or any text format that names itself).
    ids : {"auto", "keep", "compact"}
        How ids in edge lists and ``.npy`` files become vertices. "keep": integers are used as vertex numbers.
        "compact": vertices are numbered 0, 1, ... in ascending order of their integer ids, or in the order in
        which their string ids first appear, and the graph's ``names`` holds the ids. "auto": integers are
        kept if the number of vertices is given. They are also kept unless one is 2**31 - 1 or more, or the
        largest is both 2**24 or more and at least 64 times the number of edges. Other integers, and strings,
        are compacted.
    vertices : int, optional
        The number of vertices, for edge lists and ``.npy`` files that do not state it. Default: the largest
        id + 1. If the file states the number too, the two must agree.
    header : bool, optional
        Whether the first line of an edge list, after comments, names its columns. Default: a line of two
        numbers is not a header; a line of two names above two integers is one. Anything else is an error.
    columns : (str or int, str or int), optional
        The columns of an edge list, a ``.npy`` file or a Parquet or Arrow table that hold the ids: names from
        the header, or numbers from 0. Default: the first two columns, not counting an unnamed first column
        such as pandas' ``to_csv`` writes; in Parquet and Arrow tables, the only two integer columns.
    progress : callable, optional
        Called now and then with the share of the file that has been read, from 0 to 1.

    Returns
    -------
    Graph
        Its ``records`` is the number of data lines in an edge list, of arcs in a DIMACS file, or of stored
        entries in any other file.

    Raises
    ------
    FormatError
        If the file is missing, not in its format, or cut short.
    MemoryLimitError
        If the graph would not fit into memory.

    Warns
    -----
    FormatWarning
        If the first line is read as a header of more than two columns, and `columns` is not given.

    Notes
    -----
    The first edge of an edge list decides the type of all ids. If its two ids are integers, all ids must be
    integers. Other numbers (``1.0``, ``1e3``, ``+1``, ``0x1``) are an error: a wrong guess would not be
    noticed. With ``ids="compact"``, they are read as text.

    See Also
    --------
    write : Writes a graph.
    read_blocks : For files larger than memory.
    read_successors : For linked lists.

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
    """Read a graph and a weight for each stored edge from one file, with the options and errors of `read`.

    In edge lists, the weight is the third field of each line. In matrices, it is an entry's value.
    """
    graph, weights = _read_one(path, format, weighted=True, **options)
    assert weights is not None  # formats without weights were refused
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
    """Refuse, before any work is done, a path that `write_graph` could not write to."""
    require_writable(path)
    with naming(path) as target:
        to_write(target, format)
