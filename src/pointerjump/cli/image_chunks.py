"""``label`` on an image that is labelled chunk by chunk: when, why, and where its labels go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pointerjump import memory
from pointerjump.cli.streaming import RESERVE, require_more_than_the_program, say_how_to_go_on
from pointerjump.errors import ImageError

if TYPE_CHECKING:
    from pointerjump.cli.tasks import Choices
    from pointerjump.formats.images import ImageFile, UnfinishedLabels
    from pointerjump.images import Image
    from pointerjump.progress import Progress
    from pointerjump.run import Run


@dataclass(frozen=True)
class ChunkOptions:
    """What a user asks of the chunks.

    Attributes
    ----------
    chunk : int, tuple of int or None
        The shape of one, or one number for all axes.
    memory : int or None
        How many bytes the whole run may take.
    checkpoint : str or None
        The file for checkpoints.
    """

    chunk: int | tuple[int, ...] | None
    memory: int | None
    checkpoint: str | None

    @property
    def unasked(self) -> bool:
        """Whether nothing is asked of them, so that nobody expects any."""
        return self == ChunkOptions(None, None, None)

    def require_sense(self, algorithm: str, variant: str) -> None:
        """Refuse what does not go together, before anything is read."""
        asked = next((f"--{name}" for name, value in vars(self).items() if value is not None), None)
        if asked is not None and (algorithm != "auto" or variant.strip(", ")):
            raise click.UsageError(
                f"{asked} labels chunk by chunk, and --algorithm and --variant are for images that are "
                "labelled at once: leave them out"
            )

    def why(self, image: Image) -> str | None:
        """Return why an image is to be labelled chunk by chunk, or None if it is to be labelled at once."""
        for name in ("chunk", "checkpoint"):
            if getattr(self, name) is not None:
                return f"--{name} is given"
        size = bytes_at_once(image)
        if size <= memory.NOT_ASKED_ABOUT and self.memory is None:
            return None
        room, place = memory.available()
        if self.memory is not None:
            bound = self.memory - memory.resident() - RESERVE
            room, place = min((room, place), (bound, f"within --memory {memory.in_words(self.memory)}"))
        if size <= room:
            return None
        needed, free = memory.in_words(size), memory.in_words(max(0, room))
        return f"labelling it at once would take {needed}, and only {free} are free {place}"

    @property
    def memory_for_labelling(self) -> int | None:
        """What is left of the memory of the whole run."""
        if self.memory is None:
            return None
        require_more_than_the_program(self.memory)
        return self.memory - memory.resident() - RESERVE


def planned(algorithm: str, device: str | None, choices: Choices) -> Run:
    """Return what will run, checked, before the image is read."""
    from pointerjump.accel.runtime.sessions import session_for
    from pointerjump.registry.facts import InputFacts
    from pointerjump.registry.selection import ask, select
    from pointerjump.run import REFERENCE, Run, is_reference

    session = None if is_reference(device) else session_for(device)
    tuning = None if session is None else session.tuning
    choice = select(ask("image-labelling", algorithm, choices, tuning), InputFacts(0, form="image"), tuning)
    return Run(choice, (REFERENCE if session is None else session.device,))


def bytes_at_once(image: Image) -> int:
    """Return about how much memory it takes to label a whole image, whose pixels may be in a file."""
    from pointerjump.face.chunk_memory import LABELLING_BYTES

    return (int(image.pixels.dtype.itemsize) + LABELLING_BYTES) * image.size


class ChunkedLabels:
    """Labels of an image that is labelled chunk by chunk, and the file that they go to.

    Parameters
    ----------
    asked : ChunkOptions
    output : str or None
        The file; it has to be named.
    """

    def __init__(self, asked: ChunkOptions, output: str | None) -> None:
        self._asked = asked
        self._output = output
        self._unfinished: UnfinishedLabels | None = None
        self._checkpoint_before = _last_written(asked.checkpoint)

    def require_output(self, source: str, why: str) -> None:
        """Refuse to begin if there is no file that labels can be written to chunk by chunk."""
        from pointerjump.formats.images import require_in_parts

        if self._output is None:
            raise click.UsageError(f"{source}: {why}: name a .npy or .zarr file for the labels by -o")
        require_in_parts(self._output)

    def find(
        self, source: str, pixels: Any, image: Image, file: ImageFile, device: str | None, progress: Progress
    ) -> tuple[Any, int]:
        """Label the image; return an array that holds the labels, and how many there are.

        Parameters
        ----------
        source : str
            What errors call the image.
        pixels : array
            What is labelled; it is read when it is sliced.
        image : Image
            What is asked of it.
        file : ImageFile
            Where it comes from.
        """
        from pointerjump.face.label_chunks import label_chunks
        from pointerjump.formats.images import UnfinishedLabels

        room = self._asked.memory_for_labelling
        self._unfinished = UnfinishedLabels(
            str(self._output), image.shape, image.label_dtype, file, self._asked.checkpoint is not None
        )
        try:
            found: tuple[Any, int] = label_chunks(
                pixels,
                self._asked.chunk,
                connectivity=image.connectivity,
                multilabel=image.alike == "equal",
                background=image.background,
                delta=image.difference,
                wrap_axes=[axis for axis, wraps in enumerate(image.wraps) if wraps],
                out=self._unfinished.array,
                checkpoint=self._asked.checkpoint,
                memory=room,
                progress=progress,
                return_num=True,
                device=device,
            )
        except ImageError as error:
            raise ImageError(f"{source}: {error}") from error
        return found

    def put_in_place(self) -> None:
        """Let the labels take their place in the file."""
        assert self._unfinished is not None
        self._unfinished.put_in_place()

    @contextmanager
    def tidied(self) -> Iterator[None]:
        """Remove in the end what is unfinished, unless a checkpoint says that a later run goes on with it."""
        try:
            yield
        except KeyboardInterrupt:
            if self._asked.checkpoint is not None:
                say_how_to_go_on(Path(self._asked.checkpoint))
            raise
        finally:
            if self._unfinished is not None and not self._goes_on(self._unfinished):
                self._unfinished.remove()

    def _goes_on(self, unfinished: UnfinishedLabels) -> bool:
        """Return whether a later run goes on with these labels.

        It does not if they are new, and the checkpoint is as it was. Then it was that of another run.
        """
        now = _last_written(self._asked.checkpoint)
        return now is not None and (unfinished.were_left or now != self._checkpoint_before)


def _last_written(checkpoint: str | None) -> int | None:
    """Return when a checkpoint was written, or None if there is none."""
    try:
        return None if checkpoint is None else Path(checkpoint).stat().st_mtime_ns
    except OSError:
        return None
