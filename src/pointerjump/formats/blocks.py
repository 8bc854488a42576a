"""Reads edges block by block, from files that may be larger than memory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy.typing as npt

from pointerjump.base.integers import as_count
from pointerjump.base.memory import as_bytes
from pointerjump.base.progress import Progress
from pointerjump.errors import FormatError
from pointerjump.formats import pieces
from pointerjump.formats.files import PathLike, as_path, files_named, name_of, name_of_all, naming
from pointerjump.formats.known import FORMATS, NO_WEIGHTS, to_read
from pointerjump.formats.pieces import DEFAULT_MEMORY, FIRST, FileEdges, Pieces, Position, gathered
from pointerjump.formats.records import npy_ends, paired
from pointerjump.formats.sources import opened, require_function

_SAMPLES, _SAMPLE_BYTES = 16, 1 << 16  # the number of samples in a file's fingerprint, and bytes per sample


class Blocks:
    """The edges of a file, read block by block.

    Each loop over the blocks reads the file from the beginning. Instances are created by :func:`read_blocks`.

    Attributes
    ----------
    path : Path, or tuple of Paths
        The file, or all files if there are several.
    format : str
        The name of the file format.
    bytes : int
        The total size of the files in bytes.
    vertices, records : int or None
        The number of vertices and the number of edges, or None if unknown.
    documents : Documents or None
        The documents (vertices) of a ``.dups`` file, or None for all other formats.
    weighted : bool
        Whether the weights of the edges are read too.

    Examples
    --------
    >>> import numpy as np
    >>> np.save("edges.npy", np.array([[0, 1], [1, 2], [4, 5]]))
    >>> blocks = read_blocks("edges.npy", memory="1GiB", vertices=6)
    >>> blocks
    <Blocks of edges.npy: npy, 6 vertices, 3 edges>
    >>> sum(len(sources) for sources, targets in blocks)
    3
    """

    def __init__(
        self,
        paths: tuple[Path, ...],
        called: tuple[Path, ...],
        format: str,
        edges: FileEdges,
        block: int,
        options: Mapping[str, Any],
        progress: Progress | None,
    ) -> None:
        self.path = paths[0] if len(paths) == 1 else paths
        self.format = format
        self.bytes = sum(path.stat().st_size for path in paths)
        self.vertices = options["vertices"] if edges.vertices is None else edges.vertices
        self.records = edges.records
        self.documents = edges.documents
        self.paths = paths
        self.called = called  # the names of the files in error messages
        self._edges = edges
        self._block = block
        self.weighted = bool(options.get("weighted"))
        self._options = options
        self._progress = progress
        self._state = _state(paths)

    def __repr__(self) -> str:
        counts = ((self.vertices, "vertices"), (self.records, "edges"))
        known = "".join(f", {count:,} {what}" for count, what in counts if count is not None)
        return f"<Blocks of {' and '.join(map(name_of, self.called))}: {self.format}{known}>"

    def __iter__(self) -> Iterator[tuple[npt.NDArray[Any], ...]]:
        """Yield the sources and targets of each block, followed by the weights if `weighted` is set."""
        with closing(self.pieces()) as pieces:
            for piece in pieces:
                yield piece.columns

    def pieces(self, start: Position | None = None) -> Pieces:
        """Yield the edges in pieces, each of which includes the position where it ends.

        Parameters
        ----------
        start : mapping, optional
            The `end` of an earlier piece, possibly from another run. Reading continues from there. A
            compressed file is decompressed again from the beginning. If the format stores a list of offsets,
            as ``.egr`` does, the list is read again.

        Yields
        ------
        Piece

        Raises
        ------
        FormatError
            If the file is not in the expected format, is truncated or has changed since it was opened.
        """
        position = FIRST if start is None else start
        if not is_position(position):
            raise FormatError(f"start is {start!r}: give the end of an earlier piece")
        if self.records is not None and position["record"] > self.records:
            raise FormatError(f"start is at edge {position['record']}, but there are {self.records}")
        with naming(*self.called):
            if _state(self.paths) != self._state:
                raise FormatError("has changed since it was opened: open it again")
            for piece in gathered(self._edges.pieces(position), self._block):
                if self._progress and self.bytes:
                    self._progress(min(1.0, piece.bytes_read / self.bytes))
                yield piece
        if self._progress:
            self._progress(1.0)

    def fingerprint(self) -> dict[str, Any]:
        """Return a fingerprint that can be used to detect changes to the files.

        For each file, the fingerprint contains the size, the modification time and a hash of sampled bytes.
        It also contains the reading options, but not the names of the files. It can be stored as JSON.
        """
        return {
            "format": self.format,
            **{
                name: list(value) if isinstance(value, tuple) else value
                for name, value in self._options.items()
            },
            "files": [_file_fingerprint(path) for path in self.paths],
        }


def difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """Return a message that describes how two fingerprints differ, or None if they are equal."""
    for name in [*before, *(name for name in now if name not in before)]:
        if name != "files" and before.get(name) != now.get(name):
            return f"{name} is {now.get(name)!r}, and was {before.get(name)!r}"
    old, new = before.get("files", []), now.get("files", [])
    if len(old) != len(new):
        return f"there are {len(new)} files, and were {len(old)}"
    words = {"size": "bytes", "mtime_ns": "nanoseconds as the time of the last change", "samples": ""}
    for left, right in zip(old, new, strict=True):
        for name, unit in words.items():
            if left.get(name) == right.get(name):
                continue
            if not unit:
                return "the file holds something else than before"
            return f"the file has {right.get(name)} {unit}, and had {left.get(name)}"
    return None


def read_blocks(
    path: PathLike | tuple[PathLike, PathLike] | list[PathLike],
    *,
    memory: int | str | None = None,
    format: str | None = None,
    vertices: int | None = None,
    header: bool | None = None,
    columns: tuple[str | int, ...] | None = None,
    weighted: bool = False,
    progress: Progress | None = None,
) -> Blocks:
    r"""Open a file of edges for reading block by block. The file may be larger than memory.

    Parameters
    ----------
    path : path, tuple of two paths, or list of paths
        The file to read, or a tuple of two ``.npy`` files that contain the sources and the targets as
        one-dimensional arrays. Text, ``.npy``, raw and ``.dups`` files may be compressed. To read several
        files of the same format one after the other, pass a list, or a pattern such as ``"part-*.raw32"``.
    memory : int or str, optional
        The maximum amount of memory used for reading, as a number of bytes or as a string such as ``"2GiB"``
        or ``"500MB"``. Defaults to 96 MiB. Each block takes up at most one eighth of this.
    format : str, optional
        As for :func:`read`.
    vertices : int, optional
        The number of vertices. If the file also states a number, it must be the same.
    header, columns : optional
        As for :func:`read`.
    weighted : bool
        Whether to read the weights of the edges too. Matrix Market, DIMACS, ``.egr`` and ``.wsg`` files may
        contain weights. In edge lists, the weight is the third field of each line. In Parquet and Arrow
        tables with three columns, the third column contains the weights. For tables with more columns,
        `columns` must specify three of them.
    progress : callable, optional
        Called for each block with the fraction of the file that has been read, from 0 to 1.

    Returns
    -------
    Blocks
        An iterable that yields the sources and the targets of each block as a pair of arrays. If `weighted`
        is set, the weights follow as a third array. The iterable can be used more than once. The arrays may
        be modified in place. They may be non-contiguous columns of a larger array.

    Raises
    ------
    FormatError
        If the file is missing, is not in the expected format, cannot be read block by block or has string
        ids. Errors in the content are raised when the block that contains them is read.

    Warns
    -----
    FormatWarning
        As for :func:`read`.

    Notes
    -----
    The ids are the integers stored in the file. They are not checked until the edges are processed. In Matrix
    Market and DIMACS files, however, ids start at 1: they are checked when they are read, and converted to
    start at 0.
    Decompression needs additional memory: up to 64 MiB for ``.xz`` and up to 128 MiB for ``.zst``.

    See Also
    --------
    read : Read a whole file as a graph, with any type of ids.

    Examples
    --------
    >>> from pathlib import Path
    >>> Path("friends.csv").write_text("who,whom,since\n4,2,2019\n2,7,2021\n")
    33
    >>> for sources, targets in read_blocks("friends.csv", header=True):
    ...     print(sources.tolist(), targets.tolist())
    [4, 2] [2, 7]
    """
    paths = _paths_of(path)
    called = paths if isinstance(path, tuple) or len(paths) == 1 else (Path(name_of_all(paths)),)
    with naming(*called):
        require_function(progress)
        block = pieces.block_within(
            DEFAULT_MEMORY if memory is None else as_bytes(memory, "memory", FormatError)
        )
        if vertices is not None:
            vertices = as_count(vertices, "vertices", FormatError)
            if vertices < 0:
                raise FormatError(f"vertices is {vertices}: it cannot be negative")
    stated: dict[str, Any] = {"vertices": vertices, "header": header, "columns": columns}
    if weighted:
        stated["weighted"] = True
    if isinstance(path, tuple):
        return Blocks(paths, called, "npy", _pair(paths, format, stated, block), block, stated, progress)
    each_file = [_edges_of(each, format, stated, block) for each in paths]
    with naming(*called):
        edges = each_file[0][1] if len(paths) == 1 else _one_after_the_other(paths, each_file)
    return Blocks(paths, called, each_file[0][0], edges, block, stated, progress)


def _edges_of(path: Path, format: str | None, stated: Mapping[str, Any], block: int) -> tuple[str, FileEdges]:
    with opened(path, **stated) as source:
        source.require_file(plain=True)
        vertices = stated["vertices"]
        chosen = to_read(source, format)
        if chosen.edges is None:
            raise FormatError(
                f"is {chosen.title}, which cannot be read block by block: convert it to one of "
                + ", ".join(known.name for known in FORMATS if known.edges)
            )
        edges = chosen.edges(source, block)
        if vertices is not None and edges.vertices not in (None, vertices):
            raise FormatError(f"states {edges.vertices} vertices, but vertices={vertices} was given")
        return chosen.name, edges


def _one_after_the_other(paths: Sequence[Path], each_file: Sequence[tuple[str, FileEdges]]) -> FileEdges:
    formats, files = zip(*each_file, strict=True)
    if len(set(formats)) > 1:
        raise FormatError(f"are of several formats, {' and '.join(sorted(set(formats)))}: give files of one")
    if any(edges.documents is not None for edges in files):
        raise FormatError("number their documents by themselves: read them one by one")

    def pieces(start: Position) -> Pieces:
        before = start.get("before", 0)
        inner: Position = {**start, "record": start["record"] - before}
        for number in range(start.get("file", 0), len(files)):
            bytes_before, end = sum(path.stat().st_size for path in paths[:number]), inner
            with naming(paths[number]):
                for piece in files[number].pieces(inner):
                    end = piece.end
                    place = {**end, "record": before + end["record"], "file": number, "before": before}
                    yield replace(piece, end=place, bytes_read=bytes_before + piece.bytes_read)
            before, inner = before + end["record"], FIRST

    vertices, records = ([getattr(edges, name) for edges in files] for name in ("vertices", "records"))
    return FileEdges(
        pieces,
        vertices=None if None in vertices else max(vertices),
        records=None if None in records else sum(records),
    )


def _paths_of(path: Any) -> tuple[Path, ...]:
    if not isinstance(path, tuple):
        if path == []:
            raise FormatError("the list of files is empty: name at least one")
        files: list[Path] = []
        for each in map(as_path, path if isinstance(path, list) else [path]):
            with naming(each):
                files += files_named(each)
        return tuple(files)
    if len(path) != 2:
        raise FormatError(
            f"path has {len(path)} files: give one, or two .npy files, of sources and of targets"
        )
    return as_path(path[0]), as_path(path[1])


def _pair(paths: tuple[Path, ...], format: str | None, stated: Mapping[str, Any], block: int) -> FileEdges:
    with naming(*paths):
        if "weighted" in stated:
            raise FormatError(NO_WEIGHTS.format("a pair of .npy files"))
        if format not in (None, "npy") or stated["header"] is not None or stated["columns"] is not None:
            raise FormatError("are a pair of .npy files: leave out format=, header= and columns=")
    tables = []
    for path in paths:
        with opened(path) as source:
            source.require_file(plain=True)
            tables.append(npy_ends(source))
    left, right = tables
    with naming(paths[1]):
        if left.count != right.count:
            raise FormatError(
                f"has {right.count} ids, but {name_of(paths[0])} has {left.count}: each edge needs both"
            )
    return paired(left, right, block)


def is_position(start: object) -> bool:
    """Return whether `start` is a valid position in a file, such as the `end` of a :class:`Piece`."""
    if not isinstance(start, Mapping) or "record" not in start:
        return False
    return all(isinstance(number, int) and 0 <= number < 2**63 for number in start.values())


def _state(paths: Iterable[Path]) -> list[tuple[int, int]]:
    # If a file is changed, its size or its modification time changes too.
    return [(state.st_size, state.st_mtime_ns) for state in map(os.stat, paths)]


def _file_fingerprint(path: Path) -> dict[str, Any]:
    state = path.stat()
    hashed = hashlib.sha256()
    last = max(0, state.st_size - _SAMPLE_BYTES)
    with naming(path), path.open("rb") as file:
        for place in range(_SAMPLES):
            file.seek(last * place // (_SAMPLES - 1))
            hashed.update(file.read(_SAMPLE_BYTES))
    return {"size": state.st_size, "mtime_ns": state.st_mtime_ns, "samples": hashed.hexdigest()}
