"""Converts inputs to edges that may be parallel, and converts the edges of a table back to rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.arrow import pa
from pointerjump.base.edges import EdgeList, Ids, VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.integers import distinct
from pointerjump.errors import GraphError, PointerjumpWarning, TableError, warn_user
from pointerjump.ids.interning import Numbers
from pointerjump.ids.kept_rows import kept_rows
from pointerjump.solving.inputs import as_graph, classify
from pointerjump.solving.minimum_forest import Certificate, certificate_of_blocks
from pointerjump.tables.open import Roles, open_table, pair_columns

RowsOf = Callable[..., Any]  # returns rows by index, with additional columns, as a table of the input's kind
IdsOf = Callable[[VertexArray], Any]  # returns the ids of some vertices as a table of the input's kind

_BYTES_PER_EDGE = 40  # peak host memory for dropping repeated edges: keys and flags

_MULTIGRAPHS = ("get_edgelist", "iterEdges", "edge_list", "get_edges")
"""Methods that identify graphs of igraph, networkit, rustworkx and graph-tool, whose edges may be
parallel."""


class Multigraph(NamedTuple):
    """Edges that may be parallel, their vertices' names, and functions that return rows or ids as tables."""

    edges: EdgeList
    names: npt.NDArray[Any] | None  # the vertices' names, unless the input uses their numbers
    records: int  # the number of edges read, which is larger than that of `edges` if some were dropped
    rows_of: RowsOf | None = None
    ids_of: IdsOf | None = None
    ends: Sequence[str] = ()  # the names of the columns of ids

    def warn_if_doubled(self) -> None:
        """Warn if every edge occurs in both directions, because in that case, no edge is a bridge."""
        if self.records > len(self.edges.sources):
            return
        us, vs = (ends.astype(np.int64) for ends in (self.edges.sources, self.edges.targets))
        n = self.edges.vertices
        if not np.array_equal(np.bincount(us, minlength=n), np.bincount(vs, minlength=n)):
            return
        forth, back = (np.sort(a << 32 | b) for a, b in ((us, vs), (vs, us)))
        if (us != vs).any() and np.array_equal(forth, back):
            warn_user(
                "each edge is there in both directions, and parallel edges are no bridges: give each once, "
                "or make a graph by pj.Graph.from_edges(sources, targets)",
                PointerjumpWarning,
            )

    def table(self, places: npt.NDArray[np.int64], **more: npt.NDArray[Any]) -> Any:
        """Return the edges at `places` as a table, with the additional columns `more`.

        If the input is a table, the edges are returned as rows of that table. Otherwise, the columns are
        ``source`` and ``target``.
        """
        if self.rows_of is not None:
            return self.rows_of(places, **more)
        ends = (each[places] for each in (self.edges.sources, self.edges.targets))
        source, target = ends if self.names is None else (self.names[each] for each in ends)
        return pa.table({"source": source, "target": target, **more})


def multigraph_of(
    graph: Any,
    *,
    roles: Roles | None = None,
    where: Any = None,
    vertices: int | None = None,
    ids: Ids | None = None,
    numbering: Any = None,
    whole: bool = False,
    bridges: bool = False,
    **reading: Any,
) -> Multigraph:
    """Convert any input of :func:`biconnected_components` to edges.

    If `graph` is a table, its ids are numbered on the device that `numbering` names. If `whole` is true, all
    columns of the table are read; otherwise, only the ids are. If only `bridges` are wanted, edges may be
    passed in blocks. In that case, only a subset of the edges is returned, whose graph has the same bridges.
    """
    roles = roles or Roles()
    columns = any(each is not None for each in (*roles, where))
    numbers = vertices is not None or ids is not None
    kind, what = given = classify(graph, columns=columns, numbers=numbers)
    if kind == "table":
        if numbers:
            raise GraphError("vertices and ids are for graphs, and this is a table: leave them out")
        return multigraph_of_table(what, roles, where, numbering, whole=whole, bridges=bridges)
    if kind == "blocks":
        if not bridges:
            raise GraphError(
                "the edges come in blocks, of which only bridges and two-edge-connected components are "
                "found: give all edges at once"
            )
        if ids is not None:
            raise GraphError("the edges come in blocks, whose ids are numbers of vertices: leave ids out")
        kept, records = certificate_of_blocks(what, numbering, vertices)
        return Multigraph(kept, None, records)
    made = as_graph(given, vertices=vertices, ids=ids, **reading)
    edges = made.edges_as_read
    parallel = what.is_multigraph() if hasattr(what, "is_multigraph") else hasattr(what, "vcount")
    parallel = parallel or (kind == "graph" and any(hasattr(what, name) for name in _MULTIGRAPHS))
    if edges is None or not (kind == "edges" or parallel):
        edges = _each_once(made)
    return Multigraph(edges, made.names, len(edges.sources))


def _each_once(graph: Graph) -> EdgeList:
    """Return one edge for each pair of neighbors in a graph, in ascending order and without loops."""
    edges, n = graph.edges_as_read, graph.vertices
    us, vs = (edges.sources, edges.targets) if edges else (graph.sources, graph.neighbors)
    if not edges and graph.known_symmetric:
        up = us < vs
        us, vs = us[up], vs[up]
    memory.require(_BYTES_PER_EDGE * len(us), f"leaving out repeated ones of {len(us):,} edges")
    keys = np.minimum(us, vs).astype(np.int64)
    keys <<= 32
    keys |= np.maximum(us, vs).astype(np.int64)
    if not (keys[1:] > keys[:-1]).all():
        keys = distinct(keys)
    us, vs = (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)
    if len(loops := np.flatnonzero(us == vs)):
        us, vs = np.delete(us, loops), np.delete(vs, loops)
    return EdgeList(us, vs, n)


def multigraph_of_table(
    table: Any, roles: Roles, where: Any, device: Any, *, whole: bool = False, bridges: bool = False
) -> Multigraph:
    """Return a table's pairs as edges, in the order of the rows. Ids are numbered in ascending order."""
    opened = open_table(table)
    ends = list(pair_columns(opened, roles.source, roles.target))
    given = opened.select(opened.names if whole else ends, where, [ends])
    (rows, _, records), ids, (left, right) = kept_rows(
        given, ends, partial(_certificate, device), device, whole=not bridges
    )

    def rows_of(places: npt.NDArray[np.int64], **more: npt.NDArray[Any]) -> Any:
        found = rows.take(places).cast(given.schema)
        for name, column in more.items():
            if name in found.column_names:
                raise TableError(f"{given.name}: has a column {name!r} already: rename it")
            found = found.append_column(name, pa.array(column))
        return given.like_given(found)

    def ids_of(vertices: VertexArray) -> Any:
        return given.like_given(pa.table({"id": ids.take(vertices)}))

    edges = EdgeList(left, right, len(ids))
    return Multigraph(edges, ids.to_numpy(zero_copy_only=False), records, rows_of, ids_of, ends)


def certificate_rows(table: Any, roles: Roles, where: Any = None, device: Any = None) -> Any:
    """Return a small subset of a table's rows. Its graph has the same bridges as the graph of all rows.

    The two graphs still have the same bridges after the same rows are added to both.
    """
    assert roles.source is not None
    assert roles.target is not None
    opened, ends = open_table(table), [roles.source, roles.target]
    given = opened.select(opened.names, where, [ends])
    (rows, *_), *_ = kept_rows(given, ends, partial(_certificate, device), device, last=True)
    return given.like_given(rows)


def _certificate(device: Any, n: int, us: Numbers, vs: Numbers) -> npt.NDArray[np.int64]:
    made = Certificate(n, device=device)
    made._merge_block(us, vs)
    return made.places()
