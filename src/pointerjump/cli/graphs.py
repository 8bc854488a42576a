"""The commands ``cc`` (on a graph, read whole or block by block), ``forest``, ``tree`` and ``rank``."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
import numpy as np

import pointerjump as pj
from pointerjump.base import memory
from pointerjump.base.arrow import pa
from pointerjump.base.edges import COUNT_BYTES_PER_EDGE
from pointerjump.base.graph import Graph
from pointerjump.cli.sizes import told_of_components
from pointerjump.cli.tasks import Task, Told, going_on, load_list
from pointerjump.cli.terminal import complain
from pointerjump.errors import FormatError, GraphError, MemoryLimitError, PointerjumpError
from pointerjump.formats import read_blocks, require_graph_file, write_graph, write_labels
from pointerjump.formats.blocks import Blocks
from pointerjump.formats.files import base_suffix, compression_of, files_named
from pointerjump.formats.labels import require_label_file
from pointerjump.formats.pieces import DEFAULT_MEMORY, LEAST_MEMORY, Piece
from pointerjump.generators import is_spec
from pointerjump.solving import result
from pointerjump.solving.inputs import HostGraph, classify
from pointerjump.solving.run import choice_for_blocks, order
from pointerjump.tables.write import BINARY, require_table_file, write_table

if TYPE_CHECKING:
    from pointerjump.registry.algorithm import Problem

MOST_PER_BYTE = 64
"""Most files take less than this many bytes of memory per byte of the file. If that much is free, a file is
opened only once."""

BYTES_PER_RECORD = 16  # bytes of a parsed edge: two 64-bit ids
BYTES_PER_LINE = 12  # bytes of a typical line of an edge list
COMPRESSION = 4  # the typical ratio of the size of an edge list to its compressed size

AS_ON_DISK = ("npy", "raw32", "raw64", "egr", "sg", "wsg", "galois")  # formats storing numbers as in memory
SHARE_OF_BLOCKS = 16  # within limits, the memory is divided by this number to get the memory for reading

WITHOUT = "leave out --memory and --checkpoint"


def components_of_graph(task: Task) -> Told:
    """Find the components of a graph, which is read whole unless :func:`why_in_blocks` returns a reason."""
    asked, steps = task.asked, task.steps
    why = why_in_blocks(task)
    task.require_output(_require_file_of_labels)
    labels, graph = asked.labels or "consecutive", None
    how = {"algorithm": asked.algorithm, "labels": labels, "choices": task.choices}
    if why is not None:
        from pointerjump.solving.streams import components_of_blocks

        blocks, in_blocks = open_streamed(task, "components", why, command="cc")
        steps.begin("linking edges")
        found = components_of_blocks(blocks, **how, **in_blocks)
    elif task.devices is not None:
        from pointerjump.solving.streams import components_of_parts

        devices = _devices_for_blocks(task, "components")
        graph = task.load_graph()
        steps.begin("finding components")
        found = components_of_parts(graph, devices=devices, **how)
    else:
        wanted = task.open("components")
        graph = task.load_graph()
        steps.begin("finding components")
        found = result.find_components(wanted, HostGraph(graph), labels)
    names = None if graph is None else graph.names

    def check() -> None:
        if graph is None:
            pj.verify_blocks(blocks, found.labels, progress=steps.show)
        else:
            pj.verify(graph, found.labels, progress=steps.show)

    task.finish(found.stats, check, lambda path: write_labels(path, found.labels, names), names)
    with steps.timed("counting", "summary"):
        sizes = found.counted() if graph is None else found.sizes
        by_label = sizes if labels == "consecutive" else None
        facts, lines, tables = told_of_components(asked, found, sizes, by_label, names=names)
        if graph is None:
            counts = {"vertices": len(found.labels), "edges": None, "records": found.stats["records"]}
            lines.append(("graph", f"{counts['vertices']:,} vertices, {counts['records']:,} records"))
            lines.append(("edges", "not counted: repeated edges are only found in a whole graph"))
        else:
            counts = {"vertices": graph.vertices, "edges": graph.edges, "records": graph.records}
            lines.append(("graph", f"{graph.vertices:,} vertices, {graph.edges:,} undirected edges"))
    facts = {**counts, **facts, "streamed": task.streamed}
    return Told("labels", "the labels are right", facts, lines, tables)


def _require_file_of_labels(path: str) -> None:
    if base_suffix(Path(path)) in BINARY:
        raise click.UsageError(
            f"{path} is for clusters of a table, and the input is read as a graph: name the columns of its "
            "pairs by --source and --target, or write labels to .npy, .csv or .tsv"
        )
    require_label_file(path)


def is_table_of_pairs(task: Task, *of_tables: str | None) -> bool:
    """Return whether the input is a table of pairs rather than a graph.

    If no option for tables or graphs is given, the content of the input decides. `of_tables` holds the values
    of further options for tables.
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


def _devices_for_blocks(task: Task, problem: Problem) -> list[Any]:
    from pointerjump.solving.shared_blocks import devices_of

    with task.steps.timed("opening the device", "device"):
        devices = devices_of(task.devices or task.device)
        if problem == "components":
            choice_for_blocks(task.asked.algorithm, devices[0], task.choices)
        else:
            order(problem, task.asked.algorithm, devices[0], task.choices)
    return devices


def require_all_edges(kept: int, read: int) -> None:
    """Raise a MemoryLimitError if some edges were not kept, because a check needs all of them."""
    if kept < read:
        raise MemoryLimitError(
            f"checking needs all edges at once, and of {read:,} only {kept:,} were kept: leave out --verify"
        )


def open_streamed(
    task: Task, problem: Problem, why: str, *, weighted: bool = False, **told_apart: object
) -> tuple[Blocks, dict[str, Any]]:
    """Open the devices and the file, and return the blocks of the file and further arguments for the run.

    `told_apart` contains settings that identify the run. A checkpoint saved with other settings is rejected.
    """
    asked, steps = task.asked, task.steps
    if problem != "components" and asked.check:
        raise click.UsageError(f"--verify needs all edges at once, and {why}: leave out one of the two")
    devices = _devices_for_blocks(task, problem)
    if asked.memory is None and asked.checkpoint is None and not asked.as_json:
        complain(f"{task.title} is streamed, with its ids as vertex numbers: {why}")
    share = DEFAULT_MEMORY if asked.memory is None else asked.memory // SHARE_OF_BLOCKS
    memory_of_blocks = min(DEFAULT_MEMORY, max(LEAST_MEMORY, share))
    task.streamed = why
    task.until_told.enter_context(going_on(asked.checkpoint))
    with steps.timed("reading", "read"):
        task.bound_memory(memory_of_blocks)
        blocks = _open_blocks(task, memory_of_blocks, weighted=weighted)
        if asked.checkpoint is not None:
            from pointerjump.solving.checkpoints import Checkpoint

            task.checkpoint = Checkpoint(asked.checkpoint, blocks, asked.checkpoint_every, **told_apart)

    def watch(piece: Piece) -> None:
        steps.show_bytes(piece.bytes_read, blocks.bytes)

    return blocks, {"devices": devices, "checkpoint": task.checkpoint, "watch": watch}


def why_in_blocks(task: Task, *, weighted: bool = False) -> str | None:
    """Return the reason for reading a file block by block, or None if it should be read whole."""
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
            blocks = _open_blocks(task, weighted=weighted)
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
    """Reject inputs other than files, and options that need all edges in memory."""
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


def _open_blocks(task: Task, size: int | None = None, *, weighted: bool = False) -> Blocks:
    """Open the file for reading in blocks, using up to `size` bytes of memory."""
    reading = task.reading
    del reading["ids"]
    return read_blocks(cast(Any, task.source), memory=size, weighted=weighted, **reading)


def bytes_when_whole(blocks: Blocks) -> int:
    """Estimate the peak memory, in bytes, for reading a file whole and counting its edges.

    The memory for labels is not included. The estimate is deliberately low, because reading a file whole has
    advantages: edges are counted, and sparse ids are renumbered.
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

    def write(path: str) -> None:
        write_graph(Graph.from_edges(edges, vertices=graph.vertices, names=graph.names), path)

    task.finish(of_run, lambda: pj.verify_forest(graph, edges), write, graph.names)
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

    def write(path: str) -> None:
        names = np.arange(graph.vertices) if graph.names is None else graph.names
        columns = ("depth", "preorder", "postorder", "size", "tree")
        of_each = {name: getattr(found, name) for name in columns}
        table = pa.table({"vertex": names, "parent": names[found.parent], **of_each})
        write_table(path, table.schema, [table])

    task.finish(found.stats, lambda: pj.verify_rooted(graph, found), write, graph.names)
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
    task.finish(of_run, lambda: pj.verify_ranks(successors, ranks), lambda path: write_labels(path, ranks))
    with steps.timed("counting", "summary"):
        elements = len(ranks)
        count = int(np.count_nonzero(successors == np.arange(elements)))
        longest = int(ranks.max(initial=-1)) + 1
    lines = [("elements", f"{elements:,}"), ("lists", f"{count:,}, the longest of {longest:,} elements")]
    facts = {"elements": elements, "lists": count, "longest": longest}
    return Told("ranks", "the ranks are right", facts, lines)
