"""``cc`` on a file that is read block by block: when, why, and within which memory."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from pointerjump import memory
from pointerjump.cli.complaints import complain
from pointerjump.cli.reading import Source
from pointerjump.cli.sizes import SizesAsked, positions_of_largest
from pointerjump.cli.steps import Steps
from pointerjump.cli.tasks import Choices, Facts, Summary, Task
from pointerjump.cli.terminal import Lines
from pointerjump.errors import FormatError, MemoryLimitError, PointerjumpError

if TYPE_CHECKING:
    import numpy.typing as npt

    from pointerjump.checkpoints import Checkpoint
    from pointerjump.formats.blocks import Blocks
    from pointerjump.progress import Progress
    from pointerjump.result import Components

SMALL = 1 << 20
"""Files up to this size are always read whole, if nobody asks for blocks: opening one twice takes longer."""

BYTES_PER_RECORD = 16
"""What an edge takes in memory once it has been parsed: two 64-bit ids."""

BYTES_PER_LINE = 12
"""The length of a usual line of an edge list."""

COMPRESSION = 4
"""How much larger a compressed edge list usually is than its file."""

AS_ON_DISK = ("npy", "raw32", "raw64", "egr", "sg", "wsg", "galois")
"""Formats whose numbers take as much memory as they take on disk."""

SHARE_OF_BLOCKS = 16
"""One part in so many of the memory is for reading, within limits."""

RESERVE = 16 << 20
"""Bytes for what Python and the drivers take besides, of which nobody asks."""

WITHOUT = "leave out --memory and --checkpoint"

LARGEST_SHOWN = 5

Options = dict[str, Any]


@dataclass(frozen=True)
class StreamOptions:
    """What a user asks of a stream.

    Attributes
    ----------
    memory : int or None
        How many bytes the whole run may take.
    checkpoint : str or None
        The file for checkpoints.
    every : float
        Seconds between two of them.
    devices : list of str or "all", optional
        Several devices.
    """

    memory: int | None
    checkpoint: str | None
    every: float
    devices: list[str] | str | None

    @property
    def streams_unasked(self) -> bool:
        """Whether nothing that was asked for says that the file is streamed."""
        return self.memory is None and self.checkpoint is None

    def why(self, source: Source, reading: Options) -> str | None:
        """Return why a file is to be streamed, or None if it is to be read whole.

        Raises
        ------
        FormatError, UsageError
            If an option asks for it, but it cannot be.
        """
        for option, value in (("--memory", self.memory), ("--checkpoint", self.checkpoint)):
            if value is not None:
                require_streamable(source, reading)
                return f"{option} is given"
        if self.devices is None and not _is_large(source):
            return None
        blocks = _blocks_of(source, reading)
        if blocks is None:
            return None
        return why_not_whole(blocks) if self.devices is None else "several devices share the edges"


def require_streamable(source: Source, reading: Options) -> None:
    """Refuse an input that is no file, and options that need all edges at once."""
    from pointerjump.generators import is_spec

    if "-" in ([source] if isinstance(source, str) else source):
        raise FormatError(f"-: blocks are read from a file: save standard input to one, or {WITHOUT}")
    if isinstance(source, str) and is_spec(source):
        raise FormatError(
            f"{source}: a generator makes all edges at once: generate a file first, or {WITHOUT}"
        )
    if reading["ids"] == "compact":
        raise click.UsageError(f"--ids compact needs all edges at once: leave it out, or {WITHOUT}")


def _is_large(source: Source) -> bool:
    from pointerjump.formats.files import files_named

    given = [source] if isinstance(source, str) else source
    try:
        return sum(file.stat().st_size for path in given for file in files_named(Path(path))) > SMALL
    except (FormatError, OSError, ValueError):  # ValueError: of a name that no file can have
        return False


def _blocks_of(source: Source, reading: Options) -> Blocks | None:
    """Return a file's blocks, or None if it has to be read whole, which says what is wrong if it is bad."""
    try:
        require_streamable(source, reading)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they come again when the file is read
            return _opened(source, reading)
    except (PointerjumpError, click.UsageError):
        return None


def _opened(source: Source, reading: Options, size: int | None = None) -> Blocks:
    """Open a file whose blocks take so much memory."""
    from pointerjump.formats.blocks import read_blocks

    return read_blocks(
        cast(Any, source), memory=size, **{name: reading[name] for name in reading if name != "ids"}
    )


def why_not_whole(blocks: Blocks) -> str | None:
    """Return why a file cannot be read whole, or None if it can."""
    size = bytes_when_whole(blocks)
    room, place = memory.available()
    if size <= room:
        return None
    return (
        f"reading it whole would take about {memory.in_words(size)}, and only {memory.in_words(room)} are "
        f"free {place}"
    )


def bytes_when_whole(blocks: Blocks) -> int:
    """Estimate how much memory a file's edges take at the peak if it is read whole, and they are counted.

    The estimate is rather too low than too high: a file that can be read whole should be, because then edges
    are counted, and sparse ids are renumbered. Labels come on top.
    """
    from pointerjump.edges import COUNT_BYTES_PER_EDGE
    from pointerjump.formats.files import compression_of

    compressed = any(compression_of(path) for path in blocks.paths)
    text = blocks.bytes * (COMPRESSION if compressed else 1)
    records = blocks.records if blocks.records is not None else text // BYTES_PER_LINE
    as_on_disk = blocks.format in AS_ON_DISK and not compressed
    return (blocks.bytes if as_on_disk else BYTES_PER_RECORD * records) + COUNT_BYTES_PER_EDGE * records


class Stream:
    """A run on a file that is read block by block.

    Parameters
    ----------
    asked : StreamOptions
    labels : str
        As for ``components``.
    why : str
        Why the file is streamed.
    sizes : SizesAsked
        What is to be shown of the components' sizes.
    """

    def __init__(self, asked: StreamOptions, labels: str, why: str, sizes: SizesAsked) -> None:
        self._asked = asked
        self._labels = labels
        self._sizes = sizes
        self._why = why
        self._checkpoint: Checkpoint | None = None

    def task(self) -> Task[Blocks, Components]:
        """Return what ``cc`` does."""
        from pointerjump.formats import require_label_file, write_labels
        from pointerjump.verifier import verify_blocks

        return Task(
            problem="components",
            doing="linking edges",
            result="labels",
            right="the labels are right",
            require_output=require_label_file,
            read=self._open,
            run=self._run,
            verify=lambda blocks, found, progress: verify_blocks(blocks, found.labels, progress=progress),
            write=lambda path, _, found: write_labels(path, found.labels),
            summarize=self._summarize,
            devices=self._asked.devices,
            finish=self._finish,
        )

    @contextmanager
    def within_memory(self) -> Iterator[None]:
        """Refuse what would exceed the memory of the whole run, and keep the share of the blocks free."""
        size = self._asked.memory
        if size is None:
            yield
            return
        with memory.bounded(
            size - self._memory_of_blocks() - RESERVE, f"within --memory {memory.in_words(size)}"
        ):
            yield

    def _memory_of_blocks(self) -> int:
        from pointerjump.formats.pieces import DEFAULT_MEMORY, LEAST_MEMORY

        if self._asked.memory is None:
            return DEFAULT_MEMORY
        return min(DEFAULT_MEMORY, max(LEAST_MEMORY, self._asked.memory // SHARE_OF_BLOCKS))

    def _open(self, source: Source, _: Progress, reading: Options) -> Blocks:
        from pointerjump.checkpoints import Checkpoint

        if self._asked.memory is not None:
            require_more_than_the_program(self._asked.memory)
        blocks = _opened(source, reading, self._memory_of_blocks())
        if self._asked.checkpoint is not None:
            self._checkpoint = Checkpoint(self._asked.checkpoint, blocks, self._asked.every)
        return blocks

    def _run(
        self,
        algorithm: str,
        device: str | None,
        choices: Choices,
        take: Callable[[], Blocks],
        steps: Steps,
    ) -> tuple[Components, Facts]:
        from pointerjump.run import choice_for_blocks
        from pointerjump.streams import components_of_blocks, devices_of

        devices = devices_of(self._asked.devices or device)
        choice_for_blocks(algorithm, devices[0], choices)
        blocks = take()
        found = components_of_blocks(
            blocks,
            algorithm,
            devices,
            self._labels,
            choices=choices,
            checkpoint=self._checkpoint,
            watch=lambda batch: steps.show_bytes(batch.bytes_read, blocks.bytes),
        )
        return found, found.stats

    @property
    def _resumed(self) -> Facts:
        """Where the run went on, if an earlier one had been interrupted."""
        resumed_after = self._checkpoint.resumed_after if self._checkpoint is not None else None
        return {} if resumed_after is None else {"resumed_after": resumed_after}

    def _summarize(self, blocks: Blocks, found: Components) -> Summary:
        sizes = found.counted()
        facts, lines = facts_of_components(found, sizes)
        records = found.stats["records"]
        facts = {"vertices": len(found.labels), "edges": None, "records": records, **facts}
        resumed = [("resumed", f"after {n:,} records") for n in self._resumed.values()]
        lines = [
            *lines,
            *resumed,
            ("graph", f"{len(found.labels):,} vertices, {records:,} records"),
            ("edges", "not counted: repeated edges are only found in a whole graph"),
            ("streamed", self._why),
        ]
        counted = sizes if self._labels == "consecutive" else None
        return Summary(
            {**facts, "streamed": self._why, **self._resumed},
            lines,
            *self._sizes.told(found.labels, counted, None),
        )

    def _finish(self) -> None:
        """Remove the checkpoint: nobody needs to go on from there."""
        if self._checkpoint is not None:
            self._checkpoint.remove()

    def say_how_to_go_on(self) -> None:
        """Tell who has interrupted the run that it need not begin anew."""
        if self._checkpoint is not None:
            say_how_to_go_on(self._checkpoint.path)


def say_how_to_go_on(checkpoint: Path) -> None:
    """Tell who has interrupted a run that it need not begin anew, if there is a checkpoint."""
    if checkpoint.exists():
        complain(f"interrupted: {checkpoint} holds what is done so far; run the same command to go on")


def require_more_than_the_program(size: int) -> None:
    """Refuse a bound that leaves no room for any vertices, now that all modules and drivers are loaded."""
    from pointerjump.formats.pieces import LEAST_MEMORY

    taken = memory.resident() + LEAST_MEMORY + RESERVE
    if size <= taken:
        raise MemoryLimitError(
            f"--memory is {memory.in_words(size)}, but the program and one block already take "
            f"{memory.in_words(taken)}: allow more"
        )


def facts_of_components(found: Components, sizes: npt.NDArray[Any], ids: bool = False) -> tuple[Facts, Lines]:
    """Return what is told of components and their sizes, to programs and to people.

    `ids` says that people call vertices ids.
    """
    isolated = int((sizes == 1).sum())
    facts = {"components": found.count, "largest": int(sizes.max(initial=0)), "isolated": isolated}
    one, several = ("id", "ids") if ids else ("vertex", "vertices")
    return facts, [
        ("components", f"{found.count:,}"),
        ("largest", _largest(sizes)),
        ("isolated", f"{isolated:,} {one if isolated == 1 else several}"),
    ]


def _largest(sizes: npt.NDArray[Any]) -> str:
    """Return the sizes of the largest few components, as people read them."""
    shown = [f"{size:,}" for size in sizes[positions_of_largest(sizes, LARGEST_SHOWN)]]
    return ", ".join([*shown, "..."] if len(sizes) > LARGEST_SHOWN else shown) or "none"
