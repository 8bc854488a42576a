"""Chain decomposition (Schmidt): cycles and paths that cover all edges except the bridges.

A bridge is an edge whose removal splits a component. Each edge outside a depth-first tree begins a chain,
which continues along the tree until it meets an earlier chain or its own start. Choose this algorithm for its
short proof: each edge of a chain lies on a cycle, so it is not a bridge.

J. M. Schmidt, "A simple test on 2-vertex- and 2-edge-connectivity", Information Processing Letters 113(7),
2013, section 3.

An edge is a bridge if and only if no chain contains it (lemma 4).

In pseudo-code::

    search:
        number the vertices depth-first; note the tree edge up from each vertex
    chains:
        for each vertex v, in order of the search:
            for each edge e = (v, w) outside the tree that leads down from v:
                visit v; put e into the chain; x = w
                while x is not visited:
                    visit x; put the edge up from x into the chain; x = the parent of x
        the bridges are the edges in no chain

Its phases:

- *search*: vertices are numbered depth-first
- *chains*: each edge outside the tree begins a chain

Input: edges in any order and direction; loops and parallel edges are allowed. Deterministic. Work O(n + m);
depth O(n + m): serial.

See also ``marking``: runs in parallel, from any spanning forest; ``hopcroft-tarjan``: also finds blocks.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pointerjump.base.edges import EdgeList
from pointerjump.reference.spanned import NONE, pairs_of
from pointerjump.reference.vocabulary import phase, shared


def chain(edges: EdgeList) -> npt.NDArray[np.int64]:
    """Return the indices of the bridges in the edge list, in ascending order.

    Examples
    --------
    >>> chain(EdgeList.of([0, 1, 2, 2, 3], [1, 2, 0, 3, 3])).tolist()
    [3]
    """
    pairs, n = pairs_of(edges), edges.vertices
    incident: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for e, (u, v) in enumerate(pairs):
        if u != v:
            incident[u].append((v, e))
            incident[v].append((u, e))
    phase("search")
    number, above, edge_up = (shared(name, [NONE] * n) for name in ("number", "above", "edge up"))
    order: list[int] = []
    for root in range(n):
        if number[root] != NONE:
            continue
        path = [(root, iter(incident[root]))]
        number[root] = len(order)
        order.append(root)
        while path:
            u, left = path[-1]
            for v, e in left:
                if number[v] == NONE:
                    number[v], above[v], edge_up[v] = len(order), u, e
                    order.append(v)
                    path.append((v, iter(incident[v])))
                    break
            else:
                path.pop()

    phase("chains")
    visited, in_a_chain = [False] * n, [False] * len(pairs)
    for v in order:
        for w, e in incident[v]:
            if number[w] < number[v] or edge_up[w] == e:
                continue
            visited[v] = in_a_chain[e] = True
            x = w
            while not visited[x]:
                visited[x] = in_a_chain[edge_up[x]] = True
                x = above[x]
    return np.array([e for e, (u, v) in enumerate(pairs) if u != v and not in_a_chain[e]], np.int64)
