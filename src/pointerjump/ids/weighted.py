"""Tables of pairs with weights: ids become vertices, and edges become rows again."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.weighted import Weighted, Weights
from pointerjump.ids.interning import numbered_columns
from pointerjump.solving.spanning_forests import TableOfEdges, checked_weights
from pointerjump.tables.ids import value_type
from pointerjump.tables.open import Roles, open_table, pairs_with_numbers


def weighted_of_table(
    table: Any, roles: Roles, column: str, where: Any, maximum: bool, device: Any
) -> tuple[Weighted, TableOfEdges]:
    """Return a table's pairs as edges with the weights in a column, and what makes a table of edges.

    Parameters are as for :func:`minimum_spanning_forest`. Ids are numbered in ascending order.
    """
    import pyarrow as pa

    parts: list[npt.NDArray[Any]] = []
    given = pairs_with_numbers(open_table(table), roles, column, where, "weight", parts.append)
    ids, (left, right) = numbered_columns([given], device)
    names = ids.to_numpy(zero_copy_only=False)
    graph = Graph.of_edges(left, right, len(ids), names=names)
    weights = np.concatenate(parts) if parts else np.empty(0)

    def table_of(edges: VertexArray, of_edges: Weights) -> Any:
        columns = {}
        for field, ends in zip(given.schema, edges.T, strict=True):
            columns[field.name] = ids.take(pa.array(ends))
            with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):  # in a type that both columns have
                columns[field.name] = columns[field.name].cast(value_type(field.type))
        return given.like_given(pa.table({**columns, column: of_edges}))

    return Weighted(graph, checked_weights(weights, len(left)), bool(maximum)), table_of
