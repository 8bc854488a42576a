"""``label``: labels an image at once or chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from math import floor, prod
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.images import Image, Pixels, as_pixels, image_of, neighbors_within, stand_in
from pointerjump.cli.tasks import (
    RESERVE,
    Facts,
    Task,
    Told,
    bounded,
    going_on,
    require_more_than_the_program,
)
from pointerjump.cli.terminal import complain
from pointerjump.errors import FormatError, FormatWarning, ImageError, warn_user
from pointerjump.formats.files import naming
from pointerjump.formats.images import UnfinishedLabels, read_image, require_image_file, write_image
from pointerjump.imaging import chunked_labels, labels
from pointerjump.imaging.chunked_arrays import let_go
from pointerjump.registry.algorithm import InputFacts
from pointerjump.registry.selection import select
from pointerjump.solving.run import REFERENCE, Order, Run

AT_ONCE = 1 << 22
"""The number of labels that are counted together."""


def labels_of_image(task: Task) -> Told:
    asked, steps = task.asked, task.steps
    labelling = Labelling(task)
    if asked.output is not None:
        require_image_file(asked.output)
    with labelling.tidied_up():
        wanted = task.open("image-labelling")
        with steps.timed("reading", "read"):
            labelling.read()
        steps.begin("labelling")
        task.finish(labelling.run(wanted), labelling.verify, labelling.write)
    return labelling.told()


class Labelling:
    """The labels of an image, and the file that they go to.

    Attributes
    ----------
    file : ImageFile
    pixels : array
        The pixels to label, which may be read only when sliced.
    image : Image
        The request. Its pixels are a stand-in of the right shape and dtype.
    why : str or None
        The reason to label it chunk by chunk, if there is one.
    labels, sizes : array
        The answer, and the number of pixels with each label, from 1 on.
    """

    def __init__(self, task: Task) -> None:
        asked = task.asked
        self.asked, self.steps = asked, task.steps
        self.path: str = asked.input
        self.unfinished: UnfinishedLabels | None = None
        self.of_chunks = [n for n in ("chunk", "memory", "checkpoint") if getattr(asked, n) is not None]
        for name in ("multilabel", "background", "delta"):
            given = getattr(asked, name)
            if asked.threshold is not None and not (given is None or given is False):
                raise click.UsageError(
                    f"--threshold makes a mask, in which --{name} means nothing: leave one of them out"
                )
        if self.of_chunks and (asked.algorithm != "auto" or asked.variant.strip(", ")):
            raise click.UsageError(
                f"--{self.of_chunks[0]} labels chunk by chunk, and --algorithm and --variant are for images "
                "that are labelled at once: leave them out"
            )

    @contextmanager
    def tidied_up(self) -> Iterator[None]:
        """Remove unfinished labels in the end, unless a later run can go on with them by a checkpoint.

        It cannot if the labels are new and the checkpoint is old: this is then another run's.
        """
        before = self._checkpoint_written()
        try:
            with going_on(self.asked.checkpoint):
                yield
        finally:
            if self.unfinished is not None:
                now = self._checkpoint_written()
                if now is None or not (self.unfinished.were_left or now != before):
                    self.unfinished.remove()

    def _checkpoint_written(self) -> int | None:
        try:
            return Path(self.asked.checkpoint).stat().st_mtime_ns if self.asked.checkpoint else None
        except OSError:
            return None

    def read(self) -> None:
        asked, path = self.asked, self.path
        if path == "-":
            raise FormatError("-: images are read from files: save standard input to one")
        self.file = read_image(path, asked.channel, progress=self.steps.show)
        pixels: Any = self.file.pixels
        with naming(Path(path)):
            as_pixels(stand_in(pixels.shape, pixels.dtype))
            if asked.threshold is not None:
                pixels = AboveThreshold(pixels, asked.threshold)
            background = 0 if asked.background is None else asked.background
            self.image = image_of(
                stand_in(pixels.shape, pixels.dtype),
                asked.connectivity,
                asked.multilabel,
                None if background == "none" else background,
                asked.delta,
                asked.wrap_axes or (),
            )
        self.pixels, why = pixels, self._why_in_chunks()
        self.why = why
        if asked.output is not None:
            require_image_file(asked.output, self.image.shape, in_parts=why is not None)
        elif why is not None:
            raise click.UsageError(f"{path}: {why}: name a .npy or .zarr file for the labels by -o")
        if why is not None and not self.of_chunks and not asked.as_json:
            complain(f"{path} is labelled chunk by chunk: {why}")
        # Whether no option says what foreground is, or that values matter.
        if (asked.threshold, asked.background, asked.delta, asked.multilabel) == (None, None, None, False):
            middle = pixels.shape[0] // 2
            if _is_grey(self.whole.pixels if why is None else pixels[middle : middle + 1]):
                warn_user(
                    f"{path} holds grey values, and every pixel that is not 0 is foreground: --threshold "
                    "makes a mask, --multilabel keeps different values apart, and --background 0 says that "
                    "this is meant",
                    FormatWarning,
                )

    @cached_property
    def whole(self) -> Image:
        """The image with its pixels in memory."""
        return replace(self.image, pixels=as_pixels(self.pixels[...]))

    def _why_in_chunks(self) -> str | None:
        for name in ("chunk", "checkpoint"):
            if name in self.of_chunks:
                return f"--{name} is given"
        with bounded(self.asked.memory):
            return chunked_labels.why_in_chunks(self.image)

    def run(self, wanted: Order) -> Facts:
        if self.why is None:
            self.labels, count, run = labels.find_labels(wanted, labels.HostImage(self.whole))
        else:
            asked, session = wanted
            facts = InputFacts(self.image.size, form="image")
            choice = select(asked, facts, session.tuning if session else None)
            run = Run(choice, (session.device if session else REFERENCE,))
            with run.seconds.timed("compute"):
                self.labels, count = self._label_in_chunks()
        with run.seconds.timed("summary"):
            self.sizes = _sizes(self.labels, count)
        return run.stats()

    def _label_in_chunks(self) -> tuple[Any, int]:
        """Label the image; return its labels, in an unfinished file, and their number."""
        asked, image, size = self.asked, self.image, self.asked.memory
        if size is not None:
            require_more_than_the_program(size)
            size -= memory.resident() + RESERVE
        self.unfinished = UnfinishedLabels(
            str(asked.output), image.shape, image.label_dtype, self.file, asked.checkpoint is not None
        )
        try:
            found: tuple[Any, int] = chunked_labels.label_chunks(
                self.pixels,
                asked.chunk,
                connectivity=image.connectivity,
                multilabel=image.alike == "equal",
                background=image.background,
                delta=image.difference,
                wrap_axes=asked.wrap_axes or (),
                out=self.unfinished.array,
                checkpoint=asked.checkpoint,
                memory=size,
                progress=self.steps.show,
                return_num=True,
                device=asked.device,
            )
        except ImageError as error:
            raise ImageError(f"{self.path}: {error}") from error
        return found

    def verify(self) -> None:
        from pointerjump.verifiers.images import verify_labels_of

        verify_labels_of(self.whole, self.labels[...], self.steps.show)

    def write(self, path: str) -> None:
        if self.unfinished is not None:
            self.unfinished.put_in_place()
        else:
            write_image(path, self.labels, self.file)

    def told(self) -> Told:
        image, sizes = self.image, self.sizes
        dtype, neighbors = str(image.pixels.dtype), neighbors_within(image.connectivity, len(image.shape))
        largest, foreground = int(sizes.max(initial=0)), int(sizes.sum())
        largest_label = int(sizes.argmax()) + 1 if len(sizes) else None
        facts = {
            "shape": list(image.shape),
            "dtype": dtype,
            "connectivity": image.connectivity,
            "neighbors": neighbors,
            "components": len(sizes),
            "largest": largest,
            "largest_label": largest_label,
            "foreground": foreground,
            "chunked": self.why,
        }
        shape = " x ".join(map(str, image.shape))
        lines = [
            ("components", f"{len(sizes):,}"),
            ("largest", f"label {largest_label}, {_share(largest, image.size)}" if len(sizes) else "none"),
            ("foreground", _share(foreground, image.size)),
            ("image", f"{shape}, {dtype}, {neighbors} neighbors"),
            *([("chunked", self.why)] if self.why else []),
        ]
        return Told("labels", "the labels are right", facts, lines)


class AboveThreshold:
    """Whether pixels are above a threshold, worked out for each slice."""

    def __init__(self, pixels: Any, threshold: int | float) -> None:
        # Large integers and floating-point numbers cannot be compared exactly.
        self._threshold = threshold if pixels.dtype.kind == "f" else floor(threshold)
        self._pixels = pixels
        self.shape: tuple[int, ...] = pixels.shape
        self.dtype: np.dtype[Any] = np.dtype(np.bool_)
        self.chunks: tuple[int, ...] | None = getattr(pixels, "chunks", None)

    def __getitem__(self, where: Any) -> Pixels:
        above: Pixels = self._pixels[where] > self._threshold
        let_go(self._pixels)
        return above


def _is_grey(pixels: Pixels) -> bool:
    """Return whether pixels have more than two values, reading a part at a time."""
    if pixels.dtype.kind == "b" or pixels.size == 0:
        return False
    values: set[Any] = set()
    some: Any
    for some in np.nditer(pixels, ["external_loop", "buffered"], buffersize=AT_ONCE):
        low, high = some.min(), some.max()
        values |= {low, high}
        if len(values) > 2 or ((some != low) & (some != high)).any():
            return True
    return False


def _sizes(labels: Any, count: int) -> npt.NDArray[np.int64]:
    """Return the number of pixels with each label, from 1 on, reading a part of the labels at a time."""
    at_once = max(AT_ONCE, count)
    planes = max(1, at_once // max(1, prod(labels.shape[1:])))
    sizes = np.zeros(count + 1, np.int64)
    for begin in range(0, labels.shape[0], planes):
        there = (slice(begin, min(begin + planes, labels.shape[0])), *map(slice, labels.shape[1:]))
        sizes += np.bincount(labels[there].ravel(), minlength=count + 1)
        let_go(labels)
    return sizes[1:]


def _share(pixels: int, of: int) -> str:
    return f"{pixels:,} pixels ({pixels / max(1, of):.1%} of the image)"
