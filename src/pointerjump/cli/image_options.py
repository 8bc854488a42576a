"""The options of ``label``: which pixels of an image belong together, and how large its chunks are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, isfinite
from typing import TYPE_CHECKING, Any, Literal

import click

from pointerjump.cli.options import checkpoint_option, memory_option, with_options

if TYPE_CHECKING:
    import numpy as np

    from pointerjump.formats.images import ImageFile
    from pointerjump.images import Image, Pixels


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
    chunk, checkpoint
        As for :func:`pointerjump.label_chunks`.
    memory : int or None
        How many bytes the whole run may take.
    """

    connectivity: int
    multilabel: bool
    background: int | float | str | None
    delta: int | float | None
    wrap_axes: tuple[int, ...]
    threshold: int | float | None
    channel: int | Literal["all"] | None
    chunk: int | tuple[int, ...] | None
    memory: int | None
    checkpoint: str | None

    def require_sense(self, algorithm: str, variant: str) -> None:
        """Refuse what does not go together, before anything is read."""
        for name in ("multilabel", "background", "delta"):
            given = getattr(self, name)
            if self.threshold is not None and not (given is None or given is False):
                raise click.UsageError(
                    f"--threshold makes a mask, in which --{name} means nothing: leave one of them out"
                )
        if self.of_chunks and (algorithm != "auto" or variant.strip(", ")):
            raise click.UsageError(
                f"--{self.of_chunks[0]} labels chunk by chunk, and --algorithm and --variant are for images "
                "that are labelled at once: leave them out"
            )

    @property
    def of_chunks(self) -> list[str]:
        """The options about chunks that are given."""
        return [name for name in ("chunk", "memory", "checkpoint") if getattr(self, name) is not None]

    @property
    def only_zero_is_background(self) -> bool:
        """Whether nothing that was asked for says what foreground is, or that values matter."""
        return (self.threshold, self.background, self.delta, self.multilabel) == (None, None, None, False)

    def image_of(self, file: ImageFile) -> tuple[Any, Image]:
        """Return what is labelled, to be sliced, and what is asked of it, with pixels that are a stand-in."""
        from pointerjump.images import as_pixels, image_of, stand_in

        pixels = file.pixels
        as_pixels(stand_in(pixels.shape, pixels.dtype))
        if self.threshold is not None:
            pixels = AboveThreshold(pixels, self.threshold)
        background = 0 if self.background is None else self.background
        image = image_of(
            stand_in(pixels.shape, pixels.dtype),
            self.connectivity,
            self.multilabel,
            None if isinstance(background, str) else background,
            self.delta,
            self.wrap_axes,
        )
        return pixels, image


class AboveThreshold:
    """Which pixels are above a threshold. They are compared with it when they are sliced."""

    def __init__(self, pixels: Any, threshold: int | float) -> None:
        import numpy as np

        # Large integers and floating-point numbers cannot be compared exactly.
        self._threshold = threshold if pixels.dtype.kind == "f" else floor(threshold)
        self._pixels = pixels
        self.shape: tuple[int, ...] = pixels.shape
        self.dtype: np.dtype[Any] = np.dtype(np.bool_)
        self.chunks: tuple[int, ...] | None = getattr(pixels, "chunks", None)

    def __getitem__(self, where: Any) -> Pixels:
        """Return which of the pixels there are above the threshold."""
        from pointerjump.chunked_arrays import let_go

        above: Pixels = self._pixels[where] > self._threshold
        let_go(self._pixels)
        return above


# -- what is checked as options are parsed -----------------------------------------------------------


def _number(context: click.Context, option: click.Parameter, value: str | None) -> int | float | None:
    """Return a number; one that is written as an integer stays one, however large."""
    if value is None:
        return None
    for kind in (int, float):
        try:
            number = kind(value)
        except ValueError:
            continue
        if isfinite(number):
            return number
    raise click.BadParameter(f"{value!r} is not a finite number", context, option)


def _number_or_none(
    context: click.Context, option: click.Parameter, value: str | None
) -> int | float | str | None:
    """Return a number, or "none" if that is what is written."""
    return value if value == "none" else _number(context, option, value)


def _axes(context: click.Context, option: click.Parameter, value: str | None) -> tuple[int, ...]:
    """Return the numbers of axes."""
    try:
        return _integers(value) if value is not None else ()
    except ValueError:
        raise click.BadParameter(f"{value!r} is not axes: write 0 or 0,1", context, option) from None


def _chunk(
    context: click.Context, option: click.Parameter, value: str | None
) -> int | tuple[int, ...] | None:
    """Return the shape of a chunk, or one number for all axes."""
    try:
        numbers = _integers(value) if value is not None else None
    except ValueError:
        raise click.BadParameter(
            f"{value!r} is not a chunk: write 256 or 64,512,512", context, option
        ) from None
    return numbers[0] if numbers is not None and len(numbers) == 1 else numbers


def _integers(value: str) -> tuple[int, ...]:
    return tuple(int(number) for number in value.split(","))


def _channel(context: click.Context, option: click.Parameter, value: str | None) -> int | str | None:
    """Return the number of a channel, or "all"."""
    if value is None or value == "all":
        return value
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        raise click.BadParameter(
            f"{value!r} is no channel: write a number from 0 on, or all", context, option
        )
    return int(value)


# -- options -----------------------------------------------------------------------------------------

_image_options = (
    click.option(
        "--connectivity",
        metavar="N",
        type=int,
        default=1,
        show_default=True,
        help="Along how many axes neighbors may differ, or how many neighbors a pixel has: 4 or 8 in two "
        "dimensions, 6, 18 or 26 in three.",
    ),
    click.option("--multilabel", is_flag=True, help="Neighbors with equal values belong together."),
    click.option(
        "--delta",
        metavar="D",
        callback=_number,
        help="Neighbors belong together if their values differ by at most D.",
    ),
    click.option(
        "--background",
        metavar="VALUE|none",
        callback=_number_or_none,
        help="Pixels with this value are in no component; none: there are no such pixels. [default: 0]",
    ),
    click.option(
        "--threshold", metavar="T", callback=_number, help="Pixels above this value are foreground."
    ),
    click.option(
        "--wrap-axes",
        metavar="A,B",
        callback=_axes,
        help="Axes along which the last pixels are neighbors of the first ones, from 0 on.",
    ),
    click.option(
        "--channel",
        metavar="N|all",
        callback=_channel,
        help="Which channel to label if there are several, from 0 on; all, if they are slices of a volume.",
    ),
)

_chunk_options = (
    click.option(
        "--chunk",
        metavar="N,N,...",
        callback=_chunk,
        help="Label chunk by chunk; a chunk has this many pixels along each axis. One number counts for all.",
    ),
    memory_option("Label chunk by chunk if the run would take more memory than this, as in 2GiB."),
    checkpoint_option,
)


def image_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say which pixels of an image belong together."""
    return with_options(command, _image_options)


def chunk_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for images that are labelled chunk by chunk."""
    return with_options(command, _chunk_options)
