"""Builds task graphs for Dask, and divides a table into parts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import chain, pairwise
from operator import itemgetter
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask import get as get_here
from dask.optimization import cull

from pointerjump.base.arrow import pa
from pointerjump.errors import TableError
from pointerjump.graphs.parallel import AS_PAIRS, one_type
from pointerjump.tables.ids import common_type, has_value
from pointerjump.tables.open import Roles, id_columns, id_fields, ids_in, open_table, that_have_rows
from pointerjump.tables.where import Condition

Key = Hashable
TaskGraph = dict[Key, Any]


def require_options(ddf: Any, split_every: Any, device: Any) -> None:
    """Raise a TableError unless `ddf` is a Dask DataFrame and the options are valid."""
    if not isinstance(ddf, dd.DataFrame):
        raise TableError(
            f"the table is of type {type(ddf).__name__}: give a Dask DataFrame, or use a function of pj"
        )
    if not isinstance(split_every, int) or split_every < 2:
        raise TableError(f"split_every is {split_every!r}: merge at least 2 results at a time")
    if device is not None and not isinstance(device, str):
        raise TableError(
            f"device is of type {type(device).__name__}, which workers cannot use: give its name"
        )


class Tasks:
    """A Dask graph to which tasks are added. Dask's dashboard shows the names of the tasks."""

    def __init__(self, token: str, graph: TaskGraph) -> None:
        self._token = token
        self._made: dict[str, int] = {}
        self.graph = graph

    def __call__(self, name: str, work: Callable[..., Any], *needed: Key | list[Key]) -> Key:
        """Add a task that calls `work` with the results of the `needed` tasks, and return its key."""
        number = self._made[name] = self._made.get(name, -1) + 1
        key = (f"{name}-{self._token}", number)
        self.graph[key] = (work, *needed)
        return key

    def item(self, name: str, of: Key, index: int) -> Key:
        return self(name, itemgetter(index), of)


class TablePart:
    """Several partitions of a table that are processed together, and the tasks that read them.

    If `computes` is true, the part computes its partitions itself. Otherwise, ``needed`` lists the keys of
    the partitions, which must be computed and passed to :meth:`read`.
    """

    def __init__(self, graph: TaskGraph, keys: Sequence[Key], *, computes: bool = False) -> None:
        self.partitions = len(keys)
        self.needed: list[Key] = [] if computes else list(keys)
        self._own = [(cull(graph, [key])[0], key) for key in keys] if computes else []

    def read(self, computed: Sequence[Any]) -> Iterator[Any]:
        """Yield the partitions that have rows, one at a time, or a single empty one if all are empty."""
        own = (get_here(graph, key) for graph, key in self._own)
        yield from that_have_rows(chain(computed, own))


def parts_of(graph: TaskGraph, keys: Sequence[Key], parts: int) -> list[TablePart]:
    """Divide a table into the given number of parts, each of which consists of consecutive partitions.

    If no two partitions depend on the same task, each part computes its own partitions one after another.
    This is the case, for example, if every partition is read directly from a file. Partitions that are
    already stored on a cluster are not computed again.
    """
    each_needs = [cull(graph, [key])[0] for key in keys]
    needed = set().union(*each_needs)
    computes = len(needed) == sum(map(len, each_needs)) and not any(
        type(graph[key]).__module__.startswith("distributed") for key in needed
    )
    ends = [len(keys) * i // parts for i in range(parts + 1)]
    return [TablePart(graph, keys[begin:end], computes=computes) for begin, end in pairwise(ends)]


# -- rows of groups that are spread over several parts -------------------------------------------------

OfKeys = list[Any]
"""For each column of groups, a table of groups and ids, or None if all groups are null. The last item is a
table of the ids that belong to no group."""


def divided_by_group(
    part: TablePart, roles: Roles, where: list[Condition], parts: int, computed: list[Any]
) -> list[list[OfKeys]]:
    """Split the rows of a part into `parts` lists by group. A group has the same list index in every task."""
    found: list[list[OfKeys]] = [[] for _ in range(parts)]
    for table in part.read(computed):
        if len(table):  # an empty table may have any type
            for of_keys in _rows(table, roles, where):
                divided = [_by_hash(rows, parts) for rows in of_keys]
                for of_part, rows in zip(found, zip(*divided, strict=True), strict=True):
                    of_part.append(list(rows))
    return found


def _by_hash(rows: pa.Table | None, parts: int) -> list[pa.Table | None]:
    """Split rows into `parts` tables by the hash of their first column."""
    if rows is None:
        return [None] * parts
    values = rows.column(0).to_pandas(types_mapper=pd.ArrowDtype)
    part = pd.util.hash_pandas_object(values, index=False, categorize=False).to_numpy() % parts
    return [rows.take(np.flatnonzero(part == i)) for i in range(parts)]


def _rows(table: Any, roles: Roles, where: Any) -> Iterator[OfKeys]:
    given = id_columns(open_table(table), roles, where)
    keys = list(given.schema)[:-1]
    for _, by_key, (ids,) in ids_in(given, common_type(id_fields(given), given.name)):
        of_keys: OfKeys = []
        alone = np.ones(len(ids), np.bool_)
        for key, groups in zip(keys, by_key, strict=True):
            there = has_value(groups)
            alone &= ~there
            named = pa.table({"group": groups.filter(there), "id": ids.filter(there)})
            of_keys.append(None if pa.types.is_null(key.type) else named)
        yield [*of_keys, pa.table({"id": ids.filter(alone)})]


def pairs_of_groups(several: Sequence[list[OfKeys]]) -> pa.Table:
    """Return pairs of ids that connect each group's members. All rows of a group must be in `several`."""
    batches = [of_keys for some in several for of_keys in some]
    if not batches:
        return pa.table(dict.fromkeys(AS_PAIRS[:2], pa.nulls(0)))
    *keys, alone = ([rows for rows in tables if rows is not None] for tables in zip(*batches, strict=True))
    one_type([rows["id"].type for tables in (*keys, alone) for rows in tables])
    pairs = [rows.append_column("root", rows["id"]) for rows in alone]
    for tables in filter(None, keys):
        one_type([rows["group"].type for rows in tables], "groups")
        rows = pa.concat_tables(tables)
        group = rows["group"].combine_chunks().dictionary_encode().indices.to_numpy()
        first = np.empty(group.max(initial=-1) + 1, np.int64)
        first[group[::-1]] = np.arange(len(group))[::-1]  # the first row of each group is written last
        pairs.append(pa.table({"id": rows["id"], "root": rows["id"].take(first[group])}))
    return pa.concat_tables(pairs)
