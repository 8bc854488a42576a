"""Shapes and intensities of regions, and tables under scikit-image's names.

Coordinates are counted from the first pixel of each region's box, around the end of periodic axes. So sums of
their products stay small and exact, and a region across the edge is treated like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.errors import ImageError

RegionValues = npt.NDArray[np.float64]
Block = tuple[tuple[slice, ...], npt.NDArray[Any], Any]
"""A part of an image: its slices, its labels, and its intensities or None."""

BLOCK_PIXELS = 1 << 22
"""The number of pixels that are measured at once; each takes some 60 bytes meanwhile."""

SHAPES = ("axis_major_length", "axis_minor_length", "orientation")
"""Properties that are computed from products of coordinates."""

INTENSITIES = ("centroid_weighted", "intensity_max", "intensity_mean", "intensity_min", "intensity_std")

PLACES = ("area", "area_bbox", "bbox", "centroid", "equivalent_diameter_area", "extent", "num_pixels")

PROPERTIES = ("label", *PLACES, "touches_border", *SHAPES, *INTENSITIES)
"""All columns that a table may have: scikit-image's names, and `touches_border`."""


class Places(NamedTuple):
    """The places of regions; item i is about label i + 1. Boxes begin within the image."""

    sizes: npt.NDArray[np.int64]
    boxes: npt.NDArray[np.int64]
    centroids: RegionValues
    shape: tuple[int, ...]
    wraps: Sequence[bool]
    spacing: RegionValues

    def mean_relative(self) -> RegionValues:
        """Return the centroids relative to the boxes, shape (count, axes)."""
        found: RegionValues = self.centroids - self.boxes[..., 0]
        for axis, wraps in enumerate(self.wraps):
            if wraps:
                found[:, axis] %= self.shape[axis]
        return found


def check_properties(asked: Any, axes: int, *, given: bool) -> tuple[str, ...]:
    """Return the properties of a table, in the caller's order."""
    if asked is None:
        return tuple(each for each in PROPERTIES if each not in SHAPES and (given or each not in INTENSITIES))
    names = (asked,) if isinstance(asked, str) else tuple(asked)
    for name in names:
        if name not in PROPERTIES:
            raise ImageError(f"properties has {name!r}: choose from {', '.join(PROPERTIES)}")
        if name in INTENSITIES and not given:
            raise ImageError(f"properties has {name!r}, which needs intensities: give image=")
        if name in SHAPES and (axes not in (2, 3) or (axes == 3 and name == "orientation")):
            most = "2" if name == "orientation" else "2 or 3"
            raise ImageError(f"properties has {name!r}, which is for {most} axes, and labels have {axes}")
    return names


# -- sums over runs of pixels ------------------------------------------------------------------------


class Runs(NamedTuple):
    """The runs of a block: longest stretches of neighbors in a row with one label; item i is about run i.

    `number` is the region's, `length` the number of pixels, and `at` the place of the first pixel in the
    region's box, along each axis. These leave out the background's runs: `which` selects the others among all
    runs, to which `first` and `lengths` refer.
    """

    number: npt.NDArray[np.intp]
    length: RegionValues
    at: list[RegionValues]
    which: npt.NDArray[np.intp]
    first: npt.NDArray[np.intp]
    lengths: npt.NDArray[np.intp]

    @classmethod
    def of(cls, places: Places, slices: Sequence[slice], labels: npt.NDArray[Any]) -> Runs:
        """Find the runs of a block, which has pixels."""
        rows = labels.reshape(-1, labels.shape[-1])
        begins = np.ones(rows.shape, np.bool_)
        np.not_equal(rows[:, 1:], rows[:, :-1], out=begins[:, 1:])
        first = np.flatnonzero(begins)
        lengths = np.diff(first, append=rows.size)
        label = rows[begins]
        which = np.flatnonzero(label)
        number = label[which].astype(np.intp) - 1
        pixels = np.unravel_index(first[which], labels.shape)
        at = []
        for axis, (pixel, cut) in enumerate(zip(pixels, slices, strict=True)):
            from_begin = pixel + cut.start - places.boxes[number, axis, 0]
            at.append((from_begin % places.shape[axis] if places.wraps[axis] else from_begin).astype(float))
        return cls(number, lengths[which].astype(float), at, which, first, lengths)

    def over_all(self, function: np.ufunc, values: RegionValues) -> RegionValues:
        """Reduce the values of each run by a NumPy function."""
        return np.asarray(function.reduceat(values, self.first)[self.which])


def covariances(places: Places, blocks: Iterable[Block]) -> RegionValues:
    """Return the covariance of each region's coordinates, in units of the spacing: (count, axes, axes)."""
    count, axes = len(places.sizes), len(places.shape)
    products = np.zeros((count, axes, axes))
    for runs, _ in _with_intensities(places, blocks):
        n, (*others, at) = runs.length, runs.at
        total = n * at + n * (n - 1) / 2  # of the coordinates along the last axis, and of their squares
        squares = n * at * at + at * n * (n - 1) + n * (n - 1) * (2 * n - 1) / 6
        for one in range(axes):
            for other in range(one, axes):
                product = n * runs.at[one] * runs.at[other]
                if other == axes - 1:
                    product = squares if one == other else others[one] * total
                products[:, one, other] += np.bincount(runs.number, product, count)
    mean = places.mean_relative()
    with np.errstate(invalid="ignore"):
        found = products / places.sizes[:, np.newaxis, np.newaxis]
    found = np.triu(found) + np.triu(found, 1).swapaxes(1, 2) - mean[:, :, np.newaxis] * mean[:, np.newaxis]
    scaled: RegionValues = found * np.outer(places.spacing, places.spacing)
    return scaled


def intensities(places: Places, blocks: Iterable[Block], channels: int) -> dict[str, RegionValues]:
    """Return intensities of each region, by property: (count, channels), or with axes between.

    Means and sums of squares are merged block by block, which keeps a small spread around a large mean.
    """
    count, axes = len(places.sizes), len(places.shape)
    mean, squares = np.zeros((2, count, channels))
    least, most = np.full((count, channels), np.inf), np.full((count, channels), -np.inf)
    weighted, before = np.zeros((count, axes, channels)), np.zeros(count)
    for runs, values in _with_intensities(places, blocks):
        number, n = runs.number, runs.length
        here = np.bincount(number, n, count)
        all_pixels = np.maximum(before + here, 1)
        column = np.arange(runs.lengths.sum(), dtype=np.float64) - np.repeat(runs.first, runs.lengths)
        for channel, value in enumerate(values.T):
            value = value.astype(np.float64)
            base = np.nan_to_num(value[runs.first], posinf=0, neginf=0)
            above = value - np.repeat(base, runs.lengths)
            base, total = base[runs.which], runs.over_all(np.add, above)
            of_run = base + total / n
            of_block = np.bincount(number, n * of_run, count) / np.maximum(here, 1)
            away = of_run - of_block[number]
            around = runs.over_all(np.add, above * above) - total * total / n + n * away * away
            apart = np.where(here > 0, of_block - mean[:, channel], 0)
            squares[:, channel] += np.bincount(number, around, count)
            squares[:, channel] += apart * apart * (before * here / all_pixels)
            mean[:, channel] += apart * (here / all_pixels)
            np.minimum.at(least[:, channel], number, runs.over_all(np.minimum, value))
            np.maximum.at(most[:, channel], number, runs.over_all(np.maximum, value))
            for axis in range(axes):
                moment = n * of_run * runs.at[axis]
                if axis == axes - 1:
                    moment += base * n * (n - 1) / 2 + runs.over_all(np.add, above * column)
                weighted[:, axis, channel] += np.bincount(number, moment, count)
        before += here
    sizes = places.sizes[:, np.newaxis].astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        center = weighted / (mean * sizes)[:, np.newaxis] + places.boxes[..., :1]
        for axis in np.flatnonzero(places.wraps).tolist():
            center[:, axis] %= places.shape[axis]
        return {
            "centroid_weighted": center * places.spacing[:, np.newaxis],
            "intensity_max": most,
            "intensity_mean": mean,
            "intensity_min": least,
            "intensity_std": np.sqrt(np.maximum(squares, 0) / sizes),
        }


def _with_intensities(places: Places, blocks: Iterable[Block]) -> Iterator[tuple[Runs, Any]]:
    """Yield the runs of each block, and the intensities of all its pixels: (pixels, channels) or None."""
    for slices, labels, values in blocks:
        if not labels.size:
            continue
        pixels = None if values is None else values.reshape(labels.size, -1)
        with np.errstate(invalid="ignore"):  # differences of infinite intensities
            yield Runs.of(places, slices, labels), pixels


# -- tables ------------------------------------------------------------------------------------------


def table(
    names: Sequence[str], places: Places, covariance: RegionValues | None, values: dict[str, RegionValues]
) -> dict[str, npt.NDArray[Any]]:
    """Return the columns of regions that occur. A property with several numbers has several columns."""
    occurs = np.flatnonzero(places.sizes)
    columns = {}
    for name in names:
        found = values[name] if name in values else _COMPUTED[name](places, covariance)
        found = found[occurs]
        if name in INTENSITIES and found.shape[-1] == 1:
            found = found[..., 0]
        if name == "bbox":  # first all that begin, then all that end
            found = found.swapaxes(1, 2).reshape(len(found), 2 * len(places.shape))
        for index in np.ndindex(found.shape[1:]):
            columns["-".join(map(str, (name, *index)))] = found[(slice(None), *index)]
    return columns


def _area(places: Places, _: Any = None) -> npt.NDArray[Any]:
    pixel = np.prod(places.spacing)
    return places.sizes * (int(pixel) if pixel == 1 else pixel)


def _area_of_box(places: Places, _: Any = None) -> RegionValues:
    sides = (places.boxes[..., 1] - places.boxes[..., 0]) * places.spacing
    return np.asarray(sides.prod(axis=1))


def _diameter(places: Places, _: Any = None) -> RegionValues:
    """Return the diameter of a ball of the same area, or volume, as scikit-image does."""
    axes = len(places.shape)
    return np.asarray((2 * axes * _area(places) / np.pi) ** (1 / axes))


def _touches_border(places: Places, _: Any = None) -> npt.NDArray[np.bool_]:
    """Return whether a region has a pixel at an end of an axis, unless the axis wraps."""
    touches = (places.boxes[..., 0] == 0) | (places.boxes[..., 1] == np.array(places.shape))
    return np.asarray((touches & ~np.array(places.wraps)).any(axis=1))


def _axis_length(which: int) -> Callable[[Places, RegionValues], RegionValues]:
    """Return a function for the longest (-1) or shortest (0) axis of the ellipsoid of equal covariance."""

    def length(places: Places, covariance: RegionValues) -> RegionValues:
        found = np.full(len(places.sizes), np.nan)
        there = places.sizes > 0
        spread = np.linalg.eigvalsh(covariance[there])[:, which].clip(0)
        found[there] = np.sqrt(spread * (16 if len(places.shape) == 2 else 20))
        return found

    return length


def _orientation(places: Places, covariance: RegionValues) -> RegionValues:
    """Return the angle between the first axis and the longest axis of the ellipse, from -pi / 2 to pi / 2."""
    rows, columns, both = covariance[:, 0, 0], covariance[:, 1, 1], covariance[:, 0, 1]
    diagonal = np.where(both > 0, np.pi / 4, -np.pi / 4)
    return np.where(rows == columns, diagonal, np.arctan2(2 * both, rows - columns) / 2)


_COMPUTED: dict[str, Callable[[Places, Any], npt.NDArray[Any]]] = {
    "label": lambda places, _: np.arange(1, len(places.sizes) + 1),
    "num_pixels": lambda places, _: places.sizes,
    "area": _area,
    "area_bbox": _area_of_box,
    "bbox": lambda places, _: places.boxes,
    "centroid": lambda places, _: np.asarray(places.centroids * places.spacing),
    "equivalent_diameter_area": _diameter,
    "extent": lambda places, _: _area(places) / np.maximum(_area_of_box(places), np.finfo(float).tiny),
    "touches_border": _touches_border,
    "axis_major_length": _axis_length(-1),
    "axis_minor_length": _axis_length(0),
    "orientation": _orientation,
}
