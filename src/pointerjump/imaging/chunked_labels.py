"""Labels images that may be larger than memory: :func:`label_chunks`.

An image is labelled chunk by chunk, in two passes.

The first pass finds out which labels of different chunks belong together. Each chunk is labelled separately.
Its labels are assigned *provisional numbers*, which continue from one chunk to the next, starting from 1. If
two neighboring pixels are in different chunks, they lie on opposite sides of a boundary between chunks. The
planes of pixels on both sides of a boundary form a *seam*: a separate image that is two pixels thick. A seam
is labelled like a chunk. If pixels have the same label in the seam, their provisional numbers belong to the
same component, and are merged in a disjoint set.

The second pass labels every chunk again, and replaces each label by the number of its component. Labels take
up several times as much space as pixels, so labelling twice is faster than writing and rereading labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from math import prod
from typing import Any, NamedTuple

import numpy as np

from pointerjump.base import limits
from pointerjump.base import memory as memory_of_machine
from pointerjump.base.images import Image, Pixels, Relabel, as_pixels, image_of, label_dtype, stand_in
from pointerjump.base.integers import largest_of
from pointerjump.base.memory import as_bytes, in_words
from pointerjump.base.progress import Progress, bar
from pointerjump.errors import FormatError, ImageError, MemoryLimitError
from pointerjump.formats.files import PathLike, naming
from pointerjump.imaging.chunked_arrays import (
    Grid,
    ImageChunk,
    StoredImage,
    array_for_labels,
    as_dtype,
    asked_grid,
    fitting_grid,
    let_go,
    named,
)
from pointerjump.imaging.labels import HostImage, find_labels
from pointerjump.solving import checkpoints
from pointerjump.solving.checkpoints import Checkpoint, Forest
from pointerjump.solving.disjoint_set import DisjointSet
from pointerjump.solving.run import order

DEFAULT = 1 << 31  # bytes of memory that chunks may take if the caller sets no limit
SHARE_OF_CHUNK = 2  # labelling a chunk may take the memory limit divided by this number

LABELLING_BYTES = 18
"""The maximum memory that labelling needs per pixel, in bytes, in addition to the pixel: 4 for the label, 1
for bits that mark runs and, if every pixel is a run of its own, 4 for its parent and 9 for renumbering."""

NUMBER_BYTES = 9
"""The peak memory per provisional number in bytes, which is reached when the forest grows by a quarter: 4 for
the old parents and 5 for the new ones. If numbers have 8 bytes, the peak is twice as high."""
KEPT_BYTES = 4  # added per number for a checkpoint, which needs the parents; doubled if numbers have 8 bytes

PLACE_BYTES = 16  # bytes per position of a component's first pixel, while all positions are concatenated

BEFORE, AFTER = 0, 1  # sides of a boundary: the last plane of a chunk, and the first plane of the next chunk
ENDS = "ends"  # the name of the seam where the ends of a periodic axis meet


def label_chunks(
    array: Any,
    chunk: int | tuple[int, ...] | None = None,
    *,
    connectivity: int = 1,
    multilabel: bool = False,
    background: int | float | None = 0,
    delta: int | float | None = None,
    wrap_axes: int | Iterable[int] = (),
    out: Any = None,
    checkpoint: PathLike | None = None,
    memory: int | str | None = None,
    progress: bool | Progress = False,
    return_num: bool = False,
    device: Any = None,
) -> Any:
    """Label the components of an image that may be larger than memory, chunk by chunk.

    The labels are the same as those from :func:`label`, no matter how the image is divided. Every chunk is
    read twice.

    Parameters
    ----------
    array : array
        An image of 1 to 4 dimensions: a NumPy array or memory map, a zarr array, an HDF5 dataset, a Dask
        array, or any other object with `shape` and `dtype` that can be sliced. It must not change during the
        call.
    chunk : int or tuple of int, optional
        The shape of a chunk. A single number applies to all axes. By default, a chunk consists of as many
        whole planes along the first axis as `memory` allows. If the array is stored in blocks
        (`array.chunks`), chunks consist of whole blocks, so other axes may have to be divided as well.
    connectivity, multilabel, background, delta, wrap_axes, device : optional
        As for :func:`label`.
    out : array, optional
        The array to write labels to: an integer array with the shape of the image, such as a memory map
        created by ``np.lib.format.open_memmap``, or any other object that supports assignment to slices. Only
        final labels are written. Default: a new NumPy array.
    checkpoint : path, optional
        A ``.npz`` file, which is written once a minute and when Ctrl-C is pressed. If the run is interrupted,
        repeat the call to resume from this file and the labels in `out`. The file is removed at the end.
    memory : int or str, optional
        The maximum amount of memory to use in addition to `out`: a number of bytes, or a string such as
        ``"2GiB"``. By default, only the memory for chunks is limited: to 2 GiB or half of the free memory,
        whichever is less.
    progress : bool or callable, optional
        Whether to draw a progress bar, or a function that is called after each chunk with the fraction of the
        work completed.
    return_num : bool, optional
        Whether to return the number of components as well.

    Returns
    -------
    labels : array
        `out`, or an array of int32 (int64 if there are 2**31 pixels or more).
    count : int
        The number of components. Only returned if `return_num` is true.

    Raises
    ------
    ImageError
        If the array is not a valid image, if an option or `out` does not match the image, or if the array
        changes during the call. Also raised if `out` cannot hold the largest label. In that case, nothing is
        written to `out`.
    FormatError
        If the checkpoint is damaged, cannot be written or belongs to another image or other options.
    DeviceError
        If the device does not exist, or if it cannot hold a chunk or the provisional numbers.
    MemoryLimitError
        If there is not enough memory, or if `memory` is too small.

    See Also
    --------
    label : Labels an image in memory.
    pointerjump.dask.label : Labels a Dask array, and returns a Dask array.

    Notes
    -----
    Each component of each chunk has a provisional number, which takes up 4 bytes of memory, and briefly up to
    9 bytes. If there are 2**31 numbers or more, each takes up 8 bytes, and briefly up to 18. A checkpoint
    adds 4 (or 8) bytes per number. Dividing the image along several axes adds 16 bytes per number. The planes
    of pixels on both sides of a boundary between chunks are kept until the next boundary has been processed.

    Examples
    --------
    >>> import numpy as np
    >>> import pointerjump as pj
    >>> image = np.lib.format.open_memmap("image.npy", "w+", np.uint8, (4, 6))
    >>> image[:] = [[1, 0, 1, 0, 0, 1], [1, 0, 1, 1, 0, 1], [1, 0, 0, 1, 0, 0], [1, 1, 1, 1, 0, 1]]
    >>> pj.label_chunks(image, chunk=2)
    array([[1, 0, 1, 0, 0, 2],
           [1, 0, 1, 1, 0, 2],
           [1, 0, 0, 1, 0, 0],
           [1, 1, 1, 1, 0, 3]], dtype=int32)
    """
    image = StoredImage(array)
    options = connectivity, multilabel, background, delta, wrap_axes
    size = None if memory is None else as_bytes(memory, "memory", ImageError)
    if chunk is None:
        most = size or min(DEFAULT, memory_of_machine.available()[0] // 2)
        pixels = most // SHARE_OF_CHUNK // (LABELLING_BYTES + image.dtype.itemsize)
        grid = fitting_grid(image.shape, image.own_blocks(), max(1, pixels))
    else:
        grid = asked_grid(image, chunk)
    whole = ChunkedImage.of(image, options, grid, device)
    if not (callable(progress) or isinstance(progress, bool)):
        raise ImageError(f"progress is {progress!r}: give True, False or a function of one number")
    passes = _Passes(image, whole, array_for_labels(out, image, whole.label_dtype), out is None, size)
    told = progress if callable(progress) else lambda share: None
    with bar("labelling") if progress is True else nullcontext(told) as report:
        count = passes.run(report, checkpoint)
    return (passes.labels, count) if return_num else passes.labels


def why_in_chunks(image: Image) -> str | None:
    """Return the reason for labelling an image in chunks, or None if memory suffices for the whole image."""
    way_out = "label it in chunks"
    try:
        memory_of_machine.require(bytes_at_once(image), "labelling it at once", way_out)
    except MemoryLimitError as error:
        return str(error).removesuffix(f": {way_out}")
    return None


def bytes_at_once(image: Image) -> int:
    """Estimate the memory, in bytes, for labelling a whole image in one go. The pixels are included."""
    return (int(image.pixels.dtype.itemsize) + LABELLING_BYTES) * image.size


@dataclass(frozen=True)
class ChunkedImage:
    """A stored image, together with its labelling options and its division into chunks."""

    image: Image
    grid: Grid
    device: Any

    @classmethod
    def of(cls, stored: StoredImage, options: tuple[Any, ...], grid: Grid, device: Any) -> ChunkedImage:
        """Validate `options`, which are those of :func:`label`, and return a chunked image."""
        asked = image_of(stand_in(stored.shape, stored.dtype), *options)
        none = np.zeros((0,) * len(stored.shape), stored.dtype)  # a pickled stand-in would take memory
        return cls(replace(asked, pixels=none), grid, device)

    @property
    def label_dtype(self) -> type[np.signedinteger[Any]]:
        """The integer type of the labels, which is wide enough to number all pixels."""
        return label_dtype(prod(self.grid.shape))

    @property
    def wraps_within_chunks(self) -> tuple[bool, ...]:
        """For each axis, whether the last pixels of a chunk are neighbors of its own first pixels."""
        return tuple(
            wraps and count == 1 for wraps, count in zip(self.image.wraps, self.grid.counts, strict=True)
        )

    @property
    def seam_shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of all seams in memory, by name: at most two per axis, and one more if it wraps."""
        largest, shape = self.grid.largest, self.grid.shape
        return {
            f"{axis} {name}": (*largest[:axis], 2, *shape[axis + 1 :])
            for axis, count in enumerate(self.grid.counts)
            for name, kept in (("even", count > 1), ("odd", count > 2), (ENDS, self.image.wraps[axis]))
            if kept and count > 1
        }

    def label_chunk(
        self,
        pixels: Pixels,
        out: Pixels | None = None,
        relabel: Relabel | None = None,
        wraps: tuple[bool, ...] | None = None,
    ) -> tuple[Pixels, int]:
        """Label a chunk on its own, and return the labels and the number of components.

        `out` and `relabel` are as for :class:`HostImage`. `wraps` defaults to `wraps_within_chunks`.
        """
        wraps = self.wraps_within_chunks if wraps is None else wraps
        part = replace(self.image, pixels=as_pixels(pixels), wraps=wraps)
        wanted = order("image-labelling", "auto", self.device, {})
        labels, count, _ = find_labels(wanted, HostImage(part, out, relabel))
        return labels, count

    def outline(self, chunk: ImageChunk, pixels: Pixels, out: Pixels | None = None) -> ChunkOutline:
        """Label a chunk, and return its outline. If `out` is given, the labels are written to it."""
        labels, count = self.label_chunk(pixels, out)
        first = None
        if not self.grid.in_scan_order:
            largest_so_far = np.maximum.accumulate(labels.ravel())
            found = np.searchsorted(largest_so_far, np.arange(1, count + 1, dtype=labels.dtype))
            places = np.unravel_index(found, chunk.shape)
            within = [place + each.start for place, each in zip(places, chunk.slices, strict=True)]
            first = np.asarray(np.ravel_multi_index(within, self.grid.shape))
        planes = []
        for border in self._borders(chunk):
            plane = (*[slice(None)] * border.axis, slice(1) if border.side else slice(-1, None))
            planes.append((border, pixels[plane].copy(), labels[plane].copy()))
        return ChunkOutline(count, first, planes)

    def _borders(self, chunk: ImageChunk) -> Iterator[Border]:
        last = tuple(count - 1 for count in self.grid.counts)
        for axis, wraps in enumerate(self.image.wraps):
            i, count, rest = chunk.index[axis], self.grid.counts[axis], slice(axis + 1, None)
            for which, side in (((i - 1) % count, AFTER), (i, BEFORE)):
                joins_ends = which == count - 1
                if count > 1 and (wraps or not joins_ends):
                    is_later = side == (BEFORE if joins_ends else AFTER)
                    name = ENDS if joins_ends else ("even", "odd")[which % 2]
                    completes = is_later and chunk.index[rest] == last[rest]
                    yield Border(axis, f"{axis} {name}", side, completes)


# -- seams: which labels of different chunks belong together -----------------------------------------


class Border(NamedTuple):
    """The face of a chunk at a boundary with other chunks.

    The planes of pixels on both sides of a boundary form a seam. `axis` is the axis that the boundary
    divides, `seam` is the name of the seam, and `side` is the side of the boundary that the chunk is on.
    `completes` is true if no later chunk touches the seam. Along each axis, seams are stored alternately in
    two arrays. The seam where the ends of a periodic axis meet has its own array.
    """

    axis: int
    seam: str
    side: int
    completes: bool


@dataclass(frozen=True)
class ChunkOutline:
    """The data kept for a chunk: the number of labels, and the pixels and labels at each border.

    `first_pixels` holds the position of each label's first pixel in scan order. It is None if not needed.
    """

    count: int
    first_pixels: Pixels | None
    planes: list[tuple[Border, Pixels, Pixels]]


class Seams:
    """The provisional numbers of labels in all chunks added so far, merged where components cross boundaries.

    Chunks must be added in scan order. The planes of pixels on both sides of a boundary between chunks form a
    seam. Only the most recent seams are kept, each as an array of pixels and an array of their provisional
    numbers. Number 0 stands for the background.

    A seam between chunks along the first axis is as wide as the image, so it also contains neighbors in
    chunks that meet only at an edge or a corner. A seam between chunks along a later axis is as wide as a
    chunk along all earlier axes, and as wide as the image along all later axes. Any two neighboring pixels in
    different chunks therefore lie in a common seam, which belongs to the first axis along which the positions
    of their chunks differ.
    """

    def __init__(self, whole: ChunkedImage) -> None:
        self.counts: list[int] = []  # the number of labels of each chunk
        self.numbered = 0
        self._whole = whole
        self._first_pixels: list[Pixels] = []
        self._forest = DisjointSet(device=whole.device)
        self._forest.add(0)  # the background, which is never merged with anything
        self._planes = {
            f"{what} {seam}": np.zeros(shape, dtype)
            for seam, shape in whole.seam_shapes.items()
            for what, dtype in (("pixels", whole.image.pixels.dtype), ("numbers", whole.label_dtype))
        }

    def take(self, chunk: ImageChunk, outline: ChunkOutline) -> None:
        """Assign the next provisional numbers to a chunk's labels, and merge them across its borders.

        If this method is interrupted, another run can restore the state and process the same chunk again.
        """
        self._forest.add(self.numbered + outline.count)
        for (axis, seam, side, _), pixels, labels in outline.planes:
            sides = (slice(side, side + 1), *chunk.slices[axis + 1 :])
            place = (*map(slice, chunk.shape[:axis]), *sides)
            self._planes[f"pixels {seam}"][place] = pixels
            numbers = self._planes[f"numbers {seam}"][place]
            np.add(labels, numbers.dtype.type(self.numbered), out=numbers)
            numbers[labels == 0] = 0
        for border, *_ in outline.planes:
            if border.completes:
                self._merge(chunk, border)
        if outline.first_pixels is not None:
            self._first_pixels.append(outline.first_pixels)
        self.numbered += outline.count
        self.counts.append(outline.count)

    def final_numbers(self, kept: bool = False) -> FinalNumbers:
        """Return the component that each provisional number belongs to.

        Components are numbered from 1, in the scan order of their first pixels. The background has number 0.
        Unless `kept` is true, the disjoint set cannot be used afterwards, and its memory is freed.
        """
        components = self._forest.labels() if kept else self._forest._take()
        if self._whole.grid.in_scan_order:
            return FinalNumbers(self._whole, self.counts, components)
        first = np.concatenate([[-1], *self._first_pixels])
        first_of_component = np.full(int(components.max()) + 1, largest_of(first.dtype))
        np.minimum.at(first_of_component, components, first)
        number = np.empty_like(components, shape=len(first_of_component))
        number[np.argsort(first_of_component)] = np.arange(len(number))
        return FinalNumbers(self._whole, self.counts, number[components])

    def _merge(self, chunk: ImageChunk, border: Border) -> None:
        axis, filled = border.axis, tuple(map(slice, chunk.shape[: border.axis]))
        wraps = (*self._whole.wraps_within_chunks[:axis], False, *self._whole.image.wraps[axis + 1 :])
        pixels, numbers = (self._planes[f"{what} {border.seam}"][filled] for what in ("pixels", "numbers"))
        found, count = self._whole.label_chunk(pixels, wraps=wraps)
        labels, numbers = found.ravel(), numbers.ravel()
        changes = (labels[1:] != labels[:-1]) | (numbers[1:] != numbers[:-1])
        needed = np.append(0, 1 + np.flatnonzero(changes))  # most pixels only repeat the previous pixel
        needed = needed[labels[needed] != 0]
        labels, numbers = labels[needed], numbers[needed]
        number_of_label = np.zeros(count + 1, numbers.dtype)
        number_of_label[labels] = numbers  # an arbitrary one of each label's numbers
        self._forest.merge((numbers, number_of_label[labels]))

    def state(self) -> Forest:
        """Return the state after the last complete chunk, to be stored in a checkpoint."""
        counts, none = np.array(self.counts, np.int64), np.zeros(0, np.int64)
        numbered = int(counts.sum())  # an interrupted chunk may already have been assigned numbers
        parents = self._forest.labels("representative")[: numbered + 1]
        self._first_pixels = [np.concatenate([none, *self._first_pixels])]
        first_pixels = self._first_pixels[0][:numbered]
        return Forest(parents, True, {"counts": counts, "first pixels": first_pixels, **self._planes})

    def restore(self, state: Forest) -> None:
        """Continue from another run's state. Raise a FormatError if it cannot belong to this image."""
        counts = state.more.get("counts")
        if counts is None or counts.ndim != 1 or counts.dtype != np.int64 or (counts < 0).any():
            raise FormatError("is damaged: it does not say how many labels each chunk has")
        self.counts = counts.tolist()
        self.numbered = sum(self.counts)
        if len(state.parents) != self.numbered + 1:
            raise FormatError("is damaged: its counts and its parents do not agree")
        self._forest._join_parents(state.parents)
        arrays = dict(self._planes)
        if not self._whole.grid.in_scan_order:
            arrays["first pixels"] = np.empty(self.numbered, np.int64)
            self._first_pixels = [arrays["first pixels"]]
        for name, array in arrays.items():
            left = state.more.get(name)
            if left is None or (left.shape, left.dtype) != (array.shape, array.dtype):
                raise FormatError(
                    f"is damaged: it has no array {name!r} of shape {array.shape} that would fit"
                )
            array[...] = left


class FinalNumbers:
    """The component of each provisional number, as found by the first pass. Number 0 is the background."""

    def __init__(self, whole: ChunkedImage, counts: list[int], numbers: Pixels) -> None:
        self.whole, self._numbers = whole, numbers
        self.counts = np.array(counts, np.int64)
        self.components = int(numbers.max())
        self._before = np.cumsum(self.counts) - self.counts

    def labels(self, chunk: ImageChunk, pixels: Pixels, out: Pixels | None = None) -> Pixels:
        """Label a chunk again, and return the component of each pixel, written to `out` if possible."""
        before, expected = int(self._before[chunk.number]), int(self.counts[chunk.number])
        numbers = self._numbers[before : before + expected + 1].copy()
        numbers[0] = 0  # the background; the slice begins with the last number of the previous chunk

        def relabel(labels: Pixels, count: int) -> Pixels:
            if count != expected:
                raise ImageError(
                    f"chunk {named(chunk.slices)} of the image has changed since it was first read: label a "
                    "copy of it"
                )
            return np.asarray(numbers[labels])

        if self.components <= limits.MOST_NARROW_VERTICES:
            return self.whole.label_chunk(pixels, out, relabel)[0]
        return relabel(*self.whole.label_chunk(pixels))


# -- the two passes ----------------------------------------------------------------------------------


class _Passes:
    """The two passes that label an image, using at most `size` bytes of memory unless `size` is None.

    A checkpoint contains the state of the first pass, or its result once it is complete, and the total number
    of chunks processed in both passes.
    """

    def __init__(
        self, image: StoredImage, whole: ChunkedImage, labels: Any, are_new: bool, size: int | None
    ) -> None:
        self._image, self._whole = image, whole
        self.labels, self._are_new = labels, are_new
        pixel, number = image.dtype.itemsize, np.dtype(whole.label_dtype).itemsize
        seams, chunk = list(map(prod, whole.seam_shapes.values())), prod(whole.grid.largest)
        # Seams are labelled too.
        taken = (pixel + LABELLING_BYTES) * max([chunk, *seams]) + (pixel + number) * sum(seams)
        if size is not None and taken > size:
            raise MemoryLimitError(
                f"chunks of shape {whole.grid.largest} and the planes between them take about "
                f"{in_words(taken)}, and memory is {in_words(size)}: allow more, or give another chunk"
            )
        self._left = None if size is None else size - taken
        self._scratch = np.empty(chunk, label_dtype(chunk))

    def fingerprint(self) -> dict[str, Any]:
        """Return values that identify this image and its options in a checkpoint."""
        asked, grid = self._whole.image, self._whole.grid
        return {
            "shape": list(grid.shape),
            "dtype": str(self._image.dtype),
            "chunk": list(grid.largest),
            "connectivity": asked.connectivity,
            "multilabel": asked.alike == "equal",
            "background": asked.background,
            "delta": asked.difference,
            "wrap_axes": [axis for axis, wraps in enumerate(asked.wraps) if wraps],
            "hash of some pixels": self._image.sample(grid),
        }

    def run(self, report: Progress, path: PathLike | None) -> int:
        """Label the image, and return the number of components. Keep a checkpoint at `path`, if given."""
        seams, done = Seams(self._whole), 0
        self._kept = path is not None
        checkpoint = None if path is None else Checkpoint(path, self, checkpoints.EVERY)
        if checkpoint is not None and (left := checkpoint.read()) is not None:
            kept, place = left
            with naming(checkpoint.path):
                seams.restore(Forest.of(kept))
                done = max(len(seams.counts), place["record"])
                if done > len(seams.counts) < len(self._whole.grid):
                    raise FormatError(f"is damaged: it has counts of only {len(seams.counts)} chunks")
        begin = done
        flush = getattr(self.labels, "flush", lambda: None)  # writes buffered data
        try:
            for done in self._steps(seams, begin):
                report(done / (2 * len(self._whole.grid)))
                if checkpoint is not None and checkpoint.is_due():
                    flush()
                    checkpoint.write(seams.state().arrays(), {"record": done})
        except KeyboardInterrupt:
            if checkpoint is not None and done != begin:
                flush()
                checkpoint.write(seams.state().arrays(), {"record": done})
            raise
        flush()
        if checkpoint is not None:
            checkpoint.remove()
        return self._components

    def _steps(self, seams: Seams, done: int) -> Iterator[int]:
        """Process the remaining chunks in both passes. After each chunk, yield the number done so far."""
        image, whole, grid = self._image, self._whole, self._whole.grid
        for chunk in grid.chunks(len(seams.counts)):
            seams.take(chunk, whole.outline(chunk, image.read(chunk.slices), self._scratch_for(chunk)))
            self._require_room(seams)
            let_go(image.array)
            yield chunk.number + 1
        found = seams.final_numbers(self._kept)
        self._components = found.components
        dtype = as_dtype(getattr(self.labels, "dtype", whole.label_dtype), "out")
        if found.components > largest_of(dtype):
            raise ImageError(
                f"there are {found.components:,} components, and out has dtype {dtype}, which ends at "
                f"{largest_of(dtype):,}: give a wider one, such as {np.min_scalar_type(found.components)}"
            )
        written = max(0, done - len(grid))
        for chunk in grid.chunks(written if self._are_there(found, written) else 0):
            # If possible, the device writes final labels directly into the result.
            at_once = isinstance(self.labels, np.ndarray)
            at_once = at_once and self.labels.dtype == label_dtype(prod(chunk.shape))
            place = self.labels[chunk.slices] if at_once else self._scratch_for(chunk)
            labels = found.labels(chunk, image.read(chunk.slices), place)
            if not at_once or labels is not place:
                self.labels[chunk.slices] = labels
            let_go(self.labels)
            let_go(image.array)
            yield len(grid) + chunk.number + 1

    def _require_room(self, seams: Seams) -> None:
        """Raise a MemoryLimitError if the limit leaves too little memory for the provisional numbers."""
        wide = seams.numbered > limits.MOST_NARROW_VERTICES
        per_number = (NUMBER_BYTES + (KEPT_BYTES if self._kept else 0)) * (2 if wide else 1)
        per_place = 0 if self._whole.grid.in_scan_order else PLACE_BYTES
        size = (per_number + per_place) * seams.numbered
        if self._left is not None and size > self._left:
            raise MemoryLimitError(
                f"the first {len(seams.counts):,} chunks have {seams.numbered:,} components, whose numbers "
                f"take {in_words(size)}, and memory leaves {in_words(self._left)} for them: allow more"
            )

    def _are_there(self, found: FinalNumbers, written: int) -> bool:
        """Return whether the output array contains the labels that an earlier run wrote.

        The labels may have been lost, or the caller may have passed a different array. Only the last chunk
        with labels is checked.
        """
        numbers = np.flatnonzero(found.counts[:written])
        if self._are_new or not len(numbers) or not hasattr(self.labels, "__getitem__"):
            return False
        last = next(self._whole.grid.chunks(int(numbers[-1])))
        right = found.labels(last, self._image.read(last.slices), self._scratch_for(last))
        return bool(np.array_equal(self.labels[last.slices], right))

    def _scratch_for(self, chunk: ImageChunk) -> Pixels:
        """Return an array for a chunk's labels. Memory is reused, because allocating it is slow."""
        return self._scratch[: prod(chunk.shape)].reshape(chunk.shape)
