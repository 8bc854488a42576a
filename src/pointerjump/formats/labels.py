"""Files with one integer per vertex or list element: the labels of a graph, or the successors of lists."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from pointerjump.base.arrow import pa, pc
from pointerjump.base.integers import as_array, as_integers, first_outside
from pointerjump.base.progress import Progress
from pointerjump.errors import FormatError
from pointerjump.formats import parsing, patterns
from pointerjump.formats.edge_list import LEADING
from pointerjump.formats.files import DELIMITERS, PathLike, base_suffix, naming
from pointerjump.formats.outputs import replacing, require_writable, warn_of_lost_names
from pointerjump.formats.records import load_integers
from pointerjump.formats.sources import Source, opened
from pointerjump.formats.text import TextBlock, TextStart, blocks, joined, parsed


def read_labels(
    path: PathLike,
    names: Sequence[object] | npt.NDArray[Any] | None = None,
    *,
    progress: Progress | None = None,
) -> npt.NDArray[Any]:
    r"""Read the label of every vertex.

    Parameters
    ----------
    path : path
        The file to read, which may be compressed. A ``.npy`` file must contain a one-dimensional integer
        array. A ``.csv`` or ``.tsv`` file must have the header ``vertex,label`` and one line per vertex. If
        the vertices are numbered 0 to n - 1, the lines may be in any order. Any other ids are read as names.
        In that case, the lines must be in vertex order unless `names` is specified.
    names : sequence or ndarray, shape (n,), optional
        The names of the vertices in vertex order, such as ``Graph.names``. All names must be distinct. Lines
        are matched with vertices by name, so the lines may be in any order. Ignored for ``.npy`` files.
    progress : callable, optional
        Called periodically with the fraction of the file that has been read, from 0 to 1.

    Returns
    -------
    ndarray of int, shape (n,)
        The labels in vertex order.

    Raises
    ------
    FormatError
        If the file cannot be read, is not a valid label file or labels a vertex twice. If `names` is
        specified, also raised if a line contains an unknown name or if a name has no line.

    Examples
    --------
    >>> from pathlib import Path
    >>> Path("labels.csv").write_text("vertex,label\nann,0\ncid,2\nbob,0\n")
    31
    >>> read_labels("labels.csv", names=["ann", "bob", "cid"]).tolist()
    [0, 0, 2]
    """
    with opened(path, progress=progress) as source:
        if _suffix(source.path) == ".npy":
            labels = load_integers(source)
            if labels.ndim != 1:
                raise FormatError(f"has shape {labels.shape}, but labels are one-dimensional")
            return labels
        column = None if names is None else _column_of_names(names)
        return _labels_in_lines(source, DELIMITERS[_suffix(source.path)], column)


def write_labels(
    path: PathLike, labels: npt.ArrayLike, names: Sequence[object] | npt.NDArray[Any] | None = None
) -> None:
    """Write the label of every vertex.

    Parameters
    ----------
    path : path
        The file to write. The suffix must be ``.npy`` (which stores only the labels), ``.csv`` or ``.tsv``.
        The file is compressed if the suffix is followed by ``.gz``, ``.bz2``, ``.xz`` or ``.zst``.
    labels : array_like of int, shape (n,)
        The labels in vertex order.
    names : sequence or ndarray, shape (n,), optional
        The names, such as ``Graph.names``, to write instead of vertex numbers.

    Raises
    ------
    FormatError
        If the file cannot be written or has an unsupported suffix, if `labels` are not integers, or if the
        number of names differs from the number of labels.

    Warns
    -----
    FormatWarning
        If `names` is specified and the file is a ``.npy`` file, which cannot store names.

    Examples
    --------
    >>> from pathlib import Path
    >>> write_labels("labels.csv", [0, 0, 2], names=["ann", "bob", "cid"])
    >>> print(Path("labels.csv").read_text())
    vertex,label
    ann,0
    bob,0
    cid,2
    <BLANKLINE>
    >>> read_labels("labels.csv").tolist()
    [0, 0, 2]
    """
    with naming(path) as target:
        suffix = _suffix(target)
        array = as_integers(labels, "labels", FormatError)
        array = array.astype(array.dtype.newbyteorder("="), copy=False)  # Arrow supports no other byte order
        column = None if names is None else _column_of_names(names)
        if column is not None and len(column) != len(array):
            raise FormatError(f"cannot hold {len(column)} names for {len(array)} labels: give one for each")
        if column is not None and suffix == ".npy":
            warn_of_lost_names(target)
        with replacing(target) as file:
            if suffix == ".npy":
                np.save(file, array, allow_pickle=False)
                return
            delimiter = DELIMITERS[suffix]
            file.write(f"vertex{delimiter}label\n".encode())
            vertices = np.arange(len(array)) if column is None else column
            parsing.write_columns(file, [vertices, array], delimiter)


def require_label_file(path: PathLike) -> None:
    """Check in advance that `write_labels` can write to a path."""
    require_writable(path)
    with naming(path) as target:
        _suffix(target)


def read_successors(path: PathLike, *, progress: Progress | None = None) -> npt.NDArray[Any]:
    r"""Read the successor array of linked lists.

    Parameters
    ----------
    path : path
        The file to read: a ``.npy`` file with a one-dimensional integer array, or a text file with one
        integer per line. In text files, lines that begin with ``#`` or ``%`` are comments. The file may be
        compressed.
    progress : callable, optional
        Called periodically with the fraction of the file that has been read, from 0 to 1.

    Returns
    -------
    ndarray of int, shape (n,)
        The array, exactly as it is stored. `list_rank` checks whether it represents linked lists.

    Raises
    ------
    FormatError
        If the file cannot be read or is in neither format.

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
            text = TextStart(source)
            text.take(LEADING)
            (successors,) = joined(parsed(_successors, source, blocks(source, text.place)))
            return successors
        successors = load_integers(source)
        if successors.ndim != 1:
            raise FormatError(f"has shape {successors.shape}, but a successor array is one-dimensional")
        return successors


def write_successors(path: PathLike, successors: npt.ArrayLike) -> None:
    """Write the successor array of linked lists.

    Parameters
    ----------
    path : path
        The file to write. If the suffix is ``.npy``, the array is saved in NumPy's format. With any other
        suffix, it is saved as text, with one integer per line. The file is compressed if the suffix is
        followed by ``.gz``, ``.bz2``, ``.xz`` or ``.zst``.
    successors : array_like of int, shape (n,)
        The successor of each list element.

    Raises
    ------
    FormatError
        If the file cannot be written, or if `successors` is not a one-dimensional array of integers.

    Examples
    --------
    >>> write_successors("list.npy", [1, 2, 2])
    >>> read_successors("list.npy")
    array([1, 2, 2])
    """
    with naming(path) as target:
        array = as_integers(successors, "successors", FormatError)
        with replacing(target) as file:
            if base_suffix(target) == ".npy":
                np.save(file, array, allow_pickle=False)
            else:
                parsing.write_columns(file, [array], " ")


def _suffix(path: Path) -> str:
    suffix = base_suffix(path)
    if suffix != ".npy" and suffix not in DELIMITERS:
        raise FormatError(f"has the suffix {suffix!r}: label files end in .npy, .csv or .tsv")
    return suffix


def _column_of_names(names: Any) -> Any:
    """Convert names to an Arrow array of integers or strings, as they appear in a label file."""
    if isinstance(names, np.ndarray):
        if as_array(names, "names", FormatError).ndim != 1:
            raise FormatError(f"names has shape {names.shape}: it must be one-dimensional")
    elif isinstance(names, str | bytes | Mapping | Set) or not hasattr(names, "__len__"):
        raise FormatError(f"names is a {type(names).__name__}: give a list of one name for each label")
    # Arrow rejects names of mixed types, tuples and integers of more than 64 bits. Such names are written as
    # text.
    with suppress(pa.ArrowException, OverflowError, UnicodeEncodeError):
        column = pa.array(names)
        plain = pa.types.is_integer(column.type) or pa.types.is_string(column.type)
        if plain and not column.null_count:
            return column
    try:
        return pa.array(["" if name is None else str(name) for name in names], pa.string())
    except UnicodeEncodeError as error:
        raise FormatError(
            f"cannot hold the name {error.object!a}, which UTF-8 cannot write: change it"
        ) from None


def _labels_in_lines(source: Source, delimiter: str, names: Any) -> npt.NDArray[Any]:
    """Read the labels in a text file. The docstring of :func:`read_labels` explains their order."""
    header = re.compile(rf'"?vertex"?{delimiter}"?label"?[ \t]*(?:\r?\n|\Z)'.encode())
    text = TextStart(source)
    if text.take(header) is None:
        raise FormatError(
            f"does not begin with the line 'vertex{delimiter}label'; clusters of a table's ids are checked "
            "when they are made, by 'pointerjump cc --verify'"
        )
    string = pa.large_string()
    number = names.type if names is not None and names.type == pa.uint64() else pa.int64()
    types = [number, string] if names is None or pa.types.is_integer(names.type) else [string]

    def parse(block: TextBlock) -> list[Any]:
        vertices, labels = _columns(block, delimiter, types)
        if names is None and vertices.type == string:
            vertices = pa.chunked_array([pa.nulls(len(labels))])
        return [vertices, labels]

    found = parsed(parse, source, blocks(source, text.place))
    labels = np.concatenate([parsing.to_numpy(part) for _, part in found])
    numbered = all(part.type == number for part, _ in found)
    if names is not None:
        of_type = number if numbered else string
        vertices = pa.chunked_array([c for part, _ in found for c in part.cast(of_type).chunks], of_type)
        return _in_vertex_order(_places(vertices, names.cast(of_type)), labels, names)
    if not numbered:
        return labels
    numbers = np.concatenate([parsing.to_numpy(part) for part, _ in found])
    n = len(numbers)
    return (
        labels if first_outside(numbers, n) is not None else _in_vertex_order(numbers, labels, np.arange(n))
    )


def _places(vertices: Any, names: Any) -> npt.NDArray[Any]:
    if pc.count_distinct(names).as_py() < len(names):
        raise FormatError("cannot be matched with names if some of them are equal: leave names out")
    places = pc.index_in(vertices, value_set=names)
    unknown = pc.index(places.is_null(), True).as_py()
    if unknown >= 0:
        raise FormatError(f"labels {_called(vertices[unknown])}, which the graph does not have: remove it")
    return parsing.to_numpy(places)


def _columns(block: TextBlock, delimiter: str, vertex_types: list[Any]) -> list[Any]:
    for vertex_type in vertex_types:
        found = parsing.read_columns(block, delimiter, 2, {0: vertex_type, 1: pa.int64()}, quoted=True)
        if found is not None:
            return found
    bare, quoted, label = parsing.matches(
        block,
        rf'^(?:(?P<bare>[^{delimiter}"]*)|"(?P<quoted>(?:[^"]|"")*)"){delimiter}(?P<label>-?[0-9]+)$',
        {"bare": pa.large_string(), "quoted": pa.large_string(), "label": pa.int64()},
        skip="^$",
        expected="each line needs a vertex and its label, a 64-bit integer",
    )
    unquoted = pc.replace_substring(cast(Any, quoted), '""', '"')
    nothing: Any = pa.scalar("", pa.large_string())  # joins the two strings, one of which is empty
    return [pc.binary_join_element_wise(bare, unquoted, nothing), label]


def _in_vertex_order(vertices: npt.NDArray[Any], labels: npt.NDArray[Any], names: Any) -> npt.NDArray[Any]:
    """Return labels in vertex order. Raise a FormatError if a vertex has no label or more than one."""
    times = np.bincount(vertices, minlength=len(names))
    if times.max(initial=0) > 1:
        at = int(np.argmax(times))
        raise FormatError(f"labels {_called(names[at])} {times[at]} times: keep one of its lines")
    if len(vertices) < len(names):
        raise FormatError(f"does not label {_called(names[int(np.argmin(times))])}: add a line for it")
    ordered = np.empty_like(labels)
    ordered[vertices] = labels
    return ordered


def _called(name: Any) -> str:
    value = name.as_py() if hasattr(name, "as_py") else name
    text = parsing.shown(value.encode()) if isinstance(value, str) else str(value)
    return f"vertex {text}"


def _successors(block: TextBlock) -> list[npt.NDArray[Any]]:
    found = parsing.read_columns(block, "\t", 1, {0: pa.int64()})
    if found is None:
        found = parsing.matches(
            block,
            r"^\s*(?P<successor>-?[0-9]+)\s*$",
            {"successor": pa.int64()},
            skip=patterns.COMMENT_LINE,
            expected="each line of a list of successors needs one 64-bit integer",
        )
    return [parsing.to_numpy(found[0])]
