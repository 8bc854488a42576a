"""Random graphs. Each draws edges and leaves merging the duplicates to ``Graph.from_edges``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pointerjump.errors import SpecError
from pointerjump.generators.draws import (
    Bits,
    chunks,
    random_ids,
    random_order,
    random_reals,
    random_words,
    require_memory,
    require_size,
)
from pointerjump.generators.shapes import cliques, symmetric_graph
from pointerjump.graph import Graph, VertexArray, graph_without_copy

GRAPH500 = (0.57, 0.19, 0.19)
"""Graph500's chances of the upper left, upper right and lower left quarter."""

Level = tuple[npt.NDArray[Any], tuple[Any, Any, Any]]
"""A draw for each edge, and the limits below which it falls into the first quarters."""


def urand(*, vertices: int, degree: int, loops: str, seed: int) -> Graph:
    """Draw both ends of ``degree * vertices`` edges uniformly, as the GAP Benchmark Suite does."""
    draws = degree * vertices
    require_size(vertices, 2 * draws)
    bits = Bits(seed)
    sources = random_ids(bits, draws, vertices)
    targets = random_ids(bits, draws, vertices)
    return _from_draws(sources, targets, vertices, loops)


def ring(*, vertices: int, chords: int, loops: str, seed: int) -> Graph:
    """Join each vertex to the next and the last to the first; add random edges as urand does."""
    draws = chords * vertices
    require_size(vertices, 2 * (vertices + draws))
    bits = Bits(seed)
    around = np.arange(vertices, dtype=np.int32)
    sources = np.concatenate([around, random_ids(bits, draws, vertices)])
    targets = np.concatenate([np.roll(around, -1), random_ids(bits, draws, vertices)])
    return _from_draws(sources, targets, vertices, loops)


def kout(*, vertices: int, k: int, seed: int) -> Graph:
    """Let each vertex pick `k` others; it may pick one twice, or be picked by one it picks."""
    others = max(vertices - 1, 0)
    draws = k * vertices if others else 0
    require_size(vertices, 2 * draws)
    sources = np.repeat(np.arange(vertices, dtype=np.int32), draws // max(vertices, 1))
    targets = random_ids(Bits(seed), draws, others)
    targets += targets >= sources  # step over the vertex itself
    return graph_without_copy(sources, targets, vertices)


def union(*, vertices: int, degree: int, fraction: float, seed: int) -> Graph:
    """Return ``floor(1 / fraction)`` urand graphs of equal size, and one of the vertices left over.

    The graphs of Afforest's figure 8c (Sutton, Ben-Nun and Barak, IPDPS 2018, section VI.C).
    """
    draws = degree * vertices
    require_size(vertices, 2 * draws)
    size = math.floor(vertices * fraction)
    if vertices and not size:
        raise SpecError(f"fraction is {fraction:g}: of {vertices} vertices that is not one")
    last = math.floor(1 / fraction) * size
    bits = Bits(seed)
    sources, targets = np.empty(draws, np.int32), np.empty(draws, np.int32)
    for part in chunks(draws):
        vertex = np.arange(part.start, part.stop) // degree
        first = np.where(vertex < last, vertex - vertex % size, last)
        span = np.where(vertex < last, size, vertices - last).astype(np.uint64)
        for ends in (sources, targets):
            ends[part] = first + (random_words(bits, len(vertex)) % span).astype(np.int64)
    return graph_without_copy(sources, targets, vertices)


def kron(*, scale: int, degree: int, loops: str, seed: int) -> Graph:
    """Draw an R-MAT graph with Graph500's chances, then name its vertices at random, as it does."""
    vertices, draws = 1 << scale, degree << scale
    require_size(vertices, 2 * draws)
    bits = Bits(seed)
    sources, targets = _recursive_matrix(bits, scale, draws, GRAPH500, noise=0.0)
    names = random_order(bits, vertices)
    return _from_draws(names[sources], names[targets], vertices, loops)


def rmat(
    *, scale: int, degree: int, a: float, b: float, c: float, noise: float, loops: str, seed: int
) -> Graph:
    """Draw each edge by choosing a quarter of the adjacency matrix, and a quarter of that, ...

    The recursive matrix of Chakrabarti, Zhan and Faloutsos (SDM 2004). With `noise`, the chances of
    each edge wander: after each choice they are multiplied by 1 - noise to 1 + noise, as in the
    GTgraph suite.
    """
    vertices, draws = 1 << scale, degree << scale
    require_size(vertices, 2 * draws)
    if a + b + c > 1 + 1e-9:
        raise SpecError(f"a + b + c is {a + b + c:g}: the chances of three quarters are 1 at most")
    sources, targets = _recursive_matrix(Bits(seed), scale, draws, (a, b, c), noise)
    return _from_draws(sources, targets, vertices, loops)


def delaunay(*, vertices: int, seed: int) -> Graph:
    """Triangulate random points of the unit square with Qhull."""
    require_size(vertices, 6 * vertices)
    require_memory(750 * vertices)  # Qhull's, as measured
    if vertices < 4:  # fewer than Qhull takes, and all join all
        return cliques(count=1, size=vertices)
    from scipy.spatial import Delaunay  # slow to import, and needed here only

    points = random_reals(Bits(seed), 2 * vertices).reshape(vertices, 2)
    offsets, neighbors = Delaunay(points).vertex_neighbor_vertices
    # Sorted, because the order of a row is Qhull's own business.
    entries = (np.ones(len(neighbors), np.bool_), neighbors, offsets)
    rows = sp.csr_array(entries, shape=(vertices, vertices))
    rows.sort_indices()
    return symmetric_graph(rows.indptr, rows.indices)


def _recursive_matrix(
    bits: Bits, scale: int, draws: int, quarters: tuple[float, float, float], noise: float
) -> tuple[VertexArray, VertexArray]:
    """Return both ends of each edge: one more bit of each end for each choice of a quarter."""
    sources, targets = np.zeros(draws, np.int32), np.zeros(draws, np.int32)
    for part in chunks(draws):
        source, target = sources[part], targets[part]
        levels = (
            _wandering_levels(bits, scale, len(source), quarters, noise)
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
) -> Iterator[Level]:
    """Draw half a word per level and edge; the limits are the same for all."""
    a, ab, abc = np.minimum(np.rint(np.cumsum(quarters) * 2**32), 2**32 - 1).astype(np.uint32)
    words = random_words(bits, count * ((scale + 1) // 2))
    halves = words.astype("<u8", copy=False).view("<u4").reshape(-1, count)
    for draw in halves[:scale]:
        yield draw, (a, ab, abc)


def _wandering_levels(
    bits: Bits, scale: int, count: int, quarters: tuple[float, float, float], noise: float
) -> Iterator[Level]:
    """Draw two words per level and edge; the second, in four parts, moves its four chances."""
    a, b, c = quarters
    chances = np.repeat([[a], [b], [c], [max(1 - a - b - c, 0.0)]], count, axis=1)
    for _ in range(scale):
        first, second, third, fourth = chances
        two = first + second
        three = two + third
        yield random_reals(bits, count) * (three + fourth), (first, two, three)
        steps = random_words(bits, count).astype("<u8", copy=False).view("<u2").reshape(4, count)
        chances *= (1 - noise) + steps * (2 * noise / 0xFFFF)


def _from_draws(sources: VertexArray, targets: VertexArray, vertices: int, loops: str) -> Graph:
    if loops == "drop":
        proper = sources != targets
        sources, targets = sources[proper], targets[proper]
    return graph_without_copy(sources, targets, vertices)
