"""The report: one HTML file that needs no network, and the same data as JSON."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pointerjump.bench.charts import PAPERS, Chart, choose_charts
from pointerjump.bench.drawing import svg
from pointerjump.bench.measurements import GEOMETRIC_MEAN, MEAN, NOISY_FROM, Point
from pointerjump.bench.peers import PEERS
from pointerjump.bench.sizes import SEED
from pointerjump.bench.suite import Results
from pointerjump.errors import PointerjumpError
from pointerjump.formats.outputs import require_writable

OWN_PACKAGES = ("pointerjump", "numpy", "scipy", "pyopencl", "numba", "matplotlib")

FEW_ROUNDS = 5
"""With fewer rounds, quartiles say little about noise."""


class MissingLibraryError(PointerjumpError, ImportError):
    """A library that only the report needs is not installed."""


def require(*paths: str | os.PathLike[str]) -> None:
    """Refuse to begin where nothing could be written in the end.

    Raises
    ------
    MissingLibraryError
        If a library is not installed; names the command that installs it.
    FormatError
        If one of the files to write could not be written.
    """
    missing = [library for library in ("matplotlib", "jinja2") if not find_spec(library)]
    if missing:
        raise MissingLibraryError(
            f"the report needs {' and '.join(missing)}, not installed: pip install 'pointerjump[bench]'"
        )
    for path in paths:
        require_writable(path)


def data(results: Results, charts: list[Chart]) -> dict[str, Any]:
    """Return everything the report says, as data that JSON can hold."""
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
    """Return the report as a page.

    Parameters
    ----------
    report : dict
        What :func:`data` returns.
    charts : list of Chart
        The same charts, which say how they are drawn.
    """
    import jinja2

    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    template = environment.from_string(files("pointerjump.bench").joinpath("report.html").read_text("utf-8"))
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

    Parameters
    ----------
    entry : dict
        One of the ``"charts"`` in what ``pointerjump bench --data FILE`` writes.
    ids : str, optional
        What every id in the element begins with. Default: the chart's name.

    Raises
    ------
    AlgorithmError
        If there is no chart of that name any more.
    """
    (chart,) = choose_charts(entry["name"])
    return _drawing(chart, entry, ids or chart.name)


def noise(points: list[Point]) -> str:
    """Say in a sentence which of a chart's numbers are noisy; nothing if none are.

    Examples
    --------
    >>> noise([Point("g", "scipy", 2.0, 1.9, 2.1), Point("g", "igraph", 4.0, 2.0, 8.0)])
    'Noisy (*): 1 of 2 numbers. On g: igraph.'
    """
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
    return svg(ids, points, chart.draw, chart.x, chart.y, description)


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
