"""Afforest over an edge list: link edges as they come, in growing batches, without sorting them into rows.

Afforest's link takes edges from a list as they come, with no rows. Trees are flattened whenever the number of
linked edges has doubled. Choose it on edges in arrays; ``auto`` mostly does so on GPUs, and on CPUs where
edges are few and in no order.

M. Sutton, T. Ben-Nun and A. Barak, "Optimizing parallel graph connectivity computation via subgraph
sampling", IPDPS 2018, figure 3 and theorem 1: *link* may take the edges in any order and direction.

Without rows there are no first neighbors to sample. So no component can be skipped; every edge is linked.
What remains of Afforest's second idea is *compress*: until a giant component has formed, chains grow with
every link, and all later walks take longer. With ``batches="one"`` trees are flattened only in the end: if
edges are few and all parents lie in a cache, long walks cost less than passes over all trees.

With ``init="smaller"`` all edges first compete for the first parents: each stores its smaller end as the
parent of its larger end, and of several stores the last one stays. A store costs less than a link, and most
links then find both ends in one tree.

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

Input: each edge in one direction at least. The result is deterministic whatever the schedule: parents never
exceed their children (invariant 1), so each root is its component's smallest vertex. Work O(m + n log(m / n))
in practice; depth log(m / n) batches, each that of the longest path. The work is O(m) links, each a little
over one step, and O(n) to flatten the trees each time.

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

    `init` says which parents come first: "own", each vertex itself, or "smaller", any smaller neighbor. With
    `batches` "doubling" all trees are flattened between batches; "one" links all edges in one.

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
    """Give each vertex a smaller neighbor as its parent: of several, the one that is stored last."""
    for u, v in in_parallel(edges):
        pi[max(u, v)] = min(u, v)


def compress_all(pi: list[int]) -> None:
    phase("compress")
    for v in in_parallel(range(len(pi))):
        compress(v, pi)


def doubling(edges: int, vertices: int) -> Iterator[tuple[int, int]]:
    """Yield where each batch begins and ends: after each but the first, twice as many edges are linked."""
    begin, end = 0, max(1, int(FIRST_BATCH * vertices))
    while begin < edges:
        yield begin, min(end, edges)
        begin, end = end, 2 * end


def one(edges: int, vertices: int) -> Iterator[tuple[int, int]]:
    """Yield where the only batch begins and ends."""
    yield 0, edges


BATCHES = {"doubling": doubling, "one": one}
