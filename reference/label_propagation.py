"""Minimum-label propagation, and Ligra's algorithm Components, which passes on only changed labels.

In label propagation, every vertex repeatedly lowers its label to the smallest one among its neighbors, until
no label changes. Choose this algorithm for graphs with a small diameter, but never for road maps.

J. Shun and G. Blelloch, "Ligra: a lightweight graph processing framework for shared memory", PPoPP 2013;
J. Jaiganesh's thesis, algorithm 7; M. Sutton, T. Ben-Nun and A. Barak, IPDPS 2018, section II-B.

Each vertex starts with its own number as its label, and ends with the smallest number in its component. In
the plain form, every vertex looks at all of its neighbors in each round. Ligra's algorithm Components keeps a
*frontier*: only vertices whose labels changed in the previous round pass their labels on. The array prevID
stores the labels from the start of the round, so that each vertex enters the next frontier only once.

In pseudo-code::

    ID[v] = v for each vertex v, and all vertices are in the frontier
    repeat until the frontier is empty:
        propagate:
            for each vertex v of the frontier in parallel:
                for each neighbor w of v: lower ID[w] to ID[v]
            the vertices whose ID has decreased form the next frontier
        remember:
            for each vertex w of that frontier in parallel: prevID[w] = ID[w]

Its phases:

- *propagate*: each vertex lowers its label to the smallest one among its neighbors
- *remember*: changed labels are saved for the next round

Input: both directions of every edge. The result does not depend on the schedule, because labels only
decrease. If a vertex passes on a stale label, it passes on the current one in the next round. Work O(n + m) a
round; depth as many rounds as the diameter at worst.

See also ``fast-sv``: also lets labels jump; ``multistep``: searches the largest component first.
"""

from __future__ import annotations

from collections.abc import Sequence

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.vocabulary import as_vertices, fetch_min, in_parallel, neighborhoods, phase, shared


def label_propagation(graph: Graph, frontier: str = "changed") -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    With ``frontier="changed"``, only changed labels are passed on, as in Ligra. With ``"all"``, all labels
    are passed on in each round.

    Examples
    --------
    >>> label_propagation(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    N = neighborhoods(graph)
    ID = shared("ID", range(len(N)))
    if frontier == "all":
        propagate_all(N, ID)
    else:
        propagate_changed(N, ID, list(range(len(N))))
    return as_vertices(ID)


def propagate_all(N: Sequence[Sequence[int]], ID: list[int]) -> None:
    changed = True
    while changed:
        changed = False
        phase("propagate")
        for v in in_parallel(range(len(N))):
            smallest = ID_v = ID[v]
            for w in N[v]:
                smallest = min(smallest, ID[w])
            if smallest < ID_v:
                ID[v] = smallest
                changed = True


def propagate_changed(
    N: Sequence[Sequence[int]], ID: list[int], frontier: list[int], few: int = 0
) -> list[int]:
    """Propagate labels until at most `few` vertices are left in the frontier, and return these vertices."""
    prevID = shared("prevID", ID)
    while len(frontier) > few:
        phase("propagate")
        lowered = []
        for v in in_parallel(frontier):
            ID_v = ID[v]
            for w in N[v]:
                before = fetch_min(ID, w, ID_v)
                if ID_v < before and before == prevID[w]:  # the first to lower it in this round
                    lowered.append(w)
        phase("remember")
        for w in in_parallel(lowered):
            prevID[w] = ID[w]
        frontier = lowered
    return frontier
