"""Stages: buffers through which large integer arrays are copied to a device with its own memory.

Values are copied to a stage unchecked, and a kernel checks them there. Checking them on the host would take
longer than the copy. While kernels work on one stage, the next one is filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pointerjump.accel.runtime.session import Buffer, Session

STAGED = "a stage"
"""The name under which stages are borrowed from the session."""

STAGES = 2
"""The maximum number of stages in use at the same time."""

_BYTES, _SHARE = 1 << 28, 64
"""The maximum size of a stage is `_BYTES` bytes, or 1 / `_SHARE` of the device's memory if that is less."""


def stage_size(session: Session) -> int:
    return min(_BYTES, session.device.memory // _SHARE)


def filled_stage(session: Session, arrays: Sequence[np.ndarray[Any, Any]], dtype: np.dtype[Any]) -> Buffer:
    """Copy arrays to a stage, one after another, for use by commands that are enqueued later.

    After its last use, the stage must be returned with ``session.give_back(STAGED, stage)``.
    """
    stage = session.borrow(STAGED, stage_size(session))
    session.ring.send(stage, arrays, dtype)
    return stage


def staged_dtype(*arrays: np.ndarray[Any, Any]) -> np.dtype[Any]:
    """Return the dtype in which integers are copied to a stage.

    If all arrays have the same dtype and kernels can read it, return it. Otherwise, return int32 or int64.
    """
    dtype: np.dtype[Any] = arrays[0].dtype
    if dtype.isnative and dtype.itemsize >= 4 and all(array.dtype == dtype for array in arrays):
        return dtype
    fit = all(np.can_cast(array.dtype, np.int32) for array in arrays)
    return np.dtype(np.int32 if fit else np.int64)


def ids_macros(dtype: np.dtype[Any]) -> dict[str, object]:
    """Return the macros that tell ``edges.h`` how to read integers of this dtype."""
    return {"WIDE_IDS": dtype.itemsize == 8, "UNSIGNED_IDS": dtype.kind == "u"}
