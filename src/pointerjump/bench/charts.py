"""The table of charts: what each is made from, how it is scaled and how it is drawn.

To add a chart, add it to :data:`CHARTS` and, if it needs new times, a function that measures them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from pointerjump.bench import drawing, suite_components, suite_lists
from pointerjump.bench.measurements import (
    ChartTimes,
    Scale,
    million_per_second,
    milliseconds,
    nanoseconds_per,
    percent_of_sum,
    relative_to,
    relative_to_best,
)
from pointerjump.bench.suite_components import OURS, published_choice
from pointerjump.errors import AlgorithmError


@dataclass(frozen=True)
class Chart:
    """A chart: what it shows, of which times, and how it is drawn.

    Attributes
    ----------
    name, title : str
        What ``--charts`` calls it, and its heading.
    figure : str
        The papers' figures of this form; :data:`PAPERS` says which letter is which paper.
    axis : str
        Which axis of a :class:`Size` is its x axis.
    measure : callable
        Takes a subject on that axis and the effort; returns its times.
    scale : callable
        Turns all times into points.
    draw : callable
        Draws the points.
    x, y : str
        The axes' labels, with units.
    shows : str
        What the chart shows, in a sentence that stands above it.
    about : str
        What is timed and how to read it, for the caption.
    """

    name: str
    title: str
    figure: str
    axis: str
    measure: Callable[[Any, Any], ChartTimes]
    scale: Scale
    draw: drawing.Draw
    x: str
    y: str
    shows: str
    about: str


PAPERS = {
    "T": "Jaiganesh, thesis, Texas State University, 2017",
    "E": "Jaiganesh, Burtscher, HPDC 2018 (ECL-CC)",
    "D": "Dehne, Yogaratnam, 2010",
    "A": "Sutton, Ben-Nun, Barak, IPDPS 2018 (Afforest)",
}

_RESIDENT = "Wall clock of one run on a graph that is on the device, launches included."
_LIST = "One list in random order, on the device; the ranks stay there."

CHARTS = (
    Chart(
        name="slowdown",
        title="Slowdown against other programs, graph in memory",
        figure="T 6.1-6.5, E 11-16",
        axis="graphs",
        measure=suite_components.beside_peers,
        scale=relative_to(OURS),
        draw=drawing.ratio_bars,
        x="graph",
        y=f"time / time of {OURS} (ratio)",
        shows="How many times as long other programs take as we do, on a graph that is in memory.",
        about=f"{_RESIDENT} The others run on a graph of their own, made before, and give an array of "
        "labels; ours stay on the device. Bars above 1 are slower than we are.",
    ),
    Chart(
        name="end-to-end",
        title="Slowdown against other programs, from NumPy edge arrays to labels",
        figure="T 6.1-6.5, E 11-16",
        axis="graphs",
        measure=suite_components.beside_peers_from_arrays,
        scale=relative_to(OURS),
        draw=drawing.ratio_bars,
        x="graph",
        y=f"time / time of {OURS} (ratio)",
        shows="How many times as long other programs take as we do, from two arrays of edges to an array of "
        "labels.",
        about="Wall clock of everything from two int64 arrays, each edge once, in random order, to a label "
        "array on the host: conversion, transfers, kernels.",
    ),
    *(
        Chart(
            name=f"kernels-{algorithm}",
            title=f"Where the time goes: kernels of {algorithm}",
            figure="E 10",
            axis="graphs",
            measure=suite_components.kernels_of(algorithm),
            scale=percent_of_sum,
            draw=drawing.stacked_bars,
            x="graph",
            y="part of all kernels' time (%)",
            shows=f"How the time of a run of {algorithm} is divided among its kernels.",
            about="By the device's clock (profiling events). Launches of the same kernel are summed.",
        )
        for algorithm in ("ecl-cc", "auto")
    ),
    *(
        Chart(
            name=f"ecl-{axis}",
            title=f"ECL-CC with each choice of its {phase}",
            figure=figure,
            axis="graphs",
            measure=suite_components.ecl_choices(axis),
            scale=relative_to(published_choice(axis)),
            draw=drawing.ratio_bars,
            x="graph",
            y="time / published choice's (ratio)",
            shows=f"How much faster or slower ECL-CC is with another {phase} than the published one.",
            about=f"{_RESIDENT} All other choices as published. Bars below 1 are faster.",
        )
        for axis, phase, figure in (
            ("init", "initialization", "E 7"),
            ("jump", "pointer jumping", "E 8"),
            ("fini", "finalization", "E 9"),
        )
    ),
    *(
        Chart(
            name=f"{what}-per-second",
            title=f"Throughput in {what}",
            figure=figure,
            axis="graphs",
            measure=suite_components.every_algorithm,
            scale=million_per_second(counted),
            draw=drawing.rate_bars,
            x="graph",
            y=f"throughput (million {counted.replace('_', ' ')}/s)",
            shows=f"How many {what} a second each of our algorithms gets through; the best are named.",
            about=_RESIDENT,
        )
        for what, counted, figure in (("edges", "directed_edges", "T 6.8"), ("vertices", "vertices", "T 6.9"))
    ),
    Chart(
        name="list-length",
        title="List ranking over the length of the list",
        figure="D 3",
        axis="lists",
        measure=suite_lists.every_list_ranking,
        scale=nanoseconds_per("elements"),
        draw=partial(drawing.lines, x_base=2),
        x="length of the list (elements)",
        y="time / length (ns/element)",
        shows="How long ranking takes for each element, as lists get longer.",
        about=_LIST,
    ),
    Chart(
        name="kernels-random-splitter",
        title="Where the time goes: kernels of list ranking with random splitters",
        figure="D table 2",
        axis="lists",
        measure=suite_lists.kernels_of("random-splitter"),
        scale=percent_of_sum,
        draw=drawing.stacked_bars,
        x="length of the list (elements)",
        y="part of all kernels' time (%)",
        shows="How the time of ranking a list is divided among the kernels RS1 to RS5.",
        about="By the device's clock (profiling events). PJ1 and PJ2 are step RS4, which ranks the "
        "splitters; sum_up finds the lists' ends.",
    ),
    Chart(
        name="work-groups",
        title="Components over the number of work-groups",
        figure="D 5",
        axis="groups",
        measure=suite_components.components_over_work_groups,
        scale=relative_to_best,
        draw=partial(drawing.lines, x_base=2),
        x="most work-groups of a launch (groups)",
        y="time / the best of its times (ratio)",
        shows="How much longer a run takes if a kernel may use only so many work-groups.",
        about=f"{_RESIDENT} A uniform random graph.",
    ),
    Chart(
        name="list-work-groups",
        title="List ranking over the number of work-groups",
        figure="D 5",
        axis="list-groups",
        measure=suite_lists.lists_over_work_groups,
        scale=relative_to_best,
        draw=partial(drawing.lines, x_base=2),
        x="most work-groups of a launch (groups)",
        y="time / the best of its times (ratio)",
        shows="How much longer ranking a list takes if a kernel may use only so many work-groups.",
        about=_LIST,
    ),
    Chart(
        name="component-fraction",
        title="Time over the size of components",
        figure="A 8c",
        axis="fractions",
        measure=suite_components.afforest_and_others,
        scale=milliseconds,
        draw=partial(drawing.lines, x_base=10),
        x="size of the components (fraction of the vertices)",
        y="time (ms)",
        shows="How long a run takes on many small components, on fewer larger ones, and on a single one.",
        about=f"{_RESIDENT} Uniform random graphs side by side, each with that fraction of all vertices.",
    ),
    Chart(
        name="degree",
        title="Time over the average degree",
        figure="A 6c",
        axis="degrees",
        measure=suite_components.afforest_and_others,
        scale=milliseconds,
        draw=partial(drawing.lines, x_base=2),
        x="average degree (edges drawn/vertex)",
        y="time (ms)",
        shows="How long a run takes, as graphs get more edges for each vertex.",
        about=f"{_RESIDENT} Kronecker graphs.",
    ),
)


def choose_charts(names: str | None) -> list[Chart]:
    """Return the charts with these names, given as ``a,b``, or all of them if `names` is None.

    Raises
    ------
    AlgorithmError
        If there is no such chart.

    Examples
    --------
    >>> [chart.figure for chart in choose_charts("degree,component-fraction")]
    ['A 8c', 'A 6c']
    """
    if names is None:
        return list(CHARTS)
    wanted = {name.strip() for name in names.split(",")}
    known = [chart.name for chart in CHARTS]
    for name in wanted.difference(known):
        raise AlgorithmError(f"there is no chart {name!r}: choose from {', '.join(known)}")
    return [chart for chart in CHARTS if chart.name in wanted]
