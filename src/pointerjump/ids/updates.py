"""Updates clusters: builds today's clusters from yesterday's clusters and today's pairs."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pointerjump.base.arrow import pa, pc
from pointerjump.errors import TableError
from pointerjump.ids.components import components_of_ids, order_for_ids
from pointerjump.ids.interning import Numbers, numbered
from pointerjump.tables.ids import common_type
from pointerjump.tables.open import Roles, given_nodes, id_columns, id_fields, open_table, whole_columns

KEEPS = ("previous", "oldest", "smallest")
UNCHANGED, GROWN, MERGED, NEW = range(4)
STATUS = ("unchanged", "grown", "merged", "new")  # how a cluster may have changed


def update_clusters(
    old: Any,
    new_pairs: Any,
    source: str | None = None,
    target: str | None = None,
    *,
    id: str = "id",
    cluster: str = "component",
    where: Any = None,
    nodes: Any = None,
    keep: Literal["previous", "oldest", "smallest"] = "previous",
    device: Any = None,
) -> Any:
    """Add pairs to a table of clusters, and preserve the names of the clusters.

    Clusters can only grow and merge. A cluster that has grown keeps its name. If several old clusters have
    merged, the result is named after the largest of them. If several are equally large, the one that
    comes first in `old` is chosen.

    Parameters
    ----------
    old : table or path
        The existing clusters: each id once, with its cluster's name. Only ids and names are kept in memory.
    new_pairs : table or path
        Pairs of ids, as for :func:`components`. They may contain new ids, and are read once, in batches.
    source, target : str, optional
        The columns with the two ids of each pair, as for :func:`components`.
    id, cluster : str
        The columns of `old` with the ids and with the names of their clusters. Names may be strings, numbers
        or other values that can be used as ids.
    where, nodes, device : optional
        Conditions on the new pairs, additional ids and the device, as for :func:`components`.
    keep : {"previous", "oldest", "smallest"}
        How clusters are named. "previous": as described above. "oldest": a merged cluster is named after the
        old cluster that comes first in `old`. "smallest": each cluster is named after its smallest id, as in
        :func:`components`. With "previous" and "oldest", a new cluster is named after its smallest id that is
        not yet the name of a cluster in `old`. If names are numbers but ids are not, a new cluster is given
        the next unused number as its name.

    Returns
    -------
    table
        A table of the same kind as `old`, or an Arrow table for files. The columns are ``id``, ``component``,
        ``previous`` and ``status``. ``previous`` is the name of the id's old cluster, or null. ``status``
        says whether the whole cluster is ``unchanged``, has ``grown`` by new ids, was ``merged`` from several
        clusters, or is ``new``. Rows are in the order of `old`, followed by new ids in order of first
        appearance.

    Raises
    ------
    TableError
        If an id occurs twice in `old`, if a column is missing or its values cannot be used as ids, or if the
        ids of the two tables have types whose values can never be equal. Other errors are the same as for
        :func:`components`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import pointerjump as pj
    >>> old = pa.table({"id": ["bob", "eve", "cal", "dee"], "component": ["bob", "bob", "cal", "dee"]})
    >>> new = pa.table({"left": ["ann", "cal"], "right": ["bob", "eve"]})
    >>> for row in pj.update_clusters(old, new).to_pylist():
    ...     print(*row.values())
    bob bob bob merged
    eve bob bob merged
    cal bob cal merged
    dee dee dee unchanged
    ann bob None merged
    """
    if keep not in KEEPS:
        raise TableError(f"keep={keep!r}: choose one of {', '.join(KEEPS)}")
    wanted = order_for_ids("auto", device, None, None)
    given = open_table(old).select([cluster, id], None, [[id], [cluster]], [id])
    new = id_columns(open_table(new_pairs), Roles(source, target), where)
    more = [new] if nodes is None else [new, given_nodes(nodes)]
    type: Any = common_type(
        [given.schema.field(1), *(field for each in more for field in id_fields(each))], given.name
    )
    clusters, ids = whole_columns(given, common_type([given.schema.field(0)], given.name), type)
    part, names = numbered(clusters, device)
    # Each old cluster is a group of ids, identified by its number.
    groups = given.holding(pa.table([part, ids], [cluster, id]), grouped=True)
    found = components_of_ids(wanted, groups, more)
    # Ids are in order of first appearance: all old ids come first, in the order of their table.
    if not ids.equals(pa.chunked_array([found.ids[: len(ids)]], type)):
        number, distinct = numbered(ids, device)
        twice = distinct[int(np.argmax(np.bincount(number) > 1))]
        raise TableError(f"{given.name}: id {twice} is in several rows: give each id once, with one cluster")
    if not len(names):  # the type of an empty column does not matter
        names = pa.array([], type)
    first = np.empty(len(names), np.int64)
    first[part[::-1]] = np.arange(len(part))[::-1]  # of a cluster's rows, the first is written last
    old_ids, root, n = len(ids), found.labels, found.vertices
    del clusters, ids, groups  # to free their memory before the result is made
    root_of_part = root[first]
    parts = np.bincount(root_of_part, minlength=n)
    grown = np.bincount(root, minlength=n) > np.bincount(root[:old_ids], minlength=n)
    status = np.select([parts == 0, parts > 1, grown], [NEW, MERGED, GROWN], UNCHANGED)[root]
    sizes = np.bincount(part, minlength=len(names)) if keep == "previous" else np.zeros(len(names), np.int64)
    named = np.full(n, -1)
    last_wins = np.lexsort((-np.arange(len(names)), sizes))
    named[root_of_part[last_wins]] = last_wins
    if keep == "smallest":
        component = found.ids.take(root)
    else:
        fresh = np.flatnonzero((named < 0) & (root == np.arange(n)))
        named[fresh] = len(names) + np.arange(len(fresh))
        component = pa.concat_arrays([names, _fresh_names(found.ids, root, fresh, names, given.name)]).take(
            pa.array(named[root])
        )
    missing = pa.nulls(n - old_ids, names.type)
    columns = {
        "id": found.ids,
        "component": component,
        "previous": pa.concat_arrays([names.take(part), missing]),
        "status": pa.array(STATUS).take(status),
    }
    return given.like_given(pa.table(columns))


def _fresh_names(ids: Any, root: Numbers, fresh: Any, names: Any, table: str) -> Any:
    """Choose names for new clusters. `fresh` holds, for each new cluster, the vertex with the smallest id."""
    if ids.type != names.type and len(fresh):
        if not pa.types.is_integer(names.type):
            raise TableError(
                f"{table}: names of clusters are {names.type}, and ids {ids.type}, so no id can name a new "
                'cluster: give names that are numbers, or keep="smallest"'
            )
        begin = (pc.max(names).as_py() or 0) + 1
        try:
            return pa.array(range(begin, begin + len(fresh)), names.type)
        except OverflowError:
            raise TableError(
                f"{table}: a cluster is called {begin - 1}, and {names.type} has no next number for each new "
                'cluster: give smaller names, or keep="smallest"'
            ) from None
    smallest = ids.take(fresh)
    taken = np.asarray(pc.is_in(smallest, names)) if len(fresh) else np.zeros(0, np.bool_)
    if not taken.any():
        return smallest.cast(names.type)
    free = np.flatnonzero(np.isin(root, fresh[taken]) & ~np.asarray(pc.is_in(ids, names)))
    chosen = fresh.copy()
    by_id = free[pc.sort_indices(ids.take(free)).to_numpy()][::-1]
    place = np.full(len(root), -1)
    place[root[by_id]] = by_id  # of a cluster's free ids, the smallest is written last
    chosen[taken] = place[fresh[taken]]
    if (chosen < 0).any():
        stuck = ids[int(fresh[np.argmin(chosen)])]
        raise TableError(
            f"{table}: all ids of the new cluster with {stuck} are names of other clusters: rename those, or "
            'give keep="smallest"'
        )
    return ids.take(chosen)
