"""Multistep: search from the vertex of highest degree, propagate labels elsewhere, finish serially.

Multistep searches from the vertex of highest degree, propagates labels elsewhere and finishes with one
thread. Choose this algorithm as a yardstick, on graphs with one giant component and a small diameter.

G. Slota, S. Rajamanickam and K. Madduri, "BFS and coloring-based parallel algorithms for strongly connected
components and related problems", IPDPS 2014; this is the form for undirected graphs, as described by J.
Jaiganesh and M. Burtscher, HPDC 2018, section 2.

The vertex of highest degree is most likely in the largest component, which a breadth-first search explores in
a few large steps. Once at most `few` labels (64 by default) change in a round, one thread does the rest:
starting a parallel step would take longer than the step itself.

In pseudo-code::

    hub = the vertex of highest degree
    top-down: search breadth-first from hub, and set ID[w] = hub for each vertex w that is reached
    ID[v] = v for each other vertex v, and all of these are in the frontier
    while more than 64 vertices are in the frontier:
        propagate:
            for each vertex v of the frontier in parallel:
                for each neighbor w of v: lower ID[w] to ID[v]
            the vertices whose ID has decreased form the next frontier
        remember: for each vertex w of that frontier in parallel: prevID[w] = ID[w]
    finish: one thread passes on the labels of the frontier, until no label changes

Its phases:

- *top-down*: the frontier claims its unvisited neighbors
- *propagate*: each vertex lowers its label to the smallest one among its neighbors
- *remember*: changed labels are saved for the next round
- *finish*: one thread passes on the remaining labels

Input: both directions of every edge. The result is correct regardless of the schedule. Each representative is
the smallest vertex of its component, except in the component that is searched first: there it is the vertex
of highest degree. Work O(n + m) for the search, O(m') per round for the m' edges that are left; depth the
diameter of the largest component plus the largest diameter of the others.

See also ``bfs``: the first step; ``label-propagation``: the second step; ``afforest``: skips most edges.
"""

from __future__ import annotations

from collections.abc import Sequence

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.bfs import UNVISITED, always_top_down, search
from pointerjump.reference.label_propagation import propagate_changed
from pointerjump.reference.vocabulary import as_vertices, neighborhoods, phase, shared


def multistep(graph: Graph, few: int = 64) -> VertexArray:
    """Return each vertex's representative: a vertex of its component, not always the smallest.

    Examples
    --------
    >>> multistep(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    N = neighborhoods(graph)
    ID = shared("ID", [UNVISITED] * len(N))
    if N:
        hub = max(range(len(N)), key=lambda v: len(N[v]))
        search(hub, N, ID, always_top_down, graph.directed_edges)

    rest = [v for v in range(len(N)) if ID[v] == UNVISITED]
    for v in rest:
        ID[v] = v
    finish_serially(N, ID, propagate_changed(N, ID, rest, few))
    return as_vertices(ID)


def finish_serially(N: Sequence[Sequence[int]], ID: list[int], active: list[int]) -> None:
    phase("finish")
    active = list(active)
    while active:
        v = active.pop()
        for w in N[v]:
            if ID[v] < ID[w]:
                ID[w] = ID[v]
                active.append(w)
