"""Labels are scipy's, whatever the image and its layout in memory, by the reference and on every device."""

from __future__ import annotations

from collections.abc import Iterator
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
from test_kernels import cases
from test_schedules import machines

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.images import image_of
from pointerjump.reference.machine import Machine
from pointerjump.reference.two_pass import two_pass
from pointerjump.registry import Algorithm, Variant

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


def images_of(dtype: str, shape: tuple[int, ...]) -> Iterator[tuple[np.ndarray, dict[str, Any]]]:
    """Yield images of which the values matter, with the options that make them matter."""
    rng = np.random.default_rng(4)
    values = extremes(dtype)
    any_values = values[rng.integers(0, len(values), shape)]
    first_values = values[rng.integers(0, 3, shape) % len(values)]
    for image in (any_values, np.where(rng.random(shape) < 0.3, any_values, first_values)):
        for options in options_for(values):
            yield image, options


def options_for(values: np.ndarray) -> list[dict[str, Any]]:
    """Return options that name some of these values, or differences between them."""
    backgrounds = [0, None, *(value.item() for value in values[1:4]), values[-1].item(), 0.25, 2**70, -1]
    found: list[dict[str, Any]] = [{"background": background} for background in backgrounds]
    if values.dtype.kind == "f":
        deltas = [0, 0.1, 1, float("inf")]
    else:
        deltas = [0, 1, 2.5, 2**31, 2**64]
        found += [
            {"multilabel": True, "background": background} for background in (0, None, values[-1].item())
        ]
    return found + [
        {"delta": delta, "background": background} for delta in deltas for background in (0, None)
    ]


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


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_reference_on_dtypes(dtype: str) -> None:
    for image, options in images_of(dtype, (4, 50)):
        np.testing.assert_array_equal(two_pass(image_of(image, 1, **options)), by_pairs(image, **options))


# -- every image on every device ---------------------------------------------------------------------


@pytest.mark.diagonal
@pytest.mark.parametrize(("algorithm", "variant"), cases("image-labelling"))
def test_masks(algorithm: Algorithm, variant: Variant, device: Device) -> None:
    for name, mask in MASKS.items():
        for connectivity in range(1, mask.ndim + 1):
            found = pj.label(mask, connectivity, algorithm=algorithm.name, device=device, **variant)
            np.testing.assert_array_equal(found, by_scipy(mask, connectivity), f"{name}, {connectivity}")
            assert found.dtype == np.int32


def ways_to_wrap() -> list[Any]:
    """All axes that can wrap; each way has kernels of its own, so that not all of them are quick."""
    quick = {(1, (0,)), (2, (0,)), (2, (1,)), (2, (0, 1)), (3, (0, 2)), (3, (1,)), (4, (0, 1, 2, 3))}
    return [
        pytest.param(ndim, axes, marks=[] if (ndim, axes) in quick else pytest.mark.exhaustive)
        for ndim in range(1, 5)
        for axes in subsets(range(ndim))[1:]
    ]


@pytest.mark.diagonal
@pytest.mark.parametrize(("ndim", "axes"), ways_to_wrap())
def test_axes_that_wrap(ndim: int, axes: tuple[int, ...], device: Device) -> None:
    rng = np.random.default_rng(ndim)
    for connectivity in range(1, ndim + 1):
        for length, others in product((1, 2, 3, 32, 33, 64, 66), (1, 2, 3, 4)):
            shape = (*range(others, others + ndim - 1), length)
            mask = rng.random(shape) < (0.7 if ndim == 1 else 0.6 / connectivity)
            found = pj.label(mask, connectivity, wrap_axes=axes, device=device)
            expected = by_pairs(mask, connectivity, wrap_axes=axes)
            np.testing.assert_array_equal(found, expected, f"{shape}, {connectivity}")


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


@pytest.mark.diagonal
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype: str, device: Device) -> None:
    for shape in ((300,), (9, 70), (3, 4, 33)):
        for image, options in images_of(dtype, shape):
            found = pj.label(image, len(shape), device=device, **options)
            expected = by_pairs(image, len(shape), **options)
            np.testing.assert_array_equal(found, expected, f"{shape}, {options}")


@pytest.mark.diagonal
@pytest.mark.parametrize("alike", [{}, {"multilabel": True}, {"delta": 1}], ids=str)
@pytest.mark.parametrize("ndim", [1, 2, 3, 4])
def test_values_on_both_sides_of_a_border(ndim: int, alike: dict[str, Any], device: Device) -> None:
    rng = np.random.default_rng(5)
    for connectivity in {1, ndim}:
        for length in (1, 2, 31, 33, 64, 65):
            image = rng.integers(0, 4, (*(2, 5, 3)[: ndim - 1], length)).astype(np.uint8)
            for axes in ((), tuple(range(ndim))):
                options = {"connectivity": connectivity, "wrap_axes": axes, **alike}
                found = pj.label(image, device=device, **options)
                np.testing.assert_array_equal(found, by_pairs(image, **options), f"{image.shape}, {options}")


@pytest.mark.exhaustive
@settings(max_examples=600)
@given(question=questions())
def test_drawn_images(device: Device, question: tuple[np.ndarray, dict[str, Any]]) -> None:
    pixels, options = question
    np.testing.assert_array_equal(pj.label(pixels, device=device, **options), by_pairs(pixels, **options))


def test_a_large_image(device: Device) -> None:
    """Many work-items join runs at the same time."""
    rng = np.random.default_rng(6)
    large = {
        "random": rng.random((700, 900)) < 0.6,
        "blobs": ndimage.gaussian_filter(rng.random((700, 900)), 4) > 0.5,
        "serpentine": serpentine(701, 900),
        "serpentine along columns": serpentine(901, 700).T,
        "comb": comb(700, 901),
    }
    for name, mask in large.items():
        for access, connectivity in (("striding", 1), ("partitioning", 2)):
            expected = by_scipy(mask, connectivity)
            for _ in range(3):
                found = pj.label(mask, connectivity, device=device, access=access)
                np.testing.assert_array_equal(found, expected, name)
    volume = rng.random((60, 70, 80)) < 0.3
    for connectivity in (1, 2, 3):
        np.testing.assert_array_equal(
            pj.label(volume, connectivity, device=device), by_scipy(volume, connectivity)
        )


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
@pytest.mark.parametrize("dtype", ["?", "u2", "f8"])
@pytest.mark.parametrize("shape", [(300,), (20, 70), (4, 5, 66), (2, 3, 4, 35)])
def test_layouts(shape: tuple[int, ...], dtype: str, device: Device) -> None:
    rng = np.random.default_rng(7)
    pixels = ((rng.random(shape) < 0.5) * rng.integers(1, 3, shape)).astype(dtype)
    mode: dict[str, Any] = {"?": {}, "u2": {"multilabel": True}, "f8": {"delta": 0.5}}[dtype]
    expected = by_pairs(pixels, 2 if len(shape) > 1 else 1, **mode)
    for name, image in laid_out(pixels):
        before = image.copy()
        found = pj.label(image, 2 if len(shape) > 1 else 1, device=device, **mode)
        np.testing.assert_array_equal(found, expected, name)
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


@pytest.mark.parametrize("where", ["device", "reference"])
def test_labels_go_where_they_should(where: str, device: Device) -> None:
    mask = MASKS["random, 0.5"]
    expected = by_scipy(mask, 1)
    at = device if where == "device" else where
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


def test_an_image_may_be_replaced_by_its_labels(device: Device) -> None:
    for mask in (MASKS["random, 0.5"], MASKS["random voxels, 0.3"]):
        image = mask.astype(np.int32)
        assert pj.label(image, out=image, device=device) is image
        np.testing.assert_array_equal(image, by_scipy(mask, 1))


@pytest.mark.parametrize("where", ["device", "reference"])
def test_where_labels_cannot_go(where: str, device: Device) -> None:
    mask = MASKS["random, 0.5"]
    at = device if where == "device" else where
    read_only = np.zeros(mask.shape, np.int32)
    read_only.flags.writeable = False
    for out in (
        np.zeros(mask.shape, bool),
        np.zeros(mask.shape, np.float64),
        np.zeros(mask.shape, object),
        np.zeros(mask.shape, np.int8),  # there are more components
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


@pytest.mark.parametrize("where", ["device", "reference"])
def test_how_many_components_there_are(where: str, device: Device) -> None:
    at = device if where == "device" else where
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
    import pyopencl.array as cl_array

    return cl_array.to_device(session_for(device).queue, array)


def test_an_image_on_the_device_stays_there(device: Device) -> None:
    import pyopencl.array as cl_array

    for name in ("random, 0.5", "random voxels, 0.3", "random in 4-D, 0.3", "line of 513", "all", "none"):
        mask = MASKS[name]
        image = on(device, mask.astype(np.uint8))
        for connectivity in range(1, mask.ndim + 1):
            labels, count = pj.label(image, connectivity, return_num=True)
            assert isinstance(labels, cl_array.Array)
            assert labels.queue == image.queue
            assert (labels.dtype, labels.shape) == (np.int32, mask.shape)
            np.testing.assert_array_equal(labels.get(), by_scipy(mask, connectivity), name)
            assert count == labels.get().max()
        np.testing.assert_array_equal(image.get(), mask, "the image stays as it is")


@pytest.mark.parametrize("dtype", ["i8", "f4"])
def test_a_part_of_an_image_on_the_device(dtype: str, device: Device) -> None:
    rng = np.random.default_rng(9)
    pixels = (rng.integers(1, 3, (40, 99)) * (rng.random((40, 99)) < 0.6)).astype(dtype)
    image = on(device, pixels)
    for part in (np.s_[3:], np.s_[:, 5:], np.s_[2:30:2, 7:90:3], np.s_[7], np.s_[:, 9]):
        found = pj.label(image[part], delta=0).get()
        np.testing.assert_array_equal(found, by_pairs(pixels[part], delta=0))
    np.testing.assert_array_equal(pj.label(image.T, delta=0).get(), by_pairs(pixels.T, delta=0))
    columns = on(device, np.asfortranarray(pixels))
    np.testing.assert_array_equal(pj.label(columns, delta=0).get(), by_pairs(pixels, delta=0))


def test_labels_go_to_an_array_on_the_device(device: Device) -> None:
    mask = MASKS["random, 0.5"]
    image = on(device, mask.astype(np.uint8))
    room = on(device, np.full((3 * mask.shape[0], mask.shape[1]), -7, np.int32))
    out = room[mask.shape[0] : 2 * mask.shape[0]]
    assert pj.label(image, out=out) is out
    rows = room.get().reshape(3, *mask.shape)
    np.testing.assert_array_equal(rows[1], by_scipy(mask, 1))
    assert (rows[[0, 2]] == -7).all(), "nothing is written beside the labels"
    wide = on(device, np.zeros(mask.shape, np.int64))
    assert pj.label(image, out=wide) is wide
    np.testing.assert_array_equal(wide.get(), by_scipy(mask, 1))
    narrow, flat = on(device, np.zeros(mask.shape, np.int8)), on(device, np.zeros(mask.size, np.int32))
    for bad in (narrow, flat, np.zeros(mask.shape, np.int32)):
        with pytest.raises(pj.ImageError, match=r"^out "):
            pj.label(image, out=bad)


def test_nothing_on_the_device(device: Device) -> None:
    for shape in ((0,), (0, 5), (5, 0), (3, 0, 4)):
        labels, count = pj.label(on(device, np.zeros(shape, np.uint8)), return_num=True)
        assert (labels.shape, labels.dtype, count) == (shape, np.int32, 0)


# -- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["device", "reference"])
def test_what_cannot_be_labelled(where: str, device: Device) -> None:
    at = device if where == "device" else where
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
