"""Condensed trees, as in HDBSCAN*: the large clusters of a dendrogram, and how long they persist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from pointerjump.base.edges import VertexArray
from pointerjump.base.integers import as_count
from pointerjump.errors import GraphError

Method = Literal["eom", "leaf"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class FlatClusters(NamedTuple):
    """Flat clusters selected from a condensed tree, as in the hdbscan package.

    Attributes
    ----------
    labels : ndarray of int32, shape (vertices,)
        The cluster number of each vertex, or -1 for a vertex that is in no cluster. Clusters are numbered
        from 0, in order of their smallest vertices.
    probabilities : ndarray of float64, shape (vertices,)
        How strongly each vertex belongs to its cluster, from 0 to 1. For a vertex that is in no cluster, the
        probability is 0.
    persistence : ndarray of float64, shape (clusters,)
        How long vertices stay in each cluster on average, as a fraction of the full range of lambda (see
        :class:`CondensedTree`).

    Examples
    --------
    >>> import pointerjump as pj
    >>> h = pj.single_linkage([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)], [1, 2, 9, 2, 1])
    >>> labels, probabilities, _ = h.clusters(2)
    >>> labels.tolist(), probabilities.tolist()
    ([0, 0, 0, 1, 1, 1], [1.0, 1.0, 0.5, 0.5, 1.0, 1.0])
    """

    labels: VertexArray
    probabilities: Floats
    persistence: Floats


@dataclass(frozen=True)
class CondensedTree:
    """The large clusters of a dendrogram, and the level at which each vertex leaves its cluster.

    Clusters are followed from the root of the dendrogram down to its leaves. If both parts of a merge contain
    at least `min_cluster_size` vertices (see :meth:`Dendrogram.condense`), the cluster splits into two new
    clusters. If only one part is large enough, the vertices of the other part leave, and the cluster
    continues without them. The level of a merge, called its *lambda*, is 1 / height, or the height itself if
    weights are similarities.

    Clusters are numbered from `vertices` upward, starting with the root. The number of a cluster is smaller
    than the numbers of the clusters that it splits into. If several components have at least the minimum
    size, the root splits into these components at lambda 0. The vertices of smaller components also leave the
    root at lambda 0.

    Attributes
    ----------
    parent, child : ndarray of int64
        `child` contains all vertices, followed by all clusters except the root. `parent` contains the
        cluster that each child leaves.
    lambda_val : ndarray of float64
        The lambda at which each child leaves its parent.
    child_size : ndarray of int64
        The number of vertices in each child. If the child is a vertex, the size is 1.
    vertices : int
        The number of vertices.

    Examples
    --------
    >>> import pointerjump as pj
    >>> tree = pj.single_linkage([(0, 1), (1, 2), (3, 4)], [1, 2, 4]).condense(2)
    >>> tree.parent.tolist(), tree.lambda_val.tolist(), tree.child_size[-2:].tolist()
    ([7, 7, 7, 6, 6, 5, 5], [1.0, 1.0, 0.5, 0.25, 0.25, 0.0, 0.0], [2, 3])
    """

    parent: Ints
    child: Ints
    lambda_val: Floats
    child_size: Ints
    vertices: int

    def clusters(self, method: Method = "eom") -> FlatClusters:
        """Select flat clusters; see :meth:`Dendrogram.clusters`."""
        if method not in get_args(Method):
            raise GraphError(f"method={method!r}: it must be one of {', '.join(get_args(Method))}")
        n, parent, when = self.vertices, self.parent - self.vertices, self.lambda_val
        # Only ratios matter, and dividing by the largest keeps sums finite.
        when = np.ldexp(when, -np.frexp(when.max(initial=0, where=np.isfinite(when)))[1])
        clusters = len(parent) - n + 1
        above = np.concatenate(([0], parent[n:]))
        birth = np.concatenate(([0.0], when[n:]))
        lasts = np.subtract(when, birth[parent], where=when != birth[parent], out=np.zeros_like(when))
        stability = np.asarray(np.bincount(parent, lasts * self.child_size, clusters), np.float64)
        death = np.zeros(clusters)
        np.maximum.at(death, parent, when)

        chosen = _most_stable(above, stability) if method == "eom" else _leaves(above)
        within = np.full(clusters, -1)
        for c in range(1, clusters):  # a cluster comes after the one that contains it
            within[c] = c if within[above[c]] < 0 and chosen[c] else within[above[c]]
        cluster = within[parent[:n]]
        inside = cluster >= 0
        names, first, numbers = np.unique(cluster[inside], return_index=True, return_inverse=True)
        in_order = np.argsort(first)
        labels, probabilities = np.full(n, -1, np.int32), np.zeros(n)
        labels[inside] = np.argsort(in_order)[numbers]

        left, most = when[:n][inside], death[cluster[inside]]
        whole = (most == 0) | np.isinf(left)
        probabilities[inside] = np.where(whole, 1, np.minimum(left, most) / np.where(whole, 1, most))
        last = when.max(initial=0)
        sizes, names = np.bincount(labels[inside], minlength=len(names)), names[in_order]
        certain = last == 0 or np.isinf(last)
        persistence = np.ones(len(names)) if certain else stability[names] / (sizes * last)
        return FlatClusters(labels, probabilities, persistence)


def condensed(merges: Floats, vertices: int, min_cluster_size: int, *, maximum: bool) -> CondensedTree:
    """Build the condensed tree of a dendrogram; see :meth:`Dendrogram.condense`."""
    least, n = as_count(min_cluster_size, "min_cluster_size", GraphError), vertices
    if least < 2:
        raise GraphError(f"min_cluster_size is {least}: a cluster has at least 2 vertices")
    heights = merges[:, 2]
    if len(negative := np.flatnonzero(heights < 0)):
        raise GraphError(
            f"a weight is {heights[negative[0]]}: clusters are chosen by distances or similarities from 0 on"
        )
    with np.errstate(divide="ignore", over="ignore"):
        lambdas = heights if maximum else 1 / np.abs(heights)

    parts = merges[:, :2].astype(np.int64)
    up = np.arange(n + len(merges))
    up[parts] = np.arange(n, len(up))[:, None]
    top = up == np.arange(len(up))
    size = np.concatenate((np.ones(n, np.int64), merges[:, 3].astype(np.int64)))
    large = size >= least
    splits = np.concatenate((np.zeros(n, bool), large[parts].all(axis=1)))
    heads = large & (top | splits[up])
    # If there is exactly one large component, it is the root. Otherwise, the root is a new cluster that
    # contains all of them.
    found = np.flatnonzero(heads)[::-1]
    tops = int(np.count_nonzero(top & large))
    own_root = tops == 1
    number = np.zeros(len(up), np.int64)
    number[found] = np.arange(len(found)) + (0 if own_root else 1)

    leaves = _flat(np.where(large | top, np.arange(len(up)), up))[:n]  # the cluster that each vertex leaves
    head = _flat(np.where(heads | ~large, np.arange(len(up)), up))
    lambda_of = np.concatenate((np.zeros(n), lambdas))
    born = found[1:] if own_root else found
    under = np.where(top[born], 0, number[head[up[born]]])
    return CondensedTree(
        n + np.concatenate((number[head[leaves]], under)),
        np.concatenate((np.arange(n), n + number[born])),
        np.concatenate(
            (np.where(large[leaves], lambda_of[leaves], 0), np.where(top[born], 0, lambda_of[up[born]]))
        ),
        np.concatenate((np.ones(n, np.int64), size[born])),
        n,
    )


def _flat(up: Ints) -> Ints:
    while not np.array_equal(above := up[up], up):
        up = above
    return up


def _most_stable(above: Ints, stability: Floats) -> list[bool]:
    own, inside, chosen = stability.tolist(), [0.0] * len(above), [True] * len(above)
    for c in range(len(above) - 1, 0, -1):
        chosen[c] = not inside[c] > own[c]
        inside[above[c]] += max(own[c], inside[c])
    return chosen


def _leaves(above: Ints) -> list[bool]:
    chosen: Any = np.ones(len(above), bool)
    chosen[above[1:]] = False
    return list(chosen)
