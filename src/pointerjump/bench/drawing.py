"""Drawing: bars, stacked bars and lines, each as SVG that can stand in a page beside others.

Text stays text, so that it can be searched, copied and read aloud. matplotlib is imported when the first
chart is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pointerjump.bench.measurements import GEOMETRIC_MEAN, Point
from pointerjump.bench.peers import PEERS
from pointerjump.bench.suite_components import NO_SKIPPING, OURS
from pointerjump.bench.suite_lists import WALK
from pointerjump.figures import INK, inline_svg, tidy
from pointerjump.registry import ALGORITHMS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Draw = Callable[["Axes", list[Point]], None]

WIDTH, HEIGHT, LEGEND_LINE, SLANTED_NAMES = 10.0, 4.2, 0.22, 1.0  # inches
CHARACTERS = 110  # fit side by side into the width

BAR_EDGE: dict[str, Any] = {"edgecolor": INK, "linewidth": 0.4}
WHISKERS: dict[str, Any] = {"ecolor": "#666666", "elinewidth": 0.9, "capsize": 1.5, "zorder": 3}

# Two palettes made for colour-blind readers: Okabe and Ito's for our algorithms, Paul Tol's "muted" for
# other programs, so that each keeps its colour in all charts. Kernels and choices, which belong to one
# chart, take Tol's "light" in order: dark text is readable on it.
_MUTED = ("#117733", "#332288", "#88CCEE", "#CC6677", "#DDCC77", "#AA4499", "#44AA99", "#882255", "#999933")
_LIGHT = ("#77AADD", "#EE8866", "#EEDD88", "#FFAABB", "#99DDFF", "#44BB99", "#BBCC33", "#AAAA00", "#DDDDDD")
# Algorithms that stand in one chart only, all side by side: Tol's "discrete rainbow", in order.
_RAINBOW = (
    *(
        "#E8ECFB",
        "#D9CCE3",
        "#CAACCB",
        "#BA8DB4",
        "#AA6F9E",
        "#994F88",
        "#882E72",
        "#1965B0",
        "#437DBF",
        "#6195CF",
    ),
    *("#7BAFDE", "#4EB265", "#90C987", "#CAE0AB", "#F7F056", "#F7CB45", "#F4A736", "#EE8026", "#E65518"),
    *("#DC050C", "#A5170E", "#72190E", "#42150A", "#4D4D4D", "#777777"),
)
_COLOURS = {
    OURS: "#000000",
    "afforest": "#0072B2",
    NO_SKIPPING: "#56B4E9",
    "ecl-cc": "#D55E00",
    "eclaf": "#E69F00",
    "shiloach-vishkin": "#CC79A7",
    "random-splitter": "#009E73",
    "wylie": "#999999",
    "sequential": "#6B4C9A",
    WALK: "#882255",
    **{peer.name: _MUTED[i % len(_MUTED)] for i, peer in enumerate(PEERS)},
}
_OTHERS = (name for name, algorithm in ALGORITHMS.items() if algorithm.kernels and name not in _COLOURS)
_COLOURS |= dict(zip(_OTHERS, _RAINBOW, strict=False))
_MARKERS = "osD^vP*X<>"


def colour(who: str, position: int) -> str:
    """Return what `who` is drawn in: its own colour, or that of its position in the chart."""
    return _COLOURS.get(who, _LIGHT[position % len(_LIGHT)])


def svg(name: str, points: list[Point], draw: Draw, x: str, y: str, description: str) -> str:
    """Draw points and return an ``<svg>`` element.

    Parameters
    ----------
    name : str
        The chart's name. Every id in the element begins with it, so that no two charts share one.
    points : list of Point
    draw : callable
        One of this module's functions.
    x, y : str
        The axes' labels.
    description : str
        Read to those who do not see the chart.
    """

    def on(figure: Figure) -> None:
        axes = figure.add_subplot()
        tidy(axes, "y")
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        draw(axes, points)
        legend_lines = _legend(figure, axes)
        slanted = any(name.get_rotation() for name in axes.get_xticklabels())
        figure.set_figheight(HEIGHT + legend_lines * LEGEND_LINE + slanted * SLANTED_NAMES)

    return inline_svg(on, name, description, (WIDTH, HEIGHT))


def bars(axes: Axes, points: list[Point]) -> None:
    """Draw a group of bars for each place, from 0, with quartiles."""
    _bars(axes, points, base=0.0)


def ratio_bars(axes: Axes, points: list[Point]) -> None:
    """Draw bars from the line at 1, which stands for the first contestant, on a logarithmic axis."""
    axes.set_yscale("log")
    axes.axhline(1.0, color=INK, linewidth=1.2, label=f"{points[0].who} = 1")
    _bars(axes, points, base=1.0)
    low, high = min(p.low for p in points), max(p.high for p in points)
    axes.set_ylim(low / 1.2, high * 1.2)
    _readable_log(axes.yaxis, high / low)


def stacked_bars(axes: Axes, points: list[Point]) -> None:
    """Draw one bar for each place, of parts with their percentages."""
    places, names = _places(points), _names(points)
    reached = dict.fromkeys(places, 0.0)
    for i, who in enumerate(names):
        for p in (p for p in points if p.who == who):
            at = places.index(p.where)
            patch = axes.bar(at, p.median, 0.7, reached[p.where], color=colour(who, i), label=who, **BAR_EDGE)
            if p.median >= 5:
                axes.bar_label(patch, [f"{p.median:.0f}"], label_type="center", fontsize=9)
            reached[p.where] += p.median
    axes.set_ylim(0, 100)
    _name_places(axes, places)


def lines(axes: Axes, points: list[Point], x_base: int) -> None:
    """Draw a line for each contestant over a logarithmic x axis, with quartiles."""
    axes.set_xscale("log", base=x_base)
    axes.set_yscale("log")
    for i, who in enumerate(_names(points)):
        own = [p for p in points if p.who == who]
        errors = [[p.median - p.low for p in own], [p.high - p.median for p in own]]
        axes.errorbar(
            [float(p.where) for p in own],
            [p.median for p in own],
            errors,
            color=colour(who, i),
            marker=_MARKERS[i],
            markersize=5,
            linewidth=1.6,
            capsize=2.5,
            label=who,
        )
    places = sorted({float(p.where) for p in points})
    axes.set_xticks(places, [_power(place) for place in places], minor=False)
    axes.set_xticks([], minor=True)
    _readable_log(axes.yaxis, max(p.high for p in points) / min(p.low for p in points))


def _bars(axes: Axes, points: list[Point], base: float) -> None:
    """Draw each place's bars side by side, from `base` up or down; means are also in the legend."""
    places, names = _places(points), _names(points)
    width = 0.84 / len(names)
    for i, who in enumerate(names):
        own = [p for p in points if p.who == who]
        at = [places.index(p.where) + (i - (len(names) - 1) / 2) * width for p in own]
        heights = [p.median - base for p in own]
        whiskers = [[p.median - p.low for p in own], [p.high - p.median for p in own]]
        axes.errorbar(at, [p.median for p in own], whiskers, fmt="none", **WHISKERS)
        if any(heights):  # the contestant that the others are compared with has no bars
            label = f"{who}: mean {own[-1].median:.3g}"
            axes.bar(at, heights, width, base, color=colour(who, i), label=label, **BAR_EDGE)
    axes.axvline(places.index(GEOMETRIC_MEAN) - 0.5, color=INK, linewidth=0.6, linestyle=":")
    _name_places(axes, places)


def _name_places(axes: Axes, places: list[Any]) -> None:
    """Write each place's name under it; slanted, on one line, where that leaves too little room."""
    names = [str(place) for place in places]
    folded = [name.replace(" (", "\n(").replace(",", ",\n") for name in names]
    longest = max(len(line) for name in folded for line in name.splitlines())
    if len(names) * longest > CHARACTERS:
        axes.set_xticks(range(len(names)), names, rotation=25, ha="right", rotation_mode="anchor")
    else:
        axes.set_xticks(range(len(names)), folded)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.tick_params(axis="x", length=0)


def _readable_log(axis: Any, span: float) -> None:
    """Label a logarithmic axis with plain numbers, more of them where it spans little."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    labelled = (1.0,) if span > 300 else (1.0, 2.0, 5.0) if span > 10 else (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
    axis.set_major_locator(LogLocator(subs=labelled, numticks=30) if span > 2 else MaxNLocator(6))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def _power(value: float) -> str:
    """Write a large power of two as one."""
    k = int(value).bit_length() - 1
    if value < 1024 or value != 1 << k:
        return f"{value:g}"
    return "2" + str(k).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _legend(figure: Any, axes: Axes) -> int:
    """Put the legend above the axes, where it covers nothing; return how many lines it takes."""
    handles, names = axes.get_legend_handles_labels()
    once = dict(zip(names, handles, strict=True))
    most = CHARACTERS // (max(map(len, once)) + 6)  # with a sample of the colour, and a gap
    columns = min(most, len(once))
    figure.legend(once.values(), once, loc="outside upper center", ncols=columns, frameon=False)
    return -(-len(once) // columns)


def _places(points: list[Point]) -> list[Any]:
    return list(dict.fromkeys(p.where for p in points))


def _names(points: list[Point]) -> list[str]:
    return list(dict.fromkeys(p.who for p in points))
