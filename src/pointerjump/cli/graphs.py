"""``cc`` on a graph, which is read whole or block by block; ``forest``, ``tree`` and ``rank``."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import click
import numpy as np

from pointerjump.base import memory
from pointerjump.base.edges import COUNT_BYTES_PER_EDGE
from pointerjump.base.graph import Graph
from pointerjump.cli.sizes import told_of_components
from pointerjump.cli.tasks import Task, Told, bounded, going_on, load_list, require_more_than_the_program
from pointerjump.cli.terminal import complain
from pointerjump.errors import FormatError, GraphError, PointerjumpError
from pointerjump.formats import read_blocks, require_graph_file, require_label_file, write_graph, write_labels
from pointerjump.formats.blocks import Blocks
from pointerjump.formats.files import base_suffix, compression_of, files_named
from pointerjump.formats.pieces import DEFAULT_MEMORY, LEAST_MEMORY
from pointerjump.generators import is_spec
from pointerjump.solving import result
from pointerjump.solving.inputs import HostGraph
from pointerjump.solving.run import choice_for_blocks
from pointerjump.tables.write import BINARY

MOST_PER_BYTE = 64
"""The most bytes of memory per byte of most files. If memory allows that, no file is opened twice."""

BYTES_PER_RECORD = 16
"""Bytes of a parsed edge: two 64-bit ids."""

BYTES_PER_LINE = 12
"""Bytes of a usual line of an edge list."""

COMPRESSION = 4
"""The usual ratio of the size of an edge list to that of its compressed file."""

AS_ON_DISK = ("npy", "raw32", "raw64", "egr", "sg", "wsg", "galois")
"""Formats whose numbers take as much memory as on disk."""

SHARE_OF_BLOCKS = 16
"""One part in this number of the memory is for reading, within limits."""

WITHOUT = "leave out --memory and --checkpoint"


RIGHT = "the labels are right"


def components_of_graph(task: Task) -> Told:
    """Find the components of a graph, which is read whole unless there is a reason for blocks."""
    why = why_in_blocks(task)
    if why is not None:
        return _in_blocks(task, why)
    asked, steps = task.asked, task.steps
    _require_output(asked.output)
    labels = asked.labels or "consecutive"
    if asked.devices is None:
        wanted = task.open("components")
        graph = task.load_graph()
        steps.begin("finding components")
        found = result.find_components(wanted, HostGraph(graph), labels)
    else:
        from pointerjump.solving.streams import components_of_parts

        how = _order_for_blocks(task)
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


def _require_output(path: str | None) -> None:
    if path is None:
        return
    if base_suffix(Path(path)) in BINARY:
        raise click.UsageError(
            f"{path} is for clusters of a table, and the input is read as a graph: name the columns of its "
            "pairs by --source and --target, or write labels to .npy, .csv or .tsv"
        )
    require_label_file(path)


def _order_for_blocks(task: Task) -> dict[str, Any]:
    """Check the request, and open the devices that share the edges; return both."""
    from pointerjump.solving.streams import devices_of

    asked, choices = task.asked, task.choices
    with task.steps.timed("opening the device", "device"):
        devices = devices_of(asked.devices or asked.device)
        choice_for_blocks(asked.algorithm, devices[0], choices)
    labels = asked.labels or "consecutive"
    return {"algorithm": asked.algorithm, "devices": devices, "labels": labels, "choices": choices}


def _in_blocks(task: Task, why: str) -> Told:
    from pointerjump.solving.checkpoints import Checkpoint
    from pointerjump.solving.streams import components_of_blocks

    asked, steps = task.asked, task.steps
    if asked.memory is None and asked.checkpoint is None and not asked.as_json:
        complain(f"{task.title} is streamed, with its ids as vertex numbers: {why}")
    _require_output(asked.output)
    memory_of_blocks = memory_for_blocks(asked.memory)
    checkpoint = None
    with bounded(asked.memory, memory_of_blocks), going_on(asked.checkpoint):
        how = _order_for_blocks(task)
        with steps.timed("reading", "read"):
            require_more_than_the_program(asked.memory)
            blocks = open_blocks(task, memory_of_blocks)
            if asked.checkpoint is not None:
                checkpoint = Checkpoint(asked.checkpoint, blocks, asked.checkpoint_every)
        steps.begin("linking edges")
        found = components_of_blocks(
            blocks,
            **how,
            checkpoint=checkpoint,
            watch=lambda batch: steps.show_bytes(batch.bytes_read, blocks.bytes),
        )

        def check() -> None:
            from pointerjump.verifiers.graphs import verify_blocks

            verify_blocks(blocks, found.labels, progress=steps.show)

        task.finish(found.stats, check, lambda path: write_labels(path, found.labels))
        with steps.timed("counting", "summary"):
            sizes, vertices, records = found.counted(), len(found.labels), found.stats["records"]
            by_label = sizes if how["labels"] == "consecutive" else None
            facts, lines, tables = told_of_components(asked, found, sizes, by_label)
    facts = {"vertices": vertices, "edges": None, "records": records, **facts, "streamed": why}
    if checkpoint is not None:
        if steps.why_not is None:
            checkpoint.remove()  # no run will go on from there
        if checkpoint.resumed_after is not None:
            facts["resumed_after"] = checkpoint.resumed_after
            lines.append(("resumed", f"after {checkpoint.resumed_after:,} records"))
    lines += [
        ("graph", f"{vertices:,} vertices, {records:,} records"),
        ("edges", "not counted: repeated edges are only found in a whole graph"),
        ("streamed", why),
    ]
    return Told("labels", RIGHT, facts, lines, tables)


def why_in_blocks(task: Task) -> str | None:
    asked = task.asked
    for name in ("memory", "checkpoint"):
        if getattr(asked, name) is not None:
            _require_streamable(task)
            return f"--{name} is given"
    if asked.devices is None and not _may_be_too_large(task.source):
        return None
    try:
        _require_streamable(task)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they come again when the file is read
            blocks = open_blocks(task)
    except (PointerjumpError, click.UsageError):
        return None  # reading it whole says what is wrong if it is bad
    if asked.devices is not None:
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
    given = [source] if isinstance(source, str) else source
    try:
        size = sum(file.stat().st_size for path in given for file in files_named(Path(path)))
    except (FormatError, OSError, ValueError):  # ValueError: of a name that no file can have
        return False
    return size * MOST_PER_BYTE > memory.available()[0]


def open_blocks(task: Task, size: int | None = None, **more: Any) -> Blocks:
    """Open the file, with blocks within this memory."""
    reading = task.reading
    del reading["ids"]
    return read_blocks(cast(Any, task.source), memory=size, **reading, **more)


def memory_for_blocks(memory: int | None) -> int:
    """Return the memory for reading, given that of the whole run."""
    share = DEFAULT_MEMORY if memory is None else memory // SHARE_OF_BLOCKS
    return min(DEFAULT_MEMORY, max(LEAST_MEMORY, share))


def bytes_when_whole(blocks: Blocks) -> int:
    """Estimate the peak memory of a file's edges if it is read whole and they are counted.

    The estimate is low rather than high, because reading a whole file has advantages: edges are counted, and
    sparse ids are renumbered. Labels are not included.
    """
    compressed = any(compression_of(path) for path in blocks.paths)
    text = blocks.bytes * (COMPRESSION if compressed else 1)
    records = blocks.records if blocks.records is not None else text // BYTES_PER_LINE
    as_on_disk = blocks.format in AS_ON_DISK and not compressed
    return (blocks.bytes if as_on_disk else BYTES_PER_RECORD * records) + COUNT_BYTES_PER_EDGE * records


def forest_of_graph(task: Task) -> Told:
    asked, steps = task.asked, task.steps
    if asked.output is not None:
        require_graph_file(asked.output)
    wanted = task.open("spanning-forest")
    graph = task.load_graph()
    steps.begin("finding a forest")
    edges, of_run = result.find_forest(wanted, HostGraph(graph))

    def check() -> None:
        from pointerjump.verifiers.graphs import verify_forest

        verify_forest(graph, edges)

    def write(path: str) -> None:
        write_graph(Graph.from_edges(edges, vertices=graph.vertices, names=graph.names), path)

    task.finish(of_run, check, write, graph.names)
    with steps.timed("counting", "summary"):
        kept, components = len(edges), graph.vertices - len(edges)
        facts = {"vertices": graph.vertices, "edges": graph.edges, "forest": kept, "components": components}
    lines = [
        ("forest", f"{kept:,} of {graph.edges:,} undirected edges"),
        ("components", f"{components:,}"),
    ]
    return Told("forest's edges", "it is a spanning forest", facts, lines)


def rooted_forest_of_graph(task: Task) -> Told:
    from pointerjump.solving import trees
    from pointerjump.tables.write import require_table_file, write_table

    asked, steps = task.asked, task.steps
    if asked.output is not None:
        require_table_file(asked.output)
    wanted = task.open("trees")
    graph = task.load_graph()
    steps.begin("rooting")
    found = trees.root(wanted, graph, _numbers_of(asked.roots, graph) if asked.roots else None)

    def check() -> None:
        from pointerjump.verifiers.trees import verify_rooted

        verify_rooted(graph, found)

    def write(path: str) -> None:
        import pyarrow as pa

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
    """Return the numbers of vertices, given their names in the file."""
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
    if asked.output is not None:
        require_label_file(asked.output)
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
