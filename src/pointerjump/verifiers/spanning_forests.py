"""Checks minimum spanning forests."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.edges import Ids
from pointerjump.base.integers import as_integers, first_outside
from pointerjump.base.weighted import Weighted
from pointerjump.errors import VerificationError
from pointerjump.ids.weighted import weighted_of
from pointerjump.tables.open import Roles
from pointerjump.verifiers.graphs import contracted, parents_by_search

_BYTES_PER_VERTEX, _BYTES_PER_EDGE = 80, 40  # at the peak; also 12 bytes per vertex and array of ancestors
_EDGES_AT_ONCE = 1 << 20


def verify_minimum_forest(
    graph: Any,
    places: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    maximum: bool = False,
    *,
    weight: str | None = None,
    source: str | None = None,
    target: str | None = None,
    where: Any = None,
    vertices: int | None = None,
    ids: Ids | None = None,
) -> None:
    """Check that the edges at `places` form the minimum spanning forest of a graph.

    Three conditions must hold. First, the edges do not contain a cycle. Second, they connect each component
    of the graph. Third, each edge outside the forest is heavier than all edges on the path between its
    endpoints in the forest. If two edges have the same weight, the later one in the input counts as heavier.

    Parameters
    ----------
    graph, weights, maximum, weight, source, target, where, vertices, ids
        As for :func:`minimum_spanning_forest`.
    places : array_like of int
        The positions of the forest's edges in the input, as in :attr:`SpanningForest.places`.

    Raises
    ------
    VerificationError
        If an edge is missing or should replace another edge, or if there is a cycle. Unless there is a cycle,
        the message names the edge.

    Examples
    --------
    >>> import pointerjump as pj
    >>> triangle = [(0, 1), (1, 2), (2, 0)]
    >>> pj.verify_minimum_forest(triangle, [1, 2], [5, 2, 1])
    >>> pj.verify_minimum_forest(triangle, [0, 1], [5, 2, 1])
    Traceback (most recent call last):
    pointerjump.errors.VerificationError: edge 2 is not in the forest, but lighter than edge 0, which is
    """
    weighted, _ = weighted_of(
        graph,
        weights,
        maximum,
        weight=weight,
        roles=Roles(source, target),
        where=where,
        vertices=vertices,
        ids=ids,
        whole=True,
    )
    verify_places(weighted, places)


def verify_places(weighted: Weighted, places: npt.ArrayLike) -> None:
    """Check that the edges at `places` form the minimum spanning forest of a weighted graph."""
    n, m, w = weighted.graph.vertices, len(weighted.weights), weighted.weights
    kept = np.sort(as_integers(places, "places", VerificationError).astype(np.int64))
    doublings = max(1, int(n).bit_length())
    memory.require(
        (_BYTES_PER_VERTEX + 12 * doublings) * n + _BYTES_PER_EDGE * m,
        f"checking a forest of {n:,} vertices and {m:,} edges",
    )
    at = first_outside(kept, m)
    if at is not None:
        raise VerificationError(f"places has {kept[at]}, but edges are numbered from 0 to {m - 1}")
    if len(twice := np.flatnonzero(kept[1:] == kept[:-1])):
        raise VerificationError(f"edge {kept[twice[0]]} is in the forest twice")
    us, vs = (ends.astype(np.int64) for ends in weighted.ends)
    components, _ = contracted(n, np.arange(n), us, vs)
    _, tree = contracted(n, np.arange(n), us[kept], vs[kept])
    if len(parted := np.flatnonzero(tree[us] != tree[vs])):
        e = parted[0]
        raise VerificationError(f"edge {e} joins {us[e]} and {vs[e]}, which the forest does not connect")
    if len(kept) != n - components:
        raise VerificationError(
            f"the forest has {len(kept)} edges, and {n - components} are enough: they have a cycle"
        )

    # The heaviest edge, by rank, on the path from each vertex to its ancestor 1, 2, 4, ... steps above.
    up = parents_by_search(us[kept], vs[kept], tree, n)
    up = np.where(up == n, np.arange(n), up)
    rank = np.empty(len(kept), np.int64)
    rank[from_light_to_heavy(w[kept], maximum=weighted.maximum)] = np.arange(len(kept))
    by_rank = kept[np.argsort(rank)]
    lower = np.where(up[us[kept]] == vs[kept], us[kept], vs[kept])
    heaviest = np.full(n, -1, np.int32)
    heaviest[lower] = rank
    depth, ups = lifted(up.astype(np.int32))
    most = [heaviest]
    for above in ups[:-1]:
        most.append(np.maximum(most[-1], most[-1][above]))

    others = np.setdiff1d(np.arange(m), kept, assume_unique=True)
    others = others[us[others] != vs[others]]
    for first in range(0, len(others), _EDGES_AT_ONCE):
        some = others[first : first + _EDGES_AT_ONCE]
        worst = by_rank[_heaviest_between(us[some], vs[some], depth, ups, most)]
        light, heavy = w[some], w[worst]
        better = light > heavy if weighted.maximum else light < heavy
        better |= (light == heavy) & (some < worst)
        if better.any():
            at = int(np.argmax(better))
            how = "heavier than" if weighted.maximum else "lighter than"
            how = how if light[at] != heavy[at] else "as heavy as, and before,"
            raise VerificationError(
                f"edge {some[at]} is not in the forest, but {how} edge {worst[at]}, which is"
            )


def from_light_to_heavy(weights: npt.NDArray[Any], *, maximum: bool) -> npt.NDArray[np.int64]:
    """Return the positions of edges in order of weight. Equal weights stay in input order.

    The lightest edge comes first or, if `maximum` is True, the heaviest.
    """
    if not maximum:
        return np.argsort(weights, kind="stable")
    return (len(weights) - 1 - np.argsort(weights[::-1], kind="stable"))[::-1]


def lifted(up: npt.NDArray[Any]) -> tuple[Any, list[Any]]:
    """Return each vertex's depth and its ancestors 1, 2, 4, ... levels above. A root is its own parent."""
    depth, ups = (up != np.arange(len(up))).astype(np.int64), [up]
    while ((further := ups[-1][ups[-1]]) != ups[-1]).any():
        depth = depth + depth[ups[-1]]
        ups.append(further)
    return depth, ups


def _heaviest_between(us: Any, vs: Any, depth: Any, ups: Any, most: Any) -> npt.NDArray[Any]:
    """For each i, return the rank of the heaviest edge on the path between ``us[i]`` and ``vs[i]``."""
    deep, high = np.where(depth[us] < depth[vs], (vs, us), (us, vs))
    found = np.full(len(us), -1)
    climb = depth[deep] - depth[high]
    for k in range(len(ups)):
        now = (climb >> k & 1).astype(bool)
        found[now] = np.maximum(found[now], most[k][deep[now]])
        deep[now] = ups[k][deep[now]]
    for k in reversed(range(len(ups))):
        now = ups[k][deep] != ups[k][high]
        found[now] = np.maximum(found[now], np.maximum(most[k][deep[now]], most[k][high[now]]))
        deep[now], high[now] = ups[k][deep[now]], ups[k][high[now]]
    apart = deep != high
    both = np.maximum(most[0][deep[apart]], most[0][high[apart]])
    found[apart] = np.maximum(found[apart], both)
    return found
