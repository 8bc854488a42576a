"""Edges of sparse graphs, from int32 arrays and from scipy's matrices to labels: ours and scipy side by side.

    python benches/sparse_edges.py [--device cpu] [--only path] [--json FILE]

Each graph of a million vertices comes in two orders of its vertices: as it is made, where neighbors are near
one another, and shuffled. The grid comes with its edges in the order of its rows and shuffled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
from edge_table import (
    ARRAYS,
    BOTH_DIRECTIONS,
    MATRIX,
    OURS,
    SCIPY,
    Edges,
    Measurement,
    Report,
    parser,
    run,
    session_of,
    ways_here,
)
from peers import edges_once

import pointerjump as pj

VERTICES = 999_996  # triangles need a multiple of three, a matching one of two
GRID = "grid2d:rows=2048,columns=2048,keep=0.62,seed=1"

Ends = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def recursive_tree(n: int) -> Ends:
    """Return a tree in which each vertex hangs under a random earlier one."""
    children = np.arange(1, n)
    return np.random.default_rng(1).integers(0, children), children


def binary_tree(n: int) -> Ends:
    """Return the tree of a binary heap."""
    children = np.arange(1, n)
    return (children - 1) // 2, children


def path(n: int) -> Ends:
    """Return a path."""
    return np.arange(n - 1), np.arange(1, n)


def matching(n: int) -> Ends:
    """Return a perfect matching."""
    return np.arange(0, n, 2), np.arange(1, n, 2)


def triangles(n: int) -> Ends:
    """Return triangles that share no vertex."""
    first = np.repeat(np.arange(0, n, 3), 3)
    return first + np.tile([0, 0, 1], n // 3), first + np.tile([1, 2, 2], n // 3)


SHAPES: dict[str, Callable[[int], Ends]] = {
    "recursive tree": recursive_tree,
    "binary tree": binary_tree,
    "path": path,
    "matching": matching,
    "triangles": triangles,
}


def edges_named(only: str) -> Iterator[Edges]:
    """Make those edges whose names contain a text."""
    for name in ("grid, edges in order", "grid, edges shuffled"):
        if only in name:
            yield grid(name, shuffled=name.endswith("shuffled"))
    for shape, make in SHAPES.items():
        for order in ("natural", "shuffled"):
            if only in (name := f"{shape}, {order}"):
                ends = np.stack(make(VERTICES))
                if order == "shuffled":
                    ends = np.random.default_rng(2).permutation(VERTICES)[ends]
                yield Edges(name, *ends.astype(np.int32), VERTICES)


def grid(name: str, shuffled: bool) -> Edges:
    """Make the grid."""
    graph = pj.generate(GRID)
    ends = np.stack(edges_once(graph)).astype(np.int32)
    if shuffled:
        ends = ends[:, np.random.default_rng(2).permutation(ends.shape[1])]
    return Edges(name, *ends, graph.vertices)


def main() -> None:
    """Run the command."""
    asked = parser(__doc__).parse_args()
    session = session_of(asked)
    ways = ways_here((form, who) for form in (ARRAYS, MATRIX, BOTH_DIRECTIONS) for who in (OURS, SCIPY))
    report = Report(f"sparse edges on {session.device}", "ms", 1e3)
    run(report, edges_named(asked.only), Measurement(ways, session, asked.rounds), asked.json)


if __name__ == "__main__":
    main()
