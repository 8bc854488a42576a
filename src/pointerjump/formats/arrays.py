"""NumPy's ``.npy``: an (m, 2) array of edges, or a successor array for list ranking.

An edge array cannot say how many vertices there are: isolated vertices after the largest id are lost
unless ``read(..., vertices=n)`` gives their number.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from pointerjump.errors import FormatError
from pointerjump.formats import edge_list, numbering, parsing
from pointerjump.formats.files import Content, PathLike, Source, base_suffix, naming, replacing
from pointerjump.graph import Graph


def read_npy(source: Source) -> Graph:
    """Read an (m, 2) array of integers, one edge a row."""
    edges = load_integers(source)
    if edges.ndim != 2 or edges.shape[1] != 2:
        hint = "read_successors reads linked lists" if edges.ndim == 1 else "one edge a row"
        raise FormatError(f"has shape {edges.shape}, and edges are an (m, 2) array ({hint})")
    return numbering.graph_of_integers(edges[:, 0], edges[:, 1], source, source.vertices)


def write_npy(graph: Graph, file: BinaryIO) -> None:
    """Write each undirected edge once, as an (m, 2) int32 array."""
    np.save(file, np.column_stack(edge_list.undirected_edges(graph)), allow_pickle=False)


def read_successors(path: PathLike) -> npt.NDArray[Any]:
    r"""Read the successor array of linked lists.

    Parameters
    ----------
    path : path
        A ``.npy`` file of a one-dimensional integer array, or text with one integer a line (``#``
        and ``%`` comments), compressed or not.

    Returns
    -------
    ndarray of int, shape (n,)
        As the file has it: `list_rank` checks that these are lists.

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
    source = Source(Path(path))
    with naming(source.path):
        if base_suffix(source.path) != ".npy":
            return _integers_one_a_line(source.text)
        successors = load_integers(source)
        if successors.ndim != 1:
            raise FormatError(f"has shape {successors.shape}, and a successor array is one-dimensional")
        return successors


def write_successors(path: PathLike, successors: npt.ArrayLike) -> None:
    """Write the successor array of linked lists.

    Parameters
    ----------
    path : path
        ``.npy``, or any other suffix for text with one integer a line; compressed where ``.gz``,
        ``.bz2``, ``.xz`` or ``.zst`` follows.
    successors : array_like of int, shape (n,)

    Raises
    ------
    FormatError
        If the file cannot be written.

    Examples
    --------
    >>> write_successors("list.npy", [1, 2, 2])
    >>> read_successors("list.npy")
    array([1, 2, 2])
    """
    target, array = Path(path), np.asarray(successors)
    with naming(target), replacing(target) as file:
        if base_suffix(target) == ".npy":
            np.save(file, array, allow_pickle=False)
        else:
            parsing.write_columns(file, [array], " ")


def load_integers(source: Source) -> npt.NDArray[Any]:
    """Return the integer array of a ``.npy`` file, in the machine's byte order."""
    with source.open() as file:
        try:
            array = np.lib.format.read_array(file, allow_pickle=False)
        except MemoryError:
            raise
        # The header is Python source, with all that can be wrong with it.
        except Exception as error:
            raise FormatError(
                "is damaged, or not what np.save writes (a plain array, nothing pickled)"
            ) from error
    if array.dtype.kind not in "iu":
        raise FormatError(f"holds {array.dtype}, and ids are integers: save .astype(int)")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _integers_one_a_line(text: Content) -> npt.NDArray[np.int64]:
    import pyarrow as pa

    start = edge_list.start_of_data(text)
    if start == len(text):
        return np.empty(0, np.int64)
    found = None
    if not parsing.has_hexadecimal(text, start):
        found = parsing.columns(parsing.after(text, start), "\t", 1, {0: pa.int64()})
    if found is None:
        found = parsing.matches(
            text,
            start,
            r"^\s*(?P<successor>-?[0-9]+)\s*$",
            skip=parsing.COMMENT_LINE,
            expected="a list of successors has one 64-bit integer a line",
            of_type=pa.int64(),
        )
    return np.array(parsing.to_numpy(found[0]))
