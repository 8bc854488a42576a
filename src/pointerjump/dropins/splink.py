"""Replacements for Splink's clustering of pairwise predictions, at one threshold or several.

>>> from pointerjump.dropins.splink import cluster_pairwise_predictions_at_threshold
>>> nodes = [{"unique_id": i} for i in (1, 2, 3, 4)]
>>> edges = [
...     {"unique_id_l": 3, "unique_id_r": 2, "match_probability": 0.9},
...     {"unique_id_l": 3, "unique_id_r": 4, "match_probability": 0.4},
... ]
>>> cluster_pairwise_predictions_at_threshold(nodes, edges, threshold_match_probability=0.5).to_pydict()
{'unique_id': [1, 2, 3, 4], 'cluster_id': [1, 2, 2, 4]}

Arguments, columns and cluster ids are the same as in Splink: each cluster is named after its smallest id.
Nodes and edges may be tables of any kind. The results are tables of the same kind as the nodes, or Splink
tables if `db_api` is passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pointerjump.errors import TableError
from pointerjump.formats.files import one_line
from pointerjump.ids.interning import Numbers
from pointerjump.ids.one_to_one import numbered_ends, single_best_links
from pointerjump.ids.thresholds import smallest_at, thresholds_reached
from pointerjump.solving.disjoint_set import DisjointSet
from pointerjump.tables.frames import OpenTable, Selected, called, require_columns
from pointerjump.tables.ids import value_type
from pointerjump.tables.open import Roles, open_table

__all__ = [
    "cluster_pairwise_predictions_at_multiple_thresholds",
    "cluster_pairwise_predictions_at_threshold",
    "cluster_records",
    "cluster_using_single_best_links",
]

PROBABILITY = "match_probability"
SEPARATOR = "-__-"  # joins the data set and the id of a record if there are several data sets, as in Splink


def cluster_pairwise_predictions_at_threshold(
    nodes: Any,
    edges: Any,
    db_api: Any = None,
    node_id_column_name: str = "unique_id",
    edge_id_column_name_left: str | None = None,
    edge_id_column_name_right: str | None = None,
    threshold_match_probability: float | None = None,
    threshold_match_weight: float | None = None,
    *,
    device: Any = None,
) -> Any:
    """Return the cluster of each node: its component in the graph of all edges at or above a threshold.

    Parameters
    ----------
    nodes : table
        A table with a column of ids, which may contain duplicates.
    edges : table
        A table with two columns of ids. If a threshold is passed, the table must also have a column
        ``match_probability``, and edges without a probability are ignored.
    db_api : optional
        Splink's database API. If it is passed, the result is a Splink table that is registered with it.
    node_id_column_name : str
        The name of the column of ids in `nodes`.
    edge_id_column_name_left, edge_id_column_name_right : str, optional
        The names of the columns of ids in `edges`. Default: `node_id_column_name` plus ``_l`` and ``_r``.
    threshold_match_probability, threshold_match_weight : float, optional
        The threshold, either as a probability or as a match weight. If neither is passed, all edges are used.
    device : optional
        The device, as in :func:`pointerjump.components`.

    Returns
    -------
    table
        A table of all distinct ids in ascending order, with their ``cluster_id``.

    Raises
    ------
    TableError
        If a column is missing or cannot contain ids, if an id is null or empty, if an id of an edge does not
        occur in `nodes`, or if both thresholds are passed.
    """
    threshold = _probability(threshold_match_probability, threshold_match_weight)
    left, right = edge_id_column_name_left, edge_id_column_name_right
    ends = [[left or f"{node_id_column_name}_l"], [right or f"{node_id_column_name}_r"]]
    given = _read(nodes, "nodes", [node_id_column_name])
    ids, _, (smallest,) = _clusters(given, [node_id_column_name], edges, "edges", ends, [threshold], device)
    table = pa.table({node_id_column_name: ids, "cluster_id": ids.take(smallest)})
    return _answer(table, given, db_api, threshold_match_probability=threshold)


def cluster_pairwise_predictions_at_multiple_thresholds(
    nodes: Any,
    edges: Any,
    db_api: Any = None,
    node_id_column_name: str = "unique_id",
    match_probability_thresholds: Sequence[float] | None = None,
    match_weight_thresholds: Sequence[float] | None = None,
    edge_id_column_name_left: str | None = None,
    edge_id_column_name_right: str | None = None,
    output_cluster_summary_stats: bool = False,
    *,
    device: Any = None,
) -> Any:
    """Return the cluster of each node at each of several thresholds, in a single pass over the edges.

    The other parameters are the same as in :func:`cluster_pairwise_predictions_at_threshold`.

    Parameters
    ----------
    match_probability_thresholds, match_weight_thresholds : sequence of float, optional
        The thresholds, either as probabilities or as match weights. Exactly one of the two must be passed.
    output_cluster_summary_stats : bool
        If True, return a table of statistics instead. It has one row per threshold, with ``num_clusters``,
        ``max_cluster_size`` and ``avg_cluster_size``.

    Returns
    -------
    table
        A table of all distinct ids, with one column per threshold, from the lowest to the highest. The
        columns have names such as ``cluster_p_0_95`` or, for match weights, ``cluster_mw_3_5``.

    Raises
    ------
    TableError
        As in :func:`cluster_pairwise_predictions_at_threshold`, and if there are no thresholds.
    """
    by_weight = match_probability_thresholds is None
    wanted = match_weight_thresholds if by_weight else match_probability_thresholds
    if not wanted or (not by_weight and match_weight_thresholds is not None):
        raise TableError(
            "give either match_probability_thresholds or match_weight_thresholds, and at least one"
        )
    thresholds = sorted(_of_weight(value) if by_weight else float(value) for value in set(wanted))
    left, right = edge_id_column_name_left, edge_id_column_name_right
    ends = [[left or f"{node_id_column_name}_l"], [right or f"{node_id_column_name}_r"]]
    given = _read(nodes, "nodes", [node_id_column_name])
    ids, _, clusters = _clusters(given, [node_id_column_name], edges, "edges", ends, thresholds, device)
    if output_cluster_summary_stats:
        return _answer(_statistics(thresholds, clusters), given, db_api)
    columns = [ids, *(ids.take(smallest) for smallest in clusters)]
    titles = [f"cluster_{_in_name(threshold, by_weight)}" for threshold in thresholds]
    return _answer(pa.table(columns, [node_id_column_name, *titles]), given, db_api)


def cluster_records(
    records: Any,
    df_predict: Any,
    threshold_match_probability: float | None = None,
    threshold_match_weight: float | None = None,
    *,
    unique_id_column_name: str = "unique_id",
    source_dataset_column_name: str | None = None,
    db_api: Any = None,
    device: Any = None,
) -> Any:
    """Return records together with their clusters, like the methods of ``linker.clustering``.

    The other parameters and the errors are the same as in :func:`cluster_pairwise_predictions_at_threshold`.

    Parameters
    ----------
    records : table
        The input of the linker. Records from several data sets must be in one table.
    df_predict : table
        The result of ``linker.inference.predict()``.
    unique_id_column_name : str
        The name of the column of ids in `records`.
    source_dataset_column_name : str, optional
        The name of the column with the data set of each record, usually ``"source_dataset"``. It is required
        if there are several data sets. Ids are then composed of both columns, as in ``people-__-17``.

    Returns
    -------
    table
        The records in their original order, with an additional first column ``cluster_id``.
    """
    threshold = _probability(threshold_match_probability, threshold_match_weight)
    names = [name for name in (source_dataset_column_name, unique_id_column_name) if name]
    ends = [[name + end for name in names] for end in ("_l", "_r")]
    given = _read(records, "records")
    records = given.table()
    require_columns(records.column_names, names, given.name)
    ids, rows, (smallest,) = _clusters(given, names, df_predict, "df_predict", ends, [threshold], device)
    table = records.add_column(0, "cluster_id", ids.take(smallest[rows]))
    return _answer(table, given, db_api, threshold_match_probability=threshold)


def cluster_using_single_best_links(
    records: Any,
    df_predict: Any,
    duplicate_free_datasets: Sequence[str],
    threshold_match_probability: float | None = None,
    threshold_match_weight: float | None = None,
    ties_method: str = "lowest_id",
    *,
    unique_id_column_name: str = "unique_id",
    source_dataset_column_name: str = "source_dataset",
    db_api: Any = None,
    device: Any = None,
) -> Any:
    """Return records together with their clusters, which are formed from single best links.

    No cluster contains two records from the same duplicate-free data set. Two clusters are linked if each is
    the best match of the other, and if the link would not break this rule. The form of the result and the
    other parameters are the same as in :func:`cluster_records`.

    Parameters
    ----------
    duplicate_free_datasets : sequence of str
        The names of the data sets that are free of duplicates.
    ties_method : {"lowest_id", "drop"}
        How to resolve ties between links. "lowest_id" chooses the link to the lowest id. "drop" ignores tied
        links from one record to several records of one duplicate-free data set.

    Raises
    ------
    TableError
        As in :func:`cluster_records`, and if `ties_method` is unknown or `duplicate_free_datasets` is empty.
    """
    if isinstance(duplicate_free_datasets, str) or not duplicate_free_datasets:
        raise TableError(f"duplicate_free_datasets={duplicate_free_datasets!r}: give a list of data sets")
    threshold = _probability(threshold_match_probability, threshold_match_weight)
    names = [source_dataset_column_name, unique_id_column_name]
    given = _read(records, "records")
    records = given.table()
    require_columns(records.column_names, names, given.name)
    ends = [[name + end for name in names] for end in ("_l", "_r")]
    read, with_ids = _read_edges(df_predict, "df_predict", ends, scored=True)
    ids, sets = _with_ids(given, names).table().column(0), records.column(names[0]).cast(pa.string())
    pairs = with_ids.table().append_column(PROBABILITY, read.table().column(PROBABILITY))
    known = set(sets.to_pylist())
    _, distinct, rows, representative = single_best_links(
        _opened(pairs, read.name),
        Roles(*pairs.column_names[:2]),
        _opened(pa.table([ids, sets], ["id", "dataset"]), given.name),
        PROBABILITY,
        "id",
        "dataset",
        [name for name in duplicate_free_datasets if name in known],
        ties_method,
        (PROBABILITY, ">=", threshold or 0.0),  # a link without a probability never counts
        device,
    )
    table = records.add_column(0, "cluster_id", distinct.take(representative[rows]))
    return _answer(table, given, db_api, threshold_match_probability=threshold)


# -- clusters ----------------------------------------------------------------------------------------


def _clusters(
    nodes: Selected,
    names: Sequence[str],
    edges: Any,
    edges_are: str,
    ends: Sequence[Sequence[str]],
    thresholds: Sequence[float | None],
    device: Any,
) -> tuple[pa.Array[Any], Numbers, list[Numbers]]:
    """Return the distinct ids, the position of each node among them and the clusters at each threshold.

    `thresholds` and the ids are in ascending order. There is one array of clusters per threshold. It maps
    each id to the position of the smallest id in its cluster. The columns `names` form the id of a node, and
    the columns `ends` form the two ids of an edge.
    """
    cuts, scored = [threshold or 0.0 for threshold in reversed(thresholds)], thresholds[0] is not None
    read, pairs = _read_edges(edges, edges_are, ends, scored=scored)
    sought = _with_ids(nodes, names)
    ids, rows, sources, targets = numbered_ends(sought, pairs, device)
    reached: npt.NDArray[Any] = np.zeros(len(sources), np.uint8)
    if scored:
        column: Any = read.table().column(PROBABILITY)
        try:
            scores = column.cast(pa.float64()).fill_null(-1.0).to_numpy()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise TableError(
                f"{read.name}: column {PROBABILITY!r} holds {column.type}, not numbers"
            ) from None
        reached = thresholds_reached(cuts, np.nan_to_num(scores, nan=-1.0))  # a missing score reaches none
    smallest = smallest_at(cuts, DisjointSet(len(ids), device), sources, targets, reached)
    in_given_type = ids.cast(value_type(sought.schema.field(0).type))
    return in_given_type, rows, [smallest[threshold or 0.0] for threshold in thresholds]


# -- tables ------------------------------------------------------------------------------------------


def _read(given: Any, name: str, columns: Sequence[str] | None = None, ids: Sequence[str] = ()) -> Selected:
    """Read some or all columns of a table. The ids in the columns `ids` are made comparable."""
    opened = _opened(given, name)
    wanted = opened.names if columns is None else columns
    require_columns(opened.names, wanted, opened.name, opened.hint)
    # Answers have different columns from those of `components`, so their types are not restored.
    some = opened.select(wanted, compared=[ids], results=())
    try:
        table = some.table()
    except pa.ArrowException as error:
        raise TableError(f"{some.name}: its parts do not form one table: {one_line(error)}") from error
    return some.holding(table)


def _read_edges(
    given: Any, name: str, ends: Sequence[Sequence[str]], *, scored: bool
) -> tuple[Selected, Selected]:
    """Read edges, with their scores if `scored` is true. The second result contains each edge's two ids."""
    columns = [column for end in ends for column in end]
    read = _read(given, name, [*columns, PROBABILITY] if scored else columns, columns)
    return read, _with_ids(read, *ends)


def _opened(given: Any, name: str) -> OpenTable:
    """Open a Splink table, a list of records as dicts, or any table that `components` accepts."""
    try:
        if hasattr(given, "as_pyarrow_table"):
            given = given.as_pyarrow_table()
        elif isinstance(given, list | dict):
            given = pa.Table.from_pylist(given) if isinstance(given, list) else pa.table(given)
        table = open_table(given)
    except TableError as error:
        raise TableError(f"{name}: {error}") from error
    except (pa.ArrowException, AttributeError, OverflowError, TypeError, ValueError) as error:
        what = f"{type(given).__name__} is not a table ({one_line(error)})"
        raise TableError(f"{name}: {what}: give records as dicts") from None
    return called(table, name)


def _with_ids(given: Selected, *ids: Sequence[str]) -> Selected:
    """Return a table with a column of ids for each item of `ids`, made from the columns that it names."""
    table, columns = given.table(), {}
    for names in ids:
        parts: list[Any] = [table.column(name) for name in names]
        for name, column in zip(names, parts, strict=True):
            if len(names) > 1 and column.null_count:  # an id that is made from a null would also be null
                row = pc.index(column.is_null(), True).as_py()
                raise TableError(f"{given.name}: column {name!r} is null in row {row}: every row needs an id")
        if len(names) > 1:
            parts = [column.cast(pa.large_string()) for column in parts]
            parts = [pc.binary_join_element_wise(*parts, pa.scalar(SEPARATOR, pa.large_string()))]
        columns[SEPARATOR.join(names)] = parts[0]
    return _opened(pa.table(columns), given.name).select(list(columns))


# -- names, thresholds and answers -------------------------------------------------------------------


def _probability(probability: float | None, weight: float | None) -> float | None:
    if probability is not None and weight is not None:
        raise TableError(
            "threshold_match_probability and threshold_match_weight are both given: leave one out"
        )
    return probability if weight is None else _of_weight(weight)


def _of_weight(weight: float) -> float:
    """Convert a match weight, which is the binary logarithm of the odds, to a probability."""
    if weight > 1000:  # beyond a float's range
        return 1.0
    odds: float = 2.0**weight
    return odds / (1 + odds)


def _weight(probability: float) -> float | None:
    return log2(probability / (1 - probability)) if 0 < probability < 1 else None


def _in_name(threshold: float, by_weight: bool) -> str:
    """Format a threshold as in the names of Splink columns, for example ``p_0_95``, ``1_0`` or ``mw_3_5``."""
    weight = _weight(threshold)
    if weight is None:
        return ("mw_inf" if threshold else "mw_minus_inf") if by_weight else ("1_0" if threshold else "0_0")
    number = f"{weight if by_weight else threshold:.6f}".rstrip("0").rstrip(".")
    return ("mw_" if by_weight else "p_") + number.replace(".", "_")


def _statistics(thresholds: Sequence[float], clusters: Sequence[npt.NDArray[Any]]) -> pa.Table:
    sizes = [np.unique(smallest, return_counts=True)[1] for smallest in clusters]
    means = [each.mean() if len(each) else None for each in sizes]
    return pa.table(
        {
            "threshold_match_probability": pa.array(thresholds, pa.float32()),
            "threshold_match_weight": pa.array([_weight(each) for each in thresholds], pa.float32()),
            "num_clusters": pa.array([len(each) for each in sizes], pa.int64()),
            "max_cluster_size": pa.array([each.max(initial=0) for each in sizes], pa.int64()),
            "avg_cluster_size": pa.array(means, pa.float64()),
        }
    )


def _answer(table: pa.Table, given: Selected, db_api: Any, **metadata: Any) -> Any:
    """Return a result as the kind of table that was given, or as a Splink table if `db_api` is passed."""
    if db_api is None:
        return given.like_given(table)
    registered = db_api.register(table)
    registered.metadata.update(metadata)
    return registered
