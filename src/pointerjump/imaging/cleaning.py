"""Cleans masks and labels: removes objects at the border, fills holes and renumbers labels by size."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.device_arrays import in_kind, on_host, require_queue
from pointerjump.base.images import as_pixels, as_wraps, is_on_device
from pointerjump.base.integers import as_count
from pointerjump.errors import ImageError
from pointerjump.imaging.label_regions import rewritten
from pointerjump.imaging.labels import label, where_given


@in_kind
def clear_border(
    labels: Any,
    buffer_size: int = 0,
    *,
    mask: Any = None,
    wrap_axes: int | Iterable[int] = (),
    out: Any = None,
    device: Any = None,
) -> Any:
    """Remove objects that touch the border of a labelled image or a mask.

    An object is a set of connected pixels with equal labels; pixels may be connected diagonally. If an object
    touches the border, its pixels are set to 0. See :func:`skimage.segmentation.clear_border`.

    Parameters
    ----------
    labels : array_like or pyopencl array of int or bool, of 1 to 4 dimensions
        Labels or a mask. 0 is the background.
    buffer_size : int
        The width of the border in pixels, not counting the outermost pixels, which also belong to it.
    mask : array_like of bool, optional
        A mask that replaces the border: objects with a pixel where the mask is False are removed.
    wrap_axes : int or iterable of int
        Periodic axes, as for :func:`label`. The ends of these axes are not part of the border.
    out : ndarray, optional
        The array to write the result to, with the shape and dtype of the labels. It may be `labels` itself.
    device : optional
        As for :func:`components`. The border is examined on the host.

    Returns
    -------
    ndarray, or pyopencl array if `labels` is one
        `out`, or a new array with the shape and dtype of the labels.

    Raises
    ------
    ImageError
        If `labels` is neither an array of labels nor a mask, or if `buffer_size`, `mask` or `out` does not
        match `labels`.
    DeviceError, MemoryLimitError
        As for :func:`label`.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.clear_border([[1, 0, 0, 0], [0, 0, 2, 0], [0, 0, 0, 0]]).tolist()
    [[0, 0, 0, 0], [0, 0, 2, 0], [0, 0, 0, 0]]
    """
    given = _pixels_of(labels, "labels")
    width = as_count(buffer_size, "buffer_size", ImageError)
    if mask is None and not 0 <= width < max(1, min(given.shape)):
        raise ImageError(
            f"buffer_size is {width}, and the labels have shape {given.shape}: give 0 or more, and fewer "
            "than the shortest axis has pixels"
        )
    outside = None
    if mask is not None:
        outside = _pixels_of(mask, "mask")
        if outside.dtype != np.bool_ or outside.shape != given.shape:
            raise ImageError(
                f"mask has shape {outside.shape} and dtype {outside.dtype}: give bools of shape {given.shape}"
            )
    is_array = isinstance(out, np.ndarray) and out.flags.writeable
    if out is not None and not (is_array and (out.shape, out.dtype) == (given.shape, given.dtype)):
        raise ImageError(
            f"out does not suit: give a writable ndarray of {given.dtype}, of shape {given.shape}"
        )
    wraps = as_wraps(wrap_axes, given.ndim)
    objects = label(given, given.ndim, multilabel=True, wrap_axes=wrap_axes, device=device)
    touches = _at_border(objects, wraps, width) if outside is None else _with(objects, objects[~outside])
    if out is None:
        out = given.copy()
    elif out is not given:
        np.copyto(out, given)
    out[touches[objects]] = 0
    return where_given(labels, out)


@in_kind
def fill_holes(mask: Any, *, device: Any = None) -> Any:
    """Fill the holes in a mask.

    A hole is a connected set of background pixels that does not reach the border. Background pixels are
    connected only if they are neighbors along an axis. See :func:`scipy.ndimage.binary_fill_holes`.

    Parameters
    ----------
    mask : array_like or pyopencl array, of 1 to 4 dimensions
        The mask. All values other than 0 are foreground.
    device : optional
        As for :func:`components`. The border is examined on the host.

    Returns
    -------
    ndarray of bool, or pyopencl array of int8 if `mask` is one
        The mask without holes.

    Raises
    ------
    ImageError
        If `mask` is not a valid image.
    DeviceError, MemoryLimitError
        As for :func:`label`.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.fill_holes([[1, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 0]]).tolist()
    [[True, True, True, False], [True, True, True, False], [True, True, True, False]]
    """
    given = _pixels_of(mask, "the mask")
    background = given == 0
    holes = label(background, device=device)
    filled = ~_at_border(holes, (False,) * given.ndim, 0)[holes] | ~background
    return where_given(mask, filled.astype(np.int8) if is_on_device(mask) else filled)


@in_kind
def relabel_by_size(labels: Any, *, device: Any = None, out: Any = None) -> Any:
    """Renumber labels by size, so that label 1 has the most pixels. Labels of equal size keep their order.

    Parameters
    ----------
    labels, device, out
        As for :func:`remove_small`.

    Returns
    -------
    ndarray or pyopencl array
        As for :func:`remove_small`.

    Raises
    ------
    ImageError, DeviceError, MemoryLimitError
        As for :func:`remove_small`.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.relabel_by_size([1, 0, 2, 2, 0, 7, 7, 7]).tolist()
    [3, 0, 2, 2, 0, 1, 1, 1]
    """

    def by_size(by: ModuleType, placed: Any, measured: Any) -> Any:
        sizes = measured.sizes
        place = np.argsort(-sizes, kind="stable")
        number = np.zeros(len(sizes) + 1, np.uint32)
        number[place + 1] = np.where(sizes[place] > 0, np.arange(1, len(sizes) + 1), 0)
        return by.replace(placed, number)

    return rewritten(labels, by_size, device, out)


def _pixels_of(given: Any, what: str) -> npt.NDArray[Any]:
    require_queue(given, what)
    pixels: npt.NDArray[Any] = as_pixels(on_host(given))
    return pixels


def _at_border(objects: npt.NDArray[Any], wraps: Iterable[bool], width: int) -> npt.NDArray[np.bool_]:
    """Return for each object whether it comes within `width` pixels of an end of a non-wrapping axis."""
    borders = [np.zeros(0, objects.dtype)]
    for axis, wrap in enumerate(wraps):
        if not wrap:
            along = np.moveaxis(objects, axis, 0)
            borders += [along[: width + 1].ravel(), along[max(0, len(along) - width - 1) :].ravel()]
    return _with(objects, np.concatenate(borders))


def _with(objects: npt.NDArray[Any], some: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return for each object whether it occurs in the array `some`. The background (0) is not an object."""
    found = np.zeros(int(objects.max(initial=0)) + 1, np.bool_)
    found[some] = True
    found[0] = False
    return found
