"""Labels that are written part by part, to a file that takes its place in the end."""

from __future__ import annotations

from pathlib import Path

import numpy.typing as npt

from pointerjump.errors import FormatError
from pointerjump.formats.files import PathLike, as_path, compression_of, naming
from pointerjump.formats.images.known import Opener, format_to_write
from pointerjump.formats.images.readers import ImageFile
from pointerjump.formats.outputs import put_in_place, remove, unfinished


class UnfinishedLabels:
    """Labels that are written part by part, to a file beside the one whose place they take in the end.

    Parameters
    ----------
    path : path
        ``.npy`` or ``.zarr``.
    shape, dtype
        Of the labels.
    like : ImageFile
        The image.
    continued : bool
        Whether an interrupted run may have left some, to which more are to be added.

    Attributes
    ----------
    array : object
        What they are written to.
    were_left : bool
        Whether an interrupted run has left some.

    Raises
    ------
    FormatError
        If the file cannot be made, or is of another format.
    """

    def __init__(
        self,
        path: PathLike,
        shape: tuple[int, ...],
        dtype: npt.DTypeLike,
        like: ImageFile,
        continued: bool = False,
    ) -> None:
        self._path = as_path(path)
        with naming(self._path):
            in_parts = _writer_in_parts(self._path)
            self._unfinished = unfinished(self._path, continued)
            self.were_left = self._unfinished.exists()
            try:
                self.array = in_parts(self._unfinished, shape, dtype, like)
            except BaseException:
                self.remove()
                raise

    def put_in_place(self) -> None:
        """Let them take their place: they are all written."""
        with naming(self._path):
            put_in_place(self._unfinished, self._path)

    def remove(self) -> None:
        """Remove them, unless they have taken their place."""
        remove(self._unfinished)


def require_in_parts(path: PathLike) -> None:
    """Refuse a path to which labels could not be written part by part.

    Raises
    ------
    FormatError
    """
    target = as_path(path)
    with naming(target):
        _writer_in_parts(target)


def _writer_in_parts(path: Path) -> Opener:
    chosen = format_to_write(path)
    if chosen.in_parts is None or compression_of(path):
        raise FormatError(
            "cannot be written part by part, as labels of a large image are: choose .npy or .zarr"
        )
    return chosen.in_parts
