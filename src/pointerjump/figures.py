"""How every chart and figure of the package looks: colors, axes, and SVG that can stand in a page.

matplotlib is imported when the first figure is drawn.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, GRID, GREY = "#1a1a1a", "#d9d9d9", "#bdbdbd"


def style(ids: str = "figure") -> AbstractContextManager[None]:
    """Return the settings under which figures are made and written: text stays text, in one font and ink.

    Parameters
    ----------
    ids : str
        What the ids of clips and markers are made from, so that they are the same in every run.
    """
    import matplotlib

    settings: dict[str, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": ids,
        "font.family": "sans-serif",
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor"), INK),
        **dict.fromkeys(("xtick.color", "ytick.color"), INK),
    }
    context: AbstractContextManager[None] = matplotlib.rc_context(settings)
    return context


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
    element = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{ids}-", element)
    width = re.search(r' width="([\d.]+)pt"', element)
    assert width is not None, "matplotlib says how wide a file is"
    element = re.sub(r' (width|height)="[\d.]+pt"', "", element, count=2)
    look = f"width:100%;max-width:{width[1]}pt;height:auto;stroke-linejoin:round;stroke-linecap:butt"
    opening = f'<svg role="img" aria-label="{escape(description)}" style="{look}"'
    # A blank line would end an element that stands in Markdown.
    return re.sub(r"\n\s*\n+", "\n", element.replace("<svg", opening, 1))


def tidy(axes: Axes, grid: str = "both") -> None:
    """Leave of an empty chart only two axes and a faint grid behind the data."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
