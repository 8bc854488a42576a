"""Reads stored images that may be too large for memory, and divides them into chunks."""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.foreign import to_host
from pointerjump.base.images import Pixels, is_on_device
from pointerjump.base.integers import as_array, as_count
from pointerjump.errors import ImageError

Box = tuple[slice, ...]  # a slice for each axis, with start and stop
BlockSizes = tuple[tuple[int, ...], ...]  # the sizes of blocks along each axis, in pixels, as in Dask
SAMPLES, SAMPLE_PIXELS = 16, 1 << 10  # the number of positions in a sample, and of pixels read at each

# -- chunks ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ImageChunk:
    """An image chunk: its number, its index in the grid and the slices of its pixels.

    Chunks are numbered in C order, starting from 0.
    """

    number: int
    index: tuple[int, ...]
    slices: Box

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(each.stop - each.start for each in self.slices)


def named(where: Box) -> str:
    """Format a box for messages, for example as "[0:64, 128:192]"."""
    return f"[{', '.join(f'{each.start}:{each.stop}' for each in where)}]"


@dataclass(frozen=True)
class Grid:
    """The division of an image into chunks.

    For each axis, `cuts` holds the coordinates where each chunk begins and where the last one ends.
    """

    cuts: tuple[tuple[int, ...], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(cuts[-1] for cuts in self.cuts)

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(len(cuts) - 1 for cuts in self.cuts)

    @property
    def sizes(self) -> BlockSizes:
        return tuple(tuple(np.diff(cuts).tolist()) for cuts in self.cuts)

    @property
    def largest(self) -> tuple[int, ...]:
        """The largest size of any chunk along each axis."""
        return tuple(max(sizes, default=0) for sizes in self.sizes)

    @property
    def in_scan_order(self) -> bool:
        """Whether all pixels of each chunk come before all pixels of the next chunk in scan order."""
        split = [axis for axis, count in enumerate(self.counts) if count > 1]
        return not split or self.counts[: split[-1]] == self.shape[: split[-1]]

    def __len__(self) -> int:
        return prod(self.counts)

    def chunks(self, begin: int = 0) -> Iterator[ImageChunk]:
        for number in range(begin, len(self)):
            yield self.chunk_at(tuple(int(i) for i in np.unravel_index(number, self.counts)))

    def chunk_at(self, index: tuple[int, ...]) -> ImageChunk:
        slices = (slice(cuts[i], cuts[i + 1]) for cuts, i in zip(self.cuts, index, strict=True))
        return ImageChunk(int(np.ravel_multi_index(index, self.counts)), index, tuple(slices))


def grid_of(shape: tuple[int, ...], chunk: tuple[int, ...], blocks: BlockSizes | None = None) -> Grid:
    """Divide an image into chunks no larger than `chunk`.

    If `blocks` is given, no block is divided, even if it is larger than `chunk`.
    """
    if blocks is None:
        return Grid(tuple((*range(0, size, most), size) for size, most in zip(shape, chunk, strict=True)))
    return Grid(tuple(map(_between_blocks, blocks, chunk)))


def _between_blocks(sizes: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Divide an axis between its blocks, whose `sizes` are given, and return the coordinates of the cuts.

    Cuts are at most `most` pixels apart, unless a single block is larger.
    """
    cuts, end = [0], 0
    for size in sizes:
        if end + size - cuts[-1] > most and end > cuts[-1]:
            cuts.append(end)
        end += size
    return (*cuts, end) if end else (0,)


def fitting_grid(shape: tuple[int, ...], blocks: BlockSizes | None, pixels: int) -> Grid:
    """Divide an image into chunks of at most `pixels` pixels, preferably into slabs along the first axis.

    Chunks consist of whole blocks, unless a block has more than `pixels` pixels.
    """
    block = tuple(max(1, *sizes) for sizes in blocks or ())
    if blocks is None or prod(block) > pixels:
        blocks, block = None, (1,) * len(shape)
    chunk = [max(1, size) for size in shape]
    for axis, thickness in enumerate(block):
        fits = pixels // prod(chunk[axis + 1 :])
        if fits >= thickness:
            chunk[axis] = min(chunk[axis], fits)
            break
        chunk[axis] = thickness
        pixels //= thickness
    return grid_of(shape, tuple(chunk), blocks)


# -- arrays ------------------------------------------------------------------------------------------


class StoredImage:
    """An image in an array that is read chunk by chunk. `dtype` has the machine's byte order."""

    def __init__(self, array: Any) -> None:
        if is_on_device(array):
            raise ImageError("the image is on a device, so it is not larger than memory: give it to label")
        array = to_host(array)
        if not all(hasattr(array, name) for name in ("shape", "dtype", "__getitem__")):
            raise ImageError(
                f"the image is of type {type(array).__name__}, without shape and dtype: give a memory map, a "
                "zarr array, an HDF5 dataset, or another array that can be sliced"
            )
        if not all(isinstance(size, int | np.integer) and size >= 0 for size in array.shape):
            raise ImageError(
                f"the image has shape {tuple(array.shape)}, but all sizes must be known: call "
                "compute_chunk_sizes() of a Dask array first"
            )
        self.array = array
        self.shape = tuple(int(size) for size in array.shape)
        self.dtype = as_dtype(array.dtype, "the image")

    def read(self, where: Box) -> Pixels:
        """Return the pixels in a box, without a copy if possible. Errors from the array are passed on."""
        part = self.array[where]
        if hasattr(part, "compute"):  # a Dask array, whose errors must be passed on too
            part = part.compute()
        pixels = as_array(part, f"chunk {named(where)} of the image", ImageError)
        shape = tuple(each.stop - each.start for each in where)
        if pixels.shape != shape or pixels.dtype.newbyteorder("=") != self.dtype:
            raise ImageError(
                f"chunk {named(where)} of the image has shape {pixels.shape} and dtype {pixels.dtype}, but "
                f"should have {shape} and {self.dtype}: give an array that is what it says it is"
            )
        return pixels

    def own_blocks(self) -> BlockSizes | None:
        """Return the sizes of the blocks that the array is stored in, or None if they are unknown.

        A zarr array or HDF5 dataset has one size for all blocks. A Dask array lists the size of each block.
        """
        own = getattr(self.array, "chunks", None)
        if not isinstance(own, tuple) or len(own) != len(self.shape):
            return None
        if all(isinstance(size, int) and size > 0 for size in own):
            return grid_of(self.shape, own).sizes
        each_told = all(
            isinstance(sizes, tuple) and sum(sizes) == size
            for sizes, size in zip(own, self.shape, strict=True)
        )
        return own if each_told else None

    def sample(self, grid: Grid) -> str:
        """Return a hash of the image's division into chunks and of a sample of its pixels."""
        hashed = hashlib.sha256(repr(grid.cuts).encode())
        for place in np.linspace(0, max(0, prod(self.shape) - 1), SAMPLES if prod(self.shape) else 0):
            first = [int(i) for i in np.unravel_index(int(place), self.shape)]
            first[-1] = max(0, min(first[-1], self.shape[-1] - SAMPLE_PIXELS))
            ends = [*(i + 1 for i in first[:-1]), min(first[-1] + SAMPLE_PIXELS, self.shape[-1])]
            hashed.update(self.read(tuple(map(slice, first, ends))).tobytes())
        return hashed.hexdigest()[:16]


def asked_grid(image: StoredImage, chunk: Any) -> Grid:
    sizes = list(chunk) if isinstance(chunk, tuple | list) else [chunk] * len(image.shape)
    sizes = [as_count(each, "a number of pixels in chunk", ImageError) for each in sizes]
    if len(sizes) != len(image.shape) or min(sizes, default=0) < 1:
        raise ImageError(
            f"chunk is {chunk}, and the image has shape {image.shape}: give at least 1 pixel along each axis"
        )
    return grid_of(image.shape, tuple(map(min, sizes, (max(1, whole) for whole in image.shape))))


def array_for_labels(out: Any, image: StoredImage, dtype: npt.DTypeLike) -> Any:
    """Return the array to write an image's labels to: `out` if given, otherwise a new array in memory."""
    if out is None:
        size = prod(image.shape) * np.dtype(dtype).itemsize
        memory.require(size, f"labels of {prod(image.shape):,} pixels", "give out=, such as a memory map")
        return np.empty(image.shape, dtype)
    read_only = isinstance(out, np.ndarray) and not out.flags.writeable
    if read_only or not hasattr(out, "__setitem__") or isinstance(out, list | dict):
        what = "read-only" if read_only else f"of type {type(out).__name__}"
        raise ImageError(
            f"out is {what}: give an array that can be written, such as "
            'np.lib.format.open_memmap("labels.npy", "w+", "i4", image.shape)'
        )
    shape = tuple(getattr(out, "shape", image.shape))
    if shape != image.shape:
        raise ImageError(f"out has shape {shape}, and the image {image.shape}: they must agree")
    dtype = as_dtype(getattr(out, "dtype", dtype), "out")
    if dtype.kind not in "iu":
        raise ImageError(f"out has dtype {dtype}: labels are integers, so give int32, for example")
    both_in_memory = isinstance(out, np.ndarray) and isinstance(image.array, np.ndarray)
    if out is image.array or (both_in_memory and np.may_share_memory(out, image.array)):
        raise ImageError("out shares memory with the image, which is read twice: give another array")
    return out


def as_dtype(dtype: Any, what: str) -> np.dtype[Any]:
    """Convert a dtype to a NumPy dtype in the machine's byte order. `what` names the array in errors."""
    try:
        known: np.dtype[Any] = np.dtype(dtype).newbyteorder("=")
    except TypeError:
        raise ImageError(f"{what} has dtype {dtype}, which NumPy does not know: convert it first") from None
    return known


def let_go(array: Any) -> None:
    """Let the operating system reclaim the memory pages of `array` if it is a memory map.

    Pages that are not released are counted as memory in use by this process. The system does not reclaim them
    until the machine runs out of memory. Released pages are read again when needed, and changes to a shared
    map are kept in the file. A private map (mode "c") is left alone, because changes to it would be lost.
    """
    if not isinstance(array, np.memmap) or array.mode not in ("r", "r+", "w+"):
        return
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, mmap.mmap) and hasattr(base, "madvise"):
        base.madvise(mmap.MADV_DONTNEED)
