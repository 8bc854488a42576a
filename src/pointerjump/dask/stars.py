"""The method "stars", for more ids than a worker can hold: large-star and small-star (Kiveris et al., 2014).

Edges are rows of two ids. Dask's shuffles bring all edges of an id to one partition. There they become edges
to the id's smallest neighbor, without repetitions, larger id first. At the end, every id has one edge, to the
smallest id of its component. Then all ids of a component are brought to one partition and counted.

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
COUNTED = dict.fromkeys(("ids_not_in_stars", "rows", "bytes"), "int64")  # rows are edges in both directions


def stars(tasks: Tasks, forests: list[Key], partitions: int, ids: pa.DataType) -> dd.DataFrame:
    """Find the components of some forests; return columns id, neighbor and size, in `partitions` partitions.

    An id's neighbor is its component. Rounds are computed immediately, until edges are stars; the result is
    lazy.
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
    """Return an edge from each id of a forest to its root. Loops of roots are ignored."""
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
    if pa.types.is_fixed_size_binary(rows["id"].type):  # Dask's shuffle does not take these
        rows = rows.cast(pa.schema([(name, pa.large_binary()) for name in rows.column_names]))
    return rows.to_pandas(types_mapper=pd.ArrowDtype)


def _edges(ids: Any, neighbors: Any) -> pa.Table:
    return pa.table({"id": ids, "neighbor": neighbors})


# -- steps: except for the first two, each gets all rows of an id -------------------------------------


def roots(edges: pa.Table) -> pa.Table:
    return edges.filter(pc.equal(edges["id"], edges["neighbor"]))


def both_ways(edges: pa.Table) -> pa.Table:
    """Return edges in both directions, so that the partitions of both ends get them."""
    edges = edges.filter(pc.not_equal(edges["id"], edges["neighbor"]))
    return pa.concat_tables([edges, _edges(edges["neighbor"], edges["id"])])


class _Ranked(NamedTuple):
    """Edges between the ranks of sorted ids; and the smallest of each id and its neighbors."""

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
        """Return edges between ranks as rows of ids, without repetitions."""
        one, other = np.divmod(distinct(u * len(self.ids) + v), max(1, len(self.ids)))
        return _edges(self.ids.take(one), self.ids.take(other))


def crooked(edges: pa.Table) -> int:
    """Count the ids outside stars: those with larger and smaller neighbors, or with several smaller ones."""
    ids, u, v, least = _Ranked.of(edges)
    has_several_smaller, has_larger = np.zeros((2, len(ids)), np.bool_)
    has_several_smaller[u[(v < u) & (v != least[u])]] = True
    has_larger[u[v > u]] = True
    return int(np.count_nonzero(has_several_smaller | ((least < np.arange(len(ids))) & has_larger)))


def large_star(edges: pa.Table) -> pa.Table:
    """Return edges from each larger neighbor to the smallest one, given edges in both directions."""
    ranked = _Ranked.of(edges)
    larger = ranked.v > ranked.u
    return ranked.once(ranked.v[larger], ranked.least[ranked.u[larger]])


def small_star(edges: pa.Table) -> pa.Table:
    """Return edges from an id and its smaller neighbors to the smallest one, given the edges to them."""
    ranked = _Ranked.of(edges)
    least = ranked.least[ranked.u]
    other = ranked.v != least
    return ranked.once(np.append(ranked.u, ranked.v[other]), np.append(least, least[other]))


def named(edges: pa.Table) -> pa.Table:
    """Return each id with the smallest of itself and its neighbors: in stars, its component's name."""
    ranked = _Ranked.of(edges)
    return ranked.once(ranked.u, ranked.least[ranked.u])


def sized(rows: pa.Table) -> pa.Table:
    """Return ids and components with the components' sizes, given all rows of each component."""
    component: Any = rows["neighbor"].combine_chunks().dictionary_encode().indices.to_numpy()
    return rows.append_column("size", [np.bincount(component, minlength=1)[component]])
