"""Draws figures of measured properties, in the style of the papers' figures where there are any.

A *chart* draws the rows of a table into one panel, and :func:`in_panels` makes a figure of several charts.
matplotlib is imported when the first figure is drawn.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pointerjump.draw.canvases import require_kind
from pointerjump.formats.files import naming
from pointerjump.formats.outputs import replacing
from pointerjump.measure.properties import Counted, Measurement

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

# Draws the rows of a panel. The rows of the whole figure are passed as well.
Chart = Callable[["Axes", list[Counted], list[Counted]], None]

WIDTH, HEIGHT = 10.0, 4.8  # inches
PANEL = 3.6  # the minimum width of a panel, in inches
CHARACTERS = 120  # the number that fit side by side in the width, in the font size of names
MOST_MARKERS = 60  # the maximum number of markers on a line
SAMPLE = 8_000  # the number of accesses for which the heat map shows the worker

# Okabe and Ito's palette, which suits color-blind readers. It repeats after the eighth color.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
MARKERS = "osD^vP*X"

INK, GRID = "#1a1a1a", "#d9d9d9"
LEGEND_LINE, NAME_LINE = 0.22, 0.17  # inches
TITLE = "title: "  # the prefix of a title, which is stored as an artist's id

_SEPARATED = re.compile(r"[^\s,:/_-]*[\s,:/_-]+|[^\s,:/_-]+")


def require_plots(path: str | os.PathLike[str]) -> None:
    """Raise an error if a figure cannot be saved to `path`. Call this before anything is measured."""
    kinds = (".svg", ".png", ".pdf")
    require_kind(path, "figures", kinds, by_matplotlib=kinds)


def save(found: Measurement, path: str | os.PathLike[str]) -> None:
    """Draw a measurement and save it as .svg, .png or .pdf, depending on the suffix of `path`."""
    require_plots(path)
    from matplotlib.figure import Figure

    with style(found.of.name):
        figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        draw_into(figure, found, f"{found.of.title} ({found.of.source})")
        with naming(path) as target, replacing(target) as aside:
            figure.savefig(aside, format=target.suffix[1:].lower(), dpi=150)


def draw_into(figure: Figure, found: Measurement, title: str = "") -> None:
    """Draw a measurement into a figure, which becomes taller to make room for the title and the legend."""
    if found.series:
        found.of.draw(figure, found.series)
    else:
        _nothing(figure.subplots())
    characters = round(CHARACTERS * figure.get_figwidth() / WIDTH)
    figure.set_figheight(figure.get_figheight() + legend_above(figure, characters, title))


def _nothing(axes: Axes) -> None:
    axes.set_axis_off()
    axes.text(0.5, 0.5, "There was nothing to count.", ha="center", va="center", transform=axes.transAxes)


def in_panels(*charts: Chart, each: str = "") -> Callable[[Figure, list[Counted]], None]:
    """Return a function that draws charts side by side.

    If `each` is the name of a column, the charts are drawn once for each value in that column.
    """

    def draw(figure: Figure, every: list[Counted]) -> None:
        values = list(dict.fromkeys(line[each] for line in every)) if each else [""]
        panels = [(value, chart) for value in values for chart in charts]
        across = len(charts) if len(charts) > 1 else min(len(panels), 3)
        down = -(-len(panels) // across)
        figure.set_size_inches(max(WIDTH, PANEL * across), HEIGHT * (0.2 + 0.8 * down))
        axes = figure.subplots(down, across, squeeze=False).flatten()
        for spare in axes[len(panels) :]:
            spare.set_axis_off()
        for panel, (value, chart) in zip(axes, panels, strict=False):
            tidy(panel)
            if each:
                _head(panel, str(value), across)
            chart(panel, [line for line in every if not each or line[each] == value], every)

    return draw


def _head(axes: Axes, title: str, across: int, pad: float = 6) -> None:
    axes.set_title(folded(title, CHARACTERS // across - 8), pad=pad, fontsize=9)


def bars(names: str, groups: Mapping[str, str] | tuple[str, str], y: str, *, log: bool = False) -> Chart:
    """Return a chart with a group of bars for each name in the column `names`.

    `groups` maps labels to columns of heights, or is a pair of columns: one of labels and one of heights.
    """

    def chart(axes: Axes, found: list[Counted], every: list[Counted]) -> None:
        places = [str(line[names]) for line in found]
        if isinstance(groups, tuple):
            label, height = groups
            places = list(dict.fromkeys(places))
            value_of = {(line[label], str(line[names])): line[height] for line in found}
            labels = dict.fromkeys(line[label] for line in found)
            heights = {label: [value_of[label, place] for place in places] for label in labels}
        else:
            heights = {label: [line[column] for line in found] for label, column in groups.items()}
        width = 0.8 / len(heights)
        for i, (label, values) in enumerate(heights.items()):
            at = np.arange(len(values)) + (i - (len(heights) - 1) / 2) * width
            patches = axes.bar(at, values, width, label=label if len(heights) > 1 else None)
            for patch, name, value in zip(patches, places, values, strict=True):
                give_title(patch, f"{name}, {label}: {plain(value)}")
        figure, place = axes.get_figure(root=True), axes.get_subplotspec()
        assert figure is not None, "axes are drawn on figures"
        assert place is not None, "and are one of several"
        room = round(CHARACTERS * figure.get_figwidth() / WIDTH / place.get_geometry()[1])
        higher = name_places(axes, places, room, fontsize=9)
        figure.set_figheight(max(figure.get_figheight(), HEIGHT + higher))
        axes.grid(visible=False, axis="x")
        axes.set_xlabel(names)
        axes.set_ylabel(y)
        if log:
            logarithmic(axes, [value for values in heights.values() for value in values])
        else:
            from_zero(axes, found, every)

    return chart


def lines(
    x: str,
    y: str,
    by: str,
    x_label: str,
    y_label: str,
    scale: Chart,
    *,
    start: bool = False,
    joined: bool = True,
) -> Chart:
    """Return a chart of the columns `x` and `y`, with one line for each value in the column `by`.

    `scale` sets up the axes. If `start` is true, every line starts at (0, 0). If `joined` is false, only
    markers are drawn.
    """

    def chart(axes: Axes, found: list[Counted], every: list[Counted]) -> None:
        for i, value in enumerate(dict.fromkeys(line[by] for line in every)):
            own = [line for line in found if line[by] == value]
            if own:
                places, heights = ([0.0] * start + [line[key] for line in own] for key in (x, y))
                few = len(places) <= MOST_MARKERS  # with more, markers would hide the line
                axes.plot(
                    places,
                    heights,
                    color=f"C{i}",
                    label=value,
                    linewidth=1.6,
                    linestyle="-" if joined else "none",
                    marker=MARKERS[i % len(MARKERS)] if few or not joined else "none",
                    markersize=5 if joined else 6,
                )
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        scale(axes, found, every)

    return chart


def percent(axes: Axes, found: list[Counted], every: list[Counted]) -> None:
    axes.set_ylim(0, 104)


def from_zero(axes: Axes, found: list[Counted], every: list[Counted]) -> None:
    axes.set_ylim(bottom=0)
    plain_numbers(axes.yaxis)


def counts(axes: Axes, found: list[Counted], every: list[Counted]) -> None:
    """Start the y axis at 0, and label the x axis with whole numbers."""
    from_zero(axes, found, every)
    _whole(axes)


def symlog(axes: Axes, found: list[Counted], every: list[Counted]) -> None:
    """Make the y axis logarithmic from 1 upward, with 0 at the bottom."""
    most = max(line["items"] for line in every)
    axes.set_yscale("symlog", linthresh=1)
    axes.set_yticks([0, *(10**k for k in range(len(str(most))))], minor=False)
    axes.set_ylim(-0.2, 3 * most)
    plain_numbers(axes.yaxis)
    _whole(axes)


def by_length(axes: Axes, found: list[Counted], every: list[Counted]) -> None:
    lengths = sorted({line["n"] for line in found if line["n"]})
    if not lengths:
        _nothing(axes)
        return
    axes.set_xscale("log", base=2, nonpositive="mask")
    axes.set_xticks(lengths, [power_of_two(n) for n in lengths], minor=False)
    axes.set_xticks([], minor=True)
    logarithmic(axes, [line["accesses"] for line in found])


def logarithmic(axes: Axes, values: Iterable[float]) -> None:
    """Make the y axis logarithmic if any value is positive."""
    shown = [value for value in values if value > 0]
    if not shown:
        from_zero(axes, [], [])
        return
    low, high = min(shown) / 1.5, max(shown) * 1.5
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    plain_log(axes.yaxis, low, high)


def _whole(axes: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    plain_numbers(axes.xaxis)


def heat_maps(figure: Figure, every: list[Counted]) -> None:
    """Draw accesses by time and address. Lower panels show which worker made each access in a sample."""
    runs = [line for line in every if line["trace"]]
    if not runs:
        _nothing(figure.subplots())
        return
    several = len({line["graph"] for line in runs}) > 1
    figure.set_size_inches(max(WIDTH, PANEL * len(runs)), 7.2)
    panels = figure.subplots(2, len(runs), squeeze=False, sharex="col", height_ratios=(3, 2))
    letters = _letters([phase for line in runs for _, phase, _ in line["trace"]])
    for (above, below), line in zip(panels.T, runs, strict=True):
        trace = line["trace"]
        time = np.arange(len(trace)) / 1000
        at = np.array([at for at, _, _ in trace])
        worker = np.array([worker for _, _, worker in trace])
        *_, drawn = above.hist2d(time, at, bins=(100, 64), cmap="magma_r", norm="log", rasterized=True)
        bar = figure.colorbar(drawn, ax=above, label="accesses")
        low, high = drawn.get_clim()
        plain_log(bar.ax.yaxis, low, high)
        above.set_ylabel("index in the parent array")
        graph = f"\n{line['graph']}" if several else ""
        _head(above, line["algorithm"] + graph, len(runs), pad=24)
        sample = np.random.default_rng(1).permutation(len(trace))[:SAMPLE]
        for w in np.unique(worker):
            own = sample[worker[sample] == w]
            look = {"s": 3, "color": f"C{w}", "linewidths": 0, "rasterized": True}
            below.scatter(time[own], at[own], **look)
            below.plot([], [], "o", color=f"C{w}", label=f"worker {w + 1}")
        below.set_xlabel("accesses so far (thousands)")
        below.set_ylabel("index")
        for axes in (above, below):
            plain_numbers(axes.yaxis)
            axes.spines[["top", "right"]].set_visible(False)
        plain_numbers(below.xaxis)
        _mark_phases(above, [phase for _, phase, _ in trace], letters)
    meanings = ", ".join(f"{letter} = {phase}" for phase, letter in letters.items())
    figure.supxlabel(f"Phases, by the letters above the panels: {meanings}", fontsize=10)


def _letters(phases: Iterable[str]) -> dict[str, str]:
    """Return a letter for each phase: the first one in its name that no earlier phase uses."""
    letters: dict[str, str] = {}
    for phase in dict.fromkeys(phases):
        own = [letter for letter in phase.upper() if letter.isalpha() and letter not in letters.values()]
        letters[phase] = own[0] if own else str(len(letters) + 1)
    return letters


def _mark_phases(axes: Axes, phases: list[str], letters: dict[str, str]) -> None:
    begins = [i for i, phase in enumerate(phases) if i == 0 or phases[i - 1] != phase]
    middles = [(a + b) / 2 for a, b in zip(begins, [*begins[1:], len(phases)], strict=True)]
    shares = _apart([middle / len(phases) for middle in middles])
    for begin in begins:
        axes.axvline(begin / 1000, color="#777777", linewidth=0.6)
    for begin, middle, share in zip(begins, middles, shares, strict=True):
        axes.annotate(
            letters[phases[begin]],
            (middle / 1000, 1.0),
            (share * len(phases) / 1000, 1.03),
            xycoords=axes.get_xaxis_transform(),
            textcoords=axes.get_xaxis_transform(),
            ha="center",
            va="bottom",
            fontsize=9,
            arrowprops={"arrowstyle": "-", "color": "#777777", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 0},
        )
    axes.set_xlim(0, len(phases) / 1000)


def _apart(shares: list[float], least: float = 0.06) -> list[float]:
    """Move sorted positions between 0 and 1 so that they are at least `least` apart, if there is room."""
    least = min(least, 1 / max(len(shares) - 1, 1))
    moved: list[float] = []
    for share in shares:
        moved.append(max(share, moved[-1] + least) if moved else share)
    highest = 1.0
    for i in reversed(range(len(moved))):
        moved[i] = min(moved[i], highest)
        highest = moved[i] - least
    return moved


# -- the look of all charts ----------------------------------------------------------------------------


def style(ids: str = "figure") -> AbstractContextManager[None]:
    """Return a context manager with settings for figures. `ids` is the seed for the ids in a figure."""
    import matplotlib
    from cycler import cycler

    settings: dict[str, Any] = {
        "axes.prop_cycle": cycler(color=COLORS),
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


def tidy(axes: Axes, grid: Literal["both", "x", "y"] = "both") -> None:
    """Hide the top and right borders of a chart, and draw a faint grid behind the data."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)


def give_title(artist: Artist, text: str) -> None:
    artist.set_gid(TITLE + text)


def plain(value: float) -> str:
    """Format a number with three significant digits, or as an integer if it is 100 or more."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def plain_numbers(axis: Axis) -> None:
    axis.set_major_formatter("{x:,.10g}")


def plain_log(axis: Axis, low: float, high: float) -> None:
    """Label a logarithmic axis with plain numbers. An axis with a small range gets more labels."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    span = high / low
    labelled = (1.0,) if span > 1000 else (1.0, 2.0, 5.0) if span > 10 else (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
    axis.set_major_locator(LogLocator(subs=labelled, numticks=30) if span > 2 else MaxNLocator(6))
    axis.set_minor_formatter(NullFormatter())
    plain_numbers(axis)


def power_of_two(value: float) -> str:
    """Format a number. Large powers of two are shown as powers, for example 2¹⁶."""
    k = int(value).bit_length() - 1
    if value < 1024 or value != 1 << k:
        return f"{value:,.10g}"
    return "2" + str(k).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def folded(name: str, characters: int) -> str:
    """Break a name at its separators into lines of at most `characters` characters, if possible."""
    lines = [""]
    for part in _SEPARATED.findall(name):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > characters:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.strip() for line in lines)


def name_places(axes: Axes, names: list[str], characters: int, fontsize: float = 10) -> float:
    """Write a name below each of the positions 0, 1, 2, ... on the x axis.

    Names are folded or slanted if they do not fit side by side in `characters` characters. Return by how many
    inches the figure must grow.
    """
    room = characters // max(len(names), 1) - 1
    shown = [folded(name, room) for name in names]
    lines = [name.splitlines() for name in shown]
    if max((len(line) for name in lines for line in name), default=0) > room:
        axes.set_xticks(
            range(len(names)), names, rotation=25, ha="right", rotation_mode="anchor", fontsize=fontsize
        )
        return NAME_LINE * max(map(len, names)) * 0.25  # the height of a slanted line of text
    axes.set_xticks(range(len(names)), shown, fontsize=fontsize)
    return NAME_LINE * (max(map(len, lines), default=1) - 1)


def legend_above(figure: Figure, characters: int, title: str = "", last: str = "") -> float:
    """Draw a single legend for all axes above them. Return its height in inches.

    `characters` is the number of characters that fit in the figure's width. If the legend has no entries,
    only the title is drawn.
    """
    once: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            once.setdefault(name, handle)
    once = dict(sorted(once.items(), key=lambda entry: entry[0] == last))
    title = fill(title, characters)
    height = NAME_LINE * 1.3 * len(title.splitlines())
    if not once:
        figure.suptitle(title, fontsize=11)
        return height
    columns = min(max(characters // (max(map(len, once)) + 6), 1), len(once))  # 6: for a sample and a gap
    figure.legend(
        once.values(),
        once,
        title=title or None,
        title_fontsize=11,
        loc="outside upper center",
        ncols=columns,
        frameon=False,
    )
    return height + LEGEND_LINE * -(-len(once) // columns)
