"""The "stars" method of Kiveris et al. (2014), which finds components of more ids than fit on one worker.

Edges are rows of two ids. In each step, Dask's shuffle moves all edges of an id to the same partition. There,
they are replaced by edges that lead to the smallest of the id and its neighbors. Duplicates are dropped, and
the larger id of each edge comes first. In the end, every id has a single edge, which leads to the smallest id
of its component. All ids of a component are then moved to the same partition and counted.

    large-star(u):   m = the smallest of u and its neighbors;      for each larger neighbor v: emit (v, m)
    small-star(u):   m = the smallest of u and its neighbors;      for u and each smaller one v: emit (v, m)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import dask
import dask.dataframe as dd
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pointerjump.base.integers import distinct
from pointerjump.dask.parts import Key, Tasks
from pointerjump.dask.workers import tell
from pointerjump.graphs.parallel import PartForest

IdRanks = npt.NDArray[np.int64]
COUNTED = dict.fromkeys(("ids_not_in_stars", "rows", "bytes"), "int64")  # an edge counts as two rows


def stars(tasks: Tasks, forests: list[Key], partitions: int, ids: pa.DataType) -> dd.DataFrame:
    """Find the components of the ids in `forests` in rounds of large-star and small-star steps.

    Rounds are computed eagerly until every component is a star. The final result is lazy. It has the columns
    ``id``, ``neighbor`` (the label of the id's component) and ``size``.
    """
    meta = _frame(_edges(pa.array([], ids), pa.array([], ids)))

    def step(frame: dd.DataFrame, name: str, work: Callable[[pa.Table], pa.Table]) -> dd.DataFrame:
        return frame.map_partitions(partial(_stepped, work), meta=meta, token=name)

    def shuffled(frame: dd.DataFrame, by: str = "id") -> dd.DataFrame:
        return frame.shuffle(on=by, npartitions=partitions)

    keys = [tasks("edges-of-forest", _edges_of, forest) for forest in forests]
    edges = of_forests = dd.from_graph(tasks.graph, meta, (None,) * (len(keys) + 1), keys, "edges-of-forest")
    rounds = 0
    while True:
        (both,) = dask.persist(shuffled(step(edges, "edges-both-ways", both_ways)))
        counted = both.map_partitions(_counted, meta=COUNTED, token="count-crooked").sum().compute()
        tell(method="stars", round=rounds, **{name: int(counted[name]) for name in COUNTED})
        if not counted["ids_not_in_stars"]:
            break
        large = shuffled(step(both, "large-star", large_star))
        (edges,) = dask.persist(step(large, "small-star", small_star))
        rounds += 1
    edges_and_roots = shuffled(dd.concat([edges, step(of_forests, "roots-of-forest", roots)]))
    found = shuffled(step(edges_and_roots, "name-components", named), by="neighbor")
    meta = meta.assign(size=np.empty(0, np.int64))
    return found.map_partitions(partial(_stepped, sized), meta=meta, token="count-sizes")


def _edges_of(forest: PartForest) -> pd.DataFrame:
    """Return an edge from each id of a forest to its root, including a loop at each root."""
    return _frame(_edges(forest.ids, forest.ids.take(forest.root)))


def _stepped(work: Callable[[pa.Table], pa.Table], frame: pd.DataFrame) -> pd.DataFrame:
    return _frame(work(_rows(frame)))


def _counted(frame: pd.DataFrame) -> pd.DataFrame:
    rows = _rows(frame)
    counted = {"ids_not_in_stars": crooked(rows), "rows": len(rows), "bytes": rows.nbytes}
    return pd.DataFrame(counted, index=[0], dtype="int64")


def _rows(frame: pd.DataFrame) -> pa.Table:
    return _edges(pa.array(frame["id"]), pa.array(frame["neighbor"]))


def _frame(rows: pa.Table) -> pd.DataFrame:
    if pa.types.is_fixed_size_binary(rows["id"].type):  # Dask's shuffle does not support these
        rows = rows.cast(pa.schema([(name, pa.large_binary()) for name in rows.column_names]))
    return rows.to_pandas(types_mapper=pd.ArrowDtype)


def _edges(ids: Any, neighbors: Any) -> pa.Table:
    return pa.table({"id": ids, "neighbor": neighbors})


# -- steps: except for the first two, each receives all rows of an id ---------------------------------


def roots(edges: pa.Table) -> pa.Table:
    return edges.filter(pc.equal(edges["id"], edges["neighbor"]))


def both_ways(edges: pa.Table) -> pa.Table:
    """Drop loops, and return each edge in both directions, so that it reaches the partitions of both ends."""
    edges = edges.filter(pc.not_equal(edges["id"], edges["neighbor"]))
    return pa.concat_tables([edges, _edges(edges["neighbor"], edges["id"])])


class _Ranked(NamedTuple):
    """Edges between ids. Each id is given by its rank in ascending order.

    For each id, `least` is the lowest rank among the id itself and its neighbors.
    """

    ids: pa.Array[Any]
    u: IdRanks
    v: IdRanks
    least: IdRanks

    @classmethod
    def of(cls, edges: pa.Table) -> _Ranked:
        both = pa.chunked_array([*edges["id"].chunks, *edges["neighbor"].chunks], edges["id"].type)
        encoded: Any = both.combine_chunks().dictionary_encode()
        order = pc.sort_indices(encoded.dictionary).to_numpy()
        rank, least = np.empty(len(order), np.int64), np.arange(len(order))
        rank[order] = least
        u, v = np.split(rank[encoded.indices.to_numpy()], 2)
        np.minimum.at(least, u, v)
        return cls(encoded.dictionary.take(order), u, v, least)

    def once(self, u: IdRanks, v: IdRanks) -> pa.Table:
        """Convert the ends of edges from ranks to ids, and drop duplicates."""
        one, other = np.divmod(distinct(u * len(self.ids) + v), max(1, len(self.ids)))
        return _edges(self.ids.take(one), self.ids.take(other))


def crooked(edges: pa.Table) -> int:
    """Count the ids that do not fit into a star.

    Such an id has several smaller neighbors, or it has both smaller and larger neighbors.
    """
    ids, u, v, least = _Ranked.of(edges)
    has_several_smaller, has_larger = np.zeros((2, len(ids)), np.bool_)
    has_several_smaller[u[(v < u) & (v != least[u])]] = True
    has_larger[u[v > u]] = True
    return int(np.count_nonzero(has_several_smaller | ((least < np.arange(len(ids))) & has_larger)))


def large_star(edges: pa.Table) -> pa.Table:
    """Connect each id's larger neighbors to the smallest of the id and its neighbors.

    `edges` must contain each edge in both directions.
    """
    ranked = _Ranked.of(edges)
    larger = ranked.v > ranked.u
    return ranked.once(ranked.v[larger], ranked.least[ranked.u[larger]])


def small_star(edges: pa.Table) -> pa.Table:
    """Connect each id and its smaller neighbors to the smallest neighbor.

    All edges in `edges` must lead from the larger id to the smaller one.
    """
    ranked = _Ranked.of(edges)
    least = ranked.least[ranked.u]
    other = ranked.v != least
    return ranked.once(np.append(ranked.u, ranked.v[other]), np.append(least, least[other]))


def named(edges: pa.Table) -> pa.Table:
    """Pair each id with the smallest of itself and its neighbors. In stars, this is the component's label."""
    ranked = _Ranked.of(edges)
    return ranked.once(ranked.u, ranked.least[ranked.u])


def sized(rows: pa.Table) -> pa.Table:
    """Add a column with the size of each row's component. All rows of a component must be in `rows`."""
    component: Any = rows["neighbor"].combine_chunks().dictionary_encode().indices.to_numpy()
    return rows.append_column("size", [np.bincount(component, minlength=1)[component]])
