"""Files with images, and files with the labels of images.

    __init__     the functions that read and write any of them
    known        the formats by their suffixes       unfinished  labels that are written part by part
    readers      what readers have in common         channels    of several channels, the one to be labelled
    arrays       .npy and .npz                       pictures    .png and the like, by imageio
    tiff         .tif, by tifffile                   nifti       .nii, by nibabel
    zarr_arrays  .zarr, by zarr

Nothing here imports a reader's library before a file needs it.
"""

from __future__ import annotations

from pointerjump.formats.files import PathLike, as_path, naming
from pointerjump.formats.images import zarr_arrays
from pointerjump.formats.images.channels import Channel
from pointerjump.formats.images.known import Labels, format_of, format_to_write, require_room, suffix_of
from pointerjump.formats.images.readers import ImageFile
from pointerjump.formats.images.unfinished import UnfinishedLabels, require_in_parts
from pointerjump.formats.outputs import (
    replacing,
    replacing_folder,
    require_writable,
    require_writable_folder,
)
from pointerjump.formats.sources import opened
from pointerjump.progress import Progress

__all__ = [
    "ImageFile",
    "UnfinishedLabels",
    "read_image",
    "require_image_file",
    "require_in_parts",
    "require_room_for",
    "write_image",
]


def read_image(
    path: PathLike, channel: Channel | None = None, *, progress: Progress | None = None
) -> ImageFile:
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
    progress : callable, optional
        Called now and then with the share of the file that has been read, from 0 to 1.

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
    with opened(path, progress=progress) as source:
        return format_of(source.path).read(source, channel)


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
        chosen = format_to_write(target)
        require_room(chosen, labels.shape)
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
    if suffix_of(target) == ".zarr":
        require_writable_folder(path)
    else:
        require_writable(path)
    with naming(target):
        if format_to_write(target).folder:
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
        require_room(format_to_write(target), shape)
