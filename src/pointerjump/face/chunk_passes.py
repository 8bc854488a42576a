"""The two passes in which an image is labelled chunk by chunk, and how they go on after an interruption.

The first pass finds out which labels of different chunks belong together (:mod:`pointerjump.face.seams`), and
keeps no labels. The second one labels every chunk again, which gives the same labels, and writes each as the
number of its component. Labels take several times as much room as pixels. So reading and labelling twice is
cheaper than writing labels that are not final, reading them back, and writing them again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump import checkpoints, limits
from pointerjump.checkpoints import Checkpoint
from pointerjump.errors import FormatError, ImageError
from pointerjump.face.chunk_memory import Room
from pointerjump.face.chunks import Chunk, ChunkedImage
from pointerjump.face.seams import Seams, array_in, counts_in, outline_of
from pointerjump.face.stored_arrays import LabelArray, StoredImage
from pointerjump.formats.files import PathLike, naming
from pointerjump.formats.forests import Forest
from pointerjump.images import label_dtype
from pointerjump.progress import Progress

Numbers = npt.NDArray[Any]

FIRST, SECOND = 1, 2
"""The passes, as checkpoints call them."""


class Found:
    """What the first pass has found out.

    Parameters
    ----------
    counts : sequence of int
        How many labels each chunk has.
    numbers : ndarray of int
        For each provisional number, from 0 on, that of its component.

    Attributes
    ----------
    counts : ndarray of int64
    components : int
        How many there are.
    """

    def __init__(self, counts: Sequence[int], numbers: Numbers) -> None:
        self.counts = np.array(counts, np.int64)
        self.components = int(numbers.max())
        self._numbers = numbers
        self._before = np.cumsum(self.counts) - self.counts

    def labels(
        self, chunk: Chunk, whole: ChunkedImage, pixels: npt.NDArray[Any], out: Numbers | None = None
    ) -> Numbers:
        """Label a chunk again, and return each pixel's component, in `out` if that is given.

        Raises
        ------
        ImageError
            If it has another number of labels than before.
        """
        before, expected = int(self._before[chunk.number]), int(self.counts[chunk.number])
        numbers = self._numbers[before : before + expected + 1].copy()
        numbers[0] = 0  # the background's; here was the last number of the chunk before

        def relabel(labels: Numbers, count: int) -> Numbers:
            if count != expected:
                raise ImageError(
                    f"chunk {chunk} of the image has changed since it was first read: label a copy of it"
                )
            return np.asarray(numbers[labels])

        if self.components <= limits.MOST_NARROW_VERTICES:
            return whole.label_chunk(pixels, out, relabel)[0]
        labels = relabel(*whole.label_chunk(pixels))
        if out is None:
            return labels
        out[...] = labels
        return out

    def state(self) -> Forest:
        """Return it as a checkpoint holds it."""
        return Forest(np.zeros(0, np.int32), True, {"counts": self.counts, "numbers": self._numbers})

    @classmethod
    def of(cls, state: Forest, chunks: int) -> Found:
        """Return what a checkpoint of an image with so many chunks holds."""
        counts = counts_in(state)
        if len(counts) != chunks:
            raise FormatError(f"is damaged: it has counts of {len(counts)} chunks, and there are {chunks}")
        return cls(counts, array_in(state, "numbers", (sum(counts) + 1,), np.int32, np.int64))


class Passes:
    """Both passes over an image.

    Parameters
    ----------
    image : StoredImage
    whole : ChunkedImage
    labels : LabelArray
    room : Room
    report : callable
        Is told, after each chunk, what share of the work is done.
    checkpoint : path, optional
        Where the state is kept now and then. If it is there already, work goes on from it.
    """

    def __init__(
        self,
        image: StoredImage,
        whole: ChunkedImage,
        labels: LabelArray,
        room: Room,
        report: Progress,
        checkpoint: PathLike | None = None,
    ) -> None:
        self._image, self._whole, self._labels = image, whole, labels
        self._room, self._report = room, report
        largest = prod(whole.grid.largest)
        self._scratch = np.empty(largest, label_dtype(largest))
        self._checkpoint = None if checkpoint is None else Checkpoint(checkpoint, self, checkpoints.EVERY)

    def fingerprint(self) -> dict[str, Any]:
        """Return what tells this image and these options from others."""
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

    def run(self) -> int:
        """Label the image, and return the number of components."""
        found, written = self._first_pass()
        self._labels.require_holding(found.components)
        self._second_pass(found, self._still_there(found, written))
        if self._checkpoint is not None:
            self._checkpoint.remove()
        return found.components

    # -- the first pass --------------------------------------------------------------------------------

    def _first_pass(self) -> tuple[Found, int]:
        """Find out which labels of different chunks belong together.

        Return that, and how many chunks an earlier run has written already.
        """
        seams = Seams(self._whole)
        if self._checkpoint is not None and (left := self._checkpoint.read()) is not None:
            state, place = left
            with naming(self._checkpoint.path):
                if place.get("pass") == SECOND:
                    return Found.of(state, len(self._whole.grid)), place["record"]
                seams.restore(state)

        def merge(chunk: Chunk) -> None:
            outline = outline_of(chunk, self._whole, self._image.read(chunk), self._scratch_for(chunk))
            seams.take(chunk, outline)
            self._room.require_for_numbers(seams)

        self._each(FIRST, len(seams.counts), merge, seams.state)
        return Found(seams.counts, seams.final_numbers()), 0

    # -- the second pass -------------------------------------------------------------------------------

    def _second_pass(self, found: Found, begin: int) -> None:
        """Write the labels of all chunks from some number on."""

        def write(chunk: Chunk) -> None:
            place = self._labels.place(chunk)
            labels = self._final_labels(chunk, found, place)
            if place is None:
                self._labels.write(chunk, labels)
            self._labels.let_go()

        def state() -> Forest:
            self._labels.flush()
            return found.state()

        self._each(SECOND, begin, write, state)
        self._labels.flush()

    def _final_labels(self, chunk: Chunk, found: Found, place: Numbers | None = None) -> Numbers:
        """Return each pixel's component, in a given place, or until the next chunk is labelled."""
        out = self._scratch_for(chunk) if place is None else place
        return found.labels(chunk, self._whole, self._image.read(chunk), out)

    def _still_there(self, found: Found, written: int) -> int:
        """Return how many chunks need not be written again: all or none of those that were.

        What an earlier run has written may be gone, or the caller may have given another array. The last
        chunk with a component tells.
        """
        numbers = np.flatnonzero(found.counts[:written])
        if not self._labels.lasts or not len(numbers):
            return 0
        last = next(self._whole.grid.chunks(int(numbers[-1])))
        return written if self._labels.holds(last, self._final_labels(last, found)) else 0

    # -- both ------------------------------------------------------------------------------------------

    def _scratch_for(self, chunk: Chunk) -> Numbers:
        """Return an array for a chunk's labels, which takes the place of the last one: new memory is slow."""
        return self._scratch[: chunk.size].reshape(chunk.shape)

    def _each(
        self, which: int, begin: int, work: Callable[[Chunk], None], state: Callable[[], Forest]
    ) -> None:
        """Do a pass's work on each chunk from some number on, and keep the state now and then."""
        done, chunks = begin, len(self._whole.grid)
        try:
            for chunk in self._whole.grid.chunks(begin):
                work(chunk)
                self._image.let_go()
                done = chunk.number + 1
                self._report(((which - FIRST) * chunks + done) / (2 * chunks))
                if self._checkpoint is not None and self._checkpoint.is_due():
                    self._checkpoint.write(state(), {"pass": which, "record": done})
        except KeyboardInterrupt:
            if self._checkpoint is not None and done > begin:
                self._checkpoint.write(state(), {"pass": which, "record": done})
            raise
