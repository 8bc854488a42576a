"""Shiloach and Vishkin's connected components, in Dehne and Yogaratnam's GPU form.

Y. Shiloach and U. Vishkin, "An O(log n) parallel connectivity algorithm", J. Algorithms 3, 1982;
F. Dehne and K. Yogaratnam, "Exploring the limits of GPUs with parallel graph algorithms", 2010,
section 4 and algorithm 4 (kernels SV0 to SV5).

Every vertex points to a parent D; a round halves the height of all trees (short-cut) and hooks roots
of unchanged trees onto smaller neighbors. A tree that nothing happened to in a round is stagnant,
and may hook onto any neighbor, larger ones too: that is what bounds the rounds. Q[r] holds the last
round in which anything happened to the tree of r, so the loop ends when a round marks nothing.

Input: both directions of every edge, as a list of 2m edges. Deterministic here; in parallel the forest
depends on the order of writes and the partition does not. Work O((n + m) log n), at most
ceil(log_1.5 n) + 2 rounds of O(1) depth.

Deviations: Dehne's listing starts SV1a and SV1b at j = 1 where every other kernel starts at j = i,
and writes D(0)[j] = i for D(0)[j] = j; both are misprints.
"""

from __future__ import annotations

from pointerjump.graph import Graph, VertexArray
from pointerjump.reference.vocabulary import as_vertices, directed_edges


def shiloach_vishkin(graph: Graph) -> VertexArray:
    """Return each vertex's representative: a vertex of its component, not always the smallest.

    Parameters
    ----------
    graph : Graph
        With both directions of every edge.

    Returns
    -------
    ndarray of int32, shape (vertices,)

    Examples
    --------
    >>> from pointerjump import Graph
    >>> shiloach_vishkin(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    n = graph.vertices
    edges = directed_edges(graph)

    # SV0: initialize
    previous_D = list(range(n))
    Q = [0] * n
    s = 1
    marked = True
    while marked:
        # SV1a: short-cut
        D = [previous_D[previous_D[j]] for j in range(n)]

        # SV1b: mark the trees that the short-cut changed
        for j in range(n):
            if D[j] != previous_D[j]:
                Q[D[j]] = s

        # SV2: hook roots of unchanged trees onto smaller neighbors
        for a, b in edges:
            if D[a] == previous_D[a] and D[b] < D[a]:
                Q[D[b]] = s
                D[D[a]] = D[b]

        # SV3: hook stagnant roots onto any neighbor
        for a, b in edges:
            if Q[D[a]] < s and D[a] == D[D[a]] and D[a] != D[b]:
                D[D[a]] = D[b]

        # SV4: short-cut again
        for j in range(n):
            D[j] = D[D[j]]

        # SV5: check for more work
        marked = any(Q[j] == s for j in range(n))
        previous_D = D
        s += 1
    return as_vertices(previous_D)
