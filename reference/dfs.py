"""Connected components by depth-first search (Hopcroft, Tarjan).

Depth-first search visits every vertex that can be reached from one vertex, and then starts again from the
next unvisited vertex. Choose this algorithm as the simplest serial program to compare with.

J. Hopcroft and R. Tarjan, "Algorithm 447: efficient algorithms for graph manipulation", CACM 16(6),
1973; the serial baseline of J. Jaiganesh's thesis (section 1.2.2) and of ECL-CC (HPDC 2018, section 1).

An explicit stack is used instead of recursion, so paths may be arbitrarily long.

In pseudo-code::

    search:
        for each vertex s, in ascending order:
            if s is unvisited:
                representative[s] = s, and push s onto a stack
                until the stack is empty:
                    pop a vertex v from the stack
                    for each unvisited neighbor w of v:
                        representative[w] = s, and push w onto the stack

Its phases:

- *search*: each search labels all vertices it reaches with its first vertex

Input: both directions of every edge. Deterministic. Work O(n + m); depth O(n + m): serial.

See also ``bfs``: visits many vertices at a time; ``union-find``: the other serial baseline.
"""

from __future__ import annotations

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.vocabulary import as_vertices, neighborhoods, phase, shared

UNVISITED = -1


def dfs(graph: Graph) -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    Examples
    --------
    >>> dfs(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    N = neighborhoods(graph)
    phase("search")
    representative = shared("representative", [UNVISITED] * len(N))
    for source in range(len(N)):
        if representative[source] != UNVISITED:
            continue
        representative[source] = source
        stack = [source]
        while stack:
            v = stack.pop()
            for w in N[v]:
                if representative[w] == UNVISITED:
                    representative[w] = source
                    stack.append(w)
    return as_vertices(representative)
