"""Regions of labelled images, labels numbered anew, and contacts, against scipy, NumPy and others."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.ndimage as ndi
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import pointerjump as pj
from pointerjump.accel import region_contacts, regions
from pointerjump.accel.residents import labels as resident_labels
from pointerjump.accel.residents.labels import ResidentLabels
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.accel.tuning import TUNING
from pointerjump.base import memory
from pointerjump.imaging import label_regions
from pointerjump.reference import region_contacts as reference_contacts
from pointerjump.reference import regions as reference

pytestmark = pytest.mark.diagonal  # each kind of image has kernels of its own

# -- labels --------------------------------------------------------------------------------------------


def volume(
    *shape: int, most: int, background: float = 0.5, seed: int = 1, dtype: str = "int32"
) -> np.ndarray:
    """Return labels of which about as many as `background` says are 0, in short and in long runs."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(1, most + 1, shape)
    labels[rng.random(shape) < background] = 0
    copies = rng.random(shape) < 0.5
    copies.flat[:1] = False
    labels.flat[copies.ravel()] = labels.flat[np.flatnonzero(copies) - 1]
    return labels.astype(dtype)


def labelled(*shape: int, share: float) -> np.ndarray:
    found: np.ndarray = ndi.label(np.random.default_rng(2).random(shape) < share)[0]
    return found.astype(np.int32)


LABELS = {
    "no pixels": np.zeros((3, 0, 2), np.int32),
    "one pixel": np.ones((1, 1, 1), np.int32),
    "background": np.zeros((5, 7, 1), np.int32),
    "one label": np.full((9, 40, 33), 1, np.int32),
    "a row": volume(10_000, most=50),
    "a long label": np.repeat(np.array([0, 1, 2, 1], np.int32), 4097),
    "wide": volume(3, 1, 5000, most=9),
    "narrow": volume(3000, 1, 1, most=200),
    "flat": volume(61, 1, 67, most=300, background=0.1),
    "components": labelled(20, 30, 40, share=0.4),
    "one giant": labelled(20, 30, 40, share=0.7),
    "every pixel": np.arange(1, 13 * 17 * 19 + 1, dtype=np.int32).reshape(13, 17, 19),
    "four axes": volume(5, 4, 7, 40, most=30),
    "gaps": volume(10, 3, 41, most=5) * 1000,
    "cells": volume(15, 20, 40, most=200, background=0.1),
}


# -- what is true of them ------------------------------------------------------------------------------


def check_regions(found: pj.Regions, labels: np.ndarray) -> None:
    """Compare with scipy, and sums with Python's own integers."""
    count = int(labels.max(initial=0))
    each = np.arange(1, count + 1)
    assert found.count == count
    np.testing.assert_array_equal(found.sizes, np.bincount(labels.ravel(), minlength=count + 1)[1:])
    assert found.slices == (ndi.find_objects(labels.astype(np.int64)) if count else [])
    with np.errstate(invalid="ignore"):
        sums = [ndi.sum_labels(at, labels, each) for at in np.indices(labels.shape)] if count else []
        expected = np.array(sums).reshape(labels.ndim, count).T / found.sizes[:, np.newaxis]
    np.testing.assert_array_equal(found.centroids, expected)
    assert (found.sizes.dtype, found.boxes.dtype) == (np.int64, np.int64)
    assert found.boxes.shape == (count, labels.ndim, 2)
    assert not found.boxes[found.sizes == 0].any()


def kept(labels: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Return only some labels, numbered anew."""
    number = np.zeros(int(labels.max(initial=0)) + 1, np.int64)
    number[which] = np.arange(1, len(which) + 1)
    return number[labels]


def without_small(labels: np.ndarray, size: int) -> np.ndarray:
    sizes = np.bincount(labels.ravel().astype(np.int64), minlength=1)
    sizes[0] = 0
    return kept(labels, np.flatnonzero(sizes >= max(1, size)))


def only_largest(labels: np.ndarray, k: int) -> np.ndarray:
    sizes = np.bincount(labels.ravel().astype(np.int64), minlength=1)
    sizes[0] = 0
    order = sorted(np.flatnonzero(sizes), key=lambda label: (-sizes[label], label))
    return kept(labels, np.sort(np.array(order[:k], int)))


def touching(labels: np.ndarray, wraps: Sequence[int] = ()) -> tuple[np.ndarray, np.ndarray]:
    """Return contacts as NumPy finds them: all faces along each axis, sorted and counted."""
    faces = [np.empty((0, 2), np.int64)]
    for axis in range(labels.ndim):
        moved = np.moveaxis(labels, axis, 0).astype(np.int64)
        moved = np.concatenate([moved, moved[:1]]) if axis in wraps else moved
        faces.append(np.sort(np.stack([moved[:-1].ravel(), moved[1:].ravel()], axis=1), axis=1))
    every = np.concatenate(faces)
    every = every[(every[:, 0] > 0) & (every[:, 0] != every[:, 1])]
    return np.unique(every, axis=0, return_counts=True)


def check_all(labels: np.ndarray, expected: np.ndarray, device: Any) -> None:
    """Check every function on labels whose values are as expected."""
    check_regions(pj.regions(labels, device=device), expected)
    for size in (0, 2, 40):
        np.testing.assert_array_equal(pj.remove_small(labels, size, device), without_small(expected, size))
    for k in (1, 3, 1000):
        np.testing.assert_array_equal(pj.largest(labels, k, device), only_largest(expected, k))
    pairs, faces = touching(expected)
    found = pj.contacts(labels, device)
    np.testing.assert_array_equal(found.pairs, pairs)
    np.testing.assert_array_equal(found.faces, faces)


# -- axes that wrap ------------------------------------------------------------------------------------


def check_wrapping(labels: np.ndarray, wraps: list[int], device: Any) -> None:
    """Compare regions with those of an image that is rolled until it begins with the label."""
    found, plain = pj.regions(labels, device=device, wrap_axes=wraps), pj.regions(labels, device="reference")
    np.testing.assert_array_equal(found.sizes, plain.sizes)
    for axis, length in enumerate(labels.shape):
        if axis not in wraps:
            np.testing.assert_array_equal(found.boxes[:, axis], plain.boxes[:, axis])
            np.testing.assert_array_equal(found.centroids[:, axis], plain.centroids[:, axis])
            continue
        for i in np.flatnonzero(found.sizes):
            places = np.nonzero(labels == i + 1)[axis]
            rolled = {int(begin): (places - begin) % length for begin in np.unique(places)}
            begin = min(rolled, key=lambda begin: (rolled[begin].max(), begin))
            assert found.boxes[i, axis].tolist() == [begin, begin + rolled[begin].max() + 1]
            centroid = (begin + rolled[begin].mean()) % length
            away = abs(found.centroids[i, axis] - centroid)
            assert min(away, length - away) < 1e-9
            assert 0 <= found.centroids[i, axis] < length
    pairs, faces = touching(labels, wraps)
    touch = pj.contacts(labels, device, wrap_axes=wraps)
    np.testing.assert_array_equal(touch.pairs, pairs)
    np.testing.assert_array_equal(touch.faces, faces)


@given(
    labels=hnp.arrays(np.int32, hnp.array_shapes(max_dims=3, max_side=7), elements=st.integers(0, 4)),
    axes=st.sets(st.integers(0, 2)),
)
def test_axes_that_wrap(labels: np.ndarray, axes: set[int]) -> None:
    check_wrapping(labels, sorted(axes & set(range(labels.ndim))), "reference")


@pytest.mark.diagonal
@pytest.mark.parametrize("name", ["no pixels", "one pixel", "flat", "four axes", "cells", "gaps"])
def test_axes_that_wrap_on_a_device(name: str, device: Device) -> None:
    labels = LABELS[name]
    if name == "cells":  # neither in C's order, nor without strides
        labels = labels.transpose(2, 0, 1)[::-2]
    check_wrapping(labels, [0, labels.ndim - 1], device)


def test_components_that_wrap() -> None:
    mask = np.zeros((6, 8), bool)
    mask[[5, 5, 0, 0, 3, 4], [0, 7, 0, 7, 3, 4]] = mask[1] = True
    labels = pj.label(mask, wrap_axes=(0, 1), device="reference")
    assert labels.max() == 3
    found = pj.regions(labels, device="reference", wrap_axes=(-2, 1))
    assert found.boxes.tolist() == [[[5, 8], [0, 8]], [[3, 4], [3, 4]], [[4, 5], [4, 5]]]
    assert found.centroids[0].tolist() == [(5 * 2 + 6 * 2 + 7 * 8) / 12 - 6, 3.5]


def test_axes_that_cannot_wrap() -> None:
    for call in (pj.regions, pj.contacts):
        with pytest.raises(pj.ImageError, match="wrap_axes has 1: choose from the image's axes, 0 to 0"):
            call([1, 0, 2], "reference", wrap_axes=1)


def test_too_little_memory_to_unwrap() -> None:
    labels = np.tile(np.arange(1, 20_001, dtype=np.int32), (3, 1, 1)).repeat(200, axis=1)
    bound = memory.bounded(memory.resident() + (100 << 20), "within --memory")
    with bound, pytest.raises(pj.MemoryLimitError, match=r"regions along axis 1 would take .* within"):
        pj.regions(labels, wrap_axes=1)


# -- the reference -------------------------------------------------------------------------------------

SMALL = hnp.arrays(
    st.sampled_from([np.uint8, np.int64]),
    hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5),
    elements=st.integers(0, 6),
)


@given(labels=SMALL)
def test_the_reference(labels: np.ndarray) -> None:
    check_all(labels, labels, "reference")


@pytest.mark.parametrize(
    ("ours", "theirs", "names"),
    [
        (reference, regions, ("largest_label", "measure", "renumber", "replace")),
        (reference_contacts, region_contacts, ("find_contacts",)),
    ],
)
def test_reference_and_host_code_take_the_same(ours: Any, theirs: Any, names: tuple[str, ...]) -> None:
    for name in names:
        parameters = inspect.signature(getattr(theirs, name)).parameters
        positional = [p for p in parameters if parameters[p].kind is not inspect.Parameter.KEYWORD_ONLY]
        assert positional == list(inspect.signature(getattr(ours, name)).parameters)


# -- kernels -------------------------------------------------------------------------------------------


@cache
def like_a_gpu(device: Device) -> Session:
    """A session with memory of its own, groups of several work-items, and more strips than work-items."""
    session = Session(replace(device, host_memory=False))
    session.tuning = replace(TUNING["gpu"], group=8, groups_per_unit=4, small_group=8, label_strip=32)
    return session


WAYS: dict[str, Callable[[Device], Session]] = {"as it is": session_for, "like a GPU": like_a_gpu}


@pytest.mark.diagonal  # each number of axes has kernels of its own, which some drivers build slowly
@pytest.mark.parametrize("name", LABELS)
def test_kernels(name: str, device: Device) -> None:
    check_all(LABELS[name], LABELS[name], session_for(device))


@pytest.mark.diagonal
@pytest.mark.parametrize("name", [name for name in LABELS if LABELS[name].ndim in (1, 3)])
def test_kernels_with_groups_of_work_items(name: str, device: Device) -> None:
    check_all(LABELS[name], LABELS[name], like_a_gpu(device))


@pytest.mark.diagonal
@pytest.mark.parametrize("access", ["striding", "partitioning"])
@pytest.mark.parametrize("way", WAYS)
def test_each_access(access: str, way: str, device: Device) -> None:
    labels = LABELS["a row"]
    placed = ResidentLabels(labels, WAYS[way](device), renumbered=True)
    assert regions.largest_label(placed, access=access) == labels.max()
    measured = regions.measure(placed, int(labels.max()), access=access)
    np.testing.assert_array_equal(measured.sizes, np.bincount(labels.ravel())[1:])
    found = regions.renumber(placed, measured, 100, 0, access=access)
    np.testing.assert_array_equal(found, without_small(labels, 101))
    pairs, faces = region_contacts.find_contacts(placed, access=access)
    np.testing.assert_array_equal(pairs, touching(labels)[0])
    np.testing.assert_array_equal(faces, touching(labels)[1])


CUBES = hnp.arrays(np.int32, st.tuples(*[st.integers(2, 4)] * 3), elements=st.integers(0, 6))


@pytest.mark.diagonal
@settings(max_examples=20)
@given(labels=CUBES)
def test_any_small_labels(labels: np.ndarray, device: Device) -> None:
    check_all(labels, labels, like_a_gpu(device))


@pytest.mark.exhaustive
@settings(max_examples=60)
@given(labels=SMALL, way=st.sampled_from(sorted(WAYS)))
def test_any_small_labels_of_any_shape(labels: np.ndarray, way: str, device: Device) -> None:
    check_all(labels, labels, WAYS[way](device))


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("way", WAYS)
def test_large_labels(way: str, seed: int, device: Device) -> None:
    """So many that all work-items of a CPU work at once, on one label and on many."""
    labels = volume(70, 80, 90, most=10 ** (1 + 2 * seed), background=0.2, seed=seed)
    check_all(labels, labels, WAYS[way](device))
    components = labelled(70, 80, 90, share=0.3 + 0.2 * seed)
    check_all(components, components, WAYS[way](device))


def test_sums_beyond_32_bits(device: Device) -> None:
    """Work-items that add to one sum at the same time carry into its upper half."""
    labels = np.tile(np.repeat(np.array([1, 0, 2, 1], np.int32), 1000), 250)
    for way in WAYS.values():
        found = pj.regions(labels, device=way(device))
        for label in (1, 2):
            where = np.flatnonzero(labels == label)
            assert where.sum() > 2**35
            assert found.centroids[label - 1, 0] == where.sum() / len(where)


@pytest.mark.one_device
def test_few_slots_in_local_memory(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resident_labels, "SLOTS", 2)
    labels = LABELS["cells"]
    check_regions(pj.regions(labels, device=device), labels)
    np.testing.assert_array_equal(pj.contacts(labels, device).faces, touching(labels)[1])


@pytest.mark.one_device
def test_memory_that_regions_are_said_to_take(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    labels = LABELS["every pixel"]
    placed = ResidentLabels(labels, session_for(device))
    measured, found = regions.measure(placed, labels.size), pj.regions(labels, device=device)
    results = (found.sizes, measured.sums, found.boxes, found.centroids)
    taken = 8 * measured.words * labels.size + sum(result.nbytes for result in results)
    asked: list[int] = []
    monkeypatch.setattr(memory, "require", lambda size, *_: asked.append(size))
    pj.regions(labels, device=device)
    assert taken in asked


def test_tables_that_become_too_small(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    fill = region_contacts._fill

    def noting(labels: ResidentLabels, slots: int, access: str | None) -> Any:
        tried.append(slots)
        return fill(labels, slots, access)

    monkeypatch.setattr(region_contacts, "FIRST_SLOTS", 64)
    monkeypatch.setattr(region_contacts, "_fill", noting)
    labels = np.arange(1, 81 * 79 + 1, dtype=np.int32).reshape(1, 81, 79)
    pairs, faces = touching(labels)
    assert len(pairs) == 81 * 78 + 80 * 79
    for way in WAYS.values():
        found = pj.contacts(labels, way(device))
        np.testing.assert_array_equal(found.pairs, pairs)
        np.testing.assert_array_equal(found.faces, faces)
    assert tried[:2] == [64, 256]
    assert max(tried) <= 1 << 16  # the last one is about half full, or a fifth


# -- labels as users have them -------------------------------------------------------------------------


def layouts(labels: np.ndarray) -> Iterator[np.ndarray]:
    """Yield equal labels in other layouts of memory."""
    yield np.asfortranarray(labels)
    yield np.flip(np.flip(labels).copy())
    spread = np.full([2 * n + 1 for n in labels.shape], -7, labels.dtype)
    every_second = tuple(slice(1, None, 2) for _ in labels.shape)
    spread[every_second] = labels
    yield spread[every_second]
    yield labels.transpose(1, 2, 0).copy().transpose(2, 0, 1)
    yield labels.astype(labels.dtype.newbyteorder("S"))
    raw = np.empty(labels.nbytes + 1, np.uint8)
    unaligned = raw[1:].view(labels.dtype).reshape(labels.shape)
    unaligned[:] = labels
    yield unaligned
    read_only = labels.copy()
    read_only.flags.writeable = False
    yield read_only


@pytest.mark.diagonal
@pytest.mark.parametrize("way", [*reversed(WAYS)])
def test_layouts(way: str, device: Device) -> None:
    labels = volume(4, 9, 50, most=40)
    for same in layouts(labels):
        check_all(same, labels, WAYS[way](device))


@pytest.mark.one_device
def test_a_row_that_stands_for_many(device: Device) -> None:
    labels = np.broadcast_to(volume(9, 1, 50, most=40), (9, 4, 50))
    check_all(labels, labels, device)
    check_all(labels.T, labels.T, device)


DTYPES = [
    "i8",
    *(pytest.param(dtype, marks=pytest.mark.exhaustive) for dtype in ("i1", "i2", "u1", "u2", "u4", "u8")),
]


@pytest.mark.diagonal
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype: str, device: Device) -> None:
    labels = volume(200, most=99).astype(dtype)
    check_all(labels, labels, device)
    assert pj.remove_small(labels, 2, device).dtype == labels.dtype
    assert pj.largest(labels, 2, device).dtype == labels.dtype


@pytest.mark.one_device
def test_lists_are_labels(device: Device) -> None:
    assert pj.regions([1, 0, 2], device=device).sizes.tolist() == [1, 1]
    assert pj.contacts([1, 2], device).pairs.tolist() == [[1, 2]]
    assert pj.largest([1, 2, 2], device=device).tolist() == [0, 1, 1]


def test_contacts_are_edges(device: Device) -> None:
    found = pj.contacts(np.array([[[1, 1, 2, 0, 5], [3, 0, 2, 0, 6]]], np.int32), device)
    together = pj.components(found.pairs, vertices=7).labels
    assert together.tolist() == [0, 1, 1, 1, 2, 3, 3]


# -- out -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["reference", "device"])
def test_out(where: str, device: Device) -> None:
    labels = volume(2, 10, 30, most=60)
    expected = without_small(labels, 5)
    asked = device if where == "device" else where
    out = np.full_like(labels, -1)
    assert pj.remove_small(labels, 5, asked, out=out) is out
    np.testing.assert_array_equal(out, expected)
    strided = np.full((2, 10, 60), -1, np.int32)
    pj.remove_small(labels, 5, asked, out=strided[..., ::2])
    np.testing.assert_array_equal(strided[..., ::2], expected)
    assert (strided[..., 1::2] == -1).all()
    own = labels.copy()
    assert pj.largest(own, 3, asked, out=own) is own
    np.testing.assert_array_equal(own, only_largest(labels, 3))
    twisted = labels.copy()
    squares = twisted[..., :10]
    expected = without_small(squares, 5)
    pj.remove_small(squares, 5, asked, out=squares.transpose(0, 2, 1))
    np.testing.assert_array_equal(squares.transpose(0, 2, 1), expected)


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ([0, 0, 0], "out is of type list, and the image is an ndarray: give an ndarray"),
        (np.zeros(4, np.int32), "out has shape (4,), and the image (3,): they must be equal"),
        (np.zeros(3, np.int64), "out has dtype int64: give an array of int32"),
        (np.broadcast_to(np.int32(0), 3), "out is read-only: give an array that can be written"),
    ],
)
def test_what_cannot_be_out(out: Any, said: str) -> None:
    labels = np.array([1, 2, 2], np.int32)
    for function in (pj.remove_small, pj.largest):
        with pytest.raises(pj.ImageError, match=re.escape(said)) as raised:
            function(labels, 1, "reference", out)
        assert "\n" not in str(raised.value)


# -- pyopencl arrays -----------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["reference", "device"])
def test_arrays_on_the_device_stay_there(where: str, device: Device) -> None:
    import pyopencl.array as cl_array

    queue = session_for(device).queue
    asked = None if where == "device" else where
    labels = volume(6, 20, 30, most=60)
    for here in (labels, np.asfortranarray(labels), np.zeros((3, 0), np.int32)):
        there = cl_array.to_device(queue, here)
        check_regions(pj.regions(there, device=asked), here)
        np.testing.assert_array_equal(pj.contacts(there, asked).faces, touching(here)[1])
        found = pj.remove_small(there, 5, asked)
        assert isinstance(found, cl_array.Array)
        assert found.queue == queue
        np.testing.assert_array_equal(found.get(), without_small(here, 5))
        out = cl_array.empty_like(there)
        assert pj.largest(there, 2, asked, out=out) is out
        np.testing.assert_array_equal(out.get(), only_largest(here, 2))
        fortran = cl_array.to_device(queue, np.full(here.shape, -1, here.dtype, "F"))
        assert pj.largest(there, 2, asked, out=fortran) is fortran
        np.testing.assert_array_equal(fortran.get(), out.get())
        assert pj.largest(there, 2, asked, out=there) is there
        np.testing.assert_array_equal(there.get(), out.get())


@pytest.mark.one_device
@pytest.mark.parametrize("where", ["reference", "device"])
def test_parts_of_arrays_on_the_device(where: str, device: Device) -> None:
    import pyopencl.array as cl_array

    asked = None if where == "device" else where
    labels = volume(6, 20, 30, most=60)
    there = cl_array.to_device(session_for(device).queue, labels)
    check_regions(pj.regions(there[2:4, 1:, ::3], device=asked), labels[2:4, 1:, ::3])
    found = pj.remove_small(there[:, 3:4], 2, asked)
    np.testing.assert_array_equal(found.get(), without_small(labels[:, 3:4], 2))
    pj.remove_small(there[2], 2, asked, out=there[3])
    np.testing.assert_array_equal(there.get()[3], without_small(labels[2], 2))
    np.testing.assert_array_equal(np.delete(there.get(), 3, 0), np.delete(labels, 3, 0))


OVERLAPS: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "in another order": lambda square: (square, square.transpose((1, 0))),
    "one row on": lambda square: (square[:-1], square[1:]),
    "one row back": lambda square: (square[1:], square[:-1]),
    "the same place": lambda square: (square[1:], square[1:]),
    "next to each other": lambda square: (square[:100], square[100:]),
}


@pytest.mark.one_device
@pytest.mark.parametrize("kind", ["NumPy", "pyopencl"])
@pytest.mark.parametrize("overlap", OVERLAPS)
def test_out_may_overlap_the_labels(overlap: str, kind: str, device: Device) -> None:
    import pyopencl.array as cl_array

    square = volume(200, 200, most=60)
    given, _ = OVERLAPS[overlap](square)
    expected = without_small(given, 300)
    memory_of_both = (
        square.copy() if kind == "NumPy" else cl_array.to_device(session_for(device).queue, square)
    )
    labels, out = OVERLAPS[overlap](memory_of_both)
    assert pj.remove_small(labels, 300, None if kind == "pyopencl" else device, out=out) is out
    found = memory_of_both if kind == "NumPy" else memory_of_both.get()
    np.testing.assert_array_equal(OVERLAPS[overlap](found)[1], expected)


@pytest.mark.one_device
def test_out_in_another_part_of_one_buffer(device: Device) -> None:
    import pyopencl.array as cl_array

    queue = session_for(device).queue
    labels = np.repeat(np.arange(1, 257, dtype=np.int32), 256)
    whole = cl_array.to_device(queue, labels)
    half = labels.nbytes // 2
    first, second = (
        cl_array.Array(queue, (half // 4,), np.int32, data=whole.base_data.get_sub_region(at, half))
        for at in (0, half // 2)  # a device allows only some places, but large powers of 2 always
    )
    pj.largest(first, 100, out=second)
    np.testing.assert_array_equal(second.get(), only_largest(labels[: half // 4], 100))


def test_what_arrays_on_the_device_cannot_be(device: Device) -> None:
    import pyopencl as cl
    import pyopencl.array as cl_array

    session = session_for(device)
    there = cl_array.to_device(session.queue, np.array([[1, 2, 2], [0, 0, 1]], np.int32))
    with pytest.raises(pj.ImageError, match="has no command queue: give it one with"):
        pj.regions(there.with_queue(None))
    for other in (there.get(), [0]):
        with pytest.raises(pj.ImageError, match="and the image is a pyopencl array: give a pyopencl array"):
            pj.largest(there, out=other)
    with pytest.raises(pj.ImageError, match="and the image is an ndarray: give an ndarray"):
        pj.largest(there.get(), out=there)
    elsewhere = cl_array.empty(cl.CommandQueue(session.context), there.shape, there.dtype)
    with pytest.raises(pj.ImageError, match="out has another queue than the labels: give"):
        pj.largest(there, out=elsewhere)
    with pytest.raises(pj.ImageError, match=r"labels\[1\] is -5: give numbers from 1 on"):
        pj.regions(cl_array.to_device(session.queue, np.array([1, -5, -6], np.int32)))
    with pytest.raises(pj.DeviceError, match="no 64-bit atomics"):
        pj.contacts(np.array([1, 2], np.int32), Session(replace(device, int64_atomics=False)))


# -- errors --------------------------------------------------------------------------------------------

FUNCTIONS = {
    "regions": lambda labels, device=None: pj.regions(labels, device=device),
    "contacts": pj.contacts,
    "remove_small": lambda labels, device=None: pj.remove_small(labels, 2, device),
    "largest": lambda labels, device=None: pj.largest(labels, 2, device),
}

NO_LABELS = {
    "a number": (5, "labels have 0 dimensions (shape ()): give an array with 1 to 4"),
    "five axes": (np.zeros((1,) * 5, int), "labels have 5 dimensions (shape (1, 1, 1, 1, 1))"),
    "a mask": (np.ones(3, bool), "labels have dtype bool: label the mask first, by pointerjump.label"),
    "floats": (np.ones(3), "labels have dtype float64: give integers"),
    "text": (["a"], "labels have dtype <U1: give integers"),
    "ragged": ([[1], [1, 2]], "labels cannot be made into an array"),
    "masked": (np.ma.array([1, 2], mask=[0, 1]), "labels[1] is masked"),
    "negative": (
        np.array([[[1, 2], [0, -5]]], np.int32),
        "labels[0, 1, 1] is -5: give numbers from 1 on, and 0 for the",
    ),
    "int8": (np.array([1, -128], np.int8), "labels[1] is -128: give numbers"),
    "int32": (np.array([2**31 - 1, -1], np.int32), "labels[1] is -1: give numbers"),
    "large": (np.array([0, 2**40]), "labels[1] is 1,099,511,627,776, and at most "),
    "uint64": (np.array([2**64 - 1], np.uint64), "labels[0] is 18,446,744,073,709,551,615, and at most "),
    "2**31": (np.array([2**31]), "labels[0] is 2,147,483,648, and at most "),
}


def test_a_number_has_no_chunks() -> None:
    with pytest.raises(pj.ImageError, match=r"chunk is 2, and the image has shape \(\)"):
        pj.regions(np.ones((), np.int32), chunk=2, device="reference")


@pytest.mark.diagonal
@pytest.mark.parametrize("name", NO_LABELS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_labels(name: str, function: str, device: Device) -> None:
    labels, said = NO_LABELS[name]
    for where in ("reference", device):
        with pytest.raises(pj.ImageError, match=re.escape(said)) as raised:
            FUNCTIONS[function](labels, where)
        assert "\n" not in str(raised.value)


def test_labels_of_a_part_may_be_large(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_regions, "LABELS_OF_FEW_PIXELS", 1000)
    labels = np.array([0, 1000, 3, 1000], np.int32)
    check_all(labels, labels, device)
    said = "labels[2] is 1,001, and at most 1,000 in an image of this size: number the labels anew, by point"
    for function in ("regions", "remove_small", "largest"):
        with pytest.raises(pj.ImageError, match=re.escape(said)):
            FUNCTIONS[function](np.array([0, 1, 1001], np.int32), device)
    found = pj.contacts(np.array([2**31 - 1, 2**31 - 2], np.int32), device)  # which need no memory by label
    assert found.pairs.tolist() == [[2**31 - 2, 2**31 - 1]]


def test_an_axis_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    long = np.broadcast_to(np.int8(1), (2, 2**32))
    with pytest.raises(pj.ImageError, match=re.escape("axis 1 of the labels has 4,294,967,296 pixels, and")):
        pj.regions(long)
    with pytest.raises(pj.ImageError, match=re.escape("at most 2,147,483,647 can be measured, as it wraps")):
        pj.regions(long[:, : 2**31], wrap_axes=1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: pj.remove_small([1], 2.5), "size is 2.5: it must be a whole number"),
        (lambda: pj.remove_small([1], -1), "size is -1: give the number of pixels"),
        (lambda: pj.largest([1], True), "k is True: it must be a whole number"),
        (lambda: pj.largest([1], 0), "k is 0: give the number of labels that stay, at least 1"),
    ],
)
def test_numbers_that_cannot_be(call: Callable[[], object], said: str) -> None:
    with pytest.raises(pj.ImageError, match=re.escape(said)):
        call()


def test_sizes_beyond_all_integers(device: Device) -> None:
    labels = np.array([1, 1, 2], np.int32)
    assert not pj.remove_small(labels, 2**80, device).any()
    assert pj.largest(labels, 2**80, device).tolist() == [1, 1, 2]


def test_too_little_memory_for_so_many_labels(device: Device) -> None:
    said = r"the regions of 4,000,000 labels would take .* within --memory: number the labels anew"
    bound = memory.bounded(memory.resident() + (40 << 20), "within --memory")
    with bound, pytest.raises(pj.MemoryLimitError, match=said):
        pj.regions(np.array([4_000_000], np.int32), device=device)


@pytest.mark.one_device
def test_too_little_memory_for_new_labels(device: Device) -> None:
    labels = np.zeros(1 << 21, np.int32)
    said = r"^the labels would take 8.0 MiB, .* within --memory: give less at a time, or use a machine"
    bound = memory.bounded(memory.resident(), "within --memory")
    with bound, pytest.raises(pj.MemoryLimitError, match=said):
        pj.remove_small(labels, 5, device)


# -- other libraries -----------------------------------------------------------------------------------


def test_agrees_with_cc3d(device: Device) -> None:
    cc3d = pytest.importorskip("cc3d")
    labels = volume(20, 30, 40, most=50, background=0.2).astype(np.uint32)
    theirs = cc3d.statistics(labels)
    ours = pj.regions(labels, device=device)
    np.testing.assert_array_equal(theirs["voxel_counts"][1:], ours.sizes)
    np.testing.assert_allclose(theirs["centroids"][1:], ours.centroids, rtol=1e-12)
    assert [tuple(box) for box in theirs["bounding_boxes"][1:]] == ours.slices
    touching = pj.contacts(labels, device)
    pairs = [tuple(pair) for pair in touching.pairs.tolist()]
    assert cc3d.contacts(labels, connectivity=6) == dict(zip(pairs, touching.faces.tolist(), strict=True))


def test_agrees_with_skimage(device: Device) -> None:
    measure = pytest.importorskip("skimage.measure")
    labels = volume(20, 30, 40, most=50)
    ours = pj.regions(labels, device=device)
    for region in measure.regionprops(labels):
        i = region.label - 1
        assert region.area == ours.sizes[i]
        assert region.slice == ours.slices[i]
        np.testing.assert_allclose(region.centroid, ours.centroids[i], rtol=1e-12)
