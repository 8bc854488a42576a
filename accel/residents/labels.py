"""Labelled images on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pointerjump.accel.residents.images import ResidentImage
from pointerjump.accel.runtime.session import Buffer, Kernels, Session
from pointerjump.base import memory
from pointerjump.base.images import Image

if TYPE_CHECKING:
    from pointerjump.accel.shapes import Shape

AS_UNSIGNED = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}
"""The OpenCL C type of labels with a given number of bytes. It is unsigned, because labels are never
negative."""

SLOTS = 256
"""The number of slots in local memory in which a work-group collects regions or contacts. They fit in the
local memory of every device."""


class LabelledImage(Image):
    """An image whose pixels are labels. New labels have the same dtype as the pixels."""

    @property
    def label_dtype(self) -> Any:
        return self.pixels.dtype.type


class ResidentLabels(ResidentImage):
    """An image on a device whose pixels are labels, optionally with room for new labels.

    Reading is fastest if neighbors along the last axis are closest in memory. If `renumbered` is true, there
    is room for new labels, which are written to `out`. See :class:`ResidentImage`.
    """

    WAY_OUT = memory.LESS_AT_A_TIME

    def __init__(self, labels: Any, session: Session, *, renumbered: bool = False, out: Any = None) -> None:
        self._renumbered = renumbered
        super().__init__(LabelledImage(labels, 1), session, out)

    def _place_labels(self, out: Any) -> None:
        if self._renumbered:
            super()._place_labels(out)
        else:  # no labels are written
            self._labels, self.label, self._first_label = self._pixels, self.pixels, 0

    @property
    def axes(self) -> int:
        return len(self.image.shape)

    def over(self, strip: int) -> Shape:
        return self.session.shapes.over(self.strips(strip))

    def given(self, strip: int) -> tuple[Any, Buffer, Buffer]:
        """Return every kernel's first arguments: the number of strips, the image layout and the labels."""
        return self.count_t(self.strips(strip)), self.layout(), self.pixels

    def label_kernels(
        self, file: str, access: str | None, strip: int, most_slots: int | None = None, **macros: Any
    ) -> Kernels:
        """Return a file's kernels, built to read pixels as labels (see given_labels.h)."""
        itemsize = self.image.pixels.dtype.itemsize
        return self.kernels(
            file,
            access,
            strip,
            LABEL=AS_UNSIGNED[itemsize],
            SLOTS=min(SLOTS, most_slots or SLOTS),
            ADJACENT=self.strides[3] == itemsize or self.shape[3] <= 1,
            **macros,
        )
