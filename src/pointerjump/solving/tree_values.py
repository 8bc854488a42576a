"""Combines values over subtrees and paths of a rooted forest, with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.integers import as_array
from pointerjump.base.rooted import Rooted
from pointerjump.errors import GraphError

Values = npt.NDArray[Any]

_BYTES_PER_VERTEX = 100  # at the peak of combining values


def as_values(values: Any, vertices: int) -> Values:
    """Validate values. Integers and bools become int64; floating-point numbers keep their dtype."""
    array = as_array(values, "values", GraphError)
    if array.dtype.kind not in "biuf":
        raise GraphError(f"values have dtype {array.dtype}: give integers or floating-point numbers")
    if array.shape != (vertices,):
        raise GraphError(f"values has shape {array.shape}: give one value for each of {vertices} vertices")
    of_integers = array.dtype.kind == "f" and isinstance(values, list | tuple)
    if of_integers and all(isinstance(each, int | np.integer) for each in values) and array.size:
        raise GraphError("values has integers that exceed 63 bits: give floating-point numbers")
    if array.dtype.kind == "f":
        return np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    if array.dtype.kind == "u" and array.max(initial=0) >= 1 << 63:
        raise GraphError(f"values has {array.max()}, which exceeds 63 bits: give floating-point numbers")
    return array.astype(np.int64)


def as_summands(values: Any, vertices: int) -> Values:
    """Validate values. A GraphError is raised if they are integers whose sums might exceed 64 bits."""
    summands = as_values(values, vertices)
    if summands.dtype == np.int64 and np.abs(summands.astype(np.float64)).sum() >= 2.0**63 - 2.0**40:
        raise GraphError("sums of these values may exceed 64 bits: give floating-point numbers")
    return summands


# As on a device, these functions return x if x is NaN or if both values are equal, such as 0.0 and -0.0.
def _least(x: Values, y: Values) -> Values:
    return np.where((x <= y) | (x != x), x, y)


def _greatest(x: Values, y: Values) -> Values:
    return np.where((x >= y) | (x != x), x, y)


COMBINE: dict[str, Callable[[Values, Values], Values]] = {
    "add": np.add,
    "minimum": _least,
    "maximum": _greatest,
}


@np.errstate(all="ignore")  # as on a device
def fold_subtrees(rooted: Rooted, values: Values, how: str) -> Values:
    """Combine the values in each subtree, in the order that :meth:`RootedForest.subtree_sum` describes."""
    combine = COMBINE[how]
    memory.require(_BYTES_PER_VERTEX * len(values), f"combining values over {len(values):,} subtrees")
    block = np.empty_like(values)
    block[rooted.preorder] = values
    vertex = np.argsort(rooted.preorder) if len(values) else np.empty(0, np.intp)
    begin = np.arange(len(values))
    end = begin + rooted.size[vertex]
    from_left, from_right = np.empty_like(values), np.empty_like(values)
    has_left, has_right = (np.zeros(len(values), bool) for _ in range(2))
    active = begin.copy()  # intervals with vertices left, each given by its first vertex in preorder

    def take(some: npt.NDArray[Any], found: Values, has: npt.NDArray[Any], more: Values, last: bool) -> None:
        both = (more, found[some]) if last else (found[some], more)
        found[some] = np.where(has[some], combine(*both), more)
        has[some] = True

    while len(active):
        a, b = begin[active], end[active]
        odd = (a & 1).astype(bool)
        take(active[odd], from_left, has_left, block[a[odd]], last=False)
        a = a + odd
        odd = (b & 1).astype(bool) & (b > a)
        take(active[odd], from_right, has_right, block[b[odd] - 1], last=True)
        b = b - odd
        begin[active], end[active] = a >> 1, b >> 1
        active = active[a < b]
        pairs = len(block) // 2
        block = np.concatenate(
            [combine(block[: 2 * pairs : 2], block[1 : 2 * pairs : 2]), block[2 * pairs :]]
        )
    both = has_left & has_right
    found = np.where(has_left, from_left, from_right)
    found[both] = combine(from_left[both], from_right[both])
    return found[rooted.preorder]


def sum_subtrees(rooted: Rooted, summands: Values) -> Values:
    """Return the exact sum of the integers in each vertex's subtree, as a difference of two prefix sums."""
    before = _sums_before(summands, rooted.preorder)
    sums: Values = before[rooted.preorder + rooted.size] - before[rooted.preorder]
    return sums


@np.errstate(all="ignore")
def sum_paths(rooted: Rooted, summands: Values) -> Values:
    """Return the sum of the values on the path from the root to each vertex, including both ends.

    Floating-point numbers are added by pointer doubling (see :meth:`RootedForest.path_sum`).
    """
    if summands.dtype.kind != "f":
        # The preorder of a vertex is the number of vertices that a search reaches before it. When the search
        # reaches the vertex, all of these but its ancestors are finished, so they come earlier in postorder.
        postorder = rooted.preorder + (rooted.size - 1) - rooted.depth
        begun, finished = _sums_before(summands, rooted.preorder), _sums_before(summands, postorder)
        sums: Values = begun[rooted.preorder + 1] - finished[rooted.preorder - rooted.depth]
        return sums
    total, above = summands.copy(), rooted.parent.copy()
    below = np.flatnonzero(rooted.depth > 0)
    for i in range(int(rooted.depth.max(initial=0)).bit_length()):
        below = below[rooted.depth[below] >= 1 << i]
        total[below], above[below] = total[above[below]] + total[below], above[above[below]]
    return total


def _sums_before(summands: Values, order: npt.NDArray[Any]) -> Values:
    # Returns the sum of the values before each position, followed by the sum of all values.
    placed = np.zeros(len(summands) + 1, summands.dtype)
    placed[order + 1] = summands
    return np.cumsum(placed)
