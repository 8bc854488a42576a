"""Converts arrays from other libraries, such as CuPy, PyTorch and JAX, to NumPy arrays through DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

OF_ARRAYS = ("__dlpack_device__", "__cuda_array_interface__")  # attributes of arrays from other libraries
_HOST = (1, 3, 11)  # DLPack's codes for memory that the host can read: CPU memory and pinned memory
_TO_HOST = ("to_numpy", "get", "cpu", "copy_to_host")  # methods of cuDF, CuPy, torch and Numba arrays


def is_foreign(value: Any) -> bool:
    """Return whether a value is an array from a library other than NumPy, pyopencl or Arrow."""
    if isinstance(value, np.ndarray | np.generic) or hasattr(value, "__arrow_c_array__"):
        return False
    return any(hasattr(value, name) for name in OF_ARRAYS)


def to_host(value: Any) -> Any:
    """Convert an array from another library to a NumPy array, without a copy if possible.

    Any other value is returned unchanged. An array that NumPy cannot represent is also returned unchanged,
    and the caller must reject it.
    """
    if not is_foreign(value):
        return value
    if hasattr(value, "detach"):  # torch does not export a tensor that requires gradients
        value = value.detach()
    try:
        if value.__dlpack_device__()[0] in _HOST:
            return np.from_dlpack(value)
        return np.from_dlpack(value, device="cpu", copy=True)
    except (AttributeError, TypeError, ValueError, RuntimeError, BufferError):
        pass  # an older library, or an older NumPy
    for name in _TO_HOST:
        if hasattr(value, name):
            copied = getattr(value, name)()
            return copied if isinstance(copied, np.ndarray) else _as_numpy(copied)
    return _as_numpy(value)


def _as_numpy(value: Any) -> Any:
    try:
        found: npt.NDArray[Any] = np.asarray(value)
    except (TypeError, ValueError, RuntimeError):
        return value
    return value if found.dtype == object else found
