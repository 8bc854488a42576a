"""NumPy's ``.npy``: an (m, 2) array of edges, or a successor array for list ranking.

An edge array cannot say how many vertices there are: isolated vertices after the largest id are lost
unless ``read(..., vertices=n)`` states their number.
"""

from __future__ import annotations

import math
import zipfile
from typing import IO, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from pointerjump import memory, numbering
from pointerjump.errors import FormatError
from pointerjump.formats import edge_list, parsing, patterns
from pointerjump.formats.files import PathLike, as_path, base_suffix, naming
from pointerjump.formats.outputs import replacing
from pointerjump.formats.sources import Source, opened
from pointerjump.formats.text import MORE_MEMORY, Block, Text
from pointerjump.graph import Graph
from pointerjump.integers import as_integers
from pointerjump.progress import Progress


def read_npy(source: Source) -> Graph:
    """Read an (m, 2) array of integers, of which each pair is an edge."""
    edges = load_integers(source)
    if edges.ndim != 2 or (edges.shape[1] != 2 and source.columns is None):
        hint = "read_successors reads linked lists" if edges.ndim == 1 else "each pair an edge"
        raise FormatError(f"has shape {edges.shape}, but edges are an (m, 2) array ({hint})")
    sources, targets = (_column(edges, column) for column in source.columns or (0, 1))
    return numbering.graph_of_integers(sources, targets, source.ids, source.vertices)


def _column(edges: npt.NDArray[Any], column: str | int) -> npt.NDArray[Any]:
    if not isinstance(column, int):
        raise FormatError(f"has no column called {column!r}: columns of an array are numbers, from 0")
    if column >= edges.shape[1]:
        raise FormatError(f"has no column {column}: it has {edges.shape[1]} columns, numbered from 0")
    return edges[:, column]


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
    if array.dtype.kind not in "iu":
        raise FormatError(f"holds {array.dtype}, but ids are integers: save .astype(int)")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


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


def _load_array(file: BinaryIO, size: int) -> npt.NDArray[Any]:
    try:
        _require_stated_size(file, size)
        file.seek(0)
        return np.lib.format.read_array(file, allow_pickle=False)
    except (MemoryError, FormatError):
        raise
    # The header is Python source: parsing it can raise nearly anything.
    except Exception as error:
        raise FormatError(
            "is damaged, or not what np.save writes (a plain array, nothing pickled)"
        ) from error


def _require_stated_size(file: IO[bytes], size: int) -> None:
    """Refuse, before allocating, a header that states more bytes than follow it in a file of `size`."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(file)
    stated = math.prod(shape) * dtype.itemsize
    held = size - file.tell()
    if not dtype.hasobject and stated > held:
        raise FormatError(f"states {stated} bytes of numbers but has {held}: it is truncated")
    memory.require(stated, f"its array of shape {shape}", MORE_MEMORY)


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
