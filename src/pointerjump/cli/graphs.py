"""``cc`` on a graph that is read whole, or block by block: when, and why; and ``forest``."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from rich.table import Table

from pointerjump.base import memory
from pointerjump.base.edges import COUNT_BYTES_PER_EDGE
from pointerjump.base.graph import Graph
from pointerjump.cli.sizes import told_of_components
from pointerjump.cli.steps import Steps
from pointerjump.cli.tasks import Facts, Task, bounded, going_on, load_graph, require_more_than_the_program
from pointerjump.cli.terminal import Lines
from pointerjump.errors import FormatError, PointerjumpError
from pointerjump.formats import read_blocks, require_graph_file, require_label_file, write_graph, write_labels
from pointerjump.formats.blocks import Blocks
from pointerjump.formats.files import base_suffix, compression_of, files_named
from pointerjump.formats.pieces import DEFAULT_MEMORY, LEAST_MEMORY
from pointerjump.generators import is_spec
from pointerjump.solving import result
from pointerjump.solving.inputs import HostGraph
from pointerjump.solving.run import Order, choice_for_blocks, order
from pointerjump.tables.write import BINARY

if TYPE_CHECKING:
    from pointerjump.solving.checkpoints import Checkpoint

MOST_PER_BYTE = 64
"""What a byte of most files takes in memory at most. If there is room for that, no file is opened twice."""

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

WITHOUT = "leave out --memory and --checkpoint"


class OfGraph(Task):
    """The components of a graph that is read whole."""

    problem = "components"
    doing = "finding components"
    result = "labels"
    right = "the labels are right"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.labels: str = self.asked.labels or "consecutive"

    def require_output(self, path: str) -> None:
        if base_suffix(Path(path)) in BINARY:
            raise click.UsageError(
                f"{path} is for clusters of a table, and the input is read as a graph: name the columns of "
                "its pairs by --source and --target, or write labels to .npy, .csv or .tsv"
            )
        require_label_file(path)

    def order(self, choices: Mapping[str, object]) -> Order:
        return super().order(choices) if self.asked.devices is None else self.order_for_blocks(choices)

    def order_for_blocks(self, choices: Mapping[str, object]) -> Order:
        """Check what is asked for, and open the devices that are to share the edges."""
        from pointerjump.solving.streams import devices_of

        algorithm, devices = self.asked.algorithm, devices_of(self.asked.devices or self.asked.device)
        choice_for_blocks(algorithm, devices[0], choices)
        self.how = {"algorithm": algorithm, "devices": devices, "labels": self.labels, "choices": choices}
        return order(self.problem, algorithm, devices[0], choices)

    def read(self, steps: Steps) -> None:
        self.graph = load_graph(self.source, steps.show, self.reading)
        self.names = self.graph.names

    def run(self, wanted: Order, steps: Steps) -> Facts:
        if self.asked.devices is None:
            self.found = result.find_components(wanted, HostGraph(self.graph), self.labels)
        else:
            from pointerjump.solving.streams import components_of_parts

            self.found = components_of_parts(self.graph, **self.how)
        return self.found.stats

    def verify(self, steps: Steps) -> None:
        from pointerjump.verifiers.graphs import verify

        verify(self.graph, self.found.labels, progress=steps.show)

    def write(self, path: str) -> None:
        write_labels(path, self.found.labels, self.names)

    def summary(self) -> tuple[Facts, Lines, list[Table]]:
        graph, sizes = self.graph, self.found.sizes
        by_label = sizes if self.labels == "consecutive" else None
        facts, lines, tables = told_of_components(self.asked, self.found, sizes, by_label, names=self.names)
        counts = {"vertices": graph.vertices, "edges": graph.edges, "records": graph.records}
        lines.append(("graph", f"{graph.vertices:,} vertices, {graph.edges:,} undirected edges"))
        return {**counts, **facts, "streamed": None}, lines, tables

    # -- why not read whole ----------------------------------------------------------------------------

    def why_in_blocks(self) -> str | None:
        """Return why a file is to be read block by block, or None if it is to be read whole.

        Raises
        ------
        FormatError, UsageError
            If an option asks for it, but it cannot be.
        """
        for name in ("memory", "checkpoint"):
            if getattr(self.asked, name) is not None:
                self._require_streamable()
                return f"--{name} is given"
        shared = self.asked.devices is not None
        if not (shared or self._may_be_too_large()):
            return None
        try:
            self._require_streamable()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # they come again when the file is read
                blocks = self.open_blocks()
        except (PointerjumpError, click.UsageError):
            return None  # reading it whole says what is wrong if it is bad
        if shared:
            return "several devices share the edges"
        size, (room, place) = bytes_when_whole(blocks), memory.available()
        if size <= room:
            return None
        size_in_words, room_in_words = memory.in_words(size), memory.in_words(room)
        return f"reading it whole would take about {size_in_words}, and only {room_in_words} are free {place}"

    def _require_streamable(self) -> None:
        """Refuse an input that is no file, and options that need all edges at once."""
        source = self.source
        if "-" in ([source] if isinstance(source, str) else source):
            raise FormatError(f"-: blocks are read from a file: save standard input to one, or {WITHOUT}")
        if isinstance(source, str) and is_spec(source):
            raise FormatError(
                f"{source}: a generator makes all edges at once: generate a file first, or {WITHOUT}"
            )
        if self.asked.ids == "compact":
            raise click.UsageError(f"--ids compact needs all edges at once: leave it out, or {WITHOUT}")

    def _may_be_too_large(self) -> bool:
        given = [self.source] if isinstance(self.source, str) else self.source
        try:
            size = sum(file.stat().st_size for path in given for file in files_named(Path(path)))
        except (FormatError, OSError, ValueError):  # ValueError: of a name that no file can have
            return False
        return size * MOST_PER_BYTE > memory.available()[0]

    def open_blocks(self, size: int | None = None) -> Blocks:
        """Open the file, whose blocks take this much memory."""
        reading = self.reading
        del reading["ids"]
        return read_blocks(cast(Any, self.source), memory=size, **reading)


def bytes_when_whole(blocks: Blocks) -> int:
    """Estimate how much memory a file's edges take at the peak if it is read whole, and they are counted.

    The estimate is rather too low than too high: a file that can be read whole should be, because then edges
    are counted, and sparse ids are renumbered. Labels come on top.
    """
    compressed = any(compression_of(path) for path in blocks.paths)
    text = blocks.bytes * (COMPRESSION if compressed else 1)
    records = blocks.records if blocks.records is not None else text // BYTES_PER_LINE
    as_on_disk = blocks.format in AS_ON_DISK and not compressed
    return (blocks.bytes if as_on_disk else BYTES_PER_RECORD * records) + COUNT_BYTES_PER_EDGE * records


class OfBlocks(OfGraph):
    """The components of a graph in a file that is read block by block; `why` says why."""

    doing = "linking edges"
    checkpoint: Checkpoint | None = None

    @contextmanager
    def context(self, steps: Steps) -> Iterator[None]:
        """Bound the memory; in the end, remove the checkpoint if nobody needs to go on from there."""
        with bounded(self.asked.memory, self._memory_of_blocks()), going_on(self.asked.checkpoint):
            yield
        if self.checkpoint is not None and steps.why_not is None:
            self.checkpoint.remove()

    def _memory_of_blocks(self) -> int:
        size = self.asked.memory
        share = DEFAULT_MEMORY if size is None else size // SHARE_OF_BLOCKS
        return min(DEFAULT_MEMORY, max(LEAST_MEMORY, share))

    def order(self, choices: Mapping[str, object]) -> Order:
        return self.order_for_blocks(choices)

    def read(self, steps: Steps) -> None:
        from pointerjump.solving.checkpoints import Checkpoint

        require_more_than_the_program(self.asked.memory)
        self.blocks = self.open_blocks(self._memory_of_blocks())
        if self.asked.checkpoint is not None:
            self.checkpoint = Checkpoint(self.asked.checkpoint, self.blocks, self.asked.checkpoint_every)

    def run(self, wanted: Order, steps: Steps) -> Facts:
        from pointerjump.solving.streams import components_of_blocks

        self.found = components_of_blocks(
            self.blocks,
            **self.how,
            checkpoint=self.checkpoint,
            watch=lambda batch: steps.show_bytes(batch.bytes_read, self.blocks.bytes),
        )
        return self.found.stats

    def verify(self, steps: Steps) -> None:
        from pointerjump.verifiers.graphs import verify_blocks

        verify_blocks(self.blocks, self.found.labels, progress=steps.show)

    def summary(self) -> tuple[Facts, Lines, list[Table]]:
        sizes, vertices, records = self.found.counted(), len(self.found.labels), self.found.stats["records"]
        by_label = sizes if self.labels == "consecutive" else None
        facts, lines, tables = told_of_components(self.asked, self.found, sizes, by_label)
        facts = {"vertices": vertices, "edges": None, "records": records, **facts, "streamed": self.asked.why}
        # Where the run went on, if an earlier one had been interrupted.
        after = self.checkpoint.resumed_after if self.checkpoint is not None else None
        if after is not None:
            facts["resumed_after"] = after
            lines.append(("resumed", f"after {after:,} records"))
        lines += [
            ("graph", f"{vertices:,} vertices, {records:,} records"),
            ("edges", "not counted: repeated edges are only found in a whole graph"),
            ("streamed", self.asked.why),
        ]
        return facts, lines, tables


class SpanningForest(Task):
    """A spanning forest of a graph."""

    problem = "spanning-forest"
    doing = "finding a forest"
    result = "forest's edges"
    right = "it is a spanning forest"

    def require_output(self, path: str) -> None:
        require_graph_file(path)

    def read(self, steps: Steps) -> None:
        self.graph = load_graph(self.source, steps.show, self.reading)
        self.names = self.graph.names

    def run(self, wanted: Order, steps: Steps) -> Facts:
        self.edges, facts = result.find_forest(wanted, HostGraph(self.graph))
        return facts

    def verify(self, steps: Steps) -> None:
        from pointerjump.verifiers.graphs import verify_forest

        verify_forest(self.graph, self.edges)

    def write(self, path: str) -> None:
        write_graph(Graph.from_edges(self.edges, vertices=self.graph.vertices, names=self.names), path)

    def summary(self) -> tuple[Facts, Lines, list[Table]]:
        vertices, edges, kept = self.graph.vertices, self.graph.edges, len(self.edges)
        lines = [
            ("forest", f"{kept:,} of {edges:,} undirected edges"),
            ("components", f"{vertices - kept:,}"),
        ]
        facts = {"vertices": vertices, "edges": edges, "forest": kept, "components": vertices - kept}
        return facts, lines, []
