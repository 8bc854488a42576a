"""Label files: ``.npy``, or ``.csv`` and ``.tsv`` with a header ``vertex,label``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.errors import FormatError
from pointerjump.formats import parsing
from pointerjump.formats.arrays import load_integers
from pointerjump.formats.files import PathLike, base_suffix, naming
from pointerjump.formats.outputs import replacing, require_writable
from pointerjump.formats.sources import opened
from pointerjump.formats.text import Block, Text
from pointerjump.progress import Progress

DELIMITERS = {".csv": ",", ".tsv": "\t"}


def read_labels(path: PathLike, *, progress: Progress | None = None) -> npt.NDArray[Any]:
    """Read the label of every vertex.

    Parameters
    ----------
    path : path
        ``.npy``: a one-dimensional integer array. ``.csv`` or ``.tsv``, compressed or not: a header
        ``vertex,label`` and a line for each vertex. Vertices 0 to n - 1 may come in any order; any
        other ids are names, and their lines have to be in vertex order.
    progress : callable, optional
        Called now and then with the share of the file that has been read, from 0 to 1.

    Returns
    -------
    ndarray of int, shape (n,)
        Labels in vertex order.

    Raises
    ------
    FormatError
        If the file cannot be read, is neither, or labels a vertex twice.

    See Also
    --------
    write_labels : Makes such files, with an example.
    """
    with opened(path, progress=progress) as source:
        if _suffix(source.path) == ".npy":
            labels = load_integers(source)
            if labels.ndim != 1:
                raise FormatError(f"has shape {labels.shape}, and labels are one-dimensional")
            return labels
        return _parse(source.text, DELIMITERS[_suffix(source.path)])


def write_labels(
    path: PathLike, labels: npt.ArrayLike, names: Sequence[object] | npt.NDArray[Any] | None = None
) -> None:
    """Write the label of every vertex.

    Parameters
    ----------
    path : path
        ``.npy`` (the labels alone), ``.csv`` or ``.tsv``; compressed where ``.gz``, ``.bz2``, ``.xz``
        or ``.zst`` follows.
    labels : array_like of int, shape (n,)
        Labels in vertex order.
    names : sequence or ndarray, shape (n,), optional
        What to write for each vertex instead of its number, such as ``Graph.names``.

    Raises
    ------
    FormatError
        If the file cannot be written, its suffix is none of these, or `names` and `labels` differ in length.

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
    target = Path(path)
    array = np.asarray(labels)
    with naming(target):
        suffix = _suffix(target)
        if names is not None and len(names) != len(array):
            raise FormatError(f"cannot hold {len(names)} names for {len(array)} labels")
        with replacing(target) as file:
            if suffix == ".npy":
                np.save(file, array, allow_pickle=False)
                return
            delimiter = DELIMITERS[suffix]
            file.write(f"vertex{delimiter}label\n".encode())
            vertices = np.arange(len(array)) if names is None else names
            parsing.write_columns(file, [_names_column(vertices), array], delimiter)


def require_label_file(path: PathLike) -> None:
    """Refuse a path that `write_labels` could not write to, before any work is done for it.

    Raises
    ------
    FormatError
        If no file can be made there, or its suffix is not a label file's.
    """
    require_writable(path)
    with naming(Path(path)):
        _suffix(Path(path))


def _suffix(path: Path) -> str:
    suffix = base_suffix(path)
    if suffix != ".npy" and suffix not in DELIMITERS:
        raise FormatError(f"has the suffix {suffix!r}: label files end in .npy, .csv or .tsv")
    return suffix


def _names_column(names: Any) -> Any:
    import pyarrow as pa

    try:
        return pa.array(names)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return pa.array(["" if x is None else str(x) for x in names])  # tuples, or several types


def _parse(text: Text, delimiter: str) -> npt.NDArray[Any]:
    header = re.compile(rf'"?vertex"?{delimiter}"?label"?[ \t]*(?:\r?\n|\Z)'.encode())
    if text.take(header) is None:
        raise FormatError(f"does not begin with the line 'vertex{delimiter}label'")
    blocks = text.parsed(lambda block: _columns(block, delimiter))
    labels = np.concatenate([block[-1] for block in blocks])
    if any(len(block) == 1 for block in blocks):  # vertices that are names
        return labels
    return _in_vertex_order(np.concatenate([block[0] for block in blocks]), labels)


def _columns(block: Block, delimiter: str) -> list[npt.NDArray[Any]]:
    """Return the vertices, if they are all integers, and the labels of a block."""
    import pyarrow as pa

    found = None
    for vertex_type in (pa.int64(), pa.large_string()):
        types = {0: vertex_type, 1: pa.int64()}
        found = found or parsing.read_columns(block, delimiter, 2, types, quoted=True)
    if found is None:
        return [parsing.to_numpy(column) for column in _labels_by_lines(block, delimiter)]
    return [parsing.to_numpy(column) for column in found if column.type == pa.int64()]


def _labels_by_lines(block: Block, delimiter: str) -> Any:
    import pyarrow as pa

    return parsing.matches(
        block,
        rf'^(?:[^{delimiter}"]*|"(?:[^"]|"")*"){delimiter}(?P<label>-?[0-9]+)$',
        skip="^$",
        expected="a line holds a vertex and its label, a 64-bit integer",
        types={"label": pa.int64()},
    )


def _in_vertex_order(vertices: npt.NDArray[Any], labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return labels by vertex number; where the vertices are names, in the order they have."""
    n = len(vertices)
    if n == 0 or vertices.min() < 0 or vertices.max() >= n:
        return labels
    times = np.bincount(vertices, minlength=n)
    if times.max() > 1:
        raise FormatError(f"labels vertex {np.argmax(times)} {times.max()} times")
    ordered = np.empty_like(labels)
    ordered[vertices] = labels
    return ordered
