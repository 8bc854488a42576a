"""Figures of the properties, in the papers' own form where there is one. Needs matplotlib."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.errors import FormatError, PointerjumpError
from pointerjump.figures import inline_svg, style
from pointerjump.formats.outputs import replacing
from pointerjump.measure.measurement import Line, Measurement

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Draw = Callable[["Figure", Measurement], None]

WIDTH, HEIGHT = 9.0, 4.8  # inches
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999", "#F0E442", "#000000")
"""Okabe and Ito's palette, for colour-blind readers."""
MARKERS = "osD^vP*X<>"


class MissingPlotError(PointerjumpError, ImportError):
    """matplotlib is not installed."""


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
    if not find_spec("matplotlib"):
        raise MissingPlotError(
            "figures are drawn with matplotlib, which is not installed: pip install 'pointerjump[plot]'"
        )
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
        draw(figure, found)
        figure.suptitle(f"{found.title} ({found.source})", fontsize=11)
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
    size = (WIDTH, HEIGHT)
    return inline_svg(lambda figure: draw(figure, found), ids or found.name, description, size)


def _panels(figure: Figure, found: Measurement, key: str) -> list[tuple[Any, Axes, list[Line]]]:
    """Return one panel for each value of a column, with the lines that have that value."""
    places = list(dict.fromkeys(line[key] for line in found.series))
    across = min(len(places), 3)
    down = -(-len(places) // across)
    figure.set_size_inches(max(WIDTH, 4.2 * across), HEIGHT * (0.2 + 0.8 * down))
    axes = figure.subplots(down, across, squeeze=False).flatten()
    for spare in axes[len(places) :]:
        spare.set_axis_off()
    panels = []
    for place, panel in zip(places, axes, strict=False):
        _tidy(panel)
        panel.set_title(str(place), fontsize=9)
        panels.append((place, panel, [line for line in found.series if line[key] == place]))
    return panels


def _tidy(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#d9d9d9", linewidth=0.6)
    axes.set_axisbelow(True)


def _bars(axes: Axes, names: list[str], groups: dict[str, list[float]], x: str, y: str) -> None:
    """Draw a group of bars for each name."""
    width = 0.8 / len(groups)
    for i, (label, heights) in enumerate(groups.items()):
        at = np.arange(len(names)) + (i - (len(groups) - 1) / 2) * width
        axes.bar(at, heights, width, color=_colour(i), label=label)
    slanted = sum(map(len, names)) > 50
    axes.set_xticks(
        range(len(names)),
        names,
        rotation=30 if slanted else 0,
        ha="right" if slanted else "center",
        fontsize=8,
    )
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if len(groups) > 1:
        axes.legend(fontsize=8, frameon=False)


def _colour(i: int) -> str:
    return COLOURS[i % len(COLOURS)]


def _marker(i: int) -> str:
    return MARKERS[i % len(MARKERS)]


def _only(figure: Figure) -> Axes:
    axes = figure.subplots()
    _tidy(axes)
    return axes


def sublists(figure: Figure, found: Measurement) -> None:
    """Draw sub-list lengths in ascending order beside what is expected of each."""
    from pointerjump.measure.lists import expected_length

    axes = _only(figure)
    for i, line in enumerate(found.series):
        n, p = line["n"], line["p"]
        j = np.arange(1, p + 2)
        axes.plot(
            j / len(j),
            line["lengths"],
            ".",
            markersize=3,
            color=_colour(i),
            label=f"{line['list']}, measured",
        )
        expected = [expected_length(n, p, k) for k in j]
        axes.plot(j / len(j), expected, "-", linewidth=1, color=_colour(i), label="expected")
    axes.set_yscale("log")
    axes.set_xlabel("share of sub-lists that are no longer")
    axes.set_ylabel("elements in the sub-list")
    axes.legend(fontsize=8, frameon=False)


def sv_accesses(figure: Figure, found: Measurement) -> None:
    """Draw reads of each kernel as counted and as the formula says."""
    for _, axes, lines in _panels(figure, found, "graph"):
        groups = {
            "formula": [line["expected_reads"] for line in lines],
            "counted": [line["reads"] for line in lines],
        }
        _bars(axes, [line["kernel"] for line in lines], groups, "kernel", "reads a launch")


def iterations(figure: Figure, found: Measurement) -> None:
    """Draw iterations and depths of both algorithms."""
    left, right = figure.subplots(1, 2)
    lines = found.lines
    names = [line["graph"].split(":")[0] for line in lines]
    for axes in (left, right):
        _tidy(axes)
    counts = {
        "SV, rounds": [line["sv_iterations"] for line in lines],
        "Afforest, a link": [line["average_iterations"] for line in lines],
    }
    _bars(left, names, counts, "graph", "iterations")
    _bars(
        right,
        names,
        {"SV": [line["sv_depth"] for line in lines], "Afforest": [line["depth"] for line in lines]},
        "graph",
        "deepest tree, pointers",
    )


def convergence(figure: Figure, found: Measurement) -> None:
    """Draw linkage and coverage over the share of edges processed, as figures 6a and 6b do."""
    graphs = list(dict.fromkeys(line["graph"] for line in found.lines))
    figure.set_size_inches(WIDTH, HEIGHT * len(graphs))
    panels = figure.subplots(len(graphs), 2, squeeze=False)
    for graph, pair in zip(graphs, panels, strict=True):
        for axes, measure in zip(pair, ("linkage", "coverage"), strict=True):
            _tidy(axes)
            for i, kind in enumerate(dict.fromkeys(line["partition"] for line in found.lines)):
                own = [line for line in found.lines if line["graph"] == graph and line["partition"] == kind]
                axes.plot(
                    [0.0, *(line["processed"] for line in own)],
                    [0.0, *(line[measure] for line in own)],
                    color=_colour(i),
                    marker=_marker(i),
                    markersize=3.5,
                    label=kind,
                )
            axes.set_xlabel("edges processed, %")
            axes.set_ylabel(f"{measure}, %")
            axes.set_title(graph, fontsize=9)
            axes.legend(fontsize=8, frameon=False)


def heat_map(figure: Figure, found: Measurement) -> None:
    """Draw accesses over time and address, and below which worker made them, as figure 7 does."""
    runs = [line for line in found.series if "trace" in line]
    figure.set_size_inches(4.2 * len(runs), 6.4)
    panels = figure.subplots(2, len(runs), squeeze=False, sharex="col", height_ratios=(2, 1))
    for (above, below), line in zip(panels.T, runs, strict=True):
        trace = line["trace"]
        time = np.arange(len(trace))
        at = np.array([at for at, _, _ in trace])
        *_, drawn = above.hist2d(time, at, bins=(100, 64), cmap="magma_r", norm="log", rasterized=True)
        figure.colorbar(drawn, ax=above, label="accesses")
        above.set_ylabel("index in pi")
        above.set_title(line["algorithm"], fontsize=9)
        below.scatter(
            time, at, c=[w for _, _, w in trace], s=0.2, cmap="tab10", linewidths=0, rasterized=True
        )
        below.set_xlabel("accesses so far")
        below.set_ylabel("index, by worker")
        _mark_phases(above, [phase for _, phase, _ in trace])


def _mark_phases(axes: Axes, phases: list[str]) -> None:
    """Write each phase's first letter above where it begins."""
    begins = [i for i, phase in enumerate(phases) if i == 0 or phases[i - 1] != phase]
    for begin in begins:
        axes.axvline(begin, color="#777777", linewidth=0.6)
        axes.text(begin, axes.get_ylim()[1], phases[begin][0].upper(), fontsize=7, va="bottom", ha="left")


def paths(figure: Figure, found: Measurement) -> None:
    """Draw average and longest paths for each way to jump."""
    for _, axes, lines in _panels(figure, found, "graph"):
        groups = {
            "average": [line["average"] for line in lines],
            "longest": [line["longest"] for line in lines],
        }
        _bars(axes, [line["jump"] for line in lines], groups, "jump", "pointers to the representative")
        axes.set_yscale("log")


def giant_component(figure: Figure, found: Measurement) -> None:
    """Draw the largest component over c beside f(c)."""
    from pointerjump.measure.structure import giant_share

    axes = _only(figure)
    most = max(line["c"] for line in found.lines)
    c = np.linspace(0.52, max(most, 1.0), 200)
    axes.plot(c, [100 * giant_share(x) for x in c], color="#000000", linewidth=1, label="f(c)")
    for i, graph in enumerate(dict.fromkeys(line["graph"] for line in found.lines)):
        own = [line for line in found.lines if line["graph"] == graph]
        axes.plot(
            [line["c"] for line in own],
            [line["measured"] for line in own],
            _marker(i),
            color=_colour(i),
            label=graph,
        )
    axes.set_xlabel("c = edges / vertices")
    axes.set_ylabel("largest component, % of the vertices")
    axes.legend(fontsize=8, frameon=False)


def worklist(figure: Figure, found: Measurement) -> None:
    """Draw the shares of vertices and of edges in the three classes."""
    left, right = figure.subplots(1, 2)
    names = [line["graph"].split(":")[0] for line in found.lines]
    classes = ("low", "front", "back")
    for axes in (left, right):
        _tidy(axes)
    shares = {k: [100 * line[k] / max(line["vertices"], 1) for line in found.lines] for k in classes}
    _bars(left, names, shares, "graph", "vertices, %")
    _bars(
        right,
        names,
        {k: [line[f"{k}_edges"] for line in found.lines] for k in classes},
        "graph",
        "directed edges, %",
    )


def rounds(figure: Figure, found: Measurement) -> None:
    """Draw the rounds of each algorithm on each graph."""
    axes = _only(figure)
    algorithms = list(dict.fromkeys(line["algorithm"] for line in found.lines))
    graphs = list(dict.fromkeys(line["graph"] for line in found.lines))
    value = {(line["graph"], line["algorithm"]): line["at_random"] for line in found.lines}
    _bars(
        axes,
        algorithms,
        {g: [value[g, a] for a in algorithms] for g in graphs},
        "algorithm",
        "rounds, at random",
    )
    axes.set_yscale("log")


def work(figure: Figure, found: Measurement) -> None:
    """Draw how many items each launch of a phase runs over."""
    for _, axes, lines in _panels(figure, found, "algorithm"):
        for i, phase in enumerate(dict.fromkeys(line["phase"] for line in lines)):
            own = [line for line in lines if line["phase"] == phase]
            axes.plot(
                [line["launch"] for line in own],
                [line["items"] for line in own],
                color=_colour(i),
                marker=_marker(i),
                label=phase,
            )
        axes.set_xlabel("launch")
        axes.set_ylabel("vertices or edges")
        axes.set_yscale("symlog", linthresh=1)
        axes.legend(fontsize=7, frameon=False)


def edges_read(figure: Figure, found: Measurement) -> None:
    """Draw the share of the edges that each kind of search reads."""
    axes = _only(figure)
    graphs = list(dict.fromkeys(line["graph"] for line in found.lines))
    kinds = list(dict.fromkeys(line["direction"] for line in found.lines))
    share = {(line["graph"], line["direction"]): line["share"] for line in found.lines}
    _bars(axes, graphs, {k: [share[g, k] for g in graphs] for k in kinds}, "graph", "directed edges read, %")


def list_accesses(figure: Figure, found: Measurement) -> None:
    """Draw accesses an element over the length."""
    axes = _only(figure)
    for i, algorithm in enumerate(dict.fromkeys(line["algorithm"] for line in found.lines)):
        own = [line for line in found.lines if line["algorithm"] == algorithm]
        axes.plot(
            [line["n"] for line in own],
            [line["accesses"] for line in own],
            color=_colour(i),
            marker=_marker(i),
            label=algorithm,
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("elements")
    axes.set_ylabel("accesses of shared arrays an element")
    axes.legend(fontsize=8, frameon=False)


def random_accesses(figure: Figure, found: Measurement) -> None:
    """Draw random look-ups over the rounds."""
    for _, axes, lines in _panels(figure, found, "graph"):
        for i, algorithm in enumerate(dict.fromkeys(line["algorithm"] for line in lines)):
            own = [line for line in lines if line["algorithm"] == algorithm]
            x, y = [line["round"] for line in own], [line["random"] for line in own]
            axes.plot(x, y, color=_colour(i), marker=_marker(i), label=algorithm)
        axes.set_xlabel("round (Stages: group)")
        axes.set_ylabel("random look-ups")
        axes.set_ylim(bottom=0)
        axes.legend(fontsize=8, frameon=False)


def compression(figure: Figure, found: Measurement) -> None:
    """Draw bytes an edge of each graph."""
    axes = _only(figure)
    names = [line["graph"] for line in found.lines]
    _bars(
        axes,
        names,
        {"bytes": [line["bytes_per_edge"] for line in found.lines]},
        "graph",
        "bytes a directed edge",
    )
