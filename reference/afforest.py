"""Afforest (Sutton, Ben-Nun, Barak): link a few neighbors of every vertex, then skip the giant component.

Afforest links every vertex with two of its neighbors. It then guesses the largest component from a sample and
skips the remaining edges of that component. Choose this algorithm for graphs stored as rows: ``auto`` does
so, except for sparse graphs on CPUs.

M. Sutton, T. Ben-Nun and A. Barak, "Optimizing parallel graph connectivity computation via subgraph
sampling", IPDPS 2018, figures 3 and 5.

*link* permanently joins the two trees that contain the ends of an edge. Therefore, no stored edge has to be
visited twice, and edges can be processed in any order. In many graphs, linking every vertex with its first
two neighbors already joins most of the largest component into one tree. The other edges of the vertices in
this tree can be skipped without affecting the result (theorem 3). If the other end of a skipped edge is
outside the tree, the edge is also stored in the row of that end, where it is not skipped.

In pseudo-code::

    init: for each vertex v in parallel: pi[v] = v
    for i = 1, 2:
        link: for each vertex v in parallel: link(v, the i-th neighbor of v)
        compress: for each vertex v in parallel: pi[v] = root of v
    find largest: c = the most frequent root of 1,024 random vertices
    link the rest:
        for each vertex v in parallel, unless v and c have the same root now:
            for each other neighbor w of v: link(v, w)
    compress: for each vertex v in parallel: pi[v] = root of v

    link(u, v):
        a, b = pi[u], pi[v]
        while a and b differ:
            high, low = the larger and the smaller of a and b
            swap pi[high] from high to low
            if the swap succeeds, return: two trees are joined
            otherwise a, b = pi[pi[high]], pi[low]

Its phases:

- *init*: each vertex gets its initial parent
- *link*: each vertex is linked with one more of its neighbors
- *find largest*: the largest tree is guessed from a sample of vertices
- *link the rest*: the remaining edges outside the largest tree are linked
- *compress*: each vertex points to its root

Input: both directions of every edge. If it is not known whether both directions are stored, ``auto`` skips
nothing and links every stored edge (``skip_largest=False``). The result does not depend on the schedule. A
parent is never larger than its children (invariant 1), so each root is the smallest vertex of its component.
Work O(n) with a giant component and O(n + m) without one, in practice; depth the length of the longest path.

The options ``init``, ``one_in`` and ``rest`` are additions to the paper's algorithm. ``init`` resembles
*Init* in ECL-CC, and ``rest`` is based on theorem 3. The kernels always sample edges instead of vertices,
because skipping the component with the most edges saves the most time. On CPUs, if there are few edges per
vertex, the kernels skip the tree that is most frequent in the sample, even if it is not giant. On GPUs, they
link only some vertices at first, and more only if no giant component is found. The kernels also divide the
vertices into runs of consecutive ids. In *init*, each vertex jumps from parent to parent until it reaches a
root or leaves its run.

Stale reads are harmless: an old parent is still an ancestor, because links are never undone. Trees are joined
only by compare-and-swap, which always sees the current parent. Every step of *link* replaces the larger of
the two vertices by a smaller one, so the loop ends even if reads are stale. *compress* only replaces one
ancestor by another and never moves a root.

See also ``afforest-edges``: needs no rows; ``afforest-subgraphs``: links in other orders; ``ecl-cc``: skips
nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.limits import BLOCK, GIANT
from pointerjump.reference.trees import find_root, shortcut
from pointerjump.reference.vocabulary import (
    as_vertices,
    compare_and_swap,
    in_parallel,
    kiss,
    neighborhoods,
    phase,
    shared,
)

SAMPLES = 1024


def link(u: int, v: int, pi: list[int]) -> bool:
    """Join the trees of u and v. Return False if u and v were already in the same tree."""
    p1, p2 = pi[u], pi[v]
    while p1 != p2:
        h, low = max(p1, p2), min(p1, p2)
        if compare_and_swap(pi, h, h, low) == h:
            return True
        p1, p2 = pi[pi[h]], pi[low]
    return False


def compress(v: int, pi: list[int]) -> None:
    shortcut(v, pi)


def most_frequent_element(pi: list[int]) -> int:
    return Counter(pi[draw % len(pi)] for draw in draws(pi)).most_common(1)[0][0]


def draws(pi: list[int]) -> Iterable[int]:
    return islice(kiss(seed=len(pi)), SAMPLES)


def giant(N: list[list[int]], pi: list[int]) -> int | None:
    """Return the most frequent root among sampled edge ends, or None if its share is below 1 / `GIANT`."""
    ends = [w for row in N for w in row]
    if not ends:
        return None
    root, most = Counter(find_root(ends[draw % len(ends)], pi) for draw in draws(pi)).most_common(1)[0]
    return root if most * GIANT >= SAMPLES else None


def afforest(
    graph: Graph,
    neighbor_rounds: int = 2,
    skip_largest: bool = True,
    init: str = "own",
    one_in: int = 1,
    rest: str = "all",
) -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    Parameters
    ----------
    neighbor_rounds : int
        The number of rounds before guessing the largest component. Each links one more neighbor per vertex.
    skip_largest : bool
        Whether to skip the remaining edges of the largest component.
    init : {"own", "first"}
        The initial parent of each vertex: the vertex itself ("own"), or its first neighbor if that one is
        smaller ("first"). With "first", the initial parents replace one round.
    one_in : int
        The rounds link only vertices in one of every `one_in` blocks of 64 vertices.
    rest : {"all", "until-joined", "adaptive"}
        Which edges to link after the rounds. "all" links each vertex outside the largest component with all
        of its other neighbors. "until-joined" stops as soon as the vertex has joined that component.
        "adaptive" does the same if the component is giant; otherwise, it links every edge once.

    Examples
    --------
    >>> afforest(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    """
    N = neighborhoods(graph)
    V = range(len(N))

    phase("init")
    pi = shared("pi", V)
    if init == "first":
        for v in in_parallel(V):
            pi[v] = min(v, *N[v][:1]) if N[v] else v
    for i in range(1 if init == "first" else 0, neighbor_rounds):
        phase("link")
        for v in in_parallel([v for v in V if v // BLOCK % one_in == 0 and i < len(N[v])]):
            link(v, N[v][i], pi)
        phase("compress")
        for v in in_parallel(V):
            compress(v, pi)

    phase("find largest")
    c = None
    if skip_largest and pi:
        c = giant(N, pi) if rest == "adaptive" else most_frequent_element(pi)

    phase("link the rest")
    linked = neighbor_rounds if init == "own" and one_in == 1 else 0
    once = rest == "adaptive" and c is None
    for v in in_parallel(V):
        for k, w in enumerate(N[v][linked:]):
            if c is not None and (k == 0 or rest != "all") and find_root(v, pi) == find_root(c, pi):
                break
            if not once or w < v:
                link(v, w, pi)

    phase("compress")
    for v in in_parallel(V):
        compress(v, pi)
    return as_vertices(pi)
