"""Zarr arrays in local folders, read and written by zarr."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump import memory
from pointerjump.errors import FormatError
from pointerjump.formats.files import MORE_MEMORY, naming
from pointerjump.formats.images.channels import Channel, require_none
from pointerjump.formats.images.readers import ImageFile, damage_named
from pointerjump.formats.outputs import remove
from pointerjump.formats.sources import Source


class ZarrPixels:
    """Pixels that are read when they are sliced."""

    def __init__(self, path: Path, array: Any) -> None:
        self._path = path
        self._array = array
        self.shape: tuple[int, ...] = tuple(array.shape)
        self.chunks: tuple[int, ...] = tuple(array.chunks)
        self.dtype: np.dtype[Any] = np.dtype(array.dtype)
        self.ndim = len(self.shape)

    def __getitem__(self, where: Any) -> npt.NDArray[Any]:
        """Return the pixels there, in memory."""
        with naming(self._path), damage_named("a zarr array"):
            if where is ...:
                memory.require(self._array.nbytes, f"its pixels of shape {self.shape}", MORE_MEMORY)
            size = prod(self.chunks) * self.dtype.itemsize
            memory.require(size, f"a chunk of shape {self.chunks}", MORE_MEMORY)
            return np.asarray(self._array[where])


def read(source: Source, channel: Channel | None) -> ImageFile:
    """Open an array, or the only array of a group."""
    require_none(channel)
    array = _array_at(source.path)
    _require_numbers(array)
    kept = (array.metadata.zarr_format, tuple(array.chunks))
    return ImageFile(ZarrPixels(source.path, array), zarr=kept)


def _array_at(path: Path) -> Any:
    """Return the array at a path."""
    import zarr

    path.stat()  # which says why there is nothing
    with damage_named("a folder of zarr"):
        found: Any = zarr.open(str(path), mode="r")
        if isinstance(found, zarr.Array):
            return found
        arrays = [array for _, array in found.arrays()]
        if len(arrays) != 1:
            names = ", ".join(sorted(Path(array.path).name for array in arrays)[:5]) or "none"
            raise FormatError(
                f"is a group with {len(arrays)} arrays ({names}), and one is needed: name it, as in "
                f"{path.name}{os.sep}NAME"
            )
        return arrays[0]


def _require_numbers(array: Any) -> None:
    """Refuse objects before any is read: they could be pickled, and a pickle can run any program."""
    pickled = "pickle" in repr((array.filters, array.compressors)).lower()
    if pickled or np.dtype(array.dtype).kind not in "biufc":
        raise FormatError("holds objects, and not only numbers: save an array of numbers")


def require_replaceable(path: Path) -> None:
    """Refuse a folder that is there already, unless it holds one array and nothing else."""
    import zarr

    if not path.exists():
        return
    try:
        found: Any = zarr.open(str(path), mode="r")
    except Exception:  # whatever it is, it is no array
        found = None
    if not isinstance(found, zarr.Array):
        raise FormatError("is a folder that is no zarr array, so it is not replaced: name another one")


class ZarrLabels:
    """Labels that are written to a zarr array.

    If zarr fails to write one of several of its chunks, it still writes the others after the error has been
    told, while the folder is being removed. So it gets one at a time.
    """

    def __init__(self, array: Any) -> None:
        self._array = array
        self.shape: tuple[int, ...] = tuple(array.shape)
        self.dtype: np.dtype[Any] = np.dtype(array.dtype)

    def __getitem__(self, where: Any) -> npt.NDArray[Any]:
        """Return the labels there, in memory."""
        return np.asarray(self._array[where])

    def __setitem__(self, where: tuple[slice, ...], labels: npt.NDArray[Any]) -> None:
        """Write labels to a part of the array, each of whose slices has a start and a stop."""
        cuts = [
            [part.start, *range(part.start - part.start % step + step, part.stop, step), part.stop]
            for part, step in zip(where, self._array.chunks, strict=True)
        ]
        for pieces in product(*(zip(along, along[1:], strict=False) for along in cuts)):
            there = tuple(slice(begin, end) for begin, end in pieces)
            here = tuple(
                slice(begin - part.start, end - part.start)
                for (begin, end), part in zip(pieces, where, strict=True)
            )
            self._array[there] = labels[here]


def write(labels: npt.NDArray[Any], folder: Path, like: ImageFile) -> None:
    """Write labels, with the format and the chunks of the image that they are of, if it was a zarr array."""
    array = ZarrLabels(made(folder, labels.shape, labels.dtype, like))
    array[tuple(slice(0, length) for length in labels.shape)] = labels


def zarr_in_parts(place: Path, shape: tuple[int, ...], dtype: npt.DTypeLike, like: ImageFile) -> ZarrLabels:
    """Open labels to be written: those that an interrupted run has left, or a new array."""
    import zarr

    if place.exists():
        with suppress(Exception):  # whatever it is, it is no such array
            left = ZarrLabels(zarr.open_array(str(place), mode="r+"))
            if (left.shape, left.dtype) == (shape, dtype):
                return left
        remove(place)
    return ZarrLabels(made(place, shape, dtype, like))


def made(folder: Path, shape: tuple[int, ...], dtype: npt.DTypeLike, like: ImageFile) -> Any:
    """Make an array to write labels to."""
    import zarr

    version, chunks = like.zarr or (None, "auto")
    return zarr.create_array(store=str(folder), shape=shape, dtype=dtype, chunks=chunks, zarr_format=version)
