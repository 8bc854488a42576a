"""Two-dimensional pictures (``.png`` and others), and stacks and volumes (``.tif`` and ``.nii``)."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from logging.handlers import BufferingHandler
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np

from pointerjump.base import memory
from pointerjump.base.images import Pixels
from pointerjump.errors import FormatError, FormatWarning, warn_user
from pointerjump.formats.files import MORE_MEMORY, damage_named, name_of
from pointerjump.formats.sources import Source

READ_ONLY = (".bmp", ".gif", ".jpg", ".jpeg", ".pbm", ".pgm", ".ppm", ".webp")

# The first bytes of the picture formats accepted. Pillow reads other formats too, and runs Ghostscript for
# one of them.
_KNOWN = re.compile(rb"\x89PNG|BM|GIF8|\xff\xd8\xff|P[1-6]\s|RIFF....WEBP", re.DOTALL)
_COPIES = 4  # the number of copies of the pixels that Pillow and imageio hold at the peak

_MOST_OF_CLASSIC = (1 << 32) - (1 << 25)  # the most pixel bytes in a classic TIFF, leaving room for metadata
_LONGEST_AXIS_OF_NIFTI = np.iinfo(np.int16).max  # the most pixels along an axis in NIfTI-1
_HEADER_BYTES = 540  # the size of the longer of NIfTI's two headers
_MOST_REMARKS = 1000  # the most lines of a library's log that are kept

Channel = int | Literal["all"]  # 0 for red, 1 for green, 2 for blue; "all" if channels are slices of a volume


@dataclass(frozen=True, eq=False)
class ImageFile:
    """An image read from a file, with NIfTI or zarr metadata to be copied to its label file."""

    pixels: Any  # an ndarray, or an array that is read when it is sliced
    nifti: tuple[Any, ...] | None = None
    zarr: tuple[Any, ...] | None = None


def one_channel(pixels: Pixels, axis: int | None, channel: Channel | None) -> Pixels:
    """Return one of the channels along an axis, or all pixels if `axis` is None or `channel` is "all".

    If `channel` is None, all channels must be equal. Some programs store grey images that way.
    """
    if axis is None:
        if channel is not None:
            raise FormatError(
                "has no channels: leave out --channel; to label one channel of an array, save it alone"
            )
        return pixels
    if channel == "all":
        return pixels
    channels: list[Pixels] = list(np.moveaxis(pixels, axis, 0))
    last = len(channels) - 1
    if channel is None:
        if not all(np.array_equal(channels[0], other) for other in channels[1:]):
            raise FormatError(
                f"has {last + 1} channels, and one can be labelled: choose --channel 0 to {last}, or all if "
                "they are slices of a volume"
            )
        return channels[0]
    if channel > last:
        raise FormatError(f"has no channel {channel}: choose from 0 to {last}")
    return channels[channel]


@contextmanager
def remarks_told(path: Path, logger: str) -> Iterator[None]:
    """Raise errors and issue warnings for messages that a library only logs.

    When tifffile or nibabel logs an error, it continues with what it has read, such as the first of many
    pages.
    """
    log, remarks = logging.getLogger(logger), BufferingHandler(_MOST_REMARKS)
    remarks.setLevel(logging.WARNING)
    handlers, propagate = log.handlers, log.propagate
    log.handlers, log.propagate = [remarks], False
    try:
        yield
    finally:
        log.handlers, log.propagate = handlers, propagate
    for remark in sorted(remarks.buffer, key=lambda each: each.levelno < logging.ERROR):
        told = " ".join(remark.getMessage().split())
        if remark.levelno >= logging.ERROR:
            raise FormatError(f"is damaged: {told}")
        warn_user(f"{name_of(path)}: {told}", FormatWarning)
        return


# -- pictures ----------------------------------------------------------------------------------------


def read_picture(source: Source, channel: Channel | None) -> ImageFile:
    """Read a picture. With a palette, pixels are grey values if all are grey, or else palette indices."""
    import imageio.v3 as imageio

    if not _KNOWN.match(source.beginning):
        raise FormatError(
            f"is no picture of a known kind ({', '.join(('.png', *READ_ONLY))}), or it is damaged"
        )
    with (
        source.open() as file,
        _of_any_size(),
        damage_named("or not a picture"),
        imageio.imopen(file, "r", plugin="pillow") as picture,
    ):
        count = picture.properties(index=...).n_images or 1
        # A JPEG is never an animation, but may include a thumbnail.
        if count > 1 and source.path.suffix.lower() not in (".jpg", ".jpeg"):
            raise FormatError(f"holds {count} pictures, as an animation does: save the one to be labelled")
        about = picture.properties(index=0)
        size = _COPIES * prod(about.shape) * about.dtype.itemsize
        memory.require(size, f"its pixels of shape {about.shape}", MORE_MEMORY)
        pixels = picture.read(index=0)
        mode = picture.metadata(index=0)["mode"]
        if mode == "P" and channel is None:
            return ImageFile(of_palette(picture.read(index=0, mode="P"), pixels))
    if channel is None and mode.endswith("A") and (pixels[..., -1] == np.iinfo(pixels.dtype).max).all():
        pixels = pixels[..., :-1]  # without alpha, because all pixels are opaque
    return ImageFile(one_channel(pixels, None if pixels.ndim == 2 else 2, channel))


def of_palette(indexes: Pixels, colors: Pixels) -> Pixels:
    """Return the pixels of an image with a palette, given the palette index and the color of each pixel.

    If all pixels are grey, their grey values are returned. Otherwise, the image is assumed to be a mask in
    which each index stands for a type of object, and the indices are returned. Index 0 is the background. Its
    color must be black.
    """
    if all(np.array_equal(colors[..., 0], colors[..., k]) for k in range(1, 3)):
        return colors[..., 0]
    if colors[indexes == 0, :3].any():
        raise FormatError(
            "has a palette whose first color is not black, so what its background is cannot be told: "
            "choose --channel 0 to 2, or convert it to greys"
        )
    return indexes


@contextmanager
def _of_any_size() -> Iterator[None]:
    """Disable Pillow's limit on the size of pictures. Memory is checked before a picture is read."""
    from PIL import Image

    most, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
    try:
        yield
    finally:
        Image.MAX_IMAGE_PIXELS = most


def write_png(labels: Pixels, file: BinaryIO, _: ImageFile) -> None:
    """Write labels as 16-bit integers."""
    most, largest = np.iinfo(np.uint16).max, int(labels.max(initial=0))
    if largest > most:
        raise FormatError(
            f"cannot hold {largest:,} labels: a PNG has 16 bits, for {most:,}: choose .tif or .npy"
        )
    write_colors(labels.astype(np.uint16), file)


def write_colors(picture: Pixels, file: BinaryIO) -> None:
    """Write a PNG file with 16-bit grey values, or with 8 bits each for red, green and blue."""
    import imageio.v3 as imageio

    imageio.imwrite(file, picture, plugin="pillow", extension=".png")


# -- TIFF, in which a stack of pages is a volume -----------------------------------------------------


def read_tiff(source: Source, channel: Channel | None) -> ImageFile:
    """Read a single page, or a stack of pages that have the same shape and type."""
    import tifffile

    with (
        source.open() as file,
        remarks_told(source.path, "tifffile"),
        damage_named("or not a TIFF"),
        tifffile.TiffFile(file) as tiff,
    ):
        if len(tiff.series) != 1:
            raise FormatError(
                f"holds {len(tiff.series)} images that differ in shape or type: save the one to be labelled"
            )
        series = tiff.series[0]
        compression = series.keyframe.compression
        if compression not in tifffile.TIFF.DECOMPRESSORS:
            raise FormatError(
                f"is compressed by {compression.name}, which needs imagecodecs: pip install imagecodecs"
            )
        memory.require(series.nbytes, f"its pixels of shape {series.shape}", MORE_MEMORY)
        pixels, palette = series.asarray(), series.keyframe.colormap
    if palette is not None:
        memory.require(3 * pixels.size, "looking at the colors of its pixels", "convert it to greys")
        colors = (palette >> 8).astype(np.uint8)
        pixels = of_palette(pixels, colors.T[pixels])
    # Each axis has a letter: S stands for samples, C for channels.
    along = [axis for axis, letter in enumerate(series.axes) if letter in "SC"]
    if len(along) > 1 and channel != "all":
        raise FormatError(
            f"has channels along several axes (tifffile calls them {series.axes}): save one channel"
        )
    return ImageFile(one_channel(pixels, along[0] if along else None, channel))


def write_tiff(labels: Pixels, file: BinaryIO, _: ImageFile) -> None:
    """Write labels page by page and without compression, so that every TIFF reader can read them."""
    import tifffile

    big = labels.nbytes > _MOST_OF_CLASSIC
    tifffile.imwrite(file, labels, photometric="minisblack", bigtiff=big)


# -- NIfTI-1 and NIfTI-2 -----------------------------------------------------------------------------


def read_nifti(source: Source) -> ImageFile:
    """Read an image. If the file is not compressed and its values are not scaled, it is memory-mapped."""
    from nibabel import Nifti1Image, Nifti2Image

    with remarks_told(source.path, "nibabel.global"), damage_named("or not a NIfTI"), source.open() as file:
        for kind in (Nifti1Image, Nifti2Image):
            if kind.header_class.may_contain_header(source.beginning[:_HEADER_BYTES]):
                break
        else:
            raise FormatError("has no header of a NIfTI")
        image = kind.from_stream(file)
        stored = image.dataobj
        scaled = (stored.slope, stored.inter) != (1, 0)
        if source.compressed or scaled:
            itemsize = 8 if scaled else stored.dtype.itemsize
            size = itemsize * int(np.prod(image.shape, dtype=object))
            memory.require(size, f"its pixels of shape {image.shape}", MORE_MEMORY)
        return ImageFile(np.asanyarray(stored), nifti=(type(image), image.affine, image.header))


def write_nifti(labels: Pixels, file: BinaryIO, like: ImageFile) -> None:
    """Write labels. If the image `like` is a NIfTI file, its affine and header are copied."""
    from nibabel import Nifti1Image, Nifti2Image

    kind, affine, header = like.nifti or (Nifti1Image, None, None)
    if max(labels.shape) > _LONGEST_AXIS_OF_NIFTI:
        kind = Nifti2Image
    image = kind(labels, affine, header, dtype=labels.dtype)
    image.header["cal_min"] = image.header["cal_max"] = 0  # the range of values that viewers show
    image.to_stream(file)
