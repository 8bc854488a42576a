"""ECLaf: ECL-CC without atomic operations, repeated until nothing changes.

ECLaf is ECL-CC with plain stores in place of compare-and-swap. It repeats its pass over the edges until no
edge joins two different trees. Choose this algorithm for devices without atomics.

J. Jaiganesh, "Connected components on GPUs and CPUs" (thesis, Texas State University, 2017), section 4.5,
algorithms 14 and 15.

If two threads hook the same root, one hook overwrites the other, which is then lost. Therefore, the flag
*reiterate* is set whenever the ends of an edge have different representatives, and *compute* is run again.

In pseudo-code::

    init:
        for each vertex v in parallel:
            parent[v] = the first neighbor of v that is smaller than v, or v itself
    repeat until a and b are equal for every edge:
        compute:
            for each vertex v in parallel:
                a = find(v)
                for each neighbor u of v that is smaller than v:
                    b = find(u)
                    if a and b differ:
                        parent[the larger] = the smaller   (a plain store)
                        a = the smaller
    finalize:
        for each vertex v in parallel: parent[v] = root of v

    find(v): walk to v's root, and point each vertex on the way to its grandparent

Its phases:

- *init*: each vertex points to its first smaller neighbor, if it has one
- *compute*: each edge stores the smaller representative as the larger one's parent
- *finalize*: each vertex points to its root

Input: both directions of every edge. The result does not depend on the schedule: each root is the smallest
vertex of its component. Every round except the last permanently turns at least one root into a child, so the
algorithm terminates. Work O(n + m) a round; depth two or three rounds in practice, n at worst.

Deviation: algorithm 15 sets *reiterate* for every edge, so it would never terminate. The text above the
listing states the intended condition, which is used here.

See also ``ecl-cc``: uses atomics and needs only one round; ``rem``: also repairs lost hooks.
"""

from __future__ import annotations

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.ecl_cc import init_first, jump_intermediate, jump_single
from pointerjump.reference.vocabulary import as_vertices, in_parallel, neighborhoods, phase, shared


def eclaf(graph: Graph) -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    Examples
    --------
    >>> eclaf(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    N = neighborhoods(graph)
    V = range(len(N))

    phase("init")
    parent = shared("parent", V)
    for v in in_parallel(V):
        parent[v] = init_first(v, N[v])

    reiterate = True
    while reiterate:
        phase("compute")
        reiterate = compute(N, parent)

    phase("finalize")
    for v in in_parallel(V):
        parent[v] = jump_single(v, parent)
    return as_vertices(parent)


def compute(N: list[list[int]], parent: list[int]) -> bool:
    reiterate = False
    for v in in_parallel(range(len(N))):
        vstat = jump_intermediate(v, parent)
        for u in N[v]:
            if v > u:
                ostat = jump_intermediate(u, parent)
                if vstat < ostat:
                    parent[ostat] = vstat
                    reiterate = True
                elif ostat < vstat:
                    parent[vstat] = ostat
                    vstat = ostat
                    reiterate = True
    return reiterate
