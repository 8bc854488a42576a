"""Splink's nodes and edges as vertices in order of ids, and their clusters at one threshold after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pointerjump.dropins.given import Given
from pointerjump.errors import TableError
from pointerjump.face.disjoint_set import DisjointSet
from pointerjump.tables.ids import checked, common_type

PROBABILITY = "match_probability"

SEPARATOR = "-__-"
"""What Splink puts between the data set and the id of a record, where there are several data sets."""


class Column(NamedTuple):
    """A column of ids, and what errors call it."""

    name: str
    what: str
    values: Any


def column_of(given: Given, name: str) -> Column:
    """Return a column of ids."""
    return Column(name, f"{given.name}: column {name!r}", given.columns([name])[0])


def composed(given: Given, names: Sequence[str]) -> Column:
    """Return the ids that Splink makes of several columns."""
    if len(names) == 1:
        return column_of(given, names[0])
    parts = [column.cast(pa.large_string()) for column in given.columns(names)]
    joined = pc.binary_join_element_wise(*parts, pa.scalar(SEPARATOR, pa.large_string()))
    return Column(SEPARATOR.join(names), f"{given.name}: columns {' and '.join(map(repr, names))}", joined)


def scores_of(edges: Given, threshold: float | None) -> npt.NDArray[np.float64] | None:
    """Return the edges' probabilities, -1 where there is none; or None if there is no threshold."""
    if threshold is None:
        return None
    (column,) = edges.columns([PROBABILITY])
    try:
        scores: npt.NDArray[np.float64] = column.cast(pa.float64()).fill_null(-1.0).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise TableError(f"{edges.name}: column {PROBABILITY!r} holds {column.type}, not numbers") from None
    return scores


@dataclass(frozen=True)
class Graph:
    """Nodes and edges as numbers. Vertices are in order of ids, so the smallest vertex is the smallest id.

    Attributes
    ----------
    ids : pyarrow Array, shape (vertices,)
    vertices : ndarray of int32, shape (rows of nodes,)
        The vertex of each row.
    sources, targets : ndarray of int32, shape (edges,)
    """

    ids: pa.Array[Any]
    vertices: npt.NDArray[np.int32]
    sources: npt.NDArray[np.int32]
    targets: npt.NDArray[np.int32]

    def clusters(
        self, scores: npt.NDArray[np.float64] | None, thresholds: Sequence[float | None], device: Any
    ) -> list[npt.NDArray[Any]]:
        """Return the smallest vertex of each vertex's cluster, for each of some rising thresholds.

        The edges of a higher threshold are also edges of a lower one. So a forest takes them from the
        highest on, and each edge once.
        """
        forest = DisjointSet(len(self.ids), device)
        found, above = [], np.inf
        for threshold in reversed(thresholds):
            if scores is None or threshold is None:
                forest.merge(self.sources, self.targets)
            else:
                next_ones = (scores >= threshold) & (scores < above)
                forest.merge(self.sources[next_ones], self.targets[next_ones])
                above = threshold
            found.append(forest.labels("representative"))
        return found[::-1]


def graph_of(nodes: Column, ends: Sequence[Column]) -> Graph:
    """Return nodes as vertices, and edges from their two columns of ends; an unknown end is a TableError."""
    columns = [nodes, *ends]
    fields = [pa.field(column.name, column.values.type) for column in columns]
    compared = common_type(fields, "nodes and edges")
    values = [checked(column.values, compared, column.what, 0) for column in columns]
    ids = values[0].unique()
    ids = ids.take(pc.sort_indices(ids))
    vertices, sources, targets = (
        _vertices(some, ids, column.what) for some, column in zip(values, columns, strict=True)
    )
    kind = nodes.values.type
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    return Graph(ids.cast(plain), vertices, sources, targets)


def _vertices(values: Any, ids: pa.Array[Any], what: str) -> npt.NDArray[np.int32]:
    found = pc.index_in(values, value_set=ids)
    if found.null_count:
        row = pc.index(found.is_null(), True).as_py()
        raise TableError(
            f"{what} has {values[row].as_py()!r} in row {row}, which is not an id of a node: add the node, "
            "or leave such edges out"
        )
    return np.asarray(
        found.to_numpy(zero_copy_only=False) if isinstance(found, pa.Array) else found.to_numpy()
    )
