"""Files of integers in records of equal length: ``.raw32``, ``.raw64`` and NumPy's ``.npy``.

Raw files contain nothing but the two ids of each edge, as little-endian signed integers. A ``.npy`` file
contains an (m, 2) array of edges. None of these formats can store the number of vertices. Isolated vertices
after the largest id are lost unless this number is specified with ``read(..., vertices=n)``.
"""

from __future__ import annotations

import io
import math
import sys
import zipfile
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import IO, Any, BinaryIO, Literal, cast

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.graph import Graph
from pointerjump.errors import FormatError
from pointerjump.formats.files import MORE_MEMORY, damage_named
from pointerjump.formats.outputs import undirected_edges
from pointerjump.formats.pieces import FileEdges, Piece, Pieces, Position, numbers_of
from pointerjump.formats.sources import FileStream, Source

NOT_NPY = "or not what np.save writes (a plain array, nothing pickled)"


@dataclass(frozen=True)
class Records:
    """A section of a file: `count` records of `width` integers each, beginning at byte `place`.

    If `count` is None, the section extends to the end of the file.
    """

    source: Source
    dtype: np.dtype[Any]
    width: int
    place: int
    count: int | None

    @property
    def record_bytes(self) -> int:
        return self.width * self.dtype.itemsize

    def take(self, stream: FileStream, count: int) -> npt.NDArray[Any]:
        """Read the next `count` records in native byte order, or fewer at the end if the total is unknown."""
        records = np.empty((count, self.width), self.dtype)  # the columns are views of this array
        filled = stream.fill(memoryview(cast(Any, records.reshape(-1))).cast("B")) if count else 0
        whole, rest = divmod(filled, self.record_bytes)
        if rest or (whole < count and self.count is not None):
            raise FormatError(
                f"ends within a record of {self.record_bytes} bytes, or before its last: it is truncated"
            )
        records = records if whole == count else records[:whole].copy()
        return records.astype(self.dtype.newbyteorder("="), copy=False)

    def open(self, start: int) -> FileStream:
        """Open the file at record `start`. The caller must close the stream."""
        return self.source.stream_at(self.place + start * self.record_bytes)

    def blocks(self, start: int, count: int) -> Generator[tuple[npt.NDArray[Any], int, int], None, None]:
        """Yield up to `count` records at a time, starting at record `start`.

        Each item is a tuple: an array of records, the index of the next record, and the number of bytes read.
        """
        at = start
        with closing(self.open(start)) as stream:
            while self.count is None or at < self.count:
                wanted = count if self.count is None else min(count, self.count - at)
                records = self.take(stream, wanted)
                at += len(records)
                if len(records):
                    yield records, at, stream.bytes_read
                if len(records) < wanted:
                    return

    def edges(self, block: int, left: int = 0, right: int = 1) -> FileEdges:
        if self.record_bytes > block:
            raise FormatError(
                f"has records of {memory.in_words(self.record_bytes)}, and memory is for blocks of "
                f"{memory.in_words(block)}: allow more memory"
            )

        def pieces(start: Position) -> Pieces:
            for records, end, bytes_read in self.blocks(start["record"], block // self.record_bytes):
                if self.width > 2:  # copied, because a view would keep the other columns in memory
                    records = records[:, [left, right]]
                source, target = (left, right) if self.width == 2 else (0, 1)
                yield Piece(records[:, source], records[:, target], {"record": end}, bytes_read)

        return FileEdges(pieces, records=self.count)


def paired(left: Records, right: Records, block: int) -> FileEdges:
    """Return edges whose sources and targets are stored apart: in two sections of a file, or in two files."""
    count = max(1, block // (left.record_bytes + right.record_bytes))

    def pieces(start: Position) -> Pieces:
        with (
            closing(left.blocks(start["record"], count)) as sources,
            closing(right.blocks(start["record"], count)) as targets,
        ):
            for (s, end, s_bytes), (t, _, t_bytes) in zip(sources, targets, strict=True):
                one_file = left.source is right.source
                bytes_read = max(s_bytes, t_bytes) if one_file else s_bytes + t_bytes
                yield Piece(s[:, 0], t[:, 0], {"record": end}, bytes_read)

    return FileEdges(pieces, records=left.count)


# -- raw files -----------------------------------------------------------------------------------------


def whole_file(source: Source, dtype: str, width: int, what: str) -> Records:
    """Return a whole file as a section of records. Raise an error if the file ends within a record."""
    records = Records(source, np.dtype(dtype), width, 0, None)
    if source.compressed or not source.path.is_file():
        return records  # their number is not known yet
    count, rest = divmod(source.size, records.record_bytes)
    if rest:
        raise FormatError(
            f"has {source.size} bytes, which is not a whole number of {what} of {records.record_bytes} "
            "bytes: it is truncated, or in another format"
        )
    return Records(source, records.dtype, width, 0, count)


def _raw_edges(dtype: str, source: Source, block: int) -> FileEdges:
    return whole_file(source, dtype, 2, "pairs").edges(block)


raw32_edges, raw64_edges = partial(_raw_edges, "<i4"), partial(_raw_edges, "<i8")


# -- .npy ----------------------------------------------------------------------------------------------


def read_npy(source: Source) -> tuple[Graph, None]:
    """Read a graph from an array of integers whose rows are edges."""
    edges = load_integers(source)
    left, right = _columns(edges.shape, source)
    return Graph.of_edges(edges[:, left], edges[:, right], source.vertices, ids=source.ids), None


def npy_edges(source: Source, block: int) -> FileEdges:
    """Return the edges in a ``.npy`` file, in C or Fortran order. Only the header is read at this point."""
    shape, in_columns, dtype, place = _header(source, integers=True)
    left, right = _columns(shape, source)
    rows, width = shape
    if not in_columns:
        return Records(source, dtype, width, place, rows).edges(block, left, right)
    sources, targets = (
        Records(source, dtype, 1, place + column * rows * dtype.itemsize, rows) for column in (left, right)
    )
    return paired(sources, targets, block)


def npy_ends(source: Source) -> Records:
    """Return the records of a ``.npy`` file that contains one endpoint of each edge."""
    shape, _, dtype, place = _header(source, integers=True)
    if len(shape) != 1:
        raise FormatError(f"has shape {shape}, but each file of a pair has a one-dimensional array")
    return Records(source, dtype, 1, place, shape[0])


def write_npy(graph: Graph, file: BinaryIO) -> None:
    """Write an (m, 2) int32 array that contains each undirected edge once."""
    np.save(file, np.column_stack(undirected_edges(graph)), allow_pickle=False)


def load_integers(source: Source) -> npt.NDArray[Any]:
    """Load the integer array in a ``.npy`` file, in native byte order."""
    shape, _, dtype, _ = _header(source, integers=True)
    memory.require(math.prod(shape) * dtype.itemsize, f"its array of shape {shape}", MORE_MEMORY)
    return np.array(mapped_array(source), dtype.newbyteorder("="), order="K")


def mapped_array(source: Source) -> npt.NDArray[Any]:
    """Return the array in a ``.npy`` file. If the file is not compressed, it is memory-mapped."""
    (shape, in_columns, dtype, place), content = _header(source), source.content
    _require_held(math.prod(shape) * dtype.itemsize, len(content) - place)
    order: Literal["F", "C"] = "F" if in_columns else "C"
    numbers = np.frombuffer(content, dtype, math.prod(shape), place)
    return numbers.reshape(shape, order=order)


def archived_array(source: Source) -> npt.NDArray[Any]:
    """Return the only array in a ``.npz`` file."""
    with source.open() as file, damage_named(NOT_NPY), zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if len(members) != 1:
            raise FormatError(f"holds {len(members)} arrays, and one is needed: save it alone, by np.save")
        with archive.open(members[0]) as array:
            _require_stated_size(array, members[0].file_size)
            array.seek(0)
            return np.lib.format.read_array(array, allow_pickle=False)


def require_members(file: BinaryIO) -> None:
    """Raise an error if the arrays in an archive would not fit into memory or are truncated."""
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        size = sum(member.file_size for member in members)
        memory.require(
            2 * size, f"unpacking its {size} bytes of arrays, and making a graph of them,", MORE_MEMORY
        )
        for member in members:
            with archive.open(member) as array:
                _require_stated_size(array, member.file_size)
    file.seek(0)


def _columns(shape: tuple[int, ...], source: Source) -> tuple[int, int]:
    if len(shape) != 2 or (shape[1] != 2 and source.columns is None):
        hint = "read_successors reads linked lists" if len(shape) == 1 else "each pair an edge"
        raise FormatError(f"has shape {shape}, but edges are an (m, 2) array ({hint})")
    for column in source.columns or ():
        if not isinstance(column, int):
            raise FormatError(f"has no column called {column!r}: columns of an array are numbers, from 0")
    left, right = numbers_of(source.columns or (0, 1), range(shape[1]), "it")
    return left, right


_Header = tuple[tuple[int, ...], bool, np.dtype[Any], int]
"""The shape of an array, whether it is in Fortran order, its dtype and the size of the header in bytes."""


def _header(source: Source, *, integers: bool = False) -> _Header:
    """Read the header of a ``.npy`` file. If `integers` is set, the dtype must be an integer type."""
    if not source.beginning:
        raise FormatError("is empty")
    with damage_named(NOT_NPY):
        shape, in_columns, dtype, place = _read_header(io.BytesIO(source.beginning))
        if any(length < 0 for length in shape):
            raise ValueError("it states a negative length")
        if 0 in shape and math.prod(length or 1 for length in shape) * dtype.itemsize > sys.maxsize:
            raise ValueError("it states a shape that no array can have")
        if dtype.hasobject:
            raise ValueError("it holds objects")
    if integers:
        if not source.compressed:
            _require_held(math.prod(shape) * dtype.itemsize, source.size - place)
        if dtype.kind not in "iu":
            raise FormatError(f"holds {dtype}, but ids are integers: save .astype(int)")
    return shape, in_columns, dtype, place


def _read_header(file: IO[bytes]) -> _Header:
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    return *read(file), file.tell()


def _require_stated_size(file: IO[bytes], size: int) -> None:
    """Raise an error if an array in a file of `size` bytes is truncated or would not fit into memory."""
    shape, _, dtype, place = _read_header(file)
    stated = math.prod(shape) * dtype.itemsize
    if not dtype.hasobject:
        _require_held(stated, size - place)
    memory.require(stated, f"its array of shape {shape}", MORE_MEMORY)


def _require_held(stated: int, held: int) -> None:
    if stated > held:
        raise FormatError(f"states {stated} bytes of numbers but has {held}: it is truncated")
