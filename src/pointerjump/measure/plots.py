"""Figures of the properties, in the papers' own form where there is one. Needs matplotlib."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.draw.canvases import require_matplotlib
from pointerjump.errors import FormatError
from pointerjump.figures import (
    BLACK,
    COLORS,
    MARKERS,
    folded,
    give_title,
    inline_svg,
    legend_above,
    name_places,
    plain,
    plain_log,
    plain_numbers,
    power_of_two,
    style,
    tidy,
)
from pointerjump.formats.outputs import replacing
from pointerjump.measure.measurement import Line, Measurement

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Draw = Callable[["Figure", Measurement], None]

WIDTH, HEIGHT = 10.0, 4.8  # inches, as wide as the charts of ``pointerjump bench``
PANEL = 3.6  # inches across, at least
CHARACTERS = 120  # fit side by side into the width, in the size of names
NAMES: dict[str, Any] = {"fontsize": 9}
MOST_MARKERS = 60  # of a line
SAMPLE = 8_000  # accesses, of which the heat map shows who made them


KINDS = (".svg", ".png", ".pdf")


def require_plots(path: str | os.PathLike[str]) -> None:
    """Raise an error if a figure could not be drawn in the end, before anything is measured.

    Raises
    ------
    MissingPlotError
        If matplotlib is not installed; names the command that installs it.
    FormatError
        If the suffix is not that of a figure, or the folder does not exist.
    """
    require_matplotlib(path)
    if Path(path).suffix.lower() not in KINDS:
        raise FormatError(f"{path}: figures are written as .svg, .png or .pdf, by the name's suffix")
    if not Path(path).resolve().parent.is_dir():
        raise FormatError(f"{path}: there is no such folder: make it, or name another one")


def save(found: Measurement, draw: Draw, path: str | os.PathLike[str]) -> None:
    """Draw a measurement into a file whose suffix says what kind: .svg, .png or .pdf."""
    require_plots(path)
    from matplotlib.figure import Figure

    with style(found.name):
        figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        _draw(figure, found, draw, f"{found.title} ({found.source})")
        with replacing(Path(path)) as aside:
            figure.savefig(aside, format=Path(path).suffix[1:].lower(), dpi=150)


def svg(found: Measurement, draw: Draw, ids: str | None = None) -> str:
    """Draw a measurement as an ``<svg>`` element that can stand in a page beside others.

    Parameters
    ----------
    found : Measurement
    draw : callable
        The property's ``draw``, or another function of this module.
    ids : str, optional
        What every id in the element begins with. Default: the property's name.
    """
    description = f"{found.title} ({found.source})"
    return inline_svg(
        lambda figure: _draw(figure, found, draw), ids or found.name, description, (WIDTH, HEIGHT)
    )


def _draw(figure: Figure, found: Measurement, draw: Draw, title: str = "") -> None:
    """Draw a measurement, and above it the title and the legend, by which the figure gets higher."""
    if found.lines:
        draw(figure, found)
    else:
        _nothing(figure)
    characters = round(CHARACTERS * figure.get_figwidth() / WIDTH)
    figure.set_figheight(figure.get_figheight() + legend_above(figure, characters, title))


def _nothing(figure: Figure) -> None:
    """Say that there was nothing to count, in place of a figure."""
    axes = figure.subplots()
    axes.set_axis_off()
    axes.text(0.5, 0.5, "There was nothing to count.", ha="center", va="center")


def _panels(figure: Figure, found: Measurement, key: str) -> list[tuple[Axes, list[Line]]]:
    """Return one panel for each value of a column, with the lines that have that value."""
    places = list(dict.fromkeys(line[key] for line in found.series))
    across = min(len(places), 3)
    down = -(-len(places) // across)
    figure.set_size_inches(max(WIDTH, PANEL * across), HEIGHT * (0.2 + 0.8 * down))
    axes = figure.subplots(down, across, squeeze=False).flatten()
    for spare in axes[len(places) :]:
        spare.set_axis_off()
    panels = []
    for place, panel in zip(places, axes, strict=False):
        tidy(panel)
        _head(panel, str(place), across)
        panels.append((panel, [line for line in found.series if line[key] == place]))
    return panels


def _pair(figure: Figure) -> tuple[Axes, Axes]:
    left, right = figure.subplots(1, 2)
    for axes in (left, right):
        tidy(axes)
    return left, right


def _only(figure: Figure) -> Axes:
    axes = figure.subplots()
    tidy(axes)
    return axes


def _head(axes: Axes, title: str, across: int, pad: float = 6) -> None:
    """Write a title so many points above one of the panels side by side, folded so that it is no wider."""
    axes.set_title(folded(title, CHARACTERS // across - 8), pad=pad, **NAMES)


def _bars(
    axes: Axes, names: list[str], groups: dict[str, list[float]], x: str, y: str, *, log: bool = False
) -> None:
    """Draw a group of bars for each name; if a group has only one, the y axis says what it is."""
    width = 0.8 / len(groups)
    for i, (label, heights) in enumerate(groups.items()):
        at = np.arange(len(names)) + (i - (len(groups) - 1) / 2) * width
        legend = label if len(groups) > 1 else None
        patches = axes.bar(at, heights, width, color=_color(i), label=legend)
        for patch, name, height in zip(patches, names, heights, strict=True):
            give_title(patch, f"{name}, {label}: {plain(height)}")
    figure = axes.get_figure(root=True)
    assert figure is not None, "axes are drawn on figures"
    place = axes.get_subplotspec()
    assert place is not None, "and are one of several"
    across = place.get_geometry()[1]
    room = round(CHARACTERS * figure.get_figwidth() / WIDTH / across)
    higher = name_places(axes, names, room, **NAMES)
    figure.set_figheight(max(figure.get_figheight(), HEIGHT + higher))
    axes.grid(visible=False, axis="x")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    _scale(axes, [value for heights in groups.values() for value in heights], log)


def _line(axes: Axes, x: list[float], y: list[float], i: int, label: str) -> None:
    """Draw a line, with markers unless they would be all that one sees."""
    look: dict[str, Any] = {"marker": _marker(i), "markersize": 5} if len(x) <= MOST_MARKERS else {}
    axes.plot(x, y, color=_color(i), label=label, linewidth=1.6, **look)


def _scale(axes: Axes, values: list[float], log: bool) -> None:
    """Let the y axis begin at 0, or make it logarithmic."""
    shown = [value for value in values if value > 0]
    if not (log and shown):
        axes.set_ylim(bottom=0)
        plain_numbers(axes.yaxis)
        return
    low, high = min(shown), max(shown)
    axes.set_yscale("log")
    axes.set_ylim(low / 1.5, high * 1.5)
    plain_log(axes.yaxis, low / 1.5, high * 1.5)


def _whole(axes: Axes) -> None:
    """Label an x axis that counts something."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    plain_numbers(axes.xaxis)


def _color(i: int) -> str:
    return COLORS[i % len(COLORS)]


def _marker(i: int) -> str:
    return MARKERS[i % len(MARKERS)]


def sublists(figure: Figure, found: Measurement) -> None:
    """Draw sub-list lengths in ascending order beside what is expected of each."""
    from pointerjump.measure.lists import expected_length

    axes = _only(figure)
    for i, line in enumerate(found.series):
        n, p = line["n"], line["p"]
        j = np.arange(1, p + 2)
        share = 100 * j / len(j)
        axes.plot(share, line["lengths"], linewidth=3, color=_color(i), label=f"{line['list']}")
        expected = [expected_length(n, p, k) for k in j]
        axes.plot(share, expected, "--", linewidth=1, color=BLACK, label="expected")
    _scale(axes, [length for line in found.series for length in line["lengths"]], log=True)
    axes.set_xlabel("sub-lists of at most this length (%)")
    axes.set_ylabel("length (elements)")


def sv_accesses(figure: Figure, found: Measurement) -> None:
    """Draw reads of each kernel as the formula says and as counted, and its writes."""
    for axes, lines in _panels(figure, found, "graph"):
        groups = {
            "reads, paper's formula": [line["expected_reads"] for line in lines],
            "reads, counted": [line["reads"] for line in lines],
            "writes, counted": [line["writes"] for line in lines],
        }
        _bars(axes, [line["kernel"] for line in lines], groups, "kernel", "accesses in a launch", log=True)


def iterations(figure: Figure, found: Measurement) -> None:
    """Draw iterations and depths of both algorithms."""
    left, right = _pair(figure)
    names = [line["graph"] for line in found.lines]
    counts = {
        "Shiloach-Vishkin": [line["sv_iterations"] for line in found.lines],
        "Afforest": [line["average_iterations"] for line in found.lines],
    }
    depths = {
        "Shiloach-Vishkin": [line["sv_depth"] for line in found.lines],
        "Afforest": [line["depth"] for line in found.lines],
    }
    _bars(left, names, counts, "graph", "rounds (Afforest: iterations of a link)")
    _bars(right, names, depths, "graph", "deepest tree (pointers)")


def convergence(figure: Figure, found: Measurement) -> None:
    """Draw linkage and coverage over the share of edges processed, as figures 6a and 6b do."""
    graphs = list(dict.fromkeys(line["graph"] for line in found.lines))
    figure.set_size_inches(WIDTH, HEIGHT * len(graphs))
    panels = figure.subplots(len(graphs), 2, squeeze=False)
    for graph, pair in zip(graphs, panels, strict=True):
        for axes, measure in zip(pair, ("linkage", "coverage"), strict=True):
            tidy(axes)
            for i, kind in enumerate(dict.fromkeys(line["partition"] for line in found.lines)):
                own = [line for line in found.lines if line["graph"] == graph and line["partition"] == kind]
                x, y = ([0.0, *(line[key] for line in own)] for key in ("processed", measure))
                _line(axes, x, y, i, kind)
            axes.set_xlabel("edges processed (%)")
            axes.set_ylabel(f"{measure} (%)")
            axes.set_ylim(0, 104)
            _head(axes, graph, 2)


def heat_map(figure: Figure, found: Measurement) -> None:
    """Draw accesses over time and address, and below which worker made them, as figure 7 does."""
    runs = [line for line in found.series if line.get("trace")]
    if not runs:
        _nothing(figure)
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
            look = {"s": 3, "color": _color(int(w)), "linewidths": 0, "rasterized": True}
            below.scatter(time[own], at[own], **look)
            below.plot([], [], "o", color=_color(int(w)), label=f"worker {w + 1}")
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
    """Return a letter for each phase: the first of its own letters that no phase before it has.

    Examples
    --------
    >>> _letters(["link", "compress", "link", "count"])
    {'link': 'L', 'compress': 'C', 'count': 'O'}
    """
    letters: dict[str, str] = {}
    for phase in dict.fromkeys(phases):
        own = [letter for letter in phase.upper() if letter.isalpha() and letter not in letters.values()]
        letters[phase] = own[0] if own else str(len(letters) + 1)
    return letters


def _mark_phases(axes: Axes, phases: list[str], letters: dict[str, str]) -> None:
    """Draw a line where each phase begins, and write its letter above its middle."""
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
    """Move ascending places between 0 and 1 so that neighbors are not too near, if there is room.

    Examples
    --------
    >>> [round(share, 2) for share in _apart([0.5, 0.5, 0.99], 0.1)]
    [0.5, 0.6, 0.99]
    >>> [round(share, 2) for share in _apart([0.97, 0.98, 0.99], 0.1)]
    [0.8, 0.9, 1.0]
    """
    least = min(least, 1 / max(len(shares) - 1, 1))
    moved: list[float] = []
    for share in shares:
        moved.append(max(share, moved[-1] + least) if moved else share)
    highest = 1.0
    for i in reversed(range(len(moved))):
        moved[i] = min(moved[i], highest)
        highest = moved[i] - least
    return moved


def paths(figure: Figure, found: Measurement) -> None:
    """Draw average and longest paths for each way to jump."""
    for axes, lines in _panels(figure, found, "graph"):
        groups = {
            "average": [line["average"] for line in lines],
            "longest": [line["longest"] for line in lines],
        }
        names = [line["jump"] for line in lines]
        _bars(axes, names, groups, "jump", "path (pointers)", log=True)


def giant_component(figure: Figure, found: Measurement) -> None:
    """Draw the largest component over c beside f(c)."""
    from pointerjump.measure.structure import giant_share

    axes = _only(figure)
    most = max(line["c"] for line in found.lines)
    c = np.linspace(0.52, max(most, 1.0), 200)
    axes.plot(c, [100 * giant_share(x) for x in c], color=BLACK, linewidth=1, label="f(c)")
    for i, graph in enumerate(dict.fromkeys(line["graph"] for line in found.lines)):
        own = [line for line in found.lines if line["graph"] == graph]
        x, y = ([line[key] for line in own] for key in ("c", "measured"))
        axes.plot(x, y, _marker(i), color=_color(i), label=graph)
    axes.set_xlabel("c (edges / vertices)")
    axes.set_ylabel("largest component (% of the vertices)")
    axes.set_ylim(0, 104)


def worklist(figure: Figure, found: Measurement) -> None:
    """Draw the shares of vertices and of edges in the three classes."""
    left, right = _pair(figure)
    names = [line["graph"] for line in found.lines]
    headings = {column.name: column.heading for column in found.columns}
    classes = {headings[k]: k for k in ("low", "front", "back")}
    shares = {
        label: [100 * line[k] / max(line["vertices"], 1) for line in found.lines]
        for label, k in classes.items()
    }
    edges = {label: [line[f"{k}_edges"] for line in found.lines] for label, k in classes.items()}
    _bars(left, names, shares, "graph", "vertices (%)")
    _bars(right, names, edges, "graph", "directed edges (%)")


def rounds(figure: Figure, found: Measurement) -> None:
    """Draw the rounds of each algorithm on each graph."""
    axes = _only(figure)
    algorithms = list(dict.fromkeys(line["algorithm"] for line in found.lines))
    graphs = list(dict.fromkeys(line["graph"] for line in found.lines))
    value = {(line["graph"], line["algorithm"]): line["at_random"] for line in found.lines}
    groups = {g: [value[g, a] for a in algorithms] for g in graphs}
    _bars(axes, algorithms, groups, "algorithm", "rounds, at random", log=True)


def work(figure: Figure, found: Measurement) -> None:
    """Draw how many items each launch of a phase runs over."""
    phases = list(dict.fromkeys(line["phase"] for line in found.series))
    most = max(line["items"] for line in found.series)
    for axes, lines in _panels(figure, found, "algorithm"):
        for phase in dict.fromkeys(line["phase"] for line in lines):
            own = [line for line in lines if line["phase"] == phase]
            x, y = ([line[key] for line in own] for key in ("launch", "items"))
            _line(axes, x, y, phases.index(phase), phase)
        axes.set_xlabel("launch")
        axes.set_ylabel("vertices or edges")
        axes.set_yscale("symlog", linthresh=1)
        axes.set_yticks([0, *(10**k for k in range(len(str(most))))], minor=False)
        axes.set_ylim(-0.2, 3 * most)
        plain_numbers(axes.yaxis)
        _whole(axes)


def edges_read(figure: Figure, found: Measurement) -> None:
    """Draw the share of the edges that each kind of search reads."""
    axes = _only(figure)
    graphs = list(dict.fromkeys(line["graph"] for line in found.lines))
    kinds = list(dict.fromkeys(line["direction"] for line in found.lines))
    share = {(line["graph"], line["direction"]): line["share"] for line in found.lines}
    _bars(axes, graphs, {k: [share[g, k] for g in graphs] for k in kinds}, "graph", "directed edges read (%)")


def list_accesses(figure: Figure, found: Measurement) -> None:
    """Draw accesses an element over the length."""
    lines = [line for line in found.lines if line["n"]]
    if not lines:
        _nothing(figure)
        return
    axes = _only(figure)
    for i, algorithm in enumerate(dict.fromkeys(line["algorithm"] for line in lines)):
        own = [line for line in lines if line["algorithm"] == algorithm]
        _line(axes, [line["n"] for line in own], [line["accesses"] for line in own], i, algorithm)
    lengths = sorted({line["n"] for line in lines})
    axes.set_xscale("log", base=2)
    axes.set_xticks(lengths, [power_of_two(n) for n in lengths], minor=False)
    axes.set_xticks([], minor=True)
    _scale(axes, [line["accesses"] for line in lines], log=True)
    axes.set_xlabel("length of the list (elements)")
    axes.set_ylabel("accesses of shared arrays (per element)")


def random_accesses(figure: Figure, found: Measurement) -> None:
    """Draw random look-ups over the rounds."""
    for axes, lines in _panels(figure, found, "graph"):
        for i, algorithm in enumerate(dict.fromkeys(line["algorithm"] for line in lines)):
            own = [line for line in lines if line["algorithm"] == algorithm]
            _line(axes, [line["round"] for line in own], [line["random"] for line in own], i, algorithm)
        axes.set_xlabel("round (of Stages: group of edges)")
        axes.set_ylabel("random look-ups")
        _scale(axes, [], log=False)
        _whole(axes)


def compression(figure: Figure, found: Measurement) -> None:
    """Draw bytes an edge of each graph."""
    axes = _only(figure)
    names = [line["graph"] for line in found.lines]
    sizes = {"bytes": [line["bytes_per_edge"] for line in found.lines]}
    _bars(axes, names, sizes, "graph", "size of a directed edge (bytes)")
