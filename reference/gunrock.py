"""Gunrock's algorithm: hook and jump, with filters that take out what is settled.

Gunrock hooks and jumps as Soman does. It keeps only the vertices and edges that are not settled yet. Choose
it to see how much filters save, and what they cost.

Y. Wang et al., "Gunrock: a high-performance graph processing library on the GPU", PPoPP 2016; here after
J. Jaiganesh's thesis, section 2.1, and J. Jaiganesh and M. Burtscher, HPDC 2018, section 2.

After each hook, a jump is repeated over the vertices that do not yet point to a representative. The *vertex
filter* takes out the vertices that do; then the *edge filter* takes out all edges whose ends have the same
representative.

In pseudo-code::

    Label[v] = v for each vertex v
    for i = 1, 2, ... until no edge is left:
        hook:
            for each edge (u, v) that is left, in parallel:
                if Label[u] and Label[v] differ:
                    if i is odd: Label[the larger of them] = the smaller
                    otherwise: Label[the smaller of them] = the larger
        of all vertices, repeat until none is left:
            vertex filter: take out those that point to a root
            jump: for each vertex v that is left, in parallel: Label[v] = Label[Label[v]]
        edge filter: take out the edges whose ends have the same label

Its phases:

- *hook*: each edge puts one of its ends' roots under the other
- *vertex filter*: vertices that point to a root are taken out
- *jump*: each vertex that is left points to its grandparent
- *edge filter*: edges whose ends have one root are taken out

Input: each edge in at least one direction. The result is correct whatever the schedule: only roots are
written, in only one direction per round (as in soman). Edges are filtered by labels that are final for the
round. Work O(n + m) a round, less in later rounds; depth about log n rounds in practice, n at worst.

Deviation: the papers say that representatives themselves are filtered out. They need no jump as long as they
are representatives, but a later hook may change that. So every round begins with all vertices.

See also ``soman``: the same hooks, with marks in place of filters; ``label-propagation``: has a frontier of
vertices.
"""

from __future__ import annotations

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.soman import hook
from pointerjump.reference.vocabulary import as_vertices, directed_edges, in_parallel, phase, shared


def gunrock(graph: Graph) -> VertexArray:
    """Return each vertex's representative: a vertex of its component, not always the smallest.

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
    """Return whether v's label is final for this round."""
    parent = Label[v]
    return Label[parent] == parent
