"""Where the vertices of a graph are drawn, if nobody knows: a spring layout, component by component.

Every two vertices of a component are held apart by a spring that is as long as the shortest path between
them: T. Kamada and S. Kawai, "An algorithm for drawing general undirected graphs", Information Processing
Letters 31, 1989. The springs come to rest by *majorization*: each vertex moves to where all its springs
together would have it, again and again, and their tension never rises: E. Gansner, Y. Koren and S. North,
"Graph drawing by stress majorization", Graph Drawing 2004.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, shortest_path

Positions = npt.NDArray[np.float64]

STEPS, FEWEST_STEPS, QUICK = 150, 15, 300
"""How often vertices move. Above so many vertices they move less often, as each time takes n^2 steps."""

GAP = 1.0
"""How far apart components are drawn."""


def spring_layout(adjacency: sp.csr_array) -> Positions:
    """Return a position for each vertex of a graph; vertices joined by an edge are about 1 apart."""
    count, label = connected_components(adjacency, directed=False)
    members = [np.flatnonzero(label == k) for k in range(count)]
    members.sort(key=lambda each: (-len(each), each[0]))
    boxes = [_upright(_at_rest(shortest_path(adjacency[each][:, each], unweighted=True))) for each in members]
    positions = np.zeros((len(label), 2))
    for each, placed in zip(members, packed(boxes), strict=True):
        positions[each] = placed
    return positions


def _at_rest(distance: npt.NDArray[np.float64]) -> Positions:
    """Return where springs of these lengths come to rest."""
    n = len(distance)
    if n == 1:
        return np.zeros((1, 2))
    positions: Positions = _first_positions(distance)
    with np.errstate(divide="ignore"):
        stiffness = np.where(distance > 0, distance**-2.0, 0.0)
    pull = stiffness.sum(axis=1, keepdims=True)
    for _ in range(max(FEWEST_STEPS, min(STEPS, STEPS * QUICK**2 // n**2))):
        apart = positions[:, None] - positions[None]
        length = np.sqrt((apart**2).sum(axis=2))
        np.fill_diagonal(length, 1.0)
        wanted = positions[None] + apart * (distance / np.maximum(length, 1e-9))[..., None]
        positions = (stiffness[..., None] * wanted).sum(axis=1) / pull
    return positions


def _first_positions(distance: npt.NDArray[np.float64]) -> Positions:
    """Return positions whose distances are about those given: classical scaling, and a little disorder.

    The disorder, which is the same every time, parts vertices that would lie on each other.
    """
    n = len(distance)
    centered = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-0.5 * centered @ distance**2 @ centered)
    found: Positions = vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 0))
    angle = np.arange(n) * 2.399963  # the golden angle
    found += 0.05 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return found


def _upright(positions: Positions) -> Positions:
    """Return positions turned so that they are wider than they are high, from 0 on."""
    centered = positions - positions.mean(axis=0)
    _, _, axes = np.linalg.svd(centered, full_matrices=False)
    if len(axes) == 2:
        largest = np.abs(axes).argmax(axis=1)
        turned = centered @ (axes * np.sign(axes[[0, 1], largest])[:, None]).T
    else:
        turned = centered
    moved: Positions = turned - turned.min(axis=0)
    return moved


def packed(boxes: list[Positions]) -> list[Positions]:
    """Return groups of positions, moved so that they stand in rows and none overlaps another."""
    sizes = [box.max(axis=0) + GAP for box in boxes]
    width = max([1.3 * sqrt(sum(w * h for w, h in sizes)), *(w for w, _ in sizes)], default=0.0)
    placed, x, y, height = [], 0.0, 0.0, 0.0
    for box, (w, h) in zip(boxes, sizes, strict=True):
        if x > 0 and x + w > width + 1e-9:
            x, y, height = 0.0, y + height, 0.0
        placed.append(box + np.array([x, y]))
        x, height = x + w, max(height, h)
    return placed
