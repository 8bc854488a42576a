"""Explanations of clusters: the rows that connect two ids, and the rows whose removal splits a cluster."""

from __future__ import annotations

from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.base.edges import EdgeList, VertexArray
from pointerjump.base.graph import Graph
from pointerjump.errors import GraphError
from pointerjump.solving.biconnected import find_bridges
from pointerjump.solving.run import REFERENCE, Order, order
from pointerjump.solving.spanning_forests import earliest_forest
from pointerjump.solving.trees import RootedForest, root

if TYPE_CHECKING:
    from pointerjump.ids.multigraphs import Multigraph


class Explanation:
    """Finds the rows of a table that connect given ids, and returns them as a table of the same kind."""

    def __init__(self, given: Multigraph, wanted: Order) -> None:
        self._given, self._wanted = given, wanted
        self._device = wanted.session or REFERENCE

    @cached_property
    def _joining(self) -> npt.NDArray[np.int64]:
        """The row indices of a spanning forest. Each row joins two ids that earlier rows do not connect."""
        return earliest_forest(self._given.edges, self._device)

    @cached_property
    def _forest(self) -> RootedForest:
        forest = EdgeList(*self._ends(self._joining), self._given.edges.vertices)
        return root(order("trees", "auto", self._device, {}), Graph.of_checked(forest), None)

    @cached_property
    def _bridges(self) -> npt.NDArray[np.int64]:
        return find_bridges(self._wanted, self._given.edges)[0]

    @property
    def stats(self) -> dict[str, Any]:
        """Statistics of the run that rooted the spanning forest, as in :attr:`Components.stats`."""
        return self._forest.stats

    def _ends(self, rows: npt.NDArray[np.int64]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        return self._given.edges.sources[rows], self._given.edges.targets[rows]

    @cached_property
    def _row_above(self) -> npt.NDArray[np.int64]:
        """The index of the row that connects each vertex to its parent, or -1 for a root."""
        parent, (us, vs) = self._forest.parent, self._ends(self._joining)
        row = np.full(len(parent), -1, np.int64)
        row[np.where(parent[us] == vs, us, vs)] = self._joining
        return row

    def why(self, id1: Any, id2: Any) -> Any:
        """Return the rows that connect two ids. See :meth:`TableComponents.why`."""
        u, v = self._vertex(id1), self._vertex(id2)
        way = self._forest.path(u, v)
        if len(way) == 0:
            raise GraphError(f"{id1!r} and {id2!r} are in different clusters: nothing joins them")
        above = self._forest.depth[way[:-1]] > self._forest.depth[way[1:]]
        lower: VertexArray = np.where(above, way[:-1], way[1:])
        return self._given.table(self._row_above[lower])

    def weak_links(self, id: Any) -> Any:
        """Return the bridges of an id's cluster. See :meth:`TableComponents.weak_links`."""
        forest = self._forest
        tree = forest.tree[self._vertex(id)]
        places = self._bridges[forest.tree[self._ends(self._bridges)[0]] == tree]
        us, vs = self._ends(places)
        is_left = forest.parent[us] == vs
        below = np.where(is_left, forest.size[us], forest.size[vs]).astype(np.int64)
        rest = forest.size[forest.roots[tree]] - below
        left, right = (f"{name}_size" for name in self._given.ends)
        return self._given.table(
            places, **{left: np.where(is_left, below, rest), right: np.where(is_left, rest, below)}
        )

    def _vertex(self, id: Any) -> int:
        names = self._given.names
        assert names is not None
        try:
            if names.dtype.kind == "M" and type(id) in (date, str):  # NumPy's dates never equal these
                id = np.datetime64(id)
            found = np.flatnonzero(names == id) if np.ndim(id) == 0 else np.empty(0, np.intp)
        except (TypeError, ValueError):
            found = np.empty(0, np.intp)
        if len(found) != 1:
            raise GraphError(f"the table has no id {id!r}: give one of its ids, of the same type")
        return int(found[0])
