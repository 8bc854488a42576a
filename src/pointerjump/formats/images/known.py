"""The formats of image files, by their suffixes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt

from pointerjump.errors import FormatError
from pointerjump.formats.files import COMPRESSIONS, base_suffix, compression_of
from pointerjump.formats.images import arrays, nifti, pictures, tiff, zarr_arrays
from pointerjump.formats.images.channels import Channel
from pointerjump.formats.images.readers import ImageFile, require_library
from pointerjump.formats.sources import Source
from pointerjump.images import MOST_AXES

Labels = npt.NDArray[Any]

Opener = Callable[[Path, tuple[int, ...], npt.DTypeLike, ImageFile], Any]
"""Makes a file for labels of a shape and a dtype, or opens it if it is there."""


@dataclass(frozen=True)
class ImageFormat:
    """A kind of file that holds an image.

    Attributes
    ----------
    suffixes : tuple of str
    read : callable
        Returns the image in a file, given which of its channels to take.
    write : callable or None
        Writes labels to a file, given the image that they are of. None: it can only be read.
    in_parts : callable or None
        Makes or opens a file to which labels can be written part by part, if the format allows it.
    library, extra : str or None
        The package that reads and writes it, and the extra of pointerjump that brings it.
    axes : tuple of (int, int)
        The fewest and the most dimensions that labels in such a file may have.
    empty : bool
        Whether it can hold an image without pixels.
    compressions : collection of str
        The suffixes that may follow, of how the file is compressed as a whole.
    folder : bool
        Whether it is a folder.
    """

    suffixes: tuple[str, ...]
    read: Callable[[Source, Channel | None], ImageFile]
    write: Callable[[Labels, Any, ImageFile], None] | None = None
    in_parts: Opener | None = None
    library: str | None = None
    extra: str | None = None
    axes: tuple[int, int] = (1, MOST_AXES)
    empty: bool = False
    compressions: Collection[str] = ()
    folder: bool = False


FORMATS = (
    ImageFormat(
        (".npy",),
        arrays.read_npy,
        arrays.write_npy,
        arrays.npy_in_parts,
        empty=True,
        compressions=COMPRESSIONS,
    ),
    ImageFormat((".npz",), arrays.read_npz, arrays.write_npz, empty=True),
    ImageFormat((".png",), pictures.read, pictures.write_png, library="imageio", extra="png", axes=(2, 2)),
    ImageFormat(pictures.READ_ONLY, pictures.read, library="imageio", extra="png"),
    ImageFormat(
        (".tif", ".tiff"), tiff.read, tiff.write, library="tifffile", extra="tiff", axes=(2, MOST_AXES)
    ),
    ImageFormat((".nii",), nifti.read, nifti.write, library="nibabel", extra="nifti", compressions=(".gz",)),
    ImageFormat(
        (".zarr",),
        zarr_arrays.read,
        zarr_arrays.write,
        zarr_arrays.zarr_in_parts,
        library="zarr",
        extra="zarr",
        empty=True,
        folder=True,
    ),
)

BY_SUFFIX = {suffix: known for known in FORMATS for suffix in known.suffixes}


def format_of(path: Path) -> ImageFormat:
    """Return the format that a suffix stands for; refuse it if its library is missing."""
    chosen = BY_SUFFIX.get(suffix_of(path))
    if chosen is None:
        raise FormatError(f"has the suffix {suffix_of(path)!r}: images end in {', '.join(BY_SUFFIX)}")
    if compression_of(path) and path.suffix.lower() not in chosen.compressions:
        raise FormatError(f"cannot be compressed as a whole: leave out {path.suffix}")
    if chosen.library is not None:
        require_library(chosen.library, str(chosen.extra))
    return chosen


def format_to_write(path: Path) -> ImageFormat:
    """Return the format that a suffix stands for; refuse it if it can only be read."""
    chosen = format_of(path)
    if chosen.write is None:
        written = ", ".join(suffix for suffix, known in BY_SUFFIX.items() if known.write)
        raise FormatError(f"cannot hold labels, as {suffix_of(path)} can only be read: choose from {written}")
    return chosen


def suffix_of(path: Path) -> str:
    """Return the suffix that says the format; a path within a ``.zarr`` names one of its arrays."""
    suffix = base_suffix(path)
    within = any(folder.suffix.lower() == ".zarr" for folder in path.parents)
    return ".zarr" if within and suffix not in BY_SUFFIX else suffix


def require_room(chosen: ImageFormat, shape: tuple[int, ...]) -> None:
    """Refuse a format that cannot hold labels of this shape."""
    least, most = chosen.axes
    if not least <= len(shape) <= most:
        known = f"{least}" if least == most else f"{least} to {most}"
        raise FormatError(f"cannot hold labels of {len(shape)} dimensions, but of {known}: choose .npy")
    if 0 in shape and not chosen.empty:
        raise FormatError("cannot hold an image without pixels: choose .npy")
