"""Validated linked lists, stored in a single successor array.

``successors[j]`` is the element after `j`. The last element of each list is its own successor.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base.edges import MAX_VERTICES
from pointerjump.base.integers import as_integers, converted, first_outside
from pointerjump.errors import AlgorithmError, ListError

SuccessorArray = npt.NDArray[np.int32]
MOST_MARKS = (1 << 16) - 1  # the most splitters that a 16-bit mark can number; one value is left for "none"


def as_positions(successors: npt.ArrayLike) -> npt.NDArray[Any]:
    """Convert successors to an integer array, without a copy if possible. Their values are not checked."""
    array = as_integers(successors, "successors", ListError)
    n = len(array)
    if n > MAX_VERTICES:
        raise ListError(f"there are {n} elements, and positions are 32-bit: at most {MAX_VERTICES}")
    return array


def require_in_range(successors: npt.NDArray[Any]) -> None:
    n = len(successors)
    at = first_outside(successors, n)
    if at is not None:
        raise ListError(
            f"successors[{at}] is {successors[at]}, outside 0 .. {n - 1}: a last element is its own successor"
        )


def as_successors(successors: npt.ArrayLike) -> SuccessorArray:
    """Convert successors to an int32 array. Only the shape, dtype and range are checked."""
    array = as_positions(successors)
    require_in_range(array)
    return converted(array, np.int32, "successors")


def require_lists(successors: npt.NDArray[Any]) -> None:
    """Raise a ListError for a cycle or an element with several predecessors. Successors must be in range."""
    n = len(successors)
    own = np.arange(n, dtype=np.int32)
    linked = np.flatnonzero(successors != own)
    predecessor = np.full(n, -1, np.int32)
    predecessor[successors[linked]] = linked
    shared = linked[predecessor[successors[linked]] != linked]
    if len(shared):
        j = int(shared[0])
        raise ListError(
            f"elements {j} and {predecessor[successors[j]]} are both followed by {successors[j]}: "
            "in a list, every element has at most one predecessor"
        )
    # From any element, n steps lead to a last element or go round a cycle.
    reached = successors.copy()
    for _ in range(n.bit_length()):
        reached = reached[reached]
    lost = np.flatnonzero(successors[reached] != reached)
    if len(lost):
        raise ListError(
            f"element {lost[0]} lies on a cycle: every list must end in an element that is its own successor"
        )


def require_marks(splitters: int) -> None:
    """Raise an AlgorithmError if there are too many splitters to be numbered with 16 bits.

    Splitters are the elements at which lists are cut.
    """
    if splitters > MOST_MARKS:
        raise AlgorithmError(
            f"packing=48-bit: there are {splitters} splitters, the last elements of all lists included, but "
            f"a 16-bit mark can name only {MOST_MARKS}: use packing=64-bit"
        )
