"""The labels of an image on a device."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from pointerjump.accel.residents.images import ResidentImage
from pointerjump.accel.runtime.session import Kernels, Session
from pointerjump.accel.shapes import Shape
from pointerjump.images import MOST_AXES, Image

AS_UNSIGNED = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}
"""The types as which kernels read labels, by the bytes of one: no label is negative."""


class ResidentLabels:
    """The labels of an image on a device. Neighbors along the last axis should be closest in memory.

    Parameters
    ----------
    labels : ndarray or pyopencl array of integers, of 1 to 4 dimensions
    session : Session

    Attributes
    ----------
    buffer, layout : Buffer
        The labels, and where they are in it, as kernels take them.
    """

    def __init__(self, labels: Any, session: Session) -> None:
        self.session, self.given = session, labels
        self._image = ResidentImage(Image(labels, 1), session)
        self.buffer = self._image.pixels
        missing = MOST_AXES - labels.ndim
        shape, strides = (1,) * missing + self.shape, (0,) * missing + self._image.strides
        layout = np.array([*shape, *strides, self._image.first_byte, *strides], np.int64)
        self.layout = session.put_writable(layout, "how labels lie in memory")
        self._is_adjacent = strides[-1] == self.dtype.itemsize
        self.strips = prod(shape[:-1]) * -(-shape[-1] // session.tuning.strip)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of pixels along each axis."""
        return tuple(self.given.shape)

    @property
    def size(self) -> int:
        """The number of pixels."""
        return int(self.given.size)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The labels' dtype."""
        return np.dtype(self.given.dtype)

    @property
    def over_strips(self) -> Shape:
        """A launch over strips."""
        return self.session.shapes.over(self.strips)

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What kernels take first: the number of strips, where labels are, and the labels."""
        wide = np.uint64 if self._is_wide else np.uint32
        return wide(self.strips), self.layout, self.buffer

    @property
    def _is_wide(self) -> bool:
        """Whether 32 bits are too few to count pixels."""
        return self.size >= 1 << 31  # a counter passes the end before it stops

    def kernels(self, file: str, access: str | None = None, **macros: object) -> Kernels:
        """Return the kernels of a file; the default for `access` is what suits the device."""
        return self.session.kernels(
            file,
            access,
            LABEL=AS_UNSIGNED[self.dtype.itemsize],
            ADJACENT=self._is_adjacent,
            WIDE_IMAGE=self._is_wide,
            BITS=32,
            STRIP=self.session.tuning.strip,
            SLOWEST=0,
            THIRD=1,
            SECOND=2,
            FASTEST=3,
            **macros,
        )
