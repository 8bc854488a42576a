"""Graphs of a known shape: grids, stars, paths, ... The rows of most of them are computed directly."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pointerjump.edges import VertexArray
from pointerjump.generators.draws import (
    Bits,
    random_flips,
    random_words,
    require_size,
    vertex_order,
)
from pointerjump.graph import Graph


def empty(*, vertices: int) -> Graph:
    """Return vertices without edges."""
    require_size(vertices, 0)
    return symmetric_graph(np.zeros(vertices + 1, np.int32), np.empty(0, np.int32))


def star(*, vertices: int) -> Graph:
    """Join vertex 0 to all others."""
    leaves = max(vertices - 1, 0)
    require_size(vertices, 2 * leaves)
    degrees = np.ones(vertices, np.int64)
    degrees[:1] = leaves
    neighbors = np.concatenate([np.arange(1, vertices), np.zeros(leaves, np.int64)])
    return symmetric_graph(_offsets(degrees), neighbors)


def path(*, vertices: int, order: str, seed: int) -> Graph:
    """Join each vertex to the next in `order`; its row names the one before it, then the one after it."""
    require_size(vertices, 2 * vertices)
    walk = vertex_order(Bits(seed), vertices, order)
    table = np.empty((vertices, 2), np.int32)
    table[walk[1:], 0] = walk[:-1]
    table[walk[:-1], 1] = walk[1:]
    present = np.ones((vertices, 2), np.bool_)
    present[walk[:1], 0] = False
    present[walk[-1:], 1] = False
    return _graph_from_table(table, present)


def tree(*, vertices: int) -> Graph:
    """Join vertex v to 2v + 1 and 2v + 2: a binary tree whose levels are all full but the last."""
    require_size(vertices, 2 * vertices)
    ids = np.arange(vertices, dtype=np.int64)
    table = np.stack([(ids - 1) // 2, 2 * ids + 1, 2 * ids + 2], axis=1)
    return _graph_from_table(table, (table >= 0) & (table < vertices))


def cliques(*, count: int, size: int) -> Graph:
    """Return `count` complete graphs of `size` vertices each, numbered one after the other."""
    vertices, others = count * size, max(size - 1, 0)
    require_size(vertices, vertices * others)
    own, other = np.arange(size)[:, None], np.arange(others)
    inside = other + (other >= own)  # leaves out the vertex itself
    first = np.arange(count, dtype=np.int64) * size
    neighbors = (first[:, None, None] + inside).ravel()
    return symmetric_graph(np.arange(vertices + 1, dtype=np.int64) * others, neighbors)


def bipartite(*, left: int, right: int) -> Graph:
    """Join each of the first `left` vertices to each of the `right` that follow."""
    require_size(left + right, 2 * left * right)
    degrees = np.repeat([right, left], [left, right])
    neighbors = [
        np.tile(np.arange(left, left + right, dtype=np.int32), left),
        np.tile(np.arange(left, dtype=np.int32), right),
    ]
    return symmetric_graph(_offsets(degrees), np.concatenate(neighbors))


def grid2d(*, rows: int, columns: int, keep: float, seed: int) -> Graph:
    """Join each cell to those left, right, above and below, each edge with probability `keep`."""
    return _lattice(rows, columns, keep, seed, wrap=False)


def torus(*, rows: int, columns: int, keep: float, seed: int) -> Graph:
    """Return a grid in which the last row and column also join the first, if there are three or more."""
    return _lattice(rows, columns, keep, seed, wrap=True)


def _lattice(rows: int, columns: int, keep: float, seed: int, *, wrap: bool) -> Graph:
    require_size(rows * columns, 4 * rows * columns)
    right, down = _kept_edges(Bits(seed), rows, columns, keep)
    # With two rows or columns, the edge around is the one that is there already.
    if not wrap or columns < 3:
        right[:, -1:] = False
    if not wrap or rows < 3:
        down[-1:] = False
    cells = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    around = [(-1, 0), (0, -1), (0, 1), (1, 0)]
    table = np.stack([np.roll(cells, (-r, -c), (0, 1)) for r, c in around], axis=2)
    present = np.stack([np.roll(down, 1, 0), np.roll(right, 1, 1), right, down], axis=2)
    return _graph_from_table(table.reshape(-1, 4), present.reshape(-1, 4))


def road(*, rows: int, columns: int, keep: float, diagonals: float, chain: int, seed: int) -> Graph:
    """Thin out a grid of crossings, add diagonals, and put 0 to `chain` bends into each road."""
    crossings = rows * columns
    require_size(crossings, 4 * crossings)
    bits = Bits(seed)
    right, down = _kept_edges(bits, rows, columns, keep)
    across = random_flips(bits, crossings, diagonals).reshape(rows, columns)
    cells = np.arange(crossings, dtype=np.int32).reshape(rows, columns)
    roads = [
        (cells[:, :-1], cells[:, 1:], right[:, :-1]),
        (cells[:-1], cells[1:], down[:-1]),
        (cells[:-1, :-1], cells[1:, 1:], across[:-1, :-1]),
    ]
    sources = np.concatenate([start[kept] for start, _, kept in roads])
    targets = np.concatenate([end[kept] for _, end, kept in roads])
    bends = (random_words(bits, len(sources)) % np.uint64(chain + 1)).astype(np.int64)
    return _subdivided(sources, targets, bends, crossings)


def _kept_edges(
    bits: Bits, rows: int, columns: int, keep: float
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return, for each cell, whether the edge to the right is kept, and whether the edge down is."""
    flips = random_flips(bits, 2 * rows * columns, keep).reshape(2, rows, columns)
    return flips[0], flips[1]


def _subdivided(
    sources: VertexArray, targets: VertexArray, bends: npt.NDArray[np.int64], vertices: int
) -> Graph:
    """Replace edge e by a path through ``bends[e]`` new vertices, numbered after the old ones."""
    total = vertices + int(bends.sum())
    links = len(bends) + int(bends.sum())
    require_size(total, 2 * links)
    # Each link leads from the newest vertex to a new one. But the first link of an edge begins at the
    # edge's source, and the last one ends at its target instead of a new vertex.
    last = np.cumsum(bends + 1) - 1
    edge = np.repeat(np.arange(len(bends), dtype=np.int32), bends + 1)
    end = np.arange(vertices, vertices + links) - edge
    begin = end - 1
    begin[last - bends] = sources
    end[last] = targets
    return Graph.of_edges(begin, end, total)


def symmetric_graph(offsets: npt.NDArray[np.integer], neighbors: npt.NDArray[np.integer]) -> Graph:
    """Return a graph whose rows are known to hold both directions of every edge."""
    graph = Graph(offsets, neighbors)
    graph.mark_symmetric()  # so that nobody has to transpose it to find out
    return graph


def _graph_from_table(table: npt.NDArray[np.integer], present: npt.NDArray[np.bool_]) -> Graph:
    """Return the graph whose row v is ``table[v]`` where ``present[v]``."""
    return symmetric_graph(_offsets(np.count_nonzero(present, axis=1)), table[present])


def _offsets(degrees: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    offsets = np.zeros(len(degrees) + 1, np.int64)
    np.cumsum(degrees, out=offsets[1:])
    return offsets
