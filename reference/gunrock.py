"""Gunrock's algorithm: hook and jump, with filters that remove settled vertices and edges.

Gunrock hooks and jumps in the same way as Soman's algorithm, but processes only those vertices and edges that
are not settled yet. Choose this algorithm to see how much filters save, and what they cost.

Y. Wang et al., "Gunrock: a high-performance graph processing library on the GPU", PPoPP 2016; this
description follows J. Jaiganesh's thesis, section 2.1, and J. Jaiganesh and M. Burtscher, HPDC 2018, section
2.

After each *hook*, the *jump* is repeated until all vertices point to representatives. Before each jump, the
*vertex filter* removes the vertices that already do so. After the last jump, the *edge filter* removes the
edges whose ends have the same representative.

In pseudo-code::

    Label[v] = v for each vertex v
    for i = 1, 2, ... until no edge is left:
        hook:
            for each remaining edge (u, v) in parallel:
                if Label[u] and Label[v] differ:
                    if i is odd: Label[the larger of them] = the smaller
                    otherwise: Label[the smaller of them] = the larger
        starting with all vertices, repeat until none is left:
            vertex filter: remove the vertices that point to a root
            jump: for each remaining vertex v in parallel: Label[v] = Label[Label[v]]
        edge filter: remove the edges whose ends have the same label

Its phases:

- *hook*: for each edge, the root of one end is hooked under the other's
- *vertex filter*: vertices that point to a root are removed
- *jump*: each remaining vertex points to its grandparent
- *edge filter*: edges whose ends have the same root are removed

Input: each edge in at least one direction. The result is correct regardless of the schedule: hooks change
only roots, and all hooks of a round have the same direction, as in ``soman``. Edges are not filtered until
the labels of the round are final. Work O(n + m) a round, less in later rounds; depth about log n rounds in
practice, n at worst.

Deviation: according to the papers, representatives themselves are also filtered out. A representative needs
no jump, but a later hook may put it under another vertex. Therefore, every round begins with all vertices.

See also ``soman``: marks edges instead of removing them; ``label-propagation``: processes a frontier.
"""

from __future__ import annotations

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.soman import hook
from pointerjump.reference.vocabulary import as_vertices, directed_edges, in_parallel, phase, shared


def gunrock(graph: Graph) -> VertexArray:
    """Return each vertex's representative: a vertex of its component, but not necessarily the smallest.

    Examples
    --------
    >>> gunrock(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    Label = shared("Label", range(graph.vertices))
    edges = directed_edges(graph)
    iteration = 0
    while edges:
        iteration += 1
        phase("hook")
        for u, v in in_parallel(edges):
            hook(u, v, Label, iteration)

        vertices = list(range(graph.vertices))
        while vertices:
            phase("vertex filter")
            vertices = [v for v in in_parallel(vertices) if not points_to_representative(v, Label)]
            phase("jump")
            for v in in_parallel(vertices):
                Label[v] = Label[Label[v]]

        phase("edge filter")
        edges = [(u, v) for u, v in in_parallel(edges) if Label[u] != Label[v]]
    return as_vertices(Label)


def points_to_representative(v: int, Label: list[int]) -> bool:
    parent = Label[v]
    return Label[parent] == parent
