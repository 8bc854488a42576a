"""Copies pyopencl arrays to the host and back, and converts arrays from other libraries.

pyopencl can copy only arrays without gaps. This module therefore copies the whole buffer, and NumPy selects
the elements, whatever their strides. pyopencl is imported only when one of its arrays is passed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.icd import context_of
from pointerjump.base.foreign import is_foreign, to_host
from pointerjump.base.images import is_on_device
from pointerjump.errors import ImageError, PointerjumpError

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


def require_queue(array: Any, what: str, error: type[PointerjumpError] = ImageError) -> None:
    """Reject a pyopencl array that has no command queue, or whose queue has lost its context."""
    if not is_on_device(array):
        return
    if array.queue is None:
        raise error(f"{what} has no command queue: give it one with .with_queue(queue)")
    context_of(array.queue)


def on_host(array: Any) -> Any:
    """Copy a pyopencl array, which must have a command queue, to the host. Return other objects unchanged."""
    if not is_on_device(array):
        return array
    if array.size == 0:  # there is no buffer
        return np.empty(array.shape, array.dtype)
    return _elements(array, _whole_buffer(array).get())


def write_on_device(out: Any, values: Any) -> None:
    """Write values from the host or a device to a pyopencl array, which must have a command queue."""
    if out.size == 0:
        return
    values, whole = on_host(values), _whole_buffer(out)
    contents = whole.get()
    _elements(out, contents)[...] = values
    whole.set(contents)


def _whole_buffer(array: Any) -> Any:
    import pyopencl.array as cl_array

    buffer = array.base_data
    return cl_array.Array(array.queue, (buffer.size,), np.uint8, data=buffer)


def _elements(array: Any, contents: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
    """Return an array's elements as a view of `contents`, a host copy of the array's entire buffer."""
    return np.ndarray(array.shape, array.dtype, contents, array.offset, array.strides)


def in_kind(function: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
    """Decorate a function so that its first argument may be an array of another library, such as PyTorch.

    In that case, the arrays that the function returns are converted to arrays of that library.
    """
    first = next(iter(signature(function).parameters))

    @wraps(function)
    def with_foreign(*arguments: Asked.args, **options: Asked.kwargs) -> Answer:
        given: Any = arguments[0] if arguments else options.get(first)
        if type(given) is np.ndarray or not is_foreign(given):
            return function(*arguments, **options)
        if not arguments:
            options.pop(first)
        found: Any = function(to_host(given), *arguments[1:], **options)  # type: ignore[arg-type]
        if isinstance(found, tuple):
            found = tuple(_like(each, given) for each in found)
        else:
            found = _like(found, given)
        kept: Answer = found
        return kept

    return with_foreign


def _like(found: Any, given: Any) -> Any:
    """Convert a NumPy array to the library and device of `given`. Return other objects unchanged."""
    if not isinstance(found, np.ndarray):
        return found
    library = type(given).__module__.partition(".")[0]
    if library == "torch":
        return sys.modules["torch"].from_numpy(found).to(given.device)
    if library == "cupy":
        with given.device:
            return sys.modules["cupy"].asarray(found)
    if not hasattr(given, "__array_namespace__"):
        return found
    made = given.__array_namespace__().asarray(found, device=given.device)
    # JAX supports 64-bit integers only if they are enabled; otherwise, it would truncate values.
    lost = np.dtype(made.dtype).itemsize < found.dtype.itemsize and found.dtype.kind in "iu"
    if lost and found.size and int(found.max()) > np.iinfo(made.dtype).max:
        return found
    return made
