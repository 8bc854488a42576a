"""Minimum-label propagation, and Ligra's Components, in which only changed labels are passed on.

In label propagation every vertex takes the smallest label among its neighbors, until no label changes. Choose
it for graphs with a small diameter, but never for road maps.

J. Shun and G. Blelloch, "Ligra: a lightweight graph processing framework for shared memory", PPoPP 2013;
J. Jaiganesh's thesis, algorithm 7; M. Sutton, T. Ben-Nun and A. Barak, IPDPS 2018, section II-B.

Labels begin as the vertices' own numbers. In the end, all vertices of a component have the label of its
smallest vertex. In the plain form, all vertices look at all their neighbors in each round. Ligra's Components
keeps a *frontier*: only vertices whose labels changed in the previous round pass them on (prevID holds the
labels before).

In pseudo-code::

    ID[v] = v for each vertex v, and all vertices are in the frontier
    repeat until the frontier is empty:
        propagate:
            for each vertex v of the frontier in parallel:
                for each neighbor w of v: lower ID[w] to ID[v]
            the vertices whose ID has fallen are the next frontier
        remember:
            for each vertex w of that frontier in parallel: prevID[w] = ID[w]

Its phases:

- *propagate*: each vertex takes the smallest label that its neighbors offer, if smaller
- *remember*: labels that have changed are noted, for the next round

Input: both directions of every edge. The result is deterministic whatever the schedule: labels only become
smaller. If a stale label was passed on, the next round passes on the new one. Work O(n + m) a round; depth as
many rounds as the diameter at worst. With a frontier, a round looks only at the edges of the frontier's
vertices.

See also ``fast-sv``: lets labels jump, too; ``multistep``: searches the largest component first;
``ligra-plus``: propagates over compressed rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.vocabulary import as_vertices, fetch_min, in_parallel, neighborhoods, phase, shared


def label_propagation(graph: Graph, frontier: str = "changed") -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    With ``frontier="changed"``, only vertices whose labels changed pass their labels on (Ligra's Components);
    with ``"all"``, all vertices do.

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
    """Let every vertex take its neighbors' smallest label, until nothing changes."""
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
    """Let the frontier lower its neighbors' labels until at most `few` vertices are in it; return these."""
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
