"""Large-star and small-star: components of edges that no machine holds (Kiveris et al., SoCC 2014).

Edges are rows of two ids. The engine brings all edges of an id to one place, and there they become edges
to its smallest neighbor. Both steps keep what is connected. When nothing is left to do, every id has one
edge, to the smallest id of its component.

    large-star(u):   m = the smallest of u and its neighbors;      for each larger neighbor v: emit (v, m)
    small-star(u):   m = the smallest of u and its neighbors;      for u and each smaller one v: emit (v, m)

Each step may be given any number of ids at once, and edges twice. It returns edges once, larger id first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.parts.forests import PartForest

if TYPE_CHECKING:
    import pyarrow as pa

Ranks = npt.NDArray[np.int64]


def edges_of(forest: PartForest) -> pa.Table:
    """Return the edges from every id of a forest to its root, which is the smallest id."""
    child = np.flatnonzero(forest.root != np.arange(len(forest.root), dtype=np.int32))
    return _table(forest.ids.take(child), forest.ids.take(forest.root[child]))


def roots_of(forest: PartForest) -> pa.Table:
    """Return a row for every root, from itself to itself."""
    root = np.flatnonzero(forest.root == np.arange(len(forest.root), dtype=np.int32))
    ids = forest.ids.take(root)
    return _table(ids, ids)


def both_ways(edges: pa.Table) -> pa.Table:
    """Return edges in both directions, so that both ends' places see them."""
    import pyarrow as pa

    back = _table(edges["neighbor"], edges["id"])
    return pa.concat_tables([edges, back])


class _Ranked(NamedTuple):
    """Edges by the ranks of their ids: smaller ids have smaller ranks."""

    ids: pa.Array[Any]
    u: Ranks
    v: Ranks

    def edges(self, larger: Sequence[Ranks], smaller: Sequence[Ranks]) -> pa.Table:
        """Return edges between ranks, each once."""
        of, to = np.concatenate(larger), np.concatenate(smaller)
        once = np.unique(of * len(self.ids) + to)
        return _table(
            self.ids.take(once // max(1, len(self.ids))), self.ids.take(once % max(1, len(self.ids)))
        )


def _ranked(edges: pa.Table) -> _Ranked:
    import pyarrow as pa
    import pyarrow.compute as pc

    both = pa.chunked_array([*edges["id"].chunks, *edges["neighbor"].chunks], edges.schema.field("id").type)
    encoded: Any = both.combine_chunks().dictionary_encode()
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    ends = rank[encoded.indices.to_numpy()]
    return _Ranked(encoded.dictionary.take(order), ends[: len(edges)], ends[len(edges) :])


def crooked(edges: pa.Table) -> int:
    """Return at how many ids edges are not yet stars. All edges of an id are given, as seen from it.

    In a star each id has larger neighbors, or a single smaller one.
    """
    ids, u, v = _ranked(edges)
    up, down = v > u, v < u
    least = np.full(len(ids), len(ids), np.int64)
    np.minimum.at(least, u[down], v[down])
    several = np.zeros(len(ids), np.bool_)
    several[u[down][v[down] != least[u[down]]]] = True
    both = np.zeros(len(ids), np.bool_)
    both[u[up]] = True
    return int(np.count_nonzero(several | (both & (least < len(ids)))))


def large_star(edges: pa.Table) -> pa.Table:
    """Return edges from larger neighbors to the smallest one. All edges of an id are given, seen from it."""
    ranked = _ranked(edges)
    ids, u, v = ranked
    least = np.arange(len(ids))
    np.minimum.at(least, u, v)
    larger = v > u
    return ranked.edges([v[larger]], [least[u[larger]]])


def small_star(edges: pa.Table) -> pa.Table:
    """Return edges from an id and its smaller neighbors to the smallest one. Those of an id are all given."""
    ranked = _ranked(edges)
    ids, u, v = ranked
    least = np.arange(len(ids))
    np.minimum.at(least, u, v)
    neighbor = v != least[u]
    return ranked.edges([u, v[neighbor]], [least[u], least[u[neighbor]]])


def least_of(rows: pa.Table) -> pa.Table:
    """Return each id with its smallest neighbor: in stars, its component. An id's rows are all given."""
    ids, u, v = _ranked(rows)
    least = np.full(len(ids), len(ids), np.int64)
    np.minimum.at(least, u, v)
    there = np.flatnonzero(least < len(ids))
    return _table(ids.take(there), ids.take(least[there]))


def sized(rows: pa.Table) -> pa.Table:
    """Return ids with their component and its size. All rows of a component are given."""
    import pyarrow as pa

    encoded: Any = rows["neighbor"].combine_chunks().dictionary_encode()
    code = encoded.indices.to_numpy()
    size = np.bincount(code, minlength=len(encoded.dictionary))[code] if len(code) else np.empty(0, np.int64)
    return pa.table({"id": rows["id"], "component": rows["neighbor"], "size": pa.array(size, pa.int64())})


def _table(ids: Any, neighbors: Any) -> pa.Table:
    import pyarrow as pa

    return pa.table({"id": ids, "neighbor": neighbors})
