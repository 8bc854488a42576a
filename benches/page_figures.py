"""Charts and figures as SVG that can stand in a page beside others: of charts.py, and of the site's pages."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from pointerjump.measure import Measurement
from pointerjump.measure.plots import HEIGHT, TITLE, WIDTH, draw_into, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def svg(found: Measurement, ids: str | None = None) -> str:
    """Draw a measurement as an ``<svg>`` element that can stand in a page beside others.

    Parameters
    ----------
    found : Measurement
    ids : str, optional
        What every id in the element begins with. Default: the property's name.
    """
    description = f"{found.of.title} ({found.of.source})"
    size = (WIDTH, HEIGHT)
    return inline_svg(lambda figure: draw_into(figure, found), ids or found.of.name, description, size)


def inline_svg(draw: Callable[[Figure], None], ids: str, description: str, size: tuple[float, float]) -> str:
    """Draw a figure as an ``<svg>`` element that can stand in a page beside others.

    It brings a white background, so that it is readable on a dark page too.

    Parameters
    ----------
    draw : callable
        Draws into an empty figure.
    ids : str
        Every id in the element begins with it, so that no two figures of a page share one.
    description : str
        Read to those who do not see the figure.
    size : tuple of float
        Width and height in inches, unless `draw` changes them.
    """
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with style(ids):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure)
        file = io.StringIO()
        figure.savefig(file, format="svg", dpi=150, facecolor="white", metadata={"Date": None})
    return _element(file.getvalue(), ids, description)


def _element(document: str, ids: str, description: str) -> str:
    """Return the ``<svg>`` of a file as an element of a page, no wider than the file, with ids of its own."""
    element = document[document.index("<svg") :].rstrip()
    # matplotlib's style sheet and notes would be the whole page's.
    element = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", element, flags=re.DOTALL)
    # A group whose id is a title gets the title, which browsers show to those who point at it.
    element = re.sub(rf'<g id="{TITLE}([^"]*)">', r"<g><title>\1</title>", element)
    element = re.sub(r'(<image[^>]*) id="[^"]*"', r"\1", element)  # the same for images that look the same
    element = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{ids}-", element)
    width = re.search(r' width="([\d.]+)pt"', element)
    assert width is not None, "matplotlib says how wide a file is"
    element = re.sub(r' (width|height)="[\d.]+pt"', "", element, count=2)
    look = f"width:100%;max-width:{width[1]}pt;height:auto;stroke-linejoin:round;stroke-linecap:butt"
    opening = f'<svg role="img" aria-label="{escape(description)}" style="{look}"'
    # A blank line would end an element that stands in Markdown.
    return re.sub(r"\n\s*\n+", "\n", element.replace("<svg", opening, 1))
