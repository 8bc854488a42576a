"""Components of the ids in a Dask DataFrame, found by Dask's workers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any, ClassVar

from pointerjump.errors import PointerjumpError, TableError
from pointerjump.ids.components import components_of_ids
from pointerjump.parts.facts import Facts
from pointerjump.parts.forests import PartForest, in_order_of_ids, one_type, part_forest, part_forests
from pointerjump.parts.groups import PAIRS, divided_by_group, pairs_of_groups
from pointerjump.run import order
from pointerjump.tables.ids import common_type, element_type
from pointerjump.tables.open import open_table
from pointerjump.tables.roles import Roles, given_nodes, id_columns
from pointerjump.tables.where import Condition, as_conditions, columns_needed, typed_conditions

try:
    import dask
    import dask.dataframe as dd
    import pandas as pd
    import pyarrow as pa
    from dask.dataframe.dask_expr._expr import Expr
    from dask.delayed import Delayed
    from dask.tokenize import tokenize
except ImportError:
    raise PointerjumpError(
        "pointerjump.dask.components needs Dask's DataFrames: pip install 'pointerjump[dask]', or use "
        "pointerjump.components"
    ) from None

from pointerjump.dask.graphs import Graph, Key, Part, Tasks, parts_of
from pointerjump.dask.stars import stars
from pointerjump.dask.tree import tree
from pointerjump.dask.workers import OnWorker, tell, workers

Conditions = list[Condition]

METHODS = ("auto", "tree", "stars")

MOST_PARTITIONS = 64
"""At most so many partitions become one part. A part is what is done again when a worker is lost."""

FOR_A_FOREST = 0.5
"""This share of the memory that a worker has for each thread a forest may take while it is made."""

FOR_A_MERGE = 0.8
"""This share of it a merge may take, with the forests that it is given."""


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
    """Find the components of the ids in a Dask DataFrame of pairs, or of groups and their members.

    Nothing is computed before the result is asked for. It is that of :func:`pointerjump.components` for the
    whole table, however it is divided into partitions, and however many workers there are.

    Parameters
    ----------
    ddf : dask.dataframe.DataFrame
        A table of pairs or of groups.
    source, target : str, optional
        The columns with the two ids of each pair: integers, strings, or UUIDs as bytes. Default: those with
        usual names.
    split_every : int
        How many forests are merged by one task.
    method : {"auto", "tree", "stars"}
        "tree": each worker makes a forest of its partitions, and forests are merged until there is one. One
        worker must hold all ids that several workers have. "stars": large-star and small-star, by Dask's
        shuffles, in as many rounds as it takes. One worker must hold the ids of the largest component.
        "auto": the tree, if its last merge fits the memory that a worker has for each thread.
    group, member, where : optional
        As for :func:`pointerjump.components`. Rows of a group may be in several partitions: they are brought
        together first, by tasks of their own. One worker must hold its share of all rows then.
    nodes : optional
        As for :func:`pointerjump.components`; also a Dask DataFrame or Series, or a tuple of a Dask DataFrame
        and the name of its column.
    device : str, optional
        A device's name, as for :func:`pointerjump.components`. By default, each worker process has a GPU of
        its own, if the machine has several, and else the default device.

    Returns
    -------
    dask.dataframe.DataFrame
        Columns ``id``, ``component`` (the smallest id there) and ``size``, with every id once, in as many
        partitions as `ddf` has, and `nodes`, and in no order. Divisions are not known.

    Raises
    ------
    TableError
        If it is no Dask DataFrame, lacks a column, or an option does not suit it. While it is computed, as
        for :func:`pointerjump.components`.
    DeviceError, MemoryLimitError
        While it is computed. The message names the worker and the device.

    See Also
    --------
    pointerjump.forest_of : For other engines.
    pointerjump.dask.label : Labels of a Dask array of pixels.

    Notes
    -----
    To know what fits, "auto" makes forests and counts ids; "stars" computes its rounds. They do so when the
    result is asked for, or optimized, by the current Dask client or, without one, by the default scheduler.
    A partition must have the same rows each time it is computed; if it is read from somewhere, in the same
    order. Another scheduler that is named in ``compute`` comes too late: set it by ``dask.config.set``.

    Which ids a partition has depends on the workers that there are. If these may change, ``persist()`` the
    result before you take it apart. Do so too if you need it twice, or it is computed twice.

    What the method was, and how many ids and bytes travelled, is logged by ``pointerjump.dask``, and is among
    the events of a cluster: ``client.get_events("pointerjump")``. An id of 8 bytes travels as 12.

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
    if not isinstance(ddf, dd.DataFrame):
        raise TableError(
            f"the table is of type {type(ddf).__name__}: give a Dask DataFrame, or use pj.components"
        )
    if not isinstance(split_every, int) or split_every < 2:
        raise TableError(f"split_every is {split_every!r}: merge at least 2 forests at a time")
    if method not in METHODS:
        raise TableError(f"method is {method!r}: give one of {', '.join(METHODS)}")
    if device is not None and not isinstance(device, str):
        raise TableError(
            f"device is of type {type(device).__name__}, which workers cannot use: give its name"
        )
    empty, conditions = ddf._meta, as_conditions(where)
    kinds = {str(name): dtype.name for name, dtype in ddf.dtypes.items()}
    if group is None and isinstance(member, str) and kinds.get(member) == "object":  # lists, as Dask has them
        empty = empty.assign(**{member: pd.array([], pd.ArrowDtype(pa.list_(pa.string())))})
    opened = open_table(empty)
    given = id_columns(opened, Roles(source, target, group, member), conditions)
    *others, last = given.table.schema.names
    roles = Roles(group=tuple(others) or None, member=last) if given.grouped else Roles(others[0], last)
    # Rows will have these types; without any, nothing has been refused.
    needed = [condition.column for condition in conditions]
    typed_conditions(conditions, opened.schema_of(needed), opened.name)
    for columns in [[name] for name in (*others, last)] if given.grouped else [[*others, last]]:
        fields = opened.schema_of(columns)
        common_type([field.with_type(element_type(field.type)) for field in fields], opened.name)
    rows = ddf[[name for name in ddf.columns if str(name) in columns_needed([*others, last], conditions)]]
    alone = None if nodes is None else _nodes(nodes)
    more = None if alone is None else given_nodes((alone._meta, "id"))
    # No driver is needed for this: it is the workers who have devices.
    like = components_of_ids(order("components", "auto", "reference", {}), given, more).table()
    of_ids = {kinds[name] for name in ([last] if given.grouped else [*others, last])}
    if of_ids & {"object", "category"}:  # which ids these are, rows say
        like = like.astype({"id": object, "component": object})
    partitions = ddf.npartitions + (0 if alone is None else alone.npartitions)
    asked = (rows.expr, None if alone is None else alone.expr, partitions, roles, conditions)
    return dd.DataFrame(_Components(*asked, split_every, method, device, like))


def _nodes(nodes: Any) -> dd.DataFrame:
    """Return ids without pairs as pairs with themselves."""
    table, *column = nodes if isinstance(nodes, tuple) and nodes else (nodes,)
    if isinstance(table, dd.Series):
        table = table.to_frame("id")
    if isinstance(table, dd.DataFrame):
        name = given_nodes((table._meta, *column) if column else table._meta).schema.names[0]
        ids = table[[name]].rename(columns={name: "id"})
    else:
        given = given_nodes(nodes)
        rows = pa.Table.from_batches(given.batches(), given.schema).rename_columns(["id"])
        ids = dd.from_pandas(rows.to_pandas(types_mapper=pd.ArrowDtype), npartitions=1, sort=False)
    return ids.assign(root=ids["id"])


class _Components(Expr):  # type: ignore[misc]
    """The components of a table's ids, before it is planned how they are found."""

    _parameters: ClassVar = [
        *("rows", "alone", "partitions", "roles", "conditions", "split_every", "method", "device", "like")
    ]

    @cached_property
    def _meta(self) -> Any:
        return self.like

    def _divisions(self) -> tuple[None, ...]:
        return (None,) * (int(self.partitions) + 1)

    def _lower(self) -> Expr:
        plan = _Plan(self)
        return (plan.lazy_tree() if self.method == "tree" else plan.after_counting()).expr


class _Plan:
    """How the components of some ids are found."""

    def __init__(self, asked: _Components) -> None:
        self._asked, self._workers = asked, workers()
        graph: Graph = {}
        parts = self._parts_of(asked.rows, graph)
        alone = self._parts_of(asked.alone, graph) if asked.alone is not None else []
        # Tasks have the names of this plan: for other workers it would be another one.
        each = [part.partitions for part in parts + alone]
        self._tasks = Tasks(tokenize(asked.deterministic_token, each, self._workers), graph)
        by_group = asked.roles.group is not None
        how = (PAIRS, []) if by_group else (asked.roles, asked.conditions)
        self._parts = [(part, *how) for part in (self._by_group(parts) if by_group else parts)]
        self._parts += [(part, PAIRS, []) for part in alone]

    def _parts_of(self, frame: Expr, graph: Graph) -> list[Part]:
        """Divide the partitions of a frame into parts, and add the tasks that they need to a graph."""
        frame = frame.optimize()
        own, keys = dict(frame.__dask_graph__()), list(frame.__dask_keys__())
        parts = max(self._workers.threads, -(-len(keys) // MOST_PARTITIONS))
        found = parts_of(own, keys, min(len(keys), parts))
        if found[0].needed:
            graph.update(own)
        return found

    def _by_group(self, parts: list[Part]) -> list[Part]:
        """Return as many parts, to each of which all rows of its groups are brought."""
        tasks, asked, n = self._tasks, self._asked, len(parts)
        divided = [
            tasks("divide-by-group", partial(_divided, part, asked.roles, asked.conditions, n), part.needed)
            for part in parts
        ]
        keys = []
        for i in range(n):
            rows = [tasks.item("rows-of-groups", each, i) for each in divided]
            keys.append(tasks("pairs-of-groups", pairs_of_groups, rows))
        return [Part(tasks.graph, [key], computes=False) for key in keys]

    def lazy_tree(self) -> dd.DataFrame:
        """Return the result of a tree, of which nothing has been computed."""
        asked = self._asked
        made = [
            self._tasks("part-forest", OnWorker(_part_forest, asked.device, *each), each[0].needed)
            for each in self._parts
        ]
        return self._tree(made)

    def after_counting(self) -> dd.DataFrame:
        """Return the result of either method, after forests have been made and ids counted."""
        asked, tasks, memory = self._asked, self._tasks, self._workers.memory
        made = [
            tasks(
                "part-forests",
                OnWorker(_part_forests, asked.device, *each, memory * FOR_A_FOREST),
                each[0].needed,
            )
            for each in self._parts
        ]
        described = [tasks("describe-forests", _described, each) for each in made]
        self._keep(made + described)
        facts_of_parts = dask.compute(*(Delayed(key, tasks.graph) for key in described))
        forests = [
            tasks.item("part-forest", key, i)
            for key, facts_of_part in zip(made, facts_of_parts, strict=True)
            for i in range(len(facts_of_part.ids))
        ]
        facts = Facts.merged(facts_of_parts)
        type = one_type(facts.types)
        needed = facts.needed_by_a_merge(asked.split_every)
        fits = needed <= memory * FOR_A_MERGE
        method = asked.method if asked.method != "auto" else "tree" if fits else "stars"
        tell(
            method=method,
            chosen=asked.method == "auto",
            ids=facts.sample.ids,
            ids_of_several_parts=facts.sample.shared_ids,
            bytes_to_merge=needed,
            bytes_of_a_thread=memory,
        )
        if method == "stars":
            return stars(tasks, forests, asked.partitions, type, asked.like)
        return self._tree(forests, facts)

    def _keep(self, keys: list[Key]) -> None:
        """Let Dask keep some results, for every task that needs them."""
        for kept in dask.persist(*(Delayed(key, self._tasks.graph) for key in keys)):
            self._tasks.graph.update(kept.dask)

    def _tree(self, forests: list[Key], facts: Facts | None = None) -> dd.DataFrame:
        asked, n = self._asked, len(forests)
        # Dask may read several partitions at once. Then there are fewer to start from than were asked for.
        frames = [asked.partitions * (i + 1) // n - asked.partitions * i // n for i in range(n)]
        assert all(frames), "no forest is of less than a partition"
        keys = tree(self._tasks, forests, frames, asked.split_every, asked.device, asked.like, facts)
        return dd.from_graph(self._tasks.graph, asked.like, asked._divisions(), keys, "components")


def _divided(part: Part, roles: Roles, where: Conditions, n: int, computed: list[Any]) -> Any:
    return divided_by_group(part.read(computed), roles, where, n)


def _part_forest(
    part: Part, roles: Roles, where: Conditions, computed: list[Any], device: Any = None
) -> PartForest:
    return _repeatable(part, part_forest(part.read(computed), roles, device, where=where))


def _part_forests(
    part: Part, roles: Roles, where: Conditions, memory: int, computed: list[Any], device: Any = None
) -> list[PartForest]:
    forests = part_forests(part.read(computed), roles, memory, device, where)
    return [_repeatable(part, forest) for forest in forests]


def _described(forests: list[PartForest]) -> Facts:
    """Return the facts about a part's forests."""
    return Facts.merged([Facts.of(forest) for forest in forests])


def _repeatable(part: Part, forest: PartForest) -> PartForest:
    """Return a forest that is the same if Dask makes it again, because tasks remember places in it.

    A shuffle's rows may come in another order then.
    """
    return in_order_of_ids(forest) if part.needed else forest
