"""Connected components by breadth-first search: Ligra's BFSCC and the direction-optimizing DOBFS-CC.

Breadth-first search proceeds from one vertex, level by level, and then starts again from the next unvisited
one. Choose this algorithm for graphs with few components and a small diameter, but never for road maps.

J. Shun and G. Blelloch, "Ligra: a lightweight graph processing framework for shared memory", PPoPP 2013, and
J. Jaiganesh's thesis, algorithm 8 (BFSCC); S. Beamer, K. Asanovic and D. Patterson, "Direction-optimizing
breadth-first search", SC 2012, and M. Sutton, T. Ben-Nun and A. Barak, IPDPS 2018, section II-B (DOBFS-CC).

Each parallel step starts from the *frontier*: the vertices reached in the previous step. In a *top-down*
step, each frontier vertex claims its unvisited neighbors. In a *bottom-up* step, each unvisited vertex looks
for a neighbor in the frontier and stops at the first one. If the frontier is large, most edges are therefore
never read.

In pseudo-code::

    for each vertex s, in ascending order:
        if s is unvisited:
            Parent[s] = s, and the frontier is s alone
            repeat until the frontier is empty:
                top-down:
                    for each vertex u of the frontier in parallel:
                        for each unvisited neighbor w of u:
                            swap Parent[w] from unvisited to Parent[u]
                            if the swap succeeds, w is in the next frontier

Its phases:

- *top-down*: the frontier claims its unvisited neighbors
- *bottom-up*: each unvisited vertex looks for a neighbor in the frontier

Input: both directions of every edge. The result does not depend on the schedule. A vertex can be claimed only
once. Searches start from unvisited vertices in ascending order, so each representative is the smallest vertex
of its component. Work O(n + m); depth the sum of the diameters of all components.

Deviation: Beamer switches to bottom-up steps when the frontier has more than 1/alpha of the unexplored edges.
If there are many small components, few edges are unexplored during the last searches. Even a small frontier
then meets this condition, but a bottom-up step would examine all vertices. Here, the frontier must also
contain more than 1/beta of all vertices, which is Beamer's condition for continuing bottom-up.

See also ``multistep``: searches only the largest component; ``ligra-plus``: searches compressed rows;
``dfs``: serial.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.limits import ALPHA, BETA
from pointerjump.reference.vocabulary import (
    as_vertices,
    compare_and_swap,
    in_parallel,
    neighborhoods,
    phase,
    shared,
)

UNVISITED = -1


def top_down(frontier: list[int], N: Sequence[Sequence[int]], label: list[int]) -> list[int]:
    phase("top-down")
    reached = []
    for u in in_parallel(frontier):
        for w in N[u]:
            if label[w] == UNVISITED and compare_and_swap(label, w, UNVISITED, label[u]) == UNVISITED:
                reached.append(w)
    return reached


def bottom_up(frontier: list[int], N: Sequence[Sequence[int]], label: list[int]) -> list[int]:
    phase("bottom-up")
    in_frontier = bytearray(len(N))
    for u in frontier:
        in_frontier[u] = 1
    reached = []
    for w in in_parallel(range(len(N))):
        if label[w] == UNVISITED:
            for u in N[w]:
                if in_frontier[u]:
                    label[w] = label[u]
                    reached.append(w)
                    break
    return reached


Expansion = Callable[[list[int], Sequence[Sequence[int]], list[int]], list[int]]
Choose = Callable[[list[int], Sequence[Sequence[int]], int], Expansion]


def always_top_down(frontier: list[int], N: Sequence[Sequence[int]], unexplored: int) -> Expansion:
    return top_down


def by_size(frontier: list[int], N: Sequence[Sequence[int]], unexplored: int) -> Expansion:
    large = len(frontier) * BETA > len(N) and sum(len(N[u]) for u in frontier) * ALPHA > unexplored
    return bottom_up if large else top_down


DIRECTION: dict[str, Choose] = {"top-down": always_top_down, "optimizing": by_size}


def bfs(graph: Graph, direction: str = "top-down") -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    With ``direction="optimizing"``, steps are bottom-up as long as the frontier is large.

    Examples
    --------
    >>> bfs(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    return as_vertices(search_all(neighborhoods(graph), DIRECTION[direction]))


def search_all(N: Sequence[Sequence[int]], choose: Choose) -> list[int]:
    label = shared("Parent", [UNVISITED] * len(N))
    unexplored = sum(len(row) for row in N)
    for source in range(len(N)):
        if label[source] == UNVISITED:
            unexplored = search(source, N, label, choose, unexplored)
    return label


def search(source: int, N: Sequence[Sequence[int]], label: list[int], choose: Choose, unexplored: int) -> int:
    """Label every vertex reachable from `source` with `source`; return how many edges remain unexplored."""
    label[source] = source
    frontier = [source]
    while frontier:
        step = choose(frontier, N, unexplored)
        unexplored -= sum(len(N[u]) for u in frontier)
        frontier = step(frontier, N, label)
    return unexplored
