"""Images with several channels, such as red, green and blue: the one that is to be labelled."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pointerjump.errors import FormatError

Pixels = npt.NDArray[Any]

Channel = int | Literal["all"]
"""Which of several channels is taken, from 0 on; "all" if they are slices of a volume."""


def one_channel(pixels: Pixels, axis: int, channel: Channel | None) -> Pixels:
    """Return one of the channels that lie along an axis.

    Parameters
    ----------
    pixels : ndarray
    axis : int
    channel : Channel or None
        None: any, as all have to be equal. That is how programs that know only colors store greys.

    Raises
    ------
    FormatError
        If there is no such channel, or none was chosen and they are not equal.
    """
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


def require_none(channel: Channel | None) -> None:
    """Refuse a channel of an image without channels."""
    if channel is not None:
        raise FormatError("has no channels: leave out --channel")


def of_palette(indexes: Pixels, colors: Pixels) -> Pixels:
    """Return an image that is stored as indexes into a palette of colors.

    A palette of greys means the greys. With a palette of colors, masks are stored whose indexes mean kinds
    of objects. There the first color is the background's, and it is black.

    Parameters
    ----------
    indexes : ndarray
    colors : ndarray, shape (..., channels)
        The color of each pixel.

    Raises
    ------
    FormatError
        If the first of several colors is not black.
    """
    if all(np.array_equal(colors[..., 0], colors[..., k]) for k in range(1, 3)):
        return colors[..., 0]
    if colors[indexes == 0, :3].any():
        raise FormatError(
            "has a palette whose first color is not black, so what its background is cannot be told: "
            "choose --channel 0 to 2, or convert it to greys"
        )
    return indexes
