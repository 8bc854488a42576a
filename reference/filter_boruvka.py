"""Filter-Borůvka: process light edges first, so that most heavy edges can be discarded immediately.

Filter-Borůvka runs Borůvka's algorithm on the lightest edges, and then on those heavier edges that still join
two trees. Choose this algorithm for any graph, as ``auto`` does. With few edges per vertex, there is little
to filter.

A. Fallin, A. Gonzalez, J. Seo and M. Burtscher, "A high-performance MST implementation for GPUs", SC 2023,
section 3 (ECL-MST); V. Osipov, P. Sanders and J. Singler, "The filter-Kruskal minimum spanning tree
algorithm", ALENEX 2009.

From a sample of the weights, a threshold is chosen such that there are about 1.2 lighter edges per vertex.
The minimum spanning forest of these light edges connects most vertices. If both ends of a heavier edge are in
the same tree of this forest, the edge is the heaviest edge of a cycle. It is therefore in no minimum spanning
forest. Most edges are of this kind, and each of them is examined only once.

In pseudo-code::

    init: for each vertex v in parallel: parent[v] = v
    sample: choose a threshold from the weights of some edges
    take light: for each edge (u, v) up to the threshold in parallel: keep it, and offer it to u and v
    join, find: as in Boruvka's algorithm, until no edge is left
    flatten: for each vertex v in parallel: parent[v] = root of v
    take heavy: for each other edge in parallel:
        u, v = parent of u, parent of v
        keep it if u and v differ, and offer it to u and v
    join, find: until no edge is left

Its phases:

- *init*: each vertex is a tree
- *sample*: a few weights decide which edges are light
- *take light*: each vertex is offered its light edges
- *join*: each tree is joined to another along its lightest edge
- *find*: each tree is offered the edges that leave it
- *flatten*: each vertex points to its root
- *take heavy*: each tree is offered the heavy edges that leave it

Input: edges in any order and direction; loops and repeated edges are allowed. The result depends on neither
the schedule nor the sample, which affects only the running time. Work O(m log n); depth O(log n) rounds. If
few heavy edges join two trees, the work is O(m + n log n).

ECL-MST filters edges only if there are at least four neighbors per vertex on average. Here, edges are always
filtered. This works even if all weights are equal, because ties are broken by the positions of the edges in
the input.

See also ``boruvka``: processes all edges from the start.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pointerjump.base.graph import Graph
from pointerjump.base.limits import SAMPLED_WEIGHTS, spread
from pointerjump.base.weighted import Weighted, light_samples
from pointerjump.reference.boruvka import NOTHING, GrowingTrees, Left, Lightness, edges_left
from pointerjump.reference.trees import shortcut
from pointerjump.reference.vocabulary import in_parallel, phase


def filter_boruvka(weighted: Weighted) -> npt.NDArray[np.int64]:
    """Return the indices of the minimum spanning forest's edges, in ascending order.

    Examples
    --------
    >>> from pointerjump import Graph
    >>> triangle = Graph.from_edges([0, 1, 2], [1, 2, 0])
    >>> filter_boruvka(Weighted(triangle, np.array([3, 1, 2]))).tolist()
    [1, 2]
    """
    n, edges = weighted.graph.vertices, edges_left(weighted)
    growing = GrowingTrees(weighted)
    phase("sample")
    threshold = sampled_threshold(weighted.graph, edges)

    phase("take light")
    light = [edge for edge in edges if edge.lightness <= threshold]
    growing.rounds(growing.offer(in_parallel(light)))

    phase("flatten")
    for v in in_parallel(range(n)):
        shortcut(v, growing.parent)

    phase("take heavy")
    heavy = [edge for edge in edges if edge.lightness > threshold]
    parent = growing.parent
    growing.rounds(growing.offer(Left(parent[u], parent[v], each) for u, v, each in in_parallel(heavy)))
    return np.sort(np.array(growing.forest, np.int64))


def sampled_threshold(graph: Graph, edges: list[Left]) -> Lightness:
    """Return a threshold such that about `LIGHT_EDGES` undirected edges per vertex are not heavier."""
    m = len(edges)
    samples = min(m, SAMPLED_WEIGHTS)
    in_order = sorted(edges[e].lightness for e in spread(samples, m))
    return in_order[light_samples(graph, m, samples) - 1] if samples else NOTHING
