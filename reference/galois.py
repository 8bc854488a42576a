"""Galois's asynchronous algorithm: unite the ends of each edge once, in a concurrent union-find.

Galois's algorithm processes each edge once: it unites the two ends in a union-find structure that is shared
by many threads. Choose this algorithm as a yardstick: among the published algorithms, only Afforest and
ECL-CC are faster.

M. Kulkarni et al., "Optimistic parallelism requires abstractions", PLDI 2007, and the Galois system; as
described by J. Jaiganesh and M. Burtscher, HPDC 2018, section 2.

For each edge, a thread finds the roots of both ends and hooks the larger root under the smaller one by
compare-and-swap. *Find* uses *restricted* pointer jumping, a term that Jaiganesh and Burtscher do not define.
Here, a pointer is moved to the grandparent only if it has not changed since it was read. This way, no thread
overwrites a newer ancestor with an older one.

In pseudo-code::

    parent[v] = v for each vertex v
    merge:
        for each edge (u, v) in parallel:
            a, b = find(u), find(v)
            while a and b differ:
                high, low = the larger and the smaller of a and b
                swap parent[high] from high to low
                if the swap succeeds, the edge is done
                otherwise a, b = find(parent[high]), find(low)
    finalize:
        for each vertex v in parallel: parent[v] = find(v)

    find(v): walk to v's root; on the way, swap the parent of each vertex
        from the value that was read to the grandparent

Its phases:

- *merge*: for each edge, the larger root is hooked under the smaller one
- *finalize*: each vertex points to its root

Input: both directions of every edge, of which only one is used. The result does not depend on the schedule.
Atomic hooks put roots only under smaller vertices, so each root is the smallest vertex of its component. Work
O(n + m log n) at worst; depth the length of the longest path. In practice, each edge takes a few steps.

See also ``union-find``: the serial original; ``ecl-cc``: starts with better parents.
"""

from __future__ import annotations

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.vocabulary import (
    as_vertices,
    compare_and_swap,
    in_parallel,
    phase,
    shared,
    undirected_edges,
)


def galois(graph: Graph) -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    Examples
    --------
    >>> galois(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    parent = shared("parent", range(graph.vertices))
    phase("merge")
    for u, v in in_parallel(undirected_edges(graph)):
        merge(u, v, parent)
    phase("finalize")
    for v in in_parallel(range(graph.vertices)):
        parent[v] = find(v, parent)
    return as_vertices(parent)


def merge(u: int, v: int, parent: list[int]) -> None:
    a, b = find(u, parent), find(v, parent)
    while a != b:
        larger, smaller = max(a, b), min(a, b)
        seen = compare_and_swap(parent, larger, larger, smaller)
        if seen == larger:
            return
        a, b = find(seen, parent), find(smaller, parent)


def find(v: int, parent: list[int]) -> int:
    p = parent[v]
    while (grandparent := parent[p]) != p:
        compare_and_swap(parent, v, p, grandparent)
        v, p = p, grandparent
    return p
