"""The command ``label``, which labels an image in one go or chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from math import floor, prod
from pathlib import Path
from typing import Any, cast

import click
import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.arrow import pa
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
from pointerjump.formats.images import (
    UnfinishedLabels,
    read_image,
    require_image_file,
    write_image,
    write_picture,
)
from pointerjump.imaging import chunked_labels, labels
from pointerjump.imaging.chunked_arrays import let_go
from pointerjump.imaging.label_regions import regions
from pointerjump.imaging.overlays import overlay
from pointerjump.registry.algorithm import InputFacts
from pointerjump.registry.selection import select
from pointerjump.solving.run import REFERENCE, Order, Run
from pointerjump.tables.write import require_table_file, write_table

AT_ONCE = 1 << 22  # the number of labels or pixels that are processed at a time
MOST_BINS = 1 << 24  # the largest range of integers for which each value has its own bin


def labels_of_image(task: Task) -> Told:
    asked, steps = task.asked, task.steps
    labelling = Labelling(task)
    task.require_output(require_image_file)
    if asked.regions is not None:
        require_table_file(asked.regions)
    task.until_told.enter_context(labelling.tidied_up())
    wanted = task.open("image-labelling")
    with steps.timed("reading", "read"):
        labelling.read()
    steps.begin("labelling")
    task.finish(labelling.run(wanted), labelling.verify, labelling.write)
    if asked.regions is not None and steps.why_not is None:
        with steps.timed("writing", "write"):
            table = pa.table(labelling.measured)
            write_table(asked.regions, table.schema, [table])
    return labelling.told()


class Labelling:
    """Labels an image and writes the labels to a file.

    `pixels` may be an array in a file, which is read only when it is sliced. `image` holds the options. Its
    own pixels are only a placeholder with the shape and dtype of `pixels`. `why` is the reason for labelling
    chunk by chunk, or None. `sizes` holds the number of pixels with each label, from label 1 on. `found` is
    the number of components before any of them are removed.
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
        self.filters = [n for n in ("min_size", "largest") if getattr(asked, n) is not None]
        if self.filters and asked.checkpoint is not None:
            option = self.filters[0].replace("_", "-")
            raise click.UsageError(
                f"--{option} changes labels that are written, and with --checkpoint a later run may go on "
                "with them: leave one of them out"
            )
        if asked.overlay and (asked.output is None or not asked.output.lower().endswith(".png")):
            raise click.UsageError("--overlay writes a picture: name a .png file for it by -o")
        if self.of_chunks and (asked.algorithm != "auto" or asked.variant.strip(", ")):
            raise click.UsageError(
                f"--{self.of_chunks[0]} labels chunk by chunk, and --algorithm and --variant are for images "
                "that are labelled at once: leave them out"
            )

    @contextmanager
    def tidied_up(self) -> Iterator[None]:
        """Remove unfinished labels on exit, unless a later run can continue from a checkpoint.

        If this run created the file with the labels, only a checkpoint that this run wrote can be used. An
        older one belongs to another run.
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
        with naming(path):
            as_pixels(stand_in(pixels.shape, pixels.dtype))
            self.threshold = otsu(pixels) if asked.threshold == "otsu" else asked.threshold
            if self.threshold is not None:
                pixels = AboveThreshold(pixels, self.threshold)
            background = 0 if asked.background is None else asked.background
            self.image = image_of(
                stand_in(pixels.shape, pixels.dtype),
                asked.connectivity,
                asked.multilabel,
                None if background == "none" else background,
                asked.delta,
                asked.wrap_axes or (),
            )
        self.pixels = pixels
        self.why = why = self._why_in_chunks()
        if asked.output is not None:
            require_image_file(asked.output, self.image.shape, in_parts=why is not None)
        elif why is not None:
            raise click.UsageError(f"{path}: {why}: name a .npy or .zarr file for the labels by -o")
        if why is not None and not self.of_chunks and not asked.as_json:
            complain(f"{path} is labelled chunk by chunk: {why}")
        # No option says what is foreground, or that values matter.
        if (asked.threshold, asked.background, asked.delta, asked.multilabel) == (None, None, None, False):
            middle = pixels.shape[0] // 2
            if _is_grey(self.whole.pixels if why is None else pixels[middle : middle + 1]):
                warn_user(
                    f"{path} holds grey values, and every pixel that is not 0 is foreground: --threshold T "
                    "or --threshold otsu makes a mask, --multilabel keeps different values apart, and "
                    "--background 0 says that this is meant",
                    FormatWarning,
                )

    @cached_property
    def whole(self) -> Image:
        """The image, with all of its pixels in memory."""
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
        self.found = count
        return {name: fact for name, fact in run.stats().items() if name != "components"}

    def _label_in_chunks(self) -> tuple[Any, int]:
        """Label the image in chunks, writing to an unfinished file. Return the labels and their count."""
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
        self.keep()
        if self.asked.regions is not None:
            _ = self.measured  # must be computed before the file with the labels is moved
        if self.asked.overlay:
            write_picture(path, overlay(as_pixels(self.file.pixels[...]), self.labels))
        elif self.unfinished is not None:
            self.unfinished.put_in_place()
        else:
            write_image(path, self.labels, self.file)

    def keep(self) -> None:
        """Remove components that are too small or not among the largest, and renumber the others in order."""
        asked, sizes = self.asked, self.sizes
        if not self.filters:
            return
        kept = np.arange(len(sizes)) if asked.min_size is None else np.flatnonzero(sizes >= asked.min_size)
        if asked.largest is not None:
            kept = np.sort(kept[np.argsort(-sizes[kept], kind="stable")[: asked.largest]])
        number = np.zeros(len(sizes) + 1, self.labels.dtype)
        number[kept + 1] = np.arange(1, len(kept) + 1)
        for there in _slabs(self.labels, AT_ONCE):
            self.labels[there] = number[self.labels[there]]
            let_go(self.labels)
        self.sizes, self.filters = sizes[kept], []

    @cached_property
    def measured(self) -> dict[str, npt.NDArray[Any]]:
        self.keep()
        pixels = self.file.pixels if self.file.pixels.dtype.kind != "b" else None
        slab = next(_slabs(self.labels, AT_ONCE), ()) if self.why is not None else ()
        found = regions(
            self.labels,
            pixels,
            wrap_axes=self.asked.wrap_axes or (),
            chunk=tuple(each.stop - each.start for each in slab) or None,
            device=self.asked.device,
        )
        return found.table()

    def told(self) -> Told:
        self.keep()
        image, sizes = self.image, self.sizes
        dtype, neighbors = str(image.pixels.dtype), neighbors_within(image.connectivity, len(image.shape))
        largest, foreground = int(sizes.max(initial=0)), int(sizes.sum())
        largest_label = int(sizes.argmax()) + 1 if len(sizes) else None
        facts: Facts = {"shape": list(image.shape), "dtype": dtype, "connectivity": image.connectivity}
        facts |= {"neighbors": neighbors, "components": len(sizes), "found": self.found}
        facts |= {"threshold": self.threshold, "largest": largest, "largest_label": largest_label}
        facts |= {"foreground": foreground, "chunked": self.why}
        shape = " x ".join(map(str, image.shape))
        lines = [
            ("components", f"{len(sizes):,}" + (f" of {self.found:,}" if self.found > len(sizes) else "")),
            ("largest", f"label {largest_label}, {_share(largest, image.size)}" if len(sizes) else "none"),
            ("foreground", _share(foreground, image.size)),
            ("image", f"{shape}, {dtype}, {neighbors} neighbors"),
            *([("threshold", f"{self.threshold:g}")] if self.asked.threshold == "otsu" else []),
            *([("chunked", self.why)] if self.why else []),
        ]
        return Told("overlay" if self.asked.overlay else "labels", "the labels are right", facts, lines)


class AboveThreshold:
    """A boolean image of the pixels above a threshold. Each slice is computed when it is read."""

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


def otsu(pixels: Any) -> int | float:
    """Return the threshold that best separates the pixels into two classes.

    Otsu's method (IEEE Transactions on Systems, Man, and Cybernetics 9, 1979) prefers two large classes whose
    means are far apart. As in scikit-image, each integer has its own bin. Floating-point numbers are sorted
    into 256 bins, as are integers whose range exceeds 2^24 values. The pixels are read in batches.
    """
    parts = [*_slabs(pixels, AT_ONCE)]
    ends = [(pixels[there].min(), pixels[there].max()) for there in parts]
    if not ends:
        raise ImageError("it has no pixels, so there is no threshold: leave out --threshold otsu")
    least, most = min(end[0] for end in ends), max(end[1] for end in ends)
    if not (np.isfinite(least) and np.isfinite(most)) or any(low != low for low, _ in ends):
        raise ImageError("some pixels are not finite numbers: give a number as --threshold")
    if least == most:
        return cast(float, least.item())
    count = int(most) - int(least) + 1 if pixels.dtype.kind != "f" else MOST_BINS + 1
    bins = count if count <= MOST_BINS else 256
    counts, middles = np.zeros(bins), np.arange(bins) + float(least)
    for there in parts:
        if count <= MOST_BINS:
            # Differences are correct even if the subtraction overflows.
            above = pixels[there].ravel().astype(np.int64) - np.array([least]).astype(np.int64)
            counts += np.bincount(above, minlength=bins)
        else:
            try:
                with np.errstate(over="ignore", invalid="ignore"):
                    found, edges = np.histogram(pixels[there], bins, (least, most))
            except ValueError:
                raise ImageError(
                    f"its pixels are from {least} to {most}, too close together or too far apart for "
                    "--threshold otsu: give a number"
                ) from None
            counts, middles = counts + found, (edges[:-1] + edges[1:]) / 2
        let_go(pixels)
    below, sums = counts.cumsum(), (counts * middles).cumsum()
    rest, other = counts[::-1].cumsum()[::-1], (counts * middles)[::-1].cumsum()[::-1]
    apart = (sums / below)[:-1] - (other / rest)[1:]
    return cast(float, middles[np.argmax(below[:-1] * rest[1:] * apart**2)].item())


def _slabs(array: Any, most: int) -> Iterator[tuple[slice, ...]]:
    """Yield slabs along the first axis. Each has at most `most` pixels, unless a single plane has more."""
    thick = max(1, most // max(1, prod(array.shape[1:])))
    for begin in range(0, array.shape[0] if prod(array.shape) else 0, thick):
        yield slice(begin, min(begin + thick, array.shape[0])), *(slice(0, size) for size in array.shape[1:])


def _is_grey(pixels: Pixels) -> bool:
    """Return whether the pixels have more than two distinct values. They are read in batches."""
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
    """Return the number of pixels with each label, from label 1 on. Labels are read in batches."""
    sizes = np.zeros(count + 1, np.int64)
    for there in _slabs(labels, max(AT_ONCE, count)):
        sizes += np.bincount(labels[there].ravel(), minlength=count + 1)
        let_go(labels)
    return sizes[1:]


def _share(pixels: int, of: int) -> str:
    return f"{pixels:,} pixels ({pixels / max(1, of):.1%} of the image)"
