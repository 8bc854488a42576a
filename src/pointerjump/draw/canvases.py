"""The shapes that make up a picture, and their output as SVG or PNG.

A position is a complex number, x + 1j * y, in pixels. The y-axis points down.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from pointerjump.errors import FormatError, PointerjumpError

INK = "ink"  # the color of text: dark, or light on a dark page

EDGE, KEPT, CHANGED = "#8a8f98", "#2E86C1", "#E06C00"  # visible on light and dark pages
TREES = (  # fills on which black text is legible; the elements of a tree share one
    *("#9DC3E6", "#F6C28B", "#A5D6A7", "#E6B8D7", "#F2E58B"),
    *("#8FD3D1", "#D7BFA6", "#B9B5E8", "#F4A6A0", "#C3CBD3"),
)
DARK = "#1a1a1a"  # text on a fill
MOST_CHARACTERS = 100  # the maximum length of a text; longer texts are shortened

UNPRINTABLE = re.compile("[^ -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that XML forbids
DOTS = 2.0  # PNG pixels for each pixel of the picture

BezierPoints = tuple[complex, complex, complex, complex]


class Curve(NamedTuple):
    """A cubic Bezier curve. If `arrow` is true, it has an arrowhead at its end."""

    points: BezierPoints
    color: str
    thickness: float
    arrow: bool = False


class Outline(NamedTuple):
    """A square or a circle around a point."""

    square: bool
    at: complex
    radius: float
    fill: str
    thickness: float
    dashed: bool = False


class Label(NamedTuple):
    """Text that starts at a point or is centered on it."""

    at: complex
    text: str
    color: str
    size: float
    middle: bool = True
    bold: bool = False


DrawnShape = Curve | Outline | Label


class MissingPlotError(PointerjumpError, ImportError):
    """Raised if matplotlib is needed but not installed."""


def require_kind(
    path: str | PathLike[str],
    what: str = "pictures",
    kinds: Sequence[str] = (".svg", ".png", ".html"),
    by_matplotlib: Sequence[str] = (".png",),
) -> str:
    """Return the lower-case suffix of a file, which determines the format of the picture.

    Raise a FormatError if the suffix is not in `kinds`, and a MissingPlotError if the format requires
    matplotlib and it is not installed.
    """
    kind = Path(path).suffix.lower()
    if kind not in kinds:
        known = f"{', '.join(kinds[:-1])} or {kinds[-1]}"
        raise FormatError(f"{path}: {what} are written as {known}, by the name's suffix")
    if kind in by_matplotlib and not find_spec("matplotlib"):
        raise MissingPlotError(
            f"{path}: {what} as {kind} are drawn with matplotlib, which is not installed: "
            "pip install 'pointerjump[plot]'" + ("" if ".svg" in by_matplotlib else ", or write a .svg")
        )
    return kind


def printable(text: str) -> str:
    """Replace each character that cannot be shown in a picture with the replacement character."""
    return UNPRINTABLE.sub("\ufffd", text)


def svg_element(size: complex, description: str, content: str) -> str:
    """Wrap `content` in an SVG element that shrinks to fit the page. `description` is for screen readers."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size.real:g} {size.imag:g}" '
        f'width="{size.real:g}" style="max-width:100%;height:auto" role="img" font-family="sans-serif" '
        f'aria-label="{escape(printable(description))}">{content}</svg>'
    )


def as_svg(shapes: Iterable[DrawnShape]) -> str:
    return "".join(map(_elements, shapes))


def _elements(shape: DrawnShape) -> str:
    match shape:
        case Curve(points, color, thickness, arrow):
            begin, first, second, end = map(_pair, points)
            color = _css(color)
            path = f"M{begin}C{first} {second} {end}"
            curve = f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{thickness:g}"/>'
            corners = " ".join(map(_pair, _arrowhead(points)))
            return curve + (f'<polygon points="{corners}" fill="{color}"/>' if arrow else "")
        case Outline(square, at, r, fill, thickness, dashed):
            x, y = at.real, at.imag
            border = f'fill="{fill}" stroke="{_css(INK)}" stroke-width="{thickness:g}"'
            border += ' stroke-dasharray="2 2"' if dashed else ""
            if square:
                return (
                    f'<rect x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r:g}" height="{2 * r:g}" {border}/>'
                )
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:g}" {border}/>'
        case Label(at, text, color, size, middle, bold):
            look = f'font-size="{size:g}" fill="{_css(color)}"'
            look += ' text-anchor="middle"' if middle else ""
            look += ' font-weight="bold"' if bold else ""
            return f'<text x="{at.real:.1f}" y="{at.imag:.1f}" {look}>{escape(_shown(text))}</text>'


def as_png(size: complex, panels: Iterable[tuple[complex, Iterable[DrawnShape]]]) -> bytes:
    """Return a PNG of panels, each given by its upper left corner and its shapes. This needs matplotlib."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle, Patch, PathPatch, Polygon, Rectangle
    from matplotlib.path import Path as Outlined

    # 100 pixels are an inch, which is 72 points in matplotlib.
    figure = Figure(figsize=(size.real / 100, size.imag / 100), dpi=100 * DOTS, facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, size.real)
    axes.set_ylim(size.imag, 0)
    for above, (corner, shape) in enumerate((corner, each) for corner, shapes in panels for each in shapes):
        xy = [(place.real, place.imag) for place in (corner + each for each in _places(shape))]
        patches: list[Patch] = []
        match shape:
            case Curve(_, color, thickness, arrow):
                look = {"edgecolor": _on_white(color), "linewidth": 0.72 * thickness}
                path = Outlined(xy[:4], [Outlined.MOVETO, *[Outlined.CURVE4] * 3])
                patches.append(PathPatch(path, fill=False, **look))
                if arrow:
                    patches.append(Polygon(xy[4:], facecolor=_on_white(color), edgecolor="none"))
            case Outline(square, _, r, fill, thickness, dashed):
                (x, y), *_ = xy
                outline = Rectangle((x - r, y - r), 2 * r, 2 * r) if square else Circle((x, y), r)
                line = (0, (2, 2)) if dashed else "solid"
                outline.set(facecolor=fill, edgecolor=DARK, linewidth=0.72 * thickness, linestyle=line)
                patches.append(outline)
            case Label(_, text, color, points, middle, bold):
                axes.text(
                    *xy[0],
                    _shown(text),
                    color=_on_white(color),
                    fontsize=0.72 * points,
                    ha="center" if middle else "left",
                    va="baseline",
                    weight="bold" if bold else "normal",
                    parse_math=False,
                    zorder=above,
                )
        for patch in patches:
            patch.set_zorder(above)
            axes.add_patch(patch)
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()


def _places(shape: DrawnShape) -> tuple[complex, ...]:
    """Return the points that define a shape. For a curve, these include the corners of its arrowhead."""
    return (*shape.points, *_arrowhead(shape.points)) if isinstance(shape, Curve) else (shape.at,)


def _arrowhead(points: BezierPoints) -> tuple[complex, complex, complex]:
    *_, before, tip = points
    along = (tip - before) / (abs(tip - before) or 1.0)
    return (tip, tip - (7 + 3.2j) * along, tip - (7 - 3.2j) * along)


def _shown(text: str) -> str:
    text = printable(text)
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


def _pair(point: complex) -> str:
    return f"{point.real:.1f},{point.imag:.1f}"


def _css(color: str) -> str:
    return "currentColor" if color == INK else color


def _on_white(color: str) -> str:
    return DARK if color == INK else color
