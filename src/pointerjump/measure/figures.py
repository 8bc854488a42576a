"""The look of all charts and figures: colors, axes and legends.

matplotlib is imported when the first figure is drawn.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

# Okabe and Ito's palette, which suits color-blind readers. It repeats after the eighth color.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
MARKERS = "osD^vP*X"

INK, GRID = "#1a1a1a", "#d9d9d9"
LEGEND_LINE, NAME_LINE = 0.22, 0.17  # inches
TITLE = "title: "  # the prefix of titles, which artists in a figure have in place of ids

_SEPARATED = re.compile(r"[^\s,:/_-]*[\s,:/_-]+|[^\s,:/_-]+")


def style(ids: str = "figure") -> AbstractContextManager[None]:
    """Return the settings for making and writing figures: text stays text, in one font and one color.

    `ids` is the seed for the ids of clips and markers, so that they are the same in every run.
    """
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
    """Reduce an empty chart to two axes and a faint grid behind the data."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)


def give_title(artist: Artist, text: str) -> None:
    artist.set_gid(TITLE + text)


def plain(value: float) -> str:
    """Write a number without an exponent, as precisely as readers need it."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def plain_numbers(axis: Axis) -> None:
    axis.set_major_formatter("{x:,.10g}")


def plain_log(axis: Axis, low: float, high: float) -> None:
    """Label a logarithmic axis with plain numbers, more of them if the axis spans little."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    span = high / low
    labelled = (1.0,) if span > 1000 else (1.0, 2.0, 5.0) if span > 10 else (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
    axis.set_major_locator(LogLocator(subs=labelled, numticks=30) if span > 2 else MaxNLocator(6))
    axis.set_minor_formatter(NullFormatter())
    plain_numbers(axis)


def power_of_two(value: float) -> str:
    """Write a number; a large power of two becomes, say, 2¹⁶."""
    k = int(value).bit_length() - 1
    if value < 1024 or value != 1 << k:
        return f"{value:,.10g}"
    return "2" + str(k).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def folded(name: str, characters: int) -> str:
    """Fold a name at its separators, into lines of at most `characters` characters if possible."""
    lines = [""]
    for part in _SEPARATED.findall(name):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > characters:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.strip() for line in lines)


def name_places(axes: Axes, names: list[str], characters: int, fontsize: float = 10) -> float:
    """Write the name of each place under it: on one line, on several lines, or slanted, whichever fits.

    Places are at 0, 1, 2, ... on the x axis; `characters` characters fit under the axis. Return the height,
    in inches, to add to the figure for the names.
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
    """Put one legend for all axes above them; return its height in inches.

    `characters` characters fit into the figure's width. The title is above the legend, or alone if nothing
    needs a name. The entry with the name `last` comes last.
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
