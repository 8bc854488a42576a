"""Arrays that may be larger than memory: local zarr arrays, and ``.npy`` files written one part at a time."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.images import Pixels
from pointerjump.errors import FormatError
from pointerjump.formats.files import MORE_MEMORY, damage_named, naming
from pointerjump.formats.images.pictures import ImageFile
from pointerjump.formats.outputs import remove
from pointerjump.formats.sources import Source


def npy_in_parts(place: Path, shape: tuple[int, ...], dtype: npt.DTypeLike, _: ImageFile) -> Pixels:
    """Memory-map the labels that an interrupted run has left at `place`, or create a new file."""
    if place.exists():
        with suppress(ValueError):  # the file does not contain such labels
            left = np.lib.format.open_memmap(place, "r+")
            if (left.shape, left.dtype) == (shape, dtype):
                return left
    labels = np.lib.format.open_memmap(place, "w+", np.dtype(dtype), shape)
    # Space is reserved first: if the disk were full, writing to the mapped memory would kill the process.
    if hasattr(os, "posix_fallocate"):
        with place.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, place.stat().st_size)
    return labels


class ZarrArray:
    """A zarr array that is read and written in slices."""

    def __init__(self, path: Path, array: Any) -> None:
        self._path, self._array = path, array
        self.shape: tuple[int, ...] = tuple(array.shape)
        self.chunks: tuple[int, ...] = tuple(array.chunks)
        self.dtype: np.dtype[Any] = np.dtype(array.dtype)

    def __getitem__(self, where: Any) -> Pixels:
        with naming(self._path), damage_named("or not a zarr array"):
            if where is ...:
                memory.require(self._array.nbytes, f"its pixels of shape {self.shape}", MORE_MEMORY)
            size = prod(self.chunks) * self.dtype.itemsize
            memory.require(size, f"a chunk of shape {self.chunks}", MORE_MEMORY)
            return np.asarray(self._array[where])

    def __setitem__(self, where: tuple[slice, ...], labels: Pixels) -> None:
        """Write labels to the part of the array that `where` selects. Each slice needs a start and a stop.

        If zarr fails on one of several chunks, it raises an error but still writes the others, even while the
        caller is removing the folder. Therefore, chunks are passed to zarr one at a time.
        """
        cuts = [
            [part.start, *range(part.start - part.start % step + step, part.stop, step), part.stop]
            for part, step in zip(where, self.chunks, strict=True)
        ]
        for pieces in product(*(zip(along, along[1:], strict=False) for along in cuts)):
            there = tuple(slice(begin, end) for begin, end in pieces)
            here = tuple(
                slice(begin - part.start, end - part.start)
                for (begin, end), part in zip(pieces, where, strict=True)
            )
            self._array[there] = labels[here]


def read_zarr(source: Source) -> ImageFile:
    """Open an array, or the only array in a group. Its pixels are not read until it is sliced."""
    array = _array_at(source.path)
    # Objects are rejected before they are read: they may be pickled, and unpickling can run any program.
    pickled = "pickle" in repr((array.filters, array.compressors)).lower()
    if pickled or np.dtype(array.dtype).kind not in "biufc":
        raise FormatError("holds objects, and not only numbers: save an array of numbers")
    kept = (array.metadata.zarr_format, tuple(array.chunks))
    return ImageFile(ZarrArray(source.path, array), zarr=kept)


def _array_at(path: Path) -> Any:
    import zarr

    path.stat()  # raises an error if nothing is there
    with damage_named("or not a folder of zarr"):
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


def require_replaceable(path: Path) -> None:
    """Raise a FormatError if the path exists but is not a zarr array."""
    import zarr

    if not path.exists():
        return
    try:
        found: Any = zarr.open(str(path), mode="r")
    except Exception:  # whatever the error, the path is not an array
        found = None
    if not isinstance(found, zarr.Array):
        raise FormatError("is a folder that is no zarr array, so it is not replaced: name another one")


def zarr_in_parts(place: Path, shape: tuple[int, ...], dtype: npt.DTypeLike, like: ImageFile) -> ZarrArray:
    """Open the labels that an interrupted run has left at `place`, or create a new array.

    If the image `like` is a zarr array, the new array has the same format version and chunk shape.
    """
    import zarr

    if place.exists():
        with suppress(Exception):  # whatever the error, there is no such array
            left = ZarrArray(place, zarr.open_array(str(place), mode="r+"))
            if (left.shape, left.dtype) == (shape, dtype):
                return left
        remove(place)
    version, chunks = like.zarr or (None, "auto")
    array = zarr.create_array(store=str(place), shape=shape, dtype=dtype, chunks=chunks, zarr_format=version)
    return ZarrArray(place, array)
