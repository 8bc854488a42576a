"""Shiloach and Vishkin's algorithm for connected components, in the form used by the GAP benchmark suite.

This form of Shiloach-Vishkin works on the rows of the graph: it hooks roots under smaller parents and then
flattens all trees, until no root is hooked. Choose this algorithm to compare it with the GAP benchmark suite.

Y. Shiloach and U. Vishkin, "An O(log n) parallel connectivity algorithm", J. Algorithms 3, 1982; here in
the form of M. Sutton, T. Ben-Nun and A. Barak, IPDPS 2018, section II-B and figure 1.

Several edges may hook the same root in one round. Only the last hook counts, so the other edges try again.

In pseudo-code::

    pi[v] = v for each vertex v
    repeat until no edge hooks:
        hook: for each vertex u in parallel:
            for each neighbor v of u:
                if pi[u] < pi[v] and pi[v] is a root:
                    pi[pi[v]] = pi[u]
        shortcut: for each vertex v in parallel: pi[v] = root of v

Its phases:

- *hook*: roots are hooked under the smaller parent at an edge's other end
- *shortcut*: each vertex points to its root

Input: both directions of every edge. The result is correct regardless of the schedule. Each round begins with
trees of depth one. Hooks change only the parents of roots, always to smaller vertices, so no cycle can form.
If a hook is lost, the ends of its edge still have different roots in the next round. Each representative is
the smallest vertex of its component. Work O(n + m) per round; depth about log n rounds in practice, n at
worst.

Deviation: each parent is read once. In the figure, it is read up to three times, and may change in between.

See also ``shiloach-vishkin``: has a proven bound on the number of rounds; ``crono``: runs over padded rows;
``afforest``: hooks by compare-and-swap, so it needs no rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.trees import shortcut
from pointerjump.reference.vocabulary import as_vertices, in_parallel, neighborhoods, phase, shared


def shiloach_vishkin_csr(graph: Graph) -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    Examples
    --------
    >>> shiloach_vishkin_csr(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    pi = shared("pi", range(graph.vertices))
    hook_and_shortcut(neighborhoods(graph), pi)
    return as_vertices(pi)


def hook_and_shortcut(N: Sequence[Iterable[int]], pi: list[int]) -> None:
    """Join all trees that edges in the rows `N` connect, updating the parents `pi` in place.

    Before the call, all trees must have depth zero or one.
    """
    V = range(len(N))
    hooking = True
    while hooking:
        hooking = False
        phase("hook")
        for u in in_parallel(V):
            for v in N[u]:
                pi_u, pi_v = pi[u], pi[v]
                if pi_u < pi_v and pi_v == pi[pi_v]:
                    pi[pi_v] = pi_u
                    hooking = True
        phase("shortcut")
        for v in in_parallel(V):
            shortcut(v, pi)
