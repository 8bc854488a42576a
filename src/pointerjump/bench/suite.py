"""Measures what charts show: one graph or list after another, for every chart that shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pointerjump.accel.runtime.session import Session
from pointerjump.bench.charts import Chart
from pointerjump.bench.measurements import ChartTimes, Place
from pointerjump.bench.sizes import SIZES, Size
from pointerjump.bench.subjects import GraphSubject, ListSubject, Subject


def workload(name: str, graphs: Sequence[str] = (), rounds: int | None = None) -> Size:
    """Return a set by its name, with the user's graphs and number of rounds if there are any.

    Parameters
    ----------
    name : {"quick", "standard", "full"}
    graphs : sequence of str
        Files or specs, in place of the set's graphs.
    rounds : int, optional
        Exactly this many, in place of the set's own number.

    Examples
    --------
    >>> workload("quick", ["star:vertices=9"], rounds=3).axes["graphs"]
    {'star:vertices=9': 'star:vertices=9'}
    """
    size = SIZES[name]
    if graphs:
        names = [Path(source).name for source in graphs]
        if len(set(names)) < len(names):  # in different folders
            names = list(graphs)
        own: dict[Place, str] = dict(zip(names, graphs, strict=True))
        size = replace(size, axes={**size.axes, "graphs": own})
    if rounds:
        size = replace(size, effort=replace(size.effort, rounds=rounds, seconds=0.0))
    return size


@dataclass
class Results:
    """What a run found: times by chart, and what they were measured on."""

    session: Session
    size: Size
    charts: dict[str, ChartTimes] = field(default_factory=dict)
    subjects: list[Mapping[str, Any]] = field(default_factory=list)


def steps(size: Size, chosen: list[Chart]) -> list[str]:
    """Return the names of the steps of a run, one for each graph or list."""
    return [f"{axis}: {where}" for axis in _axes(chosen) for where in size.axes[axis]]


def run(
    session: Session, size: Size, chosen: list[Chart], begin: Callable[[str], None] = lambda step: None
) -> Results:
    """Measure what the chosen charts show; one graph is in memory at a time.

    Parameters
    ----------
    session : Session
        Of the device to measure on.
    size : Size
    chosen : list of Chart
    begin : callable
        Told the name of each step as it begins.

    Raises
    ------
    VerificationError
        If an answer is wrong: nothing is timed that has not been verified.
    """
    results = Results(session, size)
    for axis in _axes(chosen):
        of_axis = [chart for chart in chosen if chart.axis == axis]
        for where, source in size.axes[axis].items():
            begin(f"{axis}: {where}")
            subject: Subject = _KINDS[axis](where, source, session)
            results.subjects.append({"axis": axis, "name": where, "source": source, **subject.counts})
            # Charts that show the same times in different units share them.
            measures = dict.fromkeys(chart.measure for chart in of_axis)
            measured = {measure: measure(subject, size.effort) for measure in measures}
            for chart in of_axis:
                results.charts.setdefault(chart.name, ChartTimes()).add(measured[chart.measure])
    return results


_KINDS: dict[str, Callable[[Place, str, Session], Subject]] = {
    "graphs": GraphSubject,
    "fractions": GraphSubject,
    "degrees": GraphSubject,
    "groups": GraphSubject,
    "lists": ListSubject,
    "list-groups": ListSubject,
}


def _axes(chosen: list[Chart]) -> list[str]:
    return list(dict.fromkeys(chart.axis for chart in chosen))
