"""CC and CC-updt (Cong, Muzio): graft, directly or coalesced by sorting, and shortcut, in rounds.

CC grafts the component of each edge's larger end under that of its smaller end, then flattens all trees. It
repeats both steps until no edge grafts. CC-updt also rewrites the edges after every round. Choose it to see
how much random look-ups cost.

G. Cong and P. Muzio, "Fast parallel connected components algorithms on GPUs", Euro-Par 2014 workshops,
sections 2 to 4, algorithms 1 (CC) and 2 (CC-updt).

In each round, CC looks up both ends of every edge in D, at random places. With ``update``, each edge's ends
are replaced by their components. More and more edges then have both ends in one super-vertex. They need one
random look-up instead of two (theorem 2). ``graft="sorted"`` is the general remedy that section 3 finds too
expensive: sort the edges by the block of `W` words that each look-up reads, so that neighboring look-ups
share a block (theorem 1).

In pseudo-code::

    D[v] = v for each vertex v
    repeat until no edge grafts:
        look up:
            for each edge (u, v) in parallel: note a = D[u] and b = D[v]
        graft:
            for each edge in parallel:
                if its a and b differ: D[the larger] = the smaller
        shortcut:
            for each vertex v in parallel: D[v] = root of v
    (CC-updt does not look up: after each round, edge (u, v) becomes (D[u], D[v]))

Its phases:

- *look up*: each edge looks up the components of its ends
- *graft*: each edge puts the larger component under the smaller
- *shortcut*: each vertex points to its root
- *update*: the ends of each edge are replaced by their parents

Input: both directions of every edge; as in the authors' code, only one is used. The result is correct
whatever the schedule: a round begins with trees of depth one. Only their roots are written, and always with a
smaller vertex, so no cycle can close. If a graft is overwritten, its edge's ends still have different
components in the next round. Representatives are the smallest vertices. Work O(n + m) a round; depth about
log n rounds in practice, n at worst. A hub whose largest neighbor won in every round would need as many
rounds as it has neighbors.

Deviation: CC's look-ups (line 2 of algorithm 1) are a separate loop before the grafts. So both algorithms,
with and without sorting, share one skeleton. Each edge therefore uses the components from before the round's
grafts.

See also ``stages``: runs it on one group of edges after another; ``shiloach-vishkin-csr``: hooks in a similar
way, over rows; ``rem``: the algorithm with which the authors compared CC.
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
    """Look up the components of each edge's ends, edge by edge."""
    ends = list(El)
    for i in in_parallel(range(len(El))):
        u, v = El[i]
        ends[i] = D[u], D[v]
    return ends


def by_sorting(El: list[Edge], D: list[int]) -> list[Edge]:
    """Look up all first ends in order of their blocks, then all second ends in order of theirs."""
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

    If `update` is true, each edge's ends are replaced by their components after every round (CC-updt).
    `graft` says how an edge finds its ends' components: "direct" or "sorted".

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
    """Join the trees of `D`, each of depth one at most, along the edges `El`; return `D`.

    If `update` is true, the edges' ends must be roots of D.
    """
    while True:
        if update:
            ends = El
        else:
            phase("look up")
            ends = look_up(El, D)

        phase("graft")
        grafted = False
        for u, v in in_parallel(ends[::-1]):  # in serial, the last graft wins: in sorted edges, the smallest
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
