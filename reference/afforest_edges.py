"""Afforest over an edge list: link edges in the given order, in growing batches, without building rows.

This form of Afforest links the edges in the order in which they are listed, without building rows. All trees
are flattened whenever the number of linked edges has quadrupled. Choose this algorithm for edges in arrays;
``auto`` usually does so on GPUs, and on CPUs if there are few edges in no particular order.

M. Sutton, T. Ben-Nun and A. Barak, "Optimizing parallel graph connectivity computation via subgraph
sampling", IPDPS 2018, figure 3 and theorem 1: *link* may process the edges in any order and direction.

Without rows, the first neighbors of a vertex are not known and cannot be linked first, so no component is
skipped. (The kernels for GPUs may skip edges in large batches. If most runs of consecutive vertices lie
entirely in the giant component, the edges between these runs are skipped.) Batches are separated by
*compress*, because paths grow with every link until a giant component has formed. With ``batches="one"``,
trees are flattened only at the end. This is faster on GPUs if there are hardly more edges than vertices, or
if edges are in order. With ``init="smaller"``, each edge first stores its smaller end as the parent of its
larger end, and the last store wins. A store costs less than a link, and most of the links that follow find
that both ends are already in the same tree. With ``init="first"``, each edge of the first batch hooks its
larger end to its smaller end without looking up their parents. If the larger end already has a
parent, that parent is linked with the smaller end instead. Most vertices have no parent yet, so this saves
two of the three accesses.

In pseudo-code::

    init: for each vertex v in parallel: pi[v] = v
    split the edges into batches: n edges in the first batch, and
        in each later batch three times as many as in all earlier ones together
    for each batch:
        link: for each edge (u, v) of the batch in parallel: link(u, v)
        compress: for each vertex v in parallel: pi[v] = root of v
    (link is defined as in afforest)

Its phases:

- *init*: each vertex gets its initial parent
- *link*: the edges of one batch are linked
- *compress*: each vertex points to its root

Input: each edge in at least one direction. The result does not depend on the schedule. A parent is never
larger than its children (invariant 1), so each root is the smallest vertex of its component. Work O(m + n
log(m / n)) in practice; depth log(m / n) batches, each as deep as its longest path. All links together take
O(m), and each *compress* takes O(n).

See also ``afforest``: skips edges, but needs rows; ``disjoint-set``: accepts further edges at any time.
"""

from __future__ import annotations

from collections.abc import Iterator

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.limits import FIRST_BATCH, GROWTH
from pointerjump.reference.afforest import compress, link
from pointerjump.reference.vocabulary import (
    as_vertices,
    compare_and_swap,
    directed_edges,
    in_parallel,
    phase,
    shared,
)


def afforest_edges(graph: Graph, init: str = "own", batches: str = "growing") -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    `init` selects the initial parent of each vertex: the vertex itself ("own"), any smaller neighbor, if
    there is one ("smaller"), or the smaller end of the edge that hooks the vertex first, in the first batch
    ("first"). `batches` selects growing batches ("growing") or a single batch ("one").

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
            if init == "first" and begin == 0:
                hook_or_link(u, v, pi)
            else:
                link(u, v, pi)
        compress_all(pi)
    return as_vertices(pi)


def init_by_edges(edges: list[tuple[int, int]], pi: list[int]) -> None:
    for u, v in in_parallel(edges):
        pi[max(u, v)] = min(u, v)


def hook_or_link(u: int, v: int, pi: list[int]) -> None:
    h, low = max(u, v), min(u, v)
    above = compare_and_swap(pi, h, h, low)
    if above != h:
        link(above, low, pi)


def compress_all(pi: list[int]) -> None:
    phase("compress")
    for v in in_parallel(range(len(pi))):
        compress(v, pi)


def growing(edges: int, vertices: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each batch. Each later batch quadruples the number of linked edges."""
    begin, end = 0, max(1, FIRST_BATCH * vertices)
    while begin < edges:
        yield begin, min(end, edges)
        begin, end = end, GROWTH * end


def one(edges: int, vertices: int) -> Iterator[tuple[int, int]]:
    yield 0, edges


BATCHES = {"growing": growing, "one": one}
