"""The shapes of the zoo (benches/zoo.py): graphs of many kinds, each with a natural order of its edges.

A shape is a function of a `Size`, which bounds the number of vertices and of edges; whichever bound is met
first decides. Every shape is made by whole-array operations, so that millions of edges take a second or two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

import pointerjump as pj

Ids = npt.NDArray[np.integer[Any]]

SEED = 1


class Size(NamedTuple):
    """At most so many vertices, and at most so many undirected edges (loops and duplicates included)."""

    vertices: int
    edges: int

    def vertices_with(self, edges_each: float) -> int:
        """Return the most vertices there may be with so many edges per vertex; at least 2."""
        return max(2, min(self.vertices, int(self.edges / edges_each)))


class Edges(NamedTuple):
    """A graph as its construction lists it: edge i joins ``sources[i]`` and ``targets[i]``."""

    vertices: int
    sources: Ids
    targets: Ids


class Shape(NamedTuple):
    """What the zoo says about a shape, and the function that makes it."""

    description: str
    build: Callable[[Size], Edges]


def generator() -> np.random.Generator:
    """Return the random numbers that every shape begins with."""
    return np.random.default_rng(SEED)


# -- putting graphs together -------------------------------------------------------------------------


def beside(*graphs: Edges) -> Edges:
    """Return graphs side by side, with no edge between them."""
    first = np.cumsum([0, *(graph.vertices for graph in graphs)])
    sources = np.concatenate([graph.sources + at for graph, at in zip(graphs, first, strict=False)])
    targets = np.concatenate([graph.targets + at for graph, at in zip(graphs, first, strict=False)])
    return Edges(int(first[-1]), sources, targets)


def copies(graph: Edges, count: int) -> Edges:
    """Return copies of a graph side by side."""
    first = np.arange(count)[:, None] * graph.vertices
    return Edges(count * graph.vertices, (first + graph.sources).ravel(), (first + graph.targets).ravel())


def filling(size: Size, graph: Edges) -> Edges:
    """Return as many copies of a graph as there is room for."""
    most = min(size.vertices // graph.vertices, size.edges // max(len(graph.sources), 1))
    return copies(graph, max(1, most))


def with_edges(graph: Edges, sources: npt.ArrayLike, targets: npt.ArrayLike) -> Edges:
    """Return a graph with more edges after its own."""
    return Edges(
        graph.vertices,
        np.concatenate([graph.sources, np.atleast_1d(sources)]),
        np.concatenate([graph.targets, np.atleast_1d(targets)]),
    )


def along(walk: Ids) -> Edges:
    """Return a path through all vertices, in the order of a walk."""
    return Edges(len(walk), walk[:-1], walk[1:])


def under(parents: Ids) -> Edges:
    """Return the tree in which vertex v + 1 hangs from ``parents[v]``."""
    return Edges(len(parents) + 1, parents, np.arange(1, len(parents) + 1))


def specified(spec: str) -> Edges:
    """Return what one of pointerjump's own generators makes."""
    graph = pj.generate(spec)
    if graph.edges_as_read is not None:
        return Edges(graph.vertices, graph.edges_as_read.sources, graph.edges_as_read.targets)
    once = graph.sources <= graph.neighbors
    return Edges(graph.vertices, graph.sources[once], graph.neighbors[once])


# -- paths, stars and trees --------------------------------------------------------------------------


def path(size: Size) -> Edges:
    return along(np.arange(size.vertices_with(1)))


def bit_reversed_path(size: Size) -> Edges:
    return specified(f"path:vertices={size.vertices_with(1)},order=bitreversed")


def zigzag_path(size: Size) -> Edges:
    n = size.vertices_with(1)
    steps = np.arange(n)
    return along(np.where(steps % 2 == 0, steps // 2, n - 1 - steps // 2))


def ring(size: Size) -> Edges:
    n = size.vertices_with(1)
    return with_edges(along(np.arange(n)), n - 1, 0)


def star(size: Size, hub_at: float) -> Edges:
    n = size.vertices_with(1)
    hub = int(hub_at * (n - 1))
    leaves = np.delete(np.arange(n), hub)
    return Edges(n, np.full(n - 1, hub), leaves)


def double_star(size: Size) -> Edges:
    n = size.vertices_with(1)
    leaves = np.arange(1, n - 1)
    return with_edges(Edges(n, np.where(leaves % 2, 0, n - 1), leaves), 0, n - 1)


def wheel(size: Size) -> Edges:
    n = size.vertices_with(2)
    rim = np.arange(1, n)
    return Edges(n, np.append(np.zeros(n - 1, np.int64), rim), np.append(rim, np.roll(rim, -1)))


def binary_tree(size: Size) -> Edges:
    return under((np.arange(1, size.vertices_with(1)) - 1) // 2)


def recursive_tree(size: Size) -> Edges:
    vertices = np.arange(1, size.vertices_with(1))
    return under((generator().random(len(vertices)) * vertices).astype(np.int64))


def caterpillar(size: Size) -> Edges:
    n = size.vertices_with(1)
    spine = max(1, n // 8)
    vertices = np.arange(1, n)
    return under(np.where(vertices < spine, vertices - 1, vertices % spine))


def broom(size: Size) -> Edges:
    vertices = np.arange(1, size.vertices_with(1))
    handle = (len(vertices) + 1) // 2
    return under(np.minimum(vertices, handle) - 1)


def comb(size: Size) -> Edges:
    side = isqrt(size.vertices_with(1))
    vertices = np.arange(1, side * side)
    return under(vertices - np.where(vertices % side, 1, side))


def spider(size: Size) -> Edges:
    leg = isqrt(size.vertices_with(1))
    vertices = np.arange(1, leg * leg)
    return under(np.where(vertices % leg == 1, 0, vertices - 1))


def lollipop(size: Size) -> Edges:
    clique = complete(Size(size.vertices // 2, size.edges // 2))
    tail = along(np.arange(size.vertices_with(1) // 2))
    return with_edges(beside(clique, tail), clique.vertices - 1, clique.vertices)


# -- dense graphs ------------------------------------------------------------------------------------


def complete(size: Size) -> Edges:
    n = max(2, min(size.vertices, isqrt(2 * size.edges)))
    return Edges(n, *np.triu_indices(n, 1))


def cliques(size: Size, each: int) -> Edges:
    each = min(each, isqrt(2 * size.edges))
    return filling(size, Edges(each, *np.triu_indices(each, 1)))


def clique_chain(size: Size, each: int) -> Edges:
    chain = cliques(Size(size.vertices, size.edges * each // (each + 2)), each)
    last = np.arange(each - 1, chain.vertices - 1, each)
    return with_edges(chain, last, last + 1)


def bipartite(left: int, right: int) -> Edges:
    return Edges(
        left + right, np.repeat(np.arange(left), right), np.tile(np.arange(left, left + right), left)
    )


def even_bipartite(size: Size, most: int) -> Edges:
    side = min(most, isqrt(size.edges), size.vertices // 2)
    return bipartite(side, side)


def uneven_bipartite(size: Size, left: int) -> Edges:
    n = size.vertices_with(left)
    return bipartite(min(left, n // 2), n - min(left, n // 2))


def random_bipartite(size: Size) -> Edges:
    n, rng = size.vertices_with(4), generator()
    return Edges(n, rng.integers(0, n // 2, 4 * n), rng.integers(n // 2, n, 4 * n))


# -- grids and other regular graphs ------------------------------------------------------------------


def lattice(sides: Sequence[int], *, wrap: bool = False, keep: float = 1.0) -> Edges:
    cells = np.arange(np.prod(sides)).reshape(sides)
    targets = np.stack([np.roll(cells, -1, axis) for axis in range(len(sides))], -1)
    inside = np.stack(np.indices(sides), -1) < np.array(sides) - 1
    sources = np.broadcast_to(cells[..., None], targets.shape)
    kept = inside if not wrap else np.ones_like(inside)
    if keep < 1:
        kept &= generator().random(kept.shape) < keep
    return Edges(cells.size, sources[kept], targets[kept])


def cube_side(size: Size, dimensions: int) -> int:
    return max(3, round(size.vertices_with(dimensions) ** (1 / dimensions) - 0.5))


def grid(size: Size, dimensions: int = 2, **kind: Any) -> Edges:
    return lattice([cube_side(size, dimensions)] * dimensions, **kind)


def strip(size: Size, width: int) -> Edges:
    return lattice([size.vertices_with(2) // width, width])


def triangular_mesh(size: Size) -> Edges:
    side = isqrt(size.vertices_with(3))
    corners = np.arange(side * side).reshape(side, side)[:-1, :-1].ravel()
    return with_edges(lattice([side, side]), corners, corners + side + 1)


def grids(size: Size) -> Edges:
    side = min(32, isqrt(size.vertices))
    return filling(size, lattice([side, side]))


def hypercube(size: Size) -> Edges:
    bits = max(k for k in range(1, 31) if size.vertices_with(k / 2) >= 1 << k)
    return by_masks(1 << bits, 1 << np.arange(bits))


def xor(size: Size, masks: int, bits: int | None = None) -> Edges:
    scale = size.vertices_with(masks / 2).bit_length() - 1
    within = min(scale, bits or scale)
    wanted = min(masks, (1 << within) - 1)
    return by_masks(1 << scale, 1 + generator().choice((1 << within) - 1, wanted, replace=False))


def by_masks(vertices: int, masks: Ids) -> Edges:
    own = np.arange(vertices)[:, None]
    others = own ^ masks
    once = own < others
    return Edges(vertices, np.broadcast_to(own, others.shape)[once], others[once])


def random_regular(size: Size, degree: int) -> Edges:
    n = size.vertices_with(degree / 2) // 2 * 2
    return paired(n, np.repeat(np.arange(n), degree))


def paired(vertices: int, ends: Ids) -> Edges:
    """Join the ends of edges in pairs, at random (the configuration model)."""
    ends = generator().permutation(ends[: len(ends) // 2 * 2])
    return Edges(vertices, ends[::2], ends[1::2])


# -- random graphs -----------------------------------------------------------------------------------


def uniform(vertices: int, edges: int) -> Edges:
    rng = generator()
    return Edges(vertices, rng.integers(0, vertices, edges), rng.integers(0, vertices, edges))


def urand(size: Size, degree: float) -> Edges:
    n = size.vertices_with(degree / 2)
    return uniform(n, int(n * degree / 2))


def union(size: Size, fraction: float) -> Edges:
    n = size.vertices_with(16)
    return specified(f"union:vertices={n},degree=16,fraction={max(fraction, 4 / n)}")


def kron(size: Size) -> Edges:
    return specified(f"kron:scale={size.vertices_with(16).bit_length() - 1},degree=16")


def rmat(size: Size, a: float, b: float) -> Edges:
    return specified(f"rmat:scale={size.vertices_with(8).bit_length() - 1},degree=8,a={a},b={b},c={b}")


def road(size: Size) -> Edges:
    side = isqrt(int(size.vertices_with(1.2) / 3.55))  # a crossing, and the bends of its 1.26 roads
    return specified(f"road:rows={side},columns={side}")


def delaunay(size: Size) -> Edges:
    return specified(f"delaunay:vertices={min(size.vertices_with(3), 1 << 20)}")


def geometric(size: Size) -> Edges:
    n = size.vertices_with(4)
    points = generator().random((n, 2))
    points = points[np.lexsort([points[:, 0], (points[:, 1] * isqrt(n)).astype(np.int64)])]
    pairs = cKDTree(points).query_pairs(np.sqrt(6 / (np.pi * n)), output_type="ndarray")
    return Edges(n, pairs[:, 0], pairs[:, 1])


def small_world(size: Size) -> Edges:
    n, rng = size.vertices_with(3), generator()
    sources = np.repeat(np.arange(n), 3)
    near = (sources + np.tile([1, 2, 3], n)) % n
    return Edges(n, sources, np.where(rng.random(3 * n) < 0.1, rng.integers(0, n, 3 * n), near))


def preferential(size: Size) -> Edges:
    """Let each vertex join 4 that an earlier edge names (Batagelj and Brandes, Physical Review E 71, 2005).

    End 2 i of the edges is the new vertex i // 4, and end 2 i + 1 is the same as an end drawn before it.
    """
    n = size.vertices_with(4)
    drawn = (generator().random(4 * n) * (2 * np.arange(4 * n) + 1)).astype(np.int64)
    ends = drawn.copy()
    open_ends = np.flatnonzero(ends % 2)
    while len(open_ends):
        ends[open_ends] = drawn[ends[open_ends] // 2]
        open_ends = open_ends[ends[open_ends] % 2 == 1]
    return Edges(n, np.repeat(np.arange(n), 4), ends // 8)


def power_law(size: Size) -> Edges:
    n = size.vertices_with(4)
    degrees = np.minimum((1 - generator().random(n)) ** (-1 / 1.1), n**0.75).astype(np.int64)
    return paired(n, np.repeat(np.arange(n), degrees)[: 2 * size.edges])


# -- many components ---------------------------------------------------------------------------------


def edgeless(size: Size) -> Edges:
    return Edges(size.vertices, np.empty(0, np.int64), np.empty(0, np.int64))


def far_matching(size: Size) -> Edges:
    half = size.vertices_with(0.5) // 2
    return Edges(2 * half, np.arange(half), np.arange(half, 2 * half))


def mostly_isolated(size: Size) -> Edges:
    return beside(edgeless(Size(size.vertices * 9 // 10, 0)), urand(Size(size.vertices // 10, size.edges), 8))


def giant_and_triangles(size: Size) -> Edges:
    half = Size(size.vertices // 2, size.edges // 2)
    return beside(urand(half, 8), filling(half, cycle(3)))


def groups(size: Size) -> Edges:
    n = size.vertices_with(4)
    each = isqrt(n)
    sources = np.repeat(np.arange(n // each * each), 4)
    return Edges(
        n // each * each, sources, sources - sources % each + generator().integers(0, each, len(sources))
    )


def two_halves(size: Size) -> Edges:
    half = urand(Size(size.vertices // 2, (size.edges - 1) // 2), 8)
    return with_edges(copies(half, 2), half.vertices - 1, 2 * half.vertices - 1)


def cycle(length: int) -> Edges:
    return with_edges(along(np.arange(length)), length - 1, 0)


def cycles(size: Size, length: int | None = None) -> Edges:
    return filling(size, cycle(length or isqrt(size.vertices)))


def paths(size: Size, length: int) -> Edges:
    return filling(size, along(np.arange(length)))


def stars(size: Size) -> Edges:
    return filling(size, under(np.zeros(min(999, size.vertices - 1), np.int64)))


SHAPES: dict[str, Shape] = {
    "path": Shape("a path, its vertices numbered along it", path),
    "path-bit-reversed": Shape(
        "a path, its vertices numbered by their positions' reversed bits", bit_reversed_path
    ),
    "path-zigzag": Shape("a path 0, n - 1, 1, n - 2, 2, ...", zigzag_path),
    "ring": Shape("a ring", ring),
    "star-first": Shape("a star, its hub the first vertex", partial(star, hub_at=0.0)),
    "star-middle": Shape("a star, its hub the middle vertex", partial(star, hub_at=0.5)),
    "star-last": Shape("a star, its hub the last vertex", partial(star, hub_at=1.0)),
    "double-star": Shape("two stars whose hubs, the first and the last vertex, are joined", double_star),
    "wheel": Shape("a ring, and a hub joined to all of it", wheel),
    "binary-tree": Shape("a complete binary tree, numbered level by level", binary_tree),
    "recursive-tree": Shape("a random tree: each vertex hangs from any earlier one", recursive_tree),
    "caterpillar": Shape("a path with seven leaves at each vertex", caterpillar),
    "broom": Shape("a path that ends in a star of as many vertices", broom),
    "comb": Shape("a path with a path as long at each vertex", comb),
    "spider": Shape("as many legs as each leg has vertices, joined at one", spider),
    "lollipop": Shape("a complete graph with a path at it", lollipop),
    "complete": Shape("a complete graph", complete),
    "cliques-32": Shape("complete graphs of 32 vertices", partial(cliques, each=32)),
    "cliques-1000": Shape("complete graphs of 1000 vertices", partial(cliques, each=1000)),
    "clique-chain": Shape(
        "complete graphs of 16 vertices, each joined to the next", partial(clique_chain, each=16)
    ),
    "bipartite": Shape("a complete bipartite graph with equal sides", partial(even_bipartite, most=1 << 30)),
    "bipartite-2000": Shape(
        "the same with at most 2000 vertices on a side", partial(even_bipartite, most=2000)
    ),
    "bipartite-2": Shape(
        "a complete bipartite graph with 2 vertices on one side", partial(uneven_bipartite, left=2)
    ),
    "bipartite-32": Shape(
        "a complete bipartite graph with 32 vertices on one side", partial(uneven_bipartite, left=32)
    ),
    "bipartite-random": Shape("a random bipartite graph of mean degree 8", random_bipartite),
    "torus": Shape("a square torus", partial(grid, wrap=True)),
    "grid": Shape("a square grid", grid),
    "grid-90": Shape("a square grid with 90% of its edges", partial(grid, keep=0.9)),
    "grid-62": Shape("a square grid with 62% of its edges", partial(grid, keep=0.62)),
    "grid-50": Shape("a square grid with 50% of its edges", partial(grid, keep=0.5)),
    "grid-3d": Shape("a cube of cells", partial(grid, dimensions=3)),
    "grid-3d-30": Shape("a cube of cells with 30% of its edges", partial(grid, dimensions=3, keep=0.3)),
    "torus-3d": Shape("a torus of three dimensions", partial(grid, dimensions=3, wrap=True)),
    "ladder": Shape("a grid of two columns", partial(strip, width=2)),
    "strip": Shape("a grid of 64 columns", partial(strip, width=64)),
    "triangular-mesh": Shape("a square grid with a diagonal in each cell", triangular_mesh),
    "hypercube": Shape("a hypercube", hypercube),
    "xor-17": Shape("v joined to v ^ mask for 17 random masks", partial(xor, masks=17)),
    "xor-17-groups": Shape(
        "the same with masks of 10 bits: components of 1024 vertices", partial(xor, masks=17, bits=10)
    ),
    "xor-4": Shape("v joined to v ^ mask for 4 random masks: components of 16", partial(xor, masks=4)),
    "regular-3": Shape("a random graph whose degrees are 3", partial(random_regular, degree=3)),
    "regular-8": Shape("a random graph whose degrees are 8", partial(random_regular, degree=8)),
    "road": Shape("the generator `road`: thinned-out grid, chains of degree 2", road),
    "geometric": Shape("random points of a square, near ones joined: mean degree 6", geometric),
    "delaunay": Shape("a Delaunay triangulation of random points", delaunay),
    "small-world": Shape("Watts and Strogatz: a ring of degree 6, a tenth of its edges rewired", small_world),
    "preferential": Shape("Barabasi and Albert: each vertex joins 4, by their degrees", preferential),
    "kron": Shape("the generator `kron`, Graph500's", kron),
    "rmat-mild": Shape("R-MAT with probabilities .45, .22, .22, .11", partial(rmat, a=0.45, b=0.22)),
    "rmat-skewed": Shape("R-MAT with probabilities .7, .12, .12, .06", partial(rmat, a=0.7, b=0.12)),
    "power-law": Shape("a random graph with degrees of a power law of exponent 2.1", power_law),
    **{
        f"urand-{degree:g}": Shape(
            f"a uniform random graph of mean degree {degree:g}", partial(urand, degree=degree)
        )
        for degree in (0.5, 1, 1.5, 2, 4, 16, 32)
    },
    **{
        f"union-{fraction:g}": Shape(
            f"the generator `union` of degree 16: each component {fraction:g} of it",
            partial(union, fraction=fraction),
        )
        for fraction in (0.00001, 0.001, 0.01, 0.1, 0.5)
    },
    "edgeless": Shape("vertices without an edge", edgeless),
    "matching": Shape("pairs of neighboring vertices", partial(paths, length=2)),
    "matching-far": Shape("pairs of vertices that are half the graph apart", far_matching),
    "triangles": Shape("triangles", partial(cycles, length=3)),
    "squares": Shape("rings of 4", partial(cycles, length=4)),
    "rings": Shape("as many rings as each has vertices", cycles),
    "paths-10": Shape("paths of 10 vertices", partial(paths, length=10)),
    "stars": Shape("stars of 1000 vertices", stars),
    "grids": Shape("grids of 32 x 32", grids),
    "groups": Shape("as many uniform random graphs of mean degree 8 as each has vertices", groups),
    "mostly-isolated": Shape("nine tenths isolated vertices, one a uniform random graph", mostly_isolated),
    "giant-and-triangles": Shape("one half a uniform random graph, the other triangles", giant_and_triangles),
    "two-halves": Shape("two uniform random graphs that the last edge joins", two_halves),
}
