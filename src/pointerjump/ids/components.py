"""Connected components of the ids in a table of pairs, or of groups and their members."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from pointerjump.ids.forests import IdsOnDevice, IdsOnHost, fits_device
from pointerjump.ids.interning import FEW_IDS
from pointerjump.ids.result import TableComponents
from pointerjump.result import check_labels
from pointerjump.run import Order, Seconds, order
from pointerjump.tables.ids import checked, common_type, flaw, has_value, in_type, with_dictionary_of
from pointerjump.tables.open import open_table
from pointerjump.tables.roles import IdColumns, Roles, given_nodes, id_columns, members_of_rows
from pointerjump.tables.select import Selected

if TYPE_CHECKING:
    import pyarrow as pa

FEW_ROWS = FEW_IDS // 2
"""At most this many rows are numbered by pyarrow: launching kernels would take longer."""

Watch = Callable[[int, int], None]
"""Is told, after each batch, how many rows have been read and about how many bytes their ids take."""


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
    watch: Watch = lambda rows, nbytes: None,
) -> TableComponents:
    """Find the components of a table's ids; parameters and errors as for :func:`components`."""
    wanted = order_for_ids(algorithm, device, labels, choices)
    given = id_columns(open_table(table), roles, where)
    return components_of_ids(wanted, given, None if nodes is None else given_nodes(nodes), labels, watch)


def order_for_ids(
    algorithm: str, device: Any, labels: str | None, choices: Mapping[str, object] | None
) -> Order:
    """Check what is asked for, before any table is opened."""
    check_labels("representative" if labels is None else labels)
    return order("components", algorithm, device, choices or {})


def components_of_ids(
    wanted: Order,
    given: IdColumns,
    nodes: Selected | None = None,
    labels: str | None = None,
    watch: Watch = lambda rows, nbytes: None,
) -> TableComponents:
    """Find the components of the ids in columns of a table. `nodes` are more ids."""
    table, seconds = given.table, Seconds()
    ids = common_type([*given.id_fields(), *(nodes.schema if nodes else [])], table.name)
    groups = given.types_of_groups()

    # The first rows are read before it is decided where the ids go: for few, the host is faster.
    batches = _timed(_numbered_batches([table, *([nodes] if nodes else [])]), seconds)
    begin, rows = [], 0
    while rows <= FEW_ROWS and (each := next(batches, None)):
        begin.append(each)
        rows += len(each[1])
        watch(rows, sum(batch.nbytes for _, batch, _ in begin))
    forest: IdsOnHost | IdsOnDevice
    if rows > FEW_ROWS and fits_device(wanted, [ids, *groups]):
        with seconds.timed("compute"):
            forest = IdsOnDevice(wanted, ids, groups)
            forest.expect((table.rows or 0) * (len(groups) or 2))
    else:
        forest = IdsOnHost(wanted, ids)

    records = 0
    for source, batch, before in chain(begin, batches):
        with seconds.timed("compute"):
            if source is nodes:
                forest.add(_checked(nodes, batch, 0, before, ids))
            elif given.grouped:
                _join(forest, given, batch, before, ids, groups)
            else:
                forest.merge(*(_end(table, batch, column, before, ids) for column in (0, 1)))
        if source is table:
            records = before + len(batch)
            if records > rows:
                watch(records, forest.nbytes)
    found, smallest, run = forest.take(seconds)
    for phase, spent in seconds.items():
        run.seconds[phase] = run.seconds.get(phase, 0.0) + spent
    run.counted = {"records": records}
    return TableComponents(found, smallest, labels or "representative", run, table.like_given)


def _numbered_batches(tables: list[Selected]) -> Iterator[tuple[Selected, pa.RecordBatch, int]]:
    """Yield the batches of each table, and how many of its rows come before."""
    for table in tables:
        before = 0
        for batch in table.batches():
            yield table, batch, before
            before += len(batch)


def _timed(batches: Iterator[Any], seconds: Seconds) -> Iterator[Any]:
    """Yield batches, and count the time that it takes to read them."""
    while True:
        with seconds.timed("read"):
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


def _join(
    forest: IdsOnHost | IdsOnDevice,
    given: IdColumns,
    batch: pa.RecordBatch,
    before: int,
    ids_type: Any,
    group_types: list[Any],
) -> None:
    """Join the members of groups, or of the lists in a batch's rows."""
    table = given.table
    what = column_of(table, -1)
    members = members_of_rows(batch, before, lists=given.lists, what=what)
    ids = checked(members.ids, ids_type, what, before, members.rows)
    groups = [
        in_type(each, type, column_of(table, key))
        for key, (each, type) in enumerate(zip(members.groups, group_types, strict=True))
    ]
    flaws = list(map(flaw, groups))
    if any(flaws):  # some ids may be in no group
        forest.add(ids)
    for key, (each, flawed) in enumerate(zip(groups, flaws, strict=True)):
        there = has_value(each) if flawed else None
        joined = (each, ids) if there is None else (each.filter(there), ids.filter(there))
        forest.join(*joined, key)


def _end(table: Selected, batch: pa.RecordBatch, column: int, before: int, type: Any) -> Any:
    """Return one end of pairs, with its dictionary if it has one."""
    coded = with_dictionary_of(batch.column(column), type)
    return _checked(table, batch, column, before, type) if coded is None else coded


def _checked(table: Any, batch: pa.RecordBatch, column: int, before: int, type: Any) -> Any:
    return checked(batch.column(column), type, column_of(table, column), before)


def column_of(table: Selected, number: int) -> str:
    """Return what errors call a column."""
    return f"{table.name}: column {table.schema.field(number).name!r}"
