"""Stages: buffers through which large integer arrays reach a device with its own memory.

Values are copied to a stage unchecked, and a kernel checks them. On the host, this would take longer than the
copy. While kernels work on one stage, the next one is filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pointerjump.accel.runtime.session import Buffer, Session

STAGED = "a stage"
"""The name of stages in the session's scratch."""

STAGES = 2
"""The most stages in use at once."""

_BYTES, _SHARE = 1 << 28, 64
"""A stage has at most `_BYTES` bytes, and at most this fraction of the device's memory: 1 / `_SHARE`."""


def stage_size(session: Session) -> int:
    return min(_BYTES, session.device.memory // _SHARE)


def filled_stage(session: Session, arrays: Sequence[np.ndarray[Any, Any]], dtype: np.dtype[Any]) -> Buffer:
    """Copy arrays to a stage, one after another, for commands that are enqueued later.

    Give the stage back to the session's scratch after its last use.
    """
    stage = session.borrow(STAGED, stage_size(session))
    session.ring.send(stage, arrays, dtype)
    return stage


def staged_dtype(*arrays: np.ndarray[Any, Any]) -> np.dtype[Any]:
    """Return the dtype in which integers are copied to a stage: their own dtype, if kernels can read it."""
    dtype: np.dtype[Any] = arrays[0].dtype
    if dtype.isnative and dtype.itemsize >= 4 and all(array.dtype == dtype for array in arrays):
        return dtype
    fit = all(np.can_cast(array.dtype, np.int32) for array in arrays)
    return np.dtype(np.int32 if fit else np.int64)


def ids_macros(dtype: np.dtype[Any]) -> dict[str, object]:
    """Return the macros with which ``edges.h`` reads integers of this dtype."""
    return {"WIDE_IDS": dtype.itemsize == 8, "UNSIGNED_IDS": dtype.kind == "u"}
