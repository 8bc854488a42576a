"""Clusters records that are each other's best match. A cluster has at most one record from each data set."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.arrow import pa
from pointerjump.base.graph import Graph
from pointerjump.errors import TableError
from pointerjump.formats.pieces import listed
from pointerjump.ids.components import TableComponents, order_for_ids
from pointerjump.ids.interning import Numbers, numbered_by_library, numbered_columns
from pointerjump.solving.inputs import HostGraph
from pointerjump.solving.result import find_components
from pointerjump.tables.frames import Selected, called
from pointerjump.tables.ids import common_type
from pointerjump.tables.open import Roles, open_table, pairs_with_numbers, whole_columns


def one_to_one_clusters(
    table: Any,
    records: Any,
    source: str | None = None,
    target: str | None = None,
    *,
    score: str = "score",
    id: str = "id",
    dataset: str = "dataset",
    duplicate_free: Iterable[Any] | None = None,
    ties_method: Literal["lowest_id", "drop"] = "lowest_id",
    where: Any = None,
    device: Any = None,
) -> TableComponents:
    """Link records from several data sets so that each cluster has at most one record from each data set.

    Clusters are linked in rounds, as in Splink. Two clusters are linked if each is the other's best match,
    unless this would bring together two records from the same duplicate-free data set. A cluster is named
    after its smallest id. If a pair links two clusters, its record in the cluster with the larger name moves
    to the other cluster. The records that it leaves behind follow in later rounds, unless they find a better
    match elsewhere. The device is used only to number the ids. All pairs are kept in the host's memory.

    Parameters
    ----------
    table, source, target
        A table of pairs, and the columns with their ids, as for :func:`components`.
    records : table or path
        A table with the id and the data set of each record. Each id may be in only one data set.
    score : str
        The column of `table` with the similarity scores of the pairs.
    id, dataset : str
        The columns of `records` with the ids and the data sets. Names of data sets may be strings, integers
        or other values that can be used as ids.
    duplicate_free : iterable, optional
        The data sets from which a cluster may contain at most one record. Defaults to all data sets.
    ties_method : {"lowest_id", "drop"}
        How to resolve ties. "lowest_id": choose the match with the lowest id. "drop": drop tied pairs that
        link one record to several records from one duplicate-free data set.
    where, device : optional
        As for :func:`components`.

    Returns
    -------
    components : TableComponents
        The clusters, with ids in ascending order. Records without a link are alone in their clusters.

    Raises
    ------
    TableError
        If a column is missing, a value cannot be used as an id, or a score is missing or not a number. Also
        raised if a pair contains an id that is not in `records`, if an id is in two data sets, or if a data
        set or `ties_method` is unknown.
    MemoryLimitError
        If there is not enough memory to store which data sets each cluster contains.

    See Also
    --------
    components : Clusters with any number of records from each data set.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import pointerjump as pj
    >>> pairs = pa.table({"left": ["c1", "c1", "c2"], "right": ["s1", "s2", "s2"], "score": [0.9, 0.95, 0.8]})
    >>> records = pa.table({"id": ["c1", "c2", "s1", "s2"], "dataset": ["crm", "crm", "shop", "shop"]})
    >>> found = pj.one_to_one_clusters(pairs, records)
    >>> [ids.tolist() for ids in found.members()]
    [[0, 3], [1], [2]]
    >>> found.table()["component"].to_pylist()
    ['c1', 'c2', 's1', 'c1']
    """
    wanted = order_for_ids("auto", device, None, None)
    given, ids, _, representative = single_best_links(
        table, Roles(source, target), records, score, id, dataset, duplicate_free, ties_method, where, device
    )
    first, cluster = np.unique(representative, return_index=True, return_inverse=True)[1:]
    graph = HostGraph(Graph.of_edges(np.arange(len(ids)), first[cluster], len(ids)))
    found = find_components(wanted, graph, "representative")
    return TableComponents(ids, found.labels, "representative", found.run, given.like_given)


def single_best_links(
    table: Any,
    roles: Roles,
    records: Any,
    score: str,
    id: str,
    dataset: str,
    duplicate_free: Iterable[Any] | None,
    ties_method: str,
    where: Any,
    device: Any,
) -> tuple[Selected, pa.Array[Any], Numbers, Numbers]:
    """Link records. Return the pairs, the ids, the index of each record's id and each id's representative.

    Parameters are the same as for :func:`one_to_one_clusters`. The ids are distinct and in ascending order. A
    record may represent a cluster even after a later round has moved it to another cluster.
    """
    if ties_method not in ("drop", "lowest_id"):
        raise TableError(f'ties_method={ties_method!r}: it must be "drop" or "lowest_id"')
    # Lists contain Python objects, whereas elements of other libraries' arrays never equal names.
    as_list = getattr(duplicate_free, "to_pylist", None) or getattr(duplicate_free, "tolist", None)
    duplicate_free = as_list() if as_list else duplicate_free
    if isinstance(duplicate_free, str | bytes) or not isinstance(duplicate_free, Iterable | None):
        raise TableError(f"duplicate_free={duplicate_free!r}: give a list of data sets")
    duplicate_free = duplicate_free if duplicate_free is None else list(duplicate_free)
    known = called(open_table(records), "records").select([id, dataset], None, [[id], [dataset]])
    whole = known.table()
    with_ids, with_sets = (known.holding(whole.select([place])) for place in (0, 1))
    (sets,) = whole_columns(with_sets, common_type([known.schema.field(1)], known.name))
    names, number = _numbered_datasets(sets, f"{known.name}: column {dataset!r}", duplicate_free)
    kept: list[npt.NDArray[Any]] = [np.empty(0, np.uint8)]
    given = pairs_with_numbers(open_table(table), roles, score, where, "score", kept.append)
    ids, rows, left, right = numbered_ends(with_ids, given, device)
    in_dataset = np.empty(len(ids), np.intp)
    in_dataset[rows] = number
    if (other := in_dataset[rows] != number).any():
        row = int(other.argmax())
        raise TableError(
            f"{known.name}: id {ids[rows[row]]} is in data sets {names[in_dataset[rows[row]]]!r} and "
            f"{names[number[row]]!r}: give ids that differ, perhaps with the data set's name in front"
        )
    free = len(names) if duplicate_free is None else len(set(duplicate_free))
    # Ranks are compared instead of scores, so that no integer is rounded.
    rank = np.unique(np.concatenate(kept), return_inverse=True)[1]
    drop_ties = ties_method == "drop"
    return given, ids, rows, _best_links(left, right, rank, in_dataset, free, drop_ties=drop_ties)


def numbered_ends(
    nodes: Selected, pairs: Selected, device: Any
) -> tuple[pa.Array[Any], Numbers, Numbers, Numbers]:
    """Return the distinct ids in ascending order, followed by three arrays of indices into these ids.

    The arrays contain the indices of the nodes, of the left ids and of the right ids of the pairs.
    """
    ids, (rows, left, right) = numbered_columns([nodes, pairs], device, name=f"{nodes.name} and {pairs.name}")
    known = np.zeros(len(ids), np.bool_)
    known[rows] = True
    for field, end in zip(pairs.schema, (left, right), strict=True):
        if (unknown := ~known[end]).any():
            row = int(unknown.argmax())
            raise TableError(
                f"{pairs.name}: column {field.name!r} has {ids[end[row]].as_py()!r} in row {row}, which is "
                f"not in {nodes.name}: add it there, or leave such rows out"
            )
    return ids, rows, left, right


def _numbered_datasets(
    column: pa.ChunkedArray[Any], what: str, duplicate_free: Sequence[Any] | None
) -> tuple[list[Any], npt.NDArray[np.intp]]:
    """Return the names of data sets (duplicate-free ones first), and the index of each record's data set."""
    of_rows, distinct = numbered_by_library(column)
    names: list[Any] = distinct.to_pylist()
    known = set(names)
    for name in duplicate_free or ():
        if not isinstance(name, Hashable) or name not in known:
            raise TableError(f"{what} has no data set {name!r}: it has {listed(names) if names else 'none'}")
    in_order = list(dict.fromkeys([*(duplicate_free or ()), *names]))
    number = {name: place for place, name in enumerate(in_order)}
    return in_order, np.array([number[name] for name in names], np.intp)[of_rows]


def _best_links(
    left: Numbers,
    right: Numbers,
    rank: npt.NDArray[np.intp],
    dataset: npt.NDArray[np.intp],
    duplicate_free: int,
    *,
    drop_ties: bool,
) -> Numbers:
    """Return the representative of each node, given the rank of each link and the data set of each node.

    Data sets with numbers below `duplicate_free` are duplicate-free. When a link joins two clusters, both of
    its nodes are assigned the smaller of the clusters' representatives.
    """
    nodes = np.arange(len(dataset), dtype=np.int32)
    memory.require(
        len(nodes) * duplicate_free,
        f"{duplicate_free:,} data sets without duplicates beside {len(nodes):,} ids",
        "name fewer data sets in duplicate_free, or check that the column holds data sets",
    )
    # Each link is stored in both directions: the second half holds the mirror images of the first.
    one, other = np.concatenate([left, right]), np.concatenate([right, left])
    rank = np.concatenate([rank, rank])
    if drop_ties:
        tied = _tied(one, other, rank, dataset, duplicate_free)
        tied |= _mirrored(tied)
        one, other, rank = one[~tied], other[~tied], rank[~tied]
    key = other - rank * len(nodes)  # the best link has the smallest key; ties go to the smaller node
    restricted = dataset < duplicate_free
    representative, before = nodes, None
    while before is None or not np.array_equal(representative, before):
        before = representative
        holds = np.zeros((len(nodes), duplicate_free), np.bool_)
        holds[before[restricted], dataset[restricted]] = True
        held = np.packbits(holds, axis=1)
        cluster, joined = before[one], before[other]
        may = (cluster != joined) & ~(held[cluster] & held[joined]).any(axis=1)
        best = np.full(len(nodes), np.iinfo(key.dtype).max)
        np.minimum.at(best, cluster[may], key[may])
        taken = may & (key == best[cluster])
        taken &= _mirrored(taken)
        representative = before.copy()
        np.minimum.at(representative, one[taken], joined[taken])
    return representative


def _mirrored(of_links: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    return np.roll(of_links, len(of_links) // 2)


def _tied(
    one: Numbers,
    other: Numbers,
    rank: npt.NDArray[np.intp],
    dataset: npt.NDArray[np.intp],
    duplicate_free: int,
) -> npt.NDArray[np.bool_]:
    """Return a mask of the links that are tied.

    Links are tied if they have equal ranks and lead from one node to several nodes in one duplicate-free data
    set.
    """
    kinds, kind = np.unique(np.stack([one, dataset[other], rank]), axis=1, return_inverse=True)
    different = np.unique(np.stack([kind.ravel(), other]), axis=1)[0]
    several = np.bincount(different, minlength=kinds.shape[1]) > 1
    found: npt.NDArray[np.bool_] = several[kind.ravel()] & (dataset[other] < duplicate_free)
    return found
