"""Single linkage by sorted edges: each edge of a forest merges two clusters, from light to heavy.

At the beginning each vertex is a cluster. Single linkage merges the two clusters with the lightest edge
between them, again and again. What was merged when is a binary tree, the *dendrogram*.

J. C. Gower and G. J. S. Ross, "Minimum spanning trees and single linkage cluster analysis", Applied
Statistics 18(1), 1969.

An edge that closes a cycle merges nothing, so the edges of a minimum spanning forest are enough. Each of them
merges the clusters of its ends, which a union-find structure knows.

In pseudo-code::

    for each edge (u, v), from light to heavy:
        a, b = root of u, root of v
        put a under b, and write down the clusters of both; b's cluster is the new one

Input: a forest's edges in order, light ones first. Deterministic. Work O(n α(n)); depth O(n), because it is
serial.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pointerjump.reference.trees import find_halving


def single_linkage(
    sources: npt.NDArray[np.integer], targets: npt.NDArray[np.integer], vertices: int
) -> npt.NDArray[np.int64]:
    """Return what each edge of a forest merges.

    Parameters
    ----------
    sources, targets : ndarray of int, shape (m,)
        The ends of the edges, light ones first.
    vertices : int

    Returns
    -------
    ndarray of int64, shape (m, 3)
        The numbers of the two clusters, ascending, and the size of the new one. Vertices are the first
        clusters; edge i makes the cluster vertices + i.

    Examples
    --------
    >>> single_linkage(np.array([0, 2, 1]), np.array([1, 3, 2]), 4).tolist()
    [[0, 1, 2], [2, 3, 2], [4, 5, 4]]
    """
    parent, cluster, size = list(range(vertices)), list(range(vertices)), [1] * vertices
    merges = []
    for u, v in zip(sources.tolist(), targets.tolist(), strict=True):
        a, b = find_halving(u, parent), find_halving(v, parent)
        parent[a] = b
        size[b] += size[a]
        merges.append((*sorted((cluster[a], cluster[b])), size[b]))
        cluster[b] = vertices + len(merges) - 1
    return np.array(merges, np.int64).reshape(-1, 3)
