"""Linked lists, and graphs with known shapes, such as grids, stars and paths.

If a graph has a natural layout, another function takes the parameters of its generator and returns the
positions of the vertices in the plane: an array of shape (vertices, 2) in which y increases upward.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from pointerjump.base.edges import MAX_VERTICES, VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.linked_lists import SuccessorArray
from pointerjump.errors import SpecError
from pointerjump.generators.draws import (
    Bits,
    random_flips,
    random_order,
    require_size,
    vertex_order,
)
from pointerjump.generators.spec import Parameter, generator

Seed = Annotated[int, Parameter("another seed makes another graph or list", most=2**64 - 1)]
VertexCount = Annotated[int, Parameter("how many vertices", most=MAX_VERTICES)]
RowCount = Annotated[int, Parameter("rows of the grid", most=MAX_VERTICES)]
ColumnCount = Annotated[int, Parameter("columns of the grid", most=MAX_VERTICES)]
Keep = Annotated[float, Parameter("probability of each edge", most=1)]
ORDERS = ("natural", "reverse", "random", "bitreversed")
PathOrder = Annotated[str, Parameter("how the vertices are numbered along the path", choices=ORDERS)]
LIST_ORDERS = ("random", "natural", "sequential", "reverse", "bitreversed")
ListOrder = Annotated[str, Parameter("where in the array each next element lies", choices=LIST_ORDERS)]

PlanePoints = npt.NDArray[np.float64]


@generator("empty:vertices=1000")
def empty(*, vertices: VertexCount = 65536) -> Graph:
    """Vertices without edges."""
    require_size(vertices, 0)
    return symmetric_graph(np.zeros(vertices + 1, np.int32), np.empty(0, np.int32))


def around(*, vertices: int, **_: Any) -> PlanePoints:
    """Return positions on a circle, clockwise from the top."""
    angle = 2 * np.pi * np.arange(vertices) / max(vertices, 1)
    return np.stack([np.sin(angle), np.cos(angle)], axis=1)


def around_the_first(*, vertices: int, **_: Any) -> PlanePoints:
    """Return positions with vertex 0 in the middle and the other vertices on a circle around it."""
    return np.concatenate([np.zeros((min(vertices, 1), 2)), around(vertices=max(vertices - 1, 0))])


@generator("star:vertices=100000", around_the_first)
def star(*, vertices: VertexCount = 65536) -> Graph:
    """Star in which vertex 0 is joined to all other vertices."""
    leaves = max(vertices - 1, 0)
    require_size(vertices, 2 * leaves)
    degrees = np.ones(vertices, np.int64)
    degrees[:1] = leaves
    neighbors = np.concatenate([np.arange(1, vertices), np.zeros(leaves, np.int64)])
    return symmetric_graph(_offsets(degrees), neighbors)


def along_a_path(*, vertices: int, order: str, seed: int) -> PlanePoints:
    """Return positions along a path that runs back and forth."""
    walk = vertex_order(Bits(seed), vertices, order)
    columns = int(np.ceil(np.sqrt(3 * max(vertices, 1))))
    y, x = np.divmod(np.arange(vertices), columns)
    places = np.empty((vertices, 2))
    places[walk] = np.stack([np.where(y % 2, columns - 1 - x, x), -y], axis=1)
    return places


@generator("path:vertices=100000,order=bitreversed", along_a_path)
def path(*, vertices: VertexCount = 65536, order: PathOrder = "natural", seed: Seed = 1) -> Graph:
    """One long path, with vertices numbered along it or in an order hostile to pointer jumping."""
    require_size(vertices, 2 * vertices)
    walk = vertex_order(Bits(seed), vertices, order)
    table = np.empty((vertices, 2), np.int32)
    table[walk[1:], 0] = walk[:-1]
    table[walk[:-1], 1] = walk[1:]
    present = np.ones((vertices, 2), np.bool_)
    present[walk[:1], 0] = False
    present[walk[-1:], 1] = False
    return _graph_from_table(table, present)


def level_by_level(*, vertices: int, **_: Any) -> PlanePoints:
    """Return positions in a binary tree with the root at the top."""
    number = np.arange(1, vertices + 1)
    level = np.floor(np.log2(number)).astype(np.int64)
    width = 2.0 ** (level.max(initial=0))
    in_level = number - (1 << level)
    return np.stack([(in_level + 0.5) * width / (1 << level), -1.4 * level], axis=1)


@generator("tree:vertices=100000", level_by_level)
def tree(*, vertices: VertexCount = 65536) -> Graph:
    """Binary tree in which all levels but the last are full: vertex v is joined to 2v + 1 and 2v + 2."""
    require_size(vertices, 2 * vertices)
    ids = np.arange(vertices, dtype=np.int64)
    table = np.stack([(ids - 1) // 2, 2 * ids + 1, 2 * ids + 2], axis=1)
    return _graph_from_table(table, (table >= 0) & (table < vertices))


@generator("cliques:count=1000,size=10")
def cliques(
    *,
    count: Annotated[int, Parameter("how many complete graphs", most=MAX_VERTICES)] = 8192,
    size: Annotated[int, Parameter("vertices of each", most=MAX_VERTICES)] = 8,
) -> Graph:
    """Separate complete graphs, numbered one after another."""
    vertices, others = count * size, max(size - 1, 0)
    require_size(vertices, vertices * others)
    own, other = np.arange(size)[:, None], np.arange(others)
    inside = other + (other >= own)  # leaves out the vertex itself
    first = np.arange(count, dtype=np.int64) * size
    neighbors = (first[:, None, None] + inside).ravel()
    return symmetric_graph(np.arange(vertices + 1, dtype=np.int64) * others, neighbors)


def side_by_side(*, left: int, right: int) -> PlanePoints:
    """Return positions in two columns, one for each side of a bipartite graph."""
    places = [
        np.stack([np.full(k, x), -(np.arange(k) - (k - 1) / 2)], axis=1) for x, k in ((0, left), (4, right))
    ]
    return np.concatenate(places)


@generator("bipartite:left=10,right=1000", side_by_side)
def bipartite(
    *,
    left: Annotated[int, Parameter("vertices on one side", most=MAX_VERTICES)] = 256,
    right: Annotated[int, Parameter("vertices on the other", most=MAX_VERTICES)] = 256,
) -> Graph:
    """Complete bipartite graph, with all edges between the first `left` and the last `right` vertices."""
    require_size(left + right, 2 * left * right)
    degrees = np.repeat([right, left], [left, right])
    neighbors = [
        np.tile(np.arange(left, left + right, dtype=np.int32), left),
        np.tile(np.arange(left, dtype=np.int32), right),
    ]
    return symmetric_graph(_offsets(degrees), np.concatenate(neighbors))


def in_a_grid(*, rows: int, columns: int, **_: Any) -> PlanePoints:
    """Return the positions of the cells of a grid, row by row from the top."""
    y, x = np.divmod(np.arange(rows * columns), max(columns, 1))
    return np.stack([x, -y], axis=1).astype(np.float64)


@generator("grid2d:rows=1024,columns=1024,keep=0.62", in_a_grid)
def grid2d(*, rows: RowCount = 256, columns: ColumnCount = 256, keep: Keep = 1.0, seed: Seed = 1) -> Graph:
    """Grid in which each cell is joined to its four neighbors."""
    return _lattice(rows, columns, keep, seed, wrap=False)


def in_a_bent_grid(*, rows: int, columns: int, **_: Any) -> PlanePoints:
    """Return positions in a bent grid. In a straight one, some edges would be hidden behind others."""
    x, y = in_a_grid(rows=rows, columns=columns).T
    bent = [
        a + 0.6 * np.sin(np.pi * (b - b.min(initial=0)) / max(n - 1, 1))
        for a, b, n in ((x, y, rows), (y, x, columns))
    ]
    return np.stack(bent, axis=1)


@generator("torus:rows=100,columns=100", in_a_bent_grid)
def torus(*, rows: RowCount = 256, columns: ColumnCount = 256, keep: Keep = 1.0, seed: Seed = 1) -> Graph:
    """Grid whose last row and last column are joined to the first ones."""
    return _lattice(rows, columns, keep, seed, wrap=True)


def _lattice(rows: int, columns: int, keep: float, seed: int, *, wrap: bool) -> Graph:
    require_size(rows * columns, 4 * rows * columns)
    right, down = _kept_edges(Bits(seed), rows, columns, keep)
    # With two rows or columns, the wraparound edge exists already.
    if not wrap or columns < 3:
        right[:, -1:] = False
    if not wrap or rows < 3:
        down[-1:] = False
    cells = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    around = [(-1, 0), (0, -1), (0, 1), (1, 0)]
    table = np.stack([np.roll(cells, (-r, -c), (0, 1)) for r, c in around], axis=2)
    present = np.stack([np.roll(down, 1, 0), np.roll(right, 1, 1), right, down], axis=2)
    return _graph_from_table(table.reshape(-1, 4), present.reshape(-1, 4))


@generator("road:rows=256,columns=256")
def road(
    *,
    rows: RowCount = 256,
    columns: ColumnCount = 256,
    keep: Keep = 0.62,
    diagonals: Annotated[float, Parameter("probability of a diagonal road across each cell", most=1)] = 0.02,
    chain: Annotated[int, Parameter("vertices on a road between crossings: 0 to chain", most=10**6)] = 4,
    seed: Seed = 1,
) -> Graph:
    """Road-like graph: a thinned-out grid with a few diagonals and with chains of vertices as roads."""
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
    bends = (bits.random_raw(len(sources)) % np.uint64(chain + 1)).astype(np.int64)
    return _subdivided(sources, targets, bends, crossings)


def _kept_edges(
    bits: Bits, rows: int, columns: int, keep: float
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    flips = random_flips(bits, 2 * rows * columns, keep).reshape(2, rows, columns)
    return flips[0], flips[1]


def _subdivided(
    sources: VertexArray, targets: VertexArray, bends: npt.NDArray[np.int64], vertices: int
) -> Graph:
    """Replace each edge e by a path through ``bends[e]`` new vertices, numbered after the existing ones."""
    total = vertices + int(bends.sum())
    links = len(bends) + int(bends.sum())
    require_size(total, 2 * links)
    # Each link leads from the newest vertex to a new one, except that the first link of an edge begins at the
    # source of the edge and the last link ends at its target.
    last = np.cumsum(bends + 1) - 1
    edge = np.repeat(np.arange(len(bends), dtype=np.int32), bends + 1)
    end = np.arange(vertices, vertices + links) - edge
    begin = end - 1
    begin[last - bends] = sources
    end[last] = targets
    return Graph.of_edges(begin, end, total)


@generator("list:length=1000000,order=random,seed=1")
def one_list(
    *,
    length: Annotated[int, Parameter("how many elements", most=MAX_VERTICES)] = 65536,
    order: ListOrder = "random",
    seed: Seed = 1,
) -> SuccessorArray:
    """A single linked list."""
    return _linked(length, 1, order, seed)


@generator("lists:length=1000000,count=100")
def lists(
    *,
    length: Annotated[int, Parameter("how many elements in all", most=MAX_VERTICES)] = 65536,
    count: Annotated[int, Parameter("how many lists", least=1, most=MAX_VERTICES)] = 64,
    order: ListOrder = "random",
    seed: Seed = 1,
) -> SuccessorArray:
    """Several linked lists of random lengths in one array."""
    return _linked(length, count, order, seed)


def _linked(length: int, count: int, order: str, seed: int) -> SuccessorArray:
    """Link `length` elements in the named order, and cut the result into `count` lists at random."""
    require_size(length, length)
    if count > max(length, 1):
        raise SpecError(f"count is {count}: {length} elements make at most {length} lists")
    bits = Bits(seed)
    walk = vertex_order(bits, length, order)
    successors = np.empty(length, np.int32)
    successors[walk[:-1]] = walk[1:]
    successors[walk[-1:]] = walk[-1:]
    if count > 1:
        last = walk[random_order(bits, length - 1)[: count - 1]]
        successors[last] = last
    return successors


def symmetric_graph(offsets: npt.NDArray[np.integer], neighbors: npt.NDArray[np.integer]) -> Graph:
    """Build a graph from rows that are known to contain both directions of every edge."""
    graph = Graph(offsets, neighbors)
    graph.mark_symmetric()  # finding this out later would mean transposing the graph
    return graph


def _graph_from_table(table: npt.NDArray[np.integer], present: npt.NDArray[np.bool_]) -> Graph:
    """Build the graph in which row v contains the entries of ``table[v]`` where ``present[v]`` is True."""
    return symmetric_graph(_offsets(np.count_nonzero(present, axis=1)), table[present])


def _offsets(degrees: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    offsets = np.zeros(len(degrees) + 1, np.int64)
    np.cumsum(degrees, out=offsets[1:])
    return offsets
