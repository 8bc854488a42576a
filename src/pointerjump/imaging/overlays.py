"""Draws labels on images: :func:`overlay`."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.device_arrays import on_host
from pointerjump.base.images import FEWER_LABELS
from pointerjump.base.integers import as_array
from pointerjump.errors import ImageError
from pointerjump.imaging.label_regions import LABELS_OF_FEW_PIXELS, LabelImage

GOLDEN = 0.6180339887  # the step in hue from one label to the next, so that their colors differ

Picture = npt.NDArray[np.uint8]


def overlay(image: Any, labels: Any, *, alpha: float = 0.3) -> Picture:
    """Return a picture of an image in which each label has its own color.

    Parameters
    ----------
    image : array_like or pyopencl array of numbers
        Grey values with the shape of the labels, or uint8 with one more axis at the end for red, green and
        blue. Grey values that are not uint8 are scaled so that the smallest becomes black and the largest
        white.
    labels : array_like or pyopencl array of int, of 1 to 4 dimensions
        Label 0 is the background, which keeps the color of the image. A label has the same color in every
        picture.
    alpha : float
        The opacity of the labels' colors, from 0 to 1.

    Returns
    -------
    ndarray of uint8
        The picture, with the shape of the labels and one more axis for red, green and blue.

    Raises
    ------
    ImageError
        If `labels` is not a valid array of labels, if `image` does not match it, or if `alpha` is out of
        range.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.overlay([[0, 255]], [[0, 1]], alpha=0.5).tolist()
    [[[0, 0, 0], [128, 164, 255]]]
    """
    found = on_host(LabelImage(labels).given)
    largest, least = int(found.max(initial=0)), int(found.min(initial=0))
    if least < 0 or largest > max(found.size, LABELS_OF_FEW_PIXELS):
        raise ImageError(f"labels are from {least:,} to {largest:,}: {FEWER_LABELS}")
    is_number = isinstance(alpha, Real)
    if not is_number or not 0 <= alpha <= 1:
        raise ImageError(f"alpha is {alpha!r}: give a number from 0 to 1")
    share = float(alpha)
    pixels = np.array(as_array(on_host(image), "image", ImageError))
    if pixels.dtype.kind not in "biuf":
        raise ImageError(f"image has dtype {pixels.dtype}: give numbers")
    colored = pixels.shape == (*found.shape, 3) and pixels.dtype == np.uint8
    if pixels.shape != found.shape and not colored:
        raise ImageError(
            f"image has shape {pixels.shape} and dtype {pixels.dtype}, and the labels {found.shape}: give "
            "grey values of that shape, or uint8 with red, green and blue along one more axis"
        )
    picture = pixels if colored else np.repeat(_as_bytes(pixels)[..., np.newaxis], 3, axis=-1)
    marked = found != 0
    mixed = (1 - share) * picture[marked] + share * _colors(largest)[found[marked]]
    picture[marked] = np.rint(mixed).astype(np.uint8)
    return picture


def _as_bytes(grey: npt.NDArray[Any]) -> Picture:
    """Scale grey values to the range from 0 to 255. NaN becomes black."""
    if grey.dtype == np.uint8:
        return grey
    values = grey.astype(np.float64) / 2  # so that the range is finite, too
    finite = np.isfinite(values)
    least, most = values.min(initial=np.inf, where=finite), values.max(initial=-np.inf, where=finite)
    apart = (most - least) if most > least else 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.clip((values - least) / apart, 0, 1) * 255
    bytes_of: Picture = np.rint(np.nan_to_num(scaled)).astype(np.uint8)
    return bytes_of


def _colors(count: int) -> Picture:
    hue = (np.arange(count + 1) * GOLDEN % 1 * 6)[:, np.newaxis]
    away = np.abs((hue - np.array([0, 2, 4]) + 3) % 6 - 3)  # the distances from red, green and blue
    colors: Picture = np.rint(np.clip(2 - away, 0, 1) * 255).astype(np.uint8)
    return colors
