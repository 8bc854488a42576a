"""The command that labels images: ``label``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pointerjump.cli.complaints import complain
from pointerjump.cli.examples import CommandWithExamples, example
from pointerjump.cli.image_chunks import ChunkedLabels, ChunkOptions, planned
from pointerjump.cli.image_options import ImageOptions
from pointerjump.cli.options import (
    algorithm_option,
    chunk_options,
    device_option,
    image_options,
    input_argument,
    json_option,
    output_option,
    variant_option,
    verify_option,
)
from pointerjump.cli.steps import Steps
from pointerjump.cli.tasks import Choices, Facts, Summary, Task, carry_out
from pointerjump.errors import FormatError, FormatWarning, warn_user

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from pointerjump.formats.images import ImageFile
    from pointerjump.images import Image
    from pointerjump.progress import Progress

AT_ONCE = 1 << 22
"""So many labels are counted together."""


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
def label(
    input: str,
    output: str | None,
    chunk: int | tuple[int, ...] | None,
    memory: int | None,
    checkpoint: str | None,
    **options: Any,
) -> None:
    """Label the components of an image or a volume.

    Neighbors belong together if both are foreground, which is what is not 0; with --multilabel, if their
    values are equal; with --delta, if their values are close. Labels are 1, 2, ... in the order in which
    components begin, from the first pixel to the last, and 0 for the background.

    INPUT is .npy, .npz with one array, .tif (a stack is a volume), .nii, .nii.gz, .zarr (or one of its
    arrays: a.zarr/NAME), or a picture: .png .bmp .gif .jpg .pbm .pgm .ppm .webp. A JPEG's values are not
    exact: use --threshold. What reads each kind is an extra: pip install 'pointerjump[images]' brings all.
    """
    asked = ImageOptions(**{field.name: options.pop(field.name) for field in fields(ImageOptions)})
    asked.require_sense()
    chunks = ChunkOptions(chunk, memory, checkpoint)
    chunks.require_sense(options["algorithm"], options["variant"])
    labelling = Labelling(asked, chunks, output, options["as_json"])
    with labelling.tidied():
        carry_out(labelling.task(input), input, output=output, **options)


@dataclass(frozen=True, eq=False)
class Given:
    """An image in a file, and what is asked of it.

    Attributes
    ----------
    file : ImageFile
    pixels : array
        What is labelled. It may be read only when it is sliced.
    image : Image
        What is asked. Its pixels are stand-ins of the right shape and dtype.
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


@dataclass(frozen=True, eq=False)
class Labelled:
    """The labels of an image, and how many pixels have each of them, from 1 on."""

    labels: Any
    sizes: npt.NDArray[np.int64]


class Labelling:
    """A run on an image.

    Parameters
    ----------
    asked : ImageOptions
    chunks : ChunkOptions
    output : str or None
        The file to write.
    as_json : bool
        Whether programs read what is found.
    """

    def __init__(self, asked: ImageOptions, chunks: ChunkOptions, output: str | None, as_json: bool) -> None:
        self._asked = asked
        self._chunks = chunks
        self._output = output
        self._as_json = as_json
        self._chunked = ChunkedLabels(chunks, output)
        self.tidied = self._chunked.tidied

    def task(self, source: str) -> Task[Given, Labelled]:
        """Return what ``label`` does."""
        from pointerjump.formats.images import require_image_file
        from pointerjump.image_verifier import verify_labels_of

        return Task(
            problem="image-labelling",
            doing="labelling",
            result="labels",
            right="the labels are right",
            require_output=require_image_file,
            read=self._read,
            run=lambda *how: self._run(source, *how),
            verify=lambda given, found, progress: verify_labels_of(given.whole, found.labels[...], progress),
            write=self._write,
            summarize=_summarize,
        )

    def _read(self, source: str, progress: Progress, _: dict[str, Any]) -> Given:
        from pointerjump.formats.files import naming
        from pointerjump.formats.images import read_image, require_room_for

        if source == "-":
            raise FormatError("-: images are read from files: save standard input to one")
        file = read_image(source, self._asked.channel, progress=progress)
        with naming(Path(source)):
            pixels, image = self._asked.image_of(file)
        if self._output is not None:
            require_room_for(image.shape, self._output)
        why = self._chunks.why(image)
        if why is not None:
            self._chunked.require_output(source, why)
            if self._chunks.unasked and not self._as_json:
                complain(f"{source} is labelled chunk by chunk: {why}")
        given = Given(file, pixels, image, why)
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

    def _run(
        self,
        source: str,
        algorithm: str,
        device: str | None,
        choices: Choices,
        take: Callable[[], Given],
        steps: Steps,
    ) -> tuple[Labelled, Facts]:
        from pointerjump.face.images import HostImage, find_labels
        from pointerjump.run import order

        run = planned(algorithm, device, choices)
        given = take()
        if given.why is None:
            wanted = order("image-labelling", algorithm, device, choices)
            labels, count, run = find_labels(wanted, HostImage(given.whole, out=None))
        else:
            with run.seconds.timed("compute"):
                labels, count = self._chunked.find(
                    source, given.pixels, given.image, given.file, device, steps.show
                )
        with run.seconds.timed("summary"):
            found = Labelled(labels, _sizes(labels, count))
        return found, run.stats()

    def _write(self, path: str, given: Given, found: Labelled) -> None:
        from pointerjump.formats.images import write_image

        if given.why is None:
            write_image(path, found.labels, given.file)
        else:
            self._chunked.put_in_place()


def _is_grey(pixels: npt.NDArray[Any]) -> bool:
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

    from pointerjump.face.stored_arrays import StoredImage

    at_once = max(AT_ONCE, count)
    planes = max(1, at_once // max(1, prod(labels.shape[1:])))
    sizes = np.zeros(count + 1, np.int64)
    for begin in range(0, labels.shape[0], planes):
        there = (slice(begin, min(begin + planes, labels.shape[0])), *map(slice, labels.shape[1:]))
        sizes += np.bincount(labels[there].ravel(), minlength=count + 1)
        StoredImage(labels).let_go()
    return sizes[1:]


def _summarize(given: Given, found: Labelled) -> Summary:
    from pointerjump.images import neighbors_within

    image, sizes = given.image, found.sizes
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


def _share(pixels: int, of: int) -> str:
    """Return a number of pixels, and which share of the image it is."""
    return f"{pixels:,} pixels ({pixels / max(1, of):.1%} of the image)"
