"""Readers and writers of graph files.

:func:`read` and :func:`write` take every format in `FORMATS`; linked lists and labels have their own
functions. All that can be wrong with a file is one :class:`~pointerjump.errors.FormatError` that
names it.
"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from pointerjump.errors import FormatError
from pointerjump.formats.arrays import read_successors, write_successors
from pointerjump.formats.catalogue import FORMATS, Format, by_name, to_read, to_write
from pointerjump.formats.files import Ids, PathLike, Source, naming, replacing
from pointerjump.formats.labels import read_labels, write_labels
from pointerjump.graph import Graph

__all__ = [
    "FORMATS",
    "Format",
    "read",
    "read_labels",
    "read_successors",
    "write",
    "write_labels",
    "write_successors",
]


def read(
    path: PathLike,
    *,
    format: str | None = None,
    ids: Ids = "auto",
    vertices: int | None = None,
) -> Graph:
    r"""Read a graph from a file.

    Parameters
    ----------
    path : path
        The file. ``.gz``, ``.bz2``, ``.xz`` and ``.zst`` are decompressed.
    format : str, optional
        One of the names in `FORMATS`. Default: by the suffix, and by the content where formats
        share it (``.gr`` is Galois or DIMACS; ``.txt`` is an edge list, or any text format that
        says what it is).
    ids : {"auto", "keep", "compact"}
        What the ids in edge lists and ``.npy`` files become. "keep": integers are vertex numbers as
        they stand. "compact": vertices are numbered 0, 1, ... in ascending order of their integer
        ids, or as their string ids first appear, and ``names`` of the graph holds the ids. "auto":
        integers are kept unless one is 2**31 - 1 or more, or the largest is both 2**24 or more and
        at least 64 times the number of edges; a stated number of vertices keeps them too. Otherwise
        they are compacted, as strings are.
    vertices : int, optional
        How many vertices there are, for edge lists and ``.npy`` files that do not say so. Default:
        the largest id + 1. If the file does say, it has to be the same number.

    Returns
    -------
    Graph
        ``records`` counts what the file held: the data lines of an edge list, the arcs of a DIMACS
        file, and otherwise stored entries.

    Raises
    ------
    FormatError
        If the file is missing, not what its format says, or cut short. One line, with its name.

    See Also
    --------
    write : The other way.
    read_successors : For linked lists.

    Examples
    --------
    >>> from pathlib import Path
    >>> import pointerjump as pj
    >>> Path("friends.csv").write_text("who,whom\nann,bob\nbob,cid\n")
    25
    >>> g = pj.read("friends.csv")
    >>> g.edges, g.names.tolist()
    (3, ['who', 'whom', 'ann', 'bob', 'cid'])
    """
    source = Source(Path(path), ids, vertices)
    with naming(source.path):
        if ids not in get_args(Ids):
            raise FormatError(f"ids={ids!r}: choose one of {', '.join(get_args(Ids))}")
        chosen = to_read(source) if format is None else by_name(format)
        if ids == "compact" and not chosen.any_ids:
            raise FormatError(f'is {chosen.title}, whose vertices are numbered: leave ids="compact"')
        graph = chosen.reader(source)
        if vertices is not None and vertices != graph.vertices:
            raise FormatError(f"states {graph.vertices} vertices, but vertices={vertices} was given")
        return graph


def write(graph: Graph, path: PathLike, *, format: str | None = None) -> None:
    """Write a graph to a file, whole or not at all.

    Both directions of every edge are written where the format has both, otherwise each edge once.
    Names are not written: `write_labels` writes them beside labels.

    Parameters
    ----------
    graph : Graph
        The graph.
    path : path
        The file to make or replace; compressed where ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` follows
        the suffix.
    format : str, optional
        One of the names in `FORMATS`. Default: by the suffix (``.gr``: Galois, ``.txt``: edge list).

    Raises
    ------
    FormatError
        If the file cannot be written, or its format is unknown or only read.

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
    target = Path(path)
    with naming(target):
        chosen = to_write(target) if format is None else by_name(format)
        if chosen.writer is None:
            raise FormatError(f"is {chosen.title}, which is only read: choose another format")
        with replacing(target) as file:
            chosen.writer(graph, file)
