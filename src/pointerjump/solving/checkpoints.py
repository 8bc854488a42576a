"""Saves forests and checkpoints to ``.npz`` files. An interrupted run can resume from a checkpoint."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base import limits
from pointerjump.errors import FormatError
from pointerjump.formats.blocks import difference, is_position
from pointerjump.formats.files import PathLike, as_path, base_suffix, naming
from pointerjump.formats.outputs import remove_unfinished, replacing, require_writable
from pointerjump.formats.records import require_members
from pointerjump.version import __version__

EVERY = 60.0  # the default interval between checkpoints, in seconds
CHECKED_AT_ONCE = 1 << 20  # the number of parents validated at a time


@dataclass(frozen=True)
class Forest:
    """A disjoint-set forest on the host. The id of a parent is never larger than that of its child."""

    parents: npt.NDArray[Any]
    grows: bool = True  # whether the number of vertices may grow
    more: dict[str, npt.NDArray[Any]] = field(default_factory=dict)  # other arrays in the file

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {"parents": self.parents, "grows": np.array(self.grows), **self.more}

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Forest:
        """Validate arrays that were read from a file, and build a forest from them."""
        more = dict(arrays)
        parents, grows = more.pop("parents", None), more.pop("grows", None)
        if parents is None or grows is None or grows.shape != () or grows.dtype != np.bool_:
            raise FormatError("is not what DisjointSet.save writes: it needs the arrays parents and grows")
        if parents.ndim != 1 or parents.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
            raise FormatError(
                f"its parents have dtype {parents.dtype} and shape {parents.shape}, but must be "
                "one-dimensional, of int32 or int64"
            )
        for begin in range(0, len(parents), CHECKED_AT_ONCE):  # no parent exceeds its child: no cycle
            some = parents[begin : begin + CHECKED_AT_ONCE]
            wrong = (some < 0) | (some > np.arange(begin, begin + len(some)))
            if wrong.any():
                v = begin + int(np.argmax(wrong))
                raise FormatError(f"the parent of vertex {v} is {parents[v]}: it must be from 0 to {v}")
        narrow = len(parents) <= limits.MOST_NARROW_VERTICES
        return cls(parents.astype(np.int32 if narrow else np.int64, copy=False), bool(grows), more)


def write_arrays(path: PathLike, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays to a ``.npz`` file, either completely or not at all."""
    target = as_path(path)
    require_npz(target)
    with naming(target), replacing(target) as file, zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def require_npz(path: Path) -> None:
    with naming(path):
        if base_suffix(path) != ".npz" or path.suffix.lower() != ".npz":
            raise FormatError("a set is written as .npz: give the file that suffix")


def read_arrays(path: PathLike, writer: str) -> dict[str, npt.NDArray[Any]]:
    """Read the arrays that :func:`write_arrays` wrote.

    Error messages mention `writer`, the method or command-line option that writes such files.
    """
    with naming(path) as source, source.open("rb") as file:
        try:
            require_members(file)
            with np.load(file, allow_pickle=False) as archive:
                return {name: archive[name] for name in archive.files}
        except (MemoryError, FormatError):
            raise
        except Exception as error:  # zipfile, zlib and NumPy's header parser raise a dozen kinds of errors
            raise FormatError(f"is damaged, or not what {writer} writes (a .npz archive)") from error


class Checkpoint:
    """A file from which an interrupted run can resume.

    The file contains the arrays that :meth:`DisjointSet.save` or :meth:`MinimumForest.save` writes. It also
    contains a JSON string called ``about``, with the package version, the input's fingerprint and the
    position that the run has reached. Each new checkpoint replaces the file as a whole, so if the run is
    killed, the last checkpoint remains intact.

    `given` is the input: edges in blocks, or an image in chunks. `every` is the interval between checkpoints
    in seconds. `asked` contains other settings of the run. A run can resume only if these settings, the
    package version and ``given.fingerprint()`` are the same as before.
    """

    def __init__(self, path: PathLike, given: Any, every: float = EVERY, **asked: object) -> None:
        require_writable(path)
        self.path = as_path(path)
        require_npz(self.path)
        self._every = every
        self._about: dict[str, Any] = {"pointerjump": __version__, "input": {**given.fingerprint(), **asked}}
        self._last = monotonic()
        self.resumed_after: int | None = None  # the number of edges linked before the checkpoint
        with naming(self.path):
            remove_unfinished(self.path)

    def read(self) -> tuple[dict[str, npt.NDArray[Any]], Mapping[str, int]] | None:
        """Return the saved arrays and the position in the input, or None if there is no checkpoint."""
        if not self.path.exists():
            return None
        kept = read_arrays(self.path, "--checkpoint")
        with naming(self.path):
            try:
                about = json.loads(str(kept.pop("about")[()]))
                end, version, before = about["end"], about.get("pointerjump"), about["input"]
                if not is_position(end) or not isinstance(before, dict):
                    raise TypeError
            except (AttributeError, KeyError, TypeError, ValueError, IndexError, RecursionError):
                raise FormatError("is not a checkpoint: it does not say of which input") from None
            try:
                differs = difference(before, self._about["input"])
            except (AttributeError, TypeError):  # the file is damaged, or was written by hand
                differs = "what it says about its input cannot be read"
            if version != __version__:
                differs = f"it is of version {version}, and this is {__version__}"
            if differs is not None:
                raise FormatError(
                    f"is a checkpoint of another run: {differs}; remove it to begin anew, or name another one"
                )
        self.resumed_after = end["record"]
        return kept, end

    def is_due(self) -> bool:
        return monotonic() - self._last >= self._every

    def write(self, kept: Mapping[str, npt.NDArray[Any]], end: Mapping[str, int]) -> None:
        """Write a checkpoint with the arrays `kept` and the position `end` that the run has reached."""
        write_arrays(self.path, {**kept, "about": np.array(json.dumps({**self._about, "end": dict(end)}))})
        self._last = monotonic()

    def remove(self) -> None:
        with naming(self.path):
            Path(os.path.realpath(self.path)).unlink(missing_ok=True)  # if the path is a link, the link stays
