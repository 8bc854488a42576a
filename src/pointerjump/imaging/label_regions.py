"""Measures labelled regions and their contacts, and removes small regions."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import prod
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.accel import region_sums as accel_sums
from pointerjump.accel import regions as accel
from pointerjump.accel.device_arrays import in_kind, on_host, require_queue, write_on_device
from pointerjump.accel.region_contacts import find_contacts as device_contacts
from pointerjump.accel.residents.labels import ResidentLabels
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.base import memory
from pointerjump.base.foreign import to_host
from pointerjump.base.images import (
    FEWER_LABELS,
    MOST_AXES,
    as_wraps,
    axes_in_memory,
    is_on_device,
    require_like,
)
from pointerjump.base.integers import as_array, as_count, largest_of
from pointerjump.errors import ImageError
from pointerjump.imaging.chunked_arrays import Box, Grid, StoredImage, asked_grid
from pointerjump.imaging.labels import where_given
from pointerjump.imaging.region_tables import (
    INTENSITIES,
    MOST_PIXELS,
    SHAPES,
    Levels,
    Places,
    Wanted,
    check_properties,
    covariances,
    intensities,
    table,
    wide_add,
)
from pointerjump.reference import region_sums as reference_sums
from pointerjump.reference import regions as reference
from pointerjump.reference.region_contacts import find_contacts as reference_contacts
from pointerjump.solving.run import is_reference

_BYTES_PER_LABEL, _BYTES_PER_AXIS = 8 + 8, 16 + 32
"""Bytes of memory per label, and per label and axis. They hold the measurements (the size of each label, and
a sum and a box of 32-bit integers per axis) and the results (the size, and a sum, a box and a centroid)."""

_BYTES_PER_PLACE = 48  # peak per label and position along an axis while unwrapping: six 64-bit integers
MOST_LABELS = 2**31 - 1  # the largest label: kernels count labels in 32 bits

LABELS_OF_FEW_PIXELS = 1 << 22
"""The largest label allowed in an image with fewer pixels than this. Such an image may be part of a larger
one. Labels are limited because every label up to the largest takes up memory, even if it does not occur."""

LONGEST_AXIS = 2**32 - 1
"""The maximum length of an axis, because kernels store coordinates in 32 bits. An axis that wraps may have
only half as many pixels, so that pixels before the beginning of a box can be distinguished from those after
it."""


@dataclass(frozen=True, eq=False)
class Regions:
    """Measurements of the regions of a labelled image. Item i of each array belongs to label i + 1.

    Attributes
    ----------
    count : int
        The largest label.
    sizes : ndarray of int64, shape (count,)
        The number of pixels with each label, or 0 if the label does not occur.
    boxes : ndarray of int64, shape (count, ndim, 2)
        The smallest box around the pixels with each label: along each axis, the index of the first pixel, and
        the index just past the last pixel. If the label does not occur, its box is all zeros. Along an axis
        that wraps, a box may extend past the end of the axis. Indices past the end stand for the first pixels
        of the axis.
    centroids : ndarray of float64, shape (count, ndim)
        The mean coordinates of the pixels with each label, or NaN if the label does not occur. Along an axis
        that wraps, the mean is computed within the box, and then taken modulo the length of the axis.

    Examples
    --------
    >>> import pointerjump as pj
    >>> found = pj.regions([[1, 1, 0], [0, 1, 3]])
    >>> found.count, found.sizes.tolist()
    (3, [3, 0, 1])
    >>> found.centroids[2].tolist()
    [1.0, 2.0]
    """

    count: int
    sizes: npt.NDArray[np.int64]
    boxes: npt.NDArray[np.int64]
    centroids: npt.NDArray[np.float64]
    _table: Callable[[], dict[str, npt.NDArray[Any]]] = field(default=dict, repr=False)

    def table(self) -> dict[str, npt.NDArray[Any]]:
        """Return the requested properties as a dict of arrays, each with an item for every label that occurs.

        Names and values are those of :func:`skimage.measure.regionprops_table`. A property that consists of
        several numbers has a column for each number, such as ``centroid-0`` and ``centroid-1``. The property
        ``touches_border``, which scikit-image does not have, is true if the region has a pixel at an end of
        an axis that does not wrap. The dict can be passed to ``pandas.DataFrame``.

        Examples
        --------
        >>> import pointerjump as pj
        >>> heights = [[5, 6, 0], [0, 7, 1]]
        >>> found = pj.regions([[1, 1, 0], [0, 1, 3]], heights, properties=("label", "intensity_mean"))
        >>> {name: column.tolist() for name, column in found.table().items()}
        {'label': [1, 3], 'intensity_mean': [6.0, 1.0]}
        """
        return self._table()

    @cached_property
    def slices(self) -> list[tuple[slice, ...] | None]:
        """The boxes as tuples of slices, or None for labels that do not occur.

        :func:`scipy.ndimage.find_objects` returns the same list. When an image is sliced, a slice stops at
        the end of the image. If a box extends past the end of an axis that wraps, use
        ``image.take(range(*box), axis, mode="wrap")`` to select the whole box along that axis.

        Examples
        --------
        >>> import pointerjump as pj
        >>> pj.regions([[1, 1, 0], [0, 1, 3]]).slices[0]
        (slice(0, 2, None), slice(0, 2, None))
        """
        occurs = (self.sizes > 0).tolist()
        boxes = self.boxes.tolist()
        return [
            tuple(slice(*ends) for ends in box) if is_there else None
            for is_there, box in zip(occurs, boxes, strict=True)
        ]

    def __repr__(self) -> str:
        return f"Regions(count={self.count}, ndim={self.boxes.shape[1]})"


class Contacts(NamedTuple):
    """Pairs of labels that touch.

    Attributes
    ----------
    pairs : ndarray of int64, shape (m, 2)
        The pairs in ascending order. The smaller label of each pair comes first.
    faces : ndarray of int64, shape (m,)
        The number of pixel faces that the two labels of each pair share.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.contacts([[1, 1, 2], [1, 0, 2]])
    Contacts(pairs=array([[1, 2]]), faces=array([1]))
    """

    pairs: npt.NDArray[np.int64]
    faces: npt.NDArray[np.int64]


def regions(
    labels: Any,
    image: Any = None,
    *,
    spacing: float | Iterable[float] | None = None,
    wrap_axes: int | Iterable[int] = (),
    properties: str | Iterable[str] | None = None,
    chunk: int | tuple[int, ...] | None = None,
    device: Any = None,
) -> Regions:
    """Measure the size, position, shape and intensity of the regions of a labelled image.

    Parameters
    ----------
    labels : array_like or pyopencl array of int, of 1 to 4 dimensions
        Nonnegative integers, such as the labels from :func:`label`. The array may have any strides. 0 is the
        background. Labels need not be consecutive, and regions need not be connected. If `chunk` is given,
        `labels` may be any array that :func:`label_chunks` accepts.
    image : array_like or pyopencl array, optional
        Intensities: a numeric array with the shape of the labels. It may have one more axis at the end, for
        channels.
    spacing : float or iterable of float, optional
        The size of a pixel for :meth:`Regions.table`: one number for all axes, or one number per axis.
        `sizes`, `boxes` and `centroids` are always in pixels.
    wrap_axes : int or iterable of int
        Periodic axes, as for :func:`label`. Along a periodic axis, the box of a label leaves out the longest
        gap: the longest run of positions at which the label does not occur. A gap may extend across the end
        of the axis. If several gaps are equally long, the box begins as early as possible. If the label
        occurs at every position, its box spans the whole axis. If a box spans more than half of a periodic
        axis, the labels are copied to the host. Shapes and weighted centroids are computed within the box.
    properties : str or iterable of str, optional
        The columns of the table, with the names that scikit-image uses: ``label``, ``area``, ``area_bbox``,
        ``bbox``, ``centroid``, ``equivalent_diameter_area``, ``extent``, ``num_pixels`` and
        ``touches_border``. For two or three dimensions, there are also the shape properties
        ``axis_major_length`` and ``axis_minor_length``; for two dimensions, also ``orientation``. If `image`
        is given, there are ``centroid_weighted``, ``intensity_max``, ``intensity_mean``, ``intensity_min``
        and ``intensity_std``. Default: all properties except shapes.
    chunk : int or tuple of int, optional
        The shape of the chunks to measure one at a time, for arrays larger than memory. The result does not
        depend on it.
    device : optional
        As for :func:`components`. Intensities of 64 bits require a device with 64-bit atomics. Means of
        floating-point intensities require a device that supports 64-bit floating-point numbers.

    Returns
    -------
    Regions
        The arrays are on the host. They do not depend on the device, because only integers are summed.
        Intensities with a fractional part are rounded to multiples of a power of two, which is at most
        2**-43 times the range of values in the region. 64-bit integers are rounded in the same way if their
        range exceeds 2**44.

    Raises
    ------
    ImageError
        If `labels` is not a valid array of labels, if an axis has more than 2**32 - 1 pixels (2**31 - 1 if it
        wraps), if `image` does not match the labels, or if a property is unknown. Also if a label is larger
        than both the number of pixels and 4,194,304, because every label up to the largest takes up memory.
    DeviceError, MemoryLimitError
        If the device does not exist or cannot hold the labels, or if memory cannot hold all regions.

    Examples
    --------
    >>> import pointerjump as pj
    >>> found = pj.regions([[1, 1, 0], [0, 1, 3]])
    >>> found.boxes[0].tolist()
    [[0, 2], [0, 2]]
    >>> found = pj.regions([1, 1, 0, 0, 1], [8, 4, 0, 0, 4], wrap_axes=0, spacing=0.5)
    >>> found.boxes[0].tolist(), found.centroids[0].tolist()
    ([[4, 7]], [0.0])
    >>> found.table()["centroid_weighted-0"].tolist(), found.table()["area"].tolist()
    ([0.0], [1.5])
    """
    parts = LabelParts(labels, chunk, device)
    shape = parts.shape
    wraps = as_wraps(wrap_axes, len(shape))
    intensity = None if image is None else _intensities(image, shape, labels)
    names = check_properties(properties, len(shape), given=intensity is not None)
    sizes_of_pixel = _as_spacing(spacing, len(shape))
    for axis, length in enumerate(shape):
        most = LONGEST_AXIS // 2 if wraps[axis] else LONGEST_AXIS
        if length > most:
            raise ImageError(
                f"axis {axis} of the labels has {length:,} pixels, and at most {most:,} can be measured"
                f"{', as it wraps' * wraps[axis]}: give a part of the image"
            )
    spread, found, wanted = None, {}, Wanted.of(names)
    if any(wanted) and prod(shape) > MOST_PIXELS:
        raise ImageError(
            f"the labels have {prod(shape):,} pixels, and shapes and intensities of at most {MOST_PIXELS:,} "
            "are measured: leave them out of properties, or give a part of the image"
        )
    sizes, boxes, sums = _measure(parts)
    wrapping = [axis for axis, wrap in enumerate(wraps) if wrap]
    for axis in wrapping:
        _unwrap(parts, axis, boxes[:, axis], sums[:, axis])
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN
        centroids = sums / sizes[:, np.newaxis]
    centroids[:, wrapping] %= np.array(shape)[wrapping]
    places = Places(sizes, boxes, centroids, shape, wraps, sizes_of_pixel)
    if wanted.shapes:
        spread = covariances(places, _add_up(parts, places, Wanted.of(SHAPES)))
    if intensity is not None and {*INTENSITIES} & {*names}:
        channels = [Levels.between(*each) for each in _find_extremes(parts, len(sizes), intensity)]
        of_levels = wanted._replace(shapes=False)
        added = [
            _add_up(parts, places, of_levels, intensity, channel, levels)
            for channel, levels in enumerate(channels if of_levels.levels else ())
        ]
        found = intensities(places, channels, added, of_levels)
        if len(intensity.shape) == len(shape):
            found = {name: values[..., 0] for name, values in found.items()}
    return Regions(len(sizes), sizes, boxes, centroids, partial(table, names, places, spread, found))


@in_kind
def remove_small(labels: Any, size: int, device: Any = None, out: Any = None) -> Any:
    """Remove labels that have fewer than `size` pixels. The others are numbered 1, 2, ... in the same order.

    Parameters
    ----------
    labels, device
        As for :func:`regions`.
    size : int
        Labels with at least this many pixels are kept.
    out : ndarray or pyopencl array, optional
        The array to write the result to. It must have the same kind, shape and dtype as `labels`, and may be
        `labels` itself.

    Returns
    -------
    ndarray or pyopencl array
        `out`, or a new array of the same kind, shape and dtype as `labels`.

    Raises
    ------
    ImageError
        If `labels` is not a valid array of labels as for :func:`regions`, if `size` is not a valid number of
        pixels, or if `out` does not match the labels.
    DeviceError, MemoryLimitError
        As for :func:`regions`.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.remove_small([1, 0, 2, 2, 0, 3, 3, 3], 2).tolist()
    [0, 0, 1, 1, 0, 2, 2, 2]
    """
    least = as_count(size, "size", ImageError)
    if least < 0:
        raise ImageError(f"size is {least}: give the number of pixels that a label must have to stay")
    least = min(max(1, least), MOST_LABELS)
    return rewritten(
        labels, lambda by, placed, measured: by.renumber(placed, measured, least, MOST_LABELS), device, out
    )


@in_kind
def largest(labels: Any, k: int = 1, device: Any = None, out: Any = None) -> Any:
    """Keep only the k labels with the most pixels, renumbered 1, 2, ... in the same order.

    Parameters
    ----------
    k : int
        The number of labels to keep. Among labels of equal size, those with the smallest numbers are kept.
    labels, device, out
        As for :func:`remove_small`.

    Returns
    -------
    ndarray or pyopencl array
        As for :func:`remove_small`.

    Raises
    ------
    ImageError
        If `k` is not a positive integer. Otherwise as for :func:`remove_small`.
    DeviceError, MemoryLimitError
        As for :func:`remove_small`.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.largest([1, 0, 2, 2, 0, 3, 3, 3, 0, 4, 4], 2).tolist()
    [0, 0, 1, 1, 0, 2, 2, 2, 0, 0, 0]
    """
    stay = as_count(k, "k", ImageError)
    if stay < 1:
        raise ImageError(f"k is {stay}: give the number of labels that stay, at least 1")

    def only_largest(by: ModuleType, placed: Any, measured: Any) -> Any:
        sizes, least, ties_end = measured.sizes, 1, MOST_LABELS
        if stay < np.count_nonzero(sizes):
            least = int(np.partition(sizes, -stay)[-stay])
            ties = stay - np.count_nonzero(sizes > least)
            ties_end = int(np.flatnonzero(sizes == least)[ties - 1]) + 1
        return by.renumber(placed, measured, least, ties_end)

    return rewritten(labels, only_largest, device, out)


def contacts(labels: Any, device: Any = None, *, wrap_axes: int | Iterable[int] = ()) -> Contacts:
    """Find the pairs of labels that touch each other, and the number of faces that they share.

    Two pixels share a face if their positions differ by 1 along a single axis. The last and the first pixels
    along an axis that wraps share faces, too. The pairs can be used as the edges of a graph. Vertex 0 is then
    the background, which has no contacts.

    Parameters
    ----------
    labels : array_like or pyopencl array of int, of 1 to 4 dimensions
        As for :func:`regions`, but labels may be as large as 2**31 - 1.
    device : optional
        As for :func:`components`. The device must support 64-bit atomics.
    wrap_axes : int or iterable of int
        Periodic axes, as for :func:`label`. Faces across the ends of these axes are found on the host.

    Returns
    -------
    Contacts
        The arrays are on the host, and do not depend on the device.

    Raises
    ------
    ImageError
        If `labels` is not a valid array of labels, or if a label is too large.
    DeviceError, MemoryLimitError
        As for :func:`regions`. Also if the device does not support 64-bit atomics.

    Examples
    --------
    >>> import pointerjump as pj
    >>> found = pj.contacts([[1, 1, 2], [3, 0, 2]])
    >>> found.pairs.tolist(), found.faces.tolist()
    ([[1, 2], [1, 3]], [1, 1])
    >>> pj.components(found.pairs, vertices=4).labels.tolist()
    [0, 1, 1, 1]
    """
    image = LabelImage(labels, device)
    wraps = as_wraps(wrap_axes, image.given.ndim)
    by, placed = image.placement
    image.largest_label(by, placed, MOST_LABELS)
    found = (reference_contacts if by is reference else device_contacts)(placed)
    for axis, wrap in enumerate(wraps):
        if wrap:
            found = _with_contacts_across(*found, image.given, axis)
    return Contacts(*found)


# -- how -----------------------------------------------------------------------------------------------


def _intensities(image: Any, shape: tuple[int, ...], labels: Any) -> Any:
    """Check intensities, and return them as a :class:`StoredImage`.

    Intensities on a device are returned unchanged if the labels are on a device and have the same queue.
    """
    image = to_host(image)
    require_queue(image, "the array of intensities")
    if is_on_device(image) and is_on_device(labels) and image.queue == labels.queue:
        found = image
    else:
        sliced = all(hasattr(image, name) for name in ("shape", "dtype", "__getitem__"))
        found = StoredImage(on_host(image) if sliced else as_array(image, "image", ImageError))
    if found.dtype.kind not in "biuf":
        raise ImageError(
            f"image has dtype {found.dtype}: give intensities that are numbers; a device is named by device="
        )
    channels = found.shape[len(shape) :]
    if found.shape[: len(shape)] != shape or len(channels) > 1 or 0 in channels:
        raise ImageError(
            f"image has shape {found.shape}, and the labels {shape}: give an image of the same shape, or "
            "with one more axis at the end, for channels"
        )
    return found


def _as_spacing(spacing: Any, axes: int) -> npt.NDArray[np.float64]:
    given = as_array(1.0 if spacing is None else spacing, "spacing", ImageError)
    try:
        sizes = np.full(axes, given if given.dtype.kind in "iufO" else 0, np.float64)
    except (ValueError, TypeError, OverflowError):
        sizes = np.zeros(1)
    if not (np.isfinite(sizes) & (sizes > 0)).all():
        shown = reprlib.repr(given.tolist())
        raise ImageError(f"spacing is {shown}: give one positive number, or one for each of {axes} axes")
    return sizes


class LabelParts:
    """An iterable over the chunks of a labelled image, which are read again in each pass.

    If `chunk` is None, the only item is the whole image, which is copied to the device once.
    """

    def __init__(self, labels: Any, chunk: Any, device: Any) -> None:
        self._device = device
        self._image = LabelImage(labels, device) if chunk is None else StoredImage(labels)
        self.shape = self._image.shape
        self._grid = Grid(tuple((0, size) for size in self.shape))  # one chunk, even if it has no pixels
        if isinstance(self._image, StoredImage):
            grid = asked_grid(self._image, chunk)
            self._grid = grid if len(grid) else self._grid

    def __iter__(self) -> Iterator[LabelImage]:
        for each in self._grid.chunks():
            if isinstance(self._image, LabelImage):
                yield self._image
            else:
                yield LabelImage(self._image.read(each.slices), self._device, each.slices, self.shape)


def _measure(
    parts: LabelParts,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the sizes, boxes and coordinate sums of all labels, combined over the chunks of an image."""
    axes = len(parts.shape)
    sizes, sums = np.zeros(0, np.int64), np.zeros((0, axes), np.int64)
    boxes = np.zeros((0, axes, 2), np.int64)
    for part in parts:
        (by, placed), begin = part.placement, part.begin
        count = part.largest_label(by, placed)
        size = count * (_BYTES_PER_LABEL + _BYTES_PER_AXIS * axes)
        memory.require(size, f"the regions of {count:,} labels", FEWER_LABELS)
        measured = by.measure(placed, count)
        more = max(0, count - len(sizes))
        sizes, sums, boxes = (
            np.concatenate([each, np.zeros((more, *each.shape[1:]), np.int64)])
            for each in (sizes, sums, boxes)
        )
        here = measured.sizes
        box = measured.boxes[:, part.back] + begin[:, np.newaxis]
        known, there = sizes[:count] > 0, here > 0
        box[known, :, 0] = np.minimum(box[known, :, 0], boxes[:count][known, :, 0])
        box[known, :, 1] = np.maximum(box[known, :, 1], boxes[:count][known, :, 1])
        boxes[:count][there] = box[there]
        sizes[:count] += here
        sums[:count] += measured.sums[:, part.back] + here[:, np.newaxis] * begin
    boxes[sizes == 0] = 0
    return sizes, boxes, sums


def _find_extremes(
    parts: LabelParts, count: int, intensity: Any
) -> list[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
    """Return the smallest and the largest intensity in each region, for each channel."""
    channels = prod(intensity.shape[len(parts.shape) :])
    found: list[tuple[npt.NDArray[Any], npt.NDArray[Any]]] = []
    for number, part in enumerate(parts):
        by, placed = part.placement
        sums = reference_sums if by is reference else accel_sums
        for channel in range(channels):
            least, most = sums.find_extremes(placed, part.placed_values(intensity, channel), count)
            if number == 0:
                found.append((least, most))
            else:
                before = found[channel]
                found[channel] = np.minimum(before[0], least), np.maximum(before[1], most)
    return found


def _add_up(
    parts: LabelParts,
    places: Places,
    wanted: Wanted,
    intensity: Any = None,
    channel: int = 0,
    levels: Levels | None = None,
) -> npt.NDArray[np.uint64]:
    """Return the wanted sums over all chunks, with shape (count, sums, 2); see reference/region_sums.py."""
    total: npt.NDArray[np.uint64] | None = None
    lengths = np.array(places.shape, np.uint32)
    for part in parts:
        by, placed = part.placement
        sums = reference_sums if by is reference else accel_sums
        first = ((places.boxes[..., 0] - part.begin) % 2**32).astype(np.uint32)[:, part.order]
        values = None if intensity is None else part.placed_values(intensity, channel)
        scaled = (None, None) if levels is None else (levels.least, levels.scale)
        added = sums.add_up(placed, first, lengths[[*part.order]], values, *scaled, wanted)
        added = added[:, _in_order_given(wanted, part.back)]
        if total is None:
            total = added
        else:
            wide_add(total, added)
    assert total is not None
    return total


def _in_order_given(wanted: Wanted, back: Sequence[int]) -> list[int]:
    """Return the indices that rearrange sums from the order of the axes in memory to the original order."""
    axes = len(back)
    pairs = [(one, other) for one in range(axes) for other in range(one, axes)]
    number = {pair: at for at, pair in enumerate(pairs)}
    order = []
    if wanted.shapes:
        order = [number[min(back[a], back[b]), max(back[a], back[b])] for a, b in pairs]
    order += [len(order) + at for at in range(wanted.levels + wanted.squares)]
    return order + [len(order) + at for at in back] if wanted.weighted else order


class LabelImage:
    """The validated labels of an image, with axes in memory order.

    Measuring is fastest in this order. If `where` is given, the labels fill only that box in an image of
    shape `whole`.
    """

    def __init__(
        self,
        labels: Any,
        device: Any = None,
        where: Box | None = None,
        whole: tuple[int, ...] | None = None,
    ) -> None:
        array: Any = labels if is_on_device(labels) else as_array(labels, "labels", ImageError)
        if not 1 <= array.ndim <= MOST_AXES:
            raise ImageError(
                f"labels have {array.ndim} dimensions (shape {tuple(array.shape)}): give an array with 1 to "
                f"{MOST_AXES}"
            )
        if array.dtype.kind == "b":
            raise ImageError("labels have dtype bool: label the mask first, by pointerjump.label(mask)")
        if array.dtype.kind not in "iu":
            raise ImageError(
                f"labels have dtype {array.dtype}: give integers, such as pointerjump.label returns"
            )
        require_queue(array, "the array of labels")
        self.given = array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
        self.order = axes_in_memory(array.shape, array.strides)
        self.in_order = self.given.transpose(self.order)
        self.back = np.argsort(self.order).tolist()  # the position of each original axis in this order
        self.shape = tuple(self.given.shape)
        self._device, self._pixels = device, prod(self.shape if whole is None else whole)
        self._where = tuple(slice(0, size) for size in self.shape) if where is None else where
        self.begin = np.array([each.start for each in self._where], np.int64)

    @cached_property
    def placement(self) -> tuple[ModuleType, Any]:
        """A module for measuring the labels, and the labels in the form that its functions accept."""
        return _placed(self.in_order, self._device)

    def placed_values(self, intensity: Any, channel: int) -> Any:
        """Return a channel of the intensities, in the form that the module in `placement` accepts."""
        by, placed = self.placement
        channels = [slice(0, size) for size in intensity.shape[len(self.shape) :]]
        values = intensity
        if isinstance(intensity, StoredImage):
            values = intensity.read((*self._where, *channels))
        values = on_host(values) if by is reference else values
        values = (values[..., channel] if channels else values).transpose(self.order)
        if values.dtype.itemsize > 8:
            values = values.astype(np.float64)
        elif not values.dtype.isnative:
            values = values.astype(values.dtype.newbyteorder("="))
        if by is reference:
            return values
        return ResidentLabels(values if values.size else np.empty(1, values.dtype), placed.session)

    def largest_label(self, by: ModuleType, placed: Any, most: int | None = None) -> int:
        """Return the largest label. Raise an ImageError if a label is negative or larger than `most`."""
        found: int = by.largest_label(placed)  # too large for the dtype if any label is negative
        if most is None:
            most = min(max(self._pixels, LABELS_OF_FEW_PIXELS), MOST_LABELS)
        if found <= min(most, largest_of(self.given.dtype)):
            return found
        labels = on_host(self.given)
        negative = labels < 0
        at = int(np.argmax(negative if negative.any() else labels > most))
        place = ", ".join(str(i) for i in np.unravel_index(at, labels.shape))
        label = int(labels.flat[at])
        if label < 0:
            raise ImageError(f"labels[{place}] is {label}: give numbers from 1 on, and 0 for the background")
        raise ImageError(
            f"labels[{place}] is {label:,}, and at most {most:,} in an image of this size: {FEWER_LABELS}"
        )


def _placed(labels: Any, device: Any, *, renumbered: bool = False, out: Any = None) -> tuple[ModuleType, Any]:
    """Return a module for measuring the labels, and the labels in the form that its functions accept."""
    if is_reference(device):
        return reference, on_host(labels)
    here = session_for(labels.queue) if is_on_device(labels) else None
    session = session_for(device, here)
    if labels.size == 0:  # OpenCL has no empty buffers
        labels, out = np.empty(labels.shape, labels.dtype), None
    with session.running():
        return accel, ResidentLabels(labels, session, renumbered=renumbered, out=out)


def _unwrap(parts: LabelParts, axis: int, boxes: npt.NDArray[np.int64], sums: npt.NDArray[np.int64]) -> None:
    """Change boxes and sums along a periodic axis in place.

    Each box then leaves out the longest run of positions at which its label does not occur.
    """
    length = parts.shape[axis]
    long = np.flatnonzero(2 * (boxes[:, 1] - boxes[:, 0]) > length + 2)  # shorter boxes are right already
    if not len(long):
        return
    memory.require(_BYTES_PER_PLACE * length * len(long), f"regions along axis {axis}", FEWER_LABELS)
    number = np.zeros(len(boxes) + 1, np.intp)
    number[long + 1] = np.arange(len(long)) + 1
    there = np.zeros((length, len(long)), np.int64)
    for part in parts:
        for at, plane in enumerate(np.moveaxis(on_host(part.given), axis, 0), part.begin[axis]):
            there[at] += np.bincount(number[plane].ravel(), minlength=len(long) + 1)[1:]
    place = np.arange(length)[:, np.newaxis]
    last = np.maximum.accumulate(np.where(there > 0, place, -1))
    before = np.vstack([last[-1:] - length, np.where(last < 0, last[-1:] - length, last)[:-1]])
    begin = np.argmax(np.where(there > 0, place - before, 0), axis=0)
    boxes[long, 0], boxes[long, 1] = begin, before[begin, np.arange(len(long))] + 1 + length
    sums[long] += length * np.where(place < begin, there, 0).sum(axis=0)


def _with_contacts_across(
    pairs: npt.NDArray[np.int64], faces: npt.NDArray[np.int64], labels: Any, axis: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the contacts, adding those between the last and the first pixels along an axis."""
    if labels.shape[axis] < 2:
        return pairs, faces
    ends = np.sort(on_host(labels).take([0, -1], axis).swapaxes(axis, -1).reshape(-1, 2)).astype(np.int64)
    ends = ends[(ends[:, 0] > 0) & (ends[:, 0] < ends[:, 1])]
    pairs, which = np.unique(np.concatenate([pairs, ends]), axis=0, return_inverse=True)
    total = np.zeros(len(pairs), np.int64)
    np.add.at(total, which.ravel(), np.concatenate([faces, np.ones(len(ends), np.int64)]))
    return pairs, total


def rewritten(labels: Any, fresh_of: Callable[[ModuleType, Any, Any], Any], device: Any, out: Any) -> Any:
    """Return new labels, computed from measured regions. If `out` is given, the labels are written to it.

    `fresh_of` returns the new labels. It is called with the module that measures regions, the old labels in
    the form that the module's functions accept, and the measurements.
    """
    image = LabelImage(labels)
    given, wanted = image.in_order, None
    flat = given.flags.c_contiguous
    if out is not None:
        require_like(out, image.given, image.given.dtype, exactly=True)
        if is_on_device(out) and out.queue != image.given.queue:
            raise ImageError("out has another queue than the labels: give out.with_queue(labels.queue)")
        wanted = out.transpose(image.order)
        flat = flat and wanted.flags.c_contiguous
    if flat:  # a single row takes the fewest steps
        given, wanted = given.reshape(-1), None if wanted is None else wanted.reshape(-1)
    by, placed = _placed(given, device, renumbered=True, out=wanted)
    fresh = fresh_of(by, placed, by.measure(placed, image.largest_label(by, placed)))
    if out is not None and fresh is wanted:
        return out
    if out is None:
        fresh = where_given(image.given, fresh)  # computed by the reference, or an array without pixels
    fresh = fresh.reshape(image.in_order.shape).transpose(image.back)
    if out is None:
        return fresh
    if is_on_device(image.given):
        write_on_device(out, fresh)
    else:
        np.copyto(out, fresh)
    return out
