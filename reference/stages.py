"""Stages (Cong, Muzio): graft-shortcut or Shiloach-Vishkin on one group of edges after another.

Stages runs an *inner algorithm* on random groups of edges. Each group starts with the components found so
far. Choose this algorithm to see a giant component form early, so that most of the later edges cost nothing.

G. Cong and P. Muzio, "Fast parallel connected components algorithms on GPUs", Euro-Par 2014 workshops,
section 5, algorithm 3.

Each group has qn edges, where n is the number of vertices. On random graphs, if q > 1/2, the first group
already forms a giant component. What fraction of the vertices it contains depends on q (theorem 3). Most
edges of later groups lie within this component.

In pseudo-code::

    D[v] = v for each vertex v
    put the edges into random order
    for each group of q n edges, one after the other:
        next group: for each edge (u, v) of the group in parallel: it becomes (D[u], D[v])
        look up, graft, shortcut: run CC (graft-shortcut) on these edges, starting with the trees in D

Its phases:

- *next group*: the ends of each edge of a group are replaced by their components
- *look up*: each edge looks up the components of its ends
- *graft*: for each edge, the larger component is grafted under the smaller one
- *shortcut*: each vertex points to its root
- *update*: the ends of each edge are replaced by their parents
- *SV0*: each vertex points to its parent, and no tree has changed yet
- *SV1a*: each vertex points to its grandparent
- *SV1b*: trees that the short-cut changed are marked
- *SV2*: roots of unchanged trees are hooked onto smaller neighbors
- *SV3*: roots of stagnant trees are hooked onto any neighbor
- *SV4*: each vertex points to its grandparent again
- *SV5*: if any tree was marked, there is another round
- *hook*: roots are hooked under the smaller parent at an edge's other end

Input: both directions of every edge; each edge is processed once, and loops are left out. The result is
correct regardless of the schedule, provided that the inner algorithm's result is. Work O((m + g n) log n) for
g = m / qn groups; depth g times O(log n) rounds in practice.

See also ``graft-shortcut``: the default for each group; ``afforest``: uses the giant component to skip edges;
``afforest-edges``: processes edges in growing batches.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.graft_shortcut import Edge, direct, graft_and_shortcut
from pointerjump.reference.shiloach_vishkin import hook_and_shortcut as sv_rounds
from pointerjump.reference.shiloach_vishkin_csr import hook_and_shortcut as csr_rounds
from pointerjump.reference.vocabulary import as_vertices, phase, shared, undirected_edges


def both_directions(El: list[Edge]) -> list[Edge]:
    return El + [(v, u) for u, v in El]


def over_rows(El: list[Edge], D: list[int]) -> list[int]:
    N: list[list[int]] = [[] for _ in D]
    for u, v in both_directions(El):
        N[u].append(v)
    csr_rounds(N, D)
    return D


INNER: dict[str, Callable[[list[Edge], list[int]], list[int]]] = {
    "graft-shortcut": graft_and_shortcut,
    "graft-shortcut-updt": lambda El, D: graft_and_shortcut(El, D, update=True),
    "shiloach-vishkin": lambda El, D: sv_rounds(both_directions(El), D),
    "shiloach-vishkin-updt": lambda El, D: sv_rounds(both_directions(El), D, update=True),
    "shiloach-vishkin-csr": over_rows,
}


def stages(graph: Graph, inner: str = "graft-shortcut", q: int = 1, seed: int = 1) -> VertexArray:
    """Return each vertex's representative: a vertex of its component, not always the smallest.

    `inner` is the algorithm that runs on each group: "graft-shortcut", "graft-shortcut-updt",
    "shiloach-vishkin", "shiloach-vishkin-updt" or "shiloach-vishkin-csr". A group has `q` edges for each
    vertex of the graph. `seed` determines how the edges are shuffled.

    Examples
    --------
    >>> stages(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    El = undirected_edges(graph)
    Random(seed).shuffle(El)
    D = shared("D", range(graph.vertices))
    qn = q * graph.vertices
    for i in range(0, len(El), max(qn, 1)):
        phase("next group")
        El_i = direct(El[i : i + qn], D)
        D = INNER[inner](El_i, D)
    return as_vertices(D)
