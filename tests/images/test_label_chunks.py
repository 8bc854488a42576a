"""Images labelled chunk by chunk: the whole image's labels, from any array, within memory, and resumed."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device, devices
from pointerjump.accel.runtime.session import Session
from pointerjump.base import limits, memory
from pointerjump.errors import FormatError, ImageError, MemoryLimitError
from pointerjump.imaging import chunked_labels
from pointerjump.imaging.chunked_arrays import fitting_grid, grid_of
from pointerjump.imaging.chunked_labels import ChunkedImage

WORKING = [device for device in devices() if device.works]
PLACES: list[Any] = ["reference", *WORKING[:1]]
SHAPE = (9, 8, 10)
IMAGE = np.random.default_rng(3).random(SHAPE) < 0.35
RIGHT, COUNT = ndimage.label(IMAGE)
assert COUNT > 30
SLABS, BOXES = (2, 8, 10), (4, 3, 10)
REFERENCE = {"device": "reference"}


def name_of(place: object) -> str:
    return "reference" if place == "reference" else "device"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


# -- the same labels as in one piece -----------------------------------------------------------------


@st.composite
def images(draw: st.DrawFn) -> tuple[Any, tuple[int, ...], dict[str, Any]]:
    """Draw an image, a chunk's shape, and options."""
    ndim = draw(st.integers(1, 4))
    longest = [20, 8, 5, 3][ndim - 1]
    shape = tuple(draw(st.lists(st.integers(1, longest), min_size=ndim, max_size=ndim)))
    chunk = tuple(draw(st.integers(1, size)) for size in shape)
    options: dict[str, Any] = {
        "connectivity": draw(st.integers(1, ndim)),
        "wrap_axes": [axis for axis in range(ndim) if draw(st.booleans())],
    }
    kind = draw(st.sampled_from(["mask", "equal", "close", "floats"]))
    density, seed = draw(st.sampled_from([0.2, 0.4, 0.6, 0.9])), draw(st.integers(0, 2**32 - 1))
    drawn = np.random.default_rng(seed).random(shape)
    if kind == "mask":
        return drawn < density, chunk, options
    if kind == "equal":
        options |= {"multilabel": True, "background": draw(st.sampled_from([0, 2, None]))}
        return (drawn * 3).astype(draw(st.sampled_from(["u1", "i4", ">i8"]))), chunk, options
    options |= {
        "delta": draw(st.sampled_from([0, 0.1, 1, 2])),
        "background": draw(st.sampled_from([0, None])),
    }
    return (drawn if kind == "floats" else (drawn * 6).astype("u1")), chunk, options


@settings(max_examples=60)
@given(drawn=images())
def test_any_chunks_have_the_labels_of_the_whole(drawn: Any) -> None:
    image, chunk, options = drawn
    right, count = pj.label(image, **options, return_num=True, **REFERENCE)
    labels, found = pj.label_chunks(image, chunk, **options, return_num=True, **REFERENCE)
    assert np.array_equal(labels, right)
    assert (labels.dtype, found) == (right.dtype, count)


CHUNKS = [None, 3, SLABS, BOXES, (1, 3, 10), (9, 8, 3), [9, 8, 10], (99, 99, 99)]


@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize("place", PLACES, ids=name_of)
def test_the_labels_are_scipys(chunk: Any, place: Any) -> None:
    for connectivity, density in ((1, 0.35), (3, 0.15)):
        image = np.random.default_rng(1).random(SHAPE) < density
        right, count = ndimage.label(image, ndimage.generate_binary_structure(3, connectivity))
        labels, found = pj.label_chunks(
            image, chunk, connectivity=connectivity, return_num=True, device=place
        )
        assert np.array_equal(labels, right)
        assert found == count


@pytest.mark.parametrize("place", PLACES[1:], ids=name_of)
@pytest.mark.parametrize("host_memory", [True, False], ids=["host's memory", "own memory"])
@pytest.mark.parametrize("dtype", [np.int32, np.uint16, ">i8"])
def test_on_devices_with_and_without_memory_of_their_own(
    place: Device, host_memory: bool, dtype: npt.DTypeLike
) -> None:
    session = Session(replace(place, host_memory=host_memory))
    for chunk in (SLABS, BOXES):
        out = np.zeros((9, 8, 20), dtype)[..., ::2]
        pj.label_chunks(IMAGE, chunk, out=out, device=session)
        assert np.array_equal(out, RIGHT)
        assert np.array_equal(pj.label_chunks(IMAGE, chunk, out=Sink(), device=session).labels, RIGHT)


@pytest.mark.parametrize("place", PLACES, ids=name_of)
def test_more_components_than_32_bits_count(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if place != "reference" and not place.int64_atomics:
        pytest.skip("no 64-bit atomics")
    monkeypatch.setattr(limits, "MOST_NARROW_VERTICES", 20)
    for chunk in (SLABS, BOXES):
        assert np.array_equal(pj.label_chunks(IMAGE, chunk, device=place), RIGHT)
        assert np.array_equal(pj.label_chunks(IMAGE, chunk, out=Sink(), device=place).labels, RIGHT)
        interrupted(0.6, chunk, out=np.zeros(SHAPE, int), device=place)
        assert np.array_equal(pj.label_chunks(IMAGE, chunk, checkpoint="c.npz", device=place), RIGHT)


@pytest.mark.parametrize("chunk", [SLABS, BOXES])
def test_images_whose_labels_are_wide(chunk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels of chunks are not, and have to be converted."""
    monkeypatch.setattr(ChunkedImage, "label_dtype", np.int64)
    labels = pj.label_chunks(IMAGE, chunk, wrap_axes=0, **REFERENCE)
    assert labels.dtype == np.int64
    assert np.array_equal(labels, pj.label(IMAGE, wrap_axes=0, **REFERENCE))


@pytest.mark.parametrize("chunk", [(1, 1), (2, 3), (1, 7), (7, 1)])
def test_a_component_through_all_chunks(chunk: tuple[int, int]) -> None:
    """A spiral's chunks have many components, which are all one; the pixels beside it are another."""
    spiral = np.zeros((7, 7), int)
    top, left, bottom, right = 0, 0, 6, 6
    while top <= bottom:
        spiral[top, max(0, left - 1) : right + 1] = 1
        spiral[top : bottom + 1, right] = 1
        spiral[bottom, left : right + 1] = 1
        spiral[top + 2 : bottom + 1, left] = 1
        top, left, bottom, right = top + 2, left + 2, bottom - 2, right - 2
    labels, count = pj.label_chunks(
        spiral, chunk, multilabel=True, background=None, return_num=True, **REFERENCE
    )
    assert count == 2
    assert np.array_equal(labels, 2 - spiral)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0, 2)])
def test_no_pixels(shape: tuple[int, ...]) -> None:
    labels, count = pj.label_chunks(np.zeros(shape, bool), return_num=True)
    assert (labels.shape, labels.dtype, count) == (shape, np.int32, 0)
    assert pj.label_chunks(np.zeros(shape, bool), 2, wrap_axes=0).shape == shape


# -- arrays of other libraries -----------------------------------------------------------------------


class Sliced:
    """An array that can only be sliced, and counts how often each pixel is read."""

    def __init__(self, pixels: Any) -> None:
        self.pixels, self.shape, self.dtype = pixels, pixels.shape, pixels.dtype
        self.reads = np.zeros(pixels.shape, int)

    def __getitem__(self, slices: tuple[slice, ...]) -> Any:
        assert type(slices) is tuple
        assert all(type(each) is slice for each in slices)
        self.reads[slices] += 1
        return self.pixels[slices]


class Sink:
    """Takes labels, and gives nothing back."""

    def __init__(self) -> None:
        self.labels = np.full(SHAPE, -1)
        self.writes = np.zeros(SHAPE, int)

    def __setitem__(self, slices: tuple[slice, ...], labels: Any) -> None:
        self.labels[slices] = labels
        self.writes[slices] += 1


def in_memory_map() -> Any:
    np.save("image.npy", IMAGE)
    return np.load("image.npy", mmap_mode="r")


def in_zarr() -> Any:
    zarr = pytest.importorskip("zarr")
    array = zarr.create_array("image.zarr", shape=SHAPE, chunks=(2, 3, 4), dtype=bool)
    array[:] = IMAGE
    return array


def in_hdf5() -> Any:
    h5py = pytest.importorskip("h5py")
    return h5py.File("image.h5", "w").create_dataset("image", data=IMAGE, chunks=(2, 3, 4))


ARRAYS: dict[str, Callable[[], Any]] = {
    "memory map": in_memory_map,
    "private memory map": lambda: np.memmap(in_memory_map().filename, bool, "c", 128, SHAPE),
    "zarr": in_zarr,
    "HDF5": in_hdf5,
    "Fortran order": lambda: np.asfortranarray(IMAGE),
    "strided": lambda: np.repeat(IMAGE, 2, axis=1)[:, ::-2][:, ::-1],
    "big-endian": lambda: IMAGE.astype(">u2"),
    "masked, but nowhere": lambda: np.ma.array(IMAGE),
    "sliced": lambda: Sliced(IMAGE),
}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("chunk", [None, BOXES])
def test_any_array(name: str, chunk: Any) -> None:
    assert np.array_equal(pj.label_chunks(ARRAYS[name](), chunk, **REFERENCE), RIGHT)


def test_private_changes_of_a_memory_map_are_kept() -> None:
    image = np.load(in_memory_map().filename, mmap_mode="c")
    image[...] = 1
    assert (pj.label_chunks(image, SLABS, **REFERENCE) == 1).all()
    assert image.all()


def test_every_pixel_is_read_twice_and_written_once() -> None:
    image, sink = Sliced(IMAGE), Sink()
    assert pj.label_chunks(image, BOXES, out=sink, **REFERENCE) is sink
    assert np.array_equal(sink.labels, RIGHT)
    assert (image.reads == 2).all()
    assert (sink.writes == 1).all()


def in_zarr_out() -> Any:
    zarr = pytest.importorskip("zarr")
    return zarr.create_array("labels.zarr", shape=SHAPE, chunks=(4, 4, 4), dtype="int32")


OUTS: dict[str, Callable[[], Any]] = {
    "memory map": lambda: np.lib.format.open_memmap("labels.npy", "w+", np.int32, SHAPE),
    "zarr": in_zarr_out,
    "unsigned": lambda: np.zeros(SHAPE, np.uint8),
    "big-endian": lambda: np.zeros(SHAPE, ">i4"),
    "strided": lambda: np.zeros((9, 8, 20), np.int64)[..., ::2],
}


@pytest.mark.parametrize("name", OUTS)
def test_labels_are_written_anywhere(name: str) -> None:
    out = OUTS[name]()
    assert pj.label_chunks(IMAGE, BOXES, out=out, **REFERENCE) is out
    assert np.array_equal(out[...], RIGHT)
    if name == "memory map":
        assert np.array_equal(np.load("labels.npy"), RIGHT)


# -- what cannot be labelled -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("array", "message"),
    [
        ([[1, 0]], "of type list, without shape and dtype: give a memory map"),
        (np.zeros((2,) * 5), "the image has 5 dimensions"),
        (np.zeros((2, 2), complex), "the image has dtype complex128"),
        (np.array(["a"]), "the image has dtype <U1"),
        (np.ma.array([1, 2], mask=[0, 1]), r"chunk \[0:2\] of the image\[1\] is masked"),
        (np.zeros(()), "the image has 0 dimensions"),
    ],
)
def test_what_is_no_image(array: Any, message: str) -> None:
    with pytest.raises(ImageError, match=message):
        pj.label_chunks(array)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"chunk": (2, 2)}, r"chunk is \(2, 2\), and the image has shape \(9, 8, 10\)"),
        ({"chunk": 0}, "chunk is 0.* give at least 1 pixel along each axis"),
        ({"chunk": (1, -1, 2)}, "at least 1 pixel"),
        ({"chunk": "all"}, "a number of pixels in chunk is 'all'"),
        ({"chunk": 2.5}, r"a number of pixels in chunk is 2\.5"),
        ({"connectivity": 4}, "connectivity is 4"),
        ({"wrap_axes": 3}, "wrap_axes has 3"),
        ({"memory": "lots"}, "memory is 'lots'"),
        ({"progress": 1}, "progress is 1: give True, False or a function"),
        ({"out": ()}, "out is of type tuple: give an array that can be written"),
        ({"out": []}, "out is of type list: give an array"),
        ({"out": np.broadcast_to(np.int32(0), SHAPE)}, "out is read-only: give an array that can be written"),
        ({"out": np.zeros((3, 3), int)}, r"out has shape \(3, 3\), and the image \(9, 8, 10\)"),
        ({"out": np.zeros(SHAPE)}, "out has dtype float64: labels are integers"),
        ({"out": np.zeros(SHAPE, bool)}, "out has dtype bool: labels are integers"),
        ({"out": IMAGE.view(np.int8)}, "out shares memory with the image"),
    ],
)
def test_options_that_do_not_suit(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ImageError, match=message):
        pj.label_chunks(IMAGE, **{**REFERENCE, **options})


def test_nothing_is_written_if_labels_do_not_fit() -> None:
    image = np.arange(600) % 2
    out = np.full(600, 77, np.uint8)
    with pytest.raises(ImageError, match=r"300 components, and out has dtype uint8, .* such as uint16"):
        pj.label_chunks(image, 50, out=out, **REFERENCE)
    assert (out == 77).all()
    assert pj.label_chunks(image[:510], 50, out=out[:510], **REFERENCE).max() == 255


def test_errors_of_the_array_pass() -> None:
    class Failing(Sliced):
        def __getitem__(self, slices: tuple[slice, ...]) -> Any:
            if slices[0].start >= 4:
                raise TypeError("the tape is torn")
            return super().__getitem__(slices)

    with pytest.raises(TypeError, match=r"^the tape is torn$"):
        pj.label_chunks(Failing(IMAGE), SLABS, **REFERENCE)


@pytest.mark.parametrize(
    "change", [lambda part: part[1:], lambda part: part.astype(int), lambda part: [part]]
)
def test_an_array_that_is_not_what_it_says(change: Callable[[Any], Any]) -> None:
    class Changing(Sliced):
        def __getitem__(self, slices: tuple[slice, ...]) -> Any:
            part = super().__getitem__(slices)
            return part if slices[0].start < 2 else change(part)

    with pytest.raises(ImageError, match=r"^chunk \[2:4, 0:8, 0:10\] of the image has shape .* and dtype"):
        pj.label_chunks(Changing(IMAGE), SLABS, **REFERENCE)


def test_an_image_that_changes_is_refused() -> None:
    image = IMAGE.copy()

    def change(share: float) -> None:
        if share == 0.5:
            image[6:] = 0

    with pytest.raises(ImageError, match=r"chunk \[6:8, 0:8, 0:10\] of the image has changed"):
        pj.label_chunks(image, SLABS, progress=change, **REFERENCE)


# -- chunks and memory -------------------------------------------------------------------------------


@settings(max_examples=50)
@given(st.data())
def test_chunks_that_fit(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 300), min_size=1, max_size=4)))
    own = tuple(data.draw(st.integers(1, size)) for size in shape)
    pixels = data.draw(st.integers(1, 10**6))
    blocks = None
    if data.draw(st.booleans()):
        blocks = tuple(
            (*[block] * (size // block), *[size % block] * (size % block > 0))
            for size, block in zip(shape, own, strict=True)
        )
    grid = fitting_grid(shape, blocks, pixels)
    assert prod(grid.largest) <= pixels
    assert grid.shape == shape
    if blocks and prod(own) <= pixels:
        for cuts, block in zip(grid.cuts, own, strict=True):
            assert all(cut % block == 0 for cut in cuts[:-1])
    elif pixels >= prod(shape[1:]):
        assert grid.largest[1:] == shape[1:], "slabs"


def test_chunks_are_slabs_if_possible() -> None:
    assert fitting_grid((1000, 500, 500), None, 10**6).largest == (4, 500, 500)
    cubes = grid_of((1000, 500, 500), (64, 64, 64)).sizes
    assert fitting_grid((1000, 500, 500), cubes, 10**7).largest == (64, 256, 500)


def test_blocks_of_different_sizes_stay_whole() -> None:
    grid = fitting_grid((20, 6), ((3, 7, 0, 9, 1), (6,)), 60)
    assert grid.cuts == ((0, 10, 20), (0, 6))
    assert fitting_grid((20, 6), ((3, 7, 0, 9, 1), (6,)), 53).largest == (8, 6), "a block has 54 pixels"


def test_memory_is_refused_in_time() -> None:
    image = Sliced(np.arange(1 << 16).reshape(1, -1) % 2)
    with pytest.raises(MemoryLimitError, match=r"chunks of shape \(1, 65536\) .* memory is 1\.0 MiB"):
        pj.label_chunks(image, (1, 1 << 16), memory="1MiB", **REFERENCE)
    assert not image.reads.any()
    with pytest.raises(MemoryLimitError, match=r"the first 3 chunks have 24 components, .* 216 bytes"):
        pj.label_chunks(image, (1, 16), memory=(18 + 8) * 16 + 4 * (8 + 4) + 200, **REFERENCE)
    with pytest.raises(MemoryLimitError, match="labels of 1,000,000,000,000,000 pixels would take"):
        pj.label_chunks(np.broadcast_to(np.int8(1), (10**5,) * 3))


def test_chunks_follow_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    class Huge(Sliced):
        def __getitem__(self, slices: tuple[slice, ...]) -> Any:
            self.taken = slices
            raise LookupError

    def first_chunk(**options: Any) -> tuple[int, ...]:
        image = Huge(np.broadcast_to(np.uint8(1), (1000, 512, 512)))
        with pytest.raises(LookupError):
            pj.label_chunks(image, out=Sink.__new__(Sink), **options)
        return tuple(each.stop for each in image.taken)

    slab = (
        chunked_labels.DEFAULT // chunked_labels.SHARE_OF_CHUNK // (chunked_labels.LABELLING_BYTES + 1) >> 18
    )
    assert first_chunk() == (slab, 512, 512)
    assert first_chunk(memory=chunked_labels.DEFAULT // 4) == (slab // 4, 512, 512)
    monkeypatch.setattr(memory, "available", lambda: (chunked_labels.DEFAULT, "in this test"))
    assert first_chunk() == (slab // 2, 512, 512)


PEAK = """
import sys
import numpy as np
import pointerjump as pj
def peak():
    return int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0]) << 10
image = np.load("image.npy", mmap_mode="r")
out = np.load("labels.npy", mmap_mode="r+")
pj.label_chunks(image[:4, :64, :64], (2, 64, 64))  # builds the kernels
before = peak()
pj.label_chunks(image, out=out, memory=int(sys.argv[1]))
print(peak() - before)
"""


@pytest.mark.skipif(not WORKING, reason="no OpenCL device works")
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the peak")
def test_a_run_stays_within_its_memory() -> None:
    """Pages of memory maps count as well, as long as they are mapped."""
    shape, allowed = (64, 512, 512), 24 << 20
    image = np.lib.format.open_memmap("image.npy", "w+", np.uint8, shape)
    image[...] = np.random.default_rng(1).random(shape[1:]) < 0.8
    np.lib.format.open_memmap("labels.npy", "w+", np.int32, shape)
    assert image.nbytes + 4 * image.nbytes > 3 * allowed
    line = [sys.executable, "-c", PEAK, str(allowed)]
    taken = int(subprocess.run(line, stdout=subprocess.PIPE, text=True, check=True).stdout)
    assert taken < allowed
    assert np.array_equal(np.load("labels.npy", mmap_mode="r")[0], ndimage.label(image[0])[0])


# -- progress ----------------------------------------------------------------------------------------


def test_progress(capsys: pytest.CaptureFixture[str]) -> None:
    shares: list[float] = []
    pj.label_chunks(IMAGE, SLABS, progress=shares.append, **REFERENCE)
    assert shares == [i / 10 for i in range(1, 11)]
    pj.label_chunks(IMAGE, SLABS, progress=True, **REFERENCE)
    assert capsys.readouterr() == ("", ""), "there is no terminal"


def test_a_bar_is_drawn_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # which rich takes as a terminal
    pj.label_chunks(IMAGE, SLABS, progress=True, **REFERENCE)
    said = capsys.readouterr()
    assert said.out == ""
    assert "labelling" in said.err
    assert "100%" in said.err


# -- interrupted and resumed -------------------------------------------------------------------------


class Interrupting:
    """Presses Ctrl-C when a share of the work is done."""

    def __init__(self, at: float) -> None:
        self.at = at
        self.shares: list[float] = []

    def __call__(self, share: float) -> None:
        self.shares.append(share)
        if share >= self.at:
            raise KeyboardInterrupt


GRIDS = {"slabs": SLABS, "boxes": BOXES, "cubes": (4, 4, 4)}


def interrupted(at: float, chunk: Any, image: Any = IMAGE, **options: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        pj.label_chunks(
            image, chunk, checkpoint="c.npz", progress=Interrupting(at), **{**REFERENCE, **options}
        )


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("wrap_axes", [(), (0, 1, 2)])
def test_a_run_goes_on_where_another_was_interrupted(grid: str, wrap_axes: tuple[int, ...]) -> None:
    right = pj.label(IMAGE, wrap_axes=wrap_axes, **REFERENCE)
    options: dict[str, Any] = {"wrap_axes": wrap_axes}
    for share in (0.1, 0.3, 0.45, 0.55, 0.8, 1.0):
        out = np.full(SHAPE, -1)
        interrupted(share, GRIDS[grid], out=out, **options)
        shares: list[float] = []
        pj.label_chunks(
            IMAGE, GRIDS[grid], checkpoint="c.npz", out=out, progress=shares.append, **options, **REFERENCE
        )
        assert np.array_equal(out, right)
        assert not shares or shares[0] > share, "what was done is not done again"
        assert list(Path().iterdir()) == []


@pytest.mark.parametrize("place", PLACES[1:], ids=name_of)
def test_a_run_on_a_device_goes_on(place: Device) -> None:
    for share in (0.3, 0.8):
        out = np.full(SHAPE, -1)
        interrupted(share, BOXES, out=out, device=place)
        assert np.array_equal(pj.label_chunks(IMAGE, BOXES, checkpoint="c.npz", out=out, device=place), RIGHT)


@pytest.mark.parametrize("grid", GRIDS)
def test_a_chunk_may_be_interrupted_anywhere(grid: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The state that is kept then is that of the chunk before, or can be made it again."""
    from pointerjump.solving.disjoint_set import DisjointSet

    merge, left = DisjointSet.merge, iter(range(1))

    def interrupting(self: Any, *edges: Any) -> None:
        merge(self, *edges)
        if next(left, None) is None:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(DisjointSet, "merge", interrupting)
        with pytest.raises(KeyboardInterrupt):
            pj.label_chunks(IMAGE, GRIDS[grid], checkpoint="c.npz", **REFERENCE)
    assert Path("c.npz").exists()
    assert np.array_equal(pj.label_chunks(IMAGE, GRIDS[grid], checkpoint="c.npz", **REFERENCE), RIGHT)


@pytest.mark.parametrize("out", [None, "another", "a sink"])
def test_labels_that_are_gone_are_written_again(out: Any) -> None:
    interrupted(0.8, SLABS, out=np.zeros(SHAPE, int))
    given = {None: None, "another": np.zeros(SHAPE, int), "a sink": Sink()}[out]
    labels = pj.label_chunks(IMAGE, SLABS, checkpoint="c.npz", out=given, **REFERENCE)
    assert np.array_equal(labels.labels if out == "a sink" else labels, RIGHT)


def test_what_a_checkpoint_is_not_of() -> None:
    interrupted(0.3, SLABS)
    for image, chunk, options, message in (
        (IMAGE[:-1], SLABS, {}, r"shape is \[8, 8, 10\], and was \[9, 8, 10\]"),
        (IMAGE.astype(int), SLABS, {}, "dtype is 'int64', and was 'bool'"),
        (IMAGE, (3, 8, 10), {}, r"chunk is \[3, 8, 10\], and was"),
        (IMAGE, SLABS, {"connectivity": 2}, "connectivity is 2, and was 1"),
        (IMAGE, SLABS, {"background": 1}, "background is 1, and was 0"),
        (IMAGE, SLABS, {"multilabel": True}, "multilabel is True, and was False"),
        (IMAGE, SLABS, {"delta": 0}, "delta is 0, and was None"),
        (IMAGE, SLABS, {"wrap_axes": -1}, r"wrap_axes is \[2\], and was \[\]"),
        (~IMAGE, SLABS, {}, "hash of some pixels is"),
    ):
        with pytest.raises(
            FormatError, match=rf"^c\.npz: is a checkpoint of another run: {message}.*; remove"
        ):
            pj.label_chunks(image, chunk, checkpoint="c.npz", **options, **REFERENCE)


def test_damaged_checkpoints_are_one_line() -> None:
    for share in (0.3, 0.8):
        Path("c.npz").unlink(missing_ok=True)
        interrupted(share, BOXES)
        good = Path("c.npz").read_bytes()
        with np.load("c.npz") as archive:
            arrays = dict(archive)
        for name, array in arrays.items():
            for bad in (
                array[:0] if array.shape else np.array(7),
                array.astype("f2") if name != "about" else None,
            ):
                if name in ("grows", "parents") or (
                    bad is not None and bad.tobytes() == array.tobytes() == b""
                ):
                    continue
                np.savez(
                    "c.npz", **{**arrays, name: bad} if bad is not None else {"parents": arrays["parents"]}
                )
                with pytest.raises(FormatError, match=r"^c\.npz: is "):
                    pj.label_chunks(IMAGE, BOXES, checkpoint="c.npz", **REFERENCE)
        Path("c.npz").write_bytes(good[:-50])
        with pytest.raises(FormatError, match=r"^c\.npz: is damaged"):
            pj.label_chunks(IMAGE, BOXES, checkpoint="c.npz", **REFERENCE)
    with pytest.raises(FormatError, match=r"^c\.txt: a set is written as \.npz"):
        pj.label_chunks(IMAGE, BOXES, checkpoint="c.txt", **REFERENCE)


SLOWLY = """
import sys, time
import numpy as np
import pointerjump as pj
from pointerjump.solving import checkpoints
checkpoints.EVERY = 0
def slowly(share):
    print(share, flush=True)
    time.sleep(0.02)
image, out = np.load("image.npy", mmap_mode="r"), np.load("labels.npy", mmap_mode="r+")
pj.label_chunks(image, (1, 8, 10), out=out, checkpoint="c.npz", progress=slowly, device="reference")
"""


def test_killed_and_resumed() -> None:
    in_memory_map()
    np.lib.format.open_memmap("labels.npy", "w+", np.int32, SHAPE)
    seen = [0.0]
    for chunks in (4, 10):  # killed in the first pass, and in the second one
        run = subprocess.Popen([sys.executable, "-c", SLOWLY], stdout=subprocess.PIPE, text=True)
        assert run.stdout is not None
        shares = [float(run.stdout.readline()) for _ in range(chunks)]
        run.kill()
        run.communicate()
        assert run.returncode == -signal.SIGKILL
        assert shares[0] >= seen[-1], "all but the last chunk was kept"
        seen += shares
    assert seen[-1] > 0.6
    image, out = np.load("image.npy", mmap_mode="r"), np.load("labels.npy", mmap_mode="r+")
    labels = pj.label_chunks(image, (1, 8, 10), out=out, checkpoint="c.npz", **REFERENCE)
    assert np.array_equal(labels, RIGHT)
    assert np.array_equal(np.load("labels.npy"), RIGHT)
    assert sorted(path.name for path in Path().iterdir()) == ["image.npy", "labels.npy"]
