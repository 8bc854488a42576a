"""``cc`` on a table: from a table of ids to a table of clusters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pointerjump import memory
from pointerjump.cli.blocks import RESERVE, require_more_than_the_program
from pointerjump.cli.reading import Source, require_unused, spooled, title_of
from pointerjump.cli.sizes import SizesAsked, facts_of_components
from pointerjump.cli.steps import Steps
from pointerjump.cli.tasks import Facts, Summary, Task
from pointerjump.errors import MemoryLimitError, TableError
from pointerjump.tables.write import FORMATS

if TYPE_CHECKING:
    import pyarrow as pa

    from pointerjump.cli.steps import Names
    from pointerjump.ids.components import TableComponents
    from pointerjump.run import Order
    from pointerjump.tables.frames import OpenTable, Selected

BYTES_SORTED = 4
"""Sorting a table takes this many times its own bytes at the peak."""


@dataclass(frozen=True)
class TableOptions:
    """What a user asks of a table.

    Attributes
    ----------
    source, target, member : str or None
        Columns.
    group : tuple of str
        Columns.
    where : tuple
        Conditions: columns, operators and values, as text.
    nodes : str or None
        A file with more ids, and perhaps a column of it.
    sort : bool
        Whether rows are written in order.
    """

    source: str | None
    target: str | None
    group: tuple[str, ...]
    member: str | None
    where: tuple[tuple[str, str, str], ...]
    nodes: str | None
    sort: bool

    @classmethod
    def of(cls, options: dict[str, Any]) -> TableOptions:
        """Take these options out of all."""
        return cls(**{field.name: options.pop(field.name) for field in fields(cls)})

    def first(self) -> str | None:
        """Return an option that is given, or None if none is."""
        return next((f"--{name}" for name, value in vars(self).items() if value), None)

    def require_sense(
        self, input: Source, output: str | None, checkpoint: str | None, devices: object
    ) -> None:
        """Refuse what does not go together, before anything is read."""
        from pointerjump.formats.files import base_suffix
        from pointerjump.generators import is_spec

        if (self.group or self.member) and (self.source or self.target):
            raise click.UsageError(
                "columns of groups and columns of pairs are both given: leave out --group and --member, or "
                "--source and --target"
            )
        pairs = (("source", "target"), ("target", "source"), ("group", "member"))
        for one, other in pairs:
            if getattr(self, one) and not getattr(self, other):
                raise click.UsageError(f"--{one} is given without --{other}: name both columns")
        if self.sort and output is None:
            raise click.UsageError("--sort is for the file that is written: name one by -o, or leave it out")
        for option, value in (("--checkpoint", checkpoint), ("--devices", devices)):
            if value is not None:
                raise click.UsageError(
                    f"{option} is for graphs, whose ids are integers: leave it out, or leave out "
                    f"{self.first()}"
                )
        if isinstance(input, str) and is_spec(input):
            raise TableError(f"{input}: a generator makes a graph, not a table: leave out {self.first()}")
        if output is not None and self.first() is None and base_suffix(Path(output)) not in FORMATS:
            raise click.UsageError(
                f"{title_of(input)} is a table, as its columns have names of pairs: write .parquet or .csv, "
                f"or give --columns A,B to read a graph and write its labels to {output}"
            )

    def nodes_as_given(self) -> str | tuple[str, str] | None:
        """Return what ``--nodes FILE`` or ``--nodes FILE:COLUMN`` names, as ``components`` takes it."""
        if self.nodes is None or ":" not in self.nodes or Path(self.nodes).exists():
            return self.nodes
        path, _, column = self.nodes.rpartition(":")
        return path, column


class OpenedTable(NamedTuple):
    """The columns and rows of a table that are wanted, and ids that no row need have."""

    columns: Selected
    given_nodes: Selected | None


class OfTable(Task["OpenedTable", "TableComponents"]):
    """The components of the ids in a table; `limit` is how many bytes the whole run may take."""

    problem = "components"
    doing = "reading rows"
    result = "clusters"
    right = "the clusters are right"

    def __init__(
        self,
        source: Source,
        options: TableOptions,
        output: str | None,
        labels: str | None,
        limit: int | None,
        sizes: SizesAsked,
        **reading: Any,
    ) -> None:
        super().__init__(source, **reading)
        self._options, self._output, self._labels = options, output, labels
        self._limit, self._sizes = limit, sizes
        self._spooled: TemporaryDirectory[str] | None = None

    def require_output(self, path: str) -> None:
        from pointerjump.tables.write import require_table_file

        require_table_file(path)

    def order(self, algorithm: str, device: str | None, choices: Mapping[str, object]) -> Order:
        from pointerjump.ids.components import order_for_ids

        return order_for_ids(algorithm, device, self._labels, choices)

    @contextmanager
    def within_memory(self) -> Iterator[None]:
        """Refuse what would exceed the memory of the whole run; in the end, remove what was spooled."""
        try:
            if self._limit is None:
                yield
                return
            with memory.bounded(self._limit - RESERVE, f"within --memory {memory.in_words(self._limit)}"):
                yield
        finally:
            if self._spooled is not None:
                self._spooled.cleanup()

    def read(self, steps: Steps) -> OpenedTable:
        """Look at a table's columns, and at whatever else can be wrong before its rows are read."""
        from pointerjump.tables.files import open_files
        from pointerjump.tables.open import Roles, given_nodes, id_columns, id_fields, open_table
        from pointerjump.tables.write import require_text_for_columns

        require_unused({**self.reading, "header": None}, title_of(self.source))
        if self._limit is not None:
            require_more_than_the_program(self._limit)
        source, header = self.source, self.reading["header"]
        if source == "-":
            self._spooled = TemporaryDirectory(prefix="pointerjump-")
            table = open_files(spooled(self._spooled.name), "standard input", header)
        else:
            table = open_table(source) if header is None else open_files(source, header=header)
        asked = self._options
        roles = Roles(asked.source, asked.target, asked.group or None, asked.member)
        where = [_condition(table, *condition) for condition in asked.where]
        columns = id_columns(table, roles, where)
        if self._output is not None:
            require_text_for_columns(self._output, [id_fields(columns)[-1].with_name("id")])
        nodes = asked.nodes_as_given()
        return OpenedTable(columns, None if nodes is None else given_nodes(nodes))

    def run(self, wanted: Order, given: OpenedTable, steps: Steps) -> tuple[TableComponents, Facts]:
        from pointerjump.ids.components import components_of_ids

        table = given.columns

        def watch(rows: int, nbytes: int) -> None:
            steps.show_rows(rows, None if self._options.where else table.rows)
            if self._limit is not None and (taken := memory.resident()) > self._limit:
                raise MemoryLimitError(
                    f"{table.name}: {rows:,} rows already take {memory.in_words(taken)}, and --memory is "
                    f"{memory.in_words(self._limit)}: allow more"
                )

        found = components_of_ids(wanted, given.columns, given.given_nodes, self._labels, watch)
        return found, {name: fact for name, fact in found.stats.items() if name != "records"}

    def verify(self, given: OpenedTable, answer: TableComponents, steps: Steps) -> None:
        from pointerjump.tables.verifier import verify_table

        verify_table(
            given.columns,
            answer.ids,
            answer.labels,
            kind="representative" if _are_named_by_ids(answer) else "consecutive",
            nodes=given.given_nodes,
            progress=steps.show,
        )

    def write(self, path: str, given: OpenedTable, answer: TableComponents) -> None:
        from pointerjump.tables.write import write_table

        parts = self._sorted(path, answer) if self._options.sort else self._parts(answer)
        schema = given.columns.like_given(answer.schema.empty_table()).schema
        write_table(path, schema, map(given.columns.like_given, parts))

    def _parts(self, found: TableComponents) -> Iterator[pa.Table]:
        """Yield the table of clusters in parts, of which only one is in memory at a time."""
        import pyarrow as pa

        from pointerjump.tables.write import ROW_GROUP

        for batch in found.batches(ROW_GROUP):
            yield pa.Table.from_batches([batch])

    def _sorted(self, path: str, found: TableComponents) -> Iterator[pa.Table]:
        """Yield the same by component, and then by id."""
        from pointerjump.tables.write import ROW_GROUP

        memory.require(
            BYTES_SORTED * found.ids.nbytes, f"{path}: sorting {found.vertices:,} ids", "leave out --sort"
        )
        table = found.arrow().sort_by([("component", "ascending"), ("id", "ascending")])
        for begin in range(0, len(table), ROW_GROUP):
            yield table.slice(begin, ROW_GROUP)

    def summary(self, given: OpenedTable, answer: TableComponents) -> Summary:
        from pointerjump.result import sizes_of

        sizes = sizes_of(answer.labels, int(answer.labels.max(initial=-1)) + 1)
        facts, lines = facts_of_components(answer, sizes[sizes > 0], ids=True)
        read, known = answer.stats["records"], given.columns.rows
        rows = f"{read:,}"
        if self._options.where:
            rows += (f" of {known:,}" if known is not None else "") + " meet the conditions"
        counts = {"rows": read, "rows_in_file": known, "ids": answer.vertices}
        graph = {"vertices": answer.vertices, "edges": None}
        components = answer.ids if _are_named_by_ids(answer) else None
        return Summary(
            {**counts, **graph, **facts, "streamed": None},
            [("rows", rows), ("ids", f"{answer.vertices:,}"), *lines],
            *self._sizes.told(answer.labels, sizes, answer.ids, components, called="ids"),
        )

    def names(self, given: OpenedTable, answer: TableComponents) -> Names:
        return answer.ids


def _are_named_by_ids(found: TableComponents) -> bool:
    """Return whether components are named by ids, and not numbered.

    Numbers are 32-bit integers. Ids never are: integers become 64-bit ones before they are compared.
    """
    return bool(found.schema.field("component").type == found.ids.type)


def _condition(table: OpenTable, column: str, operator: str, value: str) -> Any:
    """Return a condition, given as text; ``is`` or ``is not`` with the value ``null`` make one operator."""
    from pointerjump.tables.where import parse_condition

    type = table.types([column]).field(column).type
    words = f"{operator} {value}".lower().split()
    if words in (["is", "null"], ["is", "not", "null"]):
        operator, value = " ".join(words), ""
    return parse_condition(column, operator, value, type)
