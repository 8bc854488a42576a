"""What pictures are drawn on: SVG, whose ink is the color of the page around it, and PNG, which is on white.

Both take curves, outlines and text. A place is a complex number: x + 1j * y pixels, with y downwards.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from html import escape
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

from pointerjump.errors import FormatError, PointerjumpError

INK = "ink"
"""The color of text: black, or white on a dark page."""

EDGE, KEPT, CHANGED = "#8a8f98", "#2E86C1", "#E06C00"
"""Colors that can be seen on light pages and on dark ones."""

TREES = (
    *("#9DC3E6", "#F6C28B", "#A5D6A7", "#E6B8D7", "#F2E58B"),
    *("#8FD3D1", "#D7BFA6", "#B9B5E8", "#F4A6A0", "#C3CBD3"),
)
"""Fills that black text can be read on. The elements of a tree have one of them."""

DARK = "#1a1a1a"
"""Text on a fill."""

MOST_CHARACTERS = 100
"""Longer texts are shortened."""

UNPRINTABLE = re.compile("[^ -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Control characters, and what XML forbids."""

Curve = tuple[complex, complex, complex, complex]
"""The four points of a cubic Bezier curve."""


class MissingPlotError(PointerjumpError, ImportError):
    """matplotlib is not installed."""


def require_kind(
    path: str | PathLike[str],
    what: str = "pictures",
    kinds: Sequence[str] = (".svg", ".png", ".html"),
    by_matplotlib: Sequence[str] = (".png",),
) -> str:
    """Return what kind of picture a file is to hold, by its suffix.

    Raises
    ------
    FormatError
        If the suffix is none of `kinds`.
    MissingPlotError
        If it is one of `by_matplotlib`, which is not installed; names the command that installs it.
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
    """Return a text with a sign in place of each character that no picture can show."""
    return UNPRINTABLE.sub("\ufffd", text)


class SvgCanvas:
    """Shapes as elements of an SVG."""

    def __init__(self) -> None:
        self._elements: list[str] = []

    def curve(self, points: Curve, color: str, thickness: float, arrow: bool = False) -> None:
        """Draw a curve, with an arrowhead at its end if it is a pointer."""
        color = _css(color)
        begin, first, second, end = map(_pair, points)
        self._elements.append(
            f'<path d="M{begin}C{first} {second} {end}" fill="none" stroke="{color}" '
            f'stroke-width="{thickness:g}"/>'
        )
        if arrow:
            corners = " ".join(map(_pair, _arrowhead(points)))
            self._elements.append(f'<polygon points="{corners}" fill="{color}"/>')

    def outline(
        self, square: bool, at: complex, radius: float, fill: str, thickness: float, dashed: bool = False
    ) -> None:
        """Draw a square or a circle around a point."""
        x, y, r = at.real, at.imag, radius
        border = f'fill="{fill}" stroke="{_css(INK)}" stroke-width="{thickness:g}"'
        border += ' stroke-dasharray="2 2"' if dashed else ""
        self._elements.append(
            f'<rect x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r:g}" height="{2 * r:g}" {border}/>'
            if square
            else f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:g}" {border}/>'
        )

    def text(
        self, at: complex, text: str, color: str, size: float, middle: bool = True, bold: bool = False
    ) -> None:
        """Write text that begins at a point, or stands with its middle on it."""
        look = f'font-size="{size:g}" fill="{_css(color)}"'
        look += ' text-anchor="middle"' if middle else ""
        look += ' font-weight="bold"' if bold else ""
        self._elements.append(
            f'<text x="{at.real:.1f}" y="{at.imag:.1f}" {look}>{escape(_shown(text))}</text>'
        )

    def group(self, corner: complex) -> str:
        """Return the shapes as a group that begins at a point of a larger picture."""
        shapes = "".join(self._elements)
        return f'<g transform="translate({corner.real:g},{corner.imag:g})">{shapes}</g>'

    def element(self, size: complex, description: str) -> str:
        """Return the shapes as an SVG of their own."""
        return svg_element(size, description, "".join(self._elements))


def svg_element(size: complex, description: str, content: str) -> str:
    """Return an SVG that shrinks with the page; `description` is read to those who do not see it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size.real:g} {size.imag:g}" '
        f'width="{size.real:g}" style="max-width:100%;height:auto" role="img" font-family="sans-serif" '
        f'aria-label="{escape(printable(description))}">{content}</svg>'
    )


class PngCanvas:
    """Shapes in a PNG, drawn with matplotlib, which brings its own fonts."""

    dots = 2.0
    """Of the PNG for each pixel of the picture."""

    def __init__(self, size: complex) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        # 100 pixels are an inch, which has 72 of matplotlib's points.
        inches = (size.real / 100, size.imag / 100)
        self._figure = Figure(figsize=inches, dpi=100 * self.dots, facecolor="white")
        FigureCanvasAgg(self._figure)
        self._axes = self._figure.add_axes((0, 0, 1, 1))
        self._axes.set_axis_off()
        self._axes.set_xlim(0, size.real)
        self._axes.set_ylim(size.imag, 0)
        self._drawn = 0
        self.corner = 0j  # where the present panel begins

    def curve(self, points: Curve, color: str, thickness: float, arrow: bool = False) -> None:
        """Draw a curve, with an arrowhead at its end if it is a pointer."""
        from matplotlib.patches import PathPatch, Polygon
        from matplotlib.path import Path

        color = _on_white(color)
        path = Path([self._xy(p) for p in points], [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
        self._add(PathPatch(path, fill=False, edgecolor=color, linewidth=0.72 * thickness))
        if arrow:
            corners = [self._xy(p) for p in _arrowhead(points)]
            self._add(Polygon(corners, facecolor=color, edgecolor="none"))

    def outline(
        self, square: bool, at: complex, radius: float, fill: str, thickness: float, dashed: bool = False
    ) -> None:
        """Draw a square or a circle around a point."""
        from matplotlib.patches import Circle, Rectangle

        x, y = self._xy(at)
        shape = (
            Rectangle((x - radius, y - radius), 2 * radius, 2 * radius) if square else Circle((x, y), radius)
        )
        line = (0, (2, 2)) if dashed else "solid"
        shape.set(facecolor=fill, edgecolor=DARK, linewidth=0.72 * thickness, linestyle=line)
        self._add(shape)

    def text(
        self, at: complex, text: str, color: str, size: float, middle: bool = True, bold: bool = False
    ) -> None:
        """Write text that begins at a point, or stands with its middle on it."""
        self._drawn += 1
        self._axes.text(
            *self._xy(at),
            _shown(text),
            color=_on_white(color),
            fontsize=0.72 * size,
            ha="center" if middle else "left",
            va="baseline",
            weight="bold" if bold else "normal",
            parse_math=False,
            zorder=self._drawn,
        )

    def png(self) -> bytes:
        """Return the file."""
        file = io.BytesIO()
        self._figure.savefig(file, format="png")
        return file.getvalue()

    def _add(self, patch: Any) -> None:
        self._drawn += 1
        patch.set_zorder(self._drawn)
        self._axes.add_patch(patch)

    def _xy(self, at: complex) -> tuple[float, float]:
        return (at + self.corner).real, (at + self.corner).imag


def _arrowhead(points: Curve) -> tuple[complex, complex, complex]:
    """Return the corners of a curve's arrowhead, the tip first."""
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
