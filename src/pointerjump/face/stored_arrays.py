"""Images and labels in arrays that may be larger than memory, and so are read and written chunk by chunk.

Such an array is a memory map, a zarr array, an HDF5 dataset, a Dask array, or anything else that takes a
tuple of slices in brackets.
"""

from __future__ import annotations

import hashlib
import mmap
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump import memory
from pointerjump.device_arrays import is_on_device
from pointerjump.errors import ImageError
from pointerjump.face.chunks import Blocks, Chunk, Grid, grid_of
from pointerjump.images import label_dtype
from pointerjump.integers import as_array, largest_of

SAMPLES, SAMPLE_PIXELS = 16, 1 << 10
"""At how many places a fingerprint looks at an image, and at how many pixels in a row there."""


class StoredImage:
    """An image that is read chunk by chunk.

    Attributes
    ----------
    array : object
    shape : tuple of int
    dtype : dtype
        In the machine's byte order.

    Raises
    ------
    ImageError
        If it is no such array.
    """

    def __init__(self, array: Any) -> None:
        if is_on_device(array):
            raise ImageError("the image is on a device, so it is not larger than memory: give it to label")
        if not all(hasattr(array, name) for name in ("shape", "dtype", "__getitem__")):
            raise ImageError(
                f"the image is of type {type(array).__name__}, without shape and dtype: give a memory map, a "
                "zarr array, an HDF5 dataset, or another array that can be sliced"
            )
        self.array = array
        self.shape = _as_shape(array.shape)
        self.dtype = _as_dtype(array.dtype)

    def read(self, chunk: Chunk) -> npt.NDArray[Any]:
        """Return the pixels of a chunk, without a copy if they are in memory or in a memory map.

        Raises
        ------
        ImageError
            If they have not the shape and dtype that the array says it has. The array's own errors pass.
        """
        part = self.array[chunk.slices]
        if hasattr(part, "compute"):  # a Dask array, whose own errors must pass, too
            part = part.compute()
        pixels = as_array(part, f"chunk {chunk} of the image", ImageError)
        if pixels.shape != chunk.shape or pixels.dtype.newbyteorder("=") != self.dtype:
            raise ImageError(
                f"chunk {chunk} of the image has shape {pixels.shape} and dtype {pixels.dtype}, but should "
                f"have {chunk.shape} and {self.dtype}: give an array that is what it says it is"
            )
        return pixels

    def let_go(self) -> None:
        """Let the system take back the memory of what has been read from a memory map."""
        _let_go(self.array)

    def own_blocks(self) -> Blocks | None:
        """Return the sizes of the blocks in which it is stored, or None if it does not say so.

        zarr arrays and HDF5 datasets say how large a block is, and Dask arrays how large each block is.
        """
        own, shape = getattr(self.array, "chunks", None), self.shape
        if not isinstance(own, tuple) or len(own) != len(shape):
            return None
        if all(isinstance(size, int) and size > 0 for size in own):
            cuts = grid_of(shape, own).cuts
            return tuple(tuple(np.diff(each).tolist()) for each in cuts)
        if all(
            isinstance(sizes, tuple) and sum(sizes) == size for sizes, size in zip(own, shape, strict=True)
        ):
            return own
        return None

    def sample(self, grid: Grid) -> str:
        """Return a hash of some of its pixels and of how it is divided."""
        hashed = hashlib.sha256(repr(grid.cuts).encode())
        for place in np.linspace(0, max(0, prod(self.shape) - 1), SAMPLES if prod(self.shape) else 0):
            first = [int(i) for i in np.unravel_index(int(place), self.shape)]
            first[-1] = max(0, min(first[-1], self.shape[-1] - SAMPLE_PIXELS))
            ends = [*(i + 1 for i in first[:-1]), min(first[-1] + SAMPLE_PIXELS, self.shape[-1])]
            line = Chunk(0, (), tuple(map(slice, first, ends)))
            hashed.update(self.read(line).tobytes())
        return hashed.hexdigest()[:16]


class LabelArray:
    """The array that labels are written to, chunk by chunk.

    Parameters
    ----------
    out : object or None
        The caller's; None makes one in memory.
    image : StoredImage
    dtype : dtype
        That of an array in memory, and of one that does not say which it has.

    Attributes
    ----------
    array : object

    Raises
    ------
    ImageError
        If labels cannot be written there.
    MemoryLimitError
        If one is to be made, and there is no room for it.
    """

    def __init__(self, out: Any, image: StoredImage, dtype: npt.DTypeLike) -> None:
        self.lasts = out is not None
        if out is None:
            size = prod(image.shape) * np.dtype(dtype).itemsize
            memory.require(size, f"labels of {prod(image.shape):,} pixels", "give out=, such as a memory map")
            out = np.empty(image.shape, dtype)
        self.array = out
        self.dtype = _as_dtype(getattr(out, "dtype", dtype), "out")
        self._require_fitting(image)

    def _require_fitting(self, image: StoredImage) -> None:
        """Refuse an array of another shape or kind, and the image itself."""
        read_only = isinstance(self.array, np.ndarray) and not self.array.flags.writeable
        if read_only or not hasattr(self.array, "__setitem__") or isinstance(self.array, list | dict):
            what = "read-only" if read_only else f"of type {type(self.array).__name__}"
            raise ImageError(
                f"out is {what}: give an array that can be written, such as "
                'np.lib.format.open_memmap("labels.npy", "w+", "i4", image.shape)'
            )
        shape = getattr(self.array, "shape", image.shape)
        if tuple(shape) != image.shape:
            raise ImageError(f"out has shape {tuple(shape)}, and the image {image.shape}: they must agree")
        if self.dtype.kind not in "iu":
            raise ImageError(f"out has dtype {self.dtype}: labels are integers, so give int32, for example")
        if self.array is image.array or _share_memory(self.array, image.array):
            raise ImageError("out shares memory with the image, which is read twice: give another array")

    def require_holding(self, count: int) -> None:
        """Refuse more labels than the dtype can hold.

        Raises
        ------
        ImageError
        """
        if count > largest_of(self.dtype):
            raise ImageError(
                f"there are {count:,} components, and out has dtype {self.dtype}, which ends at "
                f"{largest_of(self.dtype):,}: give a wider one, such as {np.min_scalar_type(count)}"
            )

    def place(self, chunk: Chunk) -> npt.NDArray[Any] | None:
        """Return the place of a chunk's labels, if a device can write them there at once."""
        at_once = isinstance(self.array, np.ndarray) and self.array.dtype == label_dtype(chunk.size)
        return self.array[chunk.slices] if at_once else None

    def write(self, chunk: Chunk, labels: npt.NDArray[Any]) -> None:
        """Write the labels of a chunk."""
        self.array[chunk.slices] = labels

    def let_go(self) -> None:
        """Let the system take back the memory of what has been written to a memory map."""
        _let_go(self.array)

    def holds(self, chunk: Chunk, labels: npt.NDArray[Any]) -> bool:
        """Return whether these labels are what is there, as far as it can be read."""
        if not hasattr(self.array, "__getitem__"):
            return False
        return bool(np.array_equal(self.array[chunk.slices], labels))

    def flush(self) -> None:
        """Have all that was written put into the file, if it is one that waits for that."""
        if hasattr(self.array, "flush"):
            self.array.flush()


def _as_shape(shape: Any) -> tuple[int, ...]:
    """Return the shape that an array says it has."""
    sizes = tuple(shape)
    if not all(isinstance(size, int | np.integer) and size >= 0 for size in sizes):
        raise ImageError(
            f"the image has shape {sizes}, but all sizes must be known: call compute_chunk_sizes() of a Dask "
            "array first"
        )
    return tuple(int(size) for size in sizes)


def _as_dtype(dtype: Any, what: str = "the image") -> np.dtype[Any]:
    """Return the dtype that an array says it has, in the machine's byte order."""
    try:
        known: np.dtype[Any] = np.dtype(dtype).newbyteorder("=")
    except TypeError:
        raise ImageError(f"{what} has dtype {dtype}, which NumPy does not know: convert it first") from None
    return known


def _share_memory(one: Any, other: Any) -> bool:
    """Return whether two arrays are NumPy's and may lie in the same memory."""
    both = isinstance(one, np.ndarray) and isinstance(other, np.ndarray)
    return both and np.may_share_memory(one, other)


def _let_go(array: Any) -> None:
    """Let the system take back the pages of a file that are mapped into this process.

    They come back when they are needed. Without this they would count as this process's memory until the
    machine runs out of it. What was written to a shared map is in the file, or on its way there; private
    changes (mode "c") would be lost.
    """
    if not isinstance(array, np.memmap) or array.mode not in ("r", "r+", "w+"):
        return
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, mmap.mmap) and hasattr(base, "madvise"):
        base.madvise(mmap.MADV_DONTNEED)
