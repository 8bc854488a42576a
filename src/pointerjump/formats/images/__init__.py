"""Files with images, and files with the labels of images.

    __init__     the formats by their suffixes, and the functions that read and write any of them
    readers      what they have in common            channels  of several channels, the one to be labelled
    arrays       .npy and .npz                       pictures  .png and the like, by imageio
    tiff         .tif, by tifffile                   nifti     .nii, by nibabel
    zarr_arrays  .zarr, by zarr

Nothing here imports a reader's library before a file needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt

from pointerjump.errors import FormatError
from pointerjump.formats.files import COMPRESSIONS, PathLike, as_path, base_suffix, compression_of, naming
from pointerjump.formats.images import arrays, nifti, pictures, tiff, zarr_arrays
from pointerjump.formats.images.channels import Channel
from pointerjump.formats.images.readers import ImageFile, require_library
from pointerjump.formats.outputs import (
    replacing,
    replacing_folder,
    require_writable,
    require_writable_folder,
)
from pointerjump.formats.sources import Source, opened
from pointerjump.images import MOST_AXES

__all__ = ["ImageFile", "read_image", "require_image_file", "require_room_for", "write_image"]

Labels = npt.NDArray[Any]


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
    library: str | None = None
    extra: str | None = None
    axes: tuple[int, int] = (1, MOST_AXES)
    empty: bool = False
    compressions: Collection[str] = ()
    folder: bool = False


FORMATS = (
    ImageFormat((".npy",), arrays.read_npy, arrays.write_npy, empty=True, compressions=COMPRESSIONS),
    ImageFormat((".npz",), arrays.read_npz, arrays.write_npz, empty=True),
    ImageFormat((".png",), pictures.read, pictures.write_png, "imageio", "png", axes=(2, 2)),
    ImageFormat(pictures.READ_ONLY, pictures.read, None, "imageio", "png"),
    ImageFormat((".tif", ".tiff"), tiff.read, tiff.write, "tifffile", "tiff", axes=(2, MOST_AXES)),
    ImageFormat((".nii",), nifti.read, nifti.write, "nibabel", "nifti", compressions=(".gz",)),
    ImageFormat((".zarr",), zarr_arrays.read, zarr_arrays.write, "zarr", "zarr", empty=True, folder=True),
)

BY_SUFFIX = {suffix: known for known in FORMATS for suffix in known.suffixes}


def read_image(path: PathLike, channel: Channel | None = None) -> ImageFile:
    """Read an image from a file whose suffix says the format.

    Parameters
    ----------
    path : path
        ``.npy``, or ``.npz`` with one array; ``.png``, ``.jpg`` and other pictures; ``.tif``, of which a
        stack is a volume; ``.nii``; ``.zarr``: an array, or a group with one. ``.gz`` may follow
        ``.nii``, and also ``.bz2``, ``.xz`` and ``.zst`` follow ``.npy``.
    channel : int or "all", optional
        Which channel to take, from 0 on, if there are several; "all" if they are slices of a volume. Default:
        any, if all are equal.

    Returns
    -------
    ImageFile
        Its pixels are in memory, or are read when they are sliced.

    Raises
    ------
    FormatError
        If the file cannot be read, is in none of these formats, or has several channels that are not equal;
        also if the package that reads the format is not installed.
    MemoryLimitError
        If the image would take more memory than there is.
    """
    with opened(path) as source:
        return _format_of(source.path).read(source, channel)


def write_image(path: PathLike, labels: Labels, like: ImageFile) -> None:
    """Write the labels of an image to a file, whole or not at all.

    Parameters
    ----------
    path : path
        A file in one of the formats of :func:`read_image`, of which pictures have to be ``.png``.
    labels : ndarray of int
    like : ImageFile
        The image. A file in the same format gets what it has besides pixels: a ``.nii`` the affine and the
        header, a ``.zarr`` the shape of chunks.

    Raises
    ------
    FormatError
        If the file cannot be written, or its format cannot hold such labels.
    """
    target = as_path(path)
    with naming(target):
        chosen = _format_to_write(target)
        _require_room(chosen, labels.shape)
        assert chosen.write is not None
        if chosen.folder:
            with replacing_folder(target) as folder:
                chosen.write(labels, folder, like)
        else:
            with replacing(target) as file:
                chosen.write(labels, file, like)


def require_image_file(path: PathLike) -> None:
    """Refuse a path that `write_image` could not write to, before any work is done.

    Raises
    ------
    FormatError
        If nothing can be made there, its suffix is none of an image that can be written, or the package that
        writes it is not installed.
    """
    target = as_path(path)
    if _suffix(target) == ".zarr":
        require_writable_folder(path)
    else:
        require_writable(path)
    with naming(target):
        if _format_to_write(target).folder:
            zarr_arrays.require_replaceable(target)


def require_room_for(shape: tuple[int, ...], path: PathLike) -> None:
    """Refuse a path that could not hold labels of this shape.

    Raises
    ------
    FormatError
        If the file's format has fewer dimensions, or more.
    """
    target = as_path(path)
    with naming(target):
        _require_room(_format_to_write(target), shape)


def _format_of(path: Path) -> ImageFormat:
    """Return the format that a suffix stands for; refuse it if its library is missing."""
    chosen = BY_SUFFIX.get(_suffix(path))
    if chosen is None:
        raise FormatError(f"has the suffix {_suffix(path)!r}: images end in {', '.join(BY_SUFFIX)}")
    if compression_of(path) and path.suffix.lower() not in chosen.compressions:
        raise FormatError(f"cannot be compressed as a whole: leave out {path.suffix}")
    if chosen.library is not None:
        require_library(chosen.library, str(chosen.extra))
    return chosen


def _format_to_write(path: Path) -> ImageFormat:
    chosen = _format_of(path)
    if chosen.write is None:
        written = ", ".join(suffix for suffix, known in BY_SUFFIX.items() if known.write)
        raise FormatError(f"cannot hold labels, as {_suffix(path)} can only be read: choose from {written}")
    return chosen


def _suffix(path: Path) -> str:
    """Return the suffix that says the format; a path within a ``.zarr`` names one of its arrays."""
    suffix = base_suffix(path)
    within = any(folder.suffix.lower() == ".zarr" for folder in path.parents)
    return ".zarr" if within and suffix not in BY_SUFFIX else suffix


def _require_room(chosen: ImageFormat, shape: tuple[int, ...]) -> None:
    least, most = chosen.axes
    if not least <= len(shape) <= most:
        known = f"{least}" if least == most else f"{least} to {most}"
        raise FormatError(f"cannot hold labels of {len(shape)} dimensions, but of {known}: choose .npy")
    if 0 in shape and not chosen.empty:
        raise FormatError("cannot hold an image without pixels: choose .npy")
