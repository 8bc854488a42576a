"""Checks single linkage: each merge must use the lightest remaining edge between any two clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.errors import VerificationError
from pointerjump.ids.weighted import weighted_of
from pointerjump.tables.open import Roles
from pointerjump.verifiers.spanning_forests import from_light_to_heavy, lifted

_BYTES_PER_EDGE = 64  # at the memory peak; also 16 bytes per vertex and array of ancestors


def verify_merges(
    graph: Any,
    merges: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    maximum: bool = False,
    *,
    source: str | None = None,
    target: str | None = None,
    **options: Any,
) -> None:
    """Check that `merges` is the result of single linkage.

    Three conditions must hold. First, each row merges two clusters that exist at that point. Second, no edge
    of the graph joins two of the clusters that remain at the end. Third, rows are in order of weight, and the
    weight of a row is that of the lightest edge between its two clusters. If two edges have the same weight,
    the one that is earlier in the input counts as lighter.

    Parameters
    ----------
    graph, weights, maximum, source, target
        As for :func:`single_linkage`.
    merges : array_like, shape (vertices - components, 4)
        The merges, in the same form as :attr:`Dendrogram.merges`.
    **options
        `weight`, `where`, `vertices` and `ids`, as for :func:`single_linkage`.

    Raises
    ------
    VerificationError
        If the merges are wrong. The message names a row of `merges` or an edge.

    Examples
    --------
    >>> import pointerjump as pj
    >>> path = [(0, 1), (1, 2)]
    >>> pj.verify_merges(path, [[1, 2, 3, 2], [0, 3, 5, 3]], [5, 3])
    >>> pj.verify_merges(path, [[0, 1, 5, 2], [2, 3, 3, 3]], [5, 3])
    Traceback (most recent call last):
    pointerjump.errors.VerificationError: merges[1] is by edge 1, lighter than edge 0 of the row before
    """
    weighted, _ = weighted_of(graph, weights, maximum, roles=Roles(source, target), whole=True, **options)
    n, w = weighted.graph.vertices, weighted.weights
    rows = _rows_of(merges)
    doublings = max(1, len(rows).bit_length())
    memory.require(
        16 * doublings * n + _BYTES_PER_EDGE * len(w), f"checking {len(rows):,} merges and {len(w):,} edges"
    )
    up = _parents(rows, n)
    us, vs = (ends.astype(np.int64) for ends in weighted.ends)
    between = np.flatnonzero(us != vs)
    row = _lowest_common(us[between], vs[between], up) - n
    if len(apart := np.flatnonzero(row < 0)):
        e = between[apart[0]]
        raise VerificationError(f"edge {e} joins {us[e]} and {vs[e]}, which no row merges")

    rank = np.empty(len(w), np.int64)
    order = from_light_to_heavy(w, maximum=weighted.maximum)
    rank[order] = np.arange(len(w))
    lightest = np.full(len(rows), len(w))
    np.minimum.at(lightest, row, rank[between])
    if len(without := np.flatnonzero(lightest == len(w))):
        raise VerificationError(f"merges[{without[0]}] merges clusters that no edge joins")
    edge = order[lightest]
    if len(other := np.flatnonzero(w[edge].astype(np.float64) != rows[:, 2])):
        i = other[0]
        raise VerificationError(f"merges[{i}] has height {rows[i, 2]}, and edge {edge[i]} has {w[edge[i]]}")
    if len(falls := np.flatnonzero(lightest[1:] < lightest[:-1])):
        i = falls[0] + 1
        raise VerificationError(
            f"merges[{i}] is by edge {edge[i]}, lighter than edge {edge[i - 1]} of the row before"
        )


def _rows_of(merges: Any) -> npt.NDArray[np.float64]:
    try:
        rows = np.asarray(merges).astype(np.float64, casting="same_kind")
    except (TypeError, ValueError):
        raise VerificationError("merges are not an array of real numbers") from None
    if rows.size == 0:
        return np.empty((0, 4))
    if rows.ndim != 2 or rows.shape[1] != 4:
        raise VerificationError(f"merges have shape {rows.shape}: give four numbers for each merge")
    return rows


def _parents(rows: npt.NDArray[np.float64], n: int) -> npt.NDArray[np.int64]:
    """Check clusters' numbers and sizes. Return the cluster into which each cluster is merged.

    For a cluster that is not merged, its own number is returned.
    """
    up = np.arange(n + len(rows))
    size = [1] * n
    for i, (a, b, _, stated) in enumerate(rows.tolist()):
        if not (0 <= a < b < n + i and a == int(a) and b == int(b)):
            raise VerificationError(f"merges[{i}] merges {a:.17g} and {b:.17g}: give two clusters, ascending")
        for part in (int(a), int(b)):
            if up[part] != part:
                raise VerificationError(f"merges[{i}] merges {part}, which merges[{up[part] - n}] has merged")
            up[part] = n + i
        size.append(size[int(a)] + size[int(b)])
        if size[-1] != stated:
            raise VerificationError(f"merges[{i}] has size {stated:.17g}, and its clusters have {size[-1]}")
    return up


def _lowest_common(us: Any, vs: Any, up: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """For each i, return the smallest cluster that contains ``us[i]`` and ``vs[i]``, or -1 if none does."""
    depth, ups = lifted(up)
    deep, high = np.where(depth[us] < depth[vs], (vs, us), (us, vs))
    climb = depth[deep] - depth[high]
    for k, above in enumerate(ups):
        deep = np.where(climb >> k & 1, above[deep], deep)
    for above in reversed(ups):
        differ = above[deep] != above[high]
        deep, high = np.where(differ, above[deep], deep), np.where(differ, above[high], high)
    deep, high = np.where(deep == high, deep, up[deep]), np.where(deep == high, high, up[high])
    found: npt.NDArray[np.int64] = np.where(deep == high, deep, -1)
    return found
