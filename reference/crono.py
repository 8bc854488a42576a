"""CRONO: Shiloach-Vishkin over a padded two-dimensional adjacency array.

CRONO runs Shiloach-Vishkin over adjacency rows that are padded to the length of the longest one. Choose this
algorithm to see the cost of padding.

M. Ahmad, F. Hijaz, Q. Shi and O. Khan, "CRONO: a benchmark suite for multithreaded graph algorithms executing
on futuristic multicores", IISWC 2015; this description follows J. Jaiganesh's thesis, chapters 2 and 3, and
J. Jaiganesh and M. Burtscher, HPDC 2018, section 2.

Every vertex has a row of d_max entries, where d_max is the highest degree in the graph. Because all rows are
equally long, no offsets are needed. CRONO allocates two arrays of such rows, one for neighbors and one for
weights, and four arrays of n words. A single vertex of very high degree can exhaust the memory, as happened
for five of the eighteen graphs in the thesis.

In pseudo-code::

    put the neighbors of each vertex into a row of d_max entries, and pad the row
    pi[v] = v for each vertex v
    repeat until no edge hooks:
        hook:
            for each vertex u in parallel:
                for each neighbor v in u's row, skipping the padding:
                    if pi[u] < pi[v] and pi[v] is a root:
                        pi[pi[v]] = pi[u]
        shortcut:
            for each vertex v in parallel: pi[v] = root of v

Its phases:

- *hook*: a root is hooked under the smaller parent at an edge's other end
- *shortcut*: each vertex points to its root

Input: both directions of every edge; n * d_max must be at most `limits.MOST_PLACES`. As in
``shiloach-vishkin-csr``, the result does not depend on the schedule. Work O(n d_max) a round, including the
padding; depth about log n rounds in practice, n at worst.

Deviation: the array of weights counts towards the limit but is not stored, because it is not used.

See also ``shiloach-vishkin-csr``: the same algorithm without padding.
"""

from __future__ import annotations

from collections.abc import Iterator

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.limits import require_room_for_padding
from pointerjump.reference.shiloach_vishkin_csr import hook_and_shortcut
from pointerjump.reference.vocabulary import as_vertices, neighborhoods, shared

PADDING = -1


class PaddedRow(list[int]):
    """A row of the padded two-dimensional array. Iteration skips the padding."""

    def __iter__(self) -> Iterator[int]:
        return (v for v in super().__iter__() if v != PADDING)


def crono(graph: Graph) -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    An AlgorithmError is raised if the padded arrays would be too large.

    Examples
    --------
    >>> crono(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    N = neighborhoods(graph)
    n, d_max = len(N), max(map(len, N), default=0)
    require_room_for_padding(n, d_max)
    W = [PaddedRow(row + [PADDING] * (d_max - len(row))) for row in N]
    pi = shared("pi", range(n))
    hook_and_shortcut(W, pi)
    return as_vertices(pi)
