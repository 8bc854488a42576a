"""Single linkage by union-find over sorted edges: each edge of a forest merges two clusters.

Single linkage starts with each vertex as a cluster of its own, and repeatedly merges the two clusters that
the lightest remaining edge joins. The merges form a binary tree, the *dendrogram*. Choose this algorithm as a
test oracle, because each of its steps is simple.

J. C. Gower and G. J. S. Ross, "Minimum spanning trees and single linkage cluster analysis", Applied
Statistics 18(1), 1969.

An edge that closes a cycle merges nothing, so the edges of a minimum spanning forest are sufficient.

In pseudo-code::

    sort: put the edges in ascending order of weight; edges of equal weight stay in input order
    merge: for each edge (u, v) in that order:
        a, b = root of u, root of v
        put a under b, and record the clusters of both
        the cluster of b is now the new one, with the vertices of both

Its phases:

- *sort*: edges are sorted by weight
- *merge*: each edge merges the clusters of its ends

Input: the edges of a forest, in any order and direction, without loops. The result is deterministic. Work
O(n log n); depth O(n log n): serial.

See also ``pandora``: merges clusters in parallel; ``kruskal``: performs the same unions to find the forest.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pointerjump.base.weighted import Weighted
from pointerjump.reference.trees import find_halving
from pointerjump.reference.vocabulary import phase, shared


def single_linkage(forest: Weighted) -> npt.NDArray[np.int64]:
    """Return the clusters that each edge of a forest merges.

    Returns
    -------
    ndarray of int64, shape (m, 4)
        One row per edge, from light to heavy: the numbers of the two merged clusters, the smaller number
        first; the size of the new cluster; and the index of the edge in the input. Initially, each vertex is
        a cluster. Row i creates cluster ``vertices + i``.

    Examples
    --------
    >>> from pointerjump import Graph
    >>> path = Weighted(Graph.from_edges([0, 1, 2], [1, 2, 3]), np.array([1, 7, 2]))
    >>> single_linkage(path).tolist()
    [[0, 1, 2, 0], [2, 3, 2, 2], [4, 5, 4, 1]]
    """
    n = forest.graph.vertices
    sources, targets = (ends.tolist() for ends in forest.ends)
    phase("sort")
    in_order = np.argsort(forest.keys(), kind="stable").tolist()

    phase("merge")
    parent = shared("parent", range(n))
    cluster, size = list(range(n)), [1] * n
    merges = []
    for place in in_order:
        a, b = find_halving(sources[place], parent), find_halving(targets[place], parent)
        parent[a] = b
        size[b] += size[a]
        merges.append((*sorted((cluster[a], cluster[b])), size[b], place))
        cluster[b] = n + len(merges) - 1
    return np.array(merges, np.int64).reshape(-1, 4)
