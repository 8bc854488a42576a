"""Afforest with its links in another order: by rows, neighbors, random edges or a spanning forest.

This form of Afforest splits the edges into subgraphs in one of four ways and links one subgraph after
another. Choose this algorithm to see why Afforest begins with the first neighbors of all vertices.

M. Sutton, T. Ben-Nun and A. Barak, "Optimizing parallel graph connectivity computation via subgraph
sampling", IPDPS 2018, sections III-B, IV and V-B (figure 6).

A link is never undone, so the edges can be split into subgraphs in any way (theorem 1). The split determines
how quickly the trees merge. They merge most slowly if the adjacency matrix is split by *rows*. *Random edges*
are better, but favor vertices of high degree. It is almost optimal if each subgraph links every vertex with
one more of its *neighbors*. Beginning with a *spanning forest* would be optimal, but no such forest is known
in advance.

In pseudo-code::

    pi[v] = v for each vertex v
    for i = 1, 2, ..., 32:
        link: for each vertex v in parallel: link(v, the i-th neighbor of v)
        compress: for each vertex v in parallel: pi[v] = root of v
    (the 32nd subgraph contains all remaining neighbors; link is defined as in afforest)

Its phases:

- *link*: the edges of one subgraph are linked
- *compress*: each vertex points to its root

Input: each edge in at least one direction. The result depends on neither the schedule nor the split: each
representative is the smallest vertex of its component. Work O(m + s n) in practice for s subgraphs; depth s
subgraphs, each as deep as its longest path.

See also ``afforest``: the form for practical use; ``spanning-forest``: finds the optimal first subgraph.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.limits import SUBGRAPHS
from pointerjump.reference.afforest import compress, link
from pointerjump.reference.machine import Machine
from pointerjump.reference.spanning_forest import spanning_forest
from pointerjump.reference.vocabulary import (
    as_vertices,
    directed_edges,
    in_parallel,
    neighborhoods,
    phase,
    shared,
)

Edges = list[tuple[int, int]]


def by_row(graph: Graph, seed: int) -> list[Edges]:
    return in_parts(directed_edges(graph), SUBGRAPHS)


def by_edge(graph: Graph, seed: int) -> list[Edges]:
    edges = directed_edges(graph)
    Random(seed).shuffle(edges)
    return in_parts(edges, SUBGRAPHS)


def by_neighbor(graph: Graph, seed: int) -> list[Edges]:
    N = neighborhoods(graph)
    rounds: list[Edges] = [[] for _ in range(SUBGRAPHS)]
    for v, row in enumerate(N):
        for i, w in enumerate(row):
            rounds[min(i, SUBGRAPHS - 1)].append((v, w))
    return rounds


def by_forest(graph: Graph, seed: int) -> list[Edges]:
    with Machine(counting=False):  # a separate machine, so that finding the forest is not counted
        forest = [(u, v) for u, v in spanning_forest(graph).tolist()]
    chosen = set(forest)
    others = [edge for edge in directed_edges(graph) if edge not in chosen]
    return in_parts(forest, SUBGRAPHS // 4) + in_parts(others, SUBGRAPHS // 4)


def in_parts(edges: Edges, parts: int) -> list[Edges]:
    return [edges[len(edges) * i // parts : len(edges) * (i + 1) // parts] for i in range(parts)]


PARTITION: dict[str, Callable[[Graph, int], list[Edges]]] = {
    "neighbor": by_neighbor,
    "row": by_row,
    "edge": by_edge,
    "forest": by_forest,
}


def afforest_subgraphs(graph: Graph, partition: str = "neighbor", seed: int = 1) -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    `partition` says how edges are split: by "neighbor", "row", "forest", or "edge" (shuffled with `seed`).

    Examples
    --------
    >>> afforest_subgraphs(Graph.from_edges([0, 4], [2, 3], vertices=5), "row").tolist()
    [0, 1, 0, 3, 3]
    """
    subgraphs = PARTITION[partition](graph, seed)
    pi = shared("pi", range(graph.vertices))
    for subgraph in subgraphs:
        phase("link")
        for u, v in in_parallel(subgraph):
            link(u, v, pi)
        phase("compress")
        for v in in_parallel(range(graph.vertices)):
            compress(v, pi)
    return as_vertices(pi)
