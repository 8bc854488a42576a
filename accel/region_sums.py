"""Computes statistics of the pixels in each region on a device: extreme values and sums of products."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.list_scan import has_doubles
from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.accel.residents.labels import AS_UNSIGNED, ResidentLabels
from pointerjump.accel.runtime.session import Kernels
from pointerjump.accel.shapes import Shape
from pointerjump.base.images import FEWER_LABELS
from pointerjump.errors import DeviceError

MOST_LOCAL = 1 << 14
"""The maximum number of bytes of local memory for the slots of a work-group. It is half of what every device
must have."""


def find_extremes(
    labels: ResidentLabels, values: ResidentLabels, count: int, *, access: str | None = None
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the smallest and the largest pixel value for each label from 1 to `count`.

    The result has the same form as that of the reference implementation.
    """
    dtype, session, strip = values.image.pixels.dtype, labels.session, labels.session.tuning.strip
    over, key = labels.over(strip), _key_of(dtype)
    with session.running():
        found = DeviceArray(session, 2 * count, key, f"the extremes of {count:,} labels", FEWER_LABELS)
        kernel = _kernels(labels, access, strip, over, 2 * key.itemsize, EXTREMES=True, **_macros(values))
        kernel("clear", session.shapes.over(count), np.uint32(count), found.buffer)()
        given = *labels.given(strip), values.layout(), values.pixels
        kernel("find_extremes", over, *given, found.buffer)()
        keys = found.take(2 * count).reshape(count, 2)
    lowest, highest = _from_keys(keys[:, 0], dtype), _from_keys(keys[:, 1], dtype)
    absent = keys[:, 0] > keys[:, 1]
    limits = np.array([np.inf, -np.inf]) if dtype.kind == "f" else _limits(dtype)
    lowest[absent], highest[absent] = limits
    return lowest, highest


def add_up(
    labels: ResidentLabels,
    first: npt.NDArray[np.uint32],
    lengths: npt.NDArray[np.uint32],
    values: ResidentLabels | None,
    least: npt.NDArray[Any] | None,
    scale: npt.NDArray[Any] | None,
    wanted: tuple[bool, bool, bool, bool],
    *,
    access: str | None = None,
) -> npt.NDArray[np.uint64]:
    """Return the `wanted` sums over the pixels of each label, starting with label 1.

    The result and all arguments except `labels` and `values` are as in the reference implementation.
    """
    session, strip, count = labels.session, labels.session.tuning.strip, len(first)
    over, axes = labels.over(strip), labels.axes
    shapes, levels, squares, weighted = wanted
    sums = shapes * axes * (axes + 1) // 2 + levels + squares + weighted * axes
    macros: dict[str, Any] = {"VALUE": "uchar"}
    if values is None or least is None or scale is None:
        values, least, scale = labels, np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    else:
        dtype = values.image.pixels.dtype
        macros = _macros(values)
        if dtype.kind == "f":
            if not has_doubles(session):
                raise DeviceError(
                    f"{session.device.device} does not compute with 64-bit floating-point numbers, which "
                    "means of such intensities need: give them as integers, or choose another device "
                    "(pointerjump devices)"
                )
            macros["DOUBLES"] = True
            least = np.where(scale == 0, 0, least.astype(np.float64)) * scale
        else:
            least, scale = _to_keys(least), scale.astype(np.uint32)
            macros["NARROW"] = dtype.itemsize <= 2
    options = {"SHAPES": shapes, "VALUES": levels, "SQUARES": squares, "WEIGHTED": weighted}
    macros |= {name: int(wanted) for name, wanted in options.items()}
    with session.running():
        what = f"the sums of {count:,} labels"
        found = DeviceArray(session, 2 * count * sums, np.uint64, what, FEWER_LABELS)
        arrays = [np.ascontiguousarray(each) for each in (lengths, first, least, scale)]
        placed = [session.put(each, what) for each in arrays]
        kernel = _kernels(labels, access, strip, over, 16 * sums, **macros)
        kernel("clear", session.shapes.over(count), np.uint32(count), found.buffer)()
        given = *labels.given(strip), values.layout(), values.pixels
        kernel("add_up", over, *given, *placed, found.buffer)()
        return found.take(2 * count * sums).reshape(count, sums, 2)


def _kernels(
    labels: ResidentLabels, access: str | None, strip: int, over: Shape, record: int, **macros: Any
) -> Kernels:
    slots = 1 << (MOST_LOCAL // record).bit_length() - 1
    return labels.label_kernels(
        "region_sums.cl", access, strip, slots, AXES=labels.axes, GROUP=over.local_size[0], **macros
    )


# -- values, and keys in the same order ----------------------------------------------------------------


def _macros(values: ResidentLabels) -> dict[str, Any]:
    dtype = values.image.pixels.dtype
    wide = dtype.itemsize == 8
    if wide and not values.session.device.int64_atomics:
        raise DeviceError(
            f"{values.session.device.device} has no 64-bit atomics, which intensities of 64 bits need: give "
            "32-bit ones, or choose another device (pointerjump devices)"
        )
    macros: dict[str, Any] = {
        "VALUE": AS_UNSIGNED[dtype.itemsize],
        "SIGNED": dtype.kind == "i",
        "BOOLS": dtype.kind == "b",
        "WIDE_KEYS": wide,
        "ADJACENT_VALUES": values.strides[3] == dtype.itemsize or values.shape[3] <= 1,
    }
    if dtype.kind == "f":
        name = "double" if wide else "float"
        macros |= {"FLOATING": name, "HALF": dtype.itemsize == 2, "DOUBLES": wide}
        if dtype.itemsize > 2:
            macros["VALUE"] = name
    return macros


def _key_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.uint64 if dtype.itemsize == 8 else np.uint32)


def _limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return the largest and the smallest value of an integer dtype."""
    return (1, 0) if dtype.kind == "b" else (np.iinfo(dtype).max, np.iinfo(dtype).min)


def _to_keys(integers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Map integers to unsigned keys, exactly as the kernels do. Smaller integers have smaller keys."""
    dtype = integers.dtype
    if dtype.kind == "i":
        unsigned = np.dtype(f"u{dtype.itemsize}")
        integers = integers.view(unsigned) ^ unsigned.type(1 << 8 * dtype.itemsize - 1)
    return integers.astype(_key_of(dtype))


def _from_keys(keys: npt.NDArray[Any], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    if dtype.kind != "f":
        found = keys.astype(f"u{dtype.itemsize}")
        if dtype.kind == "i":
            found ^= found.dtype.type(1 << 8 * dtype.itemsize - 1)
        return found.astype(np.bool_) if dtype.kind == "b" else found.view(dtype)
    top = keys.dtype.type(1 << 8 * keys.dtype.itemsize - 1)
    bits = np.where(keys & top, keys ^ top, ~keys)
    return bits.view(f"f{keys.dtype.itemsize}").astype(dtype)
