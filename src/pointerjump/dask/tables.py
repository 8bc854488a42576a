"""Finds the connected components of the ids in a Dask DataFrame on Dask's workers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
from dask.dataframe.dask_expr._expr import Expr
from dask.delayed import Delayed
from dask.tokenize import tokenize

from pointerjump.accel.id_forests import NEEDED_PER_ID
from pointerjump.dask.parts import (
    Key,
    TablePart,
    TaskGraph,
    Tasks,
    divided_by_group,
    pairs_of_groups,
    parts_of,
    require_options,
)
from pointerjump.dask.stars import stars
from pointerjump.dask.workers import on_worker, tell, workers
from pointerjump.errors import TableError
from pointerjump.graphs.parallel import (
    AS_PAIRS,
    PartForest,
    in_order_of_ids,
    merged_forest,
    one_type,
    part_forests,
)
from pointerjump.ids.components import components_of_ids
from pointerjump.solving.run import REFERENCE, order
from pointerjump.tables.ids import common_type
from pointerjump.tables.open import Roles, given_nodes, id_columns, open_table
from pointerjump.tables.where import Condition, as_conditions, typed_conditions

METHODS = ("auto", "tree", "stars")
MOST_PARTITIONS = 64  # per part; a part is computed again if its worker is lost
FOR_A_FOREST = 0.5  # the fraction of a worker's memory per thread that building a forest may take
FOR_A_MERGE = 0.8  # the fraction that a merge may take, including the forests that it merges


def components(
    ddf: Any,
    source: str | None = None,
    target: str | None = None,
    *,
    group: str | Sequence[str] | None = None,
    member: str | None = None,
    where: Any = None,
    nodes: Any = None,
    split_every: int = 8,
    method: str = "auto",
    device: str | None = None,
) -> dd.DataFrame:
    """Find the connected components of the ids in a Dask DataFrame of pairs, or of groups and their members.

    The result is computed lazily. It is the same as that of :func:`pointerjump.components` for the whole
    table, regardless of the partitions and workers.

    Parameters
    ----------
    ddf : dask.dataframe.DataFrame
        A table of pairs or of groups.
    source, target : str, optional
        The columns with the two ids of each pair. The ids may be integers, strings, or UUIDs stored as bytes.
        By default, columns with commonly used names, such as ``left`` and ``right``, are used.
    split_every : int
        The maximum number of forests that one task merges.
    method : {"auto", "tree", "stars"}
        "tree": each worker builds a forest from its partitions, and forests are merged until only one is
        left. One worker must have enough memory for all ids. "stars": rounds of large-star and small-star
        steps, which use Dask's shuffles. One worker must have enough memory for the ids of the largest
        component. "auto": "tree" if the last merge fits into one thread's share of a worker's memory,
        otherwise "stars".
    group, member, where : optional
        As for :func:`pointerjump.components`. The rows of a group may be spread over several partitions. If
        there are groups, each worker needs enough memory for its share of all rows.
    nodes : optional
        As for :func:`pointerjump.components`. May also be a Dask DataFrame or Series, or a tuple of a Dask
        DataFrame and a column name.
    device : str, optional
        The name of a device, as for :func:`pointerjump.components`. By default, each worker process uses a
        separate GPU if the machine has several GPUs, and the default device otherwise.

    Returns
    -------
    dask.dataframe.DataFrame
        The columns are ``id``, ``component`` (the smallest id of the component) and ``size``. Each id appears
        once, in no particular order. There are as many partitions as in `ddf` and `nodes` together. The
        divisions are unknown.

    Raises
    ------
    TableError
        If `ddf` is not a Dask DataFrame, if a column is missing, or if an option is invalid. Errors during
        the computation are the same as for :func:`pointerjump.components`.
    DeviceError, MemoryLimitError
        Raised during the computation. The message names the worker and the device.

    Notes
    -----
    Some work is done while the task graph is built, that is, when the result is computed or optimized. "auto"
    builds forests and counts ids to find out which method fits into memory, and "stars" computes its rounds.
    This work uses the current Dask client or, if there is none, the default scheduler. A scheduler passed to
    ``compute`` does not affect this work; use ``dask.config.set`` instead. Each time a partition is computed,
    it must contain the same rows in the same order.

    The division of ids into partitions depends on the workers. If the workers may change, or if you need the
    result more than once, call ``persist()`` on it before using its partitions. The logger
    ``pointerjump.dask`` records the chosen method, and how many ids and bytes were sent.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> import pointerjump.dask
    >>> pairs = pd.DataFrame({"left": ["dee", "bob", "eve"], "right": ["bob", "ann", "cal"]})
    >>> ddf = dd.from_pandas(pairs, npartitions=2)
    >>> found = pointerjump.dask.components(ddf, "left", "right")
    >>> found.compute().sort_values("id")["component"].tolist()
    ['ann', 'ann', 'cal', 'ann', 'cal']
    """
    require_options(ddf, split_every, device)
    if method not in METHODS:
        raise TableError(f"method is {method!r}: give one of {', '.join(METHODS)}")
    empty, conditions = ddf._meta, as_conditions(where)
    kinds = {str(name): dtype.name for name, dtype in ddf.dtypes.items()}
    if group is None and isinstance(member, str) and kinds.get(member) == "object":  # Dask's dtype for lists
        empty = empty.assign(**{member: pd.array([], pd.ArrowDtype(pa.list_(pa.string())))})
    opened = open_table(empty)
    given = id_columns(opened, Roles(source, target, group, member), conditions)
    *others, last = given.schema.names
    roles = Roles(group=tuple(others) or None, member=last) if given.grouped else Roles(others[0], last)
    # Check the types of the columns here: the frame is empty, so they are not checked row by row.
    needed = [condition.column for condition in conditions]
    typed_conditions(conditions, opened.types(needed), opened.name)
    for columns in [[name] for name in (*others, last)] if given.grouped else [[*others, last]]:
        common_type(opened.types(columns), opened.name, of_lists=True)
    rows = ddf[[name for name in ddf.columns if str(name) in (*others, last, *needed)]]
    alone = None if nodes is None else _nodes(nodes)
    more = None if alone is None else given_nodes((alone._meta, "id"))
    # Use the reference, because only workers need a device and its driver.
    like = components_of_ids(order("components", "auto", REFERENCE, {}), given, more).table()
    of_ids = {kinds[name] for name in ([last] if given.grouped else [*others, last])}
    if of_ids & {"object", "category"}:  # the type of these ids is only known from the rows
        like = like.astype({"id": object, "component": object})
    partitions = ddf.npartitions + (0 if alone is None else alone.npartitions)
    asked = (rows.expr, None if alone is None else alone.expr, partitions, roles, conditions)
    return dd.DataFrame(_Components(*asked, split_every, method, device, like))


def _nodes(nodes: Any) -> dd.DataFrame:
    """Return a Dask DataFrame in which each additional id is paired with itself."""
    table, *column = nodes if isinstance(nodes, tuple) and nodes else (nodes,)
    if isinstance(table, dd.Series):
        table = table.to_frame("id")
    if isinstance(table, dd.DataFrame):
        name = given_nodes((table._meta, *column) if column else table._meta).schema.names[0]
        ids = table[[name]].rename(columns={name: "id"})
    else:
        rows = given_nodes(nodes).table().rename_columns(["id"])
        ids = dd.from_pandas(rows.to_pandas(types_mapper=pd.ArrowDtype), npartitions=1, sort=False)
    return ids.assign(root=ids["id"])


class _Components(Expr):  # type: ignore[misc]
    """A Dask expression for the components of a table's ids. Its tasks are planned when Dask optimizes it."""

    _parameters: ClassVar = [
        *("rows", "alone", "partitions", "roles", "conditions", "split_every", "method", "device", "like")
    ]

    @cached_property
    def _meta(self) -> Any:
        return self.like

    def _divisions(self) -> tuple[None, ...]:
        return (None,) * (int(self.partitions) + 1)

    def _lower(self) -> Expr:
        return _Plan(self).result().expr


class _Plan:
    def __init__(self, asked: _Components) -> None:
        self._asked, (self._threads, self._memory) = asked, workers()
        graph: TaskGraph = {}
        parts = self._parts_of(asked.rows, graph)
        alone = self._parts_of(asked.alone, graph) if asked.alone is not None else []
        # Tasks are named after the whole plan, because a plan for other workers would differ.
        each = [part.partitions for part in parts + alone]
        self._tasks = Tasks(tokenize(asked.deterministic_token, each, self._threads, self._memory), graph)
        if asked.roles.group is not None:
            alone = self._by_group(parts) + alone
            parts = []
        self._parts = [(part, asked.roles, asked.conditions) for part in parts]
        self._parts += [(part, AS_PAIRS, []) for part in alone]

    def _parts_of(self, frame: Expr, graph: TaskGraph) -> list[TablePart]:
        """Divide the partitions of a frame into parts, and add to `graph` any tasks that the parts need."""
        frame = frame.optimize()
        own, keys = dict(frame.__dask_graph__()), list(frame.__dask_keys__())
        parts = max(self._threads, -(-len(keys) // MOST_PARTITIONS))
        found = parts_of(own, keys, min(len(keys), parts))
        if found[0].needed:
            graph.update(own)
        return found

    def _by_group(self, parts: list[TablePart]) -> list[TablePart]:
        """Redistribute rows over the same number of parts, so that all rows of a group are in one part."""
        tasks, asked, n = self._tasks, self._asked, len(parts)
        divided, keys = [], []
        for part in parts:
            work = partial(divided_by_group, part, asked.roles, asked.conditions, n)
            divided.append(tasks("divide-by-group", work, part.needed))
        for i in range(n):
            rows = [tasks.item("rows-of-groups", each, i) for each in divided]
            keys.append(tasks("pairs-of-groups", pairs_of_groups, rows))
        return [TablePart(tasks.graph, [key]) for key in keys]

    def result(self) -> dd.DataFrame:
        """Return the lazy result. Unless the method is "tree", forests are computed eagerly to build it."""
        asked, tasks, memory = self._asked, self._tasks, self._memory
        room = float("inf") if asked.method == "tree" else memory * FOR_A_FOREST
        made = []
        for how in self._parts:
            work = partial(on_worker, partial(_forests, *how, room), asked.device)
            made.append(tasks("part-forests", work, how[0].needed))
        counted = [tasks("count-ids", _counted, each) for each in made]
        if asked.method == "tree":
            forests = [tasks.item("forest", each, 0) for each in made]
            while len(forests) > 1:
                forests = self._merged(forests, asked.split_every)
            return self._rows(forests[0], counted)
        of_parts = self._computed(made, counted)
        forests = [
            tasks.item("forest", each, i)
            for each, some in zip(made, of_parts, strict=True)
            for i in range(len(some))
        ]
        sizes = [size for some in of_parts for size in some]
        type, at_a_time, needed = one_type(size.type for size in sizes), asked.split_every, 0
        while asked.method == "auto" and len(forests) > 1:
            bytes_of_each = sorted(size.ids * NEEDED_PER_ID + 4 * size.nbytes for size in sizes)
            needed = sum(bytes_of_each[-at_a_time:])
            if needed <= memory * FOR_A_MERGE:
                merged = self._merged(forests, at_a_time)
                counts = [tasks("count-ids", _counted, [each]) for each in merged]
                sizes = [size for (size,) in self._computed(merged, counts)]
                for key in (*made, *forests):  # so that Dask can release them
                    tasks.graph.pop(key, None)
                forests = merged
            elif at_a_time > 2:
                at_a_time = 2
            else:
                break
        chosen = "tree" if asked.method == "auto" and len(forests) == 1 else "stars"
        by_us = asked.method == "auto"
        tell(method=chosen, chosen=by_us, bytes_to_merge=needed, bytes_of_a_thread=memory)
        if chosen == "tree":
            return self._rows(forests[0], counted)
        found = stars(tasks, forests, asked.partitions, type)
        return found.map_partitions(partial(_of_stars, asked.like, type), meta=asked.like, token="components")

    def _merged(self, forests: list[Key], at_a_time: int) -> list[Key]:
        groups = [forests[i : i + at_a_time] for i in range(0, len(forests), at_a_time)]
        work = partial(on_worker, merged_forest, self._asked.device)
        return [self._tasks("merge-forests", work, group) for group in groups]

    def _computed(self, kept: list[Key], asked: list[Key]) -> tuple[Any, ...]:
        """Compute and return the results for the keys in `asked`. Dask also persists those in `kept`."""
        for each in dask.persist(*(Delayed(key, self._tasks.graph) for key in kept + asked)):
            self._tasks.graph.update(each.dask)
        computed: tuple[Any, ...] = dask.compute(*(Delayed(key, self._tasks.graph) for key in asked))
        return computed

    def _rows(self, forest: Key, counted: list[Key]) -> dd.DataFrame:
        """Return the final forest as a lazy frame.

        The forest is cut into at most one slice per part. If every partition were cut out by its own task,
        Dask would send the whole forest to all workers.
        """
        asked, tasks, keys = self._asked, self._tasks, []
        told = tasks("report-ids", _told, forest, counted)
        shares = min(len(self._parts), asked.partitions)
        ends = [asked.partitions * i // shares for i in range(shares + 1)]
        for begin, end in pairwise(ends):
            share = tasks("rows", partial(_share, begin, end, asked.partitions), forest, told)
            for i in range(end - begin):
                keys.append(tasks("components", partial(_frame, asked.like, i, end - begin), share))
        return dd.from_graph(tasks.graph, asked.like, asked._divisions(), keys, "components")


# -- what tasks do -----------------------------------------------------------------------------------


class ForestSize(NamedTuple):
    """The number of ids in a forest, the forest's size in bytes and the type of its ids."""

    ids: int
    nbytes: int
    type: pa.DataType


def _forests(
    part: TablePart,
    roles: Roles,
    where: list[Condition],
    room: float,
    computed: list[Any],
    device: Any = None,
) -> list[PartForest]:
    """Build the forests of a part.

    If Dask repeats this task, it must return the same forests, because other tasks read slices of them.
    """
    forests = part_forests(part.read(computed), roles, where, device, room)
    return [in_order_of_ids(each) if part.needed else each for each in forests]


def _counted(forests: list[PartForest]) -> list[ForestSize]:
    return [ForestSize(len(each.ids), each.nbytes, each.type) for each in forests]


def _told(forest: PartForest, sizes: list[list[ForestSize]]) -> None:
    of_parts = [size for some in sizes for size in some]
    tell(
        method="tree",
        ids=len(forest.ids),
        parts=len(of_parts),
        ids_sent=sum(size.ids for size in of_parts),
        bytes_sent=sum(size.nbytes for size in of_parts),
    )


def _share(begin: int, end: int, of: int, forest: PartForest, told: None) -> pa.Table:
    """Return the rows for partitions `begin` to `end` of the result, which has `of` partitions.

    `told` is unused. It only makes this task depend on the task that reports the number of ids.
    """
    some = slice(len(forest.ids) * begin // of, len(forest.ids) * end // of)
    root = forest.root[some]
    size = np.bincount(forest.root)[root] if len(root) else root
    return pa.table({"id": forest.ids[some], "component": forest.ids.take(root), "size": size})


def _frame(like: Any, number: int, of: int, rows: pa.Table) -> Any:
    return frame_like(like, rows[len(rows) * number // of : len(rows) * (number + 1) // of])


def _of_stars(like: Any, type: pa.DataType, frame: pd.DataFrame) -> Any:
    ids, neighbor, size = (pa.array(frame[name]) for name in ("id", "neighbor", "size"))
    return frame_like(like, pa.table([ids.cast(type), neighbor.cast(type), size], list(like.columns)))


def frame_like(like: Any, rows: pa.Table) -> Any:
    """Convert rows to a frame with the dtypes of `like`, or raise a TableError if the ids do not fit."""
    frame = rows.to_pandas()
    told = like.dtypes["id"]
    try:
        cast = frame.astype(like.dtypes.to_dict())
        same = frame["id"].dtype.kind not in "iu" or (cast["id"] == frame["id"]).all()
    except (TypeError, ValueError, OverflowError):
        same = False
    if not same:
        raise TableError(
            f"the ids are {rows['id'].type}, but Dask was told that they are {told}: give its true meta"
        )
    return cast
