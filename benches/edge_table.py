"""From edges to labels, by us and by others side by side: what sparse_edges.py and small_edges.py share.

There are three forms of input: two arrays, scipy's matrix of these with each edge in one direction, on which
scipy is fastest, and its matrix with both directions. From arrays, scipy makes a matrix first, and that is
timed too. Everybody's answer is an array of labels.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from peers import PEERS, same_components
from rich.console import Console
from rich.table import Table
from scipy.sparse.csgraph import connected_components as scipy_components

import pointerjump as pj
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench.timing import Timing, interleaved

OURS, SCIPY, BOOST = "ours", "scipy", "Boost"
ARRAYS, MATRIX, BOTH_DIRECTIONS = "arrays", "a matrix", "a matrix with both directions"
SHORT_ROUND = 0.05
"""Seconds. In a longer round, what wakes up a thread or fills a cache takes no noticeable share."""

PEER = {peer.name: peer for peer in PEERS if peer.name in (SCIPY, BOOST)}

Labels = npt.NDArray[np.int32]
Way = tuple[str, str]
"""A form of input, and who finds the labels."""


@dataclass(frozen=True)
class Edges:
    """Named edges, each in one direction."""

    name: str
    sources: npt.NDArray[Any]
    targets: npt.NDArray[Any]
    vertices: int

    def matrix(self) -> Any:
        """Return scipy's matrix with each edge in the direction it has."""
        ones = np.ones(len(self.sources), np.bool_)
        shape = (self.vertices, self.vertices)
        return sp.coo_array((ones, (self.sources, self.targets)), shape).tocsr()


@dataclass(frozen=True)
class Measurement:
    """What is measured: ways, in how many rounds, and for how long in all.

    Attributes
    ----------
    ways : list of tuple
    session : Session
    rounds, most_rounds : int
        The least and the most rounds.
    seconds : float
        How long the rounds should take at most, if there are more than the least.
    lead_in : int
        How often everybody runs before they are timed, if a round is short.
    """

    ways: list[Way]
    session: Session
    rounds: int
    most_rounds: int = 0
    seconds: float = 0.0
    lead_in: int = 0

    def times(self, edges: Edges) -> Line:
        """Verify everybody's labels, and then time all of them in turn."""
        runs = self._runs(edges)
        began = perf_counter()
        for run in runs.values():
            run()
        one_round = perf_counter() - began
        lead_in = self.lead_in if one_round < SHORT_ROUND else 0
        affordable = int(self.seconds / one_round / (1 + lead_in))
        rounds = max(self.rounds, min(affordable, self.most_rounds))
        timings = interleaved({" ".join(way): run for way, run in runs.items()}, rounds, lead_in=lead_in)
        pairs = (edges.sources, edges.targets)
        ran = pj.components(pairs, device=self.session, vertices=edges.vertices).stats["algorithm"]
        return Line(edges, ran, {way: timings[" ".join(way)] for way in runs})

    def _runs(self, edges: Edges) -> dict[Way, Callable[[], Labels]]:
        made = {ARRAYS: edges, MATRIX: edges.matrix()}
        made[BOTH_DIRECTIONS] = sp.csr_array(made[MATRIX] + made[MATRIX].T)
        runs = {(form, who): run_of(form, who, made[form], self.session) for form, who in self.ways}
        labels = runs[ARRAYS, OURS]()
        pj.verify(pj.Graph.from_edges(edges.sources, edges.targets, vertices=edges.vertices), labels)
        for way, run in runs.items():
            if not same_components(run(), labels):
                raise SystemExit(f"{edges.name}: {' '.join(way)} finds other components")
        return runs


def run_of(form: str, who: str, given: Any, session: Session) -> Callable[[], Labels]:
    """Return a call that finds labels."""
    if form == ARRAYS:
        if who == OURS:
            ends, n = (given.sources, given.targets), given.vertices
            return lambda: pj.components(ends, device=session, vertices=n).labels
        return lambda: PEER[who].from_arrays(given.sources, given.targets, given.vertices)
    find = scipy_components if who == SCIPY else _our_function(session)
    return lambda: find(given, directed=False)[1]


def _our_function(session: Session) -> Callable[..., tuple[int, Labels]]:
    return lambda matrix, directed: pj.connected_components(matrix, directed, device=session)


# -- tables ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """The times on some edges, and the algorithm that ran on arrays."""

    edges: Edges
    ran: str
    timings: dict[Way, Timing]

    def ratio(self, way: Way) -> float:
        """Return how many times as long as ours a way takes."""
        return self.timings[way].median / self.timings[way[0], OURS].median


@dataclass
class Report:
    """The tables of a run, one for each form of input."""

    title: str
    unit: str
    per_second: float
    lines: list[Line] = field(default_factory=list)

    def print(self) -> None:
        """Print the tables, and below each of them where we are least ahead."""
        ways = list(self.lines[0].timings)
        for form in dict.fromkeys(form for form, _ in ways):
            self._print_form(form, [who for its_form, who in ways if its_form == form and who != OURS])

    def _print_form(self, form: str, others: list[str]) -> None:
        table = Table(
            title=f"{self.title}, from {form}, {self.unit}: median, quartiles", title_justify="left"
        )
        of_arrays = form == ARRAYS
        headings = ["edges", OURS, "", *(f"{who} / ours" for who in others), *["ran"] * of_arrays]
        for heading in headings:
            table.add_column(heading, justify="left" if heading == "edges" else "right")
        for line in self.lines:
            ratios = [f"{line.ratio((form, who)):.2f}" for who in others]
            table.add_row(
                line.edges.name, *self._shown(line.timings[form, OURS]), *ratios, *[line.ran] * of_arrays
            )
        Console(width=110).print(table)
        for who in others:
            least = min(self.lines, key=lambda line: line.ratio((form, who)))
            print(f"{who} / ours: least {least.ratio((form, who)):.2f} ({least.edges.name})")

    def _shown(self, taken: Timing) -> tuple[str, str]:
        """Return the median, and the quartiles."""
        low, middle, high = (f"{self.per_second * s:.1f}" for s in (taken.low, taken.median, taken.high))
        return middle, f"{low} to {high}"

    def write(self, path: Path, session: Session) -> None:
        """Write medians and quartiles as JSON."""
        lines = [
            {
                "edges": line.edges.name,
                "stored": len(line.edges.sources),
                "vertices": line.edges.vertices,
                "ran": line.ran,
                "seconds": {" ".join(w): [t.low, t.median, t.high] for w, t in line.timings.items()},
            }
            for line in self.lines
        ]
        path.write_text(json.dumps({"device": session.device.as_dict(), "lines": lines}, indent=1))


# -- the commands ----------------------------------------------------------------------------------


def parser(description: str) -> argparse.ArgumentParser:
    """Return a parser of the options that both commands have."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", help="what we run on")
    parser.add_argument("--only", default="", help="only edges with this in their name")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=Path)
    return parser


def ways_here(ways: Iterable[Way]) -> list[Way]:
    """Return the ways that can run here; print which programs cannot, and why."""
    ways = list(ways)
    reasons = {who: PEER[who].missing() for who in dict.fromkeys(who for _, who in ways) if who in PEER}
    for who, reason in reasons.items():
        if reason:
            print(f"{who} is left out: {reason}")
    return [way for way in ways if not reasons.get(way[1])]


def run(report: Report, all_edges: Iterable[Edges], measurement: Measurement, json: Path | None) -> None:
    """Measure on all edges, and print and write the results."""
    for edges in all_edges:
        report.lines.append(measurement.times(edges))
    if not report.lines:
        raise SystemExit("--only fits the name of no edges")
    report.print()
    if json:
        report.write(json, measurement.session)


def session_of(asked: argparse.Namespace) -> Session:
    """Return the session of the device that was asked for."""
    return session_for(asked.device)
