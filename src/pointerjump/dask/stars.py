"""The method "stars": large-star and small-star by Dask's shuffles, for more ids than one worker holds.

In the end all ids of a component are in one partition, so one worker must hold those of the largest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd

from pointerjump.dask.frames import frame_like
from pointerjump.dask.graphs import Key, Tasks
from pointerjump.dask.workers import tell
from pointerjump.parts import stars as steps
from pointerjump.parts.sightings import hashes_of

if TYPE_CHECKING:
    import pyarrow as pa

HASH = "hash"
"""The column that rows are shuffled by."""

COUNTED = dict.fromkeys(("ids_not_in_stars", "rows", "bytes"), "int64")
"""What is counted in each round: rows are edges, in both directions."""


def stars(tasks: Tasks, forests: list[Key], partitions: int, ids: pa.DataType, like: Any) -> dd.DataFrame:
    """Find the components of some forests, and return them as so many partitions.

    Rounds are computed here, until edges are stars. The rows of the result are not.

    Parameters
    ----------
    tasks : Tasks
    forests : list of keys
        The tasks that return forests.
    partitions : int
        How many partitions edges are divided into, and the result too.
    ids : pyarrow DataType
        The type of the result's ids.
    like : DataFrame
        A frame without rows that has the result's types.
    """
    meta = _frame(_empty(ids))

    def rows(name: str, work: Callable[..., pa.Table]) -> dd.DataFrame:
        keys = [tasks(name, partial(_of_forest, work), forest) for forest in forests]
        return dd.from_graph(tasks.graph, meta, (None,) * (len(keys) + 1), keys, name)

    def step(frame: dd.DataFrame, name: str, work: Callable[..., pa.Table]) -> dd.DataFrame:
        return frame.map_partitions(partial(_stepped, work), meta=meta, token=name)

    def shuffled(frame: dd.DataFrame) -> dd.DataFrame:
        return frame.shuffle(on=HASH, npartitions=partitions)

    edges, rounds = rows("edges-of-forest", steps.edges_of), 0
    while True:
        (both_ways,) = dask.persist(shuffled(step(edges, "edges-both-ways", steps.both_ways)))
        counted = both_ways.map_partitions(_counted, meta=COUNTED, token="count-crooked").sum().compute()
        tell(method="stars", round=rounds, **{name: int(counted[name]) for name in COUNTED})
        if not counted["ids_not_in_stars"]:
            break
        large = shuffled(step(both_ways, "large-star", steps.large_star))
        (edges,) = dask.persist(step(large, "small-star", steps.small_star))
        rounds += 1

    edges_and_roots = shuffled(dd.concat([edges, rows("roots-of-forest", steps.roots_of)]))
    named = edges_and_roots.map_partitions(_named, meta=meta, token="name-components")
    return shuffled(named).map_partitions(partial(_sized, like, ids), meta=like, token="components")


def _of_forest(work: Callable[..., pa.Table], forest: Any) -> pd.DataFrame:
    return _frame(work(forest))


def _stepped(work: Callable[..., pa.Table], frame: pd.DataFrame) -> pd.DataFrame:
    return _frame(work(_rows(frame)))


def _counted(frame: pd.DataFrame) -> pd.DataFrame:
    rows = _rows(frame)
    counted = {"ids_not_in_stars": steps.crooked(rows), "rows": len(rows), "bytes": rows.nbytes}
    return pd.DataFrame(counted, index=[0], dtype="int64")


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return each id with its component, by the hash of the latter."""
    return _frame(steps.named(_rows(frame)), by="neighbor")


def _sized(like: Any, ids: pa.DataType, frame: pd.DataFrame) -> Any:
    rows = steps.sized(_rows(frame))
    for place, name in enumerate(("id", "component")):
        rows = rows.set_column(place, name, rows[name].cast(ids))
    return frame_like(like, rows)


def _frame(rows: pa.Table, by: str = "id") -> pd.DataFrame:
    """Return rows as Dask can shuffle them: with Arrow's types, and with the hash of one of the ids."""
    import pyarrow as pa

    if pa.types.is_fixed_size_binary(rows["id"].type):  # which Dask's shuffle does not take
        rows = rows.cast(pa.schema([(name, pa.large_binary()) for name in rows.column_names]))
    frame = rows.to_pandas(types_mapper=pd.ArrowDtype)
    frame[HASH] = hashes_of(rows[by].combine_chunks()).view(np.int64)
    return frame


def _rows(frame: pd.DataFrame) -> pa.Table:
    import pyarrow as pa

    return pa.table({name: pa.array(frame[name]) for name in ("id", "neighbor")})


def _empty(ids: pa.DataType) -> pa.Table:
    import pyarrow as pa

    return pa.table({"id": pa.array([], ids), "neighbor": pa.array([], ids)})
