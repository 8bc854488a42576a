"""Pictures of algorithm runs as SVG, PNG or HTML animations, with one panel per frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files
from os import PathLike
from string import Template
from typing import Any

import numpy.typing as npt

from pointerjump.base.integers import as_count
from pointerjump.base.linked_lists import as_successors, require_lists
from pointerjump.draw.canvases import (
    CHANGED,
    DARK,
    EDGE,
    INK,
    KEPT,
    TREES,
    BezierPoints,
    Curve,
    DrawnShape,
    Label,
    Outline,
    as_png,
    as_svg,
    printable,
    require_kind,
    svg_element,
)
from pointerjump.draw.scenes import NOWHERE, Frame, PictureLayout, Scene, graph_scene, list_scene
from pointerjump.errors import GraphError
from pointerjump.solving.inputs import as_graph

MOST_IN_PNG = 10_000  # vertices and edges in all frames: matplotlib takes about a millisecond for each
MOST_IN_TABLE = 60  # the maximum number of elements in the table below an animation

# In pixels:
MARGIN, CAPTION, NOTE, RADIUS = 12.0, 24.0, 13.0, 11.0
STEP = {"line": 36.0, "plane": 54.0}  # one unit of distance, on a line and in the plane
PIXEL = 34.0  # one unit of distance, in images
IN_PIXEL = 8.0  # the distance from the center of a pixel to the start of its pointer
NARROWEST = 220.0  # the minimum width of a panel
WIDEST = 820.0  # the maximum width of a row of panels
NO_FILL = "none"


class Drawing:
    """A picture of a run, with one frame for each recorded moment.

    Use :func:`pointerjump.draw.draw` to draw a run of an algorithm. To draw frames that you create yourself,
    pass them to this class together with `graph`, `successors` or `scene`.

    Parameters
    ----------
    frames : sequence of Frame
        The frames, in order. If there are none, a single frame shows each element pointing to itself.
    graph : object, optional
        The graph to draw: anything that :func:`pointerjump.components` accepts as a graph.
    successors : array-like of int, optional
        The successor array of the linked lists to draw.
    scene : Scene, optional
        The scene to draw, if neither a graph nor linked lists are passed.
    layout : {"plane", "line"}
        Whether vertices are placed in the plane or in a row. Lists are always placed in a row.
    positions : array-like of float, shape (vertices, 2), optional
        The positions of the vertices in the plane. The y-axis points up.
    title : str
        The title of the picture.

    Raises
    ------
    GraphError, ListError
        If a frame does not have exactly one pointer per element, or if `successors` do not form linked lists.

    Examples
    --------
    >>> import pointerjump as pj
    >>> path = pj.Graph.from_edges([0, 1], [1, 2])
    >>> by_hand = Drawing([Frame("at first", (0, 1, 2)), Frame("after 0-1", (0, 0, 2))], graph=path)
    >>> by_hand.svg().count("<circle")
    6
    """

    def __init__(
        self,
        frames: Sequence[Frame],
        *,
        graph: Any = None,
        successors: npt.ArrayLike | None = None,
        scene: Scene | None = None,
        layout: PictureLayout = "plane",
        positions: npt.ArrayLike | None = None,
        title: str = "A run",
    ) -> None:
        if graph is not None:
            scene = graph_scene(as_graph(graph), layout, positions)
        elif successors is not None:
            lists = as_successors(successors)
            require_lists(lists)
            scene = list_scene(lists)
        elif scene is None:
            raise GraphError("nothing to draw: give graph=, successors= or scene=")
        n = len(scene.positions)
        self.frames = tuple(frames) or (Frame("nothing changes", range(n)),)
        self.scene, self.title = scene, str(title)
        for frame in self.frames:
            if len(frame.pointers) != n or len(frame.notes) not in (0, n):
                raise GraphError(
                    f"the frame {frame.title!r} has {len(frame.pointers)} pointers and {len(frame.notes)} "
                    f"notes: give a pointer for each of the {n} elements, and a note for each or none"
                )
            if any(not NOWHERE <= p < n for p in frame.pointers):
                raise GraphError(
                    f"the frame {frame.title!r} points to what is not there: pointers are -1 .. {n - 1}"
                )

    def svg(self, columns: int | None = None) -> str:
        """Return an SVG with one panel per frame, in rows of `columns` panels."""
        panels = Panels(self.scene, self.frames)
        size, corners = panels.in_rows(columns)
        groups = (
            f'<g transform="translate({corner.real:g},{corner.imag:g})">{as_svg(panels.shapes(i))}</g>'
            for i, corner in enumerate(corners)
        )
        return svg_element(size, self.title, "\n".join(groups))

    def png(self, columns: int | None = None) -> bytes:
        """Return a PNG with one panel per frame, on a white background. This requires matplotlib."""
        drawn = len(self.scene.positions) + len(self.scene.edges)
        if len(self.frames) * drawn > MOST_IN_PNG:
            raise GraphError(
                f"{len(self.frames)} frames of {drawn} vertices and edges are too much for a .png: "
                "write .html, draw phase by phase, or draw a smaller input"
            )
        panels = Panels(self.scene, self.frames)
        size, corners = panels.in_rows(columns)
        return as_png(size, ((corner, panels.shapes(i)) for i, corner in enumerate(corners)))

    def html(self) -> str:
        """Return a self-contained HTML page that can play the run and step through it in both directions."""
        template = Template((files("pointerjump.draw") / "animation.html").read_text(encoding="utf-8"))
        panels = Panels(self.scene, self.frames, numbered=False)
        figures = []
        before: Sequence[int] = range(len(self.scene.positions))
        for i, frame in enumerate(self.frames):
            drawn = panels.svg(i, f"{self.title}, {frame.title}")
            about = f": {_escaped(frame.about)}" if frame.about else ""
            figures.append(
                f"<figure{' hidden' if i else ''}>{drawn}"
                f"<figcaption><strong>{_escaped(frame.title)}</strong>{about}</figcaption>"
                f"{self._table(frame, before)}</figure>"
            )
            before = frame.pointers
        return template.substitute(
            changed=CHANGED,
            title=_escaped(self.title),
            last=len(figures) - 1,
            frames="\n".join(figures),
            key=_escaped(self.scene.key),
        )

    def _table(self, frame: Frame, before: Sequence[int]) -> str:
        names = self.scene.names
        if len(names) > MOST_IN_TABLE or self.scene.cells:
            return ""
        changed = [p != old for p, old in zip(frame.pointers, before, strict=True)]
        rows = [
            _row(self.scene.element, names),
            _row("points to", ["-" if p == NOWHERE else names[p] for p in frame.pointers], changed),
        ]
        if frame.notes:
            rows.append(_row("below it", frame.notes))
        return f'<div class="table"><table>{"".join(rows)}</table></div>'

    def save(self, path: str | PathLike[str]) -> None:
        """Save the picture as .svg, .png or .html, depending on the suffix. PNG files require matplotlib."""
        from pointerjump.formats.files import naming
        from pointerjump.formats.outputs import replacing, write_text

        kind = require_kind(path)
        if kind == ".png":
            content = self.png()
            with naming(path) as target, replacing(target) as file:
                file.write(content)
        else:
            write_text(path, self.svg() if kind == ".svg" else self.html())

    def _repr_html_(self) -> str:
        panels = Panels(self.scene, self.frames)
        elements = (panels.svg(i, f"{self.title}, {frame.title}") for i, frame in enumerate(self.frames))
        return f'<div class="run" style="display:flex;flex-wrap:wrap;gap:.5rem">{"".join(elements)}</div>'


def _row(name: str, texts: Iterable[str], changed: Sequence[bool] = ()) -> str:
    marks = [' class="changed"' if each else "" for each in changed]
    cells = (f"<td{marks[i] if marks else ''}>{_escaped(text)}</td>" for i, text in enumerate(texts))
    return f"<tr><th>{_escaped(name)}</th>{''.join(cells)}</tr>"


def _escaped(text: str) -> str:
    return escape(printable(text))


class Panels:
    """The frames of a picture, each laid out in a panel. All panels have the same size."""

    def __init__(self, scene: Scene, frames: Sequence[Frame], numbered: bool = True) -> None:
        self.scene, self.frames = scene, frames
        self._numbered = numbered and len(frames) > 1
        self._roots = [frame.roots() for frame in frames]
        self._colors: dict[int, str] = {}  # by root, in the order in which trees gain a second element
        for v, root in ((v, root) for roots in self._roots for v, root in enumerate(roots)):
            if root not in (v, NOWHERE):
                self._colors.setdefault(root, TREES[len(self._colors) % len(TREES)])
        self._note = NOTE if any(frame.notes for frame in frames) and not scene.cells else 0.0
        self._place_all()

    def _place_all(self) -> None:
        """Compute the positions of elements and pixels, leaving enough room around them for all curves."""
        scene = self.scene
        unit = PIXEL if scene.cells else STEP[scene.layout]
        above = below = beside = 0.0
        pointer = self._longest((v, p) for frame in self.frames for v, p in enumerate(frame.pointers))
        if scene.layout == "line":
            above, below = _rise(pointer), _rise(self._longest(scene.edges))
        elif not scene.cells:
            beside = max(0.0, _bend(unit * pointer) / 2 - RADIUS)
        border = MARGIN if scene.cells else MARGIN + RADIUS
        corner = border + beside + 1j * (CAPTION + border + above + beside)
        self._places = [corner + unit * complex(*position) for position in scene.positions]
        self._pixels = [(corner + unit * complex(x + 0.5, y + 0.5), v) for x, y, v in scene.cells]
        ends = [*self._places, *(at + (unit / 2 - RADIUS) * (1 + 1j) for at, _ in self._pixels)]
        right = max((at.real for at in ends), default=0.0) + beside + RADIUS + MARGIN
        bottom = max((at.imag for at in ends), default=CAPTION) + beside + RADIUS + self._note + below
        self.size = complex(max(right, NARROWEST), bottom + MARGIN)

    def _longest(self, pairs: Iterable[tuple[int, int]]) -> float:
        place = [complex(*position) for position in self.scene.positions]
        return max((abs(place[u] - place[v]) for u, v in pairs if v != NOWHERE), default=0.0)

    def in_rows(self, columns: int | None) -> tuple[complex, list[complex]]:
        """Arrange the panels in rows. Return the size of the whole picture and the position of each panel."""
        if columns is None:
            columns = max(1, min(len(self.frames), int(WIDEST // self.size.real)))
        elif as_count(columns, "columns", GraphError) < 1:
            raise GraphError(f"columns is {columns}: at least one panel stands in a row")
        width, height = self.size.real, self.size.imag
        corners = [complex(i % columns * width, i // columns * height) for i in range(len(self.frames))]
        return complex(columns * width, -(-len(corners) // columns) * height), corners

    def svg(self, i: int, description: str) -> str:
        return svg_element(self.size, description, as_svg(self.shapes(i)))

    def shapes(self, i: int) -> Iterator[DrawnShape]:
        """Yield the shapes of frame `i`: title, pixels, edges and pointers, and then the vertices on top."""
        frame, roots, in_line = self.frames[i], self._roots[i], self.scene.layout == "line"
        before = self.frames[i - 1].pointers if i else range(len(roots))
        title = f"{i + 1}. {frame.title}" if self._numbered else frame.title
        yield Label(MARGIN + 15j, title, INK, 12, middle=False, bold=True)
        for at, v in self._pixels:
            fill = DARK if v == NOWHERE else TREES[roots[v] % len(TREES)]
            yield Outline(True, at, PIXEL / 2, fill, 0.6)
        for u, v in self.scene.edges:
            look = (INK, 2.4) if (min(u, v), max(u, v)) in frame.chosen else (EDGE, 1.2)
            if in_line:
                yield Curve(self._arc(u, v, +1), *look, arrow=self.scene.directed)
            else:
                begin, end = _between(self._places[u], self._places[v], RADIUS, RADIUS)
                yield Curve((begin, begin, end, end), *look)
        for v, p in enumerate(frame.pointers):
            if p not in (v, NOWHERE):
                curve = self._arc(v, p, -1) if in_line else self._bow(v, p)
                yield Curve(curve, KEPT if before[v] == p else CHANGED, 1.8, arrow=True)
        members = Counter(roots)
        for v, (at, name, p) in enumerate(zip(self._places, self.scene.names, frame.pointers, strict=True)):
            note = frame.notes[v] if frame.notes else ""
            if self._pixels:
                yield Label(at + 4j, note if frame.notes else name, DARK, 11, bold=p == v)
                continue
            alone = roots[v] == NOWHERE or members[roots[v]] == 1
            fill = NO_FILL if alone else self._colors[roots[v]]
            yield Outline(v in frame.marked, at, RADIUS, fill, 2.4 if p == v else 1.0, dashed=p == NOWHERE)
            yield Label(at + 4j, name, INK if alone else DARK, 11)
            if note:
                yield Label(at + 1j * (RADIUS + 11), note, INK, 10)

    def _bow(self, v: int, p: int) -> BezierPoints:
        """Return the curve for a pointer from `v` to `p`. It is bent so that it does not hide an edge."""
        begin, end = self._places[v], self._places[p]
        along = (end - begin) / (abs(end - begin) or 1.0)
        middle = (begin + end) / 2 + 1j * along * _bend(abs(end - begin))
        reach = IN_PIXEL if self._pixels else RADIUS
        begin, _ = _between(begin, middle, reach, 0)
        _, end = _between(middle, end, 0, reach + 1)
        return begin, begin + (middle - begin) * 2 / 3, end + (middle - end) * 2 / 3, end

    def _arc(self, u: int, v: int, side: int) -> BezierPoints:
        """Return an arc from `u` to `v`, above the row if `side` is -1 and below it if `side` is 1."""
        begin, end = self._places[u], self._places[v]
        nudge = 3 if end.real > begin.real else -3  # keeps incoming and outgoing arrows apart
        away = 1j * side * (RADIUS + (self._note if side > 0 else 0))
        begin, end = begin + nudge + away, end - nudge + away
        rise = 1j * side * _rise(abs(self._places[v] - self._places[u]) / STEP["line"]) * 4 / 3
        return begin, begin + rise, end + rise, end


def _bend(length: float) -> float:
    """Return how far the control point of a pointer's curve is from the straight line between its ends."""
    return min(70.0, 8.0 + 0.2 * length)


def _rise(span: float) -> float:
    """Return the height of an arc whose ends are `span` positions apart."""
    return 8 + 7 * span**0.9 if span else 0.0


def _between(a: complex, b: complex, from_a: float, from_b: float) -> tuple[complex, complex]:
    """Return the ends of the line from `a` to `b` after cutting off `from_a` at `a` and `from_b` at `b`."""
    along = (b - a) / (abs(b - a) or 1.0)
    return a + along * from_a, b - along * from_b
