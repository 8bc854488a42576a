"""TIFF, of which a stack of pages is a volume; read and written by tifffile."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from pointerjump import memory
from pointerjump.errors import FormatError
from pointerjump.formats.files import MORE_MEMORY
from pointerjump.formats.images.channels import Channel, of_palette, one_channel, require_none
from pointerjump.formats.images.readers import ImageFile, damage_named, remarks_told
from pointerjump.formats.sources import Source

_MOST_OF_CLASSIC = (1 << 32) - (1 << 25)
"""A TIFF of more bytes has to be a BigTIFF; tifffile leaves room for what it writes besides pixels."""


def read(source: Source, channel: Channel | None) -> ImageFile:
    """Read a page, or a stack of equal pages."""
    import tifffile

    with (
        source.open() as file,
        remarks_told(source.path, "tifffile"),
        damage_named("a TIFF"),
        tifffile.TiffFile(file) as tiff,
    ):
        series = _only_series(tiff)
        memory.require(series.nbytes, f"its pixels of shape {series.shape}", MORE_MEMORY)
        pixels, palette = series.asarray(), series.keyframe.colormap
    if palette is not None:
        memory.require(3 * pixels.size, "looking at the colors of its pixels", "convert it to greys")
        colors = (palette >> 8).astype(np.uint8)
        pixels = of_palette(pixels, colors.T[pixels])
    return ImageFile(_without_channels(pixels, series.axes, channel))


def _only_series(tiff: Any) -> Any:
    """Return the only series of equal pages; refuse it if it cannot be decompressed."""
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


def _without_channels(pixels: npt.NDArray[Any], axes: str, channel: Channel | None) -> npt.NDArray[Any]:
    """Return one channel. `axes` has a letter for each axis: S stands for samples, C for channels."""
    along = [axis for axis, letter in enumerate(axes) if letter in "SC"]
    if len(along) > 1 and channel != "all":
        raise FormatError(f"has channels along several axes (tifffile calls them {axes}): save one channel")
    if not along:
        require_none(channel)
        return pixels
    return one_channel(pixels, along[0], channel)


def write(labels: npt.NDArray[Any], file: BinaryIO, _: ImageFile) -> None:
    """Write labels page by page, uncompressed, which every reader of TIFFs understands."""
    import tifffile

    big = labels.nbytes > _MOST_OF_CLASSIC
    tifffile.imwrite(file, labels, photometric="minisblack", bigtiff=big)
