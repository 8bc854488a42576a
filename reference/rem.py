"""Rem's algorithm in parallel (Patwary, Refsnes, Manne): unite, with or without splicing, then verify.

Rem's algorithm climbs from both ends of an edge at the same time, and stops as soon as both have the same
parent. Hooks are plain stores, so some may be lost; lost hooks are detected and repeated. Choose this
algorithm as a yardstick, as Cong and Muzio did.

M. Rem's union-find: E. W. Dijkstra, "A discipline of programming", 1976, chapter 23. Parallel version: M.
Patwary, P. Refsnes and F. Manne, "Multi-core spanning forest algorithms using the disjoint-set data
structure", IPDPS 2012. Used as a baseline: G. Cong and P. Muzio, Euro-Par 2014 workshops, section 6.

With *splicing*, whenever a climb moves up from a vertex, this vertex is put under the parent on the other
path, which is smaller. If two threads hook the same root, one hook is lost. Verification therefore looks at
all edges again.

In pseudo-code::

    p[v] = v for each vertex v
    repeat until no edge is left:
        unite: for each edge (x, y) that is left, in parallel:
            while p[x] and p[y] differ:
                let x be the end with the larger parent
                if x is a root: p[x] = p[y], and the edge is done
                otherwise move x under p[y], and continue from x's old parent
        verify: the edges that are left are all edges whose ends have different roots
    flatten: for each vertex v in parallel: p[v] = root of v

Its phases:

- *unite*: each edge climbs from both ends, and hooks the first root it meets
- *verify*: edges whose ends still have different roots are kept for another round
- *flatten*: each vertex points to its root

Input: each edge in at least one direction. The result is correct regardless of the schedule. A parent is
always smaller than its child, so no cycle can form. If a lost hook or a splice separates vertices, some edge
still connects them. Verification finds this edge, because it looks at every edge. In each round, the first
edge processed reads no stale value. It hooks a root, which never becomes a root again, so the algorithm
terminates. Each representative is the smallest vertex of its component. Work O(n + m log n) in practice;
depth the length of the longest path, in each round.

See also ``rem-cas``: hooks by compare-and-swap, without verification; ``eclaf``: also repairs lost hooks.
"""

from __future__ import annotations

from collections.abc import Callable

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.trees import find_root
from pointerjump.reference.vocabulary import as_vertices, directed_edges, in_parallel, phase, shared


def splice(x: int, p_x: int, p_y: int, p: list[int]) -> int:
    """Move x (not a root) under `p_y`, the smaller parent on the other path. Return x's old parent."""
    p[x] = p_y
    return p_x


def climb(x: int, p_x: int, p_y: int, p: list[int]) -> int:
    return p_x


SPLICING: dict[bool, Callable[[int, int, int, list[int]], int]] = {True: splice, False: climb}


def rem(graph: Graph, splicing: bool = True) -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    Examples
    --------
    >>> rem(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    leave = SPLICING[splicing]
    p = shared("p", range(graph.vertices))
    edges = directed_edges(graph)
    left = edges
    while left:
        phase("unite")
        for u, v in in_parallel(left):
            unite(u, v, p, leave)
        phase("verify")
        left = [(u, v) for u, v in in_parallel(edges) if find_root(u, p) != find_root(v, p)]

    phase("flatten")
    for v in in_parallel(range(graph.vertices)):
        p[v] = find_root(v, p)
    return as_vertices(p)


def unite(x: int, y: int, p: list[int], leave: Callable[[int, int, int, list[int]], int]) -> None:
    p_x, p_y = p[x], p[y]
    while p_x != p_y:
        if p_x < p_y:
            x, y, p_x, p_y = y, x, p_y, p_x
        if p_x == x:
            p[x] = p_y
            return
        x = leave(x, p_x, p_y, p)
        p_x = p[x]
