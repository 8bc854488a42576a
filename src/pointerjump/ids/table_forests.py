"""What a part of a table says about its components, as a table that can be sent and merged in any order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from pointerjump.errors import TableError
from pointerjump.ids.components import components_of_table
from pointerjump.tables.roles import Roles


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
    """Find the forest of a table: each id, and the root of its component, which is the smallest id there.

    Read as pairs, a forest has the same components as the table, and no more rows than the table has ids. So
    parts of a table that no machine holds can each become a forest where they are, and
    :func:`merge_forests` makes one of all.

    Parameters
    ----------
    table, source, target, group, member, where, nodes, device : optional
        As for :func:`components`, for a table of pairs, or of groups and their members. All rows of a group
        must be in one part: a forest does not say which groups its ids are in.

    Returns
    -------
    table
        Columns ``id`` and ``root``, with each id of the table once, in ascending order. It is the kind of
        table that was given, and an Arrow table for files.

    Raises
    ------
    TableError, DeviceError
        As for :func:`components`.

    See Also
    --------
    merge_forests : Merges the forests of several parts.
    components : The components of a table that one machine can read.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import pointerjump as pj
    >>> pairs = pa.table({"left": ["dee", "bob"], "right": ["bob", "cal"]})
    >>> pj.forest_of(pairs, "left", "right").to_pylist()
    [{'id': 'bob', 'root': 'bob'}, {'id': 'cal', 'root': 'bob'}, {'id': 'dee', 'root': 'bob'}]
    """
    roles = Roles(source, target, group, member)
    return components_of_table(table, device=device, roles=roles, where=where, nodes=nodes).forest_table()


def merge_forests(forests: Iterable[Any], *, device: Any = None) -> Any:
    """Merge forests of parts of a table into the forest of the whole table.

    The result depends only on which ids are joined. So it is the same in whatever order and grouping forests
    are merged, and if some are merged more than once.

    Parameters
    ----------
    forests : iterable of tables
        What :func:`forest_of` or this function returned, or any tables with columns ``id`` and ``root``. At
        least one; it may have no rows. They are read one after the other.
    device : optional
        As for :func:`components`.

    Returns
    -------
    table
        As :func:`forest_of` returns; the kind of table that the first forest is.

    Raises
    ------
    TableError
        If there is no forest, if one lacks a column, or if their ids are of different kinds.

    See Also
    --------
    forest_of : Finds the forest of a part.

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
