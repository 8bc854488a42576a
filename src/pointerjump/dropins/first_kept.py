"""Which document of each cluster datatrove keeps.

datatrove's stage 3 is union-find by size, record after record: of two trees, the root of the larger one
becomes the root of both, and of equal ones the root of the record's first document. The last root of a
cluster is the document that is kept. So which one it is depends on the order of the records, unlike the
clusters themselves.

But here the clusters are known already. As soon as a tree has more than half of its cluster, it can never
again be the smaller one, so its root is the one that is kept, and no other record of the cluster matters.
Clusters of two and three, which are most, are decided by their first record. So only few records need the
serial loop below.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump import memory

Array = npt.NDArray[Any]

UNDECIDED = -1

DECIDED_BY_ONE = 3
"""In clusters of up to so many vertices, the first record joins more than half. They take no loop."""


def kept_vertices(
    edges: Iterable[tuple[Array, Array]], labels: Array, sizes: Array, index: int | None
) -> Array:
    """Return the vertex of each cluster that is kept.

    Parameters
    ----------
    edges : iterable of tuples of two arrays
        The records, in order. They are read no further than is needed.
    labels : ndarray of int, shape (vertices,)
        Each vertex's cluster.
    sizes : ndarray of int, shape (clusters,)
        How many vertices each cluster has.
    index : int, optional
        The vertex that stands for the index: in its cluster, it is the one that is kept.

    Returns
    -------
    ndarray of int, shape (clusters,)
        -1 for a cluster of one vertex.

    Examples
    --------
    >>> chain = [(np.array([1, 2, 0]), np.array([2, 3, 1]))]
    >>> kept_vertices(chain, np.array([0, 0, 0, 0, 1]), np.array([4, 1]), None).tolist()
    [1, -1]
    """
    memory.require(2 * labels.nbytes + sizes.nbytes, f"trees of {len(labels)} documents")
    kept = np.full(len(sizes), UNDECIDED, labels.dtype)
    if index is not None:
        kept[labels[index]] = index
    undecided = np.count_nonzero((sizes > 1) & (kept == UNDECIDED))
    trees = _Trees(labels, sizes, kept)
    for firsts, seconds in edges:
        clusters = labels[firsts]
        matters = (kept[clusters] == UNDECIDED) & (firsts != seconds)
        few = matters & (sizes[clusters] <= DECIDED_BY_ONE)
        decided, at = np.unique(clusters[few], return_index=True)
        kept[decided] = firsts[few][at]
        many = matters & ~few
        undecided -= len(decided) + trees.join(firsts[many].tolist(), seconds[many].tolist())
        if not undecided:
            break
    return kept


class _Trees:
    """The trees so far. Single numbers are read and written much faster through a memoryview."""

    def __init__(self, labels: Array, sizes: Array, kept: Array) -> None:
        self._parent = np.arange(len(labels), dtype=labels.dtype).data
        self._size = np.ones(len(labels), labels.dtype).data
        self._label, self._whole, self._kept = labels.data, sizes.data, kept.data

    def join(self, firsts: list[int], seconds: list[int]) -> int:
        """Join the trees of the two ends of each edge; return how many clusters that has decided."""
        size, kept, label = self._size, self._kept, self._label
        decided = 0
        for first, second in zip(firsts, seconds, strict=True):
            cluster = label[first]
            if kept[cluster] != UNDECIDED:
                continue
            root, other = self._root(first), self._root(second)
            if root == other:
                continue
            if size[root] < size[other]:
                root, other = other, root
            self._parent[other] = root
            size[root] += size[other]
            if 2 * size[root] > self._whole[cluster]:
                kept[cluster] = root
                decided += 1
        return decided

    def _root(self, vertex: int) -> int:
        parent = self._parent
        while (above := parent[vertex]) != vertex:
            parent[vertex] = vertex = parent[above]
        return vertex
