"""The verifier of labels: right ones pass, and wrong ones are found, with a witness."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.base import memory
from pointerjump.base.images import Image, image_of
from pointerjump.errors import ImageError, MemoryLimitError, VerificationError
from pointerjump.verifiers.images import verify_labels

Labels = npt.NDArray[Any]

KINDS: dict[str, dict[str, Any]] = {
    "foreground": {},
    "no background": {"background": None},
    "multilabel": {"multilabel": True},
    "multilabel, no background": {"multilabel": True, "background": None},
    "multilabel, another background": {"multilabel": True, "background": 2},
    "close": {"delta": 1},
    "wrapped": {"wrap_axes": (0,)},
    "wrapped everywhere, equal": {"multilabel": True, "wrap_axes": (0, -1)},
}
MASK = np.array([[1, 1, 0, 1], [0, 1, 0, 1], [1, 0, 0, 0], [1, 0, 1, 1]])
LAST = np.arange(16).reshape(4, 4) == 15
RIGHT = np.array([[1, 1, 0, 2], [0, 1, 0, 2], [3, 0, 0, 0], [3, 0, 4, 4]])


def labels_by_flooding(image: Image) -> Labels:
    """Return the labels, found from the definition: pixel by pixel, from each to its alike neighbors."""
    label = np.zeros(image.shape, int)
    pixels = list(np.ndindex(image.shape))
    for pixel in pixels:
        if label[pixel] == 0 and belongs(image, pixel):
            flood(image, label, pixel, label.max() + 1)
    return label


def flood(image: Image, label: Labels, pixel: tuple[int, ...], number: int) -> None:
    waiting = [pixel]
    while waiting:
        pixel = waiting.pop()
        label[pixel] = number
        waiting += [
            other for other in neighbors(image, pixel) if label[other] == 0 and alike(image, pixel, other)
        ]


def belongs(image: Image, pixel: tuple[int, ...]) -> bool:
    return image.background is None or bool(image.pixels[pixel] != image.background)


def alike(image: Image, one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    if not belongs(image, other):
        return False
    if image.alike == "foreground":
        return True
    apart = abs(image.pixels[one].item() - image.pixels[other].item())
    return bool(apart <= (image.difference or 0))


def neighbors(image: Image, pixel: tuple[int, ...]) -> list[tuple[int, ...]]:
    found = []
    for step in product((-1, 0, 1), repeat=len(pixel)):
        if not 1 <= sum(map(abs, step)) <= image.connectivity:
            continue
        there = [index + one for index, one in zip(pixel, step, strict=True)]
        for axis, (length, wraps) in enumerate(zip(image.shape, image.wraps, strict=True)):
            there[axis] = there[axis] % length if wraps else there[axis]
        if all(0 <= index < length for index, length in zip(there, image.shape, strict=True)):
            found.append(tuple(there))
    return found


@given(kind=st.sampled_from(sorted(KINDS)), seed=st.integers(0, 2**32 - 1), data=st.data())
@settings(max_examples=120)
def test_right_labels_pass_and_any_change_is_found(kind: str, seed: int, data: st.DataObject) -> None:
    rng = np.random.default_rng(seed)
    ndim = data.draw(st.integers(1, 3))
    shape = data.draw(st.tuples(*[st.integers(1, 5)] * ndim))
    dtype = data.draw(st.sampled_from([np.uint8, np.int8, np.int64, np.uint64]))
    options = {"connectivity": data.draw(st.integers(1, ndim)), **KINDS[kind]}
    pixels = rng.integers(0, 4, shape).astype(dtype)
    label = labels_by_flooding(image_of(pixels, **options))
    verify_labels(pixels, label, **options)
    pixel = tuple(int(index) for index in np.unravel_index(rng.integers(pixels.size), shape))
    wrong = label.copy()
    wrong[pixel] += data.draw(st.sampled_from([-1, 1, int(label.max()) + 1]))
    with pytest.raises(VerificationError):
        verify_labels(pixels, wrong, **options)


@pytest.mark.parametrize(
    ("label", "message"),
    [
        (np.where(RIGHT == 2, 1, RIGHT), "pixel (2, 0) is the first of its component and has label 3,"),
        (np.where(RIGHT == 4, 3, RIGHT), "pixels (2, 0) and (3, 2) both have label 3, but no path joins"),
        (RIGHT + LAST, "pixels (3, 2) and (3, 3) belong together, but have labels 4 and 5"),
        (np.where(RIGHT > 2, 7 - RIGHT, RIGHT), "has label 4, but the next number in scan order is 3"),
        (np.where(RIGHT > 0, RIGHT + 1, 0), "pixel (0, 0) is the first of its component and has label 2,"),
        (RIGHT + 1, "pixel (0, 2) is background, but has label 1"),
        (np.where(RIGHT == 2, 0, RIGHT), "pixel (0, 3) belongs to a component, but has label 0"),
        (-RIGHT, "pixel (0, 0) belongs to a component, but has label -1"),
        (RIGHT[:3], "labels has shape (3, 4), but the image has shape (4, 4)"),
        (RIGHT / 1.0, "labels has dtype float64, but labels are integers"),
    ],
    ids=["a gap", "joined", "split", "exchanged", "from 2", "the background too", "left out", "negative",
         "too few", "fractions"],
)  # fmt: skip
def test_what_is_wrong_is_named(label: Labels, message: str) -> None:
    verify_labels(MASK, RIGHT)
    with pytest.raises(VerificationError) as caught:
        verify_labels(MASK, label)
    assert message in str(caught.value)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, ">i4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_labels_of_any_integers_in_any_order(dtype: Any, order: Any) -> None:
    verify_labels(MASK, RIGHT.astype(dtype, order=order))
    with pytest.raises(VerificationError, match="both have label 3"):
        verify_labels(
            np.asarray(MASK, order=order), np.where(RIGHT == 4, 3, RIGHT).astype(dtype, order=order)
        )


def test_pixels_joined_across_a_border() -> None:
    mask = np.array([[1, 0, 1], [0, 0, 0], [1, 0, 0]])
    apart, joined = np.array([[1, 0, 2], [0, 0, 0], [3, 0, 0]]), np.array([[1, 0, 1], [0, 0, 0], [1, 0, 0]])
    verify_labels(mask, apart)
    verify_labels(mask, joined, wrap_axes=(0, 1))
    with pytest.raises(VerificationError, match=r"pixels \(0, 2\) and \(0, 0\) belong together"):
        verify_labels(mask, apart, wrap_axes=(0, 1))
    with pytest.raises(VerificationError, match=r"pixels \(0, 0\) and \(2, 0\) both have label 1"):
        verify_labels(mask, joined, wrap_axes=1)


def test_close_values_of_extreme_sizes() -> None:
    """Differences of integers do not overflow, and infinite values are close only to themselves."""
    for dtype in (np.int8, np.uint8, np.int64, np.uint64):
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        verify_labels(np.array([low, high, high - 1], dtype), [1, 2, 2], delta=1, background=None)
        verify_labels(np.array([low, high], dtype), [1, 1], delta=int(high) - int(low), background=None)
    odd = np.array([np.inf, np.inf, -np.inf, np.nan, np.nan, 1, 1.5])
    verify_labels(odd, [1, 1, 2, 3, 4, 5, 5], delta=0.5)


def test_large_images_are_numbered_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointerjump.verifiers.images._AT_ONCE", 5)
    mask = np.random.default_rng(1).random((9, 11)) < 0.5
    label, count = ndimage.label(mask)
    verify_labels(mask, label)
    with pytest.raises(
        VerificationError, match=rf"has label {count + 1}, but the next number .* is {count}$"
    ):
        verify_labels(mask, np.where(label == count, count + 1, label))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0, 2), (1,), (1, 1)])
def test_images_of_nearly_nothing(shape: tuple[int, ...]) -> None:
    for wraps in ((), (0,)):
        verify_labels(np.ones(shape), np.ones(shape, int), wrap_axes=wraps)
        verify_labels(np.zeros(shape), np.zeros(shape, int), wrap_axes=wraps)


def test_what_is_no_image_is_refused() -> None:
    with pytest.raises(ImageError, match="dtype complex128"):
        verify_labels(np.ones(3, complex), [1, 1, 1])


def test_arrays_on_a_device(device: Device) -> None:
    import pyopencl.array as cl_array

    queue = session_for(device).queue
    mask, right = (cl_array.to_device(queue, array) for array in (MASK, RIGHT))
    verify_labels(mask, right)
    for part in (np.s_[::2], np.s_[:, 1:3]):
        label = np.full_like(RIGHT, -1)
        label[part], _ = ndimage.label(MASK[part])
        verify_labels(mask[part], cl_array.to_device(queue, label)[part])
        label[part][label[part] == 1] = 9
        with pytest.raises(VerificationError, match="has label 9"):
            verify_labels(mask[part], cl_array.to_device(queue, label)[part])
    with pytest.raises(ImageError, match=r"^the image has no command queue: give it one with"):
        verify_labels(mask.with_queue(None), RIGHT)
    with pytest.raises(VerificationError, match=r"^the array of labels has no command queue: give it one"):
        verify_labels(MASK, right.with_queue(None))
    nothing = cl_array.to_device(queue, MASK[:, :0])
    verify_labels(nothing, nothing)


def test_too_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: (1000, "here"))
    monkeypatch.setattr(memory, "NOT_ASKED_ABOUT", 500)
    with pytest.raises(MemoryLimitError, match=r"checking labels of 400 pixels would take .*: allow more"):
        verify_labels(np.ones((20, 20)), np.ones((20, 20), int))


def test_progress_is_told() -> None:
    shares: list[float] = []
    verify_labels(MASK, RIGHT, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1
