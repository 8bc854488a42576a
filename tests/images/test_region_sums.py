"""What regions hold: kernels against the reference, and means against exact fractions."""

from __future__ import annotations

import inspect
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from test_regions import WAYS, volume

import pointerjump as pj
from pointerjump.accel import region_sums as accel
from pointerjump.accel.residents.labels import ResidentLabels
from pointerjump.accel.runtime.devices import Device
from pointerjump.imaging.region_tables import Levels, wide_add
from pointerjump.reference import region_sums as reference

ALL = (True, True, True, True)
SOME = ((False, True, True, False), (False, True, False, True))
DTYPES = ["?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"]
LABELS = {
    "a row": np.repeat(np.random.default_rng(1).integers(0, 4, 60), 9),
    "a volume": volume(7, 9, 40, most=9, background=0.2),
    "another order": volume(7, 9, 40, most=9, background=0.2).T[::-1, :, ::2],
    "four axes": np.random.default_rng(2).integers(0, 30, (2, 3, 2, 40)),
    "no pixels": np.zeros((3, 0), int),
}


def values_like(labels: np.ndarray, dtype: str, *, strange: bool = False) -> np.ndarray:
    rng = np.random.default_rng(labels.size)
    if dtype == "?":
        return rng.random(labels.shape) < 0.5
    if np.dtype(dtype).kind == "f":
        found = (rng.normal(size=labels.shape) * 100 + 50).astype(dtype)
        if strange and found.size:
            for value in (np.nan, np.inf, -np.inf, 0.0, -0.0, np.finfo(dtype).max, np.finfo(dtype).tiny):
                found[tuple(rng.integers(0, labels.shape))] = value
        return found
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, labels.shape, dtype, endpoint=True)


def compare(
    labels: np.ndarray,
    values: np.ndarray,
    session: Any,
    access: str | None = None,
    some: tuple[tuple[bool, bool, bool, bool], ...] = SOME,
) -> None:
    """Compare extremes, and sums counted from boxes that begin anywhere, also around the end of axes."""
    count = int(labels.max(initial=0))
    rng = np.random.default_rng(count)
    lengths = np.array(labels.shape, np.uint32)
    first = rng.integers(0, np.maximum(lengths, 1), (count, labels.ndim)).astype(np.uint32)
    # No run goes across the place where its box begins.
    first[:, -1] = 0
    least, most = reference.find_extremes(labels, values, count)
    levels = Levels.between(least, most)
    full = labels if labels.size else np.zeros((1,) * labels.ndim, labels.dtype)
    placed = ResidentLabels(full, session)
    seen = ResidentLabels(values if labels.size else np.zeros(full.shape, values.dtype), session)
    for ours, theirs in zip(
        accel.find_extremes(placed, seen, count, access=access), (least, most), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    for wanted in (ALL, *some):
        given = (first, lengths, values, levels.least, levels.scale, wanted)
        expected = reference.add_up(labels, *given)
        found = accel.add_up(placed, first, lengths, seen, *given[3:], access=access)
        np.testing.assert_array_equal(found, expected)
    shapes = (first, lengths, None, None, None, (True, False, False, False))
    np.testing.assert_array_equal(
        accel.add_up(placed, *shapes, access=access), reference.add_up(labels, *shapes)
    )


def cases() -> list:
    """Labels, ways and dtypes of which any two meet, and any three where there are three axes.

    Of the sums, either half meets each dtype in each way. The full product would be four fifths compile time,
    and even of this each dtype meets only two labels, one in each way, unless what takes long is asked for.
    """
    ways = list(WAYS)
    return [
        pytest.param(
            name,
            ways[(i + j) % 2],
            dtype,
            SOME[(i // 2 + j) % 2],
            id=f"{name}-{ways[(i + j) % 2]}-{dtype}",
            marks=[] if j % 4 in (i, i - 1) else pytest.mark.exhaustive,
        )
        for i, name in enumerate(LABELS)
        for j, dtype in enumerate(DTYPES)
    ]


@pytest.mark.diagonal
@pytest.mark.parametrize(("name", "way", "dtype", "some"), cases())
def test_kernels(
    name: str, way: str, dtype: str, some: tuple[bool, bool, bool, bool], device: Device
) -> None:
    labels = LABELS[name]
    access = ("striding", "partitioning")[len(name) % 2]
    compare(labels, values_like(labels, dtype), WAYS[way](device), access, (some,))


@pytest.mark.diagonal
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_what_is_no_finite_number(dtype: str, device: Device) -> None:
    labels = LABELS["a volume"]
    values = values_like(labels, dtype, strange=True)
    compare(labels, values, WAYS["like a GPU"](device))
    names = ("intensity_min", "intensity_max", "intensity_mean")
    found = pj.regions(labels, values, properties=("label", *names), device=device).table()
    with np.errstate(invalid="ignore", over="ignore"):
        for row, label in enumerate(found["label"]):
            here = values[labels == label].astype(np.float64)
            for name, expected in zip(names, (here.min(), here.max(), here.mean()), strict=True):
                np.testing.assert_allclose(found[name][row], expected, 1e-12)


def test_reference_and_host_code_take_the_same() -> None:
    for name in ("find_extremes", "add_up"):
        parameters = inspect.signature(getattr(accel, name)).parameters
        positional = [p for p in parameters if parameters[p].kind is not inspect.Parameter.KEYWORD_ONLY]
        assert positional == list(inspect.signature(getattr(reference, name)).parameters)


@settings(max_examples=200)
@given(
    values=st.one_of(
        hnp.arrays(np.float64, 20, elements=st.floats(allow_nan=False, allow_infinity=False)),
        hnp.arrays(np.float32, 20, elements=st.floats(-1e3, 1e3, width=32)),
        hnp.arrays(np.int64, 20, elements=st.integers(-(2**63), 2**63 - 1)),
        hnp.arrays(np.uint64, 20, elements=st.integers(0, 2**64 - 1)),
        hnp.arrays(np.int32, 20, elements=st.integers(-(2**31), 2**31 - 1)),
    )
)
def test_means_are_as_good_as_their_levels(values: np.ndarray) -> None:
    """Against exact fractions: within 2^-43 of the range of values, and 2^-51 of what is largest."""
    labels = np.repeat([1, 2], [3, 17])
    names = ("intensity_mean", "intensity_std")
    found = pj.regions(labels, values, properties=names, device="reference").table()
    for row in range(2):
        here = [Fraction(each.item()) for each in values[labels == row + 1]]
        mean = sum(here) / len(here)
        variance = sum((each - mean) ** 2 for each in here) / len(here)
        bound = (max(here) - min(here)) / 2**43 + max(map(abs, here)) / 2**51
        if bound < Fraction(1, 10**300):  # subnormal numbers
            continue
        assert abs(Fraction(found["intensity_mean"][row].item()) - mean) <= bound
        std = found["intensity_std"][row].item()
        if np.isfinite(std):
            spread = max(here) - min(here)
            assert abs(Fraction(std) ** 2 - variance) <= spread * spread / 2**40


@given(pairs=st.lists(st.tuples(*[st.integers(0, 2**127 - 1)] * 2), min_size=1, max_size=5))
def test_numbers_of_128_bits_are_added(pairs: list[tuple[int, int]]) -> None:
    one, other = (
        np.array([[each % 2**64, each >> 64] for each in numbers], np.uint64)
        for numbers in zip(*pairs, strict=True)
    )
    wide_add(one, other)
    assert [int(low) + (int(high) << 64) for low, high in one] == [a + b for a, b in pairs]


def test_a_periodic_volume_in_any_order_of_axes() -> None:
    """What is rolled around has the same shapes and intensities, whatever the order of axes in memory."""
    labels = np.zeros((9, 12, 15), int)
    labels[2:6, 3:9, 4:7] = 1
    labels[2:4, 3:5, 4:12] = 2
    values = np.random.default_rng(0).normal(size=labels.shape)
    names = ("axis_major_length", "axis_minor_length", "intensity_mean", "intensity_std", "centroid_weighted")
    plain = pj.regions(labels, values, properties=names).table()
    rolled = np.asfortranarray(np.roll(labels, (5, 7, 9), (0, 1, 2)))
    moved = np.roll(values, (5, 7, 9), (0, 1, 2)).transpose(2, 0, 1).copy().transpose(1, 2, 0)
    found = pj.regions(rolled, moved, properties=names, wrap_axes=(0, 1, 2)).table()
    for name in names[:-1]:
        np.testing.assert_allclose(found[name], plain[name], 1e-12)
    for axis, (shift, size) in enumerate(zip((5, 7, 9), labels.shape, strict=True)):
        expected = (plain[f"centroid_weighted-{axis}"] + shift) % size
        np.testing.assert_allclose(found[f"centroid_weighted-{axis}"], expected)
