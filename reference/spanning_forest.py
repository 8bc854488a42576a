"""Spanning forest by Afforest's link: the edges whose hooks joined two trees.

A spanning forest is a set of edges without cycles that connects the same vertices as the graph does. Choose
this algorithm when you want the fewest edges that hold each component together.

M. Sutton, T. Ben-Nun and A. Barak, "Optimizing parallel graph connectivity computation via subgraph
sampling", IPDPS 2018, section IV-A.

For each edge, a *link* tries to hook the root of one end's tree under the other tree. If both ends are
already in the same tree, the edge would close a cycle, and is left out. Because the hook is a single atomic
operation, each join is credited to exactly one edge.

In pseudo-code::

    pi[v] = v for each vertex v
    link: for each edge (u, v) in parallel:
        if link(u, v) joins two trees: put (u, v) into the forest

    link(u, v):
        a, b = pi[u], pi[v]
        while a and b differ:
            high, low = the larger and the smaller of a and b
            swap pi[high] from high to low
            if that worked, return: two trees are joined
            otherwise a, b = pi[pi[high]], pi[low]

Its phases:

- *link*: each edge that joins two trees is added to the forest

Input: each edge in at least one direction. The number of forest edges is n minus the number of components;
which edges are chosen depends on the schedule. Work O(n + m) in practice; depth the length of the longest
path.

See also ``afforest``: uses the same link to find components.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pointerjump.base.graph import Graph
from pointerjump.reference.afforest import link
from pointerjump.reference.vocabulary import directed_edges, in_parallel, phase, shared


def spanning_forest(graph: Graph) -> npt.NDArray[np.int32]:
    """Return the edges of a spanning forest.

    Examples
    --------
    >>> spanning_forest(Graph.from_edges([0, 1, 2], [1, 2, 0], vertices=4)).tolist()
    [[0, 1], [0, 2]]
    """
    pi = shared("pi", range(graph.vertices))
    phase("link")
    forest = [(u, v) for u, v in in_parallel(directed_edges(graph)) if link(u, v, pi)]
    return np.array(forest, np.int32).reshape(-1, 2)
