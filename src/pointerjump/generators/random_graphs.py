"""Random graphs, made by drawing edges. Edges may be drawn twice, but rows hold each edge once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any, cast

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pointerjump.base import memory
from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.errors import SpecError
from pointerjump.generators.draws import (
    Bits,
    chunks,
    random_ids,
    random_order,
    random_reals,
    require_size,
)
from pointerjump.generators.shapes import Seed, VertexCount, around, cliques, symmetric_graph
from pointerjump.generators.spec import Parameter, generator

GRAPH500 = (0.57, 0.19, 0.19)  # probabilities of the upper left, upper right and lower left quarter

Scale = Annotated[int, Parameter("2**scale vertices", most=30)]
DrawnDegree = Annotated[int, Parameter("edges drawn per vertex; duplicates are merged")]
Loops = Annotated[str, Parameter("what to do with an edge from a vertex to itself", choices=("keep", "drop"))]

# A random number for each edge, and the limits below which it chooses one of the first 1, 2 or 3 quarters.
QuarterDraws = tuple[npt.NDArray[Any], tuple[Any, Any, Any]]


@generator("urand:scale=20,degree=16,seed=1")
def urand(
    *, vertices: VertexCount = 65536, degree: DrawnDegree = 16, loops: Loops = "keep", seed: Seed = 1
) -> Graph:
    """Uniform random graph: both ends of every edge are drawn, as in the GAP Benchmark Suite."""
    draws = degree * vertices
    require_size(vertices, 2 * draws)
    bits = Bits(seed)
    sources = random_ids(bits, draws, vertices)
    targets = random_ids(bits, draws, vertices)
    return _from_draws(sources, targets, vertices, loops)


@generator("ring:vertices=1000,chords=3", around)
def ring(
    *,
    vertices: VertexCount = 65536,
    chords: Annotated[int, Parameter("random edges drawn per vertex")] = 3,
    loops: Loops = "keep",
    seed: Seed = 1,
) -> Graph:
    """Ring through all vertices, and random edges across it."""
    draws = chords * vertices
    require_size(vertices, 2 * (vertices + draws))
    bits = Bits(seed)
    ids = np.arange(vertices, dtype=np.int32)
    sources = np.concatenate([ids, random_ids(bits, draws, vertices)])
    targets = np.concatenate([np.roll(ids, -1), random_ids(bits, draws, vertices)])
    return _from_draws(sources, targets, vertices, loops)


@generator("kout:vertices=1000,k=4")
def kout(
    *,
    vertices: VertexCount = 65536,
    k: Annotated[int, Parameter("picks per vertex; one may be picked twice")] = 4,
    seed: Seed = 1,
) -> Graph:
    """Random k-out graph: each vertex picks k others."""
    others = max(vertices - 1, 0)
    draws = k * vertices if others else 0
    require_size(vertices, 2 * draws)
    sources = np.repeat(np.arange(vertices, dtype=np.int32), draws // max(vertices, 1))
    targets = random_ids(Bits(seed), draws, others)
    targets += targets >= sources  # leave out the vertex itself
    return Graph.of_edges(sources, targets, vertices)


@generator("union:scale=16,fraction=0.1")
def union(
    *,
    vertices: VertexCount = 65536,
    degree: DrawnDegree = 16,
    fraction: Annotated[float, Parameter("part of the vertices in each component", 2.0**-31, 1)] = 0.1,
    seed: Seed = 1,
) -> Graph:
    """Many urand graphs of one size, and one urand graph of the remaining vertices.

    There are ``floor(1 / fraction)`` graphs of equal size, as in Afforest's figure 8c (Sutton, Ben-Nun and
    Barak, IPDPS 2018, section VI.C).
    """
    draws = degree * vertices
    require_size(vertices, 2 * draws)
    size = math.floor(vertices * fraction)
    if vertices and not size:
        raise SpecError(f"fraction is {fraction:g}: of {vertices} vertices, that is less than one")
    last = math.floor(1 / fraction) * size
    bits = Bits(seed)
    sources, targets = np.empty(draws, np.int32), np.empty(draws, np.int32)
    for part in chunks(draws):
        vertex = np.arange(part.start, part.stop) // degree
        first = np.where(vertex < last, vertex - vertex % size, last)
        span = np.where(vertex < last, size, vertices - last).astype(np.uint64)
        for ends in (sources, targets):
            ends[part] = first + (bits.random_raw(len(vertex)) % span).astype(np.int64)
    return Graph.of_edges(sources, targets, vertices)


@generator("kron:scale=20,degree=16,seed=1")
def kron(*, scale: Scale = 16, degree: DrawnDegree = 16, loops: Loops = "keep", seed: Seed = 1) -> Graph:
    """Kronecker graph with Graph500's parameters (.57, .19, .19), and vertices numbered at random."""
    vertices, draws = 1 << scale, degree << scale
    require_size(vertices, 2 * draws)
    bits = Bits(seed)
    sources, targets = _recursive_matrix(bits, scale, draws, GRAPH500, noise=0.0)
    names = random_order(bits, vertices)
    return _from_draws(names[sources], names[targets], vertices, loops)


@generator("rmat:scale=16,degree=8,a=0.45,b=0.22,c=0.22")
def rmat(
    *,
    scale: Scale = 16,
    degree: DrawnDegree = 8,
    a: Annotated[float, Parameter("probability of the upper left quarter", most=1)] = 0.45,
    b: Annotated[float, Parameter("probability of the upper right quarter", most=1)] = 0.15,
    c: Annotated[float, Parameter("probability of the lower left quarter", most=1)] = 0.15,
    noise: Annotated[float, Parameter("how far the probabilities move from level to level", most=1)] = 0.0,
    loops: Loops = "keep",
    seed: Seed = 1,
) -> Graph:
    """Recursive-matrix graph (R-MAT) with given probabilities of the quarters.

    Each edge chooses a quarter of the adjacency matrix, then a quarter of that, and so on. This is the
    recursive matrix of Chakrabarti, Zhan and Faloutsos (SDM 2004). With `noise`, the probabilities drift:
    after each choice, each probability is multiplied by a random number from 1 - noise to 1 + noise, as in
    the GTgraph suite.
    """
    vertices, draws = 1 << scale, degree << scale
    require_size(vertices, 2 * draws)
    if a + b + c > 1 + 1e-9:
        raise SpecError(f"a + b + c is {a + b + c:g}: probabilities of three quarters sum to at most 1")
    sources, targets = _recursive_matrix(Bits(seed), scale, draws, (a, b, c), noise)
    return _from_draws(sources, targets, vertices, loops)


def random_points(*, vertices: int, seed: int) -> npt.NDArray[np.float64]:
    return random_reals(Bits(seed), 2 * vertices).reshape(vertices, 2)


@generator("delaunay:scale=16", random_points)
def delaunay(*, vertices: VertexCount = 65536, seed: Seed = 1) -> Graph:
    """Delaunay triangulation of random points in the unit square."""
    require_size(vertices, 6 * vertices)
    memory.require(750 * vertices, "making it", "ask for a smaller one")  # Qhull's need, measured
    if vertices < 4:  # too few for Qhull: the triangulation joins each vertex to all others
        return cast(Graph, cliques.build(count=1, size=vertices))
    from scipy.spatial import Delaunay  # slow to import, and needed only here

    offsets, neighbors = Delaunay(random_points(vertices=vertices, seed=seed)).vertex_neighbor_vertices
    # Rows are sorted, because Qhull does not promise any order.
    entries = (np.ones(len(neighbors), np.bool_), neighbors, offsets)
    rows = sp.csr_array(entries, shape=(vertices, vertices))
    rows.sort_indices()
    return symmetric_graph(rows.indptr, rows.indices)


def _recursive_matrix(
    bits: Bits, scale: int, draws: int, quarters: tuple[float, float, float], noise: float
) -> tuple[VertexArray, VertexArray]:
    """Return both ends of each edge: every choice of a quarter adds a bit to each end."""
    sources, targets = np.zeros(draws, np.int32), np.zeros(draws, np.int32)
    for part in chunks(draws):
        source, target = sources[part], targets[part]
        levels = (
            _drifting_levels(bits, scale, len(source), quarters, noise)
            if noise
            else _steady_levels(bits, scale, len(source), quarters)
        )
        for draw, (a, ab, abc) in levels:
            lower = draw >= ab
            right = (draw >= a) ^ lower ^ (draw >= abc)
            source += source
            source += lower
            target += target
            target += right
    return sources, targets


def _steady_levels(
    bits: Bits, scale: int, count: int, quarters: tuple[float, float, float]
) -> Iterator[QuarterDraws]:
    """Draw half a word for each level and edge. The limits are always the same."""
    a, ab, abc = np.minimum(np.rint(np.cumsum(quarters) * 2**32), 2**32 - 1).astype(np.uint32)
    words = bits.random_raw(count * ((scale + 1) // 2))
    halves = words.astype("<u8", copy=False).view("<u4").reshape(-1, count)
    for draw in halves[:scale]:
        yield draw, (a, ab, abc)


def _drifting_levels(
    bits: Bits, scale: int, count: int, quarters: tuple[float, float, float], noise: float
) -> Iterator[QuarterDraws]:
    """Draw two words for each level and edge. The four parts of the second word move the probabilities."""
    a, b, c = quarters
    probabilities = np.repeat([[a], [b], [c], [max(1 - a - b - c, 0.0)]], count, axis=1)
    for _ in range(scale):
        first, second, third, fourth = probabilities
        two = first + second
        three = two + third
        yield random_reals(bits, count) * (three + fourth), (first, two, three)
        steps = bits.random_raw(count).astype("<u8", copy=False).view("<u2").reshape(4, count)
        probabilities *= (1 - noise) + steps * (2 * noise / 0xFFFF)


def _from_draws(sources: VertexArray, targets: VertexArray, vertices: int, loops: str) -> Graph:
    if loops == "drop":
        proper = sources != targets
        sources, targets = sources[proper], targets[proper]
    return Graph.of_edges(sources, targets, vertices)
