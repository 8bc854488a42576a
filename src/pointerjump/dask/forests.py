"""Finds bridges and minimum spanning forests of a Dask DataFrame."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd

from pointerjump.dask.parts import require_options
from pointerjump.dask.workers import on_worker
from pointerjump.graphs.biconnectivity import bridges as find_bridges
from pointerjump.graphs.biconnectivity import two_edge_connected_components as find_groups
from pointerjump.graphs.spanning_forests import minimum_spanning_forest as find_forest
from pointerjump.ids.multigraphs import certificate_rows
from pointerjump.tables.open import Roles, open_table, pair_columns
from pointerjump.tables.where import as_conditions


def bridges(
    ddf: Any,
    source: str | None = None,
    target: str | None = None,
    *,
    where: Any = None,
    split_every: int = 8,
    device: str | None = None,
) -> dd.DataFrame:
    """Find the bridges of a Dask DataFrame of pairs.

    A bridge is a row whose removal splits its component in two. The result is computed lazily. Each partition
    is first reduced to the rows of two spanning forests. The remaining rows of several partitions are then
    combined and reduced again. A single worker must therefore have enough memory for two rows per id. It must
    also be able to hold one partition or `split_every` intermediate results, whichever is larger.

    Parameters
    ----------
    ddf : dask.dataframe.DataFrame
        A table of pairs. Each row is a separate edge, as for :func:`pointerjump.bridges`.
    source, target, where : optional
        As for :func:`pointerjump.bridges`.
    split_every : int
        The maximum number of intermediate results that one task merges.
    device : str, optional
        As for :func:`pointerjump.dask.components`.

    Returns
    -------
    dask.dataframe.DataFrame
        The bridges in the order of the table, in a single partition with a new index.

    Raises
    ------
    TableError
        If `ddf` is not a Dask DataFrame, if a column is missing, or if an option is invalid. Errors during
        the computation are the same as for :func:`pointerjump.bridges`.
    DeviceError, MemoryLimitError
        Raised during the computation. The message names the worker and the device.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> import pointerjump.dask
    >>> pairs = pd.DataFrame({"left": [1, 2, 3, 3], "right": [2, 3, 1, 4]})
    >>> pointerjump.dask.bridges(dd.from_pandas(pairs, npartitions=2)).compute().values.tolist()
    [[3, 4]]
    """
    roles, like = _checked(ddf, Roles(source, target), where, split_every, device), ddf._meta
    rows = partial(_rows, certificate_rows, like, device, roles=roles)
    found = partial(_rows, find_bridges, like, device, source=roles.source, target=roles.target)
    return _merged(ddf, partial(rows, where=where), rows, found, like, split_every)


def two_edge_connected_components(
    ddf: Any,
    source: str | None = None,
    target: str | None = None,
    *,
    where: Any = None,
    split_every: int = 8,
    device: str | None = None,
) -> dd.DataFrame:
    """Find the two-edge-connected components of a Dask DataFrame of pairs.

    A two-edge-connected component stays connected when any one of its rows is removed. Parameters and errors
    are the same as for :func:`pointerjump.dask.bridges`.

    Returns
    -------
    dask.dataframe.DataFrame
        The columns are ``id``, ``component`` (the smallest id of the component) and ``size``. Each id appears
        once, in ascending order. The result has a single partition.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> import pointerjump.dask
    >>> pairs = dd.from_pandas(pd.DataFrame({"left": [1, 2, 3, 3], "right": [2, 3, 1, 4]}), npartitions=2)
    >>> found = pointerjump.dask.two_edge_connected_components(pairs)
    >>> found.compute()["component"].tolist()
    [1, 1, 1, 4]
    """
    roles = _checked(ddf, Roles(source, target), where, split_every, device)
    ids = ddf._meta[roles.source]
    like = pd.DataFrame({"id": ids, "component": ids, "size": pd.Series([], dtype="int64")})
    rows = partial(_rows, certificate_rows, ddf._meta, device, roles=roles)
    found = partial(_rows, _groups, like, device, source=roles.source, target=roles.target)
    return _merged(ddf, partial(rows, where=where), rows, found, like, split_every)


def minimum_spanning_forest(
    ddf: Any,
    source: str | None = None,
    target: str | None = None,
    *,
    weight: str,
    maximum: bool = False,
    where: Any = None,
    split_every: int = 8,
    device: str | None = None,
) -> dd.DataFrame:
    """Find the minimum spanning forest of a Dask DataFrame of weighted pairs.

    The result is computed lazily. Each partition is first reduced to the rows of its own minimum spanning
    forest. The remaining rows of several partitions are then combined and reduced again. Among rows with
    equal weights, those that come first in the table are preferred. Errors are the same as for
    :func:`pointerjump.dask.bridges`.

    Parameters
    ----------
    ddf : dask.dataframe.DataFrame
    split_every, device : optional
        As for :func:`pointerjump.dask.bridges`.
    weight : str
        The column with the weights.
    source, target, maximum, where : optional
        As for :func:`pointerjump.minimum_spanning_forest`.

    Returns
    -------
    dask.dataframe.DataFrame
        The two ids and the weight of each row in the forest, in the order of the table. The result has a
        single partition and a new index.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> import pointerjump.dask
    >>> pairs = pd.DataFrame({"left": [1, 2, 3], "right": [2, 3, 1], "distance": [0.5, 0.1, 0.2]})
    >>> pairs = dd.from_pandas(pairs, npartitions=2)
    >>> pointerjump.dask.minimum_spanning_forest(pairs, weight="distance").compute().values.tolist()
    [[2.0, 3.0, 0.1], [3.0, 1.0, 0.2]]
    """
    roles = _checked(ddf, Roles(source, target), where, split_every, device, weight)
    how = {"source": roles.source, "target": roles.target, "weight": weight, "maximum": maximum}
    like = ddf._meta[[roles.source, roles.target, weight]]
    rows = partial(_rows, _forest_rows, like, device, **how)
    return _merged(ddf, partial(rows, where=where), rows, rows, like, split_every)


def _checked(ddf: Any, roles: Roles, where: Any, split_every: int, device: Any, *more: str) -> Roles:
    require_options(ddf, split_every, device)
    opened = open_table(ddf._meta)
    ends = pair_columns(opened, roles.source, roles.target)
    opened.types([*ends, *more, *(condition.column for condition in as_conditions(where))])
    return Roles(*ends)


def _merged(ddf: Any, first: Any, next: Any, last: Any, like: Any, split_every: int) -> dd.DataFrame:
    return ddf.reduction(first, aggregate=last, combine=next, meta=like, split_every=split_every)


def _rows(work: Any, like: Any, device: str | None, frame: Any, **how: Any) -> Any:
    """Call `work` on a frame, and cast Booleans, numbers and times in the result to the dtypes of `like`."""
    found = on_worker(partial(work, **how), device, frame)
    told = {name: type for name, type in like.dtypes.items() if type.kind in "biufmM"}
    return found.astype(told).reset_index(drop=True)


def _groups(frame: Any, **how: Any) -> pd.DataFrame:
    found = find_groups(frame, **how)
    assert found.names is not None
    first = np.unique(found.labels, return_index=True)[1]
    columns = {"id": found.names, "component": found.names[first[found.labels]]}
    return pd.DataFrame({**columns, "size": found.sizes[found.labels]})


def _forest_rows(frame: Any, **how: Any) -> Any:
    return find_forest(frame, **how).table()
