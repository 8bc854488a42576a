"""Hopcroft and Tarjan's algorithm: blocks from a single depth-first search with a stack of edges.

A block is a maximal set of edges any two of which lie on a common cycle, or a single edge that lies on no
cycle. A depth-first search recognizes complete blocks by the *low points* of vertices. Choose this algorithm
as a simple serial baseline.

J. Hopcroft and R. Tarjan, "Algorithm 447: efficient algorithms for graph manipulation", CACM 16(6), 1973; R.
Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1(2), 1972, section 3.

In a depth-first search, an edge outside the tree leads to an ancestor. Among the vertices to which edges from
the subtree of v lead, the low point of v is the one visited first. If the low point of v does not come before
v's parent u, no edge leads from the subtree of v to a vertex before u. In that case, the edges on the stack
from (u, v) to the top form a block. The code is not recursive, so long paths do not exceed Python's recursion
limit.

In pseudo-code::

    search: for each vertex u that has no number yet: visit(u)

    visit(u):
        number u
        for each edge e = (u, v) except the one that led to u:
            if v has no number:
                push e onto the stack; visit(v)
                low[u] = the lesser of low[u], low[v]
                if low[v] >= number[u]: pop edges from the stack, up to and including e: they form a block
            otherwise, if v has a smaller number than u:
                push e onto the stack
                low[u] = the lesser of low[u], number[v]

Its phases:

- *search*: edges wait on a stack until their block is complete

Input: edges in any order and direction; loops and parallel edges are allowed. Deterministic. Work O(n + m);
depth O(n + m): serial.

See also ``fast-bcc``: runs in parallel, and works with any spanning forest; ``chain``: finds bridges.
"""

from __future__ import annotations

from pointerjump.base.edges import EdgeList, VertexArray
from pointerjump.reference.spanned import NONE, numbered, pairs_of
from pointerjump.reference.vocabulary import as_vertices, phase, shared


def hopcroft_tarjan(edges: EdgeList) -> VertexArray:
    """Return each edge's block number, or -1 for loops. Blocks are numbered in order of their first edges.

    Examples
    --------
    >>> triangle_and_tail = EdgeList.of([0, 1, 2, 2, 3], [1, 2, 0, 3, 3])
    >>> hopcroft_tarjan(triangle_and_tail).tolist()
    [0, 0, 0, 1, -1]
    """
    pairs, n = pairs_of(edges), edges.vertices
    incident: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for e, (u, v) in enumerate(pairs):
        incident[u].append((v, e))
        incident[v].append((u, e))
    phase("search")
    number, low = shared("number", [NONE] * n), shared("low", [0] * n)
    count = blocks = 0
    waiting: list[int] = []
    found: list[tuple[int, int]] = []
    for root in range(n):
        if number[root] != NONE:
            continue
        number[root] = low[root] = count
        count += 1
        path = [(root, NONE, iter(incident[root]))]  # vertex, edge that led there, edges left
        while path:
            u, led_here, left = path[-1]
            for v, e in left:
                if e == led_here or v == u:
                    continue
                if number[v] == NONE:
                    waiting.append(e)
                    number[v] = low[v] = count
                    count += 1
                    path.append((v, e, iter(incident[v])))
                    break
                if number[v] < number[u]:
                    waiting.append(e)
                    low[u] = min(low[u], number[v])
            else:
                path.pop()
                if not path:
                    continue
                above = path[-1][0]
                low[above] = min(low[above], low[u])
                if low[u] >= number[above]:
                    e = NONE
                    while e != led_here:
                        e = waiting.pop()
                        found.append((e, blocks))
                    blocks += 1
    return as_vertices(numbered(found, len(pairs)))
