"""Pictures of two dimensions, such as ``.png``, which imageio reads by Pillow."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from pointerjump import memory
from pointerjump.errors import FormatError
from pointerjump.formats.files import MORE_MEMORY
from pointerjump.formats.images.channels import Channel, of_palette, one_channel, require_none
from pointerjump.formats.images.readers import ImageFile, damage_named
from pointerjump.formats.sources import Source

READ_ONLY = (".bmp", ".gif", ".jpg", ".jpeg", ".pbm", ".pgm", ".ppm", ".webp")

_JPEG = (".jpg", ".jpeg")

_KNOWN = re.compile(rb"\x89PNG|BM|GIF8|\xff\xd8\xff|P[1-6]\s|RIFF....WEBP", re.DOTALL)
"""What pictures of known kinds begin with. Pillow knows more kinds, and runs Ghostscript for one of them."""

_COPIES = 4
"""Pillow and imageio have so many copies of the pixels at the peak."""


def read(source: Source, channel: Channel | None) -> ImageFile:
    """Read a picture; of one with a palette, the greys or the indexes."""
    import imageio.v3 as imageio

    if not _KNOWN.match(source.beginning):
        raise FormatError(
            f"is no picture of a known kind ({', '.join(('.png', *READ_ONLY))}), or it is damaged"
        )
    with (
        source.open() as file,
        _of_any_size(),
        damage_named("a picture"),
        imageio.imopen(file, "r", plugin="pillow") as picture,
    ):
        _require_one(picture, source)
        about = picture.properties(index=0)
        size = _COPIES * math.prod(about.shape) * about.dtype.itemsize
        memory.require(size, f"its pixels of shape {about.shape}", MORE_MEMORY)
        pixels = picture.read(index=0)
        mode = picture.metadata(index=0)["mode"]
        if mode == "P" and channel is None:
            return ImageFile(of_palette(picture.read(index=0, mode="P"), pixels))
    if pixels.ndim == 2:
        require_none(channel)
        return ImageFile(pixels)
    return ImageFile(one_channel(_without_opacity(pixels, mode, channel), -1, channel))


def _require_one(picture: Any, source: Source) -> None:
    """Refuse an animation. A JPEG cannot be one, but may have a smaller picture of the same behind it."""
    count = picture.properties(index=...).n_images or 1
    if count > 1 and source.path.suffix.lower() not in _JPEG:
        raise FormatError(f"holds {count} pictures, as an animation does: save the one to be labelled")


def _without_opacity(pixels: npt.NDArray[Any], mode: str, channel: Channel | None) -> npt.NDArray[Any]:
    """Return pixels without the channel that says how opaque they are, if all are and nobody asks for it."""
    opaque = mode.endswith("A") and (pixels[..., -1] == np.iinfo(pixels.dtype).max).all()
    return pixels[..., :-1] if opaque and channel is None else pixels


@contextmanager
def _of_any_size() -> Iterator[None]:
    """Let Pillow read pictures of any size: whether there is memory for one is asked before it is read."""
    from PIL import Image

    most, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
    try:
        yield
    finally:
        Image.MAX_IMAGE_PIXELS = most


def write_png(labels: npt.NDArray[Any], file: BinaryIO, _: ImageFile) -> None:
    """Write labels with 16 bits each."""
    import imageio.v3 as imageio

    most, largest = np.iinfo(np.uint16).max, int(labels.max(initial=0))
    if largest > most:
        raise FormatError(
            f"cannot hold {largest:,} labels: a PNG has 16 bits, for {most:,}: choose .tif or .npy"
        )
    imageio.imwrite(file, labels.astype(np.uint16), plugin="pillow", extension=".png")
