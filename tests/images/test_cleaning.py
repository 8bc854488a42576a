"""Borders, holes, sizes, pictures and periodic axes: against scipy and scikit-image, and by definition."""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.ndimage as ndi
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device, devices
from pointerjump.accel.runtime.sessions import session_for

ANYWHERE = None if any(device.works for device in devices()) else "reference"
MASKS = hnp.arrays(np.bool_, hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=7))
LABELS = hnp.arrays(
    st.sampled_from([np.uint8, np.int64]),
    hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=6),
    elements=st.integers(0, 3),
)


@given(labels=LABELS, data=st.data())
def test_clear_border_is_scikit_images(labels: np.ndarray, data: Any) -> None:
    segmentation = pytest.importorskip("skimage.segmentation")
    width = data.draw(st.integers(0, min(labels.shape) - 1))
    expected = segmentation.clear_border(labels, width)
    np.testing.assert_array_equal(pj.clear_border(labels, width, device=ANYWHERE), expected)
    mask = data.draw(hnp.arrays(np.bool_, labels.shape))
    found = pj.clear_border(labels, mask=mask, device=ANYWHERE)
    np.testing.assert_array_equal(found, segmentation.clear_border(labels, mask=mask))
    np.testing.assert_array_equal(
        pj.clear_border(labels > 1, device=ANYWHERE), segmentation.clear_border(labels > 1)
    )


@given(mask=MASKS)
def test_fill_holes_is_scipys(mask: np.ndarray) -> None:
    found = pj.fill_holes(mask, device=ANYWHERE)
    np.testing.assert_array_equal(found, ndi.binary_fill_holes(mask))
    np.testing.assert_array_equal(pj.fill_holes(mask * 2.5, device=ANYWHERE), found)


@given(labels=LABELS)
def test_relabel_by_size(labels: np.ndarray) -> None:
    found = pj.relabel_by_size(labels, device=ANYWHERE)
    assert found.dtype == labels.dtype
    sizes = np.bincount(labels.ravel(), minlength=4)
    order = sorted(filter(sizes.__getitem__, range(1, 4)), key=lambda each: (-sizes[each], each))
    for number, label in enumerate(order, start=1):
        np.testing.assert_array_equal(found == number, labels == label)
    np.testing.assert_array_equal(found == 0, labels == 0)


def test_what_wraps_is_no_border() -> None:
    labels = np.array([[0, 0, 0], [1, 0, 1], [0, 0, 2]])
    assert pj.clear_border(labels, wrap_axes=1, device=ANYWHERE).tolist() == [[0, 0, 0], [1, 0, 1], [0, 0, 0]]
    assert pj.clear_border(labels, wrap_axes=(0, 1), device=ANYWHERE).tolist() == labels.tolist()


def test_arrays_on_a_device_and_out(device: Device) -> None:
    import pyopencl.array as cl_array

    here = np.array([[1, 1, 1, 1, 1], [1, 0, 1, 3, 1], [1, 1, 1, 1, 1]], np.int32)
    there = cl_array.to_device(session_for(device).queue, here)
    for change in (pj.clear_border, pj.fill_holes, pj.relabel_by_size):
        found = change(there)
        assert isinstance(found, cl_array.Array)
        np.testing.assert_array_equal(found.get(), change(here, device=device))
    for change in (pj.clear_border, pj.relabel_by_size):
        expected, own = change(here, device=device), here.copy()
        assert change(own, out=own, device=device) is own
        np.testing.assert_array_equal(own, expected)


@pytest.mark.parametrize(
    ("change", "given", "options", "match"),
    [
        (pj.clear_border, np.zeros((2, 3), int), {"buffer_size": 2}, "buffer_size is 2"),
        (pj.clear_border, np.zeros((2, 3), int), {"mask": np.ones((2, 3), int)}, "mask has shape"),
        (pj.clear_border, np.zeros((2, 3), int), {"out": np.zeros((2, 3), np.int8)}, "out does not suit"),
        (pj.clear_border, np.zeros((2, 3)), {}, "delta=0"),
        (pj.fill_holes, np.zeros((2, 3), complex), {}, "dtype complex128"),
        (pj.fill_holes, np.zeros((1,) * 5), {}, "5 dimensions"),
        (pj.relabel_by_size, [-1, 2], {}, "is -1"),
        (pj.relabel_by_size, [0.5], {}, "dtype float64"),
    ],
)
def test_what_cannot_be_cleaned(change: Any, given: Any, options: dict[str, Any], match: str) -> None:
    with pytest.raises(pj.ImageError, match=match):
        change(given, device=ANYWHERE, **options)


# -- pictures ------------------------------------------------------------------------------------------


def test_pictures_show_the_image_where_there_is_no_label() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 4, (5, 6, 7))
    grey = rng.integers(0, 256, labels.shape, np.uint8)
    found = pj.overlay(grey, labels, alpha=0.25)
    assert (found.shape, found.dtype) == ((*labels.shape, 3), np.uint8)
    np.testing.assert_array_equal(found[labels == 0], np.repeat(grey[labels == 0][:, np.newaxis], 3, axis=1))
    flat = pj.overlay(grey, labels, alpha=1)
    colors = {label: np.unique(flat[labels == label], axis=0) for label in (1, 2, 3)}
    assert {len(each) for each in colors.values()} == {1}
    assert len(np.unique(np.concatenate([*colors.values()]), axis=0)) == 3
    mixed = 0.75 * grey[labels == 2][:, np.newaxis] + 0.25 * colors[2]
    np.testing.assert_array_equal(found[labels == 2], np.rint(mixed))
    for alpha in (np.float32(0.25), np.float16(0.25), Fraction(1, 4)):
        np.testing.assert_array_equal(pj.overlay(grey, labels, alpha=alpha), found)
    np.testing.assert_array_equal(pj.overlay(found, labels, alpha=0), found)


@pytest.mark.parametrize("dtype", ["bool", "int16", "uint64", "float16", "float64"])
def test_grey_values_are_scaled(dtype: str) -> None:
    grey = np.array([[0, 1]]).astype(dtype)
    assert pj.overlay(grey, [[0, 0]]).tolist() == [[[0] * 3, [255] * 3]]
    strange = np.array([[1.0, np.nan, 3.0, np.inf, 2.0]])
    assert pj.overlay(strange, [[0] * 5])[0, :, 0].tolist() == [0, 0, 255, 255, 128]
    assert pj.overlay([[-1e308, 0, 1e308]], [[0] * 3])[0, :, 0].tolist() == [0, 128, 255]
    assert pj.overlay([[7.5]], [[0]]).tolist() == [[[0, 0, 0]]]
    assert pj.overlay(np.zeros((0, 2)), np.zeros((0, 2), int)).shape == (0, 2, 3)


@pytest.mark.parametrize(
    ("image", "options", "match"),
    [
        (np.zeros((2, 2)), {}, r"image has shape \(2, 2\)"),
        (np.zeros((1, 2, 3)), {}, "uint8 with red"),
        (np.zeros((1, 2), complex), {}, "dtype complex128"),
        (np.zeros((1, 2)), {"alpha": 2}, "alpha is 2"),
        (np.zeros((1, 2)), {"labels": [[-1, 0]]}, "labels are from -1"),
        (np.zeros((1, 2)), {"labels": [[2**40, 0]]}, "number the labels anew"),
    ],
)
def test_what_has_no_picture(image: Any, options: dict[str, Any], match: str) -> None:
    with pytest.raises(pj.ImageError, match=match):
        pj.overlay(image, **{"labels": [[0, 1]], **options})


# -- periodic axes ---------------------------------------------------------------------------------------


def spanned(labels: np.ndarray, around: tuple[int, ...], connectivity: int) -> list[list[bool]]:
    """Search the plane that the image repeats in: a region spans an axis if two copies of a pixel connect."""
    ways = [w for w in product((-1, 0, 1), repeat=labels.ndim) if 0 < sum(map(abs, w)) <= connectivity]
    found = np.zeros((labels.max(initial=0), labels.ndim), bool)
    for start in zip(*np.nonzero(labels), strict=True):
        seen, queue = {tuple(map(int, start))}, deque([tuple(map(int, start))])
        copies: dict[tuple[int, ...], tuple[int, ...]] = {}
        while queue:
            at = queue.popleft()
            here = tuple(x % size for x, size in zip(at, labels.shape, strict=True))
            first = copies.setdefault(here, at)
            if first != at:  # two copies; farther away there is nothing new
                for axis, (x, y) in enumerate(zip(first, at, strict=True)):
                    found[labels[here] - 1, axis] |= x != y
                continue
            for way in ways:
                there = tuple(x + w for x, w in zip(at, way, strict=True))
                outside = [not 0 <= x < size for x, size in zip(there, labels.shape, strict=True)]
                if any(out and axis not in around for axis, out in enumerate(outside)):
                    continue
                inside = tuple(x % size for x, size in zip(there, labels.shape, strict=True))
                if labels[inside] == labels[here] and there not in seen:
                    seen.add(there)
                    queue.append(there)
    return found.tolist()


@settings(max_examples=60)
@given(labels=LABELS, data=st.data())
def test_regions_that_span_a_periodic_axis(labels: np.ndarray, data: Any) -> None:
    around = tuple(a for a in range(labels.ndim) if data.draw(st.booleans()))
    connectivity = data.draw(st.integers(1, labels.ndim))
    expected = spanned(labels, around, connectivity)
    assert pj.wraps(labels, around, connectivity, device=ANYWHERE).tolist() == expected


def test_a_spiral_spans_the_other_axis_too() -> None:
    diagonal = np.eye(6, dtype=int)
    assert pj.wraps(diagonal, (0, 1), 2, device=ANYWHERE).tolist() == [[True, True]]
    assert pj.wraps(diagonal, 0, 2, device=ANYWHERE).tolist() == [[False, False]]
    assert pj.wraps(diagonal, (0, 1), 1, device=ANYWHERE).tolist() == [[False, False]]
    assert pj.wraps(np.zeros((3, 0), int), 1, device=ANYWHERE).shape == (0, 2)
