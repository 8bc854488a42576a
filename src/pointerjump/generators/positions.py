"""Where the vertices of generated graphs are in the plane, for those generators whose graphs have a shape.

Each function takes its generator's parameters and returns an array of shape (vertices, 2), with y upwards.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.generators.draws import Bits, random_points, vertex_order

Positions = npt.NDArray[np.float64]


def in_a_grid(*, rows: int, columns: int, **_: Any) -> Positions:
    """Return the cells of a grid, row by row from the top."""
    y, x = np.divmod(np.arange(rows * columns), max(columns, 1))
    return np.stack([x, -y], axis=1).astype(np.float64)


def in_a_bent_grid(*, rows: int, columns: int, **_: Any) -> Positions:
    """Return the cells of a grid whose rows and columns are bent, so that edges between its ends are seen."""
    x, y = in_a_grid(rows=rows, columns=columns).T
    bent = [
        a + 0.6 * np.sin(np.pi * (b - b.min(initial=0)) / max(n - 1, 1))
        for a, b, n in ((x, y, rows), (y, x, columns))
    ]
    return np.stack(bent, axis=1)


def in_a_circle(*, vertices: int, **_: Any) -> Positions:
    """Return places around a circle, clockwise from the top."""
    angle = 2 * np.pi * np.arange(vertices) / max(vertices, 1)
    return np.stack([np.sin(angle), np.cos(angle)], axis=1)


def around_the_first(*, vertices: int, **_: Any) -> Positions:
    """Return vertex 0 in the middle, and the others around it."""
    return np.concatenate([np.zeros((min(vertices, 1), 2)), in_a_circle(vertices=max(vertices - 1, 0))])


def along_a_path(*, vertices: int, order: str, seed: int) -> Positions:
    """Return places along a path that goes to and fro."""
    walk = vertex_order(Bits(seed), vertices, order)
    columns = int(np.ceil(np.sqrt(3 * max(vertices, 1))))
    y, x = np.divmod(np.arange(vertices), columns)
    places = np.empty((vertices, 2))
    places[walk] = np.stack([np.where(y % 2, columns - 1 - x, x), -y], axis=1)
    return places


def level_by_level(*, vertices: int, **_: Any) -> Positions:
    """Return places in a binary tree, the root at the top."""
    number = np.arange(1, vertices + 1)
    level = np.floor(np.log2(number)).astype(np.int64)
    width = 2.0 ** (level.max(initial=0))
    in_level = number - (1 << level)
    return np.stack([(in_level + 0.5) * width / (1 << level), -1.4 * level], axis=1)


def side_by_side(*, left: int, right: int) -> Positions:
    """Return the two sides of a bipartite graph, each in a column."""
    places = [
        np.stack([np.full(k, x), -(np.arange(k) - (k - 1) / 2)], axis=1) for x, k in ((0, left), (4, right))
    ]
    return np.concatenate(places)


def where_drawn(*, vertices: int, seed: int) -> Positions:
    """Return the random points that a Delaunay triangulation is made of."""
    return random_points(Bits(seed), vertices)
