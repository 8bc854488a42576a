"""Inlabel (Schieber and Vishkin): common ancestors from path numbers.

Inlabel divides the tree into numbered paths. The bits of a path's number encode its position in a complete
binary tree, so each query takes a constant number of steps, without loops. Choose this algorithm for many
queries about one forest, or on a GPU, as ``auto`` does.

B. Schieber and U. Vishkin, "On finding lowest common ancestors: simplification and parallelization", SIAM J.
Comput. 17(6), 1988. A. Polak, A. Siwiec and M. Stobierski, "Euler meets GPU: practical graph algorithms with
theoretical guarantees", IPDPS 2021 (Inlabel on GPUs).

Vertices are numbered in preorder, starting from 1. The *inlabel* of a vertex is the number in its subtree
with the most trailing zeros in binary. Vertices with the same inlabel form a path down the tree. On the way
down from a root, the inlabel of each path has fewer trailing zeros than that of the path before. Therefore, a
single word, the *ascendant*, can describe all paths between the root and a vertex. Its set bits are the
lowest set bits of the paths' inlabels.

In pseudo-code::

    number: for each vertex v in parallel:
        inlabel[v] = the number in v's subtree with the most trailing zeros
    head: for each first vertex v of a path in parallel:
        head[inlabel[v]] = v; mark[v] = the lowest set bit of inlabel[v]   (0 for all other vertices)
    ascendant: for each vertex v in parallel:
        ascendant[v] = the sum of the marks of v and its ancestors
    answer: for each query (u, v) in parallel:
        high = the highest bit in which the inlabels of u and v differ, or 1 if they are equal
        bit = the lowest bit, not below high, that is set in both ascendants
        x = u if u is on the path of `bit`, otherwise the parent of the head of the next path towards u
        y = the same for v
        the answer is x or y, whichever comes first in preorder

Its phases:

- *number*: each vertex gets the number of its path
- *head*: each path's first vertex is marked with its inlabel's lowest set bit
- *ascendant*: two prefix sums add up the marks of each vertex and its ancestors
- *answer*: both vertices climb to their common ancestor's path in one step each

Input: a rooted forest, given by the parent, depth, preorder number and subtree size of each vertex, and q
pairs of vertices. The answer to a pair is the lowest common ancestor of the two vertices, or -1 if they are
in different trees. The result does not depend on the schedule: each word is written by only one iteration.
Work O(n + q); depth O(log n). Only the prefix sums have this depth.

The sum of the marks along the path from a root to v is the difference of two prefix sums. In preorder, the
vertices up to v are v itself, its ancestors and all vertices whose subtrees end before v. There are
``preorder[v] - depth[v]`` vertices of the last kind, and they come first in postorder. The second prefix sum
is therefore computed in postorder, in which the position of v is ``preorder[v] + size[v] - 1 - depth[v]``.

Unlike in the paper, all trees of a forest share one numbering. Because no two trees have an inlabel in
common, two vertices are in different trees if the *answer* step finds no common bit. The paper compares
levels, whereas preorder numbers are compared here.

See also ``range-minimum``: finds the least parent between two vertices in preorder.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from pointerjump.base.edges import VertexArray
from pointerjump.base.rooted import Rooted
from pointerjump.reference.vocabulary import as_vertices, in_parallel, phase, shared


def inlabel(rooted: Rooted, us: Sequence[int], vs: Sequence[int]) -> VertexArray:
    """Return the lowest common ancestor of each pair us[i] and vs[i], or -1 if they are in different trees.

    Examples
    --------
    >>> import numpy as np
    >>> above, depth, preorder, size = ([0, 0, 0, 2], [0, 1, 1, 2], [0, 1, 2, 3], [4, 1, 2, 1])
    >>> columns = (np.array(each) for each in (above, depth, preorder, size, [0] * 4, [0]))
    >>> inlabel(Rooted(*columns), [1, 3, 2], [3, 2, 2]).tolist()
    [0, 2, 2]
    """
    parent, depth, preorder, size = (each.tolist() for each in rooted[:4])
    n = len(parent)

    phase("number")
    number = shared("inlabel", [0] * n)
    for v in in_parallel(range(n)):
        number[v] = most_trailing_zeros(preorder[v] + 1, preorder[v] + size[v])

    phase("head")
    head = shared("head", [-1] * (n + 1))
    in_preorder, in_postorder = shared("in preorder", [0] * n), shared("in postorder", [0] * n)
    for v in in_parallel(range(n)):
        if parent[v] == v or number[parent[v]] != number[v]:
            head[number[v]] = v
            postorder = preorder[v] + size[v] - 1 - depth[v]
            in_preorder[preorder[v]] = in_postorder[postorder] = lowest_bit(number[v])

    phase("ascendant")
    begun, finished = list(accumulate(in_preorder, initial=0)), list(accumulate(in_postorder, initial=0))
    ascendant = shared("ascendant", [0] * n)
    for v in in_parallel(range(n)):
        ascendant[v] = begun[preorder[v] + 1] - finished[preorder[v] - depth[v]]

    def climb(v: int, bit: int) -> int:
        """Return v's lowest ancestor on the path whose inlabel has `bit` as its lowest set bit."""
        below = ascendant[v] & (bit - 1)
        if not below:
            return v
        last = highest_bit(below)  # of the next path towards v
        above: int = parent[head[number[v] & -last | last]]
        return above

    phase("answer")
    ancestor = shared("ancestor", [-1] * len(us))
    for q in in_parallel(range(len(us))):
        u, v = us[q], vs[q]
        agree = -highest_bit(number[u] ^ number[v] | 1)
        both = ascendant[u] & ascendant[v] & agree
        if both:
            ends = (climb(u, lowest_bit(both)), climb(v, lowest_bit(both)))
            ancestor[q] = min(ends, key=preorder.__getitem__)
    return as_vertices(ancestor)


def most_trailing_zeros(first: int, last: int) -> int:
    return last & -highest_bit((first - 1) ^ last)


def lowest_bit(x: int) -> int:
    return x & -x


def highest_bit(x: int) -> int:
    return 1 << x.bit_length() - 1
