"""Dendrograms: the results of single-linkage clustering."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.edges import EdgeList, VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.integers import as_count
from pointerjump.base.weighted import Weighted, Weights
from pointerjump.errors import GraphError
from pointerjump.solving.condensed import CondensedTree, FlatClusters, Method, condensed
from pointerjump.solving.dendrogram_plots import plot_merges
from pointerjump.solving.inputs import HostGraph
from pointerjump.solving.result import find_components
from pointerjump.solving.run import Order, Run, order, solve
from pointerjump.solving.spanning_forests import SpanningForest, WeightedGraph

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Merges = npt.NDArray[np.signedinteger[Any]]
"""An array with one row per merge, in the order of `Dendrogram.merges`. The columns are the numbers of the
two merged clusters (the smaller number first), the size of the new cluster and the index of the edge that
merges them. Clusters 0 to vertices - 1 are the single vertices. The cluster that row i creates has the number
vertices + i."""

_BYTES_PER_EDGE = 48  # at the peak of reading merges, including the linkage matrix
_ROWS_AT_ONCE = 1 << 16  # rows of the linkage matrix filled by a thread at a time; they fit into a cache
_GREATEST = float(np.finfo(np.float32).max)


def find_merges(wanted: Order, forest: Weighted) -> tuple[Merges, Run]:
    m = len(forest.weights)
    memory.require(_BYTES_PER_EDGE * m, f"the merges of {m:,} edges")
    input = WeightedGraph(forest, forest=True)
    found, run = solve(wanted, input, lambda session, plan: plan.answer(session, 4 * m))
    return np.reshape(found, (m, 4)), run


def scipys_form(merges: Merges, weights: Weights) -> npt.NDArray[np.float64]:
    """Convert merges to a linkage matrix in scipy's format."""
    matrix = np.empty((len(merges), 4))

    def fill(begin: int) -> None:
        rows, found = matrix[begin : begin + _ROWS_AT_ONCE], merges[begin : begin + _ROWS_AT_ONCE]
        rows[:] = found
        rows[:, 3] = rows[:, 2]
        rows[:, 2] = weights[found[:, 3]]

    begins = range(0, len(merges), _ROWS_AT_ONCE)
    try:
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            deque(threads.map(fill, begins), 0)
    except RuntimeError:  # no thread can be started, for instance because the interpreter is ending
        deque(map(fill, begins), 0)
    return matrix


class Dendrogram:
    """The hierarchy of merges that single-linkage clustering produces.

    Initially, each vertex is a cluster of its own. Each edge of the minimum spanning forest then merges the
    clusters of its two endpoints. The height of the merge is the weight of the edge.

    Attributes
    ----------
    forest : SpanningForest
        The minimum spanning forest, with its edges in input order.
    maximum : bool
        Whether weights are similarities. In that case, heights decrease from one merge to the next.
    vertices : int
        The number of vertices.
    count : int
        The number of clusters after all merges, which is the number of components of the graph.
    names : ndarray or None
        The names of the vertices, or None if they have no names. If the input was a table, the names are its
        ids.

    Examples
    --------
    >>> import pointerjump as pj
    >>> h = pj.single_linkage([(0, 1), (1, 2), (2, 0), (3, 4)], [5, 2, 1, 7])
    >>> h.merges.tolist()
    [[0.0, 2.0, 1.0, 2.0], [1.0, 5.0, 2.0, 3.0], [3.0, 4.0, 7.0, 2.0]]
    >>> h.cut(height=2).tolist(), h.cut(count=4).tolist()
    ([0, 0, 0, 1, 2], [0, 1, 0, 2, 3])
    """

    def __init__(self, forest: SpanningForest, *, maximum: bool) -> None:
        self.forest, self.maximum = forest, maximum
        self.vertices, self.count, self.names = forest.vertices, forest.count, forest.names

    @cached_property
    def _merges(self) -> Merges:
        sources, targets = self.forest.edges.T
        graph = Graph.of_checked(EdgeList(sources, targets, self.vertices))
        wanted = order("dendrograms", "auto", self.forest.run.devices[0], {})
        return find_merges(wanted, Weighted(graph, self.forest.weights, self.maximum))[0]

    @cached_property
    def heights(self) -> Weights:
        """The height of each merge, with the same dtype as the weights."""
        weights: Weights = self.forest.weights[self._merges[:, 3]]
        return weights

    @cached_property
    def merges(self) -> npt.NDArray[np.float64]:
        """All merges in order, as a linkage matrix in scipy's format.

        The matrix has shape (vertices - count, 4). Row i contains the numbers of the two merged clusters (the
        smaller number first), the weight of the edge that merges them and the size of the new cluster. The
        new cluster has the number vertices + i. The rows are sorted from the lightest edge to the heaviest,
        or from the heaviest to the lightest if weights are similarities. Edges with equal weights are in
        input order.

        If you pass the matrix to scipy's functions, weights must be dissimilarities. The graph must also have
        a single component, so that there are vertices - 1 rows.
        """
        return scipys_form(self._merges, self.forest.weights)

    def cut(
        self, *, height: Any = None, count: int | None = None, max_size: int | None = None
    ) -> VertexArray:
        """Cut the dendrogram into flat clusters, and return the cluster number of each vertex.

        Exactly one argument must be passed: a height, a number of clusters or a maximum size. Clusters are
        numbered from 0, in order of their smallest vertices, as in :func:`components`.

        Parameters
        ----------
        height : number, optional
            The height at which to cut. Only edges of at most this weight merge clusters. If weights are
            similarities, only edges of at least this weight do. If the weights are float32, the height is
            rounded to float32.
        count : int, optional
            The number of clusters to return, at least `self.count`. If several merges have the same height,
            the cut may fall between them.
        max_size : int, optional
            The maximum number of vertices in a cluster, at least 1. The clusters are the largest subtrees of
            the dendrogram that do not exceed this size.
        """
        if sum(each is not None for each in (height, count, max_size)) != 1:
            raise GraphError("a cut needs either height=, count= or max_size=")
        merged: Any
        if max_size is not None:
            most = as_count(max_size, "max_size", GraphError)
            if most < 1:
                raise GraphError(f"max_size is {most}: a cluster has at least 1 vertex")
            merged = self._merges[:, 2] <= most  # all the earlier merges inside it are smaller
        elif count is None:
            merged = slice(self._up_to(height))
        else:
            wanted = as_count(count, "count", GraphError)
            if not self.count <= wanted <= self.vertices:
                raise GraphError(
                    f"count is {wanted}, but there are between {self.count} and {self.vertices} clusters"
                )
            merged = slice(self.vertices - wanted)
        sources, targets = self.forest.edges[self._merges[merged, 3]].T
        graph = Graph.of_checked(EdgeList(sources, targets, self.vertices))
        asked = order("components", "auto", self.forest.run.devices[0], {})
        return find_components(asked, HostGraph(graph)).labels

    def condense(self, min_cluster_size: int) -> CondensedTree:
        """Return the condensed tree, which contains only sufficiently large clusters, as in HDBSCAN*.

        If a group of fewer than `min_cluster_size` vertices splits off from a cluster, its vertices leave
        without forming a new cluster. `min_cluster_size` must be at least 2, and weights must not be
        negative.
        """
        return condensed(self.merges, self.vertices, min_cluster_size, maximum=self.maximum)

    def clusters(self, min_cluster_size: int, method: Method = "eom") -> FlatClusters:
        """Select flat clusters, possibly at different heights, as in the hdbscan package.

        If `method` is ``"eom"`` (excess of mass), the selection maximizes the total range of lambda for which
        vertices stay in their clusters (see :class:`CondensedTree`). If it is ``"leaf"``, the clusters that
        never split are selected. The root is never selected. See :meth:`condense` for `min_cluster_size`.
        """
        return self.condense(min_cluster_size).clusters(method)

    def plot(self, merges: int = 30, ax: Axes | None = None) -> Axes:
        """Plot the last merges, which form the top of the tree.

        This requires matplotlib (``pip install 'pointerjump[plot]'``). Each merge is drawn as a bar at its
        height. Below the bar are the two merged clusters. Each is drawn as another bar or as a leaf. A leaf
        that is a single vertex is labelled with its name, any other leaf with its size in parentheses.
        Components without any of the last merges are omitted. If weights are similarities, the height
        decreases from bottom to top.

        Parameters
        ----------
        merges : int
            The maximum number of merges to plot, at least 1. The plotted heights must be finite.
        ax : matplotlib Axes, optional
            The axes to plot on. Defaults to the current axes, as in scipy's ``dendrogram``.

        Examples
        --------
        >>> import matplotlib
        >>> import pointerjump as pj
        >>> matplotlib.use("agg")
        >>> ax = pj.single_linkage([(0, 1), (1, 2), (2, 0), (3, 4)], [5, 2, 1, 7]).plot()
        >>> [label.get_text() for label in ax.get_xticklabels()]
        ['1', '0', '2', '3', '4']
        """
        return plot_merges(self.merges, self.vertices, self.names, self.maximum, merges, ax)

    def _up_to(self, height: Any) -> int:
        """Return the number of merges at or below `height`; for similarities, at or above `height`.

        Integers are compared exactly. If the heights are float32, `height` is rounded to float32, unless it
        exceeds the range of this type.
        """
        if not isinstance(height, Real) or height != height:
            raise GraphError(f"height is {height!r}: it must be a number")
        at: Any = height
        if self.heights.dtype == np.float32 and abs(at) <= _GREATEST:
            at = float(np.float32(at))
        if self.maximum:
            return bisect_right(self.heights, -at, key=lambda weight: -weight.item())
        return bisect_right(self.heights, at, key=lambda weight: weight.item())

    def __repr__(self) -> str:
        return f"Dendrogram(count={self.count}, vertices={self.vertices})"
