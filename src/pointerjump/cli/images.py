"""The command that labels images: ``label``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from pointerjump.cli.options import (
    algorithm_option,
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
from pointerjump.errors import FormatError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from pointerjump.formats.images import ImageFile
    from pointerjump.images import Image
    from pointerjump.progress import Progress

    Labels = npt.NDArray[np.signedinteger[Any]]


@click.command()
@input_argument
@image_options
@algorithm_option
@variant_option
@device_option
@output_option(
    "-o",
    "--output",
    help="Write the labels: .npy, .npz, .png (16 bits), .tif, .nii, .nii.gz or .zarr.",
)
@verify_option
@json_option
def label(input: str, output: str | None, **options: Any) -> None:
    """Label the components of an image or a volume.

    Neighbors are together if both are foreground, which is what is not 0; with --multilabel, if their values
    are equal; with --delta, if their values are close. Labels are 1, 2, ... in the order in which components
    begin, from the first pixel to the last, and 0 for the background.

    INPUT is .npy, .npz with one array, .tif (a stack is a volume), .nii, .nii.gz, .zarr (or one of its
    arrays: a.zarr/NAME), or a picture: .png .bmp .gif .jpg .pbm .pgm .ppm .webp. Of a JPEG, whose values are
    not exact, give --threshold. What reads each kind is an extra: pip install 'pointerjump[images]' brings
    all.
    """
    asked = ImageOptions(**{field.name: options.pop(field.name) for field in fields(ImageOptions)})
    asked.require_sense()
    carry_out(Labelling(asked, output).task(), input, output=output, **options)


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

    def pixels_of(self, file: ImageFile) -> Any:
        """Return the pixels of a file, or which of them are above the threshold, to be sliced."""
        return file.pixels if self.threshold is None else AboveThreshold(file.pixels, self.threshold)

    def image_of(self, pixels: Any) -> Image:
        """Return the image that these pixels make."""
        from pointerjump.images import image_of

        background = 0 if self.background is None else self.background
        return image_of(
            pixels,
            self.connectivity,
            self.multilabel,
            None if isinstance(background, str) else background,
            self.delta,
            self.wrap_axes,
        )


class AboveThreshold:
    """Which pixels are above a threshold. They are compared with it when they are sliced.

    Parameters
    ----------
    pixels : ndarray, or array that is read when it is sliced
    threshold : int or float
    """

    def __init__(self, pixels: Any, threshold: int | float) -> None:
        # Large integers and floating-point numbers cannot be compared exactly.
        self._threshold = threshold if pixels.dtype.kind == "f" else floor(threshold)
        self._pixels = pixels

    def __getitem__(self, where: Any) -> npt.NDArray[np.bool_]:
        """Return which of the pixels there are above the threshold."""
        from pointerjump.images import as_pixels

        above: npt.NDArray[np.bool_] = as_pixels(self._pixels[where]) > self._threshold
        return above


@dataclass(frozen=True, eq=False)
class Given:
    """An image in a file, and what is asked of it."""

    file: ImageFile
    image: Image


class Labelling:
    """A run on an image.

    Parameters
    ----------
    asked : ImageOptions
    output : str or None
        The file to write.
    """

    def __init__(self, asked: ImageOptions, output: str | None) -> None:
        self._asked = asked
        self._output = output

    def task(self) -> Task[Given, Labels]:
        """Return what ``label`` does."""
        from pointerjump.formats.images import require_image_file, write_image
        from pointerjump.image_verifier import verify_labels_of

        return Task(
            problem="image-labelling",
            doing="labelling",
            result="labels",
            right="the labels are right",
            require_output=require_image_file,
            read=self._read,
            run=self._run,
            verify=lambda given, labels, progress: verify_labels_of(given.image, labels, progress),
            write=lambda path, given, labels: write_image(path, labels, given.file),
            summarize=_summarize,
        )

    def _read(self, source: str, _: Progress, __: dict[str, Any]) -> Given:
        from pointerjump.formats.files import naming
        from pointerjump.formats.images import read_image, require_room_for

        if source == "-":
            raise FormatError("-: images are read from files: save standard input to one")
        file = read_image(source, self._asked.channel)
        with naming(Path(source)):
            image = self._asked.image_of(self._asked.pixels_of(file)[...])
        if self._output is not None:
            require_room_for(image.shape, self._output)
        return Given(file, image)

    def _run(
        self,
        algorithm: str,
        device: str | None,
        choices: Choices,
        take: Callable[[], Given],
        steps: Steps,
    ) -> tuple[Labels, Facts]:
        from pointerjump.face.images import HostImage, find_labels

        labels, _, _, run = find_labels(algorithm, device, choices, lambda: HostImage(take().image, out=None))
        return labels, run.stats()


def _summarize(given: Given, labels: Labels) -> Summary:
    from pointerjump.face.result import sizes_of
    from pointerjump.images import neighbors_within

    image = given.image
    count = int(labels.max(initial=0))
    sizes = sizes_of(labels.ravel(), count + 1)[1:]
    foreground, largest = int(sizes.sum()), int(sizes.max(initial=0))
    largest_label = int(sizes.argmax()) + 1 if count else None
    neighbors = neighbors_within(image.connectivity, len(image.shape))
    facts = {
        "shape": list(image.shape),
        "dtype": str(image.pixels.dtype),
        "connectivity": image.connectivity,
        "neighbors": neighbors,
        "components": count,
        "largest": largest,
        "largest_label": largest_label,
        "foreground": foreground,
    }
    shape = " x ".join(map(str, image.shape))
    return Summary(
        facts,
        [
            ("components", f"{count:,}"),
            ("largest", f"label {largest_label}, {_share(largest, image.size)}" if count else "none"),
            ("foreground", _share(foreground, image.size)),
            ("image", f"{shape}, {image.pixels.dtype}, {neighbors} neighbors"),
        ],
    )


def _share(pixels: int, of: int) -> str:
    """Return a number of pixels, and which share of the image it is."""
    return f"{pixels:,} pixels ({pixels / max(1, of):.1%} of the image)"
