"""Connected components by union-find: two union rules and four find rules (Tarjan; Patwary et al.).

Union-find stores components as trees of parent pointers. Each edge joins the trees of its ends. Choose this
algorithm to learn what parents, roots and short paths are: all tree-hooking algorithms build on union-find.

R. E. Tarjan, "Efficiency of a good but not linear set union algorithm", JACM 22(2), 1975; M. Patwary,
J. Blair and F. Manne, "Experiments on union-find algorithms", SEA 2010; J. Jaiganesh's thesis, section 1.2.1;
J. Jaiganesh and M. Burtscher, HPDC 2018, section 1.

*union* determines which of two roots stays a root; *find* determines how paths to a root are shortened.

In pseudo-code::

    parent[v] = v and size[v] = 1 for each vertex v
    unite: for each edge (u, v):
        a, b = find(u), find(v)
        if a and b differ:
            let a be the root of the smaller set
            parent[a] = b, and add size[a] to size[b]
    representative[v] = find(v) for each vertex v

    find(v):
        until parent[v] is a root:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return parent[v]

Its phases:

- *unite*: each edge hooks the root of one end under that of the other

Input: each edge in at least one direction. The result is deterministic. Work O(n + m alpha(n)); depth O(n + m
alpha(n)): serial. This holds for union by size with any find that shortens paths. With only one of the two,
the work is O(m log n); with neither, it is O(n m).

See also ``one-group``: runs on several work-items in parallel; ``galois``: runs on all threads of a device;
``disjoint-set``: accepts more edges at any time.
"""

from __future__ import annotations

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.trees import FIND
from pointerjump.reference.vocabulary import as_vertices, directed_edges, phase, shared


def union_find(graph: Graph, union: str = "size", find: str = "halving") -> VertexArray:
    """Return each vertex's representative, the root of its set.

    `union` selects the root that stays: that of the larger set ("size"), or the one with the smaller id
    ("index"). `find` selects how paths are shortened: "halving", "splitting", "compression" or "none".

    Examples
    --------
    >>> union_find(Graph.from_edges([0, 4], [2, 3], vertices=5), union="index").tolist()
    [0, 1, 0, 3, 3]
    """
    find_root = FIND[find]
    phase("unite")
    parent = shared("parent", range(graph.vertices))
    size = [1] * graph.vertices
    for u, v in directed_edges(graph):
        a, b = find_root(u, parent), find_root(v, parent)
        if a == b:
            continue
        if union == "size":
            child, root = (a, b) if size[a] < size[b] else (b, a)
            size[root] += size[child]
        else:
            child, root = max(a, b), min(a, b)
        parent[child] = root
    return as_vertices([find_root(v, parent) for v in range(graph.vertices)])
