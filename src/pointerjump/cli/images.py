"""The command that labels images: ``label``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pointerjump import memory
from pointerjump.cli.blocks import RESERVE, require_more_than_the_program, say_how_to_go_on
from pointerjump.cli.complaints import complain
from pointerjump.cli.examples import CommandWithExamples, example
from pointerjump.cli.image_options import ImageOptions, chunk_options, image_options
from pointerjump.cli.options import (
    algorithm_option,
    device_option,
    input_argument,
    json_option,
    output_option,
    variant_option,
    verify_option,
)
from pointerjump.cli.steps import Steps
from pointerjump.cli.tasks import Facts, Summary, Task, carry_out
from pointerjump.errors import FormatError, FormatWarning, ImageError, warn_user

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from pointerjump.formats.images import ImageFile, UnfinishedLabels
    from pointerjump.images import Image, Pixels
    from pointerjump.run import Order

AT_ONCE = 1 << 22
"""How many labels are counted together."""


@click.command(
    cls=CommandWithExamples,
    examples=(
        example(
            "Six pixels that touch only at their corners",
            "python -c \"import numpy as np; np.save('mask.npy', np.eye(6, dtype=bool))\"",
            "pointerjump label mask.npy",
        ),
        example(
            "Pixels that touch at a corner belong together, too",
            "pointerjump label mask.npy --connectivity 2",
        ),
        example(
            "Chunk by chunk, as for an image that is larger than memory; labels are checked and written",
            "pointerjump label mask.npy --chunk 4 --verify -o labels.npy",
        ),
    ),
)
@input_argument
@image_options
@algorithm_option
@variant_option
@device_option
@chunk_options
@output_option(
    "-o",
    "--output",
    help="Write the labels: .npy, .npz, .png (16 bits), .tif, .nii, .nii.gz or .zarr.",
)
@verify_option
@json_option
def label(input: str, output: str | None, **options: Any) -> None:
    """Label the components of an image or a volume.

    Neighbors belong together if both are foreground, which is what is not 0; with --multilabel, if their
    values are equal; with --delta, if their values are close. Labels are 1, 2, ... in the order in which
    components begin, from the first pixel to the last, and 0 for the background.

    INPUT is .npy, .npz with one array, .tif (a stack is a volume), .nii, .nii.gz, .zarr (or one of its
    arrays: a.zarr/NAME), or a picture: .png .bmp .gif .jpg .pbm .pgm .ppm .webp. A JPEG's values are not
    exact: use --threshold. What reads each kind is an extra: pip install 'pointerjump[images]' brings all.
    """
    asked = ImageOptions(**{field.name: options.pop(field.name) for field in fields(ImageOptions)})
    asked.require_sense(options["algorithm"], options["variant"])
    labelling = Labelling(input, asked, output, options["as_json"])
    with labelling.tidied():
        carry_out(labelling, output=output, **options)


@dataclass(frozen=True, eq=False)
class ImageInput:
    """An image in a file, and what is asked of it.

    Attributes
    ----------
    file : ImageFile
    pixels : array
        What is labelled. It may be read only when it is sliced.
    image : Image
        What is asked. Its pixels are a stand-in of the right shape and dtype.
    why : str or None
        Why it is labelled chunk by chunk, if it is.
    """

    file: ImageFile
    pixels: Any
    image: Image
    why: str | None

    @cached_property
    def whole(self) -> Image:
        """The image with its pixels in memory."""
        from pointerjump.images import as_pixels

        return replace(self.image, pixels=as_pixels(self.pixels[...]))


LabelsAndSizes = tuple[Any, "npt.NDArray[np.int64]"]
"""The labels of an image, and how many pixels have each of them, from 1 on."""


class Labelling(Task["ImageInput", "LabelsAndSizes"]):
    """The labels of an image, and the file that they go to."""

    problem = "image-labelling"
    doing = "labelling"
    result = "labels"
    right = "the labels are right"

    def __init__(self, source: str, asked: ImageOptions, output: str | None, as_json: bool) -> None:
        super().__init__(source)
        self._source, self._asked, self._output, self._as_json = source, asked, output, as_json
        self._unfinished: UnfinishedLabels | None = None
        self._checkpoint_before = self._checkpoint_written()

    def require_output(self, path: str) -> None:
        from pointerjump.formats.images import require_image_file

        require_image_file(path)

    def read(self, steps: Steps) -> ImageInput:
        from pointerjump.formats.files import naming
        from pointerjump.formats.images import read_image, require_image_file

        source = self._source
        if source == "-":
            raise FormatError("-: images are read from files: save standard input to one")
        file = read_image(source, self._asked.channel, progress=steps.show)
        with naming(Path(source)):
            pixels, image = self._asked.image_of(file)
        why = self._why_in_chunks(image)
        if self._output is not None:
            require_image_file(self._output, image.shape, in_parts=why is not None)
        elif why is not None:
            raise click.UsageError(f"{source}: {why}: name a .npy or .zarr file for the labels by -o")
        if why is not None and not self._asked.of_chunks and not self._as_json:
            complain(f"{source} is labelled chunk by chunk: {why}")
        given = ImageInput(file, pixels, image, why)
        if self._asked.only_zero_is_background:
            middle = pixels.shape[0] // 2
            if _is_grey(given.whole.pixels if why is None else pixels[middle : middle + 1]):
                warn_user(
                    f"{source} holds grey values, and every pixel that is not 0 is foreground: --threshold "
                    "makes a mask, --multilabel keeps different values apart, and --background 0 says that "
                    "this is meant",
                    FormatWarning,
                )
        return given

    def _why_in_chunks(self, image: Image) -> str | None:
        """Return why an image is to be labelled chunk by chunk, or None if it is to be labelled at once."""
        from pointerjump.chunked_labels import why_in_chunks

        for name in ("chunk", "checkpoint"):
            if name in self._asked.of_chunks:
                return f"--{name} is given"
        size = self._asked.memory
        if size is None:
            return why_in_chunks(image)
        with memory.bounded(size - RESERVE, f"within --memory {memory.in_words(size)}"):
            return why_in_chunks(image)

    def order(self, algorithm: str, device: str | None, choices: Mapping[str, object]) -> Order:
        self._device = device
        return super().order(algorithm, device, choices)

    def run(self, wanted: Order, given: ImageInput, steps: Steps) -> tuple[LabelsAndSizes, Facts]:
        from pointerjump.labels import HostImage, find_labels
        from pointerjump.registry.facts import InputFacts
        from pointerjump.registry.selection import select
        from pointerjump.run import REFERENCE, Run

        if given.why is None:
            labels, count, run = find_labels(wanted, HostImage(given.whole))
        else:
            asked, session = wanted
            facts = InputFacts(given.image.size, form="image")
            choice = select(asked, facts, session.tuning if session else None)
            run = Run(choice, (session.device if session else REFERENCE,))
            with run.seconds.timed("compute"):
                labels, count = self._label_in_chunks(given, self._device, steps)
        with run.seconds.timed("summary"):
            sizes = _sizes(labels, count)
        return (labels, sizes), run.stats()

    def _label_in_chunks(self, given: ImageInput, device: str | None, steps: Steps) -> tuple[Any, int]:
        """Label the image; return an array in an unfinished file that holds the labels, and their number."""
        from pointerjump.chunked_labels import label_chunks
        from pointerjump.formats.images import UnfinishedLabels

        image, size, checkpoint = given.image, self._asked.memory, self._asked.checkpoint
        if size is not None:
            require_more_than_the_program(size)
            size -= memory.resident() + RESERVE
        self._unfinished = UnfinishedLabels(
            str(self._output), image.shape, image.label_dtype, given.file, checkpoint is not None
        )
        try:
            found: tuple[Any, int] = label_chunks(
                given.pixels,
                self._asked.chunk,
                connectivity=image.connectivity,
                multilabel=image.alike == "equal",
                background=image.background,
                delta=image.difference,
                wrap_axes=self._asked.wrap_axes,
                out=self._unfinished.array,
                checkpoint=checkpoint,
                memory=size,
                progress=steps.show,
                return_num=True,
                device=device,
            )
        except ImageError as error:
            raise ImageError(f"{self._source}: {error}") from error
        return found

    def verify(self, given: ImageInput, answer: LabelsAndSizes, steps: Steps) -> None:
        from pointerjump.image_verifier import verify_labels_of

        verify_labels_of(given.whole, answer[0][...], steps.show)

    def write(self, path: str, given: ImageInput, answer: LabelsAndSizes) -> None:
        from pointerjump.formats.images import write_image

        if self._unfinished is not None:
            self._unfinished.put_in_place()
        else:
            write_image(path, answer[0], given.file)

    def summary(self, given: ImageInput, answer: LabelsAndSizes) -> Summary:
        from pointerjump.images import neighbors_within

        image, (_, sizes) = given.image, answer
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
            "chunked": given.why,
        }
        shape = " x ".join(map(str, image.shape))
        lines = [
            ("components", f"{len(sizes):,}"),
            ("largest", f"label {largest_label}, {_share(largest, image.size)}" if len(sizes) else "none"),
            ("foreground", _share(foreground, image.size)),
            ("image", f"{shape}, {dtype}, {neighbors} neighbors"),
        ]
        return Summary(facts, [*lines, ("chunked", given.why)] if given.why else lines)

    @contextmanager
    def tidied(self) -> Iterator[None]:
        """Remove in the end what is unfinished, unless a checkpoint says that a later run goes on with it.

        None does if the labels are new, and the checkpoint is as it was. Then it was that of another run.
        """
        try:
            yield
        except KeyboardInterrupt:
            if self._asked.checkpoint is not None:
                say_how_to_go_on(Path(self._asked.checkpoint))
            raise
        finally:
            if self._unfinished is not None:
                now = self._checkpoint_written()
                if now is None or not (self._unfinished.were_left or now != self._checkpoint_before):
                    self._unfinished.remove()

    def _checkpoint_written(self) -> int | None:
        """Return when the checkpoint was written, or None if there is none."""
        try:
            return Path(self._asked.checkpoint).stat().st_mtime_ns if self._asked.checkpoint else None
        except OSError:
            return None


def _is_grey(pixels: Pixels) -> bool:
    """Return whether pixels have more than two values. Only a part of them is looked at at a time."""
    import numpy as np

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
    """Return how many pixels have each label, from 1 on; only a part of the labels is in memory at a time."""
    import numpy as np

    from pointerjump.chunked_arrays import let_go

    at_once = max(AT_ONCE, count)
    planes = max(1, at_once // max(1, prod(labels.shape[1:])))
    sizes = np.zeros(count + 1, np.int64)
    for begin in range(0, labels.shape[0], planes):
        there = (slice(begin, min(begin + planes, labels.shape[0])), *map(slice, labels.shape[1:]))
        sizes += np.bincount(labels[there].ravel(), minlength=count + 1)
        let_go(labels)
    return sizes[1:]


def _share(pixels: int, of: int) -> str:
    """Return a number of pixels, and which share of the image it is."""
    return f"{pixels:,} pixels ({pixels / max(1, of):.1%} of the image)"
