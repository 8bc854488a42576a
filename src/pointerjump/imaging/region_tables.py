"""Computes shapes and intensities of regions from sums over pixels, and returns them as tables.

Properties are named as in scikit-image. Sums are exact; see reference/region_sums.py. Coordinates are
relative to the beginning of a region's box. They continue past the end of a periodic axis, so a region that
crosses this end is treated as one piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.errors import ImageError

RegionValues = npt.NDArray[np.float64]

SHAPES = ("axis_major_length", "axis_minor_length", "orientation")  # computed from products of coordinates
INTENSITIES = ("centroid_weighted", "intensity_max", "intensity_mean", "intensity_min", "intensity_std")
PLACES = ("area", "area_bbox", "bbox", "centroid", "equivalent_diameter_area", "extent", "num_pixels")
PROPERTIES = ("label", *PLACES, "touches_border", *SHAPES, *INTENSITIES)  # scikit-image's, and touches_border


class Places(NamedTuple):
    """The sizes, boxes and centroids of regions, as in `Regions`. Item i belongs to label i + 1."""

    sizes: npt.NDArray[np.int64]
    boxes: npt.NDArray[np.int64]
    centroids: RegionValues
    shape: tuple[int, ...]
    wraps: Sequence[bool]
    spacing: RegionValues

    def mean_relative(self) -> RegionValues:
        """Return the centroids relative to the beginnings of the boxes, with shape (count, axes)."""
        found: RegionValues = self.centroids - self.boxes[..., 0]
        for axis, wraps in enumerate(self.wraps):
            if wraps:
                found[:, axis] %= self.shape[axis]
        return found


def check_properties(asked: Any, axes: int, *, given: bool) -> tuple[str, ...]:
    if asked is None:
        return tuple(each for each in PROPERTIES if each not in SHAPES and (given or each not in INTENSITIES))
    is_one = isinstance(asked, str) or not isinstance(asked, Iterable)
    names = (asked,) if is_one else tuple(asked)
    for name in names:
        if name not in PROPERTIES:
            raise ImageError(f"properties has {name!r}: choose from {', '.join(PROPERTIES)}")
        if name in INTENSITIES and not given:
            raise ImageError(f"properties has {name!r}, which needs intensities: give image=")
        if name in SHAPES and (axes not in (2, 3) or (axes == 3 and name == "orientation")):
            most = "2" if name == "orientation" else "2 or 3"
            raise ImageError(f"properties has {name!r}, which is for {most} axes, and labels have {axes}")
    return names


# -- from sums to properties -------------------------------------------------------------------------

MOST_PIXELS = 1 << 40  # the most pixels if shapes or intensities are measured; sums must fit in 128 bits
LEVEL_BITS = 44  # levels are at most 2 to this power (reference/region_sums.py)

_WITH_LEVELS = ("centroid_weighted", "intensity_mean", "intensity_std")


class Wanted(NamedTuple):
    """Which sums over the pixels of each region to compute.

    `shapes` stands for sums of products of coordinates, `levels` for sums of levels (intensities converted to
    integers), `squares` for sums of squared levels and `weighted` for sums of levels times coordinates.
    """

    shapes: bool
    levels: bool
    squares: bool
    weighted: bool

    @classmethod
    def of(cls, names: Sequence[str]) -> Wanted:
        """Return which sums are needed to compute the properties in `names`."""
        weighted, squares = "centroid_weighted" in names, "intensity_std" in names
        return cls(bool({*SHAPES} & {*names}), bool({*_WITH_LEVELS} & {*names}), squares, weighted)


def wide_add(total: npt.NDArray[np.uint64], more: npt.NDArray[np.uint64]) -> None:
    """Add 128-bit integers to `total` in place. The last axis holds their lower and upper 64 bits."""
    total[..., 0] += more[..., 0]
    total[..., 1] += more[..., 1] + (total[..., 0] < more[..., 0])


def _as_floats(sums: npt.NDArray[np.uint64]) -> RegionValues:
    return np.asarray(sums[..., 1] * 2.0**64 + sums[..., 0])


class Levels(NamedTuple):
    """How a channel's values are converted to integer levels. Item i of each array belongs to label i + 1.

    `least` and `most` hold the range of values in each region. See reference/region_sums.py for `scale`.
    """

    least: npt.NDArray[Any]
    most: npt.NDArray[Any]
    scale: npt.NDArray[Any]

    @classmethod
    def between(cls, least: npt.NDArray[Any], most: npt.NDArray[Any]) -> Levels:
        """Return a conversion for values from `least` to `most`. If either is not finite, levels are 0."""
        if least.dtype.kind != "f":
            apart = np.maximum(most, least).astype(np.uint64) - least.astype(np.uint64)
            bits = np.frexp((apart >> np.uint64(LEVEL_BITS)).astype(float))[1]
            return cls(least, most, bits.astype(np.uint32))
        with np.errstate(invalid="ignore"):
            half = most.astype(float) / 2 - least.astype(float) / 2  # the range itself may overflow
        is_finite = np.isfinite(half) & (half > 0)
        power = np.minimum(LEVEL_BITS - 1 - np.frexp(np.where(is_finite, half, 1.0))[1], 1000)
        return cls(least, most, np.where(is_finite, np.ldexp(1.0, power), 0.0))

    @property
    def step(self) -> RegionValues:
        """The difference between the values of consecutive levels."""
        if self.least.dtype.kind != "f":
            return np.ldexp(1.0, self.scale.astype(np.int32))
        return 1 / np.where(self.scale == 0, 1.0, self.scale)


def covariances(places: Places, products: npt.NDArray[np.uint64]) -> RegionValues:
    """Return each region's covariance matrix, in an array of shape (count, axes, axes).

    The variables are the coordinates of the region's pixels, multiplied by the spacing.
    """
    axes = len(places.shape)
    mean = places.mean_relative()
    found = np.zeros((len(places.sizes), axes, axes))
    for number, (one, other) in enumerate(zip(*np.triu_indices(axes), strict=True)):
        with np.errstate(invalid="ignore"):  # 0 / 0 is NaN
            spread = _as_floats(products[:, number]) / places.sizes - mean[:, one] * mean[:, other]
        found[:, one, other] = found[:, other, one] = spread * places.spacing[one] * places.spacing[other]
    return found


def intensities(
    places: Places, channels: Sequence[Levels], sums: Sequence[npt.NDArray[np.uint64]], wanted: Wanted
) -> dict[str, RegionValues]:
    """Return the intensity properties of all regions as a dict of arrays.

    The arrays have the shape (count, channels) or, for weighted centroids, (count, axes, channels).
    """
    found: dict[str, list[RegionValues]] = {name: [] for name in INTENSITIES}
    sizes = np.maximum(places.sizes, 1).astype(float)
    for channel, levels in enumerate(channels):
        least, most = levels.least.astype(float), levels.most.astype(float)
        found["intensity_min"].append(np.where(np.isnan(most), most, least))
        found["intensity_max"].append(most)
        if not wanted.levels:
            continue
        has_levels = np.isfinite(least) & np.isfinite(most)
        numbers = _as_floats(sums[channel])
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            level, step = numbers[:, 0] / sizes, levels.step
            halved = least / 2 + level * (step / 2)  # the range itself may overflow
            mean = np.where(has_levels, 2 * halved, least + most)
            found["intensity_mean"].append(mean)
            if wanted.squares:
                variance = np.maximum(numbers[:, 1] / sizes - level * level, 0)
                found["intensity_std"].append(np.where(has_levels, np.sqrt(variance) * step, np.nan))
            if wanted.weighted:
                moments = numbers[:, -len(places.shape) :] / sizes[:, np.newaxis] * step[:, np.newaxis]
                moments += least[:, np.newaxis] * places.mean_relative()
                center = moments / np.where(has_levels, mean, np.nan)[:, np.newaxis] + places.boxes[..., 0]
                for axis in np.flatnonzero(places.wraps).tolist():
                    center[:, axis] %= places.shape[axis]
                found["centroid_weighted"].append(center * places.spacing)
    return {name: np.stack(values, axis=-1) for name, values in found.items() if values}


# -- tables ------------------------------------------------------------------------------------------


def table(
    names: Sequence[str], places: Places, covariance: RegionValues | None, values: dict[str, RegionValues]
) -> dict[str, npt.NDArray[Any]]:
    """Return the properties in `names` as a dict of columns, with a row for each label that occurs."""
    occurs = np.flatnonzero(places.sizes)
    columns = {}
    for name in names:
        found = values[name] if name in values else _computed(name, places, covariance)
        found = found[occurs]
        if name == "bbox":  # first come all beginnings, then all ends
            found = found.swapaxes(1, 2).reshape(len(found), 2 * len(places.shape))
        for index in np.ndindex(found.shape[1:]):
            columns["-".join(map(str, (name, *index)))] = found[(slice(None), *index)]
    return columns


def _computed(name: str, places: Places, covariance: RegionValues | None) -> npt.NDArray[Any]:
    """Compute a property that does not depend on intensities."""
    sizes, boxes, axes = places.sizes, places.boxes, len(places.shape)
    pixel = np.prod(places.spacing)
    area = sizes * (int(pixel) if pixel == 1 else pixel)
    area_bbox: RegionValues = ((boxes[..., 1] - boxes[..., 0]) * places.spacing).prod(axis=1)
    match name:
        case "label":
            return np.arange(1, len(sizes) + 1)
        case "num_pixels":
            return sizes
        case "area":
            return area
        case "area_bbox":
            return area_bbox
        case "bbox":
            return boxes
        case "centroid":
            return np.asarray(places.centroids * places.spacing)
        case "equivalent_diameter_area":  # of the disk or ball with this area or volume, as in scikit-image
            return np.asarray((2 * axes * area / np.pi) ** (1 / axes))
        case "extent":
            return np.asarray(area / np.maximum(area_bbox, np.finfo(float).tiny))
        case "touches_border":
            touches = (boxes[..., 0] == 0) | (boxes[..., 1] == np.array(places.shape))
            return np.asarray((touches & ~np.array(places.wraps)).any(axis=1))
    assert covariance is not None  # all other properties are shapes
    if name == "orientation":  # from the first axis to the longest axis of the ellipse, -pi / 2 to pi / 2
        rows, columns, both = covariance[:, 0, 0], covariance[:, 1, 1], covariance[:, 0, 1]
        diagonal = np.where(both > 0, np.pi / 4, -np.pi / 4)
        return np.where(rows == columns, diagonal, np.arctan2(2 * both, rows - columns) / 2)
    # The length of the longest or shortest axis of the ellipsoid with equal covariance.
    found = np.full(len(sizes), np.nan)
    spread = np.linalg.eigvalsh(covariance[sizes > 0])[:, -1 if name == "axis_major_length" else 0]
    found[sizes > 0] = np.sqrt(spread.clip(0) * (16 if axes == 2 else 20))
    return found
