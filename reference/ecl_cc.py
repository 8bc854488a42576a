"""ECL-CC (Jaiganesh, Burtscher): visit each edge once, in variants Init1-3 x Jump1-4 x Fini1-3.

ECL-CC processes each edge once. It finds the representatives of both ends and hooks the larger one under the
smaller one by compare-and-swap. Choose this algorithm as a yardstick: it and Afforest are the fastest of the
published algorithms here.

J. Jaiganesh and M. Burtscher, "A high-performance connected components implementation for GPUs", HPDC
2018, section 3 (figures 5 and 6) and section 5.1 (the variants); J. Jaiganesh's thesis, chapter 4.

*Init* sets the parent of each vertex to a smaller neighbor, or to the vertex itself if it has none. *Compute*
processes each edge from its larger end and shortens the paths that it walks.

In pseudo-code::

    init:
        for each vertex v in parallel:
            parent[v] = the first neighbor in v's row that is smaller than v, or v itself
    compute:
        for each vertex v in parallel:
            a = find(v)
            for each neighbor u of v that is smaller than v:
                b = find(u)
                while a and b differ:
                    high, low = the larger and the smaller of a and b
                    swap parent[high] from high to low
                    a, b = parent[high], low   (equal if the swap succeeded)
    finalize:
        for each vertex v in parallel: parent[v] = root of v

    find(v): walk to v's root, and point each vertex on the way to its grandparent

Its phases:

- *init*: each vertex points to a smaller neighbor, if it has one
- *compute*: for each edge, the larger representative is hooked under the smaller one
- *finalize*: each vertex points to its root

Input: both directions of every edge; the neighbors in a row may be in any order. In a sorted row, the first
smaller neighbor is also the smallest. The result does not depend on the schedule: a parent is never larger
than its children, so each root is the smallest vertex of its component. Work O(n + m log n) at worst; depth
the length of the longest path. In practice, each edge takes slightly more than one step.

The kernels for GPUs divide the vertices into runs of consecutive ids. In *init*, each vertex jumps from
parent to parent until it reaches a root or leaves its run. Also on GPUs, Init3 looks at only the first 16
neighbors in a row. In all kernels, *compute* skips an edge if the parent of its smaller end is the
representative of its larger end.

See also ``eclaf``: needs no atomics; ``galois``: all vertices start as roots; ``afforest``: skips most edges.
"""

from __future__ import annotations

from collections.abc import Callable

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.vocabulary import (
    as_vertices,
    compare_and_swap,
    fetch_min,
    in_parallel,
    neighborhoods,
    phase,
    shared,
)

# -- Init: the initial parent of v (section 5.1, figure 7) --------------------------------------


def init_own(v: int, neighbors: list[int]) -> int:
    """Init1: return v itself."""
    return v


def init_smallest(v: int, neighbors: list[int]) -> int:
    """Init2: return the smallest neighbor if it is smaller than v, otherwise v."""
    return min([v, *neighbors])


def init_first(v: int, neighbors: list[int]) -> int:
    """Init3, as used by ECL-CC: return the first neighbor smaller than v, or v if there is none."""
    return next((u for u in neighbors if u < v), v)


# -- Jump: find v's representative, shortening the path (section 5.1, figure 8) ------------------


def jump_multiple(v: int, parent: list[int]) -> int:
    """Jump1, multiple pointer jumping: find the root, then make every vertex on the path point to it."""
    representative = jump_none(v, parent)
    while (following := parent[v]) > representative:
        parent[v] = representative
        v = following
    return representative


def jump_single(v: int, parent: list[int]) -> int:
    """Jump2, single pointer jumping: find the root, then point only v to it."""
    par = parent[v]
    representative = jump_none(par, parent)
    if representative < par:
        parent[v] = representative
    return representative


def jump_none(v: int, parent: list[int]) -> int:
    """Jump3: find the root and leave the path unchanged."""
    while parent[v] < v:
        v = parent[v]
    return v


def jump_intermediate(v: int, parent: list[int]) -> int:
    """Jump4, as used by ECL-CC: find the root; make vertices on the path point to their grandparents."""
    par = parent[v]
    if par != v:
        prev = v
        while par > (following := parent[par]):
            parent[prev] = following
            prev = par
            par = following
    return par


def fini_intermediate(v: int, parent: list[int]) -> int:
    """Fini1: like Jump4, but with atomic minima. A vertex that points to its root keeps this parent."""
    par = parent[v]
    if par != v:
        prev = v
        while par > (following := parent[par]):
            fetch_min(parent, prev, following)
            prev = par
            par = following
    return par


Init = Callable[[int, list[int]], int]
Jump = Callable[[int, list[int]], int]

INIT: dict[str, Init] = {"own": init_own, "smallest": init_smallest, "first": init_first}
JUMP: dict[str, Jump] = {
    "multiple": jump_multiple,
    "single": jump_single,
    "none": jump_none,
    "intermediate": jump_intermediate,
}
FINI: dict[str, Jump] = {
    "intermediate": fini_intermediate,
    "multiple": jump_multiple,
    "single": jump_single,
}


def hook(v_rep: int, u_rep: int, parent: list[int]) -> int:
    """Hook the larger representative under the smaller one. Return their new common root."""
    while v_rep != u_rep:
        larger, smaller = max(v_rep, u_rep), min(v_rep, u_rep)
        seen = compare_and_swap(parent, larger, larger, smaller)
        if seen == larger:
            return smaller
        v_rep, u_rep = seen, smaller
    return v_rep


def ecl_cc(
    graph: Graph, init: str = "first", jump: str = "intermediate", fini: str = "single"
) -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    The options select the paper's variants: Init1 to Init3 ("own", "smallest", "first"), Jump1 to Jump4
    ("multiple", "single", "none", "intermediate") and Fini1 to Fini3 ("intermediate", "multiple", "single").

    Examples
    --------
    >>> ecl_cc(Graph.from_edges([0, 4], [2, 3], vertices=5), jump="none").tolist()
    [0, 1, 0, 3, 3]
    """
    N = neighborhoods(graph)
    V = range(len(N))
    find_repres, find_last = JUMP[jump], FINI[fini]

    phase("init")
    parent = shared("parent", V)
    for v in in_parallel(V):
        parent[v] = INIT[init](v, N[v])

    phase("compute")
    for v in in_parallel(V):
        v_rep = find_repres(v, parent)
        for u in N[v]:
            if v > u:
                u_rep = find_repres(u, parent)
                v_rep = hook(v_rep, u_rep, parent)

    phase("finalize")
    for v in in_parallel(V):
        parent[v] = find_last(v, parent)
    return as_vertices(parent)
