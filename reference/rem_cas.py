"""Rem-CAS (Hong, Dhulipala, Shun; gconn): Rem's algorithm with compare-and-swap and optional sampling.

Rem-CAS climbs from both ends of an edge at the same time, and hooks the first root it meets by
compare-and-swap. Each edge is processed only once. Choose this algorithm on CPUs, as ``auto`` does, for most
edge lists, and for the rows of sparse graphs such as road maps.

C. Hong, L. Dhulipala and J. Shun, "Exploring the design space of static and incremental graph connectivity
algorithms on GPUs", PACT 2020 (arXiv 2008.11839), section 3: Union-Rem-CAS, its compressions, and k-out
sampling with k = 2, which their program fuses into one launch (FUS).

Because hooks are atomic, none is lost. With *sampling*, every vertex is first united with its first two
neighbors, and the trees are flattened. After that, the edges of vertices in the largest tree are skipped.

In pseudo-code::

    p[v] = v for each vertex v
    unite: for each edge (x, y) in parallel:
        while p[x] and p[y] differ:
            let x be the end with the larger parent
            if x is a root:
                swap p[x] from x to p[y]
                if that worked, the edge is done
            otherwise:
                p[x] = p[p[x]], and continue from there
    compress: for each vertex v in parallel: p[v] = root of v

Its phases:

- *unite sample*: each vertex is united with its first two neighbors
- *find largest*: the largest tree is guessed from a sample of vertices
- *unite*: each edge climbs from both ends, and hooks the first root it meets
- *compress*: each vertex points to its root

Input: each edge in at least one direction; with sampling, both directions, because an edge that is skipped at
one end must be processed at the other. The result is deterministic regardless of the schedule: parents never
exceed their children, so each root is the smallest vertex of its component. Work O(n + m) in practice, O(n m)
at worst; depth the length of the longest path.

Reading an outdated parent does no harm: every vertex that was ever stored as the parent of a vertex x stays
connected to x. Without splicing, trees are merged but never split. Splicing moves x to another tree, but the
climb then continues until the two trees are joined. After a splice, the climb relies only on parents that are
smaller than the one it replaced. Therefore, climbs never rely on each other in a circle.

Beyond the paper: compressions are plain stores instead of the paper's swaps, because a lost compression costs
only time. A splice continues from the parent that it replaced, and not from one that was read earlier. In the
paper, each union can be followed by a find. Here, it never is, as in the paper's fastest variant.

See also ``rem``: hooks by plain stores; ``afforest``: links in a similar way, and skips edges;
``afforest-edges``: the other algorithm that ``auto`` runs on edges.
"""

from __future__ import annotations

from collections.abc import Callable

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.afforest import compress, most_frequent_element
from pointerjump.reference.vocabulary import (
    as_vertices,
    compare_and_swap,
    directed_edges,
    fetch_min,
    in_parallel,
    neighborhoods,
    phase,
    shared,
)

SAMPLED = 2

Leave = Callable[[int, int, int, list[int]], int]
"""A function that is called with x, p[x], p[y] and p when a climb leaves x, and returns the next vertex.

The vertex y is on the other path.
"""


def halve(x: int, p_x: int, p_y: int, p: list[int]) -> int:
    """Move x under its grandparent, and return the grandparent."""
    grandparent = p[p_x]
    if grandparent != p_x:
        p[x] = grandparent
    return grandparent


def split(x: int, p_x: int, p_y: int, p: list[int]) -> int:
    """Move x under its grandparent, and return its old parent."""
    halve(x, p_x, p_y, p)
    return p_x


def splice(x: int, p_x: int, p_y: int, p: list[int]) -> int:
    """If `p_y`, the other path's parent, is smaller than p[x], make it x's parent. Return the old parent."""
    return fetch_min(p, x, p_y)


def climb(x: int, p_x: int, p_y: int, p: list[int]) -> int:
    return p_x


COMPRESSION: dict[str, Leave] = {"halving": halve, "splitting": split, "splicing": splice, "none": climb}


def rem_cas(graph: Graph, compression: str = "halving", sampling: str = "none") -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    `compression` selects how the paths from the ends of an edge are shortened: "halving", "splitting",
    "splicing" or "none". With ``sampling="fused"``, one launch first unites each vertex with two neighbors.

    Examples
    --------
    >>> rem_cas(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    leave = COMPRESSION[compression]
    V = range(graph.vertices)
    p = shared("p", V)
    largest = sample(graph, p, leave) if sampling == "fused" else None

    phase("unite")
    for u, v in in_parallel(directed_edges(graph)):
        if largest is None or p[u] != largest:
            unite(u, v, p, leave)

    phase("compress")
    for v in in_parallel(V):
        compress(v, p)
    return as_vertices(p)


def sample(graph: Graph, p: list[int], leave: Leave) -> int | None:
    """Unite every vertex with its first two neighbors, and return a guess at the root of the largest tree."""
    N = neighborhoods(graph)
    phase("unite sample")
    for v in in_parallel(range(len(N))):
        for w in N[v][:SAMPLED]:
            unite(v, w, p, leave)
    phase("compress")
    for v in in_parallel(range(len(N))):
        compress(v, p)
    phase("find largest")
    return most_frequent_element(p) if p else None


def unite(x: int, y: int, p: list[int], leave: Leave) -> None:
    p_x, p_y = p[x], p[y]
    while p_x != p_y:
        if p_x < p_y:  # x is the end that climbs
            x, y, p_x, p_y = y, x, p_y, p_x
        if p_x == x:  # x seems to be a root
            p_x = compare_and_swap(p, x, x, p_y)
            if p_x == x:
                return
        else:
            x = leave(x, p_x, p_y, p)
            p_x = p[x]
