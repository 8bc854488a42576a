"""What all image readers share: the type of their result, channels, and reports of damage."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from logging.handlers import BufferingHandler
from pathlib import Path
from typing import Any, Literal

import numpy as np

from pointerjump.base.images import Pixels
from pointerjump.errors import FormatError, FormatWarning, warn_user
from pointerjump.formats.files import name_of

Channel = int | Literal["all"]  # 0 for red, 1 for green, 2 for blue; "all" if channels are slices of a volume

MOST_REMARKS = 1000


@dataclass(frozen=True, eq=False)
class ImageFile:
    """An image read from a file, with any NIfTI or zarr metadata that the file of its labels is to get."""

    pixels: Any  # an ndarray, or an array that is read when it is sliced
    nifti: tuple[Any, ...] | None = None
    zarr: tuple[Any, ...] | None = None


def one_channel(pixels: Pixels, axis: int | None, channel: Channel | None) -> Pixels:
    """Return one of the channels along an axis, or all pixels if `axis` is None.

    If no `channel` was chosen, all channels must be equal: some programs store greys that way.
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


def of_palette(indexes: Pixels, colors: Pixels) -> Pixels:
    """Return the pixels of an image with a palette, given each pixel's index and color.

    If all pixels are grey, their grey values are returned. If not, the indexes are: the image is assumed to
    be a mask, in which each index stands for a kind of object. Index 0 is the background, whose color must be
    black.
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
def remarks_told(path: Path, logger: str) -> Iterator[None]:
    """Turn what a library logs about a file into a one-line error or warning.

    When these libraries meet an error, they log it and go on with what they have read so far, such as the
    first of many pages.
    """
    log, remarks = logging.getLogger(logger), BufferingHandler(MOST_REMARKS)
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
