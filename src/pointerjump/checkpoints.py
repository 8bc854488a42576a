"""Checkpoints: the forest of a long run and its place in the input, from which another run can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pointerjump.errors import FormatError
from pointerjump.formats.blocks import difference, is_position
from pointerjump.formats.files import PathLike, as_path, naming
from pointerjump.formats.forests import Forest, read_forest, require_npz, write_forest
from pointerjump.formats.outputs import remove_unfinished, require_writable
from pointerjump.version import __version__

if TYPE_CHECKING:
    from pointerjump.disjoint_set import DisjointSet

EVERY = 60.0
"""Seconds between two checkpoints, if nobody says otherwise."""


class Input(Protocol):
    """What a long run reads."""

    def fingerprint(self) -> dict[str, Any]:
        """Return what tells this input from others, as JSON can store it."""


class Checkpoint:
    """A file with the forest of a run, and how far that run has come.

    It is what :meth:`DisjointSet.save` writes, and besides a JSON text ``about``: the version, the
    fingerprint of the input, and the place in it. It is replaced as a whole, so a run that is killed at any
    time leaves the last one.

    Parameters
    ----------
    path : path
        A ``.npz`` file, which need not exist yet.
    given : Input
        Edges in blocks, or an image in chunks.
    every : float
        Seconds between two checkpoints, at least.

    Attributes
    ----------
    resumed_after : int or None
        How many edges an earlier run had linked, if this one goes on from there.

    Raises
    ------
    FormatError
        If no such file could be written.

    Attributes
    ----------
    path : Path
    """

    def __init__(self, path: PathLike, given: Input, every: float = EVERY) -> None:
        require_writable(path)
        self.path = as_path(path)
        require_npz(self.path)
        self._every = every
        self._about = {"pointerjump": __version__, "input": given.fingerprint()}
        self._last = monotonic()
        self.resumed_after: int | None = None
        with naming(self.path):
            remove_unfinished(self.path)

    def resume(self, into: DisjointSet) -> Mapping[str, int] | None:
        """Merge what an earlier run has written, and return its place in the input; None if there is none.

        Raises
        ------
        FormatError
            If the file is damaged, or of another input, version or option.
        """
        written = self.read()
        if written is None:
            return None
        forest, end = written
        into._join_parents(forest.parents)
        return end

    def read(self) -> tuple[Forest, Mapping[str, int]] | None:
        """Return what an earlier run has written, and its place in the input; None if there is none.

        Errors are those of :meth:`resume`.
        """
        if not self.path.exists():
            return None
        forest = read_forest(self.path)
        with naming(self.path):
            about = _about(forest)
            differs = _difference(about, self._about)
            if differs is not None:
                raise FormatError(
                    f"is a checkpoint of another run: {differs}; remove it to begin anew, or name another one"
                )
        end: Mapping[str, int] = about["end"]
        self.resumed_after = end["record"]
        return forest, end

    def is_due(self) -> bool:
        """Return whether it is time for a new checkpoint."""
        return monotonic() - self._last >= self._every

    def save(self, forest: DisjointSet, end: Mapping[str, int]) -> None:
        """Write a checkpoint at a place in the input."""
        self.write(Forest(forest.labels("representative"), True), end)

    def write(self, forest: Forest, end: Mapping[str, int]) -> None:
        """Write a checkpoint with a forest on the host, and what else it holds."""
        about = np.array(json.dumps({**self._about, "end": dict(end)}))
        write_forest(self.path, Forest(forest.parents, forest.grows, {**forest.more, "about": about}))
        self._last = monotonic()

    def remove(self) -> None:
        """Remove the file: the run is over."""
        with naming(self.path):
            Path(os.path.realpath(self.path)).unlink(missing_ok=True)  # a link stays, as when it is replaced


def _about(forest: Forest) -> dict[str, Any]:
    """Return what a checkpoint says about itself."""
    try:
        about = json.loads(str(forest.more["about"][()]))
        if not is_position(about["end"]) or not isinstance(about["input"], dict):
            raise TypeError
    except (KeyError, TypeError, ValueError, IndexError, RecursionError):
        raise FormatError("is not a checkpoint: it does not say of which input") from None
    return dict(about)


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """Return in words how two runs differ, or None if one can go on where the other stopped."""
    if before.get("pointerjump") != now["pointerjump"]:
        return f"it is of version {before.get('pointerjump')}, and this is {now['pointerjump']}"
    try:
        return difference(before["input"], now["input"])
    except (AttributeError, TypeError):  # the file is damaged, or somebody has written it
        return "what it says of its input cannot be read"
