"""ECL-CC (Jaiganesh, Burtscher): visit each edge once, in variants Init1-3 x Jump1-4 x Fini1-3.

ECL-CC looks at each edge once. It finds the representatives of both ends, and hooks the larger under the
smaller by compare-and-swap. Choose it as a yardstick: it and Afforest are the fastest of the published forms
here.

J. Jaiganesh and M. Burtscher, "A high-performance connected components implementation for GPUs", HPDC
2018, section 3 (figures 5 and 6) and section 5.1 (the variants); J. Jaiganesh's thesis, chapter 4.

*Init* gives each vertex a parent no larger than itself: a smaller neighbor if there is one. *Compute* takes
each edge from its larger end, and shortens the paths that it walks. *Finalize* points every vertex directly
to its representative.

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
                    a, b = parent[high], low   (equal if that worked)
    finalize:
        for each vertex v in parallel: parent[v] = root of v

    find(v): walk to v's root, and point each vertex passed to its grandparent

Its phases:

- *init*: each vertex points to a smaller neighbor, if it has one
- *compute*: each edge finds both representatives and hooks the larger under the smaller
- *finalize*: each vertex points to its root

Input: both directions of every edge. Rows that the package makes from edges are sorted, so their first
smaller neighbor is the smallest; other rows keep their order, and any order will do. The result is
deterministic whatever the schedule: parents never exceed their children, so each root is its component's
smallest vertex. Work O(n + m log n) at worst; depth the length of the longest path. In practice, an edge
takes a little over one step.

Beyond the paper, *init* on GPUs also jumps along first parents within each run of adjacent vertices. An edge
is done at once if the parent of its smaller end is the representative of its larger end.

See also ``eclaf``: needs no atomics; ``galois``: starts with each vertex alone; ``afforest``: also skips most
edges.
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

# -- Init: the first parent of v (section 5.1, figure 7) ----------------------------------------


def init_own(v: int, neighbors: list[int]) -> int:
    """Init1: v itself."""
    return v


def init_smallest(v: int, neighbors: list[int]) -> int:
    """Init2: the smallest neighbor, if it is smaller than v."""
    return min([v, *neighbors])


def init_first(v: int, neighbors: list[int]) -> int:
    """Init3, ECL-CC's own: the first neighbor in the row that is smaller than v."""
    return next((u for u in neighbors if u < v), v)


# -- Jump: find v's representative, shortening the path (section 5.1, figure 8) ------------------


def jump_multiple(v: int, parent: list[int]) -> int:
    """Jump1, multiple pointer jumping: point every vertex of the path to its end, in a second walk."""
    representative = jump_none(v, parent)
    while (following := parent[v]) > representative:
        parent[v] = representative
        v = following
    return representative


def jump_single(v: int, parent: list[int]) -> int:
    """Jump2, single pointer jumping: point only v to the end of the path."""
    representative = jump_none(v, parent)
    if representative < parent[v]:
        parent[v] = representative
    return representative


def jump_none(v: int, parent: list[int]) -> int:
    """Jump3: leave the path as it is."""
    while parent[v] < v:
        v = parent[v]
    return v


def jump_intermediate(v: int, parent: list[int]) -> int:
    """Jump4, ECL-CC's own (figure 5): make every vertex of the path skip the next one."""
    par = parent[v]
    if par != v:
        prev = v
        while par > (following := parent[par]):
            parent[prev] = following
            prev = par
            par = following
    return par


def fini_intermediate(v: int, parent: list[int]) -> int:
    """Fini1: Jump4 with minima in place of stores: no old ancestor replaces a final representative."""
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
    """Put the larger representative under the smaller (figure 6); return the smaller.

    A swap fails if the larger one has meanwhile been hooked elsewhere. Then the new parent takes the place of
    the larger one, and the pair is compared again.
    """
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

    `init` chooses the first parents: Init3 ("first"), Init1 ("own") or Init2 ("smallest"). `jump` says how
    finding a representative shortens the path: Jump4 ("intermediate"), Jump1 ("multiple"), Jump2 ("single")
    or Jump3 ("none"). `fini` says how the last pass walks: Fini3 ("single"), Fini1 ("intermediate") or Fini2
    ("multiple").

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
