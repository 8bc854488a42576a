"""What an image may be, which pixels are neighbors, and what is said about all else."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import pointerjump as pj
from pointerjump.base.images import (
    Image,
    as_connectivity,
    as_pixels,
    as_wraps,
    earlier_offsets,
    image_of,
    label_dtype,
    neighbors_within,
)


def says(call: Any) -> str:
    """Return the one line with which a call is refused."""
    with pytest.raises(pj.ImageError) as refused:
        call()
    message = str(refused.value)
    assert "\n" not in message
    assert ": " in message, "what is wrong, and the way out"
    return message


# -- neighbors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("ndim", [1, 2, 3, 4])
def test_each_pair_of_neighbors_has_one_earlier_offset(ndim: int) -> None:
    for connectivity in range(1, ndim + 1):
        earlier = earlier_offsets(ndim, connectivity)
        both = {*earlier, *(tuple(-step for step in offset) for offset in earlier)}
        expected = {
            offset
            for offset in product((-1, 0, 1), repeat=ndim)
            if 0 < np.count_nonzero(offset) <= connectivity
        }
        assert both == expected
        assert 2 * len(earlier) == len(both) == neighbors_within(connectivity, ndim)
        strides = [5**axis for axis in reversed(range(ndim))]
        steps = [np.dot(offset, strides) for offset in earlier]
        assert steps == sorted(steps)
        assert all(step < 0 for step in steps)


def test_the_numbers_of_neighbors_have_their_usual_names() -> None:
    names = {1: [2], 2: [4, 8], 3: [6, 18, 26], 4: [8, 32, 64, 80]}
    for ndim, numbers in names.items():
        for connectivity, number in enumerate(numbers, 1):
            assert neighbors_within(connectivity, ndim) == number
            assert as_connectivity(number, ndim) == as_connectivity(connectivity, ndim) == connectivity
    assert as_connectivity(np.int8(26), 3) == 3


@pytest.mark.parametrize(
    "bad", [0, -1, 3, 5, 6, 26, 2**70, "4", 1.0, None, True, [1], np.array([1])], ids=repr
)
def test_what_is_no_connectivity(bad: Any) -> None:
    message = says(lambda: as_connectivity(bad, 2))
    if type(bad) is int:
        assert message == f"connectivity is {bad}, and the image has 2 dimensions: choose from 1, 2, 4, 8"


@pytest.mark.parametrize(
    ("axes", "wraps"),
    [
        ((), (False, False, False)),
        (1, (False, True, False)),
        (-1, (False, False, True)),
        (np.int64(0), (True, False, False)),
        ((0, 2), (True, False, True)),
        ([2, -1, 2], (False, False, True)),
        (range(3), (True, True, True)),
        (np.array([0, 1]), (True, True, False)),
        ({0}, (True, False, False)),
    ],
)
def test_axes_that_wrap(axes: Any, wraps: tuple[bool, ...]) -> None:
    assert as_wraps(axes, 3) == wraps


@pytest.mark.parametrize("bad", [3, -4, (0, 3), True, "a", "01", 1.0, (0.5,), None, (None,), [[0]]], ids=repr)
def test_what_are_no_axes(bad: Any) -> None:
    assert "wrap_axes" in says(lambda: as_wraps(bad, 3))


# -- pixels ------------------------------------------------------------------------------------------


def test_what_an_image_may_be() -> None:
    for dtype in ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"):
        for ndim in range(1, 5):
            array = np.ones((2,) * ndim, dtype)
            assert as_pixels(array) is array
            assert image_of(array).shape == array.shape
    assert as_pixels([[1, 0], [0, 1]]).dtype == np.int64
    view = np.ones((6, 6))[::-2, ::3].T
    assert as_pixels(view) is view
    swapped = np.array([1, 2], ">i4" if np.little_endian else "<i4")
    assert as_pixels(swapped).dtype.isnative
    assert as_pixels(swapped).tolist() == [1, 2]
    assert as_pixels(np.ma.array([1, 2], mask=False)).tolist() == [1, 2]


NO_IMAGES: dict[str, tuple[Any, str]] = {
    "a number": (5, "0 dimensions"),
    "nothing": (None, "the image"),
    "five dimensions": (np.zeros((1,) * 5, bool), "5 dimensions"),
    "text": (np.array([["a"]]), "dtype <U1"),
    "a file": ("mask.png", "the image"),
    "objects": (np.array([1, None], object), "dtype object"),
    "complex": (np.array([1j]), "dtype complex128"),
    "dates": (np.array(["2020-01-01"], "datetime64[D]"), "dtype datetime64"),
    "durations": (np.array([1], "timedelta64[s]"), "dtype timedelta64"),
    "records": (np.zeros(2, [("a", int)]), "dtype"),
    "long floats": (np.zeros(2, np.longdouble), "dtype"),
    "masked": (np.ma.array([[1, 2]], mask=[[False, True]]), r"the image[0, 1] is masked"),
    "ragged": ([[1, 2], [3]], "cannot be made into an array"),
    "past 64 bits": ([2**70, 1], "dtype object"),
}


@pytest.mark.parametrize("name", NO_IMAGES)
def test_what_is_no_image(name: str) -> None:
    bad, why = NO_IMAGES[name]
    if name == "long floats" and np.dtype(np.longdouble).itemsize <= 8:
        pytest.skip("long double has 64 bits here")
    assert why in says(lambda: image_of(bad))


def test_labels_get_wider_before_they_overflow() -> None:
    assert [label_dtype(n) for n in (0, 1, 2**31 - 1, 2**31, 2**40)] == [np.int32] * 3 + [np.int64] * 2
    large = np.broadcast_to(np.True_, (1 << 16, 1 << 15))
    assert image_of(large).label_dtype == np.int64
    assert image_of(large[1:]).label_dtype == np.int32
    assert Image(large, 1).size == 1 << 31


# -- which values belong together --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("background", "dtype", "taken"),
    [
        (0, "?", 0),
        (True, "?", 1),
        (np.False_, "?", 0),
        (2, "?", None),
        (None, "?", None),
        (0, "u1", 0),
        (-0.0, "u1", 0),
        (255, "u1", 255),
        (256, "u1", None),
        (-1, "u1", None),
        (7.0, "u1", 7),
        (7.5, "u1", None),
        (float("nan"), "i4", None),
        (float("inf"), "i4", None),
        (2**63, "u8", 2**63),
        (2**63, "i8", None),
        (-(2**63), "i8", -(2**63)),
        (10**400, "i8", None),
        (np.uint8(3), "i8", 3),
        (np.float32(0.5), "f8", 0.5),
        (0.1, "f8", 0.1),
        (2**53 + 1, "f8", None),
        (2**24 + 1, "f4", None),
        (0.1, "f4", float(np.float32(0.1))),  # as NumPy compares: of Python's floats, what is left of them
        (np.float64(0.1), "f4", None),
        (float("nan"), "f8", None),
        (0.5, "f2", 0.5),
        (1e30, "f2", None),
        (2**70, "f2", None),
        (10**400, "f8", None),
        (-(10**400), "f2", None),
        (float("inf"), "f4", float("inf")),
    ],
)
def test_the_background_is_a_value_that_pixels_can_have(background: Any, dtype: str, taken: Any) -> None:
    found = image_of(np.zeros(1, dtype), background=background).background
    assert found == taken
    assert type(found) in ((float, type(None)) if dtype[0] == "f" else (int, type(None)))


@pytest.mark.parametrize("bad", ["0", b"0", 1j, np.complex64(1), [0], (0,), np.array([0]), {}], ids=repr)
def test_what_is_no_background(bad: Any) -> None:
    assert says(lambda: image_of(np.zeros(1), background=bad)).startswith("background is ")


@pytest.mark.parametrize(
    ("delta", "dtype", "taken"),
    [
        (0, "u1", 0),
        (2.9, "u1", 2),
        (10**30, "u1", 255),
        (2**64, "u8", 2**64 - 1),
        (np.int8(3), "i8", 3),
        (np.float32(1.5), "i4", 1),
        (1, "f4", 1.0),
        (float("inf"), "f8", float("inf")),
        (0, "?", 0),
        (300, "?", 255),
        (10**400, "i2", 65535),
        (10**400, "f2", float("inf")),
    ],
)
def test_the_difference(delta: Any, dtype: str, taken: Any) -> None:
    image = image_of(np.zeros(1, dtype), delta=delta)
    assert image.alike == "close"
    assert image.difference == taken
    assert type(image.difference) is type(taken)


@pytest.mark.parametrize("dtype", ["i4", "f4"])
@pytest.mark.parametrize(
    "bad", [-1, -0.5, float("nan"), "1", True, np.True_, 1j, [1], np.array([1])], ids=repr
)
def test_what_is_no_difference(bad: Any, dtype: str) -> None:
    assert says(lambda: image_of(np.zeros(1, dtype), delta=bad)).startswith("delta is ")


def test_a_difference_without_end_is_for_floats() -> None:
    assert says(lambda: image_of(np.zeros(1, int), delta=float("inf"))).startswith("delta is inf")


def test_equal_values_are_integers() -> None:
    for dtype in ("?", "i8", "u1"):
        image = image_of(np.zeros(1, dtype), multilabel=True)
        assert (image.alike, image.difference) == ("equal", None)
    assert "delta=0" in says(lambda: image_of(np.zeros(1, "f4"), multilabel=True))
    assert image_of(np.zeros(1, "f4"), multilabel=True, delta=0).alike == "close"
    assert image_of(np.zeros(1, "f4")).alike == "foreground"
