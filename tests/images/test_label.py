"""Labels are scipy's, whatever the image and its layout in memory, by the reference and on every device."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import chain, combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as numpy_strategies
from scipy import ndimage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from test_kernels import kernel_variants
from test_schedules import machines

import pointerjump as pj
from pointerjump.accel import two_pass as host_code
from pointerjump.accel.residents import images as resident_images
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.tuning import TUNING
from pointerjump.base import images
from pointerjump.base.images import image_of
from pointerjump.reference.machine import Machine
from pointerjump.reference.two_pass import two_pass
from pointerjump.registry import ALGORITHMS, Variant

pytestmark = pytest.mark.diagonal  # each kind of image has kernels of its own

# -- what is right -----------------------------------------------------------------------------------


def by_scipy(mask: np.ndarray, connectivity: int) -> np.ndarray:
    return ndimage.label(mask, ndimage.generate_binary_structure(mask.ndim, connectivity))[0]


def by_pairs(
    pixels: np.ndarray,
    connectivity: int = 1,
    *,
    multilabel: bool = False,
    background: Any = 0,
    delta: Any = None,
    wrap_axes: tuple[int, ...] = (),
) -> np.ndarray:
    """Label by brute force: any two neighbors that are alike are an edge of a graph, for scipy."""
    number = np.arange(pixels.size).reshape(pixels.shape)
    place = np.indices(pixels.shape)
    foreground = np.ones(pixels.shape, bool) if background is None else pixels.astype(object) != background
    edges = [np.empty((2, 0), int)]
    for step in product((-1, 0, 1), repeat=pixels.ndim):
        if not 0 < np.count_nonzero(step) <= connectivity:
            continue
        other = np.roll(number, step, range(pixels.ndim))
        joined = (
            foreground & foreground.ravel()[other] & alike(pixels, pixels.ravel()[other], multilabel, delta)
        )
        for axis, length in enumerate(pixels.shape):
            if axis not in wrap_axes:
                there = place[axis] - step[axis]
                joined &= (there >= 0) & (there < length)
        edges.append(np.stack([number[joined], other[joined]]))
    ends = np.concatenate(edges, axis=1)
    graph = coo_array((np.ones(ends.shape[1], bool), tuple(ends)), shape=(pixels.size, pixels.size))
    labels = np.zeros(pixels.shape, np.int32)
    if pixels.size:
        vertices = connected_components(graph)[1].reshape(pixels.shape)  # in order of their first pixels
        labels[foreground] = np.unique(vertices[foreground], return_inverse=True)[1] + 1
    return labels


def alike(one: np.ndarray, other: np.ndarray, multilabel: bool, delta: Any) -> np.ndarray:
    """Which values belong together."""
    if delta is None:
        return one == other if multilabel else np.ones(one.shape, bool)
    if one.dtype.kind == "f":
        wide = np.promote_types(one.dtype, np.float32)
        with np.errstate(invalid="ignore", over="ignore"):
            return (one == other) | (abs(one.astype(wide) - other.astype(wide)) <= wide.type(delta))
    return abs(one.astype(object) - other.astype(object)) <= delta


def test_the_oracle_is_scipys() -> None:
    for name, mask in MASKS.items():
        for connectivity in range(1, mask.ndim + 1):
            if mask.size < 2000:
                np.testing.assert_array_equal(
                    by_pairs(mask, connectivity), by_scipy(mask, connectivity), name
                )


@pytest.mark.parametrize("shape", [(7,), (1, 1), (2, 5), (6, 9), (1, 3, 4), (4, 5, 6), (2, 3, 1, 4)])
def test_the_oracle_wraps_as_copies_side_by_side_do(shape: tuple[int, ...]) -> None:
    """Scipy's labels of an image with a border of copies, where the copies of a pixel are one pixel."""
    rng = np.random.default_rng(1)
    for axes in subsets(range(len(shape))):
        border = [(1, 1) if axis in axes else (0, 0) for axis in range(len(shape))]
        number = np.pad(np.arange(np.prod(shape)).reshape(shape), border, "wrap")
        for connectivity in range(1, len(shape) + 1):
            mask = rng.random(shape) < 0.4
            copies = by_scipy(np.pad(mask, border, "wrap"), connectivity)
            pixel, label = number[copies > 0], copies[copies > 0] + mask.size
            graph = coo_array((np.ones(len(pixel), bool), (pixel, label)), shape=(3 * 10**3, 3 * 10**3))
            component = connected_components(graph)[1][: mask.size].reshape(shape)
            expected = np.zeros(shape, int)
            expected[mask] = np.unique(component[mask], return_inverse=True)[1] + 1
            np.testing.assert_array_equal(by_pairs(mask, connectivity, wrap_axes=axes), expected)


# -- images ------------------------------------------------------------------------------------------


def subsets(axes: range) -> list[tuple[int, ...]]:
    """Return all ways to choose some axes."""
    return list(chain.from_iterable(combinations(axes, many) for many in range(len(axes) + 1)))


def spiral(size: int) -> np.ndarray:
    """Return one line that winds inwards, with a gap of one pixel between its turns."""
    mask = np.zeros((size, size), bool)
    mask[0] = True
    place, step, length = np.array([0, size - 1]), np.array([1, 0]), size - 1
    while length > 0:
        for _ in range(2):
            for _ in range(length):
                place += step
                mask[tuple(place)] = True
            step = np.array([step[1], -step[0]])
        length -= 2
    return mask


def serpentine(height: int, width: int) -> np.ndarray:
    """Return every other row, joined to the next one at the right and at the left in turn."""
    mask = np.zeros((height, width), bool)
    mask[::2] = True
    mask[1::4, -1] = mask[3::4, 0] = True
    return mask


def comb(height: int, width: int) -> np.ndarray:
    """Return columns that meet only in the last row."""
    mask = np.zeros((height, width), bool)
    mask[:, ::2] = mask[-1] = True
    return mask


def checkerboard(*shape: int) -> np.ndarray:
    return np.indices(shape).sum(0) % 2 == 0


def rings(size: int) -> np.ndarray:
    """Return squares around each other."""
    away = abs(np.indices((size, size)) - size // 2).max(0)
    return away % 2 == 1


def _masks() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    found = {
        "spiral": spiral(67),
        "spiral outwards": spiral(66)[::-1, ::-1],
        "serpentine": serpentine(41, 131),
        "serpentine, one row less": serpentine(39, 64),
        "serpentine along columns": serpentine(70, 41).T,
        "comb": comb(20, 97),
        "comb, teeth upwards": comb(20, 96)[::-1],
        "comb, teeth to the right": comb(96, 20).T,
        "comb, teeth to the left": comb(70, 66).T[:, ::-1],
        "rings": rings(65),
        "checkerboard": checkerboard(33, 65),
        "checkerboard of voxels": checkerboard(5, 6, 34),
        "checkerboard in 4-D": checkerboard(3, 4, 3, 5),
        "diagonals": np.indices((40, 70)).sum(0) % 3 == 0,
        "other diagonals": (np.indices((40, 70)) * [[[1]], [[-1]]]).sum(0) % 3 == 0,
        "line of voxels": np.eye(40, dtype=bool)[:, :, None] & np.eye(40, dtype=bool)[:, None],
        "one pixel": np.ones((1, 1), bool),
        "no pixel": np.zeros((1, 1, 1), bool),
        "all": np.ones((30, 70), bool),
        "all voxels": np.ones((5, 6, 67), bool),
        "none": np.zeros((30, 70), bool),
        "none of the voxels": np.zeros((5, 6, 67), bool),
        "all but one": np.arange(2100).reshape(30, 70) != 1000,
    }
    for shape in ((0,), (0, 5), (5, 0), (3, 0, 4), (0, 0, 0), (2, 3, 4, 0)):
        found[f"nothing of {shape}"] = np.zeros(shape, bool)
    for length in (1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 511, 512, 513, 5000):
        found[f"line of {length}"] = rng.random(length) < 0.7
        found[f"row of {length}"] = rng.random((1, length)) < 0.7
        found[f"column of {length}"] = rng.random((length, 1)) < 0.7
        found[f"three rows of {length}"] = rng.random((3, length)) < 0.6
    for density in (0.1, 0.3, 0.4, 0.5, 0.6, 0.8, 0.95):
        found[f"random, {density}"] = rng.random((61, 133)) < density
        found[f"random voxels, {density}"] = rng.random((9, 11, 67)) < density
        found[f"random in 4-D, {density}"] = rng.random((3, 4, 5, 34)) < density
    return found


MASKS = _masks()
SMALL = 2100  # pixels: the reference is serial Python
INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
FLOATS = ["f2", "f4", "f8"]
DTYPES = ["?", *INTEGERS, *FLOATS]
VALUES = [
    (alike, dtype)
    for alike in ("foreground", "equal", "close")
    for dtype in DTYPES
    if alike != "equal" or dtype not in FLOATS
]


def extremes(dtype: str) -> np.ndarray:
    """Return values of a dtype that are close to each other, and those that are most likely to go wrong."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.array([False, True])
    if kind.kind == "f":
        least, most = np.finfo(kind).smallest_subnormal, np.finfo(kind).max
        close = [0, -0.0, 0.1, 0.2, 0.3, 1, 1.25, -1, least, -least]
        return np.array([*close, np.nan, np.inf, -np.inf, most, -most], kind)
    least, most = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
    return np.array([0, 1, 2, 3, 5, least, least + 1, most // 2, most // 2 + 1, most - 1, most], kind)


@st.composite
def questions(draw: st.DrawFn) -> tuple[np.ndarray, dict[str, Any]]:
    """Any small image, with any options that suit it."""
    length = draw(st.sampled_from([0, 1, 2, 3, 5, 31, 32, 33, 64, 65]))
    others = draw(st.lists(st.integers(0, 4), max_size=3 if length < 10 else 2))
    shape, ndim = (*others, length), len(others) + 1
    dtype = draw(st.sampled_from(DTYPES))
    values = draw(st.lists(st.sampled_from(extremes(dtype).tolist()), min_size=1, max_size=4))
    pixels = draw(numpy_strategies.arrays(dtype, shape, elements=st.sampled_from(values)))
    options: dict[str, Any] = {
        "connectivity": draw(st.integers(1, ndim)),
        "wrap_axes": draw(st.sampled_from(subsets(range(ndim)))),
        "background": draw(st.sampled_from([0, None, *(v for v in values if v == v)])),
    }
    if dtype not in FLOATS:
        options["multilabel"] = draw(st.booleans())
    if draw(st.booleans()):
        options["delta"] = draw(st.sampled_from([0, 1, 0.1, 2, 100, 2**63]))
    return pixels, options


def images_of(dtype: str, alike: str, shape: tuple[int, ...]) -> Iterator[tuple[np.ndarray, dict[str, Any]]]:
    """Yield images of which the values matter, with the options that make them matter."""
    rng = np.random.default_rng(4)
    values = extremes(dtype)
    any_values = values[rng.integers(0, len(values), shape)]
    first_values = values[rng.integers(0, 3, shape) % len(values)]
    for image in (any_values, np.where(rng.random(shape) < 0.3, any_values, first_values)):
        for options in options_for(values, alike):
            yield image, options


def options_for(values: np.ndarray, alike: str) -> list[dict[str, Any]]:
    """Return options that name some of these values, or differences between them."""
    if alike == "foreground":
        named = [value.item() for value in (*values[1:4], values[-1])]
        return [{"background": background} for background in (0, None, *named, 0.25, 2**70, -1)]
    if alike == "equal":
        return [{"multilabel": True, "background": each} for each in (0, None, values[-1].item())]
    deltas = [0, 0.1, 1, float("inf")] if values.dtype.kind == "f" else [0, 1, 2.5, 2**31, 2**64]
    return [{"delta": delta, "background": background} for delta in deltas for background in (0, None)]


# -- the reference -----------------------------------------------------------------------------------


@settings(max_examples=150)
@given(question=questions(), machine=machines())
def test_the_reference_in_any_order_with_stale_reads(
    question: tuple[np.ndarray, dict[str, Any]], machine: Machine
) -> None:
    pixels, options = question
    with machine:
        found = two_pass(image_of(pixels, **options))
    np.testing.assert_array_equal(found, by_pairs(pixels, **options))
    assert found.dtype == np.int32


def masks(small: bool) -> list[tuple[str, np.ndarray]]:
    return [(name, mask) for name, mask in MASKS.items() if (mask.size <= SMALL) == small]


@pytest.mark.parametrize("small", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
def test_the_reference_on_masks(small: bool) -> None:
    for name, mask in masks(small):
        for connectivity in range(1, mask.ndim + 1):
            found = two_pass(image_of(mask, connectivity))
            np.testing.assert_array_equal(found, by_scipy(mask, connectivity), name)


@pytest.mark.parametrize(("alike", "dtype"), VALUES)
def test_the_reference_on_values(alike: str, dtype: str) -> None:
    for image, options in images_of(dtype, alike, (4, 50)):
        np.testing.assert_array_equal(two_pass(image_of(image, **options)), by_pairs(image, **options))


# -- every image on every device ---------------------------------------------------------------------


def quick_first(every: Iterable[tuple[Any, ...]], is_quick: Callable[..., bool]) -> list[Any]:
    """Return all cases, of which those that are not quick are marked as exhaustive.

    Nearly every case has kernels of its own, which take long to build. The quick ones come first, so that the
    devices take turns.
    """
    cases = sorted(every, key=lambda case: not is_quick(*case))
    return [
        pytest.param(
            *case,
            id="-".join(map(str, case)),
            marks=[] if is_quick(*case) else pytest.mark.exhaustive,
        )
        for case in cases
    ]


def is_quick_variant(ndim: int, connectivity: int, variant: Variant) -> bool:
    if variant:
        return (ndim, connectivity) == (2, 2) and variant["reads"] == "atomic"
    return (ndim, connectivity) in ((1, 1), (2, 1), (3, 1), (3, 3), (4, 4))


@pytest.mark.diagonal
@pytest.mark.parametrize(
    ("ndim", "connectivity", "variant"),
    quick_first(
        [
            (ndim, connectivity, variant)
            for variant in kernel_variants(ALGORITHMS["two-pass"])
            for ndim in range(1, 5)
            for connectivity in range(1, ndim + 1)
        ],
        is_quick_variant,
    ),
)
def test_masks(ndim: int, connectivity: int, variant: Variant, device: Device) -> None:
    for name, mask in MASKS.items():
        if mask.ndim == ndim:
            found = pj.label(mask, connectivity, algorithm="two-pass", device=device, **variant)
            np.testing.assert_array_equal(found, by_scipy(mask, connectivity), name)
            assert found.dtype == np.int32


@cache
def as_on_a_gpu(device: Device) -> Session:
    """A session that treats a CPU as a GPU: with memory of its own, striding, and words and strips for it."""
    session = Session(replace(device, host_memory=False))
    session.tuning = replace(TUNING["gpu"], group=min(64, device.work_group))
    return session


@pytest.mark.one_device
@pytest.mark.parametrize(
    ("ndim", "connectivity"),
    quick_first(
        [(ndim, connectivity) for ndim in range(1, 5) for connectivity in range(1, ndim + 1)],
        lambda *case: case == (3, 1),
    ),
)
def test_masks_as_on_a_gpu(ndim: int, connectivity: int, device: Device) -> None:
    for name, mask in MASKS.items():
        if mask.ndim == ndim:
            found = pj.label(mask, connectivity, device=as_on_a_gpu(device))
            np.testing.assert_array_equal(found, by_scipy(mask, connectivity), name)


NARROW = {
    "places": (resident_images, "NARROW_PLACES", 0),
    "runs": (host_code, "MOST_NARROW_VERTICES", -1),
    "labels": (images, "label_dtype", lambda _: np.int64),
}
"""Where it is decided whether 32 bits are enough."""


@pytest.mark.diagonal
@pytest.mark.parametrize("like", ["cpu", pytest.param("gpu", marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(
    "wide",
    [tuple(NARROW), *(pytest.param((each,), marks=pytest.mark.exhaustive) for each in NARROW)],
    ids="-".join,
)
def test_more_than_32_bits(
    wide: tuple[str, ...], like: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Images for which they are not enough do not fit here; that 64 are right can be seen on any image."""
    for each in wide:
        monkeypatch.setattr(*NARROW[each])
    for name in ("random, 0.5", "random voxels, 0.3", "serpentine", "all", "nothing of (0, 5)"):
        mask = MASKS[name]
        for out in (None, np.zeros(mask.shape, np.int32), np.zeros(mask.shape, np.int64)):
            found = pj.label(mask, 2, out=out, device=device if like == "cpu" else as_on_a_gpu(device))
            np.testing.assert_array_equal(found, by_scipy(mask, 2), name)
            if out is None:
                assert found.dtype == (np.int64 if "labels" in wide else np.int32)


WAYS_TO_WRAP = [
    (ndim, connectivity, axes)
    for ndim in range(1, 5)
    for connectivity in range(1, ndim + 1)
    for axes in subsets(range(ndim))[1:]
]


@pytest.mark.diagonal
@pytest.mark.parametrize(
    ("ndim", "connectivity", "axes"),
    quick_first(WAYS_TO_WRAP, lambda *case: case[0] == 2 or case == (3, 3, (0, 1, 2))),
)
def test_axes_that_wrap(ndim: int, connectivity: int, axes: tuple[int, ...], device: Device) -> None:
    rng = np.random.default_rng(ndim)
    for length, others in product((1, 2, 3, 32, 33, 64, 66), (1, 2, 3, 4)):
        shape = (*range(others, others + ndim - 1), length)
        for density in (0.25, 0.45, 0.7):
            mask = rng.random(shape) < density
            found = pj.label(mask, connectivity, wrap_axes=axes, device=device)
            np.testing.assert_array_equal(found, by_pairs(mask, connectivity, wrap_axes=axes), f"{shape}")


def test_lines_that_only_a_border_closes(device: Device) -> None:
    """A diagonal that winds around a torus is one line, and so are both ends of a row."""
    torus = np.zeros((96, 65), bool)
    torus[np.arange(96), np.arange(96) % 65] = True
    for connectivity, expected in ((1, 96), (2, 1)):
        found, count = pj.label(torus, connectivity, wrap_axes=(0, 1), return_num=True, device=device)
        np.testing.assert_array_equal(found, by_pairs(torus, connectivity, wrap_axes=(0, 1)))
        assert count == expected
    ends = np.zeros((1, 70), bool)
    ends[0, [0, 1, 69]] = True
    assert pj.label(ends, wrap_axes=1, device=device).max() == 1
    assert pj.label(ends, wrap_axes=0, device=device).max() == 2


QUICK_VALUES = {("foreground", "u2"), ("close", "f4")}


@pytest.mark.diagonal
@pytest.mark.parametrize(
    ("alike", "dtype", "shape"),
    quick_first(
        ((*case, shape) for case in VALUES for shape in ((9, 70), (300,), (3, 4, 33))),
        lambda alike, dtype, shape: (alike, dtype) in QUICK_VALUES and shape == (9, 70),
    ),
)
def test_values(alike: str, dtype: str, shape: tuple[int, ...], device: Device) -> None:
    for image, options in images_of(dtype, alike, shape):
        found = pj.label(image, len(shape), device=device, **options)
        expected = by_pairs(image, len(shape), **options)
        np.testing.assert_array_equal(found, expected, f"{options}")


@pytest.mark.diagonal
@pytest.mark.parametrize(
    ("ndim", "connectivity", "alike"),
    quick_first(
        [
            (ndim, connectivity, alike)
            for ndim in range(1, 5)
            for connectivity in range(1, ndim + 1)
            for alike in ("equal", "close")
        ],
        lambda *case: case in ((3, 3, "equal"), (2, 2, "close")),
    ),
)
def test_values_across_borders(ndim: int, connectivity: int, alike: str, device: Device) -> None:
    rng = np.random.default_rng(5)
    options: dict[str, Any] = {"multilabel": True} if alike == "equal" else {"delta": 1}
    for length, axes in product((1, 2, 31, 33, 64, 65), subsets(range(ndim))):
        image = rng.integers(0, 4, (*(2, 5, 3)[: ndim - 1], length)).astype(np.uint8)
        found = pj.label(image, connectivity, wrap_axes=axes, device=device, **options)
        expected = by_pairs(image, connectivity, wrap_axes=axes, **options)
        np.testing.assert_array_equal(found, expected, f"{image.shape}, {axes}")


@pytest.mark.exhaustive
@settings(max_examples=200)
@given(question=questions())
def test_drawn_images(device: Device, question: tuple[np.ndarray, dict[str, Any]]) -> None:
    pixels, options = question
    np.testing.assert_array_equal(pj.label(pixels, device=device, **options), by_pairs(pixels, **options))


@pytest.mark.diagonal
@pytest.mark.parametrize("access", ["striding", "partitioning"])
@pytest.mark.parametrize("connectivity", [1, 2])
def test_a_large_image(connectivity: int, access: str, device: Device) -> None:
    """Many work-items join runs at the same time, which may go wrong only now and then."""
    rng = np.random.default_rng(6)
    large = {
        "random": rng.random((700, 900)) < 0.6,
        "blobs": ndimage.gaussian_filter(rng.random((700, 900)), 4) > 0.5,
        "serpentine": serpentine(701, 900),
        "serpentine along columns": serpentine(901, 700).T,
        "comb": comb(700, 901),
    }
    for name, mask in large.items():
        expected = by_scipy(mask, connectivity)
        for _ in range(3):
            found = pj.label(mask, connectivity, device=device, access=access)
            np.testing.assert_array_equal(found, expected, name)


@pytest.mark.diagonal
@pytest.mark.parametrize("connectivity", [1, 3, pytest.param(2, marks=pytest.mark.exhaustive)])
def test_a_large_volume(connectivity: int, device: Device) -> None:
    volume = np.random.default_rng(6).random((60, 70, 80)) < 0.3
    for _ in range(3):
        found = pj.label(volume, connectivity, device=device)
        np.testing.assert_array_equal(found, by_scipy(volume, connectivity))
