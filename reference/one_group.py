"""Union-find for small graphs in a single launch, by one work-group or serially by one work-item.

One work-group runs union-find in a single launch: each edge finds the roots of its two ends, and hooks the
larger root under the smaller one. Choose this algorithm for small graphs, as ``auto`` does: starting several
launches takes longer than the work itself.

R. E. Tarjan, "Efficiency of a good but not linear set union algorithm", JACM 22(2), 1975, for union by index;
the concurrent hook is taken from J. Jaiganesh and M. Burtscher, "A high-performance connected components
implementation for GPUs", HPDC 2018, figure 6.

A single work-group needs only one launch, because barriers can separate its steps.

In pseudo-code::

    parent[v] = v for each vertex v
    unite: for each edge (u, v) in parallel:
        a, b = find(u), find(v)
        while a and b differ:
            high, low = the larger and the smaller of a and b
            swap parent[high] from high to low
            if that worked, the edge is done
            otherwise a, b = find(parent[high]), low
    finish: for each vertex v in parallel: parent[v] = root of v

    find(v): walk to v's root, and point each vertex on the way to its grandparent

Its phases:

- *unite*: each edge finds its ends' roots, and hooks the larger under the smaller
- *finish*: each vertex points to its root

Input: each edge in at least one direction. The result is deterministic regardless of the schedule: only roots
are hooked, each under a smaller vertex, so each representative is the smallest vertex of its component. Work
O(n + m log n); depth the length of the longest path. Without path shortening, the work is O(n m) at worst.

See also ``union-find``: the serial original; ``rem-cas``: climbs from both ends of an edge at the same time.
"""

from __future__ import annotations

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference import rem_cas
from pointerjump.reference.trees import FIND, Find, shortcut
from pointerjump.reference.vocabulary import (
    as_vertices,
    compare_and_swap,
    directed_edges,
    in_parallel,
    phase,
    shared,
)


def one_group(graph: Graph, find: str = "splitting") -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    `find` selects how paths are shortened on the way to a root: "splitting", "halving" or "none". With
    "together", the paths from both ends of an edge are climbed at the same time.

    Examples
    --------
    >>> one_group(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    parent = shared("parent", range(graph.vertices))
    phase("unite")
    for u, v in in_parallel(directed_edges(graph)):
        if find == "together":
            rem_cas.unite(u, v, parent, rem_cas.halve)
        else:
            unite(u, v, parent, FIND[find])
    finish(parent)
    return as_vertices(parent)


def unite(u: int, v: int, parent: list[int], find_root: Find) -> None:
    a, b = find_root(u, parent), find_root(v, parent)
    while a != b:
        high, low = max(a, b), min(a, b)
        above = compare_and_swap(parent, high, high, low)
        if above == high:
            return
        a, b = find_root(above, parent), low


def finish(parent: list[int]) -> None:
    phase("finish")
    for v in in_parallel(range(len(parent))):
        shortcut(v, parent)
