"""Replacement for super_merger of polars-grouper, which assigns each row to a group of connected ids.

>>> import polars as pl
>>> from pointerjump.dropins.polars_grouper import super_merger
>>> df = pl.DataFrame({"from": ["A", "B", "D"], "to": ["B", "C", "E"]})
>>> super_merger(df, "from", "to")["group"].to_list()
[1, 1, 2]

Groups are numbered from 1, in order of their first rows. A row with a null id does not connect anything. It
belongs to the group of its first id, or to group 0 if that id is null or never occurs in a row with two ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl
import pyarrow as pa

from pointerjump.errors import TableError
from pointerjump.graphs.connectivity import components
from pointerjump.ids.interning import numbered
from pointerjump.tables.frames import require_columns

if TYPE_CHECKING:
    from polars._typing import IntoExpr

    Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)

NARROW_INTEGERS = pl.Int8 | pl.Int16 | pl.Int32 | pl.UInt8 | pl.UInt16 | pl.UInt32

__all__ = ["graph_solver", "super_merger", "super_merger_weighted"]


def super_merger(df: Frame, from_col_name: str, to_col_name: str, *, device: Any = None) -> Frame:
    """Add a column "group" to a frame. Rows whose ids are connected are assigned the same number.

    Parameters
    ----------
    df : polars DataFrame or LazyFrame
    from_col_name, to_col_name : str
        The names of the columns that contain the two ids of each row. If the types of the columns differ, ids
        are compared as strings, except that integers are compared by value.
    device : optional
        The device, as in :func:`pointerjump.components`.

    Returns
    -------
    polars DataFrame or LazyFrame
        The same frame with a UInt64 column "group", which replaces any existing column with this name.

    Raises
    ------
    TableError
        If a column is missing or contains lists or structs. If `df` is a LazyFrame, errors are raised
        when the frame is collected, and a missing column raises a Polars error.
    """
    if isinstance(df, pl.DataFrame):
        require_columns(df.columns, [from_col_name, to_col_name], "the frame")
        ends = [df.get_column(from_col_name), df.get_column(to_col_name)]
        return df.with_columns(_groups(ends, device).alias("group"))
    solved = graph_solver(pl.col(from_col_name), pl.col(to_col_name), device=device)
    return df.with_columns(solved.alias("group"))


def super_merger_weighted(
    df: Frame,
    from_col_name: str,
    to_col_name: str,
    weighted_col_name: str,
    weight_threshold: float = 0.1,
    *,
    device: Any = None,
) -> Frame:
    """Like :func:`super_merger`, but keep only the rows whose weight is at least `weight_threshold`."""
    if isinstance(df, pl.DataFrame):
        require_columns(df.columns, [weighted_col_name], "the frame")
    heavy = df.filter(pl.col(weighted_col_name) >= weight_threshold)
    return super_merger(heavy, from_col_name, to_col_name, device=device)


def graph_solver(expr_from: IntoExpr, expr_to: IntoExpr, *, device: Any = None) -> pl.Expr:
    """Return an expression that computes the group of each row, as in :func:`super_merger`."""
    ends: list[Any] = [expr_from, expr_to]
    return pl.map_batches(ends, lambda columns: _groups(columns, device), return_dtype=pl.UInt64())


def _groups(ends: Sequence[pl.Series], device: Any) -> pl.Series:
    first, second = _comparable(ends)
    paired = first.is_not_null() & second.is_not_null()
    alone = first.is_not_null() & second.is_null()
    columns = [first.filter(paired), second.filter(paired), first.filter(alone)]
    ids: Any = [column.to_arrow() for column in columns]
    numbers, _ = numbered(pa.chunked_array(ids), device)
    sources, targets, others = np.split(numbers, np.cumsum(list(map(len, columns)))[:-1])
    known = max(sources.max(initial=-1), targets.max(initial=-1)) + 1
    # Ids are numbered in order: all first ends, then all second ends. So the smallest vertex of a component
    # is the first end of the component's first row, and components are numbered in the order of these rows.
    labels = components((sources, targets), device=device, vertices=int(known)).labels
    group_of = np.append(labels + 1, 0).astype(np.uint64)
    group = np.zeros(len(first), np.uint64)
    group[paired.to_numpy()] = group_of[sources]
    group[alone.to_numpy()] = group_of[np.minimum(others, known)]
    return pl.Series(ends[0].name, group)


def _comparable(ends: Sequence[pl.Series]) -> list[pl.Series]:
    for column in ends:
        if column.dtype.is_nested() or column.dtype == pl.Object:
            raise TableError(
                f"column {column.name!r} holds {column.dtype}, which cannot be ids: name another one"
            )
    first, second = (column.dtype for column in ends)
    if all(isinstance(each, NARROW_INTEGERS | pl.Int64) for each in (first, second)):
        return [column.cast(pl.Int64) for column in ends]  # only 64-bit integers are numbered on a device
    plain = first == second and not isinstance(first, pl.Categorical | pl.Enum)
    return list(ends) if plain else [column.cast(pl.String) for column in ends]
