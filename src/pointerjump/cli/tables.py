"""The command ``cc`` on a table of ids, which writes a table of clusters."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from pointerjump.base import memory
from pointerjump.base.arrow import pa
from pointerjump.cli.commands import require_unused
from pointerjump.cli.sizes import told_of_components
from pointerjump.cli.tasks import Task, Told, input_and_reading, standard_input
from pointerjump.errors import MemoryLimitError, TableError
from pointerjump.formats.files import base_suffix, compression_within
from pointerjump.generators import is_spec
from pointerjump.ids import components
from pointerjump.solving.inputs import Given
from pointerjump.solving.result import sizes_of
from pointerjump.solving.run import REFERENCE, Order
from pointerjump.tables.files import open_files
from pointerjump.tables.frames import OpenTable
from pointerjump.tables.open import Roles, given_nodes, id_columns, id_fields, open_table
from pointerjump.tables.where import Condition, parse_condition
from pointerjump.tables.write import (
    FORMATS,
    ROW_GROUP,
    require_table_file,
    require_text_for_columns,
    write_table,
)

BYTES_SORTED = 4  # the peak memory of sorting a table, as a multiple of its size


def components_of_table(task: Task) -> Told:
    asked, steps, limit = task.asked, task.steps, task.asked.memory
    _refuse_combinations(task)
    task.require_output(require_table_file)
    with steps.timed("opening the device", "device"):
        wanted = components.order_for_ids(asked.algorithm, asked.device, asked.labels, task.choices)
    with steps.timed("reading", "read"):
        columns, nodes = _open(task)

    def watch(rows: int, nbytes: int) -> None:
        steps.show_rows(rows, None if asked.where else columns.rows)
        if limit is not None and (taken := memory.resident()) > limit:
            raise MemoryLimitError(
                f"{columns.name}: {rows:,} rows already take {memory.in_words(taken)}, and --memory is "
                f"{memory.in_words(limit)}: allow more"
            )

    steps.begin("reading rows")
    found = components.components_of_ids(wanted, columns, nodes, asked.labels, watch)
    # Component numbers are 32-bit integers. Ids never are, because integer ids are converted to 64 bits
    # before they are compared.
    named_by_ids = found.schema.field("component").type == found.ids.type
    read, ids = found.stats["records"], found.vertices

    def check() -> None:
        from pointerjump.verifiers.tables import verify_table

        kind = "representative" if named_by_ids else "consecutive"
        verify_table(columns, found.ids, found.labels, kind=kind, nodes=nodes, progress=steps.show)

    def write(path: str) -> None:
        schema = columns.like_given(found.schema.empty_table()).schema
        write_table(path, schema, map(columns.like_given, _clusters(found, path, asked.sort)))

    of_run = {name: fact for name, fact in found.stats.items() if name != "records"}
    task.finish(of_run, check, write, found.ids)
    with steps.timed("counting", "summary"):
        by_label = sizes_of(found.labels, int(found.labels.max(initial=-1)) + 1)
        facts, lines, tables = told_of_components(
            asked,
            found,
            by_label[by_label > 0],
            by_label,
            names=found.ids,
            ids=found.ids if named_by_ids else None,
            called="ids",
        )
    known = columns.rows
    rows = f"{read:,}"
    if asked.where:
        rows += (f" of {known:,}" if known is not None else "") + " meet the conditions"
    counts = {"rows": read, "rows_in_file": known, "ids": ids, "vertices": ids, "edges": None}
    lines = [("rows", rows), ("ids", f"{ids:,}"), *lines]
    return Told("clusters", "the clusters are right", {**counts, **facts, "streamed": None}, lines, tables)


def _refuse_combinations(task: Task) -> None:
    asked, first = task.asked, task.asked.first
    if (asked.group or asked.member) and (asked.source or asked.target):
        raise click.UsageError(
            "columns of groups and columns of pairs are both given: leave out --group and --member, or "
            "--source and --target"
        )
    for one, other in (("source", "target"), ("target", "source"), ("group", "member")):
        if getattr(asked, one) and not getattr(asked, other):
            raise click.UsageError(f"--{one} is given without --{other}: name both columns")
    if asked.sort and asked.output is None:
        raise click.UsageError("--sort is for the file that is written: name one by -o, or leave it out")
    for name in ("checkpoint", "devices"):
        if getattr(asked, name) is not None:
            raise click.UsageError(
                f"--{name} is for graphs, whose ids are integers: leave it out, or leave out {first}"
            )
    if isinstance(task.source, str) and is_spec(task.source):
        raise TableError(f"{task.source}: a generator makes a graph, not a table: leave out {first}")
    if asked.output is not None and first is None and base_suffix(Path(asked.output)) not in FORMATS:
        raise click.UsageError(
            f"{task.title} is a table, as its columns have names of pairs: write .parquet or .csv, "
            f"or give --columns A,B to read a graph and write its labels to {asked.output}"
        )


def _open(task: Task) -> tuple[Any, Any]:
    """Return a table's id columns, and the nodes to include. Check all that can be checked before reading."""
    asked = task.asked
    task.bound_memory()
    table, where = _open_with_conditions(task)
    columns = id_columns(table, Roles(asked.source, asked.target, asked.group or None, asked.member), where)
    if asked.output is not None:
        require_text_for_columns(asked.output, [id_fields(columns)[-1].with_name("id")])
    nodes = asked.nodes
    if nodes is not None and ":" in nodes and not Path(nodes).exists():
        nodes = tuple(nodes.rsplit(":", 1))
    return columns, None if nodes is None else given_nodes(nodes)


def input_of_pairs(task: Task, wanted: Order, *, in_table: bool) -> tuple[Any, dict[str, Any]]:
    """Return the input, which is a table of pairs or a graph, and the arguments for reading it."""
    asked = task.asked
    task.bound_memory()
    if in_table:
        table, where = _open_with_conditions(task)
        reading = {"roles": Roles(asked.source, asked.target), "where": where or None}
        return Given("table", table), {**reading, "numbering": wanted.session or REFERENCE}
    source, reading = input_and_reading(task.source, task.reading)
    return source, {**reading, "progress": task.steps.show}


def _open_with_conditions(task: Task) -> tuple[OpenTable, list[Condition]]:
    """Open a table, or a temporary copy of standard input, and parse the conditions on its rows."""
    asked, header = task.asked, task.asked.header
    require_unused({**task.reading, "header": None}, task.title)
    if task.source == "-":
        folder = task.until_told.enter_context(TemporaryDirectory(prefix="pointerjump-"))
        table = open_files(_spool(folder), "standard input", header)
    else:
        table = open_table(task.source) if header is None else open_files(task.source, header=header)
    where = []
    for column, operator, value in asked.where:
        words = f"{operator} {value}".lower().split()
        if words in (["is", "null"], ["is", "not", "null"]):  # both words belong to the operator
            operator, value = " ".join(words), ""
        where.append(parse_condition(column, operator, value, table.types([column]).field(column).type))
    return table, where


def write_whole(path: str, table: pa.Table) -> None:
    write_table(path, table.schema, [table])


def _spool(folder: str) -> str:
    """Copy standard input to a file whose suffix matches the format. Return the path of the file."""
    with Path(standard_input()).open("rb") as given:
        beginning = given.read(16)
        binary = {b"PAR1": ".parquet", b"\xff\xff\xff\xff": ".arrows", b"ARROW1": ".arrow"}
        text = ".csv" + (compression_within(beginning) or "")
        suffix = next((binary[magic] for magic in binary if beginning.startswith(magic)), text)
        file = Path(folder) / f"table{suffix}"
        with file.open("wb") as copy:
            copy.write(beginning)
            shutil.copyfileobj(given, copy)
    return str(file)


def _clusters(found: Any, path: str, in_order: bool) -> Iterator[pa.Table]:
    """Yield the table of clusters in batches. Unless it is sorted, only one batch is in memory at a time."""
    if not in_order:
        for batch in found.batches(ROW_GROUP):
            yield pa.Table.from_batches([batch])
        return
    memory.require(
        BYTES_SORTED * found.ids.nbytes, f"{path}: sorting {found.vertices:,} ids", "leave out --sort"
    )
    table = found.arrow().sort_by([("component", "ascending"), ("id", "ascending")])
    for begin in range(0, len(table), ROW_GROUP):
        yield table.slice(begin, ROW_GROUP)
