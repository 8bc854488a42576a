"""Lays out each frame of a picture as shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import dist, hypot

from pointerjump.drawing.frames import NOWHERE, Frame, Point, Scene
from pointerjump.drawing.shapes import (
    CHANGED,
    DARK,
    EDGE,
    INK,
    KEPT,
    TREES,
    Curve,
    Outline,
    Panel,
    Shape,
    Text,
)

MARGIN, CAPTION, NOTE, RADIUS = 12.0, 24.0, 13.0, 11.0
STEP = {"line": 36.0, "plane": 54.0}
"""How many pixels stand for the distance 1."""

PIXEL = 34.0
"""The same in images."""

IN_PIXEL = 8.0
"""How far from the middle of a pixel its pointer begins."""

NARROWEST = 220.0
NO_FILL = "none"


def panels(scene: Scene, frames: Sequence[Frame], numbered: bool = True) -> list[Panel]:
    """Return a panel for each frame, all of one size."""
    layout = _Layout(scene, frames)
    roots_of = [frame.roots() for frame in frames]
    colors = _tree_colors(roots_of)
    before: Sequence[int] = range(len(scene.positions))
    drawn = []
    for i, (frame, roots) in enumerate(zip(frames, roots_of, strict=True)):
        title = f"{i + 1}. {frame.title}" if numbered and len(frames) > 1 else frame.title
        shapes = [
            Text(MARGIN, 15, title, INK, 12, middle=False, bold=True),
            *layout.shapes(frame, before, roots, colors),
        ]
        drawn.append(Panel(layout.width, layout.height, tuple(shapes)))
        before = frame.pointers
    return drawn


def _tree_colors(roots_of: Sequence[Sequence[int]]) -> dict[int, str]:
    """Return a fill for the root of each tree, in the order in which trees come to have two elements."""
    colors: dict[int, str] = {}
    for roots in roots_of:
        for v, root in enumerate(roots):
            if root not in (v, NOWHERE):
                colors.setdefault(root, TREES[len(colors) % len(TREES)])
    return colors


class _Layout:
    """Where things are in every panel of a picture."""

    def __init__(self, scene: Scene, frames: Sequence[Frame]) -> None:
        self.scene = scene
        self.note = NOTE if any(frame.notes for frame in frames) and not scene.cells else 0.0
        unit = PIXEL if scene.cells else STEP[scene.kind]
        above = below = beside = 0.0
        pointer = self._longest((v, p) for frame in frames for v, p in enumerate(frame.pointers))
        if scene.kind == "plane" and not scene.cells:
            beside = max(0.0, _bend(unit * pointer) / 2 - RADIUS)
        if scene.kind == "line":
            above = _rise(pointer)
            below = _rise(self._longest(scene.edges))
        self.reach = IN_PIXEL if scene.cells else RADIUS
        border = MARGIN if scene.cells else MARGIN + RADIUS
        self.places: list[Point] = [
            (border + beside + unit * x, CAPTION + border + above + beside + unit * y)
            for x, y in scene.positions
        ]
        self.cells = [
            (border + unit * (cell.x + 0.5), CAPTION + border + unit * (cell.y + 0.5), cell.element)
            for cell in scene.cells
        ]
        right = max(
            [x for x, _ in self.places] + [x + unit / 2 - RADIUS for x, *_ in self.cells], default=0.0
        )
        bottom = max(
            [y for _, y in self.places] + [y + unit / 2 - RADIUS for _, y, _ in self.cells], default=CAPTION
        )
        self.width = max(right + beside + RADIUS + MARGIN, NARROWEST)
        self.height = bottom + beside + RADIUS + self.note + below + MARGIN

    def _longest(self, pairs: Iterable[tuple[int, int]]) -> float:
        """Return how far apart the elements of a pair are, at most."""
        place = self.scene.positions
        return max((dist(place[u], place[v]) for u, v in pairs if v != NOWHERE), default=0.0)

    def shapes(
        self, frame: Frame, before: Sequence[int], roots: Sequence[int], colors: dict[int, str]
    ) -> Iterator[Shape]:
        """Yield the shapes of a frame: pixels, edges, pointers, and then the elements on top."""
        size = Counter(roots)
        fills = [colors[root] if root != NOWHERE and size[root] > 1 else NO_FILL for root in roots]
        for x, y, element in self.cells:
            fill = DARK if element == NOWHERE else _fill_of_pixel(element, roots)
            yield Outline("square", x, y, PIXEL / 2, fill, 0.6)
        for u, v in self.scene.edges:
            yield self._edge(u, v, (min(u, v), max(u, v)) in frame.chosen)
        for v, p in enumerate(frame.pointers):
            if p not in (v, NOWHERE):
                yield self._pointer(v, p, KEPT if before[v] == p else CHANGED)
        for v, (x, y) in enumerate(self.places):
            yield from self._element(v, x, y, frame, fills[v])

    def _element(self, v: int, x: float, y: float, frame: Frame, fill: str) -> Iterator[Shape]:
        p = frame.pointers[v]
        color = INK if fill == NO_FILL else DARK
        if self.cells:
            yield Text(
                x, y + 4, frame.notes[v] if frame.notes else self.scene.names[v], DARK, 11, bold=p == v
            )
            return
        ring = 2.4 if p == v else 1.0
        yield Outline("square" if v in frame.marked else "circle", x, y, RADIUS, fill, ring, p == NOWHERE)
        yield Text(x, y + 4, self.scene.names[v], color, 11)
        if frame.notes and frame.notes[v]:
            yield Text(x, y + RADIUS + 11, frame.notes[v], INK, 10)

    def _edge(self, u: int, v: int, chosen: bool) -> Curve:
        color, thick = (INK, 2.4) if chosen else (EDGE, 1.2)
        if self.scene.kind == "line":
            return self._arc(u, v, +1, color, thick, arrow=self.scene.directed)
        begin, end = _between(self.places[u], self.places[v], RADIUS, RADIUS)
        return Curve(begin, begin, end, end, color, thick)

    def _pointer(self, v: int, p: int, color: str) -> Curve:
        if self.scene.kind == "line":
            return self._arc(v, p, -1, color, 1.8, arrow=True)
        # Bent to one side, so that it does not hide an edge between the two.
        (x0, y0), (x1, y1) = self.places[v], self.places[p]
        length = hypot(x1 - x0, y1 - y0) or 1.0
        bend = _bend(length)
        side = (-(y1 - y0) / length * bend, (x1 - x0) / length * bend)
        middle = ((x0 + x1) / 2 + side[0], (y0 + y1) / 2 + side[1])
        begin, _ = _between((x0, y0), middle, self.reach, 0)
        _, end = _between(middle, (x1, y1), 0, self.reach + 1)
        return Curve(begin, _toward(begin, middle), _toward(end, middle), end, color, 1.8, arrow=True)

    def _arc(self, u: int, v: int, side: int, color: str, thick: float, arrow: bool) -> Curve:
        """Return an arc from u to v, over the row (-1) or under it."""
        (x0, y), (x1, _) = self.places[u], self.places[v]
        nudge = 3 if x1 > x0 else -3  # keeps arrows in and out apart
        start = y + side * RADIUS + (self.note if side > 0 else 0)
        control = start + side * _rise(abs(x1 - x0) / STEP["line"]) * 4 / 3
        return Curve(
            (x0 + nudge, start),
            (x0 + nudge, control),
            (x1 - nudge, control),
            (x1 - nudge, start),
            color,
            thick,
            arrow,
        )


def _bend(length: float) -> float:
    """Return how far to the side of a pointer of this length the point is that bends it."""
    return min(70.0, 8.0 + 0.2 * length)


def _rise(span: float) -> float:
    """Return how high an arc over so many places is."""
    return 8 + 7 * span**0.9 if span else 0.0


def _fill_of_pixel(element: int, roots: Sequence[int]) -> str:
    return TREES[roots[element] % len(TREES)]


def _between(a: Point, b: Point, from_a: float, from_b: float) -> tuple[Point, Point]:
    """Return the ends of the line from a to b, less so much at each of them."""
    length = hypot(b[0] - a[0], b[1] - a[1]) or 1.0
    dx, dy = (b[0] - a[0]) / length, (b[1] - a[1]) / length
    return (a[0] + dx * from_a, a[1] + dy * from_a), (b[0] - dx * from_b, b[1] - dy * from_b)


def _toward(a: Point, b: Point) -> Point:
    """Return the point at two thirds of the way from a to b."""
    return a[0] + (b[0] - a[0]) * 2 / 3, a[1] + (b[1] - a[1]) * 2 / 3
