"""Scenes of what a user has: a graph in the plane or in a row, linked lists, and an image."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pointerjump.drawing.frames import NOWHERE, Cell, Point, Scene
from pointerjump.drawing.positions import spring_layout
from pointerjump.errors import GraphError
from pointerjump.graph import Graph
from pointerjump.linked_lists import SuccessorArray

Layout = Literal["plane", "line"]
LARGEST_POSITION = 1e100
"""The squares of larger coordinates would overflow."""

MOST_AT_ALL, MOST_EDGES = 2000, 20_000
"""Of more than that nobody would see anything, and the springs of a layout would take too long."""


_ARROWS = "Blue arrows are pointers; orange ones have just changed."
_RINGS = "A bold ring points to itself, a dashed one nowhere yet."

KEY_TO_GRAPHS = (
    f"Grey lines are edges. {_ARROWS} {_RINGS} "
    "Vertices of one tree have one color; those that are alone are white."
)
KEY_TO_LISTS = (
    f"Grey arrows lead to the next element of the list. {_ARROWS} {_RINGS} "
    "Squares are chosen elements, such as splitters. Below an element stands what it knows so far: how far "
    "its pointer reaches or, after a plus, how many steps it comes after the square it points to; in the "
    "end, its rank."
)
KEY_TO_IMAGES = (
    f"Each stretch of pixels with a number is a run. {_ARROWS} "
    "Runs of one tree have one color. In the end, the number is the label."
)
KEY_TO_IDS = (
    f"Circles are ids, squares are slots of the hash table. {_ARROWS} "
    "Below an id, and below its slot, stands the number of the id. A dashed circle has not been looked at "
    "yet, and a dashed square is empty."
)


def require_few(count: int, most: int, what: str) -> None:
    """Refuse to draw what would be too large to be seen.

    Raises
    ------
    GraphError
        If there are more than `most`, or than can be drawn at all.
    """
    allowed = min(most, MOST_AT_ALL)
    if count > allowed:
        more = f"allow for more (most={count}, or --most {count})"
        way_out = more if count <= MOST_AT_ALL else "draw fewer"
        raise GraphError(f"there are {count} {what}, and a picture shows up to {allowed}: {way_out}")


def require_few_edges(graph: Graph) -> None:
    """Refuse to draw so many edges that nobody would see any of them.

    Raises
    ------
    GraphError
        If there are more than `MOST_EDGES`.
    """
    if graph.edges > MOST_EDGES:
        raise GraphError(
            f"the graph has {graph.edges} edges, and a picture shows up to {MOST_EDGES}: draw a sparser one"
        )


def graph_scene(graph: Graph, layout: Layout = "plane", positions: npt.ArrayLike | None = None) -> Scene:
    """Return the scene of a graph.

    Parameters
    ----------
    graph : Graph
    layout : {"plane", "line"}
        "plane" puts the vertices where `positions` says, or else where springs would hold them; "line" puts
        them in a row, in order.
    positions : array-like of float, shape (vertices, 2), optional
        Where the vertices are, with y upwards.

    Raises
    ------
    GraphError
        If there is not one finite position for each vertex.
    """
    ends = zip(graph.sources.tolist(), graph.neighbors.tolist(), strict=True)
    edges = tuple(sorted({(min(u, v), max(u, v)) for u, v in ends if u != v}))
    names = tuple(map(str, range(graph.vertices)))
    facts: dict[str, Any] = {
        "element": "vertex",
        "key": KEY_TO_GRAPHS,
        "sizes": (("vertices", graph.vertices), ("edges", graph.edges)),
    }
    if layout == "line":
        place_in_row = row(range(graph.vertices))
        return Scene("line", place_in_row, edges, names, **facts)
    if positions is None:
        place = spring_layout(sp.csr_array(graph.symmetrized().to_scipy()))
    else:
        place = spread(_checked(positions, graph.vertices))
    return Scene("plane", _points(place), edges, names, **facts)


def list_scene(successors: SuccessorArray) -> Scene:
    """Return the scene of linked lists: their elements in a row, one list after the other."""
    following = successors.tolist()
    order = in_list_order(following)
    edges = tuple((j, after) for j, after in enumerate(following) if after != j)
    place = {j: i for i, j in enumerate(order)}
    return Scene(
        "line",
        row([place[j] for j in range(len(order))]),
        edges,
        tuple(map(str, range(len(order)))),
        directed=True,
        key=KEY_TO_LISTS,
        sizes=(("elements", len(order)),),
    )


def in_list_order(following: list[int]) -> list[int]:
    """Return the elements of all lists, one list after the other, in the order of first elements."""
    has_before = {after for j, after in enumerate(following) if after != j}
    order: list[int] = []
    for head in range(len(following)):
        if head not in has_before:
            order.append(head)
            while following[order[-1]] != order[-1]:
                order.append(following[order[-1]])
    return order


def image_scene(shape: tuple[int, int], runs: list[range]) -> Scene:
    """Return the scene of an image: its pixels, and each run of pixels as an element at its first pixel."""
    rows, columns = shape
    run_of = {p: r for r, run in enumerate(runs) for p in run}
    cells = tuple(
        Cell(x, y, run_of.get(y * columns + x, NOWHERE)) for y in range(rows) for x in range(columns)
    )
    starts = tuple((run[0] % columns + 0.5, run[0] // columns + 0.5) for run in runs)
    sizes = ("pixels", rows * columns), ("runs", len(runs))
    names = tuple(map(str, range(len(runs))))
    return Scene("plane", starts, (), names, cells, key=KEY_TO_IMAGES, sizes=sizes)


def row(places: Any) -> tuple[Point, ...]:
    """Return positions in a row."""
    return tuple((float(place), 0.0) for place in places)


def _checked(positions: npt.ArrayLike, vertices: int) -> npt.NDArray[np.float64]:
    """Return known positions, with y downwards, as pictures have it."""
    try:
        given = np.asarray(positions)
        place = np.array(given, np.float64) if given.dtype.kind in "iufO" else np.empty(0)
    except (TypeError, ValueError, OverflowError):
        place = np.empty(0)
    if place.size == 0 and vertices == 0:
        return np.empty((0, 2))
    if place.shape != (vertices, 2) or not (np.abs(place) <= LARGEST_POSITION).all():
        raise GraphError(
            f"positions must be {vertices} pairs of finite numbers, one for each vertex: leave them out, and "
            "the vertices are placed for you"
        )
    return place * (1, -1)


def spread(place: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return positions scaled so that few vertices that are next to each other are less than 1 apart."""
    if len(place) < 2:
        return np.zeros_like(place)
    apart = np.sqrt(((place[:, None] - place[None]) ** 2).sum(axis=2))
    np.fill_diagonal(apart, np.inf)
    nearest = apart.min(axis=1)
    unit = float(np.quantile(nearest[nearest > 0], 0.25)) if (nearest > 0).any() else 1.0
    scaled = (place - place.min(axis=0)) / unit
    # However unevenly the positions lie, the picture is not much wider than a grid of all vertices.
    fitted: npt.NDArray[np.float64] = scaled * min(
        1.0, 4 * len(place) ** 0.5 / max(float(scaled.max()), 1e-9)
    )
    return fitted


def _points(place: npt.NDArray[np.float64]) -> tuple[Point, ...]:
    return tuple((float(x), float(y)) for x, y in place)
