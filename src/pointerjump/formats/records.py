"""Files of integers in equally long records: ``.raw32``, ``.raw64``, and NumPy's ``.npy``.

Raw files hold nothing but the two ids of each edge, as little-endian signed integers. An ``.npy`` file holds
an (m, 2) array of edges. Neither can say how many vertices there are: isolated vertices after the largest id
are lost unless ``read(..., vertices=n)`` states their number.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import IO, Any, BinaryIO, Literal, cast

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.graph import Graph
from pointerjump.errors import FormatError
from pointerjump.formats.files import MORE_MEMORY
from pointerjump.formats.outputs import undirected_edges
from pointerjump.formats.pieces import Budget, FileEdges, Piece, Pieces, Position, number_of
from pointerjump.formats.sources import FileStream, Source


@dataclass(frozen=True)
class Records:
    """A part of a file that holds nothing but records of `width` integers, from a byte on.

    If their number is not given, they go on to the end of the file.
    """

    source: Source
    dtype: np.dtype[Any]
    width: int
    place: int
    count: int | None

    @property
    def record_bytes(self) -> int:
        """The bytes of one record."""
        return self.width * self.dtype.itemsize

    def take(self, stream: FileStream, count: int) -> npt.NDArray[Any]:
        """Return the next `count` records in an array of their own, in native byte order.

        There may be fewer only if their number is not known, and only at the end.
        """
        records = np.empty((count, self.width), self.dtype)  # its columns know it as their base
        filled = stream.fill(memoryview(cast(Any, records.reshape(-1))).cast("B")) if count else 0
        whole, rest = divmod(filled, self.record_bytes)
        if rest or (whole < count and self.count is not None):
            raise FormatError(
                f"ends within a record of {self.record_bytes} bytes, or before its last: it is truncated"
            )
        records = records if whole == count else records[:whole].copy()
        if records.dtype.isnative:
            return records
        return records.byteswap(inplace=True).view(records.dtype.newbyteorder())

    def open(self, start: int) -> FileStream:
        """Return the file from a record on; the caller has to close it."""
        return self.source.stream_at(self.place + start * self.record_bytes)

    def blocks(self, start: int, count: int) -> Generator[tuple[npt.NDArray[Any], int, int], None, None]:
        """Yield `count` records at a time, the number of records up to there, and the bytes read."""
        with closing(self.open(start)) as stream:
            at = start
            while self.count is None or at < self.count:
                left = count if self.count is None else min(count, self.count - at)
                records = self.take(stream, left)
                at += len(records)
                if len(records):
                    yield records, at, stream.bytes_read
                if len(records) < left:
                    return

    def edges(self, budget: Budget, left: int = 0, right: int = 1) -> FileEdges:
        """Return the edges whose ends are in two columns."""
        if self.record_bytes > budget.block:
            raise FormatError(
                f"has records of {memory.in_words(self.record_bytes)}, and memory is for blocks of "
                f"{memory.in_words(budget.block)}: allow more memory"
            )

        def pieces(start: Position) -> Pieces:
            source, target = (left, right) if self.width == 2 else (0, 1)
            for records, end, bytes_read in self.blocks(start["record"], budget.records(self.record_bytes)):
                # Of wider records, the other columns would stay in memory.
                ends = records if self.width == 2 else records[:, [left, right]]
                yield Piece(ends[:, source], ends[:, target], {"record": end}, bytes_read)

        return FileEdges(pieces, records=self.count)


def paired(left: Records, right: Records, budget: Budget) -> FileEdges:
    """Return the edges whose sources and targets are records of width 1 in two places, or two files."""
    count = budget.records(left.record_bytes + right.record_bytes)

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
    """Return the records that fill a file, which has to be a whole number of them."""
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


def raw32_edges(source: Source, budget: Budget) -> FileEdges:
    """Return the pairs of int32 in a file."""
    return whole_file(source, "<i4", 2, "pairs").edges(budget)


def raw64_edges(source: Source, budget: Budget) -> FileEdges:
    """Return the pairs of int64 in a file."""
    return whole_file(source, "<i8", 2, "pairs").edges(budget)


# -- .npy ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Header:
    """What the header of a ``.npy`` file says, and how many bytes it takes."""

    shape: tuple[int, ...]
    in_columns: bool
    dtype: np.dtype[Any]
    nbytes: int

    @property
    def stated(self) -> int:
        """The bytes of all numbers, as the header states them."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_npy(source: Source) -> Graph:
    """Read an (m, 2) array of integers, of which each pair is an edge."""
    edges = load_integers(source)
    left, right = _columns(edges.shape, source)
    return Graph.of_edges(edges[:, left], edges[:, right], source.vertices, ids=source.ids)


def npy_edges(source: Source, budget: Budget) -> FileEdges:
    """Return the edges of an array in C's or in Fortran's order; only its header is read yet."""
    header = _header_of_integers(source)
    left, right = _columns(header.shape, source)
    rows, width = header.shape
    if not header.in_columns:
        return Records(source, header.dtype, width, header.nbytes, rows).edges(budget, left, right)
    sources, targets = (
        Records(source, header.dtype, 1, header.nbytes + column * rows * header.dtype.itemsize, rows)
        for column in (left, right)
    )
    return paired(sources, targets, budget)


def npy_ends(source: Source) -> Records:
    """Return what a file holds that has one end of each edge."""
    header = _header_of_integers(source)
    if len(header.shape) != 1:
        raise FormatError(f"has shape {header.shape}, but each file of a pair has a one-dimensional array")
    return Records(source, header.dtype, 1, header.nbytes, header.shape[0])


def write_npy(graph: Graph, file: BinaryIO) -> None:
    """Write each undirected edge once, as an (m, 2) int32 array."""
    np.save(file, np.column_stack(undirected_edges(graph)), allow_pickle=False)


def load_integers(source: Source) -> npt.NDArray[Any]:
    """Return the integer array of a ``.npy`` file, in the machine's byte order."""
    with source.open() as file:
        array = _load_array(file, len(source.content))
    _require_integers(array.dtype)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def mapped_array(source: Source) -> npt.NDArray[Any]:
    """Return the array of a ``.npy`` file, whatever it holds; a plain file is mapped, not loaded."""
    header, content = _header(source), source.content
    _require_held(header.stated, len(content) - header.nbytes)
    order: Literal["F", "C"] = "F" if header.in_columns else "C"
    with _damage_named():
        if header.dtype.hasobject:
            raise ValueError("pickled")
        if isinstance(content, bytes) or not header.stated:
            numbers = np.frombuffer(content, header.dtype, math.prod(header.shape), header.nbytes)
            return numbers.reshape(header.shape, order=order)
        return np.memmap(source.path, header.dtype, "r", header.nbytes, header.shape, order)


def archived_array(source: Source) -> npt.NDArray[Any]:
    """Return the only array of a ``.npz`` file, whatever it holds."""
    with source.open() as file, _damage_named(), zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if len(members) != 1:
            raise FormatError(f"holds {len(members)} arrays, and one is needed: save it alone, by np.save")
        with archive.open(members[0]) as array:
            return _load_array(array, members[0].file_size)


def require_members(file: BinaryIO) -> None:
    """Refuse an archive whose arrays take more memory than there is, or state more bytes than they hold."""
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
    """Return the numbers of the columns that hold the ids; refuse an array that is not one of edges."""
    if len(shape) != 2 or (shape[1] != 2 and source.columns is None):
        hint = "read_successors reads linked lists" if len(shape) == 1 else "each pair an edge"
        raise FormatError(f"has shape {shape}, but edges are an (m, 2) array ({hint})")
    names = [str(column) for column in range(shape[1])]
    for column in source.columns or ():
        if not isinstance(column, int):
            raise FormatError(f"has no column called {column!r}: columns of an array are numbers, from 0")
        number_of(column, names, "it")
    return cast(tuple[int, int], source.columns or (0, 1))


def _header_of_integers(source: Source) -> _Header:
    """Return the header of a file that holds integers; only the beginning of the file is read."""
    header = _header(source)
    if not source.compressed:
        _require_held(header.stated, source.size - header.nbytes)
    _require_integers(header.dtype)
    return header


def _header(source: Source) -> _Header:
    """Return the header of a file."""
    if not source.beginning:
        raise FormatError("is empty")
    file = io.BytesIO(source.beginning)
    with _damage_named():
        shape, in_columns, dtype = _read_header(file)
        if any(length < 0 for length in shape):
            raise ValueError("negative length")
    return _Header(shape, in_columns, dtype, file.tell())


def _require_integers(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "iu":
        raise FormatError(f"holds {dtype}, but ids are integers: save .astype(int)")


def _load_array(file: IO[bytes], size: int) -> npt.NDArray[Any]:
    with _damage_named():
        _require_stated_size(file, size)
        file.seek(0)
        return np.lib.format.read_array(file, allow_pickle=False)


@contextmanager
def _damage_named() -> Iterator[None]:
    """Turn whatever NumPy makes of a damaged file into a FormatError."""
    try:
        yield
    except (MemoryError, FormatError):
        raise
    # The header is Python source: parsing it can raise nearly anything.
    except Exception as error:
        raise FormatError(
            "is damaged, or not what np.save writes (a plain array, nothing pickled)"
        ) from error


def _require_stated_size(file: IO[bytes], size: int) -> None:
    """Refuse, before allocating, a header that states more bytes than follow it in a file of `size`."""
    shape, _, dtype = _read_header(file)
    stated = math.prod(shape) * dtype.itemsize
    if not dtype.hasobject:
        _require_held(stated, size - file.tell())
    memory.require(stated, f"its array of shape {shape}", MORE_MEMORY)


def _read_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    return read(file)


def _require_held(stated: int, held: int) -> None:
    if stated > held:
        raise FormatError(f"states {stated} bytes of numbers but has {held}: it is truncated")
