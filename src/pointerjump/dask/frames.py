"""The frames of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.errors import TableError

if TYPE_CHECKING:
    import pyarrow as pa


def frame_like(like: Any, rows: pa.Table) -> Any:
    """Return a frame with the types of `like`, numbered from 0 on.

    Raises
    ------
    TableError
        If the ids do not have the type that Dask was told.
    """
    frame = rows.to_pandas()
    frame.index = np.arange(len(frame))
    told = like.dtypes["id"]
    try:
        cast = frame.astype(like.dtypes.to_dict())
        same = frame["id"].dtype.kind not in "iu" or (cast["id"] == frame["id"]).all()
    except (TypeError, ValueError, OverflowError):
        same = False
    if not same:
        raise TableError(
            f"the ids are {rows['id'].type}, but Dask was told that they are {told}: give its true meta"
        )
    return cast
