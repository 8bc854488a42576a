"""The options of ``label`` that say what is asked of an image, and whether that makes sense."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from pointerjump.formats.images import ImageFile
    from pointerjump.images import Image


@dataclass(frozen=True)
class ImageOptions:
    """What a user asks of an image.

    Attributes
    ----------
    connectivity, multilabel, delta, wrap_axes
        As for :func:`pointerjump.label`.
    background : int, float, "none" or None
        The same; None: it was not given.
    threshold : int, float or None
        Above which value pixels are foreground.
    channel : int, "all" or None
        Which of several channels is labelled.
    """

    connectivity: int
    multilabel: bool
    background: int | float | str | None
    delta: int | float | None
    wrap_axes: tuple[int, ...]
    threshold: int | float | None
    channel: int | Literal["all"] | None

    def require_sense(self) -> None:
        """Refuse what does not go together, before anything is read."""
        if self.threshold is None:
            return
        for name in ("multilabel", "background", "delta"):
            given = getattr(self, name)
            if not (given is None or given is False):
                raise click.UsageError(
                    f"--threshold makes a mask, in which --{name} means nothing: leave one of them out"
                )

    @property
    def only_zero_is_background(self) -> bool:
        """Whether nothing that was asked for says what foreground is, or that values matter."""
        return (self.threshold, self.background, self.delta, self.multilabel) == (None, None, None, False)

    def image_of(self, file: ImageFile) -> tuple[Any, Image]:
        """Return what is labelled, to be sliced, and what is asked of it, with pixels that are stand-ins."""
        import numpy as np

        from pointerjump.images import as_pixels, image_of

        def stand_ins(dtype: np.dtype[Any]) -> npt.NDArray[Any]:
            """Return pixels that take no memory."""
            return np.broadcast_to(np.zeros((), dtype.newbyteorder("=")), file.pixels.shape)

        pixels = file.pixels
        as_pixels(stand_ins(pixels.dtype))
        if self.threshold is not None:
            pixels = AboveThreshold(pixels, self.threshold)
        background = 0 if self.background is None else self.background
        image = image_of(
            stand_ins(pixels.dtype),
            self.connectivity,
            self.multilabel,
            None if isinstance(background, str) else background,
            self.delta,
            self.wrap_axes,
        )
        return pixels, image


class AboveThreshold:
    """Which pixels are above a threshold. They are compared with it when they are sliced.

    Parameters
    ----------
    pixels : ndarray, or array that is read when it is sliced
    threshold : int or float
    """

    def __init__(self, pixels: Any, threshold: int | float) -> None:
        import numpy as np

        # Large integers and floating-point numbers cannot be compared exactly.
        self._threshold = threshold if pixels.dtype.kind == "f" else floor(threshold)
        self._pixels = pixels
        self.shape: tuple[int, ...] = pixels.shape
        self.dtype = np.dtype(np.bool_)
        self.chunks: tuple[int, ...] | None = getattr(pixels, "chunks", None)

    def __getitem__(self, where: Any) -> npt.NDArray[np.bool_]:
        """Return which of the pixels there are above the threshold."""
        from pointerjump.face.stored_arrays import StoredImage

        above: npt.NDArray[np.bool_] = self._pixels[where] > self._threshold
        StoredImage(self._pixels).let_go()
        return above
