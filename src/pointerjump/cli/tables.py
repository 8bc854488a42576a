"""``cc`` on a table: from a table of ids to a table of clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pointerjump import memory
from pointerjump.cli.reading import Source, require_unused, spooled, title_of
from pointerjump.cli.sizes import SizesAsked
from pointerjump.cli.steps import Steps
from pointerjump.cli.streaming import RESERVE, facts_of_components, require_more_than_the_program
from pointerjump.cli.table_options import TableOptions
from pointerjump.cli.tasks import Choices, Facts, Summary, Task
from pointerjump.errors import MemoryLimitError

if TYPE_CHECKING:
    import pyarrow as pa

    from pointerjump.ids.result import TableComponents
    from pointerjump.progress import Progress
    from pointerjump.tables.roles import IdColumns
    from pointerjump.tables.select import OpenTable, Selected

BYTES_SORTED = 4
"""Sorting a table takes so many times its own bytes at the peak."""


@dataclass(frozen=True)
class OpenedTable:
    """A table in a file, with everything that is asked of it.

    Attributes
    ----------
    columns : IdColumns
        The columns and rows that are wanted.
    given_nodes : Selected or None
        Ids that no row need have.
    filtered : bool
        Whether only rows that meet conditions are wanted.
    """

    columns: IdColumns
    given_nodes: Selected | None
    filtered: bool


class Clusters:
    """A run on a table.

    Parameters
    ----------
    options : TableOptions
    output : str or None
        The file to write.
    labels : str or None
        As for ``components``.
    limit : int or None
        How many bytes the whole run may take.
    sizes : SizesAsked
        What is to be shown of the components' sizes.
    """

    def __init__(
        self,
        options: TableOptions,
        output: str | None,
        labels: str | None,
        limit: int | None,
        sizes: SizesAsked,
    ) -> None:
        self._options = options
        self._output = output
        self._labels = labels
        self._limit = limit
        self._sizes = sizes
        self._spooled: TemporaryDirectory[str] | None = None

    def task(self) -> Task[OpenedTable, TableComponents]:
        """Return what ``cc`` does."""
        from pointerjump.tables.write import require_table_file

        return Task(
            problem="components",
            doing="reading rows",
            result="clusters",
            right="the clusters are right",
            require_output=require_table_file,
            read=self._open,
            run=self._run,
            verify=self._verify,
            write=self._write,
            summarize=self._summarize,
            names=lambda _, found: found.ids,
        )

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

    def _open(self, source: Source, _: Progress, reading: dict[str, Any]) -> OpenedTable:
        """Look at a table's columns, and at whatever else can be wrong before its rows are read."""
        from pointerjump.tables.files import open_files
        from pointerjump.tables.open import open_table
        from pointerjump.tables.roles import Roles, given_nodes, id_columns
        from pointerjump.tables.write import require_text_for_columns

        require_unused({**reading, "header": None}, title_of(source))
        if self._limit is not None:
            require_more_than_the_program(self._limit)
        header = reading["header"]
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
            require_text_for_columns(self._output, [columns.id_fields()[-1].with_name("id")])
        nodes = asked.nodes_as_given()
        return OpenedTable(columns, None if nodes is None else given_nodes(nodes), bool(where))

    def _run(
        self,
        algorithm: str,
        device: str | None,
        choices: Choices,
        take: Callable[[], OpenedTable],
        steps: Steps,
    ) -> tuple[TableComponents, Facts]:
        from pointerjump.ids.components import components_of_ids, order_for_ids

        wanted = order_for_ids(algorithm, device, self._labels, choices)
        opened = take()

        def watch(done: int, nbytes: int) -> None:
            steps.show_rows(done, None if opened.filtered else opened.columns.table.rows)
            self._require_within(opened.columns.table.name, done)

        found = components_of_ids(wanted, opened.columns, opened.given_nodes, self._labels, watch)
        return found, {name: fact for name, fact in found.stats.items() if name != "records"}

    def _require_within(self, source: str, rows: int) -> None:
        """Refuse to go on if more memory is taken than was allowed."""
        if self._limit is not None and (taken := memory.resident()) > self._limit:
            raise MemoryLimitError(
                f"{source}: {rows:,} rows already take {memory.in_words(taken)}, and --memory is "
                f"{memory.in_words(self._limit)}: allow more"
            )

    def _verify(self, opened: OpenedTable, found: TableComponents, progress: Progress) -> None:
        from pointerjump.tables.verifier import verify_table

        verify_table(
            opened.columns,
            found.ids,
            found.labels,
            kind="representative" if _are_named_by_ids(found) else "consecutive",
            nodes=opened.given_nodes,
            progress=progress,
        )

    def _write(self, path: str, opened: OpenedTable, found: TableComponents) -> None:
        from pointerjump.tables.write import write_table

        parts = self._sorted(path, found) if self._options.sort else self._parts(found)
        schema = opened.columns.table.like_given(found.schema.empty_table()).schema
        write_table(path, schema, map(opened.columns.table.like_given, parts))

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

    def _summarize(self, opened: OpenedTable, found: TableComponents) -> Summary:
        from pointerjump.result import sizes_of

        sizes = sizes_of(found.labels, int(found.labels.max(initial=-1)) + 1)
        facts, lines = facts_of_components(found, sizes[sizes > 0], ids=True)
        read, known = found.stats["records"], opened.columns.table.rows
        rows = f"{read:,}"
        if opened.filtered:
            rows += (f" of {known:,}" if known is not None else "") + " meet the conditions"
        counts = {"rows": read, "rows_in_file": known, "ids": found.vertices}
        graph = {"vertices": found.vertices, "edges": None}
        components = found.ids if _are_named_by_ids(found) else None
        return Summary(
            {**counts, **graph, **facts, "streamed": None},
            [("rows", rows), ("ids", f"{found.vertices:,}"), *lines],
            *self._sizes.told(found.labels, sizes, found.ids, components, called="ids"),
        )


def _are_named_by_ids(found: TableComponents) -> bool:
    """Return whether components are named by ids, and not numbered.

    Numbers are 32-bit integers. Ids never are: integers become 64-bit ones before they are compared.
    """
    return bool(found.schema.field("component").type == found.ids.type)


def _condition(table: OpenTable, column: str, operator: str, value: str) -> Any:
    """Return a condition, given as text; ``is`` or ``is not`` with the value ``null`` make one operator."""
    from pointerjump.tables.roles import type_of_column
    from pointerjump.tables.where import parse_condition

    type = type_of_column(table, column)
    words = f"{operator} {value}".lower().split()
    if words in (["is", "null"], ["is", "not", "null"]):
        operator, value = " ".join(words), ""
    return parse_condition(column, operator, value, type)
