"""The memory that labelling an image chunk by chunk takes, and what a caller allows."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from pointerjump import limits
from pointerjump.errors import MemoryLimitError
from pointerjump.face.chunks import ChunkedImage
from pointerjump.face.seams import Seams, seam_shapes
from pointerjump.memory import available, in_words

DEFAULT = 1 << 31
"""Bytes for which chunks are made if the caller does not say."""

SHARE_OF_CHUNK = 2
"""One part in so many of the memory is for the chunk that is being labelled."""

LABELLING_BYTES = 18
"""What labelling takes at most for each pixel, beside the pixel itself: 4 for its label and 1 for bits;
and 4 for its parent and 9 for giving it another number, if it is a run of its own."""

NUMBER_BYTES = 9
"""What a provisional number takes when the forest has just grown: 4 bytes for the old parent, and 5 for the
new one, since a quarter more room is taken than there was. Twice that where numbers have 8 bytes."""

PLACE_BYTES = 16
"""What the place of a component's first pixel takes, while all of them are put into one array."""


def fitting_pixels(size: int | None, dtype: np.dtype[Any]) -> int:
    """Return how many pixels a chunk may have if labelling may take so many bytes."""
    size = size or min(DEFAULT, available()[0] // 2)
    return max(1, size // SHARE_OF_CHUNK // (LABELLING_BYTES + dtype.itemsize))


class Room:
    """The memory that labelling may take.

    Parameters
    ----------
    size : int or None
        Bytes, if there is a bound.
    whole : ChunkedImage

    Raises
    ------
    MemoryLimitError
        If a chunk and the seams take more.
    """

    def __init__(self, size: int | None, whole: ChunkedImage) -> None:
        self._size = size
        self._per_place = 0 if whole.grid.in_scan_order else PLACE_BYTES
        self._taken = _bytes_at_once(whole)
        if size is not None and self._taken > size:
            raise MemoryLimitError(
                f"chunks of shape {whole.grid.largest} and the planes between them take about "
                f"{in_words(self._taken)}, and memory is {in_words(size)}: allow more, or give another chunk"
            )

    def require_for_numbers(self, seams: Seams) -> None:
        """Refuse more provisional numbers than there is room for.

        Raises
        ------
        MemoryLimitError
        """
        if self._size is None:
            return
        narrow = seams.numbered <= limits.MOST_NARROW_VERTICES
        per_number = NUMBER_BYTES * (1 if narrow else 2) + self._per_place
        size, left = per_number * seams.numbered, self._size - self._taken
        if size > left:
            raise MemoryLimitError(
                f"the first {len(seams.counts):,} chunks have {seams.numbered:,} components, whose numbers "
                f"take {in_words(size)}, and memory leaves {in_words(left)} for them: allow more"
            )


def _bytes_at_once(whole: ChunkedImage) -> int:
    """Return about how many bytes a chunk and the seams take."""
    pixel, number = int(whole.image.pixels.dtype.itemsize), np.dtype(whole.label_dtype).itemsize
    seams = [prod(shape) for shapes in seam_shapes(whole) for shape in shapes]
    largest = max([prod(whole.grid.largest), *seams])  # seams are labelled, too
    return (pixel + LABELLING_BYTES) * largest + (pixel + number) * sum(seams)
