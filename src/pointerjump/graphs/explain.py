"""Why records are in one cluster: the rows that joined them, and the rows by which it hangs."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base.edges import EdgeList, VertexArray
from pointerjump.base.graph import Graph
from pointerjump.errors import GraphError
from pointerjump.ids.multigraphs import Multigraph, multigraph_of_table
from pointerjump.solving.biconnected import find_bridges
from pointerjump.solving.run import REFERENCE, Order, order
from pointerjump.solving.spanning_forests import earliest_forest
from pointerjump.solving.trees import RootedForest, root
from pointerjump.tables.open import Roles


def explain(
    table: Any, source: str | None = None, target: str | None = None, *, where: Any = None, device: Any = None
) -> Explanation:
    """Read a table of pairs, to explain the clusters that :func:`components` finds in it.

    Parameters
    ----------
    table, source, target, where, device
        As for :func:`components`. The table is read whole.

    Returns
    -------
    Explanation

    Raises
    ------
    TableError, FormatError, DeviceError
        As for :func:`components`.

    See Also
    --------
    components : Finds the clusters.
    bridges : The weak links of all clusters at once.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import pointerjump as pj
    >>> left, right = ["ann", "bob", "ann", "cal", "dee"], ["bob", "cal", "cal", "dee", "eve"]
    >>> e = pj.explain(pa.table({"left": left, "right": right}))
    >>> e.why("bob", "dee").to_pylist()
    [{'left': 'bob', 'right': 'cal'}, {'left': 'cal', 'right': 'dee'}]
    >>> e.weak_links("ann").to_pylist()[0]
    {'left': 'cal', 'right': 'dee', 'left_size': 3, 'right_size': 2}
    """
    wanted = order("bridges", "auto", device, {})
    numbering = wanted.session or REFERENCE
    given = multigraph_of_table(table, Roles(source, target), where, numbering, whole=True, bridges=True)
    return Explanation(given, wanted)


class Explanation:
    """What joined the ids of a table of pairs.

    Made by :func:`explain`. Its answers are tables of the kind that was given, with all columns.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import pointerjump as pj
    >>> pj.explain(pa.table({"left": [1, 5], "right": [5, 7]})).why(7, 1).to_pylist()
    [{'left': 5, 'right': 7}, {'left': 1, 'right': 5}]
    """

    def __init__(self, given: Multigraph, wanted: Order) -> None:
        self._given, self._wanted = given, wanted
        self._device = wanted.session or REFERENCE

    @cached_property
    def _joining(self) -> npt.NDArray[np.int64]:
        """The rows of a spanning forest: each joins what the rows before it have not."""
        return earliest_forest(self._given.edges, self._device)

    @cached_property
    def _forest(self) -> RootedForest:
        """The same forest, rooted."""
        forest = EdgeList(*self._ends(self._joining), self._given.edges.vertices)
        return root(order("trees", "auto", self._device, {}), Graph.of_checked(forest), None)

    @cached_property
    def _bridges(self) -> npt.NDArray[np.int64]:
        """The rows that are bridges, of all clusters."""
        return find_bridges(self._wanted, self._given.edges)[0]

    def _ends(self, rows: npt.NDArray[np.int64]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Return both ends of some rows."""
        return self._given.edges.sources[rows], self._given.edges.targets[rows]

    @cached_property
    def _row_above(self) -> npt.NDArray[np.int64]:
        """The row that joins each vertex to its parent."""
        parent, (us, vs) = self._forest.parent, self._ends(self._joining)
        row = np.full(len(parent), -1, np.int64)
        row[np.where(parent[us] == vs, us, vs)] = self._joining
        return row

    def why(self, id1: Any, id2: Any) -> Any:
        """Return the rows that join two ids, in order along the way from the first to the second.

        Of several ways there is one, whose rows stand early in the table. It need not be the shortest.

        Raises
        ------
        GraphError
            If the table has no such id, or if they are in different clusters.
        """
        u, v = self._vertex(id1), self._vertex(id2)
        way = self._forest.path(u, v)
        if len(way) == 0:
            raise GraphError(f"{id1!r} and {id2!r} are in different clusters: nothing joins them")
        above = self._forest.depth[way[:-1]] > self._forest.depth[way[1:]]
        lower: VertexArray = np.where(above, way[:-1], way[1:])
        return self._given.table(self._row_above[lower])

    def weak_links(self, id: Any) -> Any:
        """Return the rows by which a cluster hangs: without one of them, it would fall into two.

        Parameters
        ----------
        id : object
            Any id of the cluster.

        Returns
        -------
        table
            The rows that are bridges, in the order of the table. Two more columns, named after those of the
            ids, such as ``left_size`` and ``right_size``, say how many ids would stay with either end.

        Raises
        ------
        GraphError
            If the table has no such id.
        """
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
        """Return the number of an id."""
        names = self._given.names
        assert names is not None
        try:
            found = np.flatnonzero(names == id) if np.ndim(id) == 0 else np.empty(0, np.intp)
        except (TypeError, ValueError):
            found = np.empty(0, np.intp)
        if len(found) != 1:
            raise GraphError(f"the table has no id {id!r}: give one of its ids, of the same type")
        return int(found[0])

    def __repr__(self) -> str:
        return f"Explanation(ids={self._given.edges.vertices}, rows={len(self._given.edges.sources)})"
