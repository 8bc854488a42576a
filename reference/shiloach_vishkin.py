"""Shiloach and Vishkin's component algorithm, in Dehne and Yogaratnam's GPU form, and its variant SV-updt.

Shiloach-Vishkin alternates between hooking roots onto neighbors and short-cutting, which halves the height of
all trees. Choose this algorithm to learn from it: most algorithms here come from it, and the number of its
rounds has a proven bound.

Y. Shiloach and U. Vishkin, "An O(log n) parallel connectivity algorithm", J. Algorithms 3, 1982;
F. Dehne and K. Yogaratnam, "Exploring the limits of GPUs with parallel graph algorithms", 2010,
section 4 and algorithm 4 (kernels SV0 to SV5).

D[v] is v's parent. A tree that did not change in a round is stagnant, and may be hooked onto any neighbor,
even a larger one. This bounds the number of rounds. Q[r] is the last round that changed the tree with root r.

In pseudo-code::

    SV0: for each vertex j in parallel: D'[j] = j and Q[j] = 0
    for s = 1, 2, ... until a round marks nothing:
        SV1a: for each vertex j in parallel: D[j] = D'[D'[j]]
        SV1b: for each vertex j in parallel:
            if D[j] != D'[j]: Q[D[j]] = s
        SV2: for each edge (a, b) in parallel:
            if D[a] == D'[a] and D[b] < D[a]: D[D[a]] = D[b] and Q[D[b]] = s
        SV3: for each edge (a, b) in parallel:
            if Q[D[a]] < s and D[a] is a root and D[a] != D[b]: D[D[a]] = D[b]
        SV4: for each vertex j in parallel: D[j] = D[D[j]]
        SV5: for each vertex j in parallel: if Q[j] == s, the round has marked something
        D' = D

Its phases:

- *SV0*: each vertex is its own parent, and no tree has changed yet
- *SV1a*: each vertex points to its grandparent
- *SV1b*: trees that the short-cut changed are marked
- *SV2*: roots of unchanged trees are hooked onto smaller neighbors
- *SV3*: roots of stagnant trees are hooked onto any neighbor
- *SV4*: after hooking, each vertex points to its grandparent
- *SV5*: if any tree was marked, there is another round
- *update*: the ends of each edge are replaced by their parents

Input: both directions of every edge, as a list of 2m edges. The reference implementation is deterministic. In
a parallel run, the trees depend on the order of writes, but the components do not. Work O((n + m) log n);
depth at most ceil(log_1.5 n) + 2 rounds of O(1).

With ``update``, the ends of each edge are replaced by their parents after every round. This variant is
SV-updt by G. Cong and P. Muzio (Euro-Par 2014 workshops, section 5).

Deviations: in Dehne's listing, SV1a and SV1b start at j = 1, but every other kernel starts at j = i. Also,
D(0)[j] is set to i instead of j. Both are misprints.

See also ``shiloach-vishkin-csr``: a simpler form over rows; ``fast-sv``: hooks more eagerly; ``soman``: an
early form for GPUs; ``stages``: runs it on one group of edges after another.
"""

from __future__ import annotations

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.vocabulary import as_vertices, directed_edges, in_parallel, phase, shared


def shiloach_vishkin(graph: Graph, update: bool = False) -> VertexArray:
    """Return each vertex's representative: a vertex of its component, not always the smallest.

    Examples
    --------
    >>> shiloach_vishkin(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    return as_vertices(hook_and_shortcut(directed_edges(graph), list(range(graph.vertices)), update))


def hook_and_shortcut(El: list[tuple[int, int]], parents: list[int], update: bool = False) -> list[int]:
    """Join trees of depth at most one along the edges `El`, and return the new parents."""
    V, m = range(len(parents)), len(El)

    phase("SV0")
    edges = shared("edges", El)
    previous_D = shared("D", V)
    D = shared("D", V)
    Q = shared("Q", V)
    for j in in_parallel(V):
        previous_D[j] = parents[j]
        Q[j] = 0

    s = 1
    marked = True
    while marked:
        phase("SV1a")
        for j in in_parallel(V):
            D[j] = previous_D[previous_D[j]]

        phase("SV1b")
        for j in in_parallel(V):
            D_j = D[j]
            if D_j != previous_D[j]:
                Q[D_j] = s

        phase("SV2")
        for j in in_parallel(range(m)):
            a, b = edges[j]
            D_a, previous_D_a, D_b = D[a], previous_D[a], D[b]
            if D_a == previous_D_a and D_b < D_a:
                D[D_a] = D_b
                Q[D_b] = s

        phase("SV3")
        for j in in_parallel(range(m)):
            a, b = edges[j]
            D_a, D_b = D[a], D[b]
            Q_D_a, D_D_a = Q[D_a], D[D_a]
            if Q_D_a < s and D_a == D_D_a and D_a != D_b:
                D[D_a] = D_b

        phase("SV4")
        for j in in_parallel(V):
            D[j] = D[D[j]]

        phase("SV5")
        marked = False
        for j in in_parallel(V):
            if Q[j] == s:
                marked = True

        if update:
            phase("update")
            for j in in_parallel(range(m)):
                a, b = edges[j]
                edges[j] = D[a], D[b]

        D, previous_D = previous_D, D
        s += 1
    return previous_D
