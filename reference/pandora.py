"""PANDORA: contract a forest level by level, then sort its edges into chains of merges.

The dendrogram of a forest is the tree of clusters that arises when the edges merge clusters one after
another, from light to heavy. PANDORA contracts edges to build it, and works well for dendrograms of any
height. Choose this algorithm for the merges of single linkage, on any device.

P. Sao, A. Prokopenko and D. Lebrun-Grandié, "PANDORA: a parallel dendrogram construction algorithm for single
linkage clustering on GPU", ICPP 2024 (arXiv 2401.06089).

Each vertex takes its lightest edge, and all of these edges are contracted. The others are the *alpha edges*.
Together with the contracted vertices, they form the next level. A contracted edge merges the cluster of the
vertex that took it with the cluster that lighter edges have formed at its other end. Therefore, the edges
inside one contracted vertex form a *chain* of merges, from light to heavy. The chain ends when it reaches the
weight of the lightest edge that leaves the vertex. Heavier edges inside the vertex belong to chains of later
levels.

In pseudo-code::

    sort: number the edges from light to heavy
    begin: offer each edge to both of its ends; lightest[v] = the lightest edge offered to v
    until no edge is left:
        take: for each edge e = (u, v) in parallel:
            if lightest[u] = e: u takes it, up[u] = v; the same for v
            if both take it: v becomes a root instead, and gets a number in the next level
        contract: for each edge e = (u, v) in parallel:
            follow the pointers up from u and v to the numbers x and y of their roots
            if e was taken: into[e] = x, which equals y
            otherwise: x and y become the ends of e, and e is offered to both
    chain: for each edge e in parallel:
        v = into[e]; while lightest[v] is lighter than e: v = up[v]
        e belongs to the chain of v; sort the edges by chain
    merge: level by level, for each chain in parallel, for each of its edges e in order:
        if two vertices took e, it merges their clusters
        if one did, e merges the cluster of that vertex with the chain's cluster so far

Its phases:

- *sort*: edges are sorted by weight
- *begin*: each edge is offered to both of its ends
- *take*: each vertex takes its lightest edge, and points along it
- *contract*: vertices with the same root become one vertex of the next level
- *chain*: each edge finds the vertex whose chain it belongs to
- *merge*: chains merge clusters, from light to heavy

Input: the edges of a forest, in any order and direction, without loops. The result is deterministic
regardless of the schedule. Work O(n log n); depth O(log n) levels, each at most half its predecessor's size.

The paper finds the parent of each edge in the dendrogram. Here, the children of each edge and the size of its
cluster are found, as in scipy. Vertices without edges are left out of later levels.

See also ``single-linkage``: processes edges one by one; ``boruvka``: contracts the same edges.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pointerjump.base.weighted import Weighted
from pointerjump.reference.vocabulary import fetch_min, in_parallel, phase, shared

Ends = tuple[int, int]


def contracted(v: int, next: int, up: list[int]) -> int:
    """Return the vertex of the next level that contains v, and make v point to it.

    The vertices of the next level are `next`, `next` + 1, and so on.
    """
    at = up[v]
    while at < next:
        at = up[at]
        up[v] = at
    return at


def offer(e: int, ends: Ends, lightest: list[int]) -> None:
    for v in ends:
        if e < lightest[v]:
            fetch_min(lightest, v, e)


def pandora(forest: Weighted) -> npt.NDArray[np.int64]:
    """Return the clusters that each edge of a forest merges.

    As in ``single-linkage``, there is one row per edge, from light to heavy: the numbers of the two merged
    clusters, the size of the new cluster and the index of the edge. Row i creates cluster ``vertices + i``.

    Examples
    --------
    >>> from pointerjump import Graph
    >>> path = Weighted(Graph.from_edges([0, 1, 2], [1, 2, 3]), np.array([1, 7, 2]))
    >>> pandora(path).tolist()
    [[0, 1, 2, 0], [2, 3, 2, 2], [4, 5, 4, 1]]
    """
    n, m = forest.graph.vertices, len(forest.weights)
    sources, targets = (ends.tolist() for ends in forest.ends)
    phase("sort")
    places = np.argsort(forest.keys(), kind="stable").tolist()
    left = [(e, (sources[place], targets[place])) for e, place in enumerate(places)]

    phase("begin")
    lightest, up = shared("lightest", [m] * (2 * n)), shared("up", [0] * (2 * n))
    for e, ends in in_parallel(left):
        offer(e, ends, lightest)

    taken: list[Ends] = shared("taken", [(-1, -1)] * m)
    into = shared("into", [0] * m)
    starts = [n]  # where each level's vertices begin
    while left:
        phase("take")
        next, roots = starts[-1], 0
        for e, (u, v) in in_parallel(left):
            first, second = lightest[u] == e, lightest[v] == e
            if first:
                up[u] = v
            if second:
                up[v] = next + roots if first else u
                roots += first
            taken[e] = (u if first else -1, v if second else -1)
        starts.append(next + roots)

        phase("contract")
        alpha = []
        for e, (u, v) in in_parallel(left):
            x, y = contracted(u, next, up), contracted(v, next, up)
            if taken[e] == (-1, -1):
                alpha.append((e, (x, y)))
                offer(e, (x, y), lightest)
            else:
                into[e] = x
        left = alpha

    phase("chain")
    chain = shared("chain", [0] * m)
    for e in in_parallel(range(m)):
        v = into[e]
        while lightest[v] < e:
            v = up[v]
        chain[e] = v
    members: list[list[int]] = [[] for _ in range(starts[-1])]
    for e, v in enumerate(chain):
        members[v].append(e)

    phase("merge")
    below = shared("below", [(v, 1) for v in range(starts[-1])])  # a cluster and its size
    merges = shared("merges", [(0, 0, 0, 0)] * m)
    for begin, end in pairwise(starts):
        for v in in_parallel(range(begin, end)):
            cluster, size = -1, 0
            for e in members[v]:
                parts = [below[w] if w >= 0 else (cluster, size) for w in taken[e]]
                cluster, size = n + e, sum(part[1] for part in parts)
                low, high = sorted(part[0] for part in parts)
                merges[e] = (low, high, size, places[e])
            below[v] = (cluster, size)
    return np.array(list(merges), np.int64).reshape(-1, 4)
