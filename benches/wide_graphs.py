"""Graphs of many kinds, on which nothing is tuned by hand: half of the kinds are set aside.

A kind is one construction with a few sizes or orders of vertices. Those of zoo_shapes.py are here too; the
others are points in space, dense pieces, a few giants, and real graphs blown up. ``SET_ASIDE`` is drawn by a
seed: `auto` may be tuned on the other kinds, and both halves are reported.

Orders: as generated; ``shuffled``, vertices, edges and directions at random; ``hilbert``, points in the order
of a Hilbert curve.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree
from table_graphs import Make
from zoo_runs import each_once, shuffled
from zoo_shapes import SHAPES, Edges, Size, beside, copies, generator, uniform, with_edges

import pointerjump as pj

Points = npt.NDArray[np.float64]

LARGE, HUGE = Size(1 << 21, 1 << 24), Size(1 << 23, 1 << 25)
DATA_EDGES = 1 << 24
"""How many edges a real graph has at least, once it is blown up."""

# -- shapes that the zoo does not have -----------------------------------------------------------------


def points(count: int, dimensions: int, order: str) -> Points:
    """Return random points of a cube, row by row of small cells, or along a Hilbert curve."""
    found = generator().random((count, dimensions))
    bits = max(1, int(np.log2(count) / dimensions))
    cells = (found * (1 << bits)).astype(np.int64)
    key = hilbert(cells, bits) if order == "hilbert" else cells @ (1 << bits * np.arange(dimensions))
    return found[np.argsort(key, kind="stable")]


def hilbert(cells: npt.NDArray[np.int64], bits: int) -> npt.NDArray[np.int64]:
    """Return the places of cells along a Hilbert curve (Skilling, AIP Conference Proceedings 707, 2004)."""
    x = list(cells.T.copy())
    for bit in (1 << b for b in range(bits - 1, 0, -1)):
        for i, axis in enumerate(x):
            high = (axis & bit) != 0
            swapped = np.where(high, 0, (x[0] ^ axis) & (bit - 1))
            x[0] = np.where(high, x[0] ^ (bit - 1), x[0] ^ swapped)
            if i:
                x[i] = axis ^ swapped
    for i in range(1, len(x)):
        x[i] = x[i] ^ x[i - 1]
    flip = np.zeros_like(x[0])
    for bit in (1 << b for b in range(bits - 1, 0, -1)):
        flip ^= np.where((x[-1] & bit) != 0, bit - 1, 0)
    place = np.zeros_like(x[0])
    for b in range(bits - 1, -1, -1):
        for axis in x:
            place = place << 1 | (axis ^ flip) >> b & 1
    return place


def near(order: str, *, dimensions: int = 2, degree: float = 6, count: int = LARGE.vertices) -> Edges:
    """Join the points whose distance is below the one that gives this mean degree."""
    at = points(count, dimensions, order)
    ball = np.pi if dimensions == 2 else 4 / 3 * np.pi
    radius = (degree / (ball * count)) ** (1 / dimensions)
    pairs = cKDTree(at).query_pairs(radius, output_type="ndarray")
    return Edges(count, pairs[:, 0], pairs[:, 1])


def nearest(order: str, *, dimensions: int, each: int, count: int = LARGE.vertices) -> Edges:
    """Join each point with so many nearest ones."""
    at = points(count, dimensions, order)
    found = cKDTree(at).query(at, each + 1)[1][:, 1:]
    return Edges(count, np.repeat(np.arange(count), each), found.ravel())


def pieces(each: int, degree: int, vertices: int) -> Edges:
    """Return dense pieces: uniform random graphs of so many vertices, side by side."""
    first = np.repeat(np.arange(vertices // each) * each, each * degree // 2)
    rng = generator()
    ends = (first + rng.integers(0, each, len(first)) for _ in range(2))
    return Edges(vertices // each * each, *ends)


def giants(count: int, degree: int, vertices: int) -> Edges:
    """Return a few uniform random graphs side by side."""
    return copies(uniform(vertices // count, vertices // count * degree // 2), count)


def lattice_with_long_edges(vertices: int, reach: int, long: float) -> Edges:
    """Return a ring in which each vertex joins the next few, and a few vertices any other one."""
    n, rng = vertices, generator()
    own = np.repeat(np.arange(n), reach)
    ring = Edges(n, own, (own + np.tile(np.arange(1, reach + 1), n)) % n)
    return with_edges(ring, *rng.integers(0, n, (2, int(n * long))))


def de_bruijn(bits: int) -> Edges:
    """Return the binary de Bruijn graph: v joins 2 v and 2 v + 1."""
    n = 1 << bits
    own = np.repeat(np.arange(n), 2)
    return Edges(n, own, (2 * own + np.tile([0, 1], n)) % n)


def tree_and_dense(vertices: int) -> Edges:
    """Return a random recursive tree and a dense uniform random graph, side by side."""
    half = vertices // 2
    return beside(SHAPES["recursive-tree"].build(Size(half, half)), uniform(half, 8 * vertices))


def real(file: str, way: str, data: Path) -> Edges:
    """Return a real graph blown up: many copies of it, or its product with a path."""
    graph = pj.read(data / file).symmetrized()
    once = graph.sources < graph.neighbors
    n, sources, targets = graph.vertices, graph.sources[once], graph.neighbors[once]
    if way == "copies":
        return copies(Edges(n, sources, targets), -(-DATA_EDGES // len(sources)))
    layers = -(-DATA_EDGES // (len(sources) + n))
    stacked = copies(Edges(n, sources, targets), layers)
    rising = np.arange((layers - 1) * n)
    return with_edges(stacked, rising, rising + n)


# -- kinds ---------------------------------------------------------------------------------------------

Build = Callable[[], Edges]


def _of_zoo(*shapes: str, size: Size = HUGE) -> dict[str, Build]:
    return {shape: partial(SHAPES[shape].build, size) for shape in shapes}


def _in_space(name: str, make: Callable[..., Edges], **how: Any) -> dict[str, Build]:
    return {f"{name}.{order}": partial(make, order, **how) for order in ("rows", "hilbert")}


N = LARGE.vertices
KINDS: dict[str, dict[str, Build]] = {
    "random geometric": _in_space("near-2d-6", near) | _in_space("near-2d-12", near, degree=12),
    "geometric in 3-d": _in_space("near-3d-8", near, dimensions=3, degree=8),
    "nearest in 2-d": _in_space("nearest-2d-5", nearest, dimensions=2, each=5),
    "nearest in 3-d": _in_space("nearest-3d-8", nearest, dimensions=3, each=8),
    "meshes in 2-d": _of_zoo("triangular-mesh", "grid", "grid-62"),
    "grids in 3-d": _of_zoo("grid-3d", "torus-3d"),
    "thin grids": _of_zoo("strip", "ladder", "comb"),
    "small pieces": {
        "pieces-10": partial(pieces, 10, 6, 4 * N),
        "pieces-100": partial(pieces, 100, 12, 2 * N),
    },
    "large pieces": {
        "pieces-1000": partial(pieces, 1000, 16, 2 * N),
        "pieces-10000": partial(pieces, 10000, 16, 2 * N),
    },
    "cliques": _of_zoo("cliques-32", "clique-chain"),
    "few giants": {f"giants-{count}": partial(giants, count, 8, 2 * N) for count in (2, 3, 8)},
    "ring lattices": {
        "lattice-10-0.001": partial(lattice_with_long_edges, N, 5, 0.001),
        "lattice-6-0.1": partial(lattice_with_long_edges, 2 * N, 3, 0.1),
    },
    "small worlds": _of_zoo("small-world"),
    "preferential attachment": _of_zoo("preferential"),
    "recursive trees": _of_zoo("recursive-tree"),
    "binary trees": _of_zoo("binary-tree", "caterpillar"),
    "hypercubes": _of_zoo("hypercube", "xor-17"),
    "de Bruijn graphs": {"de-bruijn": partial(de_bruijn, 23)},
    "the threshold": _of_zoo("urand-0.5", "urand-1", "urand-1.5", "urand-2"),
    "regular graphs": _of_zoo("regular-3", "regular-8"),
    "dense random graphs": _of_zoo("urand-32", size=LARGE) | _of_zoo("bipartite-random"),
    "Kronecker graphs": _of_zoo("kron", "rmat-mild", "rmat-skewed"),
    "power laws": _of_zoo("power-law"),
    "roads": _of_zoo("road", "delaunay"),
    "unions": _of_zoo("union-0.001", "union-0.1", "two-halves"),
    "cycles and paths": _of_zoo("rings", "path-bit-reversed", "triangles"),
    "half and half": {
        "tree-and-dense": partial(tree_and_dense, N),
        **_of_zoo("mostly-isolated", "giant-and-triangles"),
    },
}
"""By kind: what builds each graph of it, as generated."""

REAL = {
    "web": ("cnr-2000.el.gz", "uk-2007-05@100000.el.gz"),
    "social": ("soc-Slashdot0902.txt.gz", "musae_git_edges.csv.gz"),
    "streets": ("luxembourg_osm.el.gz", "osm-rnv-highway.el.gz"),
    "versions": ("git-networkit-objects.el.gz", "debian12-deps.el.gz"),
}
"""Kinds of real graphs: files of ../shared/data."""

SET_ASIDE = frozenset(random.Random(30).sample(sorted([*KINDS, *REAL]), (len(KINDS) + len(REAL)) // 2))
"""The kinds that nothing is tuned on."""


def wide(half: str, data: Path | None) -> dict[str, Make]:
    """Return what makes the rows of each graph of a half, ``"tuned"`` or ``"aside"``.

    A kind of several graphs has every other one shuffled. Of one graph alone there are both orders, and of
    points all three. There are real graphs only if their folder is given.
    """
    found: dict[str, Build] = {}
    for of_kind in (graphs for kind, graphs in KINDS.items() if is_in(half, kind)):
        for i, (name, build) in enumerate(of_kind.items()):
            alone, in_space = len(of_kind) == 1, "." in name
            if alone or in_space or i % 2 == 0:
                found[name] = build
            if alone or name.endswith(".rows") or (i % 2 == 1 and not in_space):
                found[f"{name.split('.')[0]}.shuffled"] = partial(_shuffled, build)
    for files in (files for kind, files in REAL.items() if data and is_in(half, kind)):
        for file, way in zip(files, ("copies", "product"), strict=True):
            found[f"{file.split('.')[0]}.{way}"] = partial(real, file, way, data)
    return {name: partial(rows_of, build) for name, build in found.items()}


def is_in(half: str, kind: str) -> bool:
    """Return whether a kind is in a half."""
    return (kind in SET_ASIDE) == (half == "aside")


def _shuffled(build: Build) -> Edges:
    return shuffled(each_once(build()))


def rows_of(build: Build) -> pj.Graph:
    """Make a graph, with each edge once, and return its rows, with both directions."""
    edges = each_once(build())
    return pj.Graph.from_edges(edges.sources, edges.targets, vertices=edges.vertices).symmetrized()
