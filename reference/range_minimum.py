"""Range minimum (Berkman, Vishkin; Bender, Farach-Colton): common ancestors as minima of intervals.

In preorder, the lowest common ancestor of two vertices comes first among the parents of the vertices between
them. A table of block minima yields the minimum of any interval. Choose this algorithm when there are few
pairs, as ``auto`` does on CPUs: it needs less preparation than ``inlabel``, but reads more words for each
pair.

O. Berkman and U. Vishkin, "Recursive star-tree parallel data structure", SIAM J. Comput. 22(2), 1993. M. A.
Bender and M. Farach-Colton, "The LCA problem revisited", LATIN 2000, section 3: the sparse table.

In preorder, the vertices of a subtree are consecutive. Let u and v be two vertices of a tree, where u comes
first. All vertices after u, up to and including v, lie below the lowest common ancestor of u and v. One of
these vertices is a child of that ancestor: the child on the path to v. The smallest of their parents, by
preorder number, is therefore that ancestor. The vertices after u, up to v, form an interval: whole blocks of
32 consecutive vertices, and a partial block at each end. For the whole blocks, a *sparse table* yields the
minimum from two overlapping runs of 2^k blocks.

In pseudo-code::

    place: for each vertex v in parallel:
        above[preorder[v]] = preorder of v's parent, or -1 if v is a root
    block minima: for each block b in parallel:
        up_to[i], onward[i] = the minima of above in block b up to i, and from i on
        least[0][b] = the minimum of above in block b
    double: for k = 1, 2, ... for each block b in parallel:
        least[k][b] = min(least[k - 1][b], least[k - 1][b + 2^(k - 1)])
    answer: for each pair (u, v) in parallel:
        i, j = their preorder numbers, the smaller first; if they are equal, the answer is u
        at = the minimum of above[i + 1 .. j], from onward, two entries of least and up_to
        the answer is the vertex with preorder number at

Its phases:

- *place*: each vertex stores its parent's preorder number at its own position
- *block minima*: each block computes its prefix minima, suffix minima and minimum
- *double*: minima are computed for runs of twice as many blocks
- *answer*: the smallest parent in the interval between two vertices is their common ancestor

Input: a rooted forest, with the parent and preorder number of each vertex, and q pairs of vertices. The
answer for a pair is its lowest common ancestor, or -1 if its vertices are in different trees. The result is
deterministic regardless of the schedule, because each word is written by only one work-item. Work O(n + n / b
log n + q) with blocks of b = 32 entries; depth O(b + log n). A pair within one block takes up to b steps, but
the stated work assumes that there are few such pairs.

Deviation: the papers take minima of 2 n - 1 depths along an Euler tour; here, the n parents are sufficient.

See also ``inlabel``: takes a fixed number of steps for each pair.
"""

from __future__ import annotations

from collections.abc import Sequence

from pointerjump.base.edges import VertexArray
from pointerjump.base.rooted import Rooted
from pointerjump.reference.vocabulary import as_vertices, in_parallel, phase, shared

BLOCK = 32
"""The number of entries in a block."""


def range_minimum(rooted: Rooted, us: Sequence[int], vs: Sequence[int]) -> VertexArray:
    """Return the lowest common ancestor of each pair us[i] and vs[i], or -1 if they are in different trees.

    Examples
    --------
    >>> import numpy as np
    >>> above, depth, preorder, size = ([0, 0, 0, 2], [0, 1, 1, 2], [0, 1, 2, 3], [4, 1, 2, 1])
    >>> columns = (np.array(each) for each in (above, depth, preorder, size, [0] * 4, [0]))
    >>> range_minimum(Rooted(*columns), [1, 3, 2], [3, 2, 2]).tolist()
    [0, 2, 2]
    """
    parent, preorder = rooted.parent.tolist(), rooted.preorder.tolist()
    n = len(parent)

    phase("place")
    above, vertex = shared("above", [-1] * n), shared("vertex", [-1] * n)
    for v in in_parallel(range(n)):
        vertex[preorder[v]] = v
        if parent[v] != v:
            above[preorder[v]] = preorder[parent[v]]
    up_to, onward, least = block_minima(above)
    double(least)

    def minimum(first: int, last: int) -> int:
        begin, end = first // BLOCK + 1, last // BLOCK  # the whole blocks between
        if begin > end:
            return min(above[i] for i in range(first, last + 1))
        found = min(onward[first], up_to[last])
        if begin < end:
            k = (end - begin).bit_length() - 1
            found = min(found, least[k][begin], least[k][end - (1 << k)])
        return found

    phase("answer")
    ancestor = shared("ancestor", [-1] * len(us))
    for q in in_parallel(range(len(us))):
        i, j = sorted((preorder[us[q]], preorder[vs[q]]))
        at = i if i == j else minimum(i + 1, j)
        if at >= 0:
            ancestor[q] = vertex[at]
    return as_vertices(ancestor)


def block_minima(above: list[int]) -> tuple[list[int], list[int], list[list[int]]]:
    """Return the prefix minima and suffix minima of each block, and the first level of the sparse table."""
    phase("block minima")
    n = len(above)
    up_to, onward = shared("up to", above), shared("onward", above)
    least = shared("least", [0] * -(-n // BLOCK))
    for b in in_parallel(range(len(least))):
        begin, end = b * BLOCK, min((b + 1) * BLOCK, n)
        for i in range(begin + 1, end):
            up_to[i] = min(up_to[i - 1], up_to[i])
        for i in range(end - 2, begin - 1, -1):
            onward[i] = min(onward[i], onward[i + 1])
        least[b] = up_to[end - 1]
    return up_to, onward, [least]


def double(least: list[list[int]]) -> None:
    """Append the minima of all runs of 2, 4, 8, ... blocks to `least`, one list for each length.

    No run is longer than the number of blocks.
    """
    run = 1
    while 2 * run <= len(least[0]):
        phase("double")
        halves = least[-1]
        least.append(shared("least", [0] * (len(halves) - run)))
        for b in in_parallel(range(len(least[-1]))):
            least[-1][b] = min(halves[b], halves[b + run])
        run *= 2
