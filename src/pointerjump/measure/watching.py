"""Ways to look into a run of a reference: the calls of its functions, and the depth of its forest."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

import numpy as np
import numpy.typing as npt

Observe = Callable[[dict[str, Any]], None]


@contextmanager
def at_calls(functions: Sequence[Callable[..., Any]], observe: Observe) -> Iterator[None]:
    """Show the arguments of every call of some functions to `observe`, before the call runs."""

    def event(frame: FrameType, what: str, _: Any) -> None:
        if what == "call" and frame.f_code in codes:
            observe(frame.f_locals)

    codes = _codes(functions)
    with _profiling(event):
        yield


@contextmanager
def at_returns(
    functions: Sequence[Callable[..., Any]], observe: Callable[[dict[str, Any], Any], None]
) -> Iterator[None]:
    """Show the variables of every call of some functions, and what it returns, to `observe`."""

    def event(frame: FrameType, what: str, returned: Any) -> None:
        if what == "return" and frame.f_code in codes:
            observe(frame.f_locals, returned)

    codes = _codes(functions)
    with _profiling(event):
        yield


def _codes(functions: Sequence[Callable[..., Any]]) -> set[CodeType]:
    return {function.__code__ for function in functions}


@contextmanager
def _profiling(event: Callable[[FrameType, str, Any], None]) -> Iterator[None]:
    before: Any = sys.getprofile()

    def both(frame: FrameType, what: str, returned: Any) -> None:
        if before:
            before(frame, what, returned)
        event(frame, what, returned)

    sys.setprofile(both)
    try:
        yield
    finally:
        sys.setprofile(before)


def depths(parents: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return how many pointers lie between each vertex and its root.

    Examples
    --------
    >>> depths([0, 0, 1, 3]).tolist()
    [0, 1, 2, 0]
    """
    parent = np.array(parents, np.int64)
    depth = np.zeros(len(parent), np.int64)
    at = np.arange(len(parent))
    while True:
        below = parent[at] != at
        if not below.any():
            return depth
        depth += below
        at = parent[at]


def roots(parents: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return each vertex's root.

    Examples
    --------
    >>> roots([0, 0, 1, 3]).tolist()
    [0, 0, 0, 3]
    """
    parent = np.array(parents, np.int64)
    while (parent[parent] != parent).any():
        parent = parent[parent]
    return parent


def path_length(v: int, parent: Sequence[int]) -> int:
    """Return how many pointers lead from `v` to its representative."""
    length = 0
    while parent[v] != v:
        v = parent[v]
        length += 1
    return length
