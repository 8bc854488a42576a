"""Decides how kernels read the values of pixels and compare them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pointerjump.accel.list_scan import has_doubles
from pointerjump.accel.residents.images import ResidentImage
from pointerjump.errors import DeviceError

_NAMES = {"i": ("char", "short", "int", "long"), "u": ("uchar", "ushort", "uint", "ulong")}


class PixelValues(NamedTuple):
    """Arguments and macros for pixels.h.

    The arguments are the background value, a mask of the bits that are compared with it and the largest
    difference between values that count as close.
    """

    arguments: tuple[Any, Any, Any]
    macros: dict[str, Any]


NOT_COMPARED = PixelValues(
    (np.uint8(0),) * 3, {"ALIKE_FOREGROUND": True, "VALUE": "uchar", "DIFFERENCE": "uchar"}
)
"""The arguments and macros for kernels that read one bit per pixel, which says whether it is foreground."""


def pixel_values(image: ResidentImage) -> PixelValues:
    """Return the arguments and macros for an image's pixels.

    A DeviceError is raised if 64-bit floating-point numbers are needed but the device does not support them.
    """
    given = image.image
    dtype: np.dtype[Any] = given.pixels.dtype
    background, difference = given.background or 0, given.difference or 0
    # Bytes other than 0 and 1 are also true, which matters unless bytes are only compared with 0.
    bools = dtype.kind == "b" and (given.alike != "foreground" or background != 0)
    macros: dict[str, Any] = {
        f"ALIKE_{given.alike.upper()}": True,
        "BOOLS": bools,
        "BYTES": dtype.itemsize == 1 and not bools,
        "NO_BACKGROUND": given.background is None,
    }
    if dtype.kind == "f" and (given.alike == "close" or background != 0):
        real = np.float64 if dtype.itemsize == 8 else np.float32
        if real is np.float64 and not has_doubles(image.session):
            raise DeviceError(
                f"{image.session.device.device} does not compute with 64-bit floating-point numbers: give "
                "the image as float32, or choose another device (pointerjump devices)"
            )
        name = "double" if real is np.float64 else "float"
        macros |= {"FLOATING": True, "HALF": dtype.itemsize == 2, "VALUE": name, "DIFFERENCE": name}
        return PixelValues((real(background), real(0), real(difference)), macros)
    # All other values are compared as bits, so only their size matters, unless differences are taken.
    kind = "i" if dtype.kind == "i" and given.alike == "close" else "u"
    power = dtype.itemsize.bit_length() - 1
    macros |= {"VALUE": _NAMES[kind][power], "DIFFERENCE": _NAMES["u"][power]}
    unsigned, value = np.dtype(f"u{dtype.itemsize}").type, np.dtype(f"{kind}{dtype.itemsize}")
    ones = 2 ** (8 * dtype.itemsize) - 1
    mask = ones >> 1 if dtype.kind == "f" else ones  # a zero may have a sign
    compared = unsigned(int(background) & ones).astype(value), unsigned(mask & ones).astype(value)
    return PixelValues((*compared, unsigned(difference)), macros)
