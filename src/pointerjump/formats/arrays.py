"""NumPy's ``.npy``: an (m, 2) array of edges, or a successor array for list ranking.

An edge array cannot say how many vertices there are: isolated vertices after the largest id are lost
unless ``read(..., vertices=n)`` states their number.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import IO, Any, BinaryIO, Literal

import numpy as np
import numpy.typing as npt

from pointerjump import memory
from pointerjump.errors import FormatError
from pointerjump.formats import edge_list, parsing, patterns
from pointerjump.formats.files import PathLike, as_path, base_suffix, naming
from pointerjump.formats.outputs import replacing
from pointerjump.formats.pieces import Bounds, EdgeRecords
from pointerjump.formats.sources import Source, opened
from pointerjump.formats.tables import Table, column_pieces, paired_pieces, require_bounded
from pointerjump.formats.text import MORE_MEMORY, Block, Text
from pointerjump.graph import Graph
from pointerjump.integers import as_integers
from pointerjump.progress import Progress


def read_npy(source: Source) -> Graph:
    """Read an (m, 2) array of integers, of which each pair is an edge."""
    edges = load_integers(source)
    left, right = _columns(edges.shape, source)
    return Graph.of_edges(edges[:, left], edges[:, right], source.vertices, ids=source.ids)


def _column(width: int, column: str | int) -> int:
    """Return the number of a column that the caller chose, of so many columns."""
    if not isinstance(column, int):
        raise FormatError(f"has no column called {column!r}: columns of an array are numbers, from 0")
    if column >= width:
        raise FormatError(f"has no column {column}: it has {width} columns, numbered from 0")
    return column


def _columns(shape: tuple[int, ...], source: Source) -> tuple[int, int]:
    """Return the numbers of the columns that hold the ids; refuse an array that is not one of edges."""
    if len(shape) != 2 or (shape[1] != 2 and source.columns is None):
        hint = "read_successors reads linked lists" if len(shape) == 1 else "each pair an edge"
        raise FormatError(f"has shape {shape}, but edges are an (m, 2) array ({hint})")
    left, right = (_column(shape[1], column) for column in source.columns or (0, 1))
    return left, right


def npy_records(source: Source, bounds: Bounds) -> EdgeRecords:
    """Look at the header of an array of edges, in C's or in Fortran's order."""
    header = _header_of_integers(source)
    left, right = _columns(header.shape, source)
    rows, width = header.shape
    if not header.in_columns:
        table = header.table(source, width, rows)
        require_bounded(table, bounds)
        return EdgeRecords(partial(column_pieces, table, (left, right), bounds), records=rows)
    sources, targets = (header.table(source, 1, rows, before=column * rows) for column in (left, right))
    return pair_records(sources, targets, bounds)


def ids_table(source: Source) -> Table:
    """Look at the header of a file that holds one end of each edge."""
    header = _header_of_integers(source)
    if len(header.shape) != 1:
        raise FormatError(f"has shape {header.shape}, but each file of a pair has a one-dimensional array")
    return header.table(source, 1, header.shape[0])


def pair_records(left: Table, right: Table, bounds: Bounds) -> EdgeRecords:
    """Return the edges whose ends are in two tables."""
    return EdgeRecords(partial(paired_pieces, left, right, bounds), records=left.records)


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

    def table(self, source: Source, width: int, records: int, before: int = 0) -> Table:
        """Return the part of the array that begins after so many numbers."""
        return Table(source.path, self.dtype, width, self.nbytes + before * self.dtype.itemsize, records)


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


def write_npy(graph: Graph, file: BinaryIO) -> None:
    """Write each undirected edge once, as an (m, 2) int32 array."""
    np.save(file, np.column_stack(edge_list.undirected_edges(graph)), allow_pickle=False)


def read_successors(path: PathLike, *, progress: Progress | None = None) -> npt.NDArray[Any]:
    r"""Read the successor array of linked lists.

    Parameters
    ----------
    path : path
        A ``.npy`` file of a one-dimensional integer array, or text with one integer on each line
        (``#`` and ``%`` begin comments), compressed or not.
    progress : callable, optional
        Called now and then with the share of the file that has been read, from 0 to 1.

    Returns
    -------
    ndarray of int, shape (n,)
        As it stands in the file: `list_rank` checks that it holds lists.

    Raises
    ------
    FormatError
        If the file cannot be read, or is neither.

    Examples
    --------
    >>> from pathlib import Path
    >>> Path("list.txt").write_text("1\n2\n2\n")
    6
    >>> read_successors("list.txt")
    array([1, 2, 2])
    """
    with opened(path, progress=progress) as source:
        if base_suffix(source.path) != ".npy":
            return _integers_one_a_line(source.text)
        successors = load_integers(source)
        if successors.ndim != 1:
            raise FormatError(f"has shape {successors.shape}, but a successor array is one-dimensional")
        return successors


def write_successors(path: PathLike, successors: npt.ArrayLike) -> None:
    """Write the successor array of linked lists.

    Parameters
    ----------
    path : path
        ``.npy``, or any other suffix for text with one integer on each line; compressed if ``.gz``,
        ``.bz2``, ``.xz`` or ``.zst`` follows.
    successors : array_like of int, shape (n,)

    Raises
    ------
    FormatError
        If the file cannot be written, or `successors` is not a one-dimensional array of integers.

    Examples
    --------
    >>> write_successors("list.npy", [1, 2, 2])
    >>> read_successors("list.npy")
    array([1, 2, 2])
    """
    target = as_path(path)
    with naming(target):
        array = as_integers(successors, "successors", FormatError)
        with replacing(target) as file:
            if base_suffix(target) == ".npy":
                np.save(file, array, allow_pickle=False)
            else:
                parsing.write_columns(file, [array], " ")


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


def _require_integers(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "iu":
        raise FormatError(f"holds {dtype}, but ids are integers: save .astype(int)")


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


def _integers_one_a_line(text: Text) -> npt.NDArray[Any]:
    text.skip(edge_list.LEADING)
    (successors,) = parsing.joined(text.parsed(_successors))
    return successors


def _successors(block: Block) -> list[npt.NDArray[Any]]:
    import pyarrow as pa

    found = parsing.read_columns(block, "\t", 1, {0: pa.int64()})
    if found is None:
        found = parsing.matches(
            block,
            r"^\s*(?P<successor>-?[0-9]+)\s*$",
            skip=patterns.COMMENT_LINE,
            expected="each line of a list of successors needs one 64-bit integer",
            types={"successor": pa.int64()},
        )
    return [parsing.to_numpy(found[0])]
