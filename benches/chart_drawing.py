"""Drawing: bars, stacked bars and lines, each as SVG that can stand in a page beside others."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from statistics import geometric_mean
from typing import TYPE_CHECKING, Any

from chart_points import GEOMETRIC_MEAN, Point
from chart_times import OURS, Place
from page_figures import inline_svg

from pointerjump.measure.plots import (
    COLORS,
    INK,
    MARKERS,
    give_title,
    legend_above,
    name_places,
    plain,
    plain_log,
    power_of_two,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Draw = Callable[["Axes", list[Point]], float]
"""Draws points, and returns how much higher than usual the chart should be, in inches."""

WIDTH, HEIGHT = 10.0, 4.2  # inches
CHARACTERS = 110  # fit side by side into the width
BLUE, BLACK, GREY = "#0072B2", "#000000", "#d0d0d0"
MOST_NAMED = len(COLORS) - 1  # where there are others, which are grey
NOISY = "noisy: quartiles far apart"

BAR_EDGE: dict[str, Any] = {"edgecolor": INK, "linewidth": 0.4}
WHISKERS: dict[str, Any] = {"ecolor": "#555555", "elinewidth": 0.9, "capsize": 1.5, "zorder": 3}
STAR: dict[str, Any] = {"marker": (6, 2, 0), "color": INK, "markersize": 5, "linestyle": "none"}


def svg(ids: str, points: list[Point], draw: Draw, x: str, y: str, description: str) -> str:
    """Draw points and return an ``<svg>`` element.

    Parameters
    ----------
    ids : str
        Every id in the element begins with it, so that no two charts of a page share one.
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
        higher = draw(axes, points)
        figure.set_figheight(HEIGHT + higher + legend_above(figure, CHARACTERS, last=NOISY))

    return inline_svg(on, ids, description, (WIDTH, HEIGHT))


def rate_bars(axes: Axes, points: list[Point]) -> float:
    """Draw a group of bars for each place, the best first, with quartiles, on a logarithmic axis."""
    base = min(p.low for p in points) / 1.5
    higher = _bars(axes, points, base, by_merit(points, high_is_good=True))
    axes.set_ylim(bottom=base)
    return higher


def ratio_bars(axes: Axes, points: list[Point]) -> float:
    """Draw bars from the line at 1, which stands for the first contestant, on a logarithmic axis."""
    axes.axhline(1.0, color=INK, linewidth=1.2, label=f"{points[0].who} = 1")
    return _bars(axes, points, 1.0, by_merit(points, high_is_good=False))


def stacked_bars(axes: Axes, points: list[Point]) -> float:
    """Draw one bar for each place, of parts with their percentages."""
    places, names = _places(points), _names(points)
    largest = sorted(names, key=lambda who: -sum(p.median for p in points if p.who == who))
    colors = colors_of(names, largest)
    reached = dict.fromkeys(places, 0.0)
    for who in names:
        for p in (p for p in points if p.who == who):
            at = places.index(p.where)
            label = _legend_name(who, colors)
            patches = axes.bar(
                at, p.median, 0.7, reached[p.where], color=colors[who], label=label, **BAR_EDGE
            )
            give_title(patches[0], _title(p))
            if p.median >= 5:
                ink = "white" if colors[who] in (BLACK, BLUE) else INK
                axes.bar_label(patches, [f"{p.median:.0f}"], label_type="center", fontsize=9, color=ink)
            if p.noisy:
                _star(axes, at + 0.35, reached[p.where] + p.median / 2, right=5)
            reached[p.where] += p.median
    axes.set_ylim(0, 100)
    return _name_places(axes, places)


def lines(axes: Axes, points: list[Point], x_base: int) -> float:
    """Draw a line for each contestant over a logarithmic x axis, with quartiles."""
    axes.set_xscale("log", base=x_base)
    axes.set_yscale("log")
    names = _names(points)
    colors = colors_of(names, by_merit(points, high_is_good=False))
    for i, who in enumerate(names):
        own = [p for p in points if p.who == who]
        at, medians = [float(p.where) for p in own], [p.median for p in own]
        look: dict[str, Any] = {"color": colors[who], "marker": MARKERS[i % len(MARKERS)], "markersize": 5}
        label = _legend_name(who, colors)
        axes.plot(at, medians, linewidth=1.6, label=label, **look)
        axes.errorbar(at, medians, _whiskers(own), fmt="none", ecolor=colors[who], capsize=2.5)
        for p in own:
            (marker,) = axes.plot([float(p.where)], [p.median], **look)
            give_title(marker, _title(p))
            if p.noisy:
                _star(axes, float(p.where), p.high, up=5)
    places = sorted({float(p.where) for p in points})
    axes.set_xticks(places, [power_of_two(place) for place in places], minor=False)
    axes.set_xticks([], minor=True)
    plain_log(axes.yaxis, min(p.low for p in points), max(p.high for p in points))
    return 0.0


def by_merit(points: list[Point], high_is_good: bool) -> list[str]:
    """Return the first contestant, and then the others by how they compare with it, the best first.

    Compared are only the places in which both were measured, so that nobody gains by leaving out a place.
    """
    first, *others = _names(points)
    unit = {p.where: p.median for p in points if p.who == first}

    def demerit(who: str) -> float:
        ratios = [p.median / unit[p.where] for p in points if p.who == who and p.where in unit]
        if not ratios:
            return inf
        return 1 / geometric_mean(ratios) if high_is_good else geometric_mean(ratios)

    return [first, *sorted(others, key=demerit)]


def colors_of(names: list[str], best: list[str]) -> dict[str, str]:
    """Return everybody's color: at most eight colors in all, and ``pointerjump auto`` is always black.

    Parameters
    ----------
    names : list of str
        Everybody in the chart.
    best : list of str
        The same, the best first: if there are too many, these keep a color and the others are grey.

    Examples
    --------
    >>> set(colors_of(list("abcdefgh"), list("abcdefgh")).values()) == set(COLORS)
    True
    >>> many = colors_of(list("abcdefghi"), list("ihgfedcba"))
    >>> [who for who, color in many.items() if color == GREY], len(set(many.values()))
    (['a', 'b'], 8)
    """
    named = names if len(names) <= len(COLORS) else [who for who in names if who in best[:MOST_NAMED]]
    free = (color for color in COLORS if color != BLACK or OURS not in names)
    return {who: GREY if who not in named else BLACK if who == OURS else next(free) for who in names}


def _bars(axes: Axes, points: list[Point], base: float, best: list[str]) -> float:
    """Draw each place's bars side by side, from `base` up or down; means are also in the legend."""
    axes.set_yscale("log")
    places, names = _places(points), _names(points)
    colors = colors_of(names, best)
    order = best if GREY in colors.values() else names
    widths = [0.4 if colors[who] == GREY else 1.0 for who in order]  # relative to each other
    unit = 0.84 / sum(widths)
    for i, who in enumerate(order):
        own = [p for p in points if p.who == who]
        left = sum(widths[:i]) * unit - 0.42
        at = [places.index(p.where) + left + widths[i] * unit / 2 for p in own]
        axes.errorbar(at, [p.median for p in own], _whiskers(own), fmt="none", **WHISKERS)
        if any(p.median != base for p in own):  # the contestant that the others are compared with has no bars
            label = _legend_name(who, colors, f": mean {plain(own[-1].median)}")
            heights = [p.median - base for p in own]
            look = {"color": colors[who], "label": label, **BAR_EDGE}
            for patch, p in zip(axes.bar(at, heights, widths[i] * unit, base, **look), own, strict=True):
                give_title(patch, _title(p))
        for x, p in zip(at, own, strict=True):
            if p.noisy:
                _star(axes, x, p.high, up=5)
    axes.axvline(places.index(GEOMETRIC_MEAN) - 0.5, color=INK, linewidth=0.6, linestyle=":")
    low, high = min(base, *(p.low for p in points)), max(base, *(p.high for p in points))
    axes.set_ylim(low / 1.2, high * 1.3)
    plain_log(axes.yaxis, low, high)
    return _name_places(axes, places)


def _star(axes: Axes, x: float, y: float, up: float = 0, right: float = 0) -> None:
    """Mark a noisy number, so many points beside its place."""
    from matplotlib.transforms import offset_copy

    beside = offset_copy(axes.transData, axes.get_figure(root=True), x=right, y=up, units="points")
    axes.plot([x], [y], transform=beside, zorder=4, clip_on=False, label=NOISY, **STAR)


def _whiskers(points: list[Point]) -> list[list[float]]:
    return [[p.median - p.low for p in points], [p.high - p.median for p in points]]


def _legend_name(who: str, colors: dict[str, str], remark: str = "") -> str:
    """Return what the legend says of somebody; those in grey share one line of it."""
    if colors[who] != GREY:
        return who + remark
    return f"{list(colors.values()).count(GREY)} others: point at one"


def _title(p: Point) -> str:
    """Return what is shown to those who point at a bar or a marker."""
    return f"{p.who}, {p.where}: {plain(p.median)} (quartiles {plain(p.low)} to {plain(p.high)})"


def _name_places(axes: Axes, places: list[Place]) -> float:
    axes.set_xlim(-0.5, len(places) - 0.5)
    axes.tick_params(axis="x", length=0)
    return name_places(axes, [str(place) for place in places], CHARACTERS)


def _places(points: list[Point]) -> list[Place]:
    return list(dict.fromkeys(p.where for p in points))


def _names(points: list[Point]) -> list[str]:
    return list(dict.fromkeys(p.who for p in points))
