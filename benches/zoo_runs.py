"""The runs of the zoo (benches/zoo.py): the times of candidates on one graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from zoo_candidates import AUTO, Candidate, in_words
from zoo_graphs import Array, Kept

import pointerjump as pj
from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.graphs import ResidentGraph
from pointerjump.accel.runtime.session import Session
from pointerjump.bench.timing import interleaved
from pointerjump.inputs import HostGraph
from pointerjump.registry import Choice, ask, format_variant, select
from pointerjump.run import Seconds

FORMS = ("rows", "edges")
"""Rows with both directions of every edge; edges, each once."""

MUCH_SLOWER = 3.0
"""What takes so many times as long as the best in its first run does not run again: it cannot be the best."""

WARM_UP = 2
"""How many rounds do not count."""

HEATS = ((4, 1.6), (5, 1.3), (4, 0.0))
"""Numbers of rounds; after each heat, those go on whose median is within this factor of the best."""

FINAL = 15
"""The rounds of the final between ``auto`` and the best of the others.

The best of many looks better than it is: of nine equal contestants the first took up to 1.5 times as long as
the best of the others, on a machine with other work. So the heats only say who the best is.
"""

QUICK, REPEATS = 0.05, 2
"""A first run of fewer seconds is repeated so often: it may have been disturbed, or touched new memory."""


@dataclass
class Times:
    """What was measured on one graph in one form.

    Attributes
    ----------
    chosen : str
        What ``auto`` has run.
    rival : str
        The best of the others.
    ratio : float
        What ``auto`` took over what the rival took: the median over the rounds of the final.
    final : dict
        The medians of both in the final, in ms.
    final_least : dict
        Their shortest runs in the final.
    ms : dict
        The median time of each candidate's runs. Of one that is much slower than the best, that of one run.
    least : dict
        The time of the shortest run.
    cost : dict
        The seconds that each candidate's plan and first runs took; those of larger graphs are estimated from
        them.
    skipped : dict
        Why a candidate was not run.
    """

    chosen: str = ""
    rival: str = ""
    ratio: float = 1.0
    final: dict[str, float] = field(default_factory=dict)
    final_least: dict[str, float] = field(default_factory=dict)
    ms: dict[str, float] = field(default_factory=dict)
    least: dict[str, float] = field(default_factory=dict)
    cost: dict[str, float] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)


class Exhibit:
    """A graph on a device in one form, and the right answer."""

    def __init__(self, kept: Kept, form: str, session: Session) -> None:
        given = pj.to_device(kept.rows, session) if form == "rows" else HostGraph(kept.edges)
        self.session, self.form, self.facts = session, form, given.facts()
        self.resident: ResidentGraph = given.placed(self.facts.form, session, Seconds())
        self.vertices, self.answer = len(kept.representatives), kept.representatives
        session.finish()

    def facts_about(self) -> dict[str, Any]:
        """Return what results say about the graph in this form."""
        return {"form": self.form, "vertices": self.vertices, "stored": self.resident.stored}

    def choice(self, candidate: Candidate) -> Choice:
        """Return what a candidate runs on this graph."""
        tuning = self.session.tuning
        asked = ask("components", candidate.algorithm, candidate.values, tuning)
        return select(asked, self.facts, tuning)

    def prepare(self, choice: Choice) -> Plan:
        """Return a plan that nobody else holds, so that its memory is freed with it."""
        with self.session.running():
            return choice.algorithm.prepare(self.resident, **choice.variant)

    def run(self, plan: Plan) -> None:
        """Run a plan, and wait until it is done."""
        plan.run()
        self.session.finish()

    def seconds(self, plan: Plan) -> float:
        """Return the seconds that one run took."""
        began = perf_counter()
        self.run(plan)
        return perf_counter() - began

    def check(self, plan: Plan, name: str) -> None:
        """Compare an answer with the right one."""
        found: Array = self.session.get(plan.result, self.vertices)
        if not np.array_equal(found, self.answer):
            at = int(np.argmax(found != self.answer))
            raise SystemExit(f"{name}: wrong answer: vertex {at} got {found[at]}, not {self.answer[at]}")


def measure(exhibit: Exhibit, candidates: Iterable[str], once: Set[str], skipped: Mapping[str, str]) -> Times:
    """Time candidates on a graph: each runs once, and is checked; those that may be the best then take turns.

    Parameters
    ----------
    exhibit : Exhibit
    candidates : iterable of str
        Begins with ``auto``.
    once : set of str
        Those that are to run only once, whatever their time.
    skipped : mapping
        Those that are not to run, with the reason.
    """
    times = Times(skipped=dict(skipped))
    chosen = distinct(exhibit, [name for name in candidates if name not in skipped])
    plans: dict[str, Plan] = {}
    for (name, *_), choice in chosen:
        plan = first_run(exhibit, name, choice, times)
        if plan and (name == AUTO or (name not in once and may_win(name, times))):
            plans[name] = plan
    times.chosen = in_words(chosen[0][1])
    in_turn(exhibit, {name: plan for name, plan in plans.items() if may_win(name, times)}, times)
    for (name, *others), _ in chosen:
        for known in (times.ms, times.least):
            known |= {other: known[name] for other in others if name in known}
        plans |= {other: plans[name] for other in others if name in plans}
    final(exhibit, plans, times)
    return times


def distinct(exhibit: Exhibit, candidates: Iterable[str]) -> list[tuple[list[str], Choice]]:
    """Return what candidates run that take the graph in this form, each once, with the candidates' names."""
    chosen: dict[str, tuple[list[str], Choice]] = {}
    for name in candidates:
        choice = exhibit.choice(Candidate(name))
        if choice.form == exhibit.form:
            key = f"{choice.algorithm.name} {format_variant(choice.variant)}"
            chosen.setdefault(key, ([], choice))[0].append(name)
    return list(chosen.values())


def first_run(exhibit: Exhibit, name: str, choice: Choice, times: Times) -> Plan | None:
    """Run a choice for the first time, check its answer, and note its time; None if it refuses the graph."""
    began = perf_counter()
    try:
        plan = exhibit.prepare(choice)
        seconds = exhibit.seconds(plan)
    except pj.PointerjumpError as refusal:
        if name == AUTO:
            raise
        times.skipped[name] = str(refusal)
        return None
    exhibit.check(plan, name)
    times.cost[name] = perf_counter() - began
    if seconds < QUICK:
        seconds = min(seconds, *(exhibit.seconds(plan) for _ in range(REPEATS)))
    times.ms[name] = times.least[name] = 1e3 * seconds
    return plan


def may_win(name: str, times: Times) -> bool:
    """Return whether a candidate is worth more runs, by its first; ``auto`` always is."""
    return name == AUTO or times.ms[name] <= MUCH_SLOWER * min(times.ms.values())


def in_turn(exhibit: Exhibit, plans: Mapping[str, Plan], times: Times) -> None:
    """Note the times of plans that take turns; the closer to the best, the more runs."""
    runs = {name: (lambda plan=plan: exhibit.run(plan)) for name, plan in plans.items()}
    samples: dict[str, list[float]] = {name: [] for name in runs}
    for count, within in HEATS:
        for name, more in rounds(runs, count).items():
            samples[name] += more
            times.ms[name] = 1e3 * float(np.median(samples[name][WARM_UP:]))
            times.least[name] = 1e3 * min(samples[name])
        most = within * min((times.ms[name] for name in plans), default=0.0)
        runs = {name: run for name, run in runs.items() if times.ms[name] <= most or name == AUTO}


def final(exhibit: Exhibit, plans: Mapping[str, Plan], times: Times) -> None:
    """Let ``auto`` and the best of the others take turns, unless that was far behind, or is the same."""
    others = [name for name in times.ms if name != AUTO]
    times.rival = min(others, key=times.ms.__getitem__, default="")
    finalists = [AUTO, times.rival] if others else [AUTO]
    if plans.get(times.rival, plans[AUTO]) is plans[AUTO]:
        times.final = {name: times.ms[name] for name in finalists}
        times.final_least = {name: times.least[name] for name in finalists}
        times.ratio = times.ms[AUTO] / times.ms[finalists[-1]]
        return
    runs = {name: (lambda plan=plans[name]: exhibit.run(plan)) for name in finalists}
    samples = {name: 1e3 * np.array(taken) for name, taken in rounds(runs, FINAL).items()}
    times.final = {name: float(np.median(taken)) for name, taken in samples.items()}
    times.final_least = {name: float(taken.min()) for name, taken in samples.items()}
    times.ratio = float(np.median(samples[AUTO] / samples[times.rival]))


def rounds(runs: Mapping[str, Callable[[], object]], count: int) -> dict[str, list[float]]:
    """Return the seconds of runs that take turns, in another random order in each round.

    The first turn of a round does not count: it would be a disadvantage to have it, because the caches hold
    something else, and the driver's threads may sleep.
    """
    rng = np.random.default_rng(1)
    samples: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(count if runs else 0):
        names = list(rng.permutation(list(runs)))
        turns = {"": runs[names[-1]], **{name: runs[name] for name in names}}
        for name, timing in interleaved(turns, rounds=1, warm_up=0).items():
            if name:
                samples[name] += timing.samples
    return samples
