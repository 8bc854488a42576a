"""Connected components of the ids in a table of pairs, or of groups and their members."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pointerjump.accel.runtime.sessions import session_for
from pointerjump.errors import GraphError
from pointerjump.face.components import check_labels, components
from pointerjump.face.id_forests import IdForest, Kept, OnDevice
from pointerjump.face.ids import number_ids, numbered_by_library
from pointerjump.face.running import Run, Seconds, is_reference
from pointerjump.face.set_forests import choose
from pointerjump.face.table_result import TableComponents
from pointerjump.registry.selection import ask
from pointerjump.tables.as_bytes import id_kind
from pointerjump.tables.dictionaries import is_dictionary, with_dictionary_of
from pointerjump.tables.given import open_table
from pointerjump.tables.ids import checked, common_type
from pointerjump.tables.lists import members_of_rows
from pointerjump.tables.nodes import given_nodes
from pointerjump.tables.roles import IdColumns, Roles, id_columns
from pointerjump.tables.selected import GivenTable

if TYPE_CHECKING:
    import pyarrow as pa

Given = tuple[IdColumns, GivenTable | None]
"""The columns of a table that hold ids, and more ids."""

FEW_ROWS = 1 << 16
"""Up to so many rows are numbered by pyarrow: launching kernels would take longer."""


def components_of_table(
    table: Any,
    algorithm: str = "auto",
    device: Any = None,
    labels: str | None = None,
    *,
    roles: Roles,
    where: Any = None,
    nodes: Any = None,
    choices: Mapping[str, object] | None = None,
) -> TableComponents:
    """Find the components of a table's ids; parameters and errors as for :func:`components`."""

    def take() -> Given:
        given = id_columns(open_table(table), roles, where)
        return given, None if nodes is None else given_nodes(nodes)

    return components_of_ids(take, algorithm, device, labels, choices=choices)


def components_of_ids(
    take: Callable[[], Given],
    algorithm: str = "auto",
    device: Any = None,
    labels: str | None = None,
    *,
    choices: Mapping[str, object] | None = None,
    watch: Callable[[int], None] = lambda rows: None,
) -> TableComponents:
    """Find the components of the ids that `take` returns. All else is checked before `take` is called.

    `watch` is told how many rows have been read so far, after each batch.
    """
    if labels is None:
        labels = "representative"
    check_labels(labels)
    choices = dict(choices or {})
    ask("components", algorithm, choices, None if is_reference(device) else session_for(device).tuning)
    given, nodes = take()
    finder = _Finder(given, nodes, algorithm, device, choices)
    finder.read(watch)
    ids, smallest = finder.take()
    return TableComponents(ids, smallest, labels, finder.run, given.table.like_given)


class _Finder:
    """Reads a table's ids into a forest: one on a device, once there are more than a few rows."""

    def __init__(
        self, given: IdColumns, nodes: GivenTable | None, algorithm: str, device: Any, choices: dict[str, Any]
    ) -> None:
        self._given, self._nodes = given, nodes
        self._algorithm, self._device, self._choices = algorithm, device, choices
        table = given.table
        self._ids = common_type([*given.id_fields(), *(nodes.schema if nodes else [])], table.name)
        self._groups: Any = None
        if given.grouped:
            named = len(table.schema) == 2
            self._groups = common_type([table.schema.field(0)], table.name) if named else _int64()
        self._seconds, self._rows = Seconds(), 0
        self._run: Run | None = None
        self._kept = Kept(self._ids, self._number, self._find)
        self._forest: IdForest = self._kept

    @property
    def run(self) -> Run:
        """What is known about the run when it is over."""
        assert self._run is not None
        self._run.seconds = Seconds({**self._run.seconds, **self._seconds})
        self._run.counted = {"records": self._rows}
        return self._run

    def read(self, watch: Callable[[int], None]) -> None:
        """Read all rows, and then the nodes."""
        table = self._given.table
        for batch in self._timed(table.batches()):
            with self._seconds.timed("compute"):
                if self._given.grouped:
                    self._join(batch)
                else:
                    self._forest.merge(*(self._end(table, batch, i) for i in (0, 1)))
            self._passed(len(batch))
            watch(self._rows)
        rows, self._rows = self._rows, 0
        for batch in self._timed(self._nodes.batches() if self._nodes else iter(())):
            assert self._nodes is not None
            with self._seconds.timed("compute"):
                self._forest.add(self._checked(self._nodes, batch, 0))
            self._passed(len(batch))
        self._rows = rows

    def take(self) -> tuple[Any, Any]:
        """Return all ids, and the place of the smallest one in the component of each."""
        with self._seconds.timed("labels"):
            return self._forest.take()

    def _timed(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield batches, and count the time that it takes to read them."""
        while True:
            with self._seconds.timed("read"):
                batch = next(batches, None)
            if batch is None:
                return
            yield batch

    def _passed(self, rows: int) -> None:
        """Count rows. When they are more than a few, go on on a device, if one can."""
        self._rows += rows
        if self._forest is self._kept and self._rows > FEW_ROWS and self._goes_to_device():
            choice = choose("disjoint-set", self._choices, self._device)
            session = session_for(self._device)
            self._run = Run(choice, (session.device,))
            variant: dict[str, Any] = choice.variant
            with self._seconds.timed("compute"):
                forest = OnDevice(session, self._ids, self._groups, **variant)
                forest.expect((self._given.table.rows or 0) * (1 if self._given.grouped else 2))
                self._kept.give_to(forest)
            self._forest = forest

    def _goes_to_device(self) -> bool:
        if self._algorithm not in ("auto", "disjoint-set") or is_reference(self._device):
            return False
        if any(type is not None and id_kind(type) is None for type in (self._ids, self._groups)):
            return False
        return session_for(self._device).device.int64_atomics  # which interning needs

    def _join(self, batch: pa.RecordBatch) -> None:
        """Join the members of groups, or of the lists in a batch's rows."""
        table = self._given.table
        what = _column(table, -1)
        members = members_of_rows(batch, self._rows, lists=self._given.lists, what=what)
        ids = checked(members.ids, self._ids, what, self._rows, members.rows)
        groups = members.groups
        if len(table.schema) == 2:
            groups = checked(groups, self._groups, _column(table, 0), self._rows, members.rows)
        self._forest.join(groups, ids)

    def _end(self, table: GivenTable, batch: pa.RecordBatch, column: int) -> Any:
        """Return one end of pairs, with its dictionary if it has one."""
        given: Any = batch.column(column)
        coded = with_dictionary_of(given, self._ids) if is_dictionary(given) else None
        return self._checked(table, batch, column) if coded is None else coded

    def _checked(self, table: GivenTable, batch: pa.RecordBatch, column: int) -> Any:
        return checked(batch.column(column), self._ids, _column(table, column), self._rows)

    def _number(self, ids: pa.ChunkedArray[Any]) -> tuple[Any, Any]:
        if is_reference(self._device):
            return number_ids(ids, device=self._device)
        return numbered_by_library(ids)

    def _find(self, sources: Any, targets: Any, vertices: int) -> Any:
        found = components(
            (sources, targets),
            self._algorithm,
            self._device,
            "representative",
            vertices=vertices,
            **self._choices,
        )
        self._run = found.run
        return found.labels


def _column(table: GivenTable, number: int) -> str:
    return f"{table.name}: column {table.schema.field(number).name!r}"


def _int64() -> Any:
    import pyarrow as pa

    return pa.int64()


def require_no_graph_options(**options: object) -> None:
    """Refuse options of :func:`components` that only graphs of numbered vertices have."""
    for name, value in options.items():
        if value is not None:
            raise GraphError(
                f"{name}={value!r} is for vertices with numbers, and a table has ids: leave it out"
            )
