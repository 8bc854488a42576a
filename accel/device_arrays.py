"""Arrays on devices: those of pyopencl are copied to the host and back, those of other libraries converted.

pyopencl itself copies only arrays without gaps. Here, therefore, the whole buffer is copied, and NumPy picks
out the elements, whatever the strides. pyopencl is imported only when one of its arrays is given.
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
    """Refuse a pyopencl array without a command queue, or with a queue that has lost its context."""
    if not is_on_device(array):
        return
    if array.queue is None:
        raise error(f"{what} has no command queue: give it one with .with_queue(queue)")
    context_of(array.queue)


def on_host(array: Any) -> Any:
    """Return a copy on the host of a pyopencl array that has a queue. Return other objects as they are."""
    if not is_on_device(array):
        return array
    if array.size == 0:  # there is no buffer
        return np.empty(array.shape, array.dtype)
    return _elements(array, _whole_buffer(array).get())


def write_on_device(out: Any, values: Any) -> None:
    """Write values, which may be on a device themselves, to a pyopencl array that has a queue."""
    if out.size == 0:
        return
    values, whole = on_host(values), _whole_buffer(out)
    contents = whole.get()
    _elements(out, contents)[...] = values
    whole.set(contents)


def _whole_buffer(array: Any) -> Any:
    """Return all bytes of the buffer that holds a pyopencl array, as another pyopencl array."""
    import pyopencl.array as cl_array

    buffer = array.base_data
    return cl_array.Array(array.queue, (buffer.size,), np.uint8, data=buffer)


def _elements(array: Any, contents: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
    """Return the elements of a pyopencl array, given its buffer's contents on the host, without a copy."""
    return np.ndarray(array.shape, array.dtype, contents, array.offset, array.strides)


def in_kind(function: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
    """Let a function take another library's array as its first argument, and return that library's arrays."""
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
    """Convert a NumPy array to the library and device of the array `given`."""
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
    # JAX has 64-bit integers only on request; otherwise, it would truncate numbers.
    lost = np.dtype(made.dtype).itemsize < found.dtype.itemsize and found.dtype.kind in "iu"
    if lost and found.size and int(found.max()) > np.iinfo(made.dtype).max:
        return found
    return made
