"""An image in chunks: boxes of pixels that are read and labelled one after the other, in scan order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.errors import ImageError
from pointerjump.face.images import Labels, label_image
from pointerjump.images import Image, Relabel, as_pixels, image_of, label_dtype
from pointerjump.integers import as_count

Blocks = tuple[tuple[int, ...], ...]
"""How many pixels each of an array's own blocks has along each axis, as Dask says it."""


@dataclass(frozen=True)
class Chunk:
    """A box of an image's pixels.

    Attributes
    ----------
    number : int
        How many chunks come before it.
    index : tuple of int
        How many chunks come before it along each axis.
    slices : tuple of slice
        Its pixels along each axis.
    """

    number: int
    index: tuple[int, ...]
    slices: tuple[slice, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of its pixels along each axis."""
        return tuple(each.stop - each.start for each in self.slices)

    @property
    def size(self) -> int:
        """The number of its pixels."""
        return prod(self.shape)

    def __str__(self) -> str:
        """Return it as the image's users would write it: "[0:64, 128:192]"."""
        return f"[{', '.join(f'{each.start}:{each.stop}' for each in self.slices)}]"


@dataclass(frozen=True)
class Grid:
    """The chunks of an image.

    Attributes
    ----------
    cuts : tuple of tuple of int
        For each axis, where the chunks begin, in pixels, and where the last one ends.
    """

    cuts: tuple[tuple[int, ...], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of pixels along each axis."""
        return tuple(cuts[-1] for cuts in self.cuts)

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of chunks along each axis."""
        return tuple(len(cuts) - 1 for cuts in self.cuts)

    @property
    def largest(self) -> tuple[int, ...]:
        """The pixels along each axis of a chunk into which every chunk fits."""
        return tuple(int(max(np.diff(cuts), default=0)) for cuts in self.cuts)

    @property
    def in_scan_order(self) -> bool:
        """Whether all pixels of a chunk come before all pixels of the next one."""
        split = [axis for axis, count in enumerate(self.counts) if count > 1]
        return not split or self.counts[: split[-1]] == self.shape[: split[-1]]

    def __len__(self) -> int:
        return prod(self.counts)

    def chunks(self, begin: int = 0) -> Iterator[Chunk]:
        """Yield the chunks from some number on."""
        for number in range(begin, len(self)):
            yield self.chunk_at(tuple(int(i) for i in np.unravel_index(number, self.counts)))

    def chunk_at(self, index: tuple[int, ...]) -> Chunk:
        """Return the chunk before which there are so many along each axis."""
        slices = (slice(cuts[i], cuts[i + 1]) for cuts, i in zip(self.cuts, index, strict=True))
        return Chunk(int(np.ravel_multi_index(index, self.counts)), index, tuple(slices))


@dataclass(frozen=True)
class ChunkedImage:
    """An image that is labelled chunk by chunk.

    Attributes
    ----------
    image : Image
        What is asked for. Its own pixels are none, of the right dtype: those of each chunk are given.
    grid : Grid
        The chunks.
    device : object
        As for :func:`pointerjump.label`.
    """

    image: Image
    grid: Grid
    device: Any = None

    @property
    def label_dtype(self) -> type[np.signedinteger[Any]]:
        """The integers that can number all pixels."""
        return label_dtype(prod(self.grid.shape))

    @property
    def wraps_within_chunks(self) -> tuple[bool, ...]:
        """For each axis, whether a chunk's last pixels are neighbors of its own first ones."""
        return tuple(
            wraps and count == 1 for wraps, count in zip(self.image.wraps, self.grid.counts, strict=True)
        )

    def label_chunk(
        self, pixels: npt.NDArray[Any], out: Labels | None = None, relabel: Relabel | None = None
    ) -> tuple[Labels, int]:
        """Label a chunk for itself; parameters and answer as for :func:`label_image`."""
        return self.label_part(pixels, self.wraps_within_chunks, out, relabel)

    def label_part(
        self,
        pixels: npt.NDArray[Any],
        wraps: tuple[bool, ...],
        out: Labels | None = None,
        relabel: Relabel | None = None,
    ) -> tuple[Labels, int]:
        """Label any part of the image for itself."""
        part = replace(self.image, pixels=as_pixels(pixels), wraps=wraps)
        return label_image(part, self.device, out, relabel)


def grid_of(shape: tuple[int, ...], chunk: tuple[int, ...], blocks: Blocks | None = None) -> Grid:
    """Return an image's chunks, which are no larger than `chunk` unless a block is.

    Parameters
    ----------
    shape : tuple of int
    chunk : tuple of int
        The most pixels along each axis.
    blocks : tuple of tuple of int, optional
        Chunks are made of whole blocks.
    """
    if blocks is None:
        return Grid(tuple((*range(0, size, most), size) for size, most in zip(shape, chunk, strict=True)))
    return Grid(tuple(_between_blocks(sizes, most) for sizes, most in zip(blocks, chunk, strict=True)))


def _between_blocks(sizes: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Return cuts between blocks with these sizes, as far apart as `most` allows."""
    cuts, end = [0], 0
    for size in sizes:
        if end + size - cuts[-1] > most and end > cuts[-1]:
            cuts.append(end)
        end += size
    return (*cuts, end) if end else (0,)


def as_chunk(chunk: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of a chunk that a caller gave, no larger than the image.

    Raises
    ------
    ImageError
        If it is not one number of pixels, or one for each axis.
    """
    sizes = list(chunk) if isinstance(chunk, tuple | list) else [chunk] * len(shape)
    sizes = [as_count(size, "a number of pixels in chunk", ImageError) for size in sizes]
    if len(sizes) != len(shape) or min(sizes) < 1:
        raise ImageError(
            f"chunk is {chunk}, and the image has shape {shape}: give at least 1 pixel along each axis"
        )
    return tuple(max(1, min(size, whole)) for size, whole in zip(sizes, shape, strict=True))


def fitting_grid(shape: tuple[int, ...], blocks: Blocks | None, pixels: int) -> Grid:
    """Return chunks with at most so many pixels, made of whole blocks if they fit."""
    if blocks is not None:
        largest = tuple(max(1, *sizes) for sizes in blocks)
        if prod(largest) <= pixels:
            return grid_of(shape, fitting_chunk(shape, largest, pixels), blocks)
    return grid_of(shape, fitting_chunk(shape, (1,) * len(shape), pixels))


def fitting_chunk(shape: tuple[int, ...], block: tuple[int, ...], pixels: int) -> tuple[int, ...]:
    """Return the shape of a chunk with at most so many pixels, into which a block fits.

    It is a slab along the first axis if possible.

    Examples
    --------
    >>> fitting_chunk((1000, 500, 500), (1, 1, 1), 10**6)
    (4, 500, 500)
    >>> fitting_chunk((1000, 500, 500), (64, 64, 64), 10**7)
    (64, 312, 500)
    """
    chunk = [max(1, size) for size in shape]
    for axis, thickness in enumerate(block):
        fits = pixels // prod(chunk[axis + 1 :])
        if fits >= thickness:
            chunk[axis] = min(chunk[axis], fits)
            break
        chunk[axis] = thickness
        pixels //= thickness
    return tuple(chunk)


def facts_of(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    connectivity: int,
    multilabel: bool,
    background: int | float | None,
    delta: int | float | None,
    wrap_axes: int | Iterable[int],
) -> Image:
    """Return what is asked for, checked, with an image that has no pixels; errors as for :func:`image_of`."""
    stand_in = np.broadcast_to(np.zeros((), dtype), shape)  # takes no memory, but would if it were pickled
    asked = image_of(stand_in, connectivity, multilabel, background, delta, wrap_axes)
    return replace(asked, pixels=np.zeros((0,) * len(shape), dtype))
