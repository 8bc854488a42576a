"""Checks image labels without sharing any code with the algorithms.

If scipy supports the given options, labels that equal scipy's are correct. Otherwise, four conditions must
hold: the background, and nothing else, has label 0; neighboring pixels that belong together have equal
labels; labels are 1, 2, ... in scan order; and there are as many labels as components, which are counted by
scipy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pointerjump.accel.device_arrays import on_host, require_queue
from pointerjump.base import memory
from pointerjump.base.images import Image, image_of
from pointerjump.base.integers import as_array
from pointerjump.base.progress import Progress
from pointerjump.errors import VerificationError
from pointerjump.verifiers.graphs import contracted, joined

_AT_ONCE = 1 << 22  # labels checked at a time, to keep temporary arrays small

_BYTES_BY_SCIPY, _BYTES_BY_EDGES = 8, 90
"""Peak memory in bytes per pixel, as measured when scipy labels an image and when it searches a graph."""

Mask = npt.NDArray[np.bool_]
Part = tuple[slice, ...]


def verify_labels(
    image: Any,
    labels: npt.ArrayLike,
    connectivity: int = 1,
    *,
    multilabel: bool = False,
    background: int | float | None = 0,
    delta: int | float | None = None,
    wrap_axes: int | Iterable[int] = (),
    progress: Progress | None = None,
) -> None:
    """Check that `labels` numbers the components of an image, as :func:`pointerjump.label` does.

    Parameters
    ----------
    image : array_like or pyopencl array of bool, int or float, with 1 to 4 dimensions
    labels : array_like or pyopencl array of int, with the same shape
        0 for the background, and 1, 2, ... for the components, in scan order of their first pixels.
    connectivity, multilabel, background, delta, wrap_axes : optional
        As for :func:`pointerjump.label`.
    progress : callable, optional
        Called periodically with the fraction of the work completed, from 0 to 1.

    Raises
    ------
    VerificationError
        If the label of a pixel is wrong, if neighboring pixels that belong together have different labels, or
        if two pixels have the same label but no path joins them. The message names the pixels.
    ImageError
        If `image` is not a valid image, or if an option does not apply to it.

    Examples
    --------
    >>> import pointerjump as pj
    >>> mask = [[1, 0, 1], [1, 0, 0]]
    >>> pj.verify_labels(mask, [[1, 0, 2], [1, 0, 0]])
    >>> pj.verify_labels(mask, [[1, 0, 1], [1, 0, 0]])
    Traceback (most recent call last):
    pointerjump.errors.VerificationError: pixels (0, 0) and (0, 2) both have label 1, but no path joins them
    """
    require_queue(image, "the image")
    require_queue(labels, "the array of labels", VerificationError)
    image = image_of(on_host(image), connectivity, multilabel, background, delta, wrap_axes)
    verify_labels_of(image, on_host(labels), progress)


def verify_labels_of(image: Image, labels: npt.ArrayLike, progress: Progress | None = None) -> None:
    """Check the labels of an image whose options have already been checked. See :func:`verify_labels`."""
    label = as_array(labels, "labels", VerificationError)
    if label.shape != image.shape:
        raise VerificationError(f"labels has shape {label.shape}, but the image has shape {image.shape}")
    if label.dtype.kind not in "iu":
        raise VerificationError(f"labels has dtype {label.dtype}, but labels are integers")
    report = progress or (lambda share: None)
    size = _BYTES_BY_SCIPY if _is_scipys(image) else _BYTES_BY_EDGES
    what = f"checking labels of {image.size:,} pixels"
    memory.require(size * image.size, what, "allow more memory, or check on a machine that has more")
    shape, background = image.shape, image.background
    foreground: Mask = np.ones(shape, np.bool_) if background is None else image.pixels != background
    count, component = _components(image, foreground)
    if _is_scipys(image) and np.array_equal(label, component):
        report(1.0)
        return
    report(0.5)
    _check_background(foreground, label)
    neighbors = list(_neighbors(image))
    for done, (here, there) in enumerate(neighbors, 1):
        _check_neighbors(_alike(image, foreground, here, there), label, here, there)
        report(0.5 + 0.4 * done / len(neighbors))
    _check_numbers(label)
    # Labels are 1 to the largest, and no component has two labels. So if there are as many components as
    # labels, each label belongs to one component.
    if count != int(label.max(initial=0)):
        at = np.flatnonzero(foreground)
        u, v = joined(label.ravel()[at], component.ravel()[at])
        one, other = (_pixel(label.shape, int(at[vertex])) for vertex in (u, v))
        raise VerificationError(
            f"pixels {one} and {other} both have label {label[one]}, but no path joins them"
        )
    report(1.0)


def _pixel(shape: tuple[int, ...], at: int) -> tuple[int, ...]:
    return tuple(int(index) for index in np.unravel_index(at, shape))


# -- pixels and neighbors ----------------------------------------------------------------------------


def _structure(image: Image) -> Mask:
    """Return a mask of the neighbors around a pixel, in the form that scipy uses."""
    structure: Mask = ndimage.generate_binary_structure(len(image.shape), image.connectivity)
    return structure


def _neighbors(image: Image) -> Iterator[tuple[Part, Part]]:
    """Yield pairs of image regions. Pixels at the same position in the two regions are neighbors.

    Each pair of neighbors occurs exactly once.
    """
    steps = np.argwhere(_structure(image)) - 1
    for step in map(tuple, steps[len(steps) // 2 + 1 :].tolist()):
        each_axis = map(_along_axis, step, image.shape, image.wraps)
        for parts in product(*each_axis):
            here, there = zip(*parts, strict=True)
            yield here, there


def _along_axis(step: int, length: int, wraps: bool) -> list[tuple[slice, slice]]:
    if step == 0:
        return [(slice(None), slice(None))]
    low, high = slice(0, max(0, length - 1)), slice(1, length)
    first, last = slice(0, 1), slice(max(0, length - 1), length)
    pairs = [(low, high), (last, first)] if wraps else [(low, high)]
    return pairs if step == 1 else [(there, here) for here, there in pairs]


def _alike(image: Image, foreground: Mask, here: Part, there: Part) -> Mask:
    """Return a mask of the pixels in one region that belong together with their neighbors in the other."""
    both: Mask = foreground[here] & foreground[there]
    if image.alike != "foreground":
        both &= _close(image.pixels[here], image.pixels[there], image.difference)
    return both


def _close(one: npt.NDArray[Any], other: npt.NDArray[Any], difference: float | None) -> Mask:
    equal: Mask = one == other
    if not difference:
        return equal
    low, high = np.minimum(one, other), np.maximum(one, other)
    if one.dtype.kind == "f":  # differences have at least 32 bits
        dtype = np.result_type(one.dtype, np.float32)
        low, high = low.astype(dtype), high.astype(dtype)
    else:
        unsigned = f"u{one.dtype.itemsize}"  # unsigned integers can represent every difference
        low, high = low.view(unsigned), high.view(unsigned)
    with np.errstate(over="ignore", invalid="ignore"):  # of infinite numbers
        close: Mask = equal | (high - low <= difference)
    return close


# -- checks ------------------------------------------------------------------------------------------


def _check_background(foreground: Mask, label: npt.NDArray[Any]) -> None:
    wrong = np.where(foreground, label <= 0, label != 0)
    if wrong.any():
        pixel = _pixel(label.shape, int(np.argmax(wrong)))
        what = "belongs to a component" if foreground[pixel] else "is background"
        raise VerificationError(f"pixel {pixel} {what}, but has label {label[pixel]}")


def _check_neighbors(alike: Mask, label: npt.NDArray[Any], here: Part, there: Part) -> None:
    wrong = alike & (label[here] != label[there])
    if not wrong.any():
        return
    at = _pixel(wrong.shape, int(np.argmax(wrong)))
    one, other = (
        tuple(index + (part.start or 0) for index, part in zip(at, parts, strict=True))
        for parts in (here, there)
    )
    raise VerificationError(
        f"pixels {one} and {other} belong together, but have labels {label[one]} and {label[other]}"
    )


def _check_numbers(label: npt.NDArray[Any]) -> None:
    """Check that, in scan order, each new label is one more than the largest label before it."""
    labels, largest = label.ravel(), 0
    for begin in range(0, len(labels), _AT_ONCE):
        some = labels[begin : begin + _AT_ONCE]
        before = np.maximum.accumulate(np.append(largest, some).astype(np.int64))
        wrong = before[1:] > before[:-1] + 1
        if wrong.any():
            at = int(np.argmax(wrong))
            raise VerificationError(
                f"pixel {_pixel(label.shape, begin + at)} is the first of its component and has label "
                f"{some[at]}, but the next number in scan order is {before[at] + 1}"
            )
        largest = int(before[-1])


def _is_scipys(image: Image) -> bool:
    return image.alike == "foreground" and not any(image.wraps)


def _components(image: Image, foreground: Mask) -> tuple[int, npt.NDArray[Any]]:
    if _is_scipys(image):
        labels: npt.NDArray[Any] = np.empty(image.shape, image.label_dtype)
        return int(ndimage.label(foreground, _structure(image), output=labels)), labels
    count, component = prod(image.shape), np.arange(image.size).reshape(image.shape)
    for here, there in _neighbors(image):
        alike = _alike(image, foreground, here, there)
        count, component = contracted(count, component, component[here][alike], component[there][alike])
    return count - int(np.count_nonzero(~foreground)), component
