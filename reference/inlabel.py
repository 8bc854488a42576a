"""Inlabel (Schieber, Vishkin; on GPUs Polak, Siwiec, Stobierski): common ancestors by numbers of paths.

Inlabel cuts the tree into paths, and numbers them. The bits of a path's number give its place in a complete
binary tree. Each query takes a fixed number of steps, without loops. Choose it for many queries about one
forest, or on a GPU, as ``auto`` does.

B. Schieber and U. Vishkin, "On finding lowest common ancestors: simplification and parallelization", SIAM J.
Comput. 17(6), 1988. A. Polak, A. Siwiec and M. Stobierski, "Euler meets GPU: practical graph algorithms with
theoretical guarantees", IPDPS 2021, run it on GPUs.

Vertices are numbered in preorder from 1, and a vertex's *inlabel* is the number in its subtree that has the
most trailing zeros. Vertices with the same inlabel form a path down the tree. On the way down from a root,
each path's inlabel has fewer trailing zeros than the one before. So a single word, the *ascendant*, says
which paths lie above a vertex: its bits are the lowest set bits of their inlabels.

In pseudo-code::

    number: for each vertex v in parallel:
        inlabel[v] = the number in v's subtree with the most trailing zeros
    head: for each v that begins a path, in parallel:
        head[inlabel[v]] = v, and the lowest set bit of inlabel[v] counts for v
    ascendant: for each vertex v in parallel:
        ascendant[v] = the sum of what counts for v and its ancestors
    answer: for each question (u, v) in parallel:
        bit = lowest bit that both ascendants have, where inlabels already agree
        x = u, or the parent of the head of the last path before that of `bit`
        y = the same for v
        the answer is x or y, whichever comes first in preorder

Its phases:

- *number*: each vertex is given the number of its path
- *head*: each path's first vertex is found, and given the path's bit
- *ascendant*: each vertex sums the bits above it, by two prefix sums
- *answer*: both vertices climb to the path of their ancestor, in one step each

Input: a rooted forest with parent, depth, preorder and size of each vertex, and pairs of vertices. The answer
for a pair is its lowest common ancestor, or -1 if the two are in different trees. Deterministic, whatever the
schedule: each word has one writer. Work O(n + q); depth O(log n). Only the prefix sums have this depth; each
pair takes O(1) steps.

Sums along paths are differences of two prefix sums. In preorder, the values up to v's own are those of v, its
ancestors, and all vertices that are finished before v begins. There are ``preorder[v] - depth[v]`` of the
latter, and they come first in postorder. So the second prefix sum is taken in postorder, in which v is number
``preorder[v] + size[v] - 1 - depth[v]``.

Beyond the paper: one numbering covers all trees. No two trees share an inlabel. So if two ascendants have no
bit in common where the inlabels agree, the trees differ. The paper compares levels;
here preorders are compared. The kernels keep two words for each vertex, its
preorder and its ascendant. The inlabel follows from them: it is the smallest number, from the vertex's own
on, that has as many trailing zeros as the ascendant. For each path, the kernels keep the parent of its head
and that parent's preorder.

See also ``range-minimum``: finds the least parent between two vertices in preorder.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from pointerjump.base.edges import VertexArray
from pointerjump.base.rooted import Rooted
from pointerjump.reference.vocabulary import as_vertices, in_parallel, phase, shared


def inlabel(rooted: Rooted, us: Sequence[int], vs: Sequence[int]) -> VertexArray:
    """Return the lowest common ancestor of each us[i] and vs[i], or -1 if they are in different trees.

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
        """Return v's lowest ancestor on the path whose inlabel has this lowest bit."""
        below = ascendant[v] & (bit - 1)
        if not below:
            return v
        last = highest_bit(below)  # of the path before that one
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
    """Return the number from `first` to `last` that has the most trailing zeros; both are positive."""
    return last & -highest_bit((first - 1) ^ last)


def lowest_bit(x: int) -> int:
    return x & -x


def highest_bit(x: int) -> int:
    return 1 << x.bit_length() - 1
