"""Soman's algorithm (Soman, Kothapalli, Narayanan; LonestarGPU, IrGL): hooks in alternating directions.

Soman's algorithm hooks roots in alternating directions: the larger under the smaller, then the smaller under
the larger. Edges whose ends agree are never looked at again. Choose it as a yardstick: LonestarGPU and IrGL
run it.

J. Soman, K. Kothapalli and P. J. Narayanan, "A fast GPU algorithm for graph connectivity", IPDPSW 2010; here
after J. Jaiganesh's thesis, chapter 2, algorithms 3 to 5, and J. Jaiganesh and M. Burtscher, HPDC 2018,
section 2.

All trees have depth one, so both ends of an edge know their roots. Directions alternate so that a vertex that
wins once does not always win. *jump* brings all trees back to depth one.

In pseudo-code::

    Label[v] = v for each vertex v, and no edge is marked
    for i = 1, 2, ... until no edge hooks:
        hook:
            for each unmarked edge (u, v) in parallel:
                if Label[u] and Label[v] are the same: mark the edge
                otherwise, if i is odd: Label[the larger of them] = the smaller
                otherwise: Label[the smaller of them] = the larger
        jump:
            for each vertex v in parallel: Label[v] = root of v

Its phases:

- *hook*: each edge puts one of its ends' roots under the other
- *jump*: each vertex points to its root

Input: each edge in at least one direction. The result is correct whatever the schedule: only roots are
written, in only one direction per iteration, so no cycle can close. A hook that is overwritten leaves its
edge unmarked. An edge that is marked only because of that hook joins nothing that the unmarked edge does not
join. Work O(n + m) a round, less where edges are marked; depth about log n rounds in practice, n at worst. Of
a hub's many hooks in one round, only the last one counts. In the worst case, each round joins only two trees.

Deviation: algorithm 3 of the thesis jumps only after all hooking. But hooking a vertex that is not a root
would split its tree. So trees are flattened after every hook, as in Soman's paper.

See also ``gunrock``: takes settled edges out of its lists; ``shiloach-vishkin``: the algorithm that it is
based on.
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
    """Put one of the labels of u and v under the other (algorithm 4); return whether they differed."""
    Label_u, Label_v = Label[u], Label[v]
    if Label_u == Label_v:
        return False
    smaller, larger = min(Label_u, Label_v), max(Label_u, Label_v)
    if iteration % 2 == 0:
        Label[smaller] = larger
    else:
        Label[larger] = smaller
    return True
