"""Tables of regions, against scikit-image; across periodic edges, against the same image moved; in chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as ndi
from test_regions import labelled, volume

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device, devices
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.imaging import label_regions
from pointerjump.imaging.region_tables import INTENSITIES, PROPERTIES, SHAPES

ANYWHERE = None if any(device.works for device in devices()) else "reference"
OURS = ("touches_border",)

LABELS = {
    "cells": volume(31, 40, most=60, background=0.1),
    "blobs": ndi.label(ndi.gaussian_filter(np.random.default_rng(1).random((50, 60)), 2) > 0.5)[0],
    "volume": labelled(12, 15, 20, share=0.3),
    "gaps": volume(9, 11, 10, most=5) * 3,
}


def properties_for(labels: np.ndarray) -> list[str]:
    return [each for each in PROPERTIES if labels.ndim == 2 or each != "orientation"]


def intensities(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    rng = np.random.default_rng(3)
    if np.dtype(dtype).kind == "f":
        return (rng.normal(size=shape) + 1000).astype(dtype)
    return rng.integers(1, np.iinfo(dtype).max, shape, dtype, endpoint=True)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "float64"])
@pytest.mark.parametrize("channels", [None, 1, 3])
@pytest.mark.parametrize("spaced", [False, True])
@pytest.mark.parametrize("name", LABELS)
def test_equal_to_scikit_image(name: str, spaced: bool, channels: int | None, dtype: str) -> None:
    measure = pytest.importorskip("skimage.measure")
    labels = LABELS[name]
    image = intensities(labels.shape + (() if channels is None else (channels,)), dtype)
    spacing = [0.5, 2.0, 1.25][: labels.ndim] if spaced else [1.0] * labels.ndim
    names = [each for each in properties_for(labels) if each not in OURS]
    theirs = measure.regionprops_table(labels, image, properties=names, spacing=spacing)
    ours = pj.regions(labels, image, spacing=spacing, properties=names, device=ANYWHERE).table()
    for column, expected in theirs.items():
        found = ours[column]
        if column == "orientation":  # of regions that are as wide as high, it is rounding that decides
            round_ones = np.isclose(theirs["axis_major_length"], theirs["axis_minor_length"])
            found, expected = np.where(round_ones, 0, found), np.where(round_ones, 0, expected)
        small = column.startswith("axis_minor")  # the root of a difference that is nearly 0
        np.testing.assert_allclose(found, expected, 1e-6, 1e-5 if small else 1e-9, err_msg=column)
    assert len(ours) == len(theirs)


@pytest.mark.parametrize("where", [None, "reference"])
def test_arrays_on_a_device(where: str | None, device: Device) -> None:
    import pyopencl.array as cl_array

    labels, queue = LABELS["volume"], session_for(device).queue
    image = intensities((*labels.shape, 2), "float32")
    expected = pj.regions(labels, image, device=device).table()
    there = [cl_array.to_device(queue, each) for each in (np.asfortranarray(labels), image)]
    for given in (there, (there[0], image), (labels, there[1])):
        found = pj.regions(*given, device=where or (None if given is there else device)).table()
        for column in expected:
            np.testing.assert_array_equal(found[column], expected[column], err_msg=column)
    there[1].queue = None
    with pytest.raises(pj.ImageError, match="has no command queue"):
        pj.regions(*there)


@pytest.mark.parametrize("name", ["cells", "blobs", "volume"])
def test_chunk_by_chunk_the_table_is_the_same(name: str) -> None:
    labels = LABELS[name]
    image = intensities((*labels.shape, 2), "float32")
    asked: dict[str, Any] = {"properties": properties_for(labels), "device": ANYWHERE}
    for wraps in ((), 0, range(labels.ndim)):
        whole = pj.regions(labels, image, wrap_axes=wraps, **asked)
        for chunk in (7, 1000, (3, 50, 4)[: labels.ndim]):
            parts = pj.regions(labels, image, wrap_axes=wraps, chunk=chunk, **asked)
            np.testing.assert_array_equal(whole.sizes, parts.sizes)
            np.testing.assert_array_equal(whole.boxes, parts.boxes)
            np.testing.assert_array_equal(whole.centroids, parts.centroids)
            for column, expected in whole.table().items():
                np.testing.assert_array_equal(parts.table()[column], expected, err_msg=column)


@pytest.mark.parametrize("name", ["blobs", "volume"])
def test_regions_across_periodic_edges_are_as_whole_as_others(name: str) -> None:
    """Moved around so that they cross other edges, regions have the same table, but for their places."""
    labels = LABELS[name]
    image = intensities(labels.shape, "uint16")
    axes = tuple(range(labels.ndim))
    shift = tuple(size // 2 + 5 for size in labels.shape)
    asked: dict[str, Any] = {"wrap_axes": axes, "properties": properties_for(labels), "device": ANYWHERE}
    here = pj.regions(labels, image, **asked).table()
    moved = pj.regions(np.roll(labels, shift, axes), np.roll(image, shift, axes), **asked).table()
    boxes = pj.regions(np.roll(labels, shift, axes), **{**asked, "properties": None}).boxes
    boxes = boxes[here["label"] - 1]
    compact = np.all(boxes[..., 1] - boxes[..., 0] < np.array(labels.shape) - 8, axis=1)
    assert np.any(boxes[compact, :, 1] > np.array(labels.shape), axis=1).any()
    for column, expected in here.items():
        axis = int(column.split("-")[1]) if "-" in column else None
        if column.startswith("centroid") and axis is not None:
            away = (moved[column] - expected - shift[axis]) / labels.shape[axis]
            np.testing.assert_allclose((away - np.round(away))[compact], 0, atol=1e-9, err_msg=column)
        elif not column.startswith("bbox"):
            np.testing.assert_allclose(moved[column][compact], expected[compact], 1e-6, 1e-5, err_msg=column)


def test_what_touches_the_border() -> None:
    labels = np.array([[1, 0, 2, 0], [0, 3, 0, 4], [0, 0, 0, 0]])

    def touches(**options: Any) -> list[bool]:
        touching: list[bool] = (
            pj.regions(labels, device=ANYWHERE, **options).table()["touches_border"].tolist()
        )
        return touching

    assert touches() == [True, True, False, True]
    assert touches(wrap_axes=0) == [True, False, False, True]
    assert touches(wrap_axes=(0, 1)) == [False] * 4


def test_only_what_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_add_up", "_find_extremes"):
        monkeypatch.setattr(label_regions, name, None)  # which would fail
    found = pj.regions([[1, 0], [1, 2]], np.ones((2, 2)), properties="area", device=ANYWHERE)
    assert {name: column.tolist() for name, column in found.table().items()} == {"area": [2, 1]}
    default = pj.regions([[1, 0], [1, 2]], device=ANYWHERE).table()
    assert {name.split("-")[0] for name in default} == {*PROPERTIES} - {*SHAPES, *INTENSITIES}


@pytest.mark.parametrize("name", INTENSITIES)
def test_each_property_alone(name: str) -> None:
    labels = LABELS["blobs"]
    image = intensities((*labels.shape, 2), "uint16")
    alone, together = (
        pj.regions(labels, image, properties=names, device=ANYWHERE).table() for names in (name, None)
    )
    assert len(alone) == (4 if name == "centroid_weighted" else 2)
    for column, expected in alone.items():
        np.testing.assert_array_equal(together[column], expected)


def test_shapes_and_intensities_together_on_the_reference() -> None:
    labels, names = LABELS["gaps"], properties_for(LABELS["gaps"])
    image = intensities(labels.shape, "float32")
    here, there = (
        pj.regions(labels, image, properties=names, device=device).table()
        for device in (ANYWHERE, "reference")
    )
    for column, expected in here.items():
        np.testing.assert_array_equal(there[column], expected, err_msg=column)


def test_the_mean_of_values_that_are_too_far_apart_for_a_float() -> None:
    image = np.array([[1.6e308, 1.6e308, -1.6e308]])
    mean = pj.regions(np.ones((1, 3), int), image, properties="intensity_mean", device=ANYWHERE).table()
    assert mean["intensity_mean"][0] == pytest.approx(1.6e308 / 3)


def test_nothing_to_measure() -> None:
    for labels in (np.zeros((3, 4), int), np.zeros((0, 4), int)):
        for chunk in (None, 2):
            found = pj.regions(
                labels, labels, chunk=chunk, properties=properties_for(labels), device=ANYWHERE
            )
            assert set(map(len, found.table().values())) == {0}


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"image": "cpu"}, "a device is named by device="),
        ({"image": np.ones((2, 3), complex)}, "dtype complex128"),
        ({"image": np.ones((3, 2))}, r"shape \(3, 2\), and the labels \(2, 3\)"),
        ({"image": np.ones((2, 3, 1, 1))}, "for channels"),
        ({"image": np.ones((2, 3, 0))}, "for channels"),
        ({"labels": np.ones((2, 0), int), "image": np.ones((2, 0, 0))}, "for channels"),
        ({"properties": 5}, "properties has 5: choose from label"),
        ({"spacing": 0}, "spacing is 0: give one positive number"),
        ({"spacing": (1, 2, 3)}, "one for each of 2 axes"),
        ({"spacing": "wide"}, "spacing is 'wide'"),
        ({"spacing": 10**400}, "spacing is 1000"),
        ({"spacing": 1 + 2j}, "spacing is"),
        ({"spacing": np.ma.array([1, 2], mask=[False, True])}, r"spacing\[1\] is masked"),
        ({"spacing": np.zeros((9, 9))}, r"spacing is \[\[0.0, 0.0, [^\n]*: give one positive number"),
        ({"properties": ["colour"]}, "properties has 'colour': choose from label, area"),
        ({"properties": ["intensity_max"]}, "needs intensities: give image="),
        ({"labels": np.ones((1, 1, 1, 1), int), "properties": "axis_major_length"}, "is for 2 or 3 axes"),
        ({"labels": np.ones((1, 1, 1), int), "properties": "orientation"}, "is for 2 axes"),
        ({"chunk": 0}, "at least 1 pixel"),
        ({"labels": np.array([[1, -1]]), "chunk": 1}, "is -1: give numbers from 1 on"),
    ],
)
def test_what_cannot_be_measured(options: dict[str, Any], match: str) -> None:
    with pytest.raises(pj.ImageError, match=match):
        pj.regions(**{"labels": np.ones((2, 3), int), "device": ANYWHERE, **options})
