"""Where images and their labels may lie in memory, on hosts and on devices, and what cannot be labelled."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest
from test_label import MASKS, as_on_a_gpu, by_pairs, by_scipy, checkerboard, quick_first

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.sessions import session_for

pytestmark = pytest.mark.diagonal  # each kind of image has kernels of its own

EVERYWHERE = pytest.mark.parametrize(
    "where",
    [
        "device",
        pytest.param("as on a GPU", marks=pytest.mark.one_device),
        pytest.param("reference", marks=pytest.mark.one_device),
    ],
)


def find(where: str, device: Device) -> Any:
    """Return what to give as `device`."""
    return {"device": device, "as on a GPU": as_on_a_gpu(device)}.get(where, where)


# -- how an image lies in memory ---------------------------------------------------------------------


def laid_out(pixels: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Yield equal images that lie in memory in other ways."""
    axes = range(pixels.ndim)
    yield "in C order", pixels.copy()
    yield "in Fortran order", np.asfortranarray(pixels)
    for order in {tuple(np.roll(axes, k)) for k in axes} | {(*axes[:-2], *axes[-2:][::-1])}:
        yield (
            f"axes in memory in the order {order}",
            pixels.transpose(order).copy().transpose(np.argsort(order)),
        )
    spread = np.zeros([3 * length + 1 for length in pixels.shape], pixels.dtype)
    steps = (slice(1, None, 3),) * pixels.ndim
    spread[steps] = pixels
    yield "every third pixel", spread[steps]
    backwards = (slice(None, None, -1),) * pixels.ndim
    yield "backwards", pixels[backwards].copy()[backwards]
    yield "rows backwards", pixels[..., ::-1].copy()[..., ::-1]
    yield "every third pixel backwards", spread[steps][backwards].copy(order="K")[backwards]
    read_only = pixels.copy()
    read_only.flags.writeable = False
    yield "read-only", read_only
    yield "in the other byte order", pixels.astype(pixels.dtype.newbyteorder("S"))
    raw = np.zeros(pixels.nbytes + 1, np.uint8)
    raw[1:] = np.frombuffer(pixels.tobytes(), np.uint8)
    yield "at an odd address", raw[1:].view(pixels.dtype).reshape(pixels.shape)
    record = np.zeros(pixels.shape, [("before", "u1"), ("value", pixels.dtype), ("after", "u2")])
    record["value"] = pixels
    yield "a field of records", record["value"]


@pytest.mark.diagonal
@pytest.mark.parametrize(
    ("shape", "dtype"),
    quick_first(
        product(((20, 70), (300,), (4, 5, 66), (2, 3, 4, 35)), ("?", "u2", "f8")),
        lambda *case: case == ((20, 70), "?"),
    ),
)
def test_layouts(shape: tuple[int, ...], dtype: str, device: Device) -> None:
    rng = np.random.default_rng(7)
    pixels = ((rng.random(shape) < 0.5) * rng.integers(1, 3, shape)).astype(dtype)
    mode: dict[str, Any] = {"?": {}, "u2": {"multilabel": True}, "f8": {"delta": 0.5}}[dtype]
    expected = by_pairs(pixels, **mode)
    for name, image in laid_out(pixels):
        before = image.copy()
        for session in (device, as_on_a_gpu(device)):
            np.testing.assert_array_equal(pj.label(image, device=session, **mode), expected, name)
        np.testing.assert_array_equal(image, before, "the image stays as it is")


def test_one_line_that_is_every_line(device: Device) -> None:
    """An image that NumPy has broadcast is smaller in memory than it looks."""
    line = np.random.default_rng(8).random(70) < 0.6
    for image in (
        np.broadcast_to(line, (40, 70)),
        np.broadcast_to(line[:, None], (70, 33)),
        np.broadcast_to(line, (3, 4, 70)),
        np.broadcast_to(np.True_, (5, 70)),
    ):
        np.testing.assert_array_equal(pj.label(image, device=device), by_scipy(image, 1))


def test_lists(device: Device) -> None:
    assert pj.label([[1, 0], [0, 1]], device=device).tolist() == [[1, 0], [0, 2]]
    assert pj.label([True, False, True], device=device).tolist() == [1, 0, 2]
    assert pj.label([[]], device=device).shape == (1, 0)


# -- where the labels go -----------------------------------------------------------------------------


@EVERYWHERE
def test_labels_go_where_they_should(where: str, device: Device) -> None:
    mask = MASKS["random, 0.5"][:21, :70]
    expected = by_scipy(mask, 1)
    at = find(where, device)
    room = np.full((3 * mask.shape[0], 2 * mask.shape[1]), -7, np.int32)
    for out in (
        np.full(mask.shape, -7, np.int32),
        np.full(mask.shape, -7, np.int32, order="F"),
        room[::3, ::2],
        room[: mask.shape[0], : mask.shape[1]][::-1, ::-1],
    ):
        assert pj.label(mask, out=out, device=at) is out
        np.testing.assert_array_equal(out, expected)
    for dtype in ("i2", "u4", "i8", "u8", ">i4", "<i8"):
        out = np.full(mask.shape, 7, dtype)
        assert pj.label(mask, out=out, device=at) is out
        np.testing.assert_array_equal(out, expected)
    kept = np.full((3 * mask.shape[0], 2 * mask.shape[1]), -7, np.int32)
    pj.label(mask, out=kept[1::3, 1::2], device=at)
    kept[1::3, 1::2] = -7
    assert (kept == -7).all(), "nothing is written beside the labels"


@EVERYWHERE
def test_an_image_may_be_replaced_by_its_labels(where: str, device: Device) -> None:
    for mask in (MASKS["random, 0.5"][:21, :70], MASKS["random voxels, 0.3"][:3]):
        image = mask.astype(np.int32)
        assert pj.label(image, out=image, device=find(where, device)) is image
        np.testing.assert_array_equal(image, by_scipy(mask, 1))


@EVERYWHERE
def test_where_labels_cannot_go(where: str, device: Device) -> None:
    mask = checkerboard(20, 30)
    at = find(where, device)
    read_only = np.zeros(mask.shape, np.int32)
    read_only.flags.writeable = False
    for out in (
        np.zeros(mask.shape, bool),
        np.zeros(mask.shape, np.float64),
        np.zeros(mask.shape, object),
        np.zeros(mask.shape, np.int8),  # there are 300 components
        np.zeros(mask.T.shape, np.int32),
        np.zeros(mask.size, np.int32),
        np.zeros((1, *mask.shape), np.int32),
        read_only,
        mask.tolist(),
        "labels.npy",
        5,
    ):
        with pytest.raises(pj.ImageError, match=r"^out ") as refused:
            pj.label(mask, out=out, device=at)
        assert "\n" not in str(refused.value)


@EVERYWHERE
def test_how_many_components_there_are(where: str, device: Device) -> None:
    at = find(where, device)
    for name in ("random, 0.5", "none", "all", "one pixel", "nothing of (0, 5)", "nothing of (0,)"):
        labels, count = pj.label(MASKS[name], return_num=True, device=at)
        np.testing.assert_array_equal(labels, by_scipy(MASKS[name], 1))
        assert type(count) is int
        assert count == labels.max(initial=0)
    out = np.empty((2, 2), np.int32)
    labels, count = pj.label(np.eye(2), out=out, return_num=True, device=at)
    assert labels is out
    assert count == 2


# -- images on the device ----------------------------------------------------------------------------


def on(device: Device, array: np.ndarray) -> Any:
    """Return an array on a device."""
    return cl_array.to_device(session_for(device).queue, array)


def test_an_image_on_the_device_stays_there(device: Device) -> None:
    for name in ("random, 0.5", "random voxels, 0.3", "all", "none"):
        mask = MASKS[name]
        image = on(device, mask.astype(np.uint8))
        labels, count = pj.label(image, return_num=True)
        assert isinstance(labels, cl_array.Array)
        assert labels.queue == image.queue
        assert (labels.dtype, labels.shape) == (np.int32, mask.shape)
        np.testing.assert_array_equal(labels.get(), by_scipy(mask, 1), name)
        assert count == labels.get().max()
        np.testing.assert_array_equal(image.get(), mask, "the image stays as it is")


@pytest.mark.parametrize("where", ["device", "reference"])
def test_a_part_of_an_image_on_the_device(where: str, device: Device) -> None:
    rng = np.random.default_rng(9)
    pixels = (rng.random((40, 99)) < 0.6).astype(np.uint8)
    image = on(device, pixels)
    parts = (np.s_[3:], np.s_[:, 5:], np.s_[2:30:2, 7:90:3], np.s_[7], np.s_[:, 9], np.s_[::-1, ::-2])
    some = [(image[part], pixels[part]) for part in parts]
    some += [(image.T, pixels.T), (on(device, np.asfortranarray(pixels)), pixels)]
    for given, same in some:
        found = pj.label(given, device=None if where == "device" else where)
        assert isinstance(found, type(image))
        np.testing.assert_array_equal(found.get(), by_scipy(same, 1))


@pytest.mark.parametrize("where", ["device", "reference"])
def test_labels_go_to_an_array_on_the_device(where: str, device: Device) -> None:
    mask = MASKS["random, 0.5"][:21, :70]
    height, width = mask.shape
    image = on(device, mask.astype(np.uint8))
    for dtype in (np.int32, np.int64, np.uint16):
        for part in (np.s_[height : 2 * height, 3 : 3 + width], np.s_[1::3, ::2], np.s_[::-3, ::-2]):
            room = on(device, np.full((3 * height, 2 * width), 7, dtype))
            out = room[part]
            assert pj.label(image, out=out, device=None if where == "device" else where) is out
            found = room.get()
            np.testing.assert_array_equal(found[part], by_scipy(mask, 1))
            found[part] = 7
            assert (found == 7).all(), "nothing is written beside the labels"


def test_where_labels_of_an_image_on_the_device_cannot_go(device: Device) -> None:
    mask = checkerboard(20, 30)
    image = on(device, mask.astype(np.uint8))
    context = cl.Context([device.handle])
    elsewhere = cl_array.to_device(cl.CommandQueue(context), np.zeros(mask.shape, np.int32))
    for out in (
        on(device, np.zeros(mask.shape, np.int8)),  # there are 300 components
        on(device, np.zeros(mask.shape, np.float32)),
        on(device, np.zeros(mask.size, np.int32)),
        elsewhere,
        np.zeros(mask.shape, np.int32),
    ):
        with pytest.raises(pj.ImageError, match=r"^out "):
            pj.label(image, out=out)
    with pytest.raises(pj.ImageError, match="no command queue"):
        pj.label(image.with_queue(None))
    with pytest.raises(pj.ImageError, match=r"^out "):
        pj.label(mask, out=image, device=device)


def test_nothing_on_the_device(device: Device) -> None:
    for shape in ((0,), (0, 5), (5, 0), (3, 0, 4)):
        labels, count = pj.label(on(device, np.zeros(shape, np.uint8)), return_num=True)
        assert (labels.shape, labels.dtype, count) == (shape, np.int32, 0)


# -- what is refused ---------------------------------------------------------------------------------


@EVERYWHERE
def test_what_cannot_be_labelled(where: str, device: Device) -> None:
    at = find(where, device)
    image = np.ones((3, 4), np.uint8)
    refused: list[tuple[Any, dict[str, Any], str]] = [
        (image, {"connectivity": 3}, "connectivity is 3"),
        (image, {"wrap_axes": 2}, "wrap_axes has 2"),
        (image, {"background": "0"}, "background is '0'"),
        (image, {"delta": -1}, "delta is -1"),
        (image * 1.0, {"multilabel": True}, "delta=0"),
        (image * 1j, {}, "complex"),
        (np.ones((1,) * 5), {}, "5 dimensions"),
        (np.ma.array(image, mask=image > 0), {}, "masked"),
        ("mask.png", {}, "the image"),
        (None, {}, "the image"),
    ]
    for pixels, options, why in refused:
        with pytest.raises(pj.ImageError, match=why) as error:
            pj.label(pixels, device=at, **options)
        assert "\n" not in str(error.value)
    for options in (
        {"no_such": 1},
        {"algorithm": "afforest"},
        {"algorithm": "no-such"},
        {"access": "no-such"},
    ):
        with pytest.raises(pj.AlgorithmError):
            pj.label(image, device=at, **options)
