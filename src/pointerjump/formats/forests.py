"""Disjoint-set forests in files: NumPy's ``.npz``, with each vertex's parent."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump import limits
from pointerjump.errors import FormatError
from pointerjump.formats.files import PathLike, as_path, base_suffix, naming
from pointerjump.formats.outputs import replacing
from pointerjump.formats.records import require_members

CHECKED_AT_ONCE = 1 << 20
"""Parents that are checked at a time."""


@dataclass(frozen=True)
class Forest:
    """A disjoint-set forest on the host.

    Attributes
    ----------
    parents : ndarray of int32 or int64, shape (vertices,)
        Each vertex's parent, which is no larger than the vertex; a root is its own parent.
    grows : bool
        Whether the number of vertices is left open.
    more : dict of str to array
        What else the file holds.
    """

    parents: npt.NDArray[Any]
    grows: bool
    more: dict[str, npt.NDArray[Any]] = field(default_factory=dict)


def write_forest(path: PathLike, forest: Forest) -> None:
    """Write a forest to a ``.npz`` file, whole or not at all."""
    target = as_path(path)
    require_npz(target)
    with naming(target):
        arrays = {"parents": forest.parents, "grows": np.array(forest.grows), **forest.more}
        with replacing(target) as file, zipfile.ZipFile(file, "w", allowZip64=True) as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, array, allow_pickle=False)


def require_npz(path: Path) -> None:
    """Refuse a name with another suffix than that of the files that hold forests."""
    with naming(path):
        if base_suffix(path) != ".npz" or path.suffix.lower() != ".npz":
            raise FormatError("a set is written as .npz: give the file that suffix")


def read_forest(path: PathLike) -> Forest:
    """Read a forest that :func:`write_forest` wrote; nothing in it is trusted.

    Raises
    ------
    FormatError
        If the file is missing, damaged or something else, or a parent is larger than its child.
    """
    source = as_path(path)
    with naming(source), source.open("rb") as file:
        try:
            require_members(file)
            with np.load(file, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
        except (MemoryError, FormatError):
            raise
        except Exception as error:  # zipfile, zlib and NumPy's header parser raise a dozen kinds of errors
            raise FormatError("is damaged, or not what DisjointSet.save writes (a .npz archive)") from error
        parents, grows = arrays.pop("parents", None), arrays.pop("grows", None)
        if parents is None or grows is None or grows.shape != () or grows.dtype != np.bool_:
            raise FormatError("is not what DisjointSet.save writes: it needs the arrays parents and grows")
        return Forest(_checked(parents), bool(grows), arrays)


def _checked(parents: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return parents if they are a forest: each a vertex no larger than its child, so there is no cycle."""
    if parents.ndim != 1 or parents.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
        raise FormatError(
            f"its parents have dtype {parents.dtype} and shape {parents.shape}, but must be one-dimensional, "
            "of int32 or int64"
        )
    for begin in range(0, len(parents), CHECKED_AT_ONCE):
        some = parents[begin : begin + CHECKED_AT_ONCE]
        wrong = (some < 0) | (some > np.arange(begin, begin + len(some)))
        if wrong.any():
            v = begin + int(np.argmax(wrong))
            raise FormatError(f"the parent of vertex {v} is {parents[v]}: it must be from 0 to {v}")
    if len(parents) <= limits.MOST_NARROW_VERTICES:
        return parents.astype(np.int32, copy=False)
    return parents.astype(np.int64, copy=False)
