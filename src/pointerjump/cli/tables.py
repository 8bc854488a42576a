"""``cc`` on a table of pairs, or of groups and their members: from a table of ids to a table of clusters."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pointerjump import memory
from pointerjump.cli.reading import require_unused
from pointerjump.cli.sizes import SizesAsked
from pointerjump.cli.steps import Steps
from pointerjump.cli.streaming import (
    RESERVE,
    StreamOptions,
    facts_of_components,
    require_more_than_the_program,
)
from pointerjump.cli.tasks import Choices, Facts, Task
from pointerjump.cli.terminal import Lines
from pointerjump.errors import MemoryLimitError, TableError

if TYPE_CHECKING:
    from rich.table import Table

    from pointerjump.face.table_result import TableComponents
    from pointerjump.face.tables import Roles
    from pointerjump.progress import Progress
    from pointerjump.tables.given import GivenTable

BINARY_SUFFIXES = (".parquet", ".arrow", ".feather", ".ipc")
TABLE_SUFFIXES = (*BINARY_SUFFIXES, ".csv", ".tsv")

BYTES_SORTED = 4
"""Sorting a table takes so many times its own bytes at the peak."""


@dataclass(frozen=True)
class TableOptions:
    """What a user asks of a table.

    Attributes
    ----------
    source, target, group, member : str or None
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
    group: str | None
    member: str | None
    where: tuple[tuple[str, str, str], ...]
    nodes: str | None
    sort: bool

    def first(self) -> str | None:
        """Return an option that is given, or None if none is."""
        return next((f"--{name}" for name, value in vars(self).items() if value), None)

    def mean_a_table(self, input: str, output: str | None) -> bool:
        """Return whether a table is to be read, and not a graph: an option or the output's format says so.

        In text, labels of a graph are written too. So text is a table of clusters only if the input is
        several files, which no graph is.
        """
        if self.first() is not None:
            return True
        if output is None or (suffix := _suffix(output)) not in TABLE_SUFFIXES:
            return False
        either = suffix in BINARY_SUFFIXES and _suffix(input) in TABLE_SUFFIXES
        return either or _is_several_files(input)

    def require_sense(self, input: str, output: str | None, asked: StreamOptions) -> None:
        """Refuse what does not go together, before anything is read."""
        if (self.group or self.member) and (self.source or self.target):
            raise click.UsageError(
                "columns of groups and columns of pairs are both given: leave out --group and --member, or "
                "--source and --target"
            )
        pairs = (("source", "target"), ("target", "source"), ("group", "member"), ("member", "group"))
        for one, other in pairs:
            if getattr(self, one) and not getattr(self, other):
                raise click.UsageError(f"--{one} is given without --{other}: name both columns")
        if self.sort and output is None:
            raise click.UsageError("--sort is for the file that is written: name one by -o, or leave it out")
        for option, value in (("--checkpoint", asked.checkpoint), ("--devices", asked.devices)):
            if value is not None:
                raise click.UsageError(
                    f"{option} is for graphs, whose ids are integers: leave it out, or leave out "
                    f"{self.first() or 'the table to write'}"
                )
        _require_file(input, self.first() or str(output))


def _suffix(name: str) -> str:
    from pointerjump.formats.files import base_suffix

    return base_suffix(Path(name))


def _is_several_files(name: str) -> bool:
    try:
        return Path(name).is_dir() or (glob.has_magic(name) and not Path(name).exists())
    except (OSError, ValueError):  # of a name that no file can have
        return False


def _require_file(input: str, option: str) -> None:
    """Refuse an input that is no file."""
    from pointerjump.generators import is_spec

    if input == "-":
        raise TableError(f"-: tables are read from files: save standard input to one, or leave out {option}")
    if is_spec(input):
        raise TableError(f"{input}: a generator makes a graph, not a table: leave out {option}")


@dataclass(frozen=True)
class OpenedTable:
    """A table in a file, with everything that is asked of it.

    Attributes
    ----------
    table : object
        The table, with the names of its columns known.
    roles : Roles
        The columns that are wanted.
    where : list
        The conditions.
    nodes : tuple of str, or None
        A file with more ids, and its column that holds them.
    given : GivenTable
        The rows that are wanted.
    """

    table: Any
    roles: Roles
    where: list[Any]
    nodes: tuple[str, str] | None
    given: GivenTable


class Clusters:
    """A run on a table.

    Parameters
    ----------
    options : TableOptions
    output : str or None
        The file to write.
    labels : str
        As for ``components``.
    limit : int or None
        How many bytes the whole run may take.
    sizes : SizesAsked
        What is to be shown of the components' sizes.
    """

    def __init__(
        self, options: TableOptions, output: str | None, labels: str, limit: int | None, sizes: SizesAsked
    ) -> None:
        self._options = options
        self._output = output
        self._labels = labels
        self._limit = limit
        self._sizes = sizes
        self._rows = 0

    def task(self, input: str) -> Task[OpenedTable, TableComponents]:
        """Return what ``cc`` does."""
        from pointerjump.tables.outputs import require_table_file

        return Task(
            problem="components",
            doing="reading rows",
            result="clusters",
            right="the clusters are right",
            require_output=require_table_file,
            read=self._open,
            run=lambda *how: self._run(input, *how),
            verify=self._verify,
            write=self._write,
            summarize=self._summarize,
            more=self._more,
            names=lambda _, found: found.ids,
        )

    @contextmanager
    def within_memory(self) -> Iterator[None]:
        """Refuse what would exceed the memory of the whole run."""
        if self._limit is None:
            yield
            return
        with memory.bounded(self._limit - RESERVE, f"within --memory {memory.in_words(self._limit)}"):
            yield

    def _open(self, source: str, _: Progress, reading: dict[str, Any]) -> OpenedTable:
        """Look at a table's columns, and at whatever else can be wrong before its rows are read."""
        from pointerjump.tables.conditions import parse_condition
        from pointerjump.tables.given import given_table, open_table
        from pointerjump.tables.outputs import require_columns

        require_unused(reading, source)
        if self._limit is not None:
            require_more_than_the_program(self._limit)
        table = open_table(source)
        roles = self._roles(table, source)
        where = [
            parse_condition(column, *_in_words(operator, value), given_table(table, [column], ()).schema)
            for column, operator, value in self._options.where
        ]
        given = given_table(table, [column for column in roles if column], where)
        if self._output is not None and self._labels == "representative":
            require_columns(self._output, given.schema)
        nodes = None if self._options.nodes is None else _nodes(self._options.nodes)
        return OpenedTable(table, roles, where, nodes, given)

    def _roles(self, table: Any, name: str) -> Roles:
        """Return the columns that hold the ids."""
        from pointerjump.face.tables import Roles
        from pointerjump.tables.columns import pair_columns
        from pointerjump.tables.given import column_names

        asked = self._options
        if asked.group:
            return Roles(group=asked.group, member=asked.member)
        return Roles(*pair_columns(column_names(table), asked.source, asked.target, name))

    def _run(
        self,
        source: str,
        algorithm: str,
        device: str | None,
        choices: Choices,
        take: Callable[[], OpenedTable],
        steps: Steps,
    ) -> tuple[TableComponents, Facts]:
        from pointerjump.face.tables import components_of_table

        _require_choices(algorithm, device, choices)
        opened = take()
        rows = None if opened.where else opened.given.rows

        def watch(done: int) -> None:
            self._rows = done
            steps.show_rows(done, rows)
            self._require_within(source)

        found = components_of_table(
            opened.table,
            algorithm,
            device,
            self._labels,
            roles=opened.roles,
            where=opened.where,
            nodes=opened.nodes,
            choices=choices,
            watch=watch,
        )
        return found, found.stats

    def _require_within(self, source: str) -> None:
        """Refuse to go on if more memory is taken than was allowed."""
        if self._limit is not None and (taken := memory.resident()) > self._limit:
            raise MemoryLimitError(
                f"{source}: {self._rows:,} rows already take {memory.in_words(taken)}, and --memory is "
                f"{memory.in_words(self._limit)}: allow more"
            )

    def _verify(self, opened: OpenedTable, found: TableComponents, progress: Progress) -> None:
        from pointerjump.tables.given import given_table
        from pointerjump.tables.verifier import verify_table

        nodes = None if opened.nodes is None else given_table(opened.nodes[0], [opened.nodes[1]], ())
        verify_table(
            opened.given,
            found,
            grouped=opened.roles.group is not None,
            labels=self._labels,
            nodes=nodes,
            progress=progress,
        )

    def _write(self, path: str, _: OpenedTable, found: TableComponents) -> None:
        from pointerjump.tables.outputs import ROWS_AT_A_TIME, write_table

        batches = found.batches(ROWS_AT_A_TIME)
        if self._options.sort:
            memory.require(
                BYTES_SORTED * found.ids.nbytes, f"{path}: sorting {found.vertices:,} ids", "leave out --sort"
            )
            table = found.arrow().sort_by([("component", "ascending"), ("id", "ascending")])
            batches = iter(table.combine_chunks().to_batches(ROWS_AT_A_TIME))
        write_table(path, found.schema, batches)

    def _summarize(self, opened: OpenedTable, found: TableComponents) -> tuple[Facts, Lines]:
        from pointerjump.face.result import sizes_of

        sizes = sizes_of(found.labels, int(found.labels.max(initial=-1)) + 1)
        facts, lines = facts_of_components(found, sizes[sizes > 0], ids=True)
        known = opened.given.rows
        rows = f"{self._rows:,}"
        if opened.where:
            rows += (f" of {known:,}" if known is not None else "") + " that meet the conditions"
        counts = {"rows": self._rows, "rows_in_file": known, "ids": found.vertices}
        graph = {"vertices": found.vertices, "edges": None}
        return {**counts, **graph, **facts, "streamed": None}, [
            ("rows", rows),
            ("ids", f"{found.vertices:,}"),
            *lines,
        ]

    def _more(self, _: OpenedTable, found: TableComponents) -> tuple[Facts, list[Table]]:
        components = found.ids if self._labels == "representative" else None
        return self._sizes.told(found.labels, found.ids, components, called="ids")


def _in_words(operator: str, value: str) -> tuple[str, str]:
    """Return an operator and a value, of which ``is null`` is the operator alone."""
    words = f"{operator} {value}".lower().split()
    return (" ".join(words), "") if words in (["is", "null"], ["is", "not", "null"]) else (operator, value)


def _require_choices(algorithm: str, device: str | None, choices: Choices) -> None:
    """Refuse a device, an algorithm or a variant that does not exist, before the table is opened."""
    from pointerjump.accel.runtime.sessions import session_for
    from pointerjump.face.running import is_reference
    from pointerjump.registry.selection import ask

    ask("components", algorithm, choices, None if is_reference(device) else session_for(device).tuning)


def _nodes(name: str) -> tuple[str, str]:
    """Return the file and the column that ``FILE`` or ``FILE:COLUMN`` names."""
    from pointerjump.tables.given import column_names

    path, separator, column = name.rpartition(":")
    if separator and not Path(name).exists():
        return path, column
    return name, _only_column(name, column_names(name))


def _only_column(path: str, names: list[str]) -> str:
    """Return the column of ids, if it need not be named."""
    if len(names) == 1 or "id" in names:
        return names[0] if len(names) == 1 else "id"
    shown = ", ".join(names[:20])
    raise TableError(f"--nodes {path}: it has several columns ({shown}): name one, as in {path}:{names[0]}")
