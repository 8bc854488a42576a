"""``cc`` on a graph, which is read whole or block by block; ``forest``, ``tree`` and ``rank``."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click
import numpy as np

from pointerjump.base import memory
from pointerjump.base.arrow import pa
from pointerjump.base.edges import COUNT_BYTES_PER_EDGE
from pointerjump.base.graph import Graph
from pointerjump.cli.sizes import told_of_components
from pointerjump.cli.steps import Steps
from pointerjump.cli.tasks import Task, Told, bounded, going_on, load_list, require_more_than_the_program
from pointerjump.cli.terminal import Lines, complain
from pointerjump.errors import FormatError, GraphError, MemoryLimitError, PointerjumpError
from pointerjump.formats import read_blocks, require_graph_file, write_graph, write_labels
from pointerjump.formats.blocks import Blocks
from pointerjump.formats.files import base_suffix, compression_of, files_named
from pointerjump.formats.labels import require_label_file
from pointerjump.formats.pieces import DEFAULT_MEMORY, LEAST_MEMORY
from pointerjump.generators import is_spec
from pointerjump.solving import result
from pointerjump.solving.inputs import HostGraph, classify
from pointerjump.solving.run import choice_for_blocks, order
from pointerjump.tables.write import BINARY, require_table_file, write_table

if TYPE_CHECKING:
    from pointerjump.registry.algorithm import Problem
    from pointerjump.solving.checkpoints import Checkpoint

MOST_PER_BYTE = 64  # bytes of memory per byte of most files: if this much is free, no file is opened twice
BYTES_PER_RECORD = 16  # bytes of a parsed edge: two 64-bit ids
BYTES_PER_LINE = 12  # bytes of a usual line of an edge list
COMPRESSION = 4  # the usual size of an edge list relative to that of its compressed file

AS_ON_DISK = ("npy", "raw32", "raw64", "egr", "sg", "wsg", "galois")  # numbers are as large as in memory
SHARE_OF_BLOCKS = 16  # within limits, reading gets the memory divided by this number

WITHOUT = "leave out --memory and --checkpoint"
RIGHT = "the labels are right"


def components_of_graph(task: Task) -> Told:
    """Find the components of a graph. The graph is read whole unless there is a reason for blocks."""
    why = why_in_blocks(task)
    if why is not None:
        return _in_blocks(task, why)
    asked, steps = task.asked, task.steps
    task.require_output(_require_file_of_labels)
    labels = asked.labels or "consecutive"
    if task.devices is None:
        wanted = task.open("components")
        graph = task.load_graph()
        steps.begin("finding components")
        found = result.find_components(wanted, HostGraph(graph), labels)
    else:
        from pointerjump.solving.streams import components_of_parts

        how = _how_in_blocks(task)
        graph = task.load_graph()
        steps.begin("finding components")
        found = components_of_parts(graph, **how)

    def check() -> None:
        from pointerjump.verifiers.graphs import verify

        verify(graph, found.labels, progress=steps.show)

    def write(path: str) -> None:
        write_labels(path, found.labels, graph.names)

    task.finish(found.stats, check, write, graph.names)
    with steps.timed("counting", "summary"):
        sizes = found.sizes
        by_label = sizes if labels == "consecutive" else None
        facts, lines, tables = told_of_components(asked, found, sizes, by_label, names=graph.names)
        counts = {"vertices": graph.vertices, "edges": graph.edges, "records": graph.records}
    lines.append(("graph", f"{graph.vertices:,} vertices, {graph.edges:,} undirected edges"))
    return Told("labels", RIGHT, {**counts, **facts, "streamed": None}, lines, tables)


def _require_file_of_labels(path: str) -> None:
    if base_suffix(Path(path)) in BINARY:
        raise click.UsageError(
            f"{path} is for clusters of a table, and the input is read as a graph: name the columns of its "
            "pairs by --source and --target, or write labels to .npy, .csv or .tsv"
        )
    require_label_file(path)


def _how_in_blocks(task: Task) -> dict[str, Any]:
    asked, devices = task.asked, devices_for_blocks(task, "components")
    labels = asked.labels or "consecutive"
    return {"algorithm": asked.algorithm, "devices": devices, "labels": labels, "choices": task.choices}


def _in_blocks(task: Task, why: str) -> Told:
    """Find the components of a graph in a file that is read block by block; `why` states the reason."""
    from pointerjump.solving.streams import components_of_blocks

    asked, steps = task.asked, task.steps
    task.require_output(_require_file_of_labels)
    with ExitStack() as until_told:
        how = _how_in_blocks(task)
        streamed = open_streamed(task, why, until_told, command="cc")
        steps.begin("linking edges")
        found = components_of_blocks(streamed.blocks, **how, **streamed.following(steps))

        def check() -> None:
            from pointerjump.verifiers.graphs import verify_blocks

            verify_blocks(streamed.blocks, found.labels, progress=steps.show)

        task.finish(found.stats, check, lambda path: write_labels(path, found.labels))
        with steps.timed("counting", "summary"):
            sizes, vertices, records = found.counted(), len(found.labels), found.stats["records"]
            by_label = sizes if how["labels"] == "consecutive" else None
            facts, lines, tables = told_of_components(asked, found, sizes, by_label)
    of_stream, of_stream_in_words = told_of(streamed, steps)
    facts = {"vertices": vertices, "edges": None, "records": records, **facts, **of_stream}
    lines += [
        ("graph", f"{vertices:,} vertices, {records:,} records"),
        ("edges", "not counted: repeated edges are only found in a whole graph"),
        *of_stream_in_words,
    ]
    return Told("labels", RIGHT, facts, lines, tables)


class Streamed(NamedTuple):
    """A file that is read block by block, the reason for that, and the checkpoint of the run."""

    why: str
    blocks: Blocks
    checkpoint: Checkpoint | None

    def following(self, steps: Steps) -> dict[str, Any]:
        """Return the arguments with which a run shows and saves its progress."""
        watch = lambda piece: steps.show_bytes(piece.bytes_read, self.blocks.bytes)  # noqa: E731
        return {"checkpoint": self.checkpoint, "watch": watch}


def told_of(streamed: Streamed | None, steps: Steps) -> tuple[dict[str, Any], Lines]:
    """Return facts about the reading, for the report. Remove the checkpoint if the run has succeeded."""
    if streamed is None:
        return {"streamed": None}, []
    facts: dict[str, Any] = {"streamed": streamed.why}
    lines = [("streamed", streamed.why)]
    if (checkpoint := streamed.checkpoint) is not None:
        if steps.why_not is None:
            checkpoint.remove()
        if checkpoint.resumed_after is not None:
            facts["resumed_after"] = checkpoint.resumed_after
            lines.append(("resumed", f"after {checkpoint.resumed_after:,} records"))
    return facts, lines


def is_table_of_pairs(task: Task, *of_tables: str | None) -> bool:
    """Return whether the input is a table, judged by options that only tables have, or by the input itself.

    With options for graphs, or for reading block by block, the input is not a table.
    """
    asked = task.asked
    columns = any((asked.source, asked.target, asked.where, *of_tables))
    of_blocks = [name for name in ("checkpoint", "devices") if getattr(asked, name) is not None]
    if columns and of_blocks:
        raise click.UsageError(
            f"--{of_blocks[0]} is for graphs, whose ids are integers, and other options are for tables: "
            "leave out either"
        )
    numbers = bool(of_blocks) or any(value not in (None, "auto") for value in task.reading.values())
    return classify(task.source, columns=columns, numbers=numbers).kind == "table"


def devices_for_blocks(task: Task, problem: Problem, *, unchecked: str | None = None) -> list[Any]:
    """Check the request, and open the devices that are to share the edges.

    If reading in blocks means that the answer cannot be checked, `unchecked` says why the file is read in
    blocks.
    """
    from pointerjump.solving.shared_blocks import devices_of

    if unchecked is not None and task.asked.check:
        raise click.UsageError(f"--verify needs all edges at once, and {unchecked}: leave out one of the two")
    with task.steps.timed("opening the device", "device"):
        devices = devices_of(task.devices or task.device)
        if problem == "components":
            choice_for_blocks(task.asked.algorithm, devices[0], task.choices)
        else:
            order(problem, task.asked.algorithm, devices[0], task.choices)
    return devices


def require_all_edges(kept: int, read: int) -> None:
    """Refuse to check an answer if not all edges were kept."""
    if kept < read:
        raise MemoryLimitError(
            f"checking needs all edges at once, and of {read:,} only {kept:,} were kept: leave out --verify"
        )


def refuse_devices(task: Task) -> None:
    """Refuse several devices for edges that are read whole."""
    if task.devices is not None:
        raise click.UsageError(
            f"{task.title} is not read block by block, so one device takes all edges: leave out --devices"
        )


def open_streamed(
    task: Task, why: str, until_told: ExitStack, *, weighted: bool = False, **told_apart: object
) -> Streamed:
    """Open a file to be read block by block, within the run's memory; `why` states the reason.

    A checkpoint belongs to this run only if its facts `told_apart` are the same.
    """
    asked = task.asked
    if asked.memory is None and asked.checkpoint is None and not asked.as_json:
        complain(f"{task.title} is streamed, with its ids as vertex numbers: {why}")
    memory_of_blocks = memory_for_blocks(asked.memory)
    until_told.enter_context(bounded(asked.memory, memory_of_blocks))
    until_told.enter_context(going_on(asked.checkpoint))
    with task.steps.timed("reading", "read"):
        require_more_than_the_program(asked.memory)
        blocks = open_blocks(task, memory_of_blocks, weighted=weighted)
        checkpoint = None
        if asked.checkpoint is not None:
            from pointerjump.solving.checkpoints import Checkpoint

            checkpoint = Checkpoint(asked.checkpoint, blocks, asked.checkpoint_every, **told_apart)
    return Streamed(why, blocks, checkpoint)


def why_in_blocks(task: Task, *, weighted: bool = False) -> str | None:
    """Return why a file is to be read block by block, or None if it is to be read whole.

    Raise a FormatError or UsageError if an option asks for blocks, but the file cannot be read in blocks.
    """
    asked = task.asked
    for name in ("memory", "checkpoint"):
        if getattr(asked, name) is not None:
            _require_streamable(task)
            return f"--{name} is given"
    if task.devices is None and not _may_be_too_large(task.source):
        return None
    try:
        _require_streamable(task)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings are repeated when the file is read
            blocks = open_blocks(task, weighted=weighted)
    except (PointerjumpError, click.UsageError):
        return None  # if the file is bad, reading it whole says what is wrong
    if task.devices is not None:
        return "several devices share the edges"
    size, (room, place) = bytes_when_whole(blocks), memory.available()
    if size <= room:
        return None
    size_in_words, room_in_words = memory.in_words(size), memory.in_words(room)
    return f"reading it whole would take about {size_in_words}, and only {room_in_words} are free {place}"


def _require_streamable(task: Task) -> None:
    """Refuse an input that is not a file, and options that need all edges at once."""
    source = task.source
    if "-" in ([source] if isinstance(source, str) else source):
        raise FormatError(f"-: blocks are read from a file: save standard input to one, or {WITHOUT}")
    if isinstance(source, str) and is_spec(source):
        raise FormatError(
            f"{source}: a generator makes all edges at once: generate a file first, or {WITHOUT}"
        )
    if task.asked.ids == "compact":
        raise click.UsageError(f"--ids compact needs all edges at once: leave it out, or {WITHOUT}")


def _may_be_too_large(source: str | list[str]) -> bool:
    size = 0
    try:
        for path in [source] if isinstance(source, str) else source:
            for file in files_named(Path(path)):
                size += file.stat().st_size
    except (FormatError, OSError, ValueError):  # ValueError: no file can have such a name
        return False
    return size * MOST_PER_BYTE > memory.available()[0]


def open_blocks(task: Task, size: int | None = None, *, weighted: bool = False) -> Blocks:
    """Open the file; its blocks take up to `size` bytes."""
    reading = task.reading
    del reading["ids"]
    return read_blocks(cast(Any, task.source), memory=size, weighted=weighted, **reading)


def memory_for_blocks(memory: int | None) -> int:
    """Return the memory for reading, given the memory of the whole run."""
    share = DEFAULT_MEMORY if memory is None else memory // SHARE_OF_BLOCKS
    return min(DEFAULT_MEMORY, max(LEAST_MEMORY, share))


def bytes_when_whole(blocks: Blocks) -> int:
    """Estimate the peak memory for a file's edges if the file is read whole and the edges are counted.

    The estimate errs on the low side, because reading a whole file has advantages: edges are counted, and
    sparse ids are renumbered. Labels are not included.
    """
    compressed = any(compression_of(path) for path in blocks.paths)
    text = blocks.bytes * (COMPRESSION if compressed else 1)
    records = blocks.records if blocks.records is not None else text // BYTES_PER_LINE
    as_on_disk = blocks.format in AS_ON_DISK and not compressed
    return (blocks.bytes if as_on_disk else BYTES_PER_RECORD * records) + COUNT_BYTES_PER_EDGE * records


def forest_of_graph(task: Task) -> Told:
    task.require_output(require_graph_file)
    wanted = task.open("spanning-forest")
    graph = task.load_graph()
    task.steps.begin("finding a forest")
    edges, of_run = result.find_forest(wanted, HostGraph(graph))

    def check() -> None:
        from pointerjump.verifiers.graphs import verify_forest

        verify_forest(graph, edges)

    def write(path: str) -> None:
        write_graph(Graph.from_edges(edges, vertices=graph.vertices, names=graph.names), path)

    task.finish(of_run, check, write, graph.names)
    with task.steps.timed("counting", "summary"):
        kept, components = len(edges), graph.vertices - len(edges)
        facts = {"vertices": graph.vertices, "edges": graph.edges, "forest": kept, "components": components}
    lines = [
        ("forest", f"{kept:,} of {graph.edges:,} undirected edges"),
        ("components", f"{components:,}"),
    ]
    return Told("forest's edges", "it is a spanning forest", facts, lines)


def rooted_forest_of_graph(task: Task) -> Told:
    from pointerjump.solving import trees

    asked, steps = task.asked, task.steps
    task.require_output(require_table_file)
    wanted = task.open("trees")
    graph = task.load_graph()
    steps.begin("rooting")
    found = trees.root(wanted, graph, _numbers_of(asked.roots, graph) if asked.roots else None)

    def check() -> None:
        from pointerjump.verifiers.trees import verify_rooted

        verify_rooted(graph, found)

    def write(path: str) -> None:
        names = np.arange(graph.vertices) if graph.names is None else graph.names
        columns = ("depth", "preorder", "postorder", "size", "tree")
        of_each = {name: getattr(found, name) for name in columns}
        table = pa.table({"vertex": names, "parent": names[found.parent], **of_each})
        write_table(path, table.schema, [table])

    task.finish(found.stats, check, write, graph.names)
    with steps.timed("counting", "summary"):
        level = int(np.argmax(found.widths)) if found.vertices else 0
        widest = int(found.widths.max(initial=0))
        facts = {"vertices": found.vertices, "trees": found.trees, "height": found.height}
        facts |= {"leaves": len(found.leaves), "widest": widest, "widest_depth": level}
    lines = [
        ("forest", f"{found.vertices:,} vertices, {found.trees:,} trees"),
        ("height", f"{found.height:,}"),
        ("leaves", f"{len(found.leaves):,}"),
        ("widest level", f"{widest:,} vertices, at depth {level:,}"),
    ]
    return Told("rooted forest", "it is the rooted forest", facts, lines)


def _numbers_of(vertices: Sequence[str], graph: Graph) -> list[int]:
    names = map(str, range(graph.vertices) if graph.names is None else graph.names.tolist())
    asked = set(vertices)
    number = {name: v for v, name in enumerate(names) if name in asked}
    for name in vertices:
        if name not in number:
            raise GraphError(f"--root {name}: the graph has no such vertex: give one as the file calls it")
    return [number[name] for name in vertices]


def ranks_of_lists(task: Task) -> Told:
    from pointerjump.solving import lists

    asked, steps = task.asked, task.steps
    task.require_output(require_label_file)
    wanted = task.open("list-ranking")
    with steps.timed("reading", "read"):
        successors = load_list(asked.input, steps.show)
    steps.begin("ranking")
    ranks, of_run = lists.rank_lists(wanted, lists.HostLists(successors))

    def check() -> None:
        from pointerjump.verifiers.graphs import verify_ranks

        verify_ranks(successors, ranks)

    task.finish(of_run, check, lambda path: write_labels(path, ranks))
    with steps.timed("counting", "summary"):
        elements = len(ranks)
        count = int(np.count_nonzero(successors == np.arange(elements)))
        longest = int(ranks.max(initial=-1)) + 1
    lines = [("elements", f"{elements:,}"), ("lists", f"{count:,}, the longest of {longest:,} elements")]
    facts = {"elements": elements, "lists": count, "longest": longest}
    return Told("ranks", "the ranks are right", facts, lines)
