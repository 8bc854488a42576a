"""Image files, and files that contain the labels of images. Libraries are imported only when needed."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from pointerjump.base.images import MOST_AXES, Pixels
from pointerjump.base.progress import Progress
from pointerjump.errors import FormatError
from pointerjump.formats import outputs
from pointerjump.formats.files import COMPRESSIONS, PathLike, as_path, base_suffix, compression_of, naming
from pointerjump.formats.images.arrays import npy_in_parts, read_zarr, require_replaceable, zarr_in_parts
from pointerjump.formats.images.pictures import (
    READ_ONLY,
    Channel,
    ImageFile,
    one_channel,
    read_nifti,
    read_picture,
    read_tiff,
    write_colors,
    write_nifti,
    write_png,
    write_tiff,
)
from pointerjump.formats.records import archived_array, mapped_array
from pointerjump.formats.sources import opened

__all__ = ["BY_SUFFIX", "ImageFile", "UnfinishedLabels", "read_image", "require_image_file", "write_image"]


@dataclass(frozen=True)
class ImageFormat:
    """A file format for images. If `channels` is set, `read` also accepts a channel."""

    suffixes: tuple[str, ...]
    read: Callable[..., ImageFile]
    write: Callable[[Pixels, BinaryIO, ImageFile], None] | None = None  # writes labels, given their image
    # Creates or opens a file to which labels of a given shape and dtype are written one part at a time.
    in_parts: Callable[[Path, tuple[int, ...], npt.DTypeLike, ImageFile], Any] | None = None
    needs: tuple[str, str] | None = None  # the package that reads the format, and the extra that installs it
    axes: tuple[int, int] = (1, MOST_AXES)  # the minimum and maximum number of dimensions of labels
    empty: bool = True  # whether the format can store an image without pixels
    channels: bool = False
    folder: bool = False
    compressions: Collection[str] = ()  # suffixes that may follow if the whole file is compressed


FORMATS = (
    ImageFormat(
        (".npy",),
        lambda source: ImageFile(mapped_array(source)),
        lambda labels, file, _: np.save(file, labels, allow_pickle=False),
        npy_in_parts,
        compressions=COMPRESSIONS,
    ),
    ImageFormat(
        (".npz",),
        lambda source: ImageFile(archived_array(source)),
        lambda labels, file, _: np.savez_compressed(file, labels=labels),
    ),
    ImageFormat(
        (".png",),
        read_picture,
        write_png,
        needs=("imageio", "png"),
        axes=(2, 2),
        empty=False,
        channels=True,
    ),
    ImageFormat(READ_ONLY, read_picture, needs=("imageio", "png"), channels=True),
    ImageFormat(
        (".tif", ".tiff"),
        read_tiff,
        write_tiff,
        needs=("tifffile", "tiff"),
        axes=(2, MOST_AXES),
        empty=False,
        channels=True,
    ),
    ImageFormat(
        (".nii",),
        read_nifti,
        write_nifti,
        needs=("nibabel", "nifti"),
        empty=False,
        compressions=(".gz",),
    ),
    ImageFormat((".zarr",), read_zarr, None, zarr_in_parts, ("zarr", "zarr"), folder=True),
)

BY_SUFFIX = {suffix: known for known in FORMATS for suffix in known.suffixes}


def read_image(
    path: PathLike, channel: Channel | None = None, *, progress: Progress | None = None
) -> ImageFile:
    """Read an image from a file. The suffix determines the format.

    In some formats, pixels are read only when the image is sliced. Without `channel`, all channels must be
    equal.
    """
    with opened(path, or_folder=True, progress=progress) as source:
        chosen = _format_of(source.path)
        if not chosen.folder:
            source.require_file()
        if chosen.channels:
            return chosen.read(source, channel)
        found = chosen.read(source)
        one_channel(found.pixels, None, channel)
        return found


def write_image(path: PathLike, labels: Pixels, like: ImageFile) -> None:
    """Write the labels of an image to a file, either completely or not at all.

    If the image `like` has the same format as the file, its metadata is copied.
    """
    with naming(path) as target:
        chosen = _format_to_write(target, labels.shape)
        if chosen.write is not None:
            with outputs.replacing(target) as file:
                chosen.write(labels, file, like)
            return
    unfinished = UnfinishedLabels(path, labels.shape, labels.dtype, like)
    try:
        with naming(path):
            unfinished.array[tuple(slice(0, length) for length in labels.shape)] = labels
        unfinished.put_in_place()
    finally:
        unfinished.remove()


def write_picture(path: PathLike, picture: Pixels) -> None:
    """Write a color picture to a ``.png`` file, either completely or not at all."""
    with naming(path) as target, outputs.replacing(target) as place:
        write_colors(picture, place)


def require_image_file(path: PathLike, shape: tuple[int, ...] | None = None, in_parts: bool = False) -> None:
    """Check, before any work is done, that the labels of an image can be written to a path.

    Set `in_parts` if :class:`UnfinishedLabels` will be used to write them.
    """
    outputs.require_writable(path, folder=_suffix_of(as_path(path)) == ".zarr")
    with naming(path) as target:
        if _format_to_write(target, shape, in_parts).folder:
            require_replaceable(target)


class UnfinishedLabels:
    """Labels that are written one part at a time to a temporary file, which replaces `path` at the end.

    Assign the labels to slices of `array`. Set `continued` if the run may be resumed later. The temporary
    file then always has the same name, and `were_left` tells whether an earlier run has left labels in it.
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
            chosen = _format_to_write(self._path, shape, in_parts=True)
            assert chosen.in_parts is not None
            self._unfinished = outputs.unfinished(self._path, continued)
            self.were_left = self._unfinished.exists()
            try:
                self.array = chosen.in_parts(self._unfinished, shape, dtype, like)
            except BaseException:
                self.remove()
                raise

    def put_in_place(self) -> None:
        with naming(self._path):
            outputs.put_in_place(self._unfinished, self._path)

    def remove(self) -> None:
        outputs.remove(self._unfinished)


def _suffix_of(path: Path) -> str:
    """Return the suffix that determines the format. It is ``.zarr`` for an array in a ``.zarr`` folder."""
    suffix = base_suffix(path)
    within = any(folder.suffix.lower() == ".zarr" for folder in path.parents)
    return ".zarr" if within and suffix not in BY_SUFFIX else suffix


def _format_of(path: Path) -> ImageFormat:
    """Return the format for the suffix of a path. Raise a FormatError if its library is not installed."""
    chosen = BY_SUFFIX.get(_suffix_of(path))
    if chosen is None:
        raise FormatError(f"has the suffix {_suffix_of(path)!r}: images end in {', '.join(BY_SUFFIX)}")
    if compression_of(path) and path.suffix.lower() not in chosen.compressions:
        raise FormatError(f"cannot be compressed as a whole: leave out {path.suffix}")
    if chosen.needs is not None:
        library, extra = chosen.needs
        try:
            import_module(library)
        except ImportError:
            raise FormatError(
                f"needs {library}, which is not installed: pip install 'pointerjump[{extra}]'"
            ) from None
    return chosen


def _format_to_write(path: Path, shape: tuple[int, ...] | None, in_parts: bool = False) -> ImageFormat:
    """Return the format for the suffix of a path. Raise a FormatError if it cannot store the labels."""
    chosen = _format_of(path)
    if not (chosen.write or chosen.in_parts):
        written = ", ".join(suffix for suffix, known in BY_SUFFIX.items() if known.write or known.in_parts)
        raise FormatError(
            f"cannot hold labels, as {_suffix_of(path)} can only be read: choose from {written}"
        )
    if in_parts and (chosen.in_parts is None or compression_of(path)):
        raise FormatError(
            "cannot be written part by part, as labels of a large image are: choose .npy or .zarr"
        )
    least, most = chosen.axes
    if shape is not None and not least <= len(shape) <= most:
        known = f"{least}" if least == most else f"{least} to {most}"
        raise FormatError(f"cannot hold labels of {len(shape)} dimensions, but of {known}: choose .npy")
    if shape is not None and 0 in shape and not chosen.empty:
        raise FormatError("cannot hold an image without pixels: choose .npy")
    return chosen
