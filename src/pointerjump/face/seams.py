"""Components that reach across the boundaries between chunks.

Each chunk is labelled for itself, and its labels get the next *provisional numbers*, from 1 on. Two neighbors
in different chunks lie on the two sides of a boundary between chunks. The planes of pixels on its two sides
are a *seam*: an image of its own, two pixels thick. It is labelled like a chunk, and all provisional numbers
that its pixels with one label have are numbers of one component. They are merged in a disjoint set. Then
nobody needs the seam any more.

Along the first axis, a seam is as wide as the image, so that it also holds neighbors in chunks that meet only
at an edge or a corner. Along each further axis, a seam lies within chunks that are side by side: it is as
wide as a chunk along the axes before it, and as the image along the axes after it. So any two neighbors in
different chunks lie in the seam of the first axis along which their chunks differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.disjoint_set import DisjointSet
from pointerjump.errors import FormatError
from pointerjump.face.chunks import Chunk, ChunkedImage
from pointerjump.formats.forests import Forest
from pointerjump.integers import largest_of

Numbers = npt.NDArray[Any]

BEFORE, AFTER = 0, 1
"""The two sides of a boundary: the last plane of one chunk, and the first plane of the next one."""


class Border(NamedTuple):
    """Where a chunk touches a boundary.

    Attributes
    ----------
    axis : int
        The boundary is between chunks along this axis.
    which : int
        How many boundaries come before it along this axis. In a periodic image, the last one is that between
        the last chunk and the first.
    side : {BEFORE, AFTER}
        On which side of it the chunk is.
    """

    axis: int
    which: int
    side: int

    @property
    def plane(self) -> tuple[slice, ...]:
        """The pixels of a chunk that are beside the boundary."""
        beside = slice(-1, None) if self.side == BEFORE else slice(1)
        return (*[slice(None)] * self.axis, beside)


@dataclass(frozen=True)
class Outline:
    """What is kept of a chunk that has been labelled.

    Attributes
    ----------
    count : int
        How many labels it has.
    first_pixels : ndarray of int, shape (count,), or None
        Where in the image the first pixel of each label is, in scan order; None if nobody needs to know.
    planes : dict of Border to tuple of two arrays
        The pixels at each border, and their labels.
    """

    count: int
    first_pixels: Numbers | None
    planes: dict[Border, tuple[npt.NDArray[Any], Numbers]]


class Seam:
    """The pixels on both sides of a boundary, and their provisional numbers: 0 is the background."""

    def __init__(self, shape: tuple[int, ...], pixels: npt.DTypeLike, numbers: npt.DTypeLike) -> None:
        self.pixels = np.zeros(shape, pixels)
        self.numbers = np.zeros(shape, numbers)


def borders(chunk: Chunk, whole: ChunkedImage) -> Iterator[Border]:
    """Yield where a chunk touches a boundary between chunks."""
    for axis, count in enumerate(whole.grid.counts):
        i, wraps = chunk.index[axis], whole.image.wraps[axis]
        if count > 1 and (i > 0 or wraps):
            yield Border(axis, (i - 1) % count, AFTER)
        if count > 1 and (i < count - 1 or wraps):
            yield Border(axis, i, BEFORE)


def outline_of(
    chunk: Chunk, whole: ChunkedImage, pixels: npt.NDArray[Any], out: Numbers | None = None
) -> Outline:
    """Label a chunk, and return what is kept of it. Its labels go to `out`, if that is given."""
    labels, count = whole.label_chunk(pixels, out)
    first = None if whole.grid.in_scan_order else _first_pixels(chunk, whole.grid.shape, labels, count)
    planes = {
        border: (pixels[border.plane].copy(), labels[border.plane].copy()) for border in borders(chunk, whole)
    }
    return Outline(count, first, planes)


def _first_pixels(chunk: Chunk, shape: tuple[int, ...], labels: Numbers, count: int) -> Numbers:
    """Return where in the image the first pixel of each of a chunk's labels is."""
    largest_so_far = np.maximum.accumulate(labels.ravel())
    in_this_order = np.arange(1, count + 1, dtype=labels.dtype)
    first = np.searchsorted(largest_so_far, in_this_order)
    places = np.unravel_index(first, chunk.shape)
    within = [place + each.start for place, each in zip(places, chunk.slices, strict=True)]
    return np.asarray(np.ravel_multi_index(within, shape))


class Seams:
    """The provisional numbers of all chunks so far, merged wherever a component crosses a boundary.

    Chunks are taken in scan order. Of each boundary only the last seams are kept.

    Attributes
    ----------
    counts : list of int
        How many labels each chunk has.
    numbered : int
        How many provisional numbers there are.
    """

    def __init__(self, whole: ChunkedImage) -> None:
        self.counts: list[int] = []
        self.numbered = 0
        self._whole = whole
        self._first_pixels: list[Numbers] = []
        self._forest = DisjointSet(device=whole.device)
        self._forest.add(0)  # the background, which is never merged with anything
        dtypes = whole.image.pixels.dtype, whole.label_dtype
        self._seams = [[Seam(shape, *dtypes) for shape in shapes] for shapes in seam_shapes(whole)]

    def take(self, chunk: Chunk, outline: Outline) -> None:
        """Give a chunk's labels the next numbers, and merge them with those beyond its borders.

        If this is interrupted, another run may restore what is there, and take the same chunk again.
        """
        self._forest.add(self.numbered + outline.count)
        for border, (pixels, labels) in outline.planes.items():
            seam, place = self._seam(border), _place(chunk, border)
            seam.pixels[place] = pixels
            numbers = seam.numbers[place]
            np.add(labels, numbers.dtype.type(self.numbered), out=numbers)
            numbers[labels == 0] = 0
        for border in outline.planes:
            if self._is_complete(chunk, border):
                self._merge(chunk, border)
        if outline.first_pixels is not None:
            self._first_pixels.append(outline.first_pixels)
        self.numbered += outline.count
        self.counts.append(outline.count)

    def final_numbers(self) -> Numbers:
        """Return for each provisional number that of its component; the background's is 0.

        Components are numbered from 1 on, in scan order of their first pixels. Nothing can be taken after
        this.
        """
        components = self._forest._take()
        if self._whole.grid.in_scan_order:
            return components
        first = np.concatenate([[-1], *self._first_pixels])
        first_of_component = np.full(int(components.max()) + 1, largest_of(first.dtype))
        np.minimum.at(first_of_component, components, first)
        number = np.empty_like(components, shape=len(first_of_component))
        number[np.argsort(first_of_component)] = np.arange(len(number))
        return number[components]

    def _seam(self, border: Border) -> Seam:
        """Return the seam at a boundary, which takes the place of the last but one before it."""
        seams = self._seams[border.axis]
        return seams[-1] if self._joins_ends(border) else seams[border.which % 2]

    def _joins_ends(self, border: Border) -> bool:
        """Return whether a boundary is that between the last chunk and the first."""
        return border.which == self._whole.grid.counts[border.axis] - 1

    def _is_complete(self, chunk: Chunk, border: Border) -> bool:
        """Return whether this chunk is the last one that a seam lacked."""
        later_side = BEFORE if self._joins_ends(border) else AFTER
        further = slice(border.axis + 1, None)
        is_last = chunk.index[further] == tuple(count - 1 for count in self._whole.grid.counts[further])
        return border.side == later_side and is_last

    def _merge(self, chunk: Chunk, border: Border) -> None:
        """Merge the numbers in a seam that belong to one component."""
        seam, axis = self._seam(border), border.axis
        filled = tuple(slice(size) for size in chunk.shape[:axis])
        wraps = (*self._whole.wraps_within_chunks[:axis], False, *self._whole.image.wraps[axis + 1 :])
        labels, count = self._whole.label_part(seam.pixels[filled], wraps)
        self._forest.merge(_edges(labels, count, seam.numbers[filled]))

    # -- what a checkpoint holds -----------------------------------------------------------------------

    def state(self) -> Forest:
        """Return all that is left of the chunks so far."""
        counts, none = np.array(self.counts, np.int64), np.zeros(0, np.int64)
        numbered = int(counts.sum())  # an interrupted chunk has perhaps begun to get numbers
        parents = self._forest.labels("representative")[: numbered + 1]
        first_pixels = np.concatenate([none, *self._first_pixels])[:numbered]
        return Forest(parents, True, {"counts": counts, "first pixels": first_pixels, **self._planes()})

    def restore(self, state: Forest) -> None:
        """Go on from what another run has left.

        Raises
        ------
        FormatError
            If it cannot be of this image.
        """
        self.counts = counts_in(state)
        self.numbered = sum(self.counts)
        if len(state.parents) != self.numbered + 1:
            raise FormatError("is damaged: its counts and its parents do not agree")
        self._forest._join_parents(state.parents)
        if not self._whole.grid.in_scan_order:
            self._first_pixels = [array_in(state, "first pixels", (self.numbered,), np.int64)]
        for name, plane in self._planes().items():
            plane[...] = array_in(state, name, plane.shape, plane.dtype)

    def _planes(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays of all seams, by name."""
        return {
            f"{what} {axis} {i}": getattr(seam, what)
            for axis, seams in enumerate(self._seams)
            for i, seam in enumerate(seams)
            for what in ("pixels", "numbers")
        }


def counts_in(state: Forest) -> list[int]:
    """Return how many labels each chunk has, as a checkpoint says."""
    counts = state.more.get("counts")
    if counts is None or counts.ndim != 1 or counts.dtype != np.int64 or (counts < 0).any():
        raise FormatError("is damaged: it does not say how many labels each chunk has")
    return [int(count) for count in counts]


def array_in(state: Forest, name: str, shape: tuple[int, ...], *dtypes: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return an array of a checkpoint, which must have this shape and one of these dtypes."""
    array = state.more.get(name)
    if array is None or array.shape != shape or array.dtype not in [np.dtype(each) for each in dtypes]:
        raise FormatError(f"is damaged: it has no array {name!r} of shape {shape} that would fit")
    return array


def _place(chunk: Chunk, border: Border) -> tuple[slice, ...]:
    """Return where in a seam the plane of a chunk is."""
    axis = border.axis
    before = [slice(size) for size in chunk.shape[:axis]]
    return (*before, slice(border.side, border.side + 1), *chunk.slices[axis + 1 :])


def seam_shapes(whole: ChunkedImage) -> list[list[tuple[int, ...]]]:
    """Return for each axis the shapes of the seams that are kept: up to two, and one that joins the ends."""
    largest, shape, kept = whole.grid.largest, whole.grid.shape, []
    for axis, count in enumerate(whole.grid.counts):
        seams = min(2, count - 1) + whole.image.wraps[axis] if count > 1 else 0
        kept.append([(*largest[:axis], 2, *shape[axis + 1 :])] * seams)
    return kept


def _edges(labels: Numbers, count: int, numbers: Numbers) -> tuple[Numbers, Numbers]:
    """Return edges between numbers, enough to connect those at which pixels have one label."""
    labels, numbers = labels.ravel(), numbers.ravel()
    changes = (labels[1:] != labels[:-1]) | (numbers[1:] != numbers[:-1])
    needed = np.append(0, 1 + np.flatnonzero(changes))  # most pixels only repeat the one before
    needed = needed[labels[needed] != 0]
    labels, numbers = labels[needed], numbers[needed]
    number_of_label = np.zeros(count + 1, numbers.dtype)
    number_of_label[labels] = numbers  # any one of them
    return numbers, number_of_label[labels]
