"""Flat pictures (``.png`` and others), and stacks and volumes (``.tif``, ``.nii``).

imageio (with Pillow), tifffile and nibabel read and write them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any, BinaryIO

import numpy as np

from pointerjump.base import memory
from pointerjump.base.images import Pixels
from pointerjump.errors import FormatError
from pointerjump.formats.files import MORE_MEMORY, damage_named
from pointerjump.formats.images.readers import (
    Channel,
    ImageFile,
    of_palette,
    one_channel,
    remarks_told,
)
from pointerjump.formats.sources import Source

READ_ONLY = (".bmp", ".gif", ".jpg", ".jpeg", ".pbm", ".pgm", ".ppm", ".webp")

# The first bytes of the pictures accepted. Pillow reads further formats, and for one of them runs
# Ghostscript.
_KNOWN = re.compile(rb"\x89PNG|BM|GIF8|\xff\xd8\xff|P[1-6]\s|RIFF....WEBP", re.DOTALL)
_COPIES = 4  # the number of copies of the pixels that Pillow and imageio hold at the peak

_MOST_OF_CLASSIC = (1 << 32) - (1 << 25)  # bytes of pixels in a classic TIFF, leaving room for metadata
_LONGEST_AXIS_OF_NIFTI = np.iinfo(np.int16).max  # the most pixels along an axis in NIfTI-1
_HEADER_BYTES = 540  # the size of the longer of NIfTI's two headers


# -- pictures ----------------------------------------------------------------------------------------


def read_picture(source: Source, channel: Channel | None) -> ImageFile:
    """Read a picture; if it has a palette, return grey values or palette indexes."""
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


@contextmanager
def _of_any_size() -> Iterator[None]:
    """Let Pillow read pictures of any size; memory is checked before a picture is read."""
    from PIL import Image

    most, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
    try:
        yield
    finally:
        Image.MAX_IMAGE_PIXELS = most


def write_png(labels: Pixels, file: BinaryIO, _: ImageFile) -> None:
    """Write labels as 16-bit numbers."""
    most, largest = np.iinfo(np.uint16).max, int(labels.max(initial=0))
    if largest > most:
        raise FormatError(
            f"cannot hold {largest:,} labels: a PNG has 16 bits, for {most:,}: choose .tif or .npy"
        )
    write_colors(labels.astype(np.uint16), file)


def write_colors(picture: Pixels, file: BinaryIO) -> None:
    """Write a PNG of 16-bit greys, or of red, green and blue with 8 bits each."""
    import imageio.v3 as imageio

    imageio.imwrite(file, picture, plugin="pillow", extension=".png")


# -- TIFF, in which a stack of pages is a volume -----------------------------------------------------


def read_tiff(source: Source, channel: Channel | None) -> ImageFile:
    """Read a page, or a stack of equal pages."""
    import tifffile

    with (
        source.open() as file,
        remarks_told(source.path, "tifffile"),
        damage_named("or not a TIFF"),
        tifffile.TiffFile(file) as tiff,
    ):
        series = _only_series(tiff)
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


def _only_series(tiff: Any) -> Any:
    """Return the file's only series of equal pages; refuse a series that cannot be decompressed."""
    from tifffile import TIFF

    if len(tiff.series) != 1:
        raise FormatError(
            f"holds {len(tiff.series)} images that differ in shape or type: save the one to be labelled"
        )
    series = tiff.series[0]
    compression = series.keyframe.compression
    if compression not in TIFF.DECOMPRESSORS:
        raise FormatError(
            f"is compressed by {compression.name}, which needs imagecodecs: pip install imagecodecs"
        )
    return series


def write_tiff(labels: Pixels, file: BinaryIO, _: ImageFile) -> None:
    """Write labels page by page, uncompressed, so that every TIFF reader can read them."""
    import tifffile

    big = labels.nbytes > _MOST_OF_CLASSIC
    tifffile.imwrite(file, labels, photometric="minisblack", bigtiff=big)


# -- NIfTI-1 and NIfTI-2 -----------------------------------------------------------------------------


def read_nifti(source: Source) -> ImageFile:
    """Read an image. If its file is not compressed, and values are not scaled, it is mapped into memory."""
    with remarks_told(source.path, "nibabel.global"), damage_named("or not a NIfTI"), source.open() as file:
        image = _kind_of(source.beginning).from_stream(file)
        stored = image.dataobj
        scaled = (stored.slope, stored.inter) != (1, 0)
        if source.compressed or scaled:
            itemsize = 8 if scaled else stored.dtype.itemsize
            size = itemsize * int(np.prod(image.shape, dtype=object))
            memory.require(size, f"its pixels of shape {image.shape}", MORE_MEMORY)
        return ImageFile(np.asanyarray(stored), nifti=(type(image), image.affine, image.header))


def _kind_of(beginning: bytes) -> Any:
    from nibabel import Nifti1Image, Nifti2Image

    for kind in (Nifti1Image, Nifti2Image):
        if kind.header_class.may_contain_header(beginning[:_HEADER_BYTES]):
            return kind
    raise FormatError("has no header of a NIfTI")


def write_nifti(labels: Pixels, file: BinaryIO, like: ImageFile) -> None:
    """Write labels, with the affine and the header of their image if the image is a NIfTI."""
    from nibabel import Nifti1Image, Nifti2Image

    kind, affine, header = like.nifti or (Nifti1Image, None, None)
    if max(labels.shape) > _LONGEST_AXIS_OF_NIFTI:
        kind = Nifti2Image
    image = kind(labels, affine, header, dtype=labels.dtype)
    image.header["cal_min"] = image.header["cal_max"] = 0  # the range of values that viewers show
    image.to_stream(file)
