"""Groute's algorithm: for each segment of edges, hook roots atomically, and then flatten all trees.

Groute processes the edges in segments. For each edge, the larger of the two labels at its ends is hooked
under the smaller one by compare-and-swap. All trees are flattened after each segment. Choose this algorithm
as a yardstick: like ECL-CC, it looks at each edge once.

T. Ben-Nun, M. Sutton, S. Pai and K. Pingali, "Groute: an asynchronous multi-GPU programming model for
irregular computations", PPoPP 2017; this description follows J. Jaiganesh's thesis, algorithm 6
(Sutton et al.), and J. Jaiganesh and M. Burtscher, HPDC 2018, section 2.

A hook climbs the tree until it succeeds, so no edge is visited twice.

In pseudo-code::

    Label[v] = v for each vertex v
    for each of the 2m / n segments of edges, one after the other:
        hook:
            for each edge (u, v) of the segment in parallel:
                a, b = Label[u], Label[v]
                while a and b differ:
                    high, low = the larger and the smaller of a and b
                    swap Label[high] from high to low
                    if the swap succeeds, the edge is done
                    otherwise a, b = Label[high], low
        multi-jump:
            for each vertex v in parallel: Label[v] = root of v

Its phases:

- *hook*: each edge of a segment hooks the larger root under the smaller one
- *multi-jump*: each vertex points to its root

Input: each edge in at least one direction. The result does not depend on the schedule. Hooks are atomic and
put roots only under smaller vertices, so each representative is the smallest vertex of its component. Work
O(n + m) in practice; depth 2m/n segments, each as deep as its longest path.

Deviation: algorithm 6 repeats a segment until no hook changes anything. According to Jaiganesh and Burtscher,
atomic hooks make this repetition unnecessary, so it is omitted here.

See also ``ecl-cc``: hooks in the same way, without segments; ``afforest-edges``: flattens trees less often.
"""

from __future__ import annotations

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.ecl_cc import hook
from pointerjump.reference.trees import shortcut
from pointerjump.reference.vocabulary import as_vertices, directed_edges, in_parallel, phase, shared


def groute(graph: Graph) -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    Examples
    --------
    >>> groute(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    E = directed_edges(graph)
    Label = shared("Label", range(graph.vertices))
    segments = max(1, 2 * len(E) // max(graph.vertices, 1))
    for i in range(segments):
        phase("hook")
        for u, v in in_parallel(E[len(E) * i // segments : len(E) * (i + 1) // segments]):
            hook(Label[u], Label[v], Label)
        phase("multi-jump")
        for v in in_parallel(range(graph.vertices)):
            shortcut(v, Label)
    return as_vertices(Label)
