"""Panels as SVG. Text stays text, and takes the color of the page around it."""

from __future__ import annotations

from html import escape

from pointerjump.drawing.shapes import INK, Curve, Outline, Panel, Shape, Text, arrowhead, grid, printable


def page(panels: list[Panel], description: str, columns: int | None = None) -> str:
    """Return one SVG with all panels, in rows."""
    across, down, width, height = grid(panels, columns)
    groups = (
        f'<g transform="translate({i % across * width:g},{i // across * height:g})">{_shapes(panel)}</g>'
        for i, panel in enumerate(panels)
    )
    return _svg(across * width, down * height, description, "\n".join(groups))


def element(panel: Panel, description: str) -> str:
    """Return an SVG of one panel."""
    return _svg(panel.width, panel.height, description, _shapes(panel))


def _svg(width: float, height: float, description: str, content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'style="max-width:100%;height:auto" role="img" font-family="sans-serif" '
        f'aria-label="{escape(printable(description))}">{content}</svg>'
    )


def _shapes(panel: Panel) -> str:
    return "".join(map(_shape, panel.shapes))


def _shape(shape: Shape) -> str:
    match shape:
        case Curve():
            return _curve(shape)
        case Outline():
            return _outline(shape)
        case Text():
            return _text(shape)


def _curve(curve: Curve) -> str:
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = curve.begin, curve.first, curve.second, curve.end
    color = _color(curve.color)
    path = (
        f'<path d="M{x0:.1f},{y0:.1f}C{x1:.1f},{y1:.1f} {x2:.1f},{y2:.1f} {x3:.1f},{y3:.1f}" fill="none" '
        f'stroke="{color}" stroke-width="{curve.thickness:g}"/>'
    )
    if curve.arrow:
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in arrowhead(curve))
        path += f'<polygon points="{corners}" fill="{color}"/>'
    return path


def _outline(outline: Outline) -> str:
    x, y, r = outline.x, outline.y, outline.radius
    border = f'fill="{outline.fill}" stroke="{_color(INK)}" stroke-width="{outline.thickness:g}"'
    if outline.dashed:
        border += ' stroke-dasharray="2 2"'
    if outline.kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:g}" {border}/>'
    return f'<rect x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r:g}" height="{2 * r:g}" {border}/>'


def _text(text: Text) -> str:
    look = f'font-size="{text.size:g}" fill="{_color(text.color)}"'
    look += ' text-anchor="middle"' if text.middle else ""
    look += ' font-weight="bold"' if text.bold else ""
    return f'<text x="{text.x:.1f}" y="{text.y:.1f}" {look}>{escape(text.shown)}</text>'


def _color(color: str) -> str:
    return "currentColor" if color == INK else color
