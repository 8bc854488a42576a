"""Forests that can be merged, for inputs that are spread over several processes or machines.

Each part of the input is reduced to a forest on the machine that stores it. A forest is a table that contains
each id once, together with the representative of its component. The rows of a forest can be read as pairs of
ids. Forests can therefore be merged by finding the components of all their rows, in any order and grouping.
If the input consists of edges between numbered vertices, a forest is a set of edges, and forests are merged
in the same way.

With :func:`components_by_executor`, workers build a forest of each block, and the calling process merges the
forests. :mod:`pointerjump.dask` merges forests on Dask's workers. For other engines, use :func:`forest_of`
and :func:`merge_forests`.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from pointerjump.accel.runtime.own_device import own_device
from pointerjump.base.arrow import pa, pc
from pointerjump.base.edges import VertexArray
from pointerjump.errors import GraphError, PointerjumpError, TableError
from pointerjump.formats.blocks import Blocks
from pointerjump.ids.components import components_of_table
from pointerjump.solving.inputs import as_graph, classify, edge_blocks
from pointerjump.solving.result import Components, Labels, check_labels, smallest_representatives
from pointerjump.solving.streams import components_of_blocks
from pointerjump.tables.open import Roles, id_columns, open_table, that_have_rows

AS_PAIRS = Roles("id", "root")  # the columns of a forest's rows


# -- for callers that combine parts --------------------------------------------------------------------


def forest_of(
    table: Any,
    source: str | None = None,
    target: str | None = None,
    *,
    group: str | Sequence[str] | None = None,
    member: str | None = None,
    where: Any = None,
    nodes: Any = None,
    device: Any = None,
) -> Any:
    """Reduce a table to a forest: each id with its root, which is the smallest id in its component.

    The rows of the forest, read as pairs, have the same components as the table. If a table is too large for
    one machine, build a forest of each part on the machine that stores it. Then merge the forests with
    :func:`merge_forests`.

    Parameters
    ----------
    table, source, target, group, member, where, nodes, device : optional
        As for :func:`components`. The table contains pairs, or groups and their members. If the table is one
        of several parts, all rows of a group must be in the same part, because a forest does not contain
        groups. Errors are the same as for :func:`components`.

    Returns
    -------
    table
        A table of the same kind as `table`, or an Arrow table for files. The columns are ``id`` and ``root``.
        Each id occurs once, and the ids are in ascending order.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import pointerjump as pj
    >>> pairs = pa.table({"left": ["dee", "bob"], "right": ["bob", "cal"]})
    >>> pj.forest_of(pairs, "left", "right").to_pylist()
    [{'id': 'bob', 'root': 'bob'}, {'id': 'cal', 'root': 'bob'}, {'id': 'dee', 'root': 'bob'}]
    """
    roles = Roles(source, target, group, member)
    found = components_of_table(table, device=device, roles=roles, where=where, nodes=nodes)
    return found.like_given(in_order_of_ids(PartForest(found.ids, found.labels)).pairs())


def merge_forests(forests: Iterable[Any], *, device: Any = None) -> Any:
    """Merge the forests of a table's parts into the forest of the whole table.

    Forests may be merged in any order, and in one or several steps. A forest may even be merged more than
    once, because the result depends only on which ids are connected. The result has the same columns as that
    of :func:`forest_of`, and is of the same kind as the first forest.

    Parameters
    ----------
    forests : iterable of tables
        Results of :func:`forest_of` or of this function, or any tables with the columns ``id`` and ``root``.
        At least one forest is required, but it may be empty. Forests are read one at a time.
    device : optional
        As for :func:`components`.

    Raises
    ------
    TableError
        If there are no forests, if a column is missing, or if ids have different types.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import pointerjump as pj
    >>> parts = [pa.table({"left": ["dee"], "right": ["bob"]}), pa.table({"left": ["ann"], "right": ["dee"]})]
    >>> pj.merge_forests(pj.forest_of(part, "left", "right") for part in parts).to_pylist()
    [{'id': 'ann', 'root': 'ann'}, {'id': 'bob', 'root': 'ann'}, {'id': 'dee', 'root': 'ann'}]
    """
    if (
        not isinstance(forests, Iterable)
        or hasattr(forests, "__arrow_c_stream__")
        or isinstance(forests, str | Mapping)
    ):
        raise TableError(
            f"forests is of type {type(forests).__name__}: give a list or an iterator of forests, even of one"
        )
    some = iter(forests)
    first = next(some, None)
    if first is None:
        raise TableError("there are no forests: give at least one, which may have no rows")
    return forest_of(chain([first], some), "id", "root", device=device)


# -- forests of parts, which are sent between processes -----------------------------------------------


class PartForest(NamedTuple):
    """The forest of one part of a table: each id once, with the index of the root of its component."""

    ids: pa.Array[Any]
    root: Labels

    @property
    def type(self) -> pa.DataType:
        """The type of the ids, or null if there are none."""
        return self.ids.type if len(self.ids) else pa.null()

    @property
    def nbytes(self) -> int:
        return int(self.ids.nbytes) + self.root.nbytes

    def pairs(self) -> pa.Table:
        """Return the forest as a table of pairs: each id and the root of its component."""
        return pa.table({"id": self.ids, "root": self.ids.take(self.root)})


def part_forests(
    tables: Iterable[Any], roles: Roles, where: Any = None, device: Any = None, memory: float = float("inf")
) -> Iterator[PartForest]:
    """Reduce part of a table, passed as several smaller tables, to one or more forests.

    Tables are added to a forest until its size exceeds `memory` bytes, so the last table may take it over
    this limit. By default, there is only one forest. Each root is the smallest id in its tree.
    """
    waiting, taken = iter(tables), 0

    def watch(rows: int, nbytes: int) -> None:
        nonlocal taken
        taken = nbytes

    def while_there_is_room() -> Iterator[Any]:
        while taken <= memory and (table := next(waiting, None)) is not None:
            yield table

    for first in waiting:
        taken = 0
        given = chain([first], while_there_is_room())
        found = components_of_table(given, device=device, roles=roles, where=where, watch=watch)
        yield PartForest(found.ids, found.labels)


def in_order_of_ids(forest: PartForest) -> PartForest:
    """Sort a forest by its ids, so that it does not depend on the order of the rows in the table."""
    order = pc.sort_indices(forest.ids).to_numpy()
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return PartForest(forest.ids.take(order), place[forest.root[order]])


def merged_forest(forests: Sequence[PartForest], device: Any = None) -> PartForest:
    """Merge forests into one. All ids must have the same type. Each root is the smallest id in its tree."""
    one_type(forest.type for forest in forests)
    (merged,) = part_forests(that_have_rows(forest.pairs() for forest in forests), AS_PAIRS, device=device)
    return merged


def one_type(types: Iterable[Any], what: str = "ids") -> Any:
    """Return the type of the ids (or groups) in all parts of a table. If types differ, raise a TableError."""
    known = [type for type in types if not pa.types.is_null(type)] or [pa.large_string()]
    for type in known:
        if type != known[0]:
            raise TableError(
                f"the {what} are {known[0]} in one part of the table, and {type} in another: cast them to "
                "one type"
            )
    return known[0]


# -- by an executor ----------------------------------------------------------------------------------

NOTHING = object()  # stands for the first block if there are no blocks
WAITING = 2  # blocks per worker that are submitted before the first forest is collected


def components_by_executor(
    blocks: Any,
    executor: Any,
    device: Any,
    labels: str | None,
    *,
    vertices: int | None,
    roles: Roles,
    where: Any,
    nodes: Any,
) -> Components:
    """Find the components of all blocks on an executor's workers, as described for :func:`components`."""
    check_labels("representative" if labels is None else labels)
    if isinstance(executor, type) or not callable(getattr(executor, "submit", None)):
        raise PointerjumpError(
            f"executor is of type {type(executor).__name__}: give one with the interface of "
            "concurrent.futures"
        )
    if device is not None and not isinstance(device, str):
        raise PointerjumpError(
            f"device is of type {type(device).__name__}, which another process cannot use: give its name"
        )
    if not isinstance(blocks, list | tuple | Iterator | Blocks):  # matrices are iterable, too
        raise GraphError(
            f"blocks are of type {type(blocks).__name__}: give an executor a list or an iterator of blocks"
        )
    if roles.group is not None:
        raise TableError(
            f"group={roles.group!r} and executor are both given, and a group may be in several blocks: give "
            "pairs, or lists of members"
        )
    given: Iterator[Any] = iter(blocks)
    first = next(given, NOTHING)
    if first is not NOTHING:
        given = chain([first], given)
    columns = any(each is not None for each in (*roles, where, nodes))
    if classify(first, columns=columns, numbers=vertices is not None).kind != "table":
        edges = _results(executor, _edge_forest, given, device)
        return components_of_blocks(edges, labels=labels or "consecutive", vertices=vertices)
    if vertices is not None:
        raise GraphError(
            f"vertices={vertices!r} is for vertices with numbers, and a table has ids: leave it out"
        )
    if first is NOTHING:
        raise TableError("there are no tables: give at least one, which may have no rows")
    if isinstance(first, Iterator):
        raise TableError(f"a block is of type {type(first).__name__}: give a list or an iterator of tables")
    like = id_columns(open_table(first), roles, where)
    forests = _results(executor, _table_forest, given, device, roles, where)
    found = components_of_table(
        (forest.pairs() for forest in forests), labels=labels, roles=AS_PAIRS, nodes=nodes
    )
    found.like_given = like.like_given
    return found


def _table_forest(table: Any, device: Any, roles: Roles, where: Any) -> PartForest:
    """Return the forest of a block. The root of each component is its first id in the block.

    This ensures that, after merging, ids are in the same order as if there had been only one block.
    """
    found = components_of_table(table, device=device, roles=roles, where=where)
    return PartForest(found.ids, smallest_representatives(found.labels))


def _edge_forest(block: Any, device: Any) -> tuple[VertexArray, VertexArray]:
    """Return the edges of a block's forest. A loop at the last vertex preserves the number of vertices."""
    sources: list[Any] = [np.empty(0, np.int64)]
    targets: list[Any] = [np.empty(0, np.int64)]
    for *ends, vertices in edge_blocks(block, None):
        for ids in ends:
            if len(ids) and not 0 <= ids.min() <= ids.max() < 2**63:
                raise GraphError(
                    f"edges end at {ids.min()} to {ids.max()}: vertices have numbers from 0 to 2**63 - 1"
                )
        graph = as_graph(tuple(ends), ids="compact")
        if (names := graph.names) is not None:
            root = components_of_blocks(iter([graph]), devices=device, labels="representative").labels
            child = np.flatnonzero(root != np.arange(len(root)))
            sources.append(names[child])
            targets.append(names[root[child]])
            vertices = max(vertices, int(names[-1]) + 1)
        last = np.full(min(vertices, 1), vertices - 1)
        sources.append(last)
        targets.append(last)
    return np.concatenate(sources), np.concatenate(targets)


def _results(
    executor: Any, work: Callable[..., Any], blocks: Iterator[Any], device: Any, *more: Any
) -> Generator[Any, None, None]:
    """Yield the workers' results for the blocks, in order. Only a few blocks are submitted at a time."""
    most = WAITING * _workers_of(executor)
    waiting: deque[Future[Any]] = deque()
    taken = 0
    try:
        while True:
            while len(waiting) < most and (block := next(blocks, waiting)) is not waiting:
                waiting.append(executor.submit(_in_worker, work, block, device, *more))
            if not waiting:
                return
            try:
                found = waiting.popleft().result()
            except PointerjumpError as error:
                raise type(error)(f"block {taken}: {error}") from error
            except BrokenExecutor as error:
                raise PointerjumpError(
                    f"block {taken}: a worker of the executor has ended, perhaps for lack of memory: {error}"
                ) from error
            yield found
            taken += 1
    finally:
        for each in waiting:
            each.cancel()


def _in_worker(work: Callable[..., Any], block: Any, device: Any, *more: Any) -> Any:
    # Use the given device or, if there is none, the worker's own.
    return work(block, own_device() if device is None else device, *more)


def _workers_of(executor: Any) -> int:
    for name in ("_max_workers", "num_workers"):
        if isinstance(number := getattr(executor, name, None), int):
            return max(1, number)
    if (client := getattr(executor, "_client", None)) is not None:  # Dask's
        return max(1, int(sum(client.nthreads().values())))
    return os.cpu_count() or 1
