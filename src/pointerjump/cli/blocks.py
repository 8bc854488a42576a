"""``cc`` on a file that is read block by block: when, why, and within which memory."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from pointerjump import memory
from pointerjump.cli.complaints import complain
from pointerjump.cli.reading import Source
from pointerjump.cli.sizes import SizesAsked, facts_of_components
from pointerjump.cli.steps import Steps
from pointerjump.cli.tasks import Facts, Summary, Task
from pointerjump.errors import FormatError, MemoryLimitError, PointerjumpError

if TYPE_CHECKING:
    from pointerjump.checkpoints import Checkpoint
    from pointerjump.formats.blocks import Blocks
    from pointerjump.result import Components
    from pointerjump.run import Order

SMALL = 1 << 20
"""Files of at most this size are read whole, unless blocks are asked for: opening one twice takes longer."""

BYTES_PER_RECORD = 16
"""What an edge takes in memory once it has been parsed: two 64-bit ids."""

BYTES_PER_LINE = 12
"""The length of a usual line of an edge list."""

COMPRESSION = 4
"""How much larger a compressed edge list usually is than its file."""

AS_ON_DISK = ("npy", "raw32", "raw64", "egr", "sg", "wsg", "galois")
"""Formats whose numbers take as much memory as they take on disk."""

SHARE_OF_BLOCKS = 16
"""The share of the memory that is for reading, within limits: one part in this many."""

RESERVE = 16 << 20
"""Bytes for what Python and the drivers take besides, which is not asked for."""

WITHOUT = "leave out --memory and --checkpoint"


def why_in_blocks(
    source: Source,
    reading: dict[str, Any],
    size: int | None,
    checkpoint: str | None,
    devices: list[str] | str | None,
) -> str | None:
    """Return why a file is to be read block by block, or None if it is to be read whole.

    Raises
    ------
    FormatError, UsageError
        If an option asks for it, but it cannot be.
    """
    for option, value in (("--memory", size), ("--checkpoint", checkpoint)):
        if value is not None:
            require_streamable(source, reading)
            return f"{option} is given"
    if devices is None and not _is_large(source):
        return None
    blocks = _blocks_of(source, reading)
    if blocks is None:
        return None
    return why_not_whole(blocks) if devices is None else "several devices share the edges"


def require_streamable(source: Source, reading: dict[str, Any]) -> None:
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


def _blocks_of(source: Source, reading: dict[str, Any]) -> Blocks | None:
    """Return a file's blocks, or None if it has to be read whole, which says what is wrong if it is bad."""
    try:
        require_streamable(source, reading)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they come again when the file is read
            return _opened(source, reading)
    except (PointerjumpError, click.UsageError):
        return None


def _opened(source: Source, reading: dict[str, Any], size: int | None = None) -> Blocks:
    """Open a file whose blocks take so much memory."""
    from pointerjump.formats.blocks import read_blocks

    options = {name: reading[name] for name in reading if name != "ids"}
    return read_blocks(cast(Any, source), memory=size, **options)


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


class OfBlocks(Task["Blocks", "Components"]):
    """The components of a file that is read block by block."""

    problem = "components"
    doing = "linking edges"
    result = "labels"
    right = "the labels are right"

    def __init__(
        self,
        source: Source,
        why: str,
        labels: str,
        devices: list[str] | str | None,
        sizes: SizesAsked,
        memory: int | None,
        checkpoint: str | None,
        every: float,
        **reading: Any,
    ) -> None:
        super().__init__(source, **reading)
        self._why, self._labels, self._devices, self._sizes = why, labels, devices, sizes
        self._memory, self._file, self._every = memory, checkpoint, every
        self._checkpoint: Checkpoint | None = None

    def require_output(self, path: str) -> None:
        from pointerjump.formats import require_label_file

        require_label_file(path)

    def order(self, algorithm: str, device: str | None, choices: Mapping[str, object]) -> Order:
        from pointerjump.run import choice_for_blocks
        from pointerjump.streams import devices_of

        self._asked = algorithm, devices_of(self._devices or device), choices
        choice_for_blocks(algorithm, self._asked[1][0], choices)
        return super().order(algorithm, self._asked[1][0], choices)

    def within_memory(self) -> AbstractContextManager[object]:
        """Refuse what would exceed the memory of the whole run, and keep the share of the blocks free."""
        if self._memory is None:
            return nullcontext()
        size = self._memory - self._memory_of_blocks() - RESERVE
        return memory.bounded(size, f"within --memory {memory.in_words(self._memory)}")

    def _memory_of_blocks(self) -> int:
        from pointerjump.formats.pieces import DEFAULT_MEMORY, LEAST_MEMORY

        if self._memory is None:
            return DEFAULT_MEMORY
        return min(DEFAULT_MEMORY, max(LEAST_MEMORY, self._memory // SHARE_OF_BLOCKS))

    def read(self, steps: Steps) -> Blocks:
        from pointerjump.checkpoints import Checkpoint

        if self._memory is not None:
            require_more_than_the_program(self._memory)
        blocks = _opened(self.source, self.reading, self._memory_of_blocks())
        if self._file is not None:
            self._checkpoint = Checkpoint(self._file, blocks, self._every)
        return blocks

    def run(self, wanted: Order, given: Blocks, steps: Steps) -> tuple[Components, Facts]:
        from pointerjump.streams import components_of_blocks

        algorithm, devices, choices = self._asked
        found = components_of_blocks(
            given,
            algorithm,
            devices,
            self._labels,
            choices=choices,
            checkpoint=self._checkpoint,
            watch=lambda batch: steps.show_bytes(batch.bytes_read, given.bytes),
        )
        return found, found.stats

    def verify(self, given: Blocks, answer: Components, steps: Steps) -> None:
        from pointerjump.verifier import verify_blocks

        verify_blocks(given, answer.labels, progress=steps.show)

    def write(self, path: str, given: Blocks, answer: Components) -> None:
        from pointerjump.formats import write_labels

        write_labels(path, answer.labels)

    def summary(self, given: Blocks, answer: Components) -> Summary:
        sizes = answer.counted()
        facts, lines = facts_of_components(answer, sizes)
        records = answer.stats["records"]
        facts = {"vertices": len(answer.labels), "edges": None, "records": records, **facts}
        facts["streamed"] = self._why
        # Where the run went on, if an earlier one had been interrupted.
        after = self._checkpoint.resumed_after if self._checkpoint is not None else None
        if after is not None:
            facts["resumed_after"] = after
            lines.append(("resumed", f"after {after:,} records"))
        lines += [
            ("graph", f"{len(answer.labels):,} vertices, {records:,} records"),
            ("edges", "not counted: repeated edges are only found in a whole graph"),
            ("streamed", self._why),
        ]
        counted = sizes if self._labels == "consecutive" else None
        return Summary(facts, lines, *self._sizes.told(answer.labels, counted, None))

    def finish(self) -> None:
        """Remove the checkpoint: nobody needs to go on from there."""
        if self._checkpoint is not None:
            self._checkpoint.remove()

    def say_how_to_go_on(self) -> None:
        """Tell the user who has interrupted the run that it need not begin anew."""
        if self._checkpoint is not None:
            say_how_to_go_on(self._checkpoint.path)


def say_how_to_go_on(checkpoint: Path) -> None:
    """Tell the user who has interrupted a run that it need not begin anew, if there is a checkpoint."""
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
