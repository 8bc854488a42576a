"""Charts in the papers' own form: pointerjump on a device, beside other programs, on a page of HTML.

    python benches/charts.py [--device NAME] [--set quick] [--charts NAME,...] [--graphs SPEC_OR_FILE ...]
        [--rounds N] [--page charts.html] [--data FILE]

The page needs no network. --data also writes everything on it as JSON; docs/data has such files, which the
papers' pages draw figures of. Every answer is verified before it is timed. peers.py has the other programs;
those that are missing are named on the page, each with the command that installs it.

To add a chart, add it to CHARTS and, if it needs new times, a function to chart_times.py.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import chart_drawing as drawing
from chart_points import (
    GEOMETRIC_MEAN,
    MEAN,
    NOISY_FROM,
    Point,
    Scale,
    million_per_second,
    milliseconds,
    nanoseconds_per,
    percent_of_sum,
    relative_to,
    relative_to_best,
)
from chart_times import (
    OURS,
    SIZES,
    ChartTimes,
    Measure,
    Size,
    afforest_and_others,
    beside_peers,
    beside_peers_from_arrays,
    ecl_choices,
    every_algorithm,
    every_list_ranking,
    kernels_of,
    over_work_groups,
    published_choice,
    workload,
)
from peers import PEERS

from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench.own_device import SEED, GraphSubject, ListSubject
from pointerjump.errors import AlgorithmError, PointerjumpError
from pointerjump.formats.outputs import require_writable, write_text

OWN_PACKAGES = ("pointerjump", "numpy", "scipy", "pyopencl", "numba", "matplotlib")

FEW_ROUNDS = 5
"""With fewer rounds, quartiles say little about noise."""


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
        Takes a subject on that axis, its place and the set; returns its times.
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
    measure: Measure
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
        measure=beside_peers,
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
        measure=beside_peers_from_arrays,
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
            measure=kernels_of(algorithm),
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
            measure=ecl_choices(axis),
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
            measure=every_algorithm,
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
        measure=every_list_ranking,
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
        measure=kernels_of("random-splitter"),
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
        measure=over_work_groups(["shiloach-vishkin", "auto"]),
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
        measure=over_work_groups(["random-splitter"]),
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
        measure=afforest_and_others,
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
        measure=afforest_and_others,
        scale=milliseconds,
        draw=partial(drawing.lines, x_base=2),
        x="average degree (edges drawn/vertex)",
        y="time (ms)",
        shows="How long a run takes, as graphs get more edges for each vertex.",
        about=f"{_RESIDENT} Kronecker graphs.",
    ),
)


def choose_charts(names: str | None) -> list[Chart]:
    """Return the charts with these names, given as ``a,b``, or all of them if `names` is None."""
    if names is None:
        return list(CHARTS)
    wanted = {name.strip() for name in names.split(",")}
    known = [chart.name for chart in CHARTS]
    for name in wanted.difference(known):
        raise AlgorithmError(f"there is no chart {name!r}: choose from {', '.join(known)}")
    return [chart for chart in CHARTS if chart.name in wanted]


# -- measuring -------------------------------------------------------------------------------------


@dataclass
class Results:
    """What a run found: times by chart, and what they were measured on."""

    session: Session
    size: Size
    charts: dict[str, ChartTimes] = field(default_factory=dict)
    subjects: list[Mapping[str, Any]] = field(default_factory=list)


def run(
    session: Session, size: Size, chosen: list[Chart], begin: Callable[[str], None] = lambda step: None
) -> Results:
    """Measure what the chosen charts show; one graph is in memory at a time."""
    results = Results(session, size)
    for axis in dict.fromkeys(chart.axis for chart in chosen):
        of_axis = [chart for chart in chosen if chart.axis == axis]
        for where, source in size.axes[axis].items():
            begin(f"{axis}: {where}")
            kind = ListSubject if source.startswith("list:") else GraphSubject
            subject = kind(str(where), source, session)
            results.subjects.append({"axis": axis, "name": where, "source": source, **subject.counts})
            # Charts that show the same times in different units share them.
            measures = dict.fromkeys(chart.measure for chart in of_axis)
            measured = {measure: measure(subject, where, size) for measure in measures}
            for chart in of_axis:
                results.charts.setdefault(chart.name, ChartTimes()).add(measured[chart.measure])
    return results


# -- the page --------------------------------------------------------------------------------------


def data(results: Results, charts: list[Chart]) -> dict[str, Any]:
    """Return everything the page says, as data that JSON can hold."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {
            "processor": _processor(),
            "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
            "system": platform.platform(),
            "python": f"{platform.python_implementation()} {platform.python_version()}",
        },
        "device": results.session.device.as_dict(),
        "packages": _versions(),
        "seed": SEED,
        "rounds": results.size.effort.rounds,
        "subjects": results.subjects,
        "charts": [_chart_data(chart, results) for chart in charts],
    }


def render(report: dict[str, Any], charts: list[Chart]) -> str:
    """Return the page, given what `data` returns and the same charts, which say how they are drawn."""
    import jinja2

    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    template = environment.from_string(Path(__file__).with_suffix(".html").read_text("utf-8"))
    drawn = [
        {
            **entry,
            "shows": chart.shows,
            "about": chart.about,
            "svg": _drawing(chart, entry, chart.name),
            "noise": noise(_points(entry)),
            "left_out_names": ", ".join(dict.fromkeys(line.partition(":")[0] for line in entry["left_out"])),
            "table": _Table(entry["points"]),
        }
        for chart, entry in zip(charts, report["charts"], strict=True)
    ]
    noisy = sum(point.noisy for entry in report["charts"] for point in _points(entry))
    return str(
        template.render(
            report=report,
            charts=drawn,
            papers=PAPERS,
            device=_device_facts(report["device"]),
            noisy=noisy,
            noisy_from=NOISY_FROM,
            few_rounds=FEW_ROUNDS,
        )
    )


def figure(entry: dict[str, Any], ids: str | None = None) -> str:
    """Draw a chart of stored data as an ``<svg>`` element that can stand in a page beside others.

    `entry` is one of the ``"charts"`` in what ``--data FILE`` writes. Every id in the element begins with
    `ids`, or with the chart's name.
    """
    (chart,) = choose_charts(entry["name"])
    return _drawing(chart, entry, ids or chart.name)


def noise(points: list[Point]) -> str:
    """Say in a sentence which of a chart's numbers are noisy; nothing if none are."""
    measured = [p for p in points if p.where not in (GEOMETRIC_MEAN, MEAN)]
    noisy = [p for p in measured if p.noisy]
    if not noisy:
        return ""
    places = []
    for where in dict.fromkeys(p.where for p in noisy):
        names = "; ".join(p.who for p in noisy if p.where == where)
        place = f"On {where}" if isinstance(where, str) else f"At {where:,.10g}"
        places.append(f"{place}: {names}.")
    return f"Noisy (*): {len(noisy)} of {len(measured)} numbers. {' '.join(places)}"


def _chart_data(chart: Chart, results: Results) -> dict[str, Any]:
    measured = results.charts[chart.name]
    return {
        "name": chart.name,
        "title": chart.title,
        "figure": chart.figure,
        "x": chart.x,
        "y": chart.y,
        "left_out": measured.left_out,
        "points": [asdict(point) for point in chart.scale(measured.times)],
        "seconds": [{"where": m.where, "who": m.who, "samples": m.timing.samples} for m in measured.times],
    }


def _drawing(chart: Chart, entry: dict[str, Any], ids: str) -> str:
    points = _points(entry)
    who = ", ".join(dict.fromkeys(point.who for point in points))
    description = f"{chart.title}: {chart.y} by {chart.x} for {who}."
    return drawing.svg(ids, points, chart.draw, chart.x, chart.y, description)


def _points(entry: dict[str, Any]) -> list[Point]:
    return [Point(**point) for point in entry["points"]]


def _device_facts(device: dict[str, Any]) -> dict[str, Any]:
    """Return what people want to know about a device."""
    return {
        "device": device["device"],
        "type": device["type"],
        "platform": device["platform"],
        "driver": device["driver"],
        "compiles": device["version"],
        "compute units": device["compute_units"],
        "memory": f"{device['memory'] / 2**30:.1f} GiB",
    }


class _Table:
    """Points as a table: a line for each place, a column for each contestant."""

    def __init__(self, points: list[dict[str, Any]]) -> None:
        self.columns = list(dict.fromkeys(point["who"] for point in points))
        cells = {(point["where"], point["who"]): point for point in points}
        self.lines = [
            (where, [cells.get((where, who)) for who in self.columns])
            for where in dict.fromkeys(point["where"] for point in points)
        ]


def _versions() -> dict[str, str]:
    """Return the versions of the Python packages that take part; C++ libraries do not say theirs."""
    found = {}
    for name in dict.fromkeys((*OWN_PACKAGES, *(peer.needs for peer in PEERS))):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    """Return the processor's name; Linux says it in a file."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


# -- the command -----------------------------------------------------------------------------------


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", help="as for pointerjump --device")
    parser.add_argument("--set", dest="size", choices=SIZES, default="quick", help="how large the graphs are")
    parser.add_argument("--charts", metavar="NAME,...", help=f"of {', '.join(c.name for c in CHARTS)}")
    parser.add_argument("--graphs", nargs="+", default=[], metavar="SPEC_OR_FILE", help="your own graphs")
    parser.add_argument("--rounds", type=int, help="how often to measure (default: by set, 5 or 9)")
    parser.add_argument("--page", type=Path, default="charts.html")
    parser.add_argument("--data", type=Path, metavar="FILE", help="also write the data, as JSON")
    asked = parser.parse_args()
    try:
        for path in filter(None, (asked.page, asked.data)):
            require_writable(path)
        chosen, size = choose_charts(asked.charts), workload(asked.size, asked.graphs, asked.rounds)
        for library in ("jinja2", "matplotlib"):  # before anything is measured in vain
            import_module(library)
        found = data(run(session_for(asked.device), size, chosen, partial(print, flush=True)), chosen)
    except (PointerjumpError, ModuleNotFoundError) as error:
        sys.exit(f"charts.py: {error}")
    write_text(asked.page, render(found, chosen))
    if asked.data:
        write_text(asked.data, json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
