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
    child = np.flatnonzero(~forest.is_root)
    return _table(forest.ids.take(child), forest.ids.take(forest.root[child]))


def roots_of(forest: PartForest) -> pa.Table:
    """Return a row for every root, from itself to itself."""
    ids = forest.ids.take(np.flatnonzero(forest.is_root))
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

    def least(self) -> Ranks:
        """Return the smallest of each id and its neighbors."""
        least = np.arange(len(self.ids))
        np.minimum.at(least, self.u, self.v)
        return least

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
    ranked = _ranked(edges)
    ids, u, v = ranked
    least = ranked.least()
    has_smaller = least < np.arange(len(ids))
    has_several_smaller, has_larger = np.zeros((2, len(ids)), np.bool_)
    has_several_smaller[u[(v < u) & (v != least[u])]] = True
    has_larger[u[v > u]] = True
    return int(np.count_nonzero(has_several_smaller | (has_smaller & has_larger)))


def large_star(edges: pa.Table) -> pa.Table:
    """Return edges from larger neighbors to the smallest one. All edges of an id are given, seen from it."""
    ranked = _ranked(edges)
    _, u, v = ranked
    least, larger = ranked.least(), v > u
    return ranked.edges([v[larger]], [least[u[larger]]])


def small_star(edges: pa.Table) -> pa.Table:
    """Return edges from an id and its smaller neighbors to the smallest one. Those of an id are all given."""
    ranked = _ranked(edges)
    _, u, v = ranked
    least = ranked.least()
    neighbor = v != least[u]
    return ranked.edges([u, v[neighbor]], [least[u], least[u[neighbor]]])


def named(rows: pa.Table) -> pa.Table:
    """Return each id with the smallest neighbor it has, itself included: in stars, its component's name.

    Rows are the edges of stars, and the roots' from themselves to themselves. An id's rows are all given.
    """
    ranked = _ranked(rows)
    ids, once = ranked.ids, np.unique(ranked.u)
    return _table(ids.take(once), ids.take(ranked.least()[once]))


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
