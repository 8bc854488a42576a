"""Splink's nodes and edges as vertices in order of ids, and their clusters at one threshold after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pointerjump.disjoint_set import DisjointSet
from pointerjump.dropins.given import Given
from pointerjump.errors import TableError
from pointerjump.ids.interning import numbered_columns
from pointerjump.tables.ids import value_type
from pointerjump.tables.select import Selected

PROBABILITY = "match_probability"

SEPARATOR = "-__-"
"""What Splink puts between the data set and the id of a record, where there are several data sets."""


def composed(given: Given, *ids: Sequence[str]) -> Selected:
    """Return ids that Splink makes of one or more columns each, as a table with a column for each id."""
    columns = {SEPARATOR.join(names): _composed(given, names) for names in ids}
    return Given(pa.table(columns), given.name, given.like_given).select(list(columns))


def _composed(given: Given, names: Sequence[str]) -> Any:
    columns = [given.table.column(name) for name in names]
    if len(columns) == 1:
        return columns[0]
    for name, column in zip(names, columns, strict=True):
        if column.null_count:  # an id that is made of a null one would be null, too
            row = pc.index(column.is_null(), True).as_py()
            raise TableError(f"{given.name}: column {name!r} is null in row {row}: every row needs an id")
    parts: list[Any] = [column.cast(pa.large_string()) for column in columns]
    return pc.binary_join_element_wise(*parts, pa.scalar(SEPARATOR, pa.large_string()))


def scores_of(edges: Given, threshold: float | None) -> npt.NDArray[np.float64] | None:
    """Return the edges' probabilities, -1 where there is none; or None if there is no threshold."""
    if threshold is None:
        return None
    column: Any = edges.table.column(PROBABILITY)
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


def graph_of(nodes: Selected, edges: Selected, device: Any) -> Graph:
    """Return nodes as vertices, and edges between them; an end that is no node is a TableError.

    Parameters
    ----------
    nodes, edges : Selected
        One column of ids, and two.
    device : optional
        As for :func:`pointerjump.components`.
    """
    ids, (rows, *ends) = numbered_columns([nodes, edges], device, name="nodes and edges")
    known = np.zeros(len(ids), np.bool_)
    known[rows] = True
    for field, end in zip(edges.schema, ends, strict=True):
        if (unknown := ~known[end]).any():
            row = int(unknown.argmax())
            id = ids[end[row]].as_py()
            raise TableError(
                f"{edges.name}: column {field.name!r} has {id!r} in row {row}, which is not an id of a node: "
                "add the node, or leave such edges out"
            )
    type = value_type(nodes.schema.field(0).type)
    return Graph(ids.cast(type), rows, *ends)
