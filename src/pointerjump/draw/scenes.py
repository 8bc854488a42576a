"""The content of a picture: a fixed scene, and one frame for each recorded moment of a run.

If no positions are known for the vertices of a graph, each component is laid out with springs. Any two
vertices of a component are connected by a spring whose natural length is the length of the shortest path
between them (T. Kamada and S. Kawai, "An algorithm for drawing general undirected graphs", Information
Processing Letters 31, 1989). *Majorization* improves the layout: in each step, all vertices move to where
their springs pull them (E. Gansner, Y. Koren and S. North, "Graph drawing by stress majorization", Graph
Drawing 2004).
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, shortest_path

from pointerjump.base.graph import Graph
from pointerjump.base.linked_lists import SuccessorArray
from pointerjump.errors import GraphError
from pointerjump.generators.shapes import PlanePoints

NOWHERE = -1  # the pointer of an element that does not point anywhere yet

PictureLayout = Literal["plane", "line"]  # in the plane, or in a row with arcs for edges and pointers
STEPS, FEWEST_STEPS, QUICK = 150, 15, 300  # moves of each vertex; fewer if there are more than QUICK vertices
GAP = 1.0  # the distance between components
LARGEST_POSITION = 1e100  # the largest coordinate whose square does not overflow

ARROWS = "Blue arrows are pointers; orange ones have just changed."
_RINGS = "A bold ring points to itself, a dashed one nowhere yet."
_KEY_TO_GRAPHS = (
    f"Grey lines are edges. {ARROWS} {_RINGS} "
    "Vertices of one tree have one color; those that are alone are white."
)
_KEY_TO_LISTS = (
    f"Grey arrows lead to the next element of the list. {ARROWS} {_RINGS} "
    "Squares are chosen elements, such as splitters. Below an element stands what it knows so far: how far "
    "its pointer reaches or, after a plus, how many steps it comes after the square it points to; in the "
    "end, its rank."
)


@dataclass(frozen=True)
class Frame:
    """The pointers of all elements at one moment of a run."""

    title: str  # the latest event, such as "after hook"
    pointers: Sequence[int]  # the element that each element points to; -1 if it points nowhere yet
    notes: Sequence[str] = ()  # the text below each element, such as its rank so far
    marked: Collection[int] = ()  # elements that are drawn as squares, such as splitters
    chosen: Collection[tuple[int, int]] = ()  # edges that are drawn thick, such as a spanning forest
    about: str = ""  # a sentence about this phase

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "pointers", tuple(operator.index(p) for p in self.pointers))
            object.__setattr__(self, "notes", tuple(str(note) for note in self.notes))
            object.__setattr__(self, "marked", frozenset(self.marked))
            object.__setattr__(self, "chosen", frozenset((min(u, v), max(u, v)) for u, v in self.chosen))
        except (TypeError, ValueError) as error:
            raise GraphError(f"the frame {self.title!r} cannot be drawn: {error}") from None
        object.__setattr__(self, "title", str(self.title))

    def roots(self) -> tuple[int, ...]:
        """Return the root that each element's pointers lead to, or -1 if they lead nowhere."""
        root = list(self.pointers)
        for _ in range(max(1, len(root).bit_length())):
            root = [up if up == NOWHERE else root[up] for up in root]
        return tuple(root)


@dataclass(frozen=True)
class Scene:
    """The content that all frames of a picture have in common.

    `cells` are the pixels of an image. Each has the coordinates of its upper left corner, and the element
    that it belongs to, or -1 for background.
    """

    layout: PictureLayout
    positions: tuple[tuple[float, float], ...]  # of the elements; adjacent ones are about 1 apart
    edges: tuple[tuple[int, int], ...]  # lines between elements, below or behind the pointers
    names: tuple[str, ...]  # the text in each element
    cells: tuple[tuple[float, float, int], ...] = ()
    directed: bool = False  # whether edges are arrows, as in lists
    element: str = "element"  # what an element is called, such as "vertex" or "id"
    key: str = ""  # sentences that explain the lines, shapes and colors
    sizes: tuple[tuple[str, int], ...] = ()  # names and counts of what the input consists of


def graph_scene(
    graph: Graph, layout: PictureLayout = "plane", positions: npt.ArrayLike | None = None
) -> Scene:
    """Return the scene of a graph, with its vertices at the given positions or in a spring layout.

    The y-axis of `positions` points up, and all coordinates must be finite.
    """
    if layout == "line":
        place = np.stack([np.arange(graph.vertices), np.zeros(graph.vertices)], axis=1)
    elif positions is None:
        place = spring_layout(sp.csr_array(graph.symmetrized().to_scipy()))
    else:
        place = _spread(_checked(positions, graph.vertices))
    ends = zip(graph.sources.tolist(), graph.neighbors.tolist(), strict=True)
    return Scene(
        layout,
        tuple((float(x), float(y)) for x, y in place),
        edges=tuple(sorted({(min(u, v), max(u, v)) for u, v in ends if u != v})),
        names=tuple(map(str, range(graph.vertices))),
        element="vertex",
        key=_KEY_TO_GRAPHS,
        sizes=(("vertices", graph.vertices), ("edges", graph.edges)),
    )


def list_scene(successors: SuccessorArray) -> Scene:
    """Return a scene of linked lists. All elements are placed in a row, one list after the other."""
    following = successors.tolist()
    edges = tuple((j, after) for j, after in enumerate(following) if after != j)
    order: list[int] = []
    for head in sorted(set(range(len(following))) - {after for _, after in edges}):
        order.append(head)
        while following[order[-1]] != order[-1]:
            order.append(following[order[-1]])
    place = {j: (float(i), 0.0) for i, j in enumerate(order)}
    return Scene(
        "line",
        tuple(place[j] for j in range(len(order))),
        edges,
        names=tuple(map(str, range(len(order)))),
        directed=True,
        key=_KEY_TO_LISTS,
        sizes=(("elements", len(order)),),
    )


def _checked(positions: npt.ArrayLike, vertices: int) -> PlanePoints:
    """Validate positions, and flip them so that the y-axis points down, as in pictures."""
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


def _spread(place: PlanePoints) -> PlanePoints:
    """Scale positions so that most vertices are at least 1 away from the nearest other vertex."""
    if len(place) < 2:
        return np.zeros_like(place)
    apart = np.sqrt(((place[:, None] - place[None]) ** 2).sum(axis=2))
    np.fill_diagonal(apart, np.inf)
    nearest = apart.min(axis=1)
    unit = float(np.quantile(nearest[nearest > 0], 0.25)) if (nearest > 0).any() else 1.0
    scaled: PlanePoints = (place - place.min(axis=0)) / unit
    # Even if positions are uneven, the picture is not much wider than a grid of all vertices.
    fitted: PlanePoints = scaled * min(1.0, 4 * len(place) ** 0.5 / max(float(scaled.max()), 1e-9))
    return fitted


def spring_layout(adjacency: sp.csr_array) -> PlanePoints:
    """Compute a position for each vertex of a graph. Adjacent vertices are about 1 apart."""
    count, label = connected_components(adjacency, directed=False)
    members = [np.flatnonzero(label == k) for k in range(count)]
    members.sort(key=lambda each: (-len(each), each[0]))
    boxes = [_upright(_at_rest(shortest_path(adjacency[each][:, each], unweighted=True))) for each in members]
    sizes = [box.max(axis=0) + GAP for box in boxes]
    width = max([1.3 * sqrt(sum(w * h for w, h in sizes)), *(w for w, _ in sizes)], default=0.0)
    positions = np.zeros((len(label), 2))
    x = y = height = 0.0  # components are in rows, and do not overlap
    for each, box, (w, h) in zip(members, boxes, sizes, strict=True):
        if x > 0 and x + w > width + 1e-9:
            x, y, height = 0.0, y + height, 0.0
        positions[each] = box + np.array([x, y])
        x, height = x + w, max(height, h)
    return positions


def _at_rest(distance: npt.NDArray[np.float64]) -> PlanePoints:
    """Return the positions at which springs with the given natural lengths come to rest."""
    n = len(distance)
    if n == 1:
        return np.zeros((1, 2))
    positions = _first_positions(distance)
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


def _first_positions(distance: npt.NDArray[np.float64]) -> PlanePoints:
    """Return initial positions, found by classical scaling. Small shifts separate any that would coincide."""
    n = len(distance)
    centered = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-0.5 * centered @ distance**2 @ centered)
    found: PlanePoints = vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 0))
    angle = np.arange(n) * 2.399963  # the golden angle
    return found + 0.05 * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _upright(positions: PlanePoints) -> PlanePoints:
    """Rotate positions so that they are wider than high. Shift them so that the smallest x and y are 0."""
    turned: PlanePoints = positions - positions.mean(axis=0)
    _, _, axes = np.linalg.svd(turned, full_matrices=False)
    if len(axes) == 2:
        largest = np.abs(axes).argmax(axis=1)
        turned = turned @ (axes * np.sign(axes[[0, 1], largest])[:, None]).T
    turned -= turned.min(axis=0)
    return turned
