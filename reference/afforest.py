"""Afforest (Sutton, Ben-Nun, Barak): link a few neighbors of every vertex, then skip the giant component.

Afforest links two neighbors of every vertex, guesses the largest component from a sample, and skips the other
edges of that component. Choose it for graphs stored as rows: ``auto`` does so, except for sparse graphs on
CPUs.

M. Sutton, T. Ben-Nun and A. Barak, "Optimizing parallel graph connectivity computation via subgraph
sampling", IPDPS 2018, figures 3 and 5.

*link* joins the trees of an edge's two ends for good. So no stored edge is looked at twice, and edges can be
taken in any order. Linking the first two neighbors of every vertex already finds most of the largest
component. Its other edges can be skipped without loss (theorem 3): a skipped edge either stays inside the
tree, or is stored again at its other end, which is outside the tree and not skipped.

In pseudo-code::

    init: for each vertex v in parallel: pi[v] = v
    for i = 1, 2:
        link: for each vertex v in parallel: link(v, the i-th neighbor of v)
        compress: for each vertex v in parallel: pi[v] = root of v
    find largest: c = the most frequent root among 1,024 random vertices
    link the rest:
        for each vertex v in parallel, unless v and c have the same root now:
            for each other neighbor w of v: link(v, w)
    compress: for each vertex v in parallel: pi[v] = root of v

    link(u, v):
        a, b = pi[u], pi[v]
        while a and b differ:
            high, low = the larger and the smaller of a and b
            swap pi[high] from high to low
            if that worked, return: two trees are joined
            otherwise a, b = pi[pi[high]], pi[low]

Its phases:

- *init*: each vertex gets its first parent
- *link*: each vertex is linked with one more of its neighbors
- *find largest*: the largest tree is guessed from a sample of vertices
- *link the rest*: the remaining edges outside the largest tree are linked
- *compress*: each vertex points to its root

Input: both directions of every edge. An edge stored in only one row would be lost if it were skipped there.
If ``auto`` does not know that both directions are stored, it skips nothing and links every stored edge
(``skip_largest=False``). The result is deterministic whatever the schedule: parents never exceed their
children (invariant 1), so each root is its component's smallest vertex. Work O(n) with a giant component, O(n
+ m) in practice; depth the length of the longest path. On average, a link takes a little over one step.

Beyond the paper: ``init="first"`` starts from a smaller neighbor of each vertex, as ECL-CC does. ``one_in``
limits the rounds to some of the vertices. ``rest="until-joined"`` stops linking a vertex's edges once the
vertex has joined the largest component (theorem 3). ``rest="adaptive"`` does so only if a sample of edges
shows a giant component; otherwise, each edge is linked once, from its larger end. Kernels always sample edges
instead of vertices, because skipping the component with the most edges saves the most time. On CPUs, kernels
treat any tree as a giant if there are few edges per vertex. On GPUs they link few vertices first, and more
only if no giant is found. In *init*, they also jump along first parents within each run of adjacent vertices.
In graphs of high degree, a round links a later neighbor of each vertex, chosen by a hash.

A stale parent does no harm: it is still an ancestor, because no link undoes another. Trees are joined only by
a swap, which sees the cell's current value. In every step, the larger of the two vertices becomes smaller, so
*link* ends, however old its reads are. *compress* replaces one ancestor with another, and moves no root.

See also ``afforest-edges``: needs no rows; ``afforest-subgraphs``: other orders of the same links;
``ecl-cc``: looks at every edge; ``rem-cas``: can sample, too.
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
    """Ensure that u and v are in the same tree (figure 3); return whether two trees were joined."""
    p1, p2 = pi[u], pi[v]
    while p1 != p2:
        h, low = max(p1, p2), min(p1, p2)
        if compare_and_swap(pi, h, h, low) == h:
            return True
        p1, p2 = pi[pi[h]], pi[low]
    return False


def compress(v: int, pi: list[int]) -> None:
    """Point v directly to its root (figure 3)."""
    shortcut(v, pi)


def most_frequent_element(pi: list[int]) -> int:
    """Guess the root of the largest tree: the most frequent parent of a fixed number of random vertices."""
    return Counter(pi[draw % len(pi)] for draw in draws(pi)).most_common(1)[0][0]


def draws(pi: list[int]) -> Iterable[int]:
    return islice(kiss(seed=len(pi)), SAMPLES)


def giant(N: list[list[int]], pi: list[int]) -> int | None:
    """Return the root of the tree that seems to hold the most edges, if that tree is a giant."""
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

    `neighbor_rounds` neighbors of every sampled vertex are linked before the largest component is guessed. If
    `skip_largest` is true, the other edges of that component are skipped. `init` chooses the first parents:
    with "own", each vertex is its own parent; with "first", its parent is its first neighbor if that neighbor
    is smaller. "first" replaces the first round and needs no swaps. The rounds link only one in every
    `one_in` blocks of 64 vertices. `rest` says how the other vertices are linked: with "all", to all of their
    other neighbors; with "until-joined", only until they have joined the largest component. "adaptive" means
    "until-joined" if that component is a giant; otherwise, every edge is linked once.

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
