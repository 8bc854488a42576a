"""Soman's algorithm (Soman, Kothapalli, Narayanan; LonestarGPU, IrGL): hooks in alternating directions.

Soman's algorithm hooks roots in alternating directions: the larger root under the smaller one, then the
smaller under the larger. Once both ends of an edge have the same root, the edge is ignored. Choose this
algorithm as a yardstick: LonestarGPU and IrGL run it.

J. Soman, K. Kothapalli and P. J. Narayanan, "A fast GPU algorithm for graph connectivity", IPDPSW 2010; this
description follows J. Jaiganesh's thesis, chapter 2, algorithms 3 to 5, and J. Jaiganesh and M. Burtscher,
HPDC 2018, section 2.

At the start of each iteration, all trees have depth one, so every vertex points to its root. Because the
directions alternate, the root that remains is not always the smaller one.

In pseudo-code::

    Label[v] = v for each vertex v, and no edge is marked
    for i = 1, 2, ... until no edge hooks:
        hook: for each unmarked edge (u, v) in parallel:
            if Label[u] and Label[v] are the same: mark the edge
            otherwise, if i is odd: Label[the larger of them] = the smaller
            otherwise: Label[the smaller of them] = the larger
        jump: for each vertex v in parallel: Label[v] = root of v

Its phases:

- *hook*: each edge hooks the root of one end under that of the other
- *jump*: each vertex points to its root

Input: each edge in at least one direction. The result is correct regardless of the schedule: only roots are
written, and all hooks of an iteration have the same direction, so no cycle can form. If a hook is
overwritten, its edge stays unmarked. Another edge may read the hook before that, and be marked. This does no
harm, because the unmarked edge still joins the two trees later. Work O(n + m) per round, less once edges are
marked; depth about log n rounds in practice, n at worst. If a hub is hooked many times in one round, only the
last hook counts.

Deviation: in algorithm 3 of the thesis, trees are flattened only after the last hook. But hooking a vertex
that is not a root would split its tree. Here, trees are flattened after every round, as in Soman's paper.

See also ``gunrock``: removes settled edges from its lists; ``shiloach-vishkin``: Soman's starting point.
"""

from __future__ import annotations

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.trees import shortcut
from pointerjump.reference.vocabulary import as_vertices, directed_edges, in_parallel, phase, shared


def soman(graph: Graph) -> VertexArray:
    """Return each vertex's representative: a vertex of its component, not always the smallest.

    Examples
    --------
    >>> soman(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    E = directed_edges(graph)
    Label = shared("Label", range(graph.vertices))
    marked = shared("marked", [False] * len(E))
    iteration = 0
    changed = True
    while changed:
        iteration += 1
        changed = False
        phase("hook")
        for e in in_parallel(range(len(E))):
            if marked[e]:
                continue
            if hook(*E[e], Label, iteration):
                changed = True
            else:
                marked[e] = True

        phase("jump")
        for u in in_parallel(range(graph.vertices)):
            shortcut(u, Label)
    return as_vertices(Label)


def hook(u: int, v: int, Label: list[int], iteration: int) -> bool:
    """Hook one of the labels of u and v under the other (algorithm 4), and return whether they differed."""
    Label_u, Label_v = Label[u], Label[v]
    if Label_u == Label_v:
        return False
    smaller, larger = min(Label_u, Label_v), max(Label_u, Label_v)
    if iteration % 2 == 0:
        Label[smaller] = larger
    else:
        Label[larger] = smaller
    return True
