"""Connected components of the ids in a table of pairs, or of groups and their members."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

from pointerjump.accel.runtime.sessions import session_for
from pointerjump.errors import GraphError
from pointerjump.face.components import check_labels, components
from pointerjump.face.id_forests import Kept, OnDevice, TableForest
from pointerjump.face.ids import FEW_IDS, number_ids, numbered_by_library
from pointerjump.face.running import Run, Seconds, is_reference
from pointerjump.face.set_forests import choose
from pointerjump.face.table_result import TableComponents
from pointerjump.registry import ALGORITHMS
from pointerjump.registry.selection import ask
from pointerjump.tables.as_bytes import id_kind
from pointerjump.tables.dictionaries import is_dictionary, with_dictionary_of
from pointerjump.tables.given import open_table
from pointerjump.tables.ids import checked, common_type, flaw, has_value, in_type
from pointerjump.tables.lists import members_of_rows
from pointerjump.tables.nodes import given_nodes
from pointerjump.tables.roles import IdColumns, Roles, id_columns
from pointerjump.tables.selected import GivenTable

if TYPE_CHECKING:
    import pyarrow as pa

FEW_ROWS = FEW_IDS // 2
"""Up to so many rows are numbered by pyarrow: launching kernels would take longer."""

Given = tuple[IdColumns, GivenTable | None]
"""The columns of a table that hold ids, and more ids."""

Watch = Callable[[int, int], None]
"""Who is told, after each batch, how many rows have been read and about how many bytes their ids take."""


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
    watch: Watch = lambda rows, nbytes: None,
) -> TableComponents:
    """Find the components of the ids that `take` returns. All else is checked before `take` is called."""
    if labels is None:
        labels = "representative"
    check_labels(labels)
    choices = dict(choices or {})
    ask("components", algorithm, choices, None if is_reference(device) else session_for(device).tuning)
    given, nodes = take()
    finder = _Finder(given, nodes, algorithm, device, choices)
    finder.read(watch)
    ids, smallest, run = finder.take()
    return TableComponents(ids, smallest, labels, run, given.table.like_given)


class _Finder:
    """Reads a table's ids into a forest: one on a device, once there are more than a few rows."""

    def __init__(
        self, given: IdColumns, nodes: GivenTable | None, algorithm: str, device: Any, choices: dict[str, Any]
    ) -> None:
        self._given, self._nodes = given, nodes
        self._algorithm, self._device, self._choices = algorithm, device, choices
        table = given.table
        self._ids = common_type([*given.id_fields(), *(nodes.schema if nodes else [])], table.name)
        self._groups = given.types_of_groups()
        self._seconds, self._rows = Seconds(), 0
        self._run: Run | None = None
        self._kept = Kept(self._ids, self._number, self._find)
        self._forest: TableForest = self._kept

    def read(self, watch: Watch) -> None:
        """Read all rows, and then the nodes."""
        table, rows = self._given.table, 0
        for batch in self._timed(table.batches()):
            with self._seconds.timed("compute"):
                if self._given.grouped:
                    self._join(batch, rows)
                else:
                    self._forest.merge(*(self._end(table, batch, i, rows) for i in (0, 1)))
            rows += len(batch)
            self._move_to_device_if_worthwhile(rows)
            watch(rows, self._forest.nbytes)
        self._rows = rows
        if self._nodes is not None:
            self._add(self._nodes)

    def _add(self, nodes: GivenTable) -> None:
        """Read ids without pairs."""
        rows = 0
        for batch in self._timed(nodes.batches()):
            with self._seconds.timed("compute"):
                self._forest.add(self._checked(nodes, batch, 0, rows))
            rows += len(batch)
            self._move_to_device_if_worthwhile(self._rows + rows)

    def take(self) -> tuple[Any, Any, Run]:
        """Return all ids, the place of the smallest one in the component of each, and the run."""
        begin = perf_counter()
        ids, smallest = self._forest.take()
        spent = perf_counter() - begin
        run = self._run
        assert run is not None  # either forest has made it by now
        solved = sum(run.seconds.values()) if self._forest is self._kept else 0.0
        run.seconds["labels"] = run.seconds.get("labels", 0.0) + spent - solved
        for phase, seconds in self._seconds.items():
            run.seconds[phase] = run.seconds.get(phase, 0.0) + seconds
        run.counted = {"records": self._rows}
        return ids, smallest, run

    def _timed(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield batches, and count the time that it takes to read them."""
        while True:
            with self._seconds.timed("read"):
                batch = next(batches, None)
            if batch is None:
                return
            yield batch

    def _move_to_device_if_worthwhile(self, rows: int) -> None:
        """Once there are more than a few rows, continue on a device if possible."""
        if self._forest is not self._kept or rows <= FEW_ROWS or not self._fits_device():
            return
        choice = choose("disjoint-set", self._choices, self._device)
        session = session_for(self._device)
        self._run = Run(choice, (session.device,))
        variant: dict[str, Any] = choice.variant
        with self._seconds.timed("compute"):
            forest = OnDevice(session, self._ids, self._groups, **variant)
            forest.expect((self._given.table.rows or 0) * (len(self._groups) or 2))
            self._kept.give_to(forest)
        self._forest = forest

    def _fits_device(self) -> bool:
        """Return whether ids can be interned and linked on the device, as the caller wants it."""
        if self._algorithm not in ("auto", "disjoint-set") or is_reference(self._device):
            return False
        if not {"access", "reads"}.issuperset(self._choices):
            return False
        if any(id_kind(type) is None for type in (self._ids, *self._groups)):
            return False
        return ALGORITHMS["interning"].runs_on(session_for(self._device).device)

    def _join(self, batch: pa.RecordBatch, before: int) -> None:
        """Join the members of groups, or of the lists in a batch's rows."""
        table = self._given.table
        what = _column(table, -1)
        members = members_of_rows(batch, before, lists=self._given.lists, what=what)
        ids = checked(members.ids, self._ids, what, before, members.rows)
        groups = [
            in_type(each, type, _column(table, key))
            for key, (each, type) in enumerate(zip(members.groups, self._groups, strict=True))
        ]
        flaws = list(map(flaw, groups))
        if any(flaws):  # some ids may be in no group
            self._forest.add(ids)
        for key, (each, flawed) in enumerate(zip(groups, flaws, strict=True)):
            there = has_value(each) if flawed else None
            joined = (each, ids) if there is None else (each.filter(there), ids.filter(there))
            self._forest.join(*joined, key)

    def _end(self, table: GivenTable, batch: pa.RecordBatch, column: int, before: int) -> Any:
        """Return one end of pairs, with its dictionary if it has one."""
        given: Any = batch.column(column)
        coded = with_dictionary_of(given, self._ids) if is_dictionary(given) else None
        return self._checked(table, batch, column, before) if coded is None else coded

    def _checked(self, table: GivenTable, batch: pa.RecordBatch, column: int, before: int) -> Any:
        return checked(batch.column(column), self._ids, _column(table, column), before)

    def _number(self, ids: pa.ChunkedArray[Any]) -> tuple[Any, Any]:
        if is_reference(self._device) and id_kind(ids.type) is not None:
            return number_ids(ids, device=self._device)
        return numbered_by_library(ids)

    def _find(self, sources: Any, targets: Any, vertices: int) -> Any:
        found = components(
            (sources, targets),
            algorithm=self._algorithm,
            device=self._device,
            labels="representative",
            vertices=vertices,
            **self._choices,
        )
        self._run = found.run
        return found.labels


def _column(table: GivenTable, number: int) -> str:
    return f"{table.name}: column {table.schema.field(number).name!r}"


def require_no_graph_options(**options: object) -> None:
    """Refuse options of :func:`components` that only graphs of numbered vertices have."""
    for name, value in options.items():
        if value is not None:
            raise GraphError(
                f"{name}={value!r} is for vertices with numbers, and a table has ids: leave it out"
            )
