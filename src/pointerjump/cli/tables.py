"""``cc`` on a table: from a table of ids to a table of clusters."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import pyarrow as pa
from rich.table import Table

from pointerjump.base import memory
from pointerjump.cli.commands import require_unused
from pointerjump.cli.sizes import told_of_components
from pointerjump.cli.steps import Steps
from pointerjump.cli.tasks import Facts, Task, bounded, require_more_than_the_program, standard_input
from pointerjump.cli.terminal import Lines
from pointerjump.errors import MemoryLimitError, TableError
from pointerjump.formats.files import base_suffix, compression_within
from pointerjump.generators import is_spec
from pointerjump.ids import components
from pointerjump.solving.result import sizes_of
from pointerjump.solving.run import Order
from pointerjump.tables.files import open_files
from pointerjump.tables.open import Roles, given_nodes, id_columns, id_fields, open_table
from pointerjump.tables.where import parse_condition
from pointerjump.tables.write import (
    FORMATS,
    ROW_GROUP,
    require_table_file,
    require_text_for_columns,
    write_table,
)

BYTES_SORTED = 4
"""Sorting a table takes this many times its own bytes at the peak."""


class OfTable(Task):
    """The components of the ids in a table; `first` is an option for tables that is given."""

    problem = "components"
    doing = "reading rows"
    result = "clusters"
    right = "the clusters are right"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.spooled: TemporaryDirectory[str] | None = None
        asked, first = self.asked, self.asked.first
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
        if isinstance(self.source, str) and is_spec(self.source):
            raise TableError(f"{self.source}: a generator makes a graph, not a table: leave out {first}")
        if asked.output is not None and first is None and base_suffix(Path(asked.output)) not in FORMATS:
            raise click.UsageError(
                f"{self.title} is a table, as its columns have names of pairs: write .parquet or .csv, "
                f"or give --columns A,B to read a graph and write its labels to {asked.output}"
            )

    def require_output(self, path: str) -> None:
        require_table_file(path)

    def order(self, choices: Mapping[str, object]) -> Order:
        return components.order_for_ids(self.asked.algorithm, self.asked.device, self.asked.labels, choices)

    @contextmanager
    def context(self, steps: Steps) -> Iterator[None]:
        """Bound the memory; in the end, remove what was spooled."""
        try:
            with bounded(self.asked.memory):
                yield
        finally:
            if self.spooled is not None:
                self.spooled.cleanup()

    def read(self, steps: Steps) -> None:
        """Look at a table's columns, and at whatever else can be wrong before its rows are read."""
        asked, header = self.asked, self.asked.header
        require_unused({**self.reading, "header": None}, self.title)
        require_more_than_the_program(asked.memory)
        if self.source == "-":
            table = open_files(self._spool(), "standard input", header)
        else:
            table = open_table(self.source) if header is None else open_files(self.source, header=header)
        where = []
        for column, operator, value in asked.where:
            words = f"{operator} {value}".lower().split()
            if words in (["is", "null"], ["is", "not", "null"]):  # the two make one operator
                operator, value = " ".join(words), ""
            where.append(parse_condition(column, operator, value, table.types([column]).field(column).type))
        roles = Roles(asked.source, asked.target, asked.group or None, asked.member)
        self.columns = id_columns(table, roles, where)
        if asked.output is not None:
            require_text_for_columns(asked.output, [id_fields(self.columns)[-1].with_name("id")])
        nodes = asked.nodes
        if nodes is not None and ":" in nodes and not Path(nodes).exists():
            nodes = tuple(nodes.rsplit(":", 1))
        self.nodes = None if nodes is None else given_nodes(nodes)

    def _spool(self) -> str:
        """Write standard input to a file, with the suffix of the table that it holds; return the file."""
        self.spooled = TemporaryDirectory(prefix="pointerjump-")
        with Path(standard_input()).open("rb") as given:
            beginning = given.read(16)
            binary = {b"PAR1": ".parquet", b"\xff\xff\xff\xff": ".arrows", b"ARROW1"[:4]: ".arrow"}
            suffix = binary.get(beginning[:4]) or ".csv" + (compression_within(beginning) or "")
            file = Path(self.spooled.name) / f"table{suffix}"
            with file.open("wb") as copy:
                copy.write(beginning)
                shutil.copyfileobj(given, copy)
        return str(file)

    def run(self, wanted: Order, steps: Steps) -> Facts:
        table, limit = self.columns, self.asked.memory

        def watch(rows: int, nbytes: int) -> None:
            steps.show_rows(rows, None if self.asked.where else table.rows)
            if limit is not None and (taken := memory.resident()) > limit:
                raise MemoryLimitError(
                    f"{table.name}: {rows:,} rows already take {memory.in_words(taken)}, and --memory is "
                    f"{memory.in_words(limit)}: allow more"
                )

        self.found = components.components_of_ids(wanted, self.columns, self.nodes, self.asked.labels, watch)
        self.names = self.found.ids
        # Numbers of components are 32-bit integers. Ids never are: integers become 64-bit ones before they
        # are compared.
        self.named_by_ids = self.found.schema.field("component").type == self.found.ids.type
        return {name: fact for name, fact in self.found.stats.items() if name != "records"}

    def verify(self, steps: Steps) -> None:
        from pointerjump.verifiers.tables import verify_table

        verify_table(
            self.columns,
            self.found.ids,
            self.found.labels,
            kind="representative" if self.named_by_ids else "consecutive",
            nodes=self.nodes,
            progress=steps.show,
        )

    def write(self, path: str) -> None:
        as_given = self.columns.like_given
        schema = as_given(self.found.schema.empty_table()).schema
        write_table(path, schema, map(as_given, self._clusters(path)))

    def _clusters(self, path: str) -> Iterator[pa.Table]:
        """Yield the table of clusters in parts; only one is in memory at a time, unless they are sorted."""
        found = self.found
        if not self.asked.sort:
            for batch in found.batches(ROW_GROUP):
                yield pa.Table.from_batches([batch])
            return
        memory.require(
            BYTES_SORTED * found.ids.nbytes, f"{path}: sorting {found.vertices:,} ids", "leave out --sort"
        )
        table = found.arrow().sort_by([("component", "ascending"), ("id", "ascending")])
        for begin in range(0, len(table), ROW_GROUP):
            yield table.slice(begin, ROW_GROUP)

    def summary(self) -> tuple[Facts, Lines, list[Table]]:
        found, known = self.found, self.columns.rows
        by_label = sizes_of(found.labels, int(found.labels.max(initial=-1)) + 1)
        named_by = found.ids if self.named_by_ids else None
        facts, lines, tables = told_of_components(
            self.asked,
            found,
            by_label[by_label > 0],
            by_label,
            names=self.names,
            ids=named_by,
            called="ids",
        )
        read, ids = found.stats["records"], found.vertices
        rows = f"{read:,}"
        if self.asked.where:
            rows += (f" of {known:,}" if known is not None else "") + " meet the conditions"
        counts = {"rows": read, "rows_in_file": known, "ids": ids, "vertices": ids, "edges": None}
        lines = [("rows", rows), ("ids", f"{ids:,}"), *lines]
        return {**counts, **facts, "streamed": None}, lines, tables
