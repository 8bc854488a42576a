"""Components by an executor: each block becomes a forest in a worker, and the forests are joined here."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Future
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.accel.runtime.own_device import own_device
from pointerjump.connectivity import components
from pointerjump.edges import VertexArray
from pointerjump.errors import AlgorithmError, GraphError, PointerjumpError, TableError
from pointerjump.ids.components import components_of_table
from pointerjump.ids.result import TableComponents
from pointerjump.inputs import classify, edge_blocks
from pointerjump.registry.selection import refuse_misspelt
from pointerjump.result import Components, Labels, check_labels, smallest_representatives
from pointerjump.streams import components_of_blocks
from pointerjump.tables.open import is_table, open_table
from pointerjump.tables.roles import Roles, id_columns

if TYPE_CHECKING:
    import pyarrow as pa

NOTHING = object()
"""What comes first if there are no blocks."""

WAITING = 2
"""So many blocks for each worker are submitted before the forest of the first is taken."""


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
    others: Mapping[str, object],
) -> Components:
    """Find the components of blocks; parameters and errors as for :func:`components`.

    `others` are options that are not for executors.
    """
    refuse_misspelt(others.keys() - {"algorithm", "devices"})
    for name, value in others.items():
        if value is not None:
            raise AlgorithmError(f"{name}={value!r} and executor are both given: leave one out")
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
    if (
        isinstance(blocks, np.ndarray | str | bytes | PathLike)
        or is_table(blocks)
        or not isinstance(blocks, Iterable)
    ):
        raise GraphError(
            f"blocks are of type {type(blocks).__name__}: give an executor a list or an iterator of blocks"
        )
    if roles.group is not None:
        raise TableError(
            f"group={roles.group!r} and executor are both given, and a group may be in several blocks: give "
            "pairs, or lists of members"
        )
    given = iter(blocks)
    first = next(given, NOTHING)
    if first is not NOTHING:
        given = chain([first], given)
    columns = any(each is not None for each in (*roles, where, nodes))
    if classify(first, columns=columns, numbers=vertices is not None).kind == "table":
        if vertices is not None:
            raise GraphError(
                f"vertices={vertices!r} is for vertices with numbers, and a table has ids: leave it out"
            )
        return _of_tables(given, first, executor, device, labels, roles, where, nodes)
    edges = _results(executor, _edge_forest, given, device)
    return components_of_blocks(edges, labels=labels or "consecutive", vertices=vertices)


# -- tables ----------------------------------------------------------------------------------------


def _of_tables(
    tables: Iterator[Any],
    first: Any,
    executor: Any,
    device: Any,
    labels: str | None,
    roles: Roles,
    where: Any,
    nodes: Any,
) -> TableComponents:
    if first is NOTHING:
        raise TableError("there are no tables: give at least one, which may have no rows")
    if isinstance(first, Iterator):
        raise TableError(f"a block is of type {type(first).__name__}: give a list or an iterator of tables")
    given = id_columns(open_table(first), roles, where)
    forests = _results(executor, _table_forest, tables, device, roles, where)
    rows = (_as_table(ids, root) for ids, root in forests)
    found = components_of_table(rows, labels=labels, roles=Roles("id", "root"), nodes=nodes)
    found.like_given = given.table.like_given
    return found


def _table_forest(table: Any, device: Any, roles: Roles, where: Any) -> tuple[pa.Array[Any], Labels]:
    """Return the ids of a block, and the place of the first id in the component of each.

    Joined to the first, ids come in the same order as if all blocks were read at once.
    """
    found = components_of_table(table, device=device, roles=roles, where=where)
    return found.ids, smallest_representatives(found.labels)


def _as_table(ids: pa.Array[Any], root: Labels) -> pa.Table:
    import pyarrow as pa

    return pa.table({"id": ids, "root": ids.take(root)})


# -- graphs ----------------------------------------------------------------------------------------


def _edge_forest(block: Any, device: Any) -> tuple[VertexArray, VertexArray]:
    """Return the edges of a block's forest, and a last one that says how many vertices there are."""
    sources: list[Any] = []
    targets: list[Any] = []
    for some in edge_blocks(block, None):
        for ids in some[:2]:
            if len(ids) and not 0 <= ids.min() <= ids.max() < 2**63:
                raise GraphError(
                    f"edges end at {ids.min()} to {ids.max()}: vertices have numbers from 0 to 2**63 - 1"
                )
        found = components(some[:2], device=device, labels="representative", ids="compact")
        root = found.labels
        names = np.arange(len(root)) if found.names is None else found.names
        child = np.flatnonzero(root != np.arange(len(root)))
        n = max(some[2], int(names.max(initial=-1)) + 1)
        last = np.full(min(n, 1), n - 1)
        sources += [names[child], last]
        targets += [names[root[child]], last]
    if not sources:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate(sources), np.concatenate(targets)


# -- workers ---------------------------------------------------------------------------------------


def _results(
    executor: Any, work: Callable[..., Any], blocks: Iterator[Any], device: Any, *more: Any
) -> Generator[Any, None, None]:
    """Yield what workers make of blocks, in the order of blocks. Only a few are with workers at a time."""
    most = WAITING * _workers_of(executor)
    waiting: deque[Future[Any]] = deque()
    taken = 0
    try:
        while True:
            while len(waiting) < most and (block := next(blocks, waiting)) is not waiting:
                waiting.append(executor.submit(_in_worker, work, block, device, *more))
            if not waiting:
                return
            yield _result(waiting.popleft(), taken)
            taken += 1
    finally:
        for each in waiting:
            each.cancel()


def _result(of: Future[Any], number: int) -> Any:
    try:
        return of.result()
    except PointerjumpError as error:
        raise type(error)(f"block {number}: {error}") from error
    except BrokenExecutor as error:
        raise PointerjumpError(
            f"block {number}: a worker of the executor has ended, perhaps for want of memory: {error}"
        ) from error


def _in_worker(work: Callable[..., Any], block: Any, device: Any, *more: Any) -> Any:
    """Do the work with the device that is named, or with the worker's own."""
    return work(block, own_device() if device is None else device, *more)


def _workers_of(executor: Any) -> int:
    """Return how many workers an executor has, or how many processors there are if it does not tell."""
    for name in ("_max_workers", "num_workers"):
        if isinstance(number := getattr(executor, name, None), int):
            return max(1, number)
    if (client := getattr(executor, "_client", None)) is not None:  # Dask's
        return max(1, int(sum(client.nthreads().values())))
    return os.cpu_count() or 1
