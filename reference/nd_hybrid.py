"""ndHybrid: decompose the graph into parts of low diameter, contract the parts and repeat.

ndHybrid uses simultaneous searches to decompose the graph into parts of low diameter, contracts each part and
repeats both steps. Choose this algorithm to learn from it: its expected work is linear on every graph.

J. Shun, L. Dhulipala and G. Blelloch, "A simple and practical linear-work parallel algorithm for
connectivity", SPAA 2014, the non-deterministic hybrid form; as described by J. Jaiganesh and
M. Burtscher, HPDC 2018, section 2.

The vertices are put in random order. By step t, each of the first e^(beta t) vertices has started a
breadth-first search, unless another search reached it first; beta is a constant. If two searches reach a
vertex in the same step, either one may claim it. The vertices that one search claims form a part. Most edges
lie within parts, and are dropped. Once no edge is left, the parts are the components.

In pseudo-code::

    repeat until no edge is left:
        for t = 0, 1, 2, ... until every vertex has a center:
            start searches:
                of the first e^(beta t) vertices in random order, each vertex v
                without a center gets center[v] = v, and joins the frontier
            top-down, bottom-up:
                for each vertex u of the frontier in parallel:
                    for each neighbor w of u without a center:
                        swap center[w] from none to center[u]
                        if that worked, w is in the next frontier
                (bottom-up, if the frontier is large: each w looks for a u instead)
        contract:
            all vertices with the same center become one vertex
            keep the edges between different vertices, each once

Its phases:

- *start searches*: further vertices start searches, unless they have already been reached
- *top-down*: the frontier claims its unvisited neighbors
- *bottom-up*: each unvisited vertex looks for a neighbor in the frontier
- *contract*: each part becomes one vertex, and edges within parts are dropped

Input: both directions of every edge. The parts depend on the seed and the schedule, but the components do
not. Work O(n + m) expected; depth O(log n) rounds of O(log n / beta) steps each. The expected number of edges
that a round leaves is at most 2 beta times the number before it.

Deviation: the authors' algorithm is recursive. Here, a loop replaces the recursion.

See also ``bfs``: searches in the same way; ``graft-shortcut``: its variant CC-updt also contracts components.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp
from random import Random

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.limits import STARTS_GROW
from pointerjump.reference.bfs import UNVISITED, bottom_up, top_down
from pointerjump.reference.vocabulary import as_vertices, in_parallel, neighborhoods, phase, shared

DENSE = 0.2  # a step goes bottom-up if more than this fraction of the vertices is in the frontier


def nd_hybrid(graph: Graph, seed: int = 1) -> VertexArray:
    """Return each vertex's representative: a vertex of its component, not always the smallest.

    `seed` determines the order in which searches start.

    Examples
    --------
    >>> found = nd_hybrid(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    >>> found[0] == found[2], found[3] == found[4], len(set(found))
    (True, True, 3)
    """
    random = Random(seed)
    N = neighborhoods(graph)
    part = list(range(len(N)))  # which vertex of the contracted graph each vertex has become
    name = list(range(len(N)))  # one original vertex for each vertex of the contracted graph
    while N:
        center = decompose(N, random)
        centers = sorted(set(center))
        number = {c: i for i, c in enumerate(centers)}
        part = [number[center[p]] for p in part]
        name = [name[c] for c in centers]
        N = contract(N, [number[c] for c in center], len(centers))
    return as_vertices([name[p] for p in part])


def decompose(N: Sequence[Sequence[int]], random: Random) -> list[int]:
    """Return the center of each vertex: the source of the search that reached it first."""
    n = len(N)
    order = random.sample(range(n), n)
    center = shared("center", [UNVISITED] * n)
    frontier: list[int] = []
    step = started = 0
    while started < n or frontier:
        due = min(n, ceil(exp(STARTS_GROW * step)))
        phase("start searches")
        for v in in_parallel(order[started:due]):
            if center[v] == UNVISITED:
                center[v] = v
                frontier.append(v)
        started, step = due, step + 1
        dense = len(frontier) > DENSE * n
        frontier = (bottom_up if dense else top_down)(frontier, N, center)
    return center


def contract(N: Sequence[Sequence[int]], part: list[int], parts: int) -> list[list[int]]:
    """Return the distinct neighbors of each contracted vertex, or an empty list if no edges are left."""
    phase("contract")
    neighbors: list[set[int]] = [set() for _ in range(parts)]
    for v in in_parallel(range(len(N))):
        neighbors[part[v]].update(part[w] for w in N[v])
    rows = [sorted(ws - {p}) for p, ws in enumerate(neighbors)]
    return rows if any(rows) else []
