"""CC and CC-updt (Cong, Muzio): repeated grafting and shortcutting, with direct or sorted look-ups.

For each edge whose ends are in different trees, CC grafts the tree with the larger root under the other one.
It then flattens all trees and repeats both steps until the ends of every edge are in the same tree. CC-updt
also rewrites the edges after every round. Choose this algorithm to see how much random look-ups cost.

G. Cong and P. Muzio, "Fast parallel connected components algorithms on GPUs", Euro-Par 2014 workshops,
sections 2 to 4, algorithms 1 (CC) and 2 (CC-updt).

In each round, CC looks up the parents of both ends of every edge, at random positions in the array D. With
``update``, the ends of each edge are then replaced by their components. As a result, more and more edges have
both ends in the same super-vertex (component) and need only one random look-up instead of two (theorem 2).
With ``graft="sorted"``, memory is divided into blocks of `W` words, and look-ups are sorted by block, so that
consecutive look-ups access the same block (theorem 1). Section 3 of the paper considers this too expensive.

In pseudo-code::

    D[v] = v for each vertex v
    repeat until no edge grafts:
        look up:
            for each edge (u, v) in parallel: a = D[u], b = D[v]
        graft:
            for each edge in parallel:
                if its a and b differ: D[the larger] = the smaller
        shortcut:
            for each vertex v in parallel: D[v] = root of v
    (CC-updt skips this look-up: after each round, it replaces edge (u, v) by (D[u], D[v]))

Its phases:

- *look up*: each edge looks up the components of its ends
- *graft*: for each edge, the larger component is grafted under the smaller one
- *shortcut*: each vertex points to its root
- *update*: the ends of each edge are replaced by their parents

Input: both directions of every edge, of which only one is used, as in the authors' code. The result is
correct regardless of the schedule: all trees have depth zero or one when a round begins. Grafts change only
the parents of the trees' roots, always to smaller vertices, so no cycle can arise. If a graft is overwritten
and its edge still connects two trees in the next round, the edge grafts again. Each representative is the
smallest vertex of its component. Work O(n + m) a round; depth about log n rounds in practice, n at worst.

Deviation: CC's look-ups (line 2 of algorithm 1) are done in a separate loop before the grafts. Each edge
therefore uses the components as they were before the round.

See also ``stages``: applies CC to groups of edges; ``shiloach-vishkin-csr``: is similar, but reads rows.
"""

from __future__ import annotations

from collections.abc import Callable

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.limits import W
from pointerjump.reference.trees import shortcut
from pointerjump.reference.vocabulary import as_vertices, in_parallel, phase, shared, undirected_edges

Edge = tuple[int, int]
LookUp = Callable[[list[Edge], list[int]], list[Edge]]


def direct(El: list[Edge], D: list[int]) -> list[Edge]:
    ends = list(El)
    for i in in_parallel(range(len(El))):
        u, v = El[i]
        ends[i] = D[u], D[v]
    return ends


def by_sorting(El: list[Edge], D: list[int]) -> list[Edge]:
    u_ = [0] * len(El)
    for i in in_parallel(sorted(range(len(El)), key=lambda i: El[i][0] // W)):
        u_[i] = D[El[i][0]]
    v_ = [0] * len(El)
    for i in in_parallel(sorted(range(len(El)), key=lambda i: El[i][1] // W)):
        v_[i] = D[El[i][1]]
    return list(zip(u_, v_, strict=True))


LOOK_UP: dict[str, LookUp] = {"direct": direct, "sorted": by_sorting}


def graft_shortcut(graph: Graph, update: bool = False, graft: str = "direct") -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    `update` selects CC-updt. `graft` orders look-ups by edge ("direct") or by memory block ("sorted").

    Examples
    --------
    >>> graft_shortcut(Graph.from_edges([0, 4], [2, 3], vertices=5), update=True).tolist()
    [0, 1, 0, 3, 3]
    """
    D = shared("D", range(graph.vertices))
    return as_vertices(graft_and_shortcut(undirected_edges(graph), D, update, LOOK_UP[graft]))


def graft_and_shortcut(
    El: list[Edge], D: list[int], update: bool = False, look_up: LookUp = direct
) -> list[int]:
    """Join all trees that the edges `El` connect, updating the parents `D` in place, and return `D`.

    Before the call, all trees must have depth zero or one. If `update` is true, the ends of all edges must be
    roots.
    """
    while True:
        if update:
            ends = El
        else:
            phase("look up")
            ends = look_up(El, D)

        phase("graft")
        grafted = False
        for u, v in in_parallel(ends[::-1]):  # if run serially, the last graft wins: the smallest if sorted
            larger, smaller = max(u, v), min(u, v)
            if smaller < larger:
                D[larger] = smaller
                grafted = True
        if not grafted:
            return D

        phase("shortcut")
        for i in in_parallel(range(len(D))):
            shortcut(i, D)

        if update:
            phase("update")
            El = look_up(El, D)
