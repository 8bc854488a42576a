"""Afforest over an edge list: link edges as they come, in growing batches, without sorting them into rows.

This form of Afforest links edges in the order of a list, without rows. Trees are flattened whenever the
number of linked edges has doubled. Choose it for edges in arrays; ``auto`` usually does so on GPUs, and on
CPUs if there are few edges in no particular order.

M. Sutton, T. Ben-Nun and A. Barak, "Optimizing parallel graph connectivity computation via subgraph
sampling", IPDPS 2018, figure 3 and theorem 1: *link* may take the edges in any order and direction.

Without rows there are no first neighbors to sample. So no component can be skipped, and every edge is linked.
*compress* is still needed: until a giant component has formed, chains grow with every link, which makes later
walks longer. With ``batches="one"`` trees are flattened only at the end: if there are few edges and all
parents fit in a cache, long walks cost less than passes over all trees.

With ``init="smaller"`` the edges first compete to set the first parents: each stores its smaller end as the
parent of its larger end, and the last store wins. A store costs less than a link, and most links then find
both ends in the same tree.

In pseudo-code::

    init: for each vertex v in parallel: pi[v] = v
    take the edges in batches: the first has n / 2, each other one
        as many as all before it together; for each batch:
        link: for each edge (u, v) of the batch in parallel: link(u, v)
        compress: for each vertex v in parallel: pi[v] = root of v

    link(u, v):
        a, b = pi[u], pi[v]
        while a and b differ:
            high, low = the larger and the smaller of a and b
            swap pi[high] from high to low
            if that worked, return: two trees are joined
            otherwise a, b = pi[pi[high]], pi[low]

Its phases:

- *init*: each vertex gets its first parent
- *link*: the edges of one batch are linked
- *compress*: each vertex points to its root

Input: each edge in at least one direction. The result is deterministic whatever the schedule: parents never
exceed their children (invariant 1), so each root is its component's smallest vertex. Work O(m + n log(m / n))
in practice; depth log(m / n) batches, each as deep as its longest path. Links take O(m) in all, and
flattening the trees O(n) each time.

See also ``afforest``: skips edges, and needs rows; ``disjoint-set``: for edges that keep coming; ``rem-cas``:
climbs both paths together.
"""

from __future__ import annotations

from collections.abc import Iterator

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.limits import FIRST_BATCH
from pointerjump.reference.afforest import compress, link
from pointerjump.reference.vocabulary import as_vertices, directed_edges, in_parallel, phase, shared


def afforest_edges(graph: Graph, init: str = "own", batches: str = "doubling") -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    `init` chooses the first parent of each vertex: with "own", the vertex itself; with "smaller", any smaller
    neighbor. With ``batches="doubling"``, all trees are flattened between batches; with ``"one"``, there is
    only one batch.

    Examples
    --------
    >>> afforest_edges(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    V, E = range(graph.vertices), directed_edges(graph)

    phase("init")
    pi = shared("pi", V)
    if init == "smaller":
        init_by_edges(E, pi)
        compress_all(pi)
    for begin, end in BATCHES[batches](len(E), len(V)):
        phase("link")
        for u, v in in_parallel(E[begin:end]):
            link(u, v, pi)
        compress_all(pi)
    return as_vertices(pi)


def init_by_edges(edges: list[tuple[int, int]], pi: list[int]) -> None:
    """Give each vertex a smaller neighbor as its parent; of several, the last one stored wins."""
    for u, v in in_parallel(edges):
        pi[max(u, v)] = min(u, v)


def compress_all(pi: list[int]) -> None:
    phase("compress")
    for v in in_parallel(range(len(pi))):
        compress(v, pi)


def doubling(edges: int, vertices: int) -> Iterator[tuple[int, int]]:
    """Yield where each batch begins and ends. All batches but the first double the number of linked edges."""
    begin, end = 0, max(1, int(FIRST_BATCH * vertices))
    while begin < edges:
        yield begin, min(end, edges)
        begin, end = end, 2 * end


def one(edges: int, vertices: int) -> Iterator[tuple[int, int]]:
    yield 0, edges


BATCHES = {"doubling": doubling, "one": one}
