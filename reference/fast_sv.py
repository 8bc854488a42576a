"""FastSV (Zhang, Azad, Hu): Shiloach and Vishkin's algorithm, with hooking not restricted to roots.

In each round of FastSV, every vertex offers its grandparent to its neighbors and to their parents. The
smallest offer that a vertex receives becomes its new parent. Choose this algorithm as a yardstick: it needs
few rounds, and the same number in every run.

Y. Zhang, A. Azad and Z. Hu, "FastSV: a distributed-memory connected component algorithm with fast
convergence", SIAM Conference on Parallel Processing for Scientific Computing (PP), 2020.

Every vertex u stores its parent f[u], which is never larger than u, and its grandparent gf[u]. Unlike in
Shiloach and Vishkin's algorithm, vertices that are not roots may be hooked, too.

In pseudo-code::

    f[u] = f_next[u] = gf[u] = u for each vertex u
    repeat until no grandparent changes:
        hook:
            for each edge (u, v) in parallel:
                lower f_next[f[u]] to gf[v]   (stochastic hooking)
                lower f_next[u] to gf[v]      (aggressive hooking)
        shortcut:
            for each vertex u in parallel: lower f_next[u] to gf[u]
        grandparents:
            for each vertex u in parallel:
                f[u] = f_next[u]
                gf[u] = f_next[f_next[u]]

Its phases:

- *hook*: each edge offers one end's grandparent to the other end and its parent
- *shortcut*: each vertex is offered its own grandparent
- *grandparents*: each vertex accepts the smallest offer and looks up its new grandparent

Input: both directions of every edge. Neither the result nor the number of rounds depends on the schedule.
Hooking and shortcutting read only f and gf, which are written only in the last step of a round. The order of
the offers does not matter, because only the smallest one counts. The correctness follows from two facts.
After each round, f[u] is at most the previous gf[v] for every neighbor v of u. No vertex's grandparent is
larger than its parent. If no grandparent has changed, gf[u] <= gf[v] therefore holds along every edge in both
directions. In that case, all vertices of a component have its smallest vertex as their grandparent. Work O(n
+ m) a round; depth few rounds in practice. No bound has been proven.

Deviation: the paper's two loops over the edges read the same values, so they are combined into one here.

See also ``shiloach-vishkin``: hooks roots only; ``label-propagation``: offers labels to neighbors only.
"""

from __future__ import annotations

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.vocabulary import (
    as_vertices,
    directed_edges,
    fetch_min,
    in_parallel,
    phase,
    shared,
)


def fast_sv(graph: Graph) -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    Examples
    --------
    >>> fast_sv(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    V, E = range(graph.vertices), directed_edges(graph)
    f = shared("f", V)
    f_next = shared("f_next", V)
    gf = shared("gf", V)
    changed = True
    while changed:
        phase("hook")
        for u, v in in_parallel(E):
            gf_v = gf[v]
            fetch_min(f_next, f[u], gf_v)  # stochastic
            fetch_min(f_next, u, gf_v)  # aggressive

        phase("shortcut")
        for u in in_parallel(V):
            fetch_min(f_next, u, gf[u])

        phase("grandparents")
        changed = False
        for u in in_parallel(V):
            f[u] = f_next[u]
            grandparent = f_next[f_next[u]]
            if gf[u] != grandparent:
                gf[u] = grandparent
                changed = True
    return as_vertices(gf)
