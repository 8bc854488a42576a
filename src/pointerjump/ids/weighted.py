"""Converts inputs to edges with weights, and converts the edges of a table back to rows."""

from __future__ import annotations

from contextlib import suppress
from math import isnan
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base.arrow import pa
from pointerjump.base.edges import EdgeList, Ids, VertexArray
from pointerjump.base.graph import Graph, require_sound_blocks
from pointerjump.base.weighted import Weighted, Weights
from pointerjump.errors import GraphError, TableError
from pointerjump.formats.files import are_paths, naming
from pointerjump.ids.interning import Numbers
from pointerjump.ids.kept_rows import kept_rows
from pointerjump.solving.inputs import as_graph, classify
from pointerjump.solving.run import order
from pointerjump.solving.spanning_forests import TableOfEdges, checked_weights, find_minimum_forest
from pointerjump.tables.ids import value_type
from pointerjump.tables.open import Roles, open_table, pairs_with_numbers


def weighted_of(
    graph: Any,
    weights: npt.ArrayLike | None = None,
    maximum: bool = False,
    *,
    weight: str | None = None,
    roles: Roles | None = None,
    where: Any = None,
    vertices: int | None = None,
    ids: Ids | None = None,
    numbering: Any = None,
    whole: bool = False,
    **reading: Any,
) -> tuple[Weighted, TableOfEdges | None]:
    """Convert any input of :func:`minimum_spanning_forest` to a graph with weights.

    If `graph` is a table, its ids are numbered on the device that `numbering` names. In that case, a
    `TableOfEdges` is also returned, which converts edges to a table. If the table is large, only a subset of
    its rows that contains the forest is kept, unless `whole` is set.
    """
    numbers = vertices is not None or ids is not None or weights is not None
    roles = roles or Roles()
    columns = any(each is not None for each in (*roles, where))
    kind, what = given = classify(graph, columns=columns, numbers=numbers)
    if weight is not None and weights is not None:
        raise GraphError(f"there are both weights and weight={weight!r}: leave one of the two out")
    if kind == "table" or (kind == "files" and weight is not None):
        if weights is not None or numbers:
            raise GraphError("weights, vertices and ids are for graphs, and this is a table: leave them out")
        if weight is None:
            raise TableError("the weights of a table are in a column: name it with weight= (--weight)")
        return _weighted_of_table(what, roles, weight, where, maximum, numbering, whole=whole)
    named: Any = hasattr(what, "is_multigraph") and hasattr(what, "adj")
    if weight is not None and not named:
        of_type = f"{type(what).__module__}.{type(what).__name__}".removeprefix("builtins.")
        raise GraphError(
            f"weight={weight!r} names a column of a table or an attribute of a NetworkX graph, and this is a "
            f"{of_type}: give weights, one for each edge"
        )
    if kind == "files" and weights is None:
        from pointerjump.formats import read_weighted

        if are_paths(what):
            raise GraphError("weights are read from one file: name one, or the weights' column with weight=")
        read, of_file = read_weighted(what, vertices=vertices, ids=ids or "auto", **reading)
        with naming(what):
            return Weighted(read, checked_weights(of_file, len(of_file)), bool(maximum)), None
    if weights is None and kind == "matrix":
        given, weights = _in_place(what)
    elif weights is None and named:
        triples = list(what.edges(data=weight or "weight", default=1))
        weights = [each for *_, each in triples]
        for u, v, each in triples:
            if isinstance(each, float) and isnan(each):
                raise GraphError(f"edge ({u!r}, {v!r}) has the weight NaN: remove it, or give it a weight")
    made = as_graph(given, vertices=vertices, ids=ids, **reading)
    edges = made.edges_as_read
    stored = len(edges.sources) if edges else made.directed_edges
    if weights is None:
        raise GraphError("there are no weights: give weights, one for each edge, or use spanning_forest")
    return Weighted(made, checked_weights(weights, stored), bool(maximum)), None


def _weighted_of_table(
    table: Any, roles: Roles, column: str, where: Any, maximum: bool, device: Any, *, whole: bool
) -> tuple[Weighted, TableOfEdges]:
    """Return a table's pairs as weighted edges, and a `TableOfEdges`. Ids are numbered in ascending order."""
    parts: list[npt.NDArray[Any]] = []  # the weights of the rows kept so far
    given = pairs_with_numbers(open_table(table), roles, column, where, "weight", parts.append)

    def weights_so_far() -> Weights:
        joined = np.concatenate(parts) if parts else np.empty(0)
        try:
            return checked_weights(joined, len(joined))
        except GraphError as error:
            raise TableError(f"{given.name}: column {column!r}: {error}") from error

    def merge(n: int, us: Numbers, vs: Numbers) -> npt.NDArray[np.int64]:
        rows = Weighted(Graph.of_checked(EdgeList(us, vs, n)), weights_so_far(), maximum)
        return find_minimum_forest(order("minimum-spanning-forest", "auto", device, {}), rows).places

    def keep(stays: npt.NDArray[np.bool_]) -> None:
        parts[:] = [np.concatenate(parts)[stays]]

    rows, ids, (left, right) = kept_rows(given, given.schema.names, merge, device, keep, whole=whole)
    names = ids.to_numpy(zero_copy_only=False)
    graph = Graph.of_edges(left, right, len(ids), names=names)
    weights = weights_so_far()

    def table_of(edges: VertexArray, of_edges: Weights) -> Any:
        columns = {}
        for field, ends in zip(given.schema, edges.T, strict=True):
            columns[field.name] = ids.take(pa.array(ends))
            with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):  # ids have a common type
                columns[field.name] = columns[field.name].cast(value_type(field.type))
        return given.like_given(pa.table({**columns, column: of_edges}))

    return Weighted(graph, weights, bool(maximum)), TableOfEdges(table_of, rows.places, rows.read)


def _in_place(matrix: Any) -> tuple[Any, Weights]:
    """Convert a scipy matrix to a format that keeps the order of its entries. Also return their values."""
    if matrix.format == "bsr":
        require_sound_blocks(matrix)
        matrix = matrix.tocsr()
        matrix.eliminate_zeros()
    elif matrix.format not in ("csr", "csc", "coo"):
        matrix = matrix.tocoo()
    return matrix, matrix.data[: matrix.nnz]
