"""Panels as PNG, on white, drawn with matplotlib, which brings its own fonts."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from pointerjump.drawing.shapes import DARK, INK, Curve, Outline, Panel, Text, arrowhead, grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DOTS = 2.0
"""Dots of the PNG for each pixel of the picture."""


def page(panels: list[Panel], columns: int | None = None) -> bytes:
    """Return a PNG with all panels, in rows."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    across, down, width, height = grid(panels, columns)
    figure = Figure(figsize=(across * width / 100, down * height / 100), dpi=100 * DOTS, facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, across * width)
    axes.set_ylim(down * height, 0)
    for i, panel in enumerate(panels):
        _draw(axes, panel, i % across * width, i // across * height)
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()


def _draw(axes: Axes, panel: Panel, dx: float, dy: float) -> None:
    """Draw a panel with its upper left corner at (dx, dy)."""
    for order, shape in enumerate(panel.shapes):
        match shape:
            case Curve():
                _curve(axes, shape, dx, dy, order)
            case Outline():
                _outline(axes, shape, dx, dy, order)
            case Text():
                _text(axes, shape, dx, dy, order)


def _curve(axes: Axes, curve: Curve, dx: float, dy: float, order: int) -> None:
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    points = [(x + dx, y + dy) for x, y in (curve.begin, curve.first, curve.second, curve.end)]
    path = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    color = _color(curve.color)
    axes.add_patch(
        PathPatch(path, fill=False, edgecolor=color, linewidth=_points(curve.thickness), zorder=order)
    )
    if curve.arrow:
        corners = [(x + dx, y + dy) for x, y in arrowhead(curve)]
        axes.add_patch(Polygon(corners, facecolor=color, edgecolor="none", zorder=order))


def _outline(axes: Axes, outline: Outline, dx: float, dy: float, order: int) -> None:
    from matplotlib.patches import Circle, Rectangle

    x, y, r = outline.x + dx, outline.y + dy, outline.radius
    shape = Circle((x, y), r) if outline.kind == "circle" else Rectangle((x - r, y - r), 2 * r, 2 * r)
    shape.set(
        facecolor=outline.fill,
        edgecolor=DARK,
        linewidth=_points(outline.thickness),
        linestyle=(0, (2, 2)) if outline.dashed else "solid",
        zorder=order,
    )
    axes.add_patch(shape)


def _text(axes: Axes, text: Text, dx: float, dy: float, order: int) -> None:
    axes.text(
        text.x + dx,
        text.y + dy,
        text.shown,
        color=_color(text.color),
        fontsize=_points(text.size),
        ha="center" if text.middle else "left",
        va="baseline",
        weight="bold" if text.bold else "normal",
        parse_math=False,
        zorder=order,
    )


def _points(pixels: float) -> float:
    """Return how many of matplotlib's points, of 1/72 inch, so many pixels are, of which 100 are an inch."""
    return pixels * 0.72


def _color(color: str) -> str:
    return DARK if color == INK else color
