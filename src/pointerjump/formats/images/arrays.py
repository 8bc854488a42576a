"""Images as NumPy saves arrays: ``.npy``, and ``.npz`` with one array."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from pointerjump.formats.images.channels import Channel, require_none
from pointerjump.formats.images.readers import ImageFile
from pointerjump.formats.records import archived_array, mapped_array
from pointerjump.formats.sources import Source


def read_npy(source: Source, channel: Channel | None) -> ImageFile:
    """Read an array; a plain file is mapped into memory."""
    require_none(channel)
    return ImageFile(mapped_array(source))


def read_npz(source: Source, channel: Channel | None) -> ImageFile:
    """Read the only array of an archive."""
    require_none(channel)
    return ImageFile(archived_array(source))


def write_npy(labels: npt.NDArray[Any], file: BinaryIO, _: ImageFile) -> None:
    """Write labels as an array."""
    np.save(file, labels, allow_pickle=False)


def write_npz(labels: npt.NDArray[Any], file: BinaryIO, _: ImageFile) -> None:
    """Write labels as an array called ``labels``, compressed."""
    np.savez_compressed(file, labels=labels)


def npy_in_parts(place: Path, shape: tuple[int, ...], dtype: npt.DTypeLike, _: ImageFile) -> npt.NDArray[Any]:
    """Map labels into memory: those that an interrupted run has left, or a new file."""
    if place.exists():
        with suppress(ValueError):  # it is no such file
            left = np.lib.format.open_memmap(place, "r+")
            if (left.shape, left.dtype) == (shape, dtype):
                return left
    labels = np.lib.format.open_memmap(place, "w+", np.dtype(dtype), shape)
    # If there were no room on the disk, a write to the mapped memory would kill the process.
    if hasattr(os, "posix_fallocate"):
        with place.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, place.stat().st_size)
    return labels
