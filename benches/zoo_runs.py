"""The runs of the zoo (benches/zoo.py): candidates, and their times side by side on one graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from zoo_graphs import Array, Kept

import pointerjump as pj
from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.graphs import ResidentGraph
from pointerjump.accel.residents.placing import place
from pointerjump.accel.runtime.session import Session
from pointerjump.bench.timing import interleaved
from pointerjump.registry import (
    ALGORITHMS,
    Algorithm,
    Choice,
    InputFacts,
    ask,
    format_variant,
    parse_variant,
    select,
)

AUTO = "auto"
FORMS = ("rows", "edges")

FAST = ("afforest", "afforest-edges", "ecl-cc", "eclaf", "rem-cas", "galois", "one-group", "fast-sv")
"""The algorithms of which each value of each axis is a candidate; of the others only the defaults are."""

COMBINED = ("afforest:init=first,one_in=16,rest=until-joined", "afforest:init=first,rest=until-joined")
"""Candidates that differ from the defaults on several axes."""

NOT_VARIED = ("reads", "access")
"""Axes that are left alone: how memory is read, and what suits the class of device."""

UNTOLD = (*NOT_VARIED, "balance", "rounds_ahead", "work_items")
"""Axes whose values depend on the class of device alone, and are not printed."""

MUCH_SLOWER, CLOSE = 6.0, 1.3
"""How many times as long as the best a candidate takes that is not timed again, or is timed more often."""

WARM_UP, ROUNDS, MORE_ROUNDS = 2, 7, 8
QUICK = 0.05
"""A first run that took fewer seconds is repeated, because it is the one that first touches its memory."""


class Candidate(NamedTuple):
    """An algorithm, and values for some of its axes, by the text that names them."""

    text: str

    @property
    def algorithm(self) -> str:
        """The algorithm's name, or ``auto``."""
        return self.text.partition(":")[0]

    @property
    def values(self) -> dict[str, str]:
        """The values as text."""
        return parse_variant(self.text.partition(":")[2])


@dataclass
class Times:
    """What was measured on one graph in one form.

    Attributes
    ----------
    chosen : str
        What ``auto`` has run.
    ms : dict
        The median time of each candidate's runs. Of one that is much slower than the best, that of one run.
    cost : dict
        The seconds that each candidate's plan and first runs took; those of larger graphs are estimated from
        them.
    skipped : dict
        Why a candidate was not run.
    """

    chosen: str = ""
    ms: dict[str, float] = field(default_factory=dict)
    cost: dict[str, float] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)


# -- candidates --------------------------------------------------------------------------------------


def components_algorithms() -> list[Algorithm]:
    """Return the algorithms with kernels for components."""
    return [each for each in ALGORITHMS.values() if each.problem == "components" and each.kernels]


def all_candidates(every_variant: bool = False) -> list[str]:
    """Return ``auto``, all defaults, all published forms, and variants: of the fast algorithms, or of all."""
    names = [AUTO]
    for algorithm in components_algorithms():
        names += [algorithm.name, published(algorithm.name)]
        if every_variant or algorithm.name in FAST:
            names += variants_of(algorithm)
    return list(dict.fromkeys([*names, *COMBINED]))


def variants_of(algorithm: Algorithm) -> Iterator[str]:
    """Yield the variants that differ from the default on one axis."""
    for variant in algorithm.variants_one_by_one("kernels"):
        if variant and not variant.keys() & set(NOT_VARIED):
            yield f"{algorithm.name}:{format_variant(variant)}"


def published(name: str) -> str:
    """Return an algorithm's published form: the reference's defaults, even if the kernels' are others."""
    axes = [
        axis for axis in ALGORITHMS[name].axes_of("kernels") if "reference" in axis.sides and axis.by_device
    ]
    values = {axis.name: axis.values[0] for axis in axes if axis.name not in (*NOT_VARIED, "narrow")}
    return f"{name}:{format_variant(values)}" if values else name


def parse_candidates(text: str) -> list[str]:
    """Return candidates from a list such as ``auto,afforest:init=first,one_in=16,galois``."""
    names: list[str] = []
    for part in text.split(","):
        if "=" in part and ":" not in part and names:
            names[-1] += f",{part}"
        else:
            names.append(part)
    return names


# -- one graph in one form ---------------------------------------------------------------------------


class Exhibit:
    """A graph on a device in one form, and the right answer."""

    def __init__(self, kept: Kept, form: str, session: Session) -> None:
        graph = kept.rows if form == "rows" else kept.edges
        self.session, self.form = session, form
        self.vertices, self.answer = graph.vertices, kept.representatives
        self.resident: ResidentGraph = place(graph, form, session)
        self.facts = InputFacts(graph.vertices, self.resident.stored, form, on_device=form == "rows")
        session.finish()

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


def measure(
    exhibit: Exhibit, candidates: Iterable[str], once: Iterable[str], skipped: Mapping[str, str]
) -> Times:
    """Time candidates on a graph.

    Each runs once, and is checked. Those that are not much slower than the best then take turns.

    Parameters
    ----------
    exhibit : Exhibit
    candidates : iterable of str
        Begins with ``auto``.
    once : iterable of str
        Those that are to run only once, whatever their time.
    skipped : mapping
        Those that are not to run, with the reason.
    """
    times = Times(skipped=dict(skipped))
    plans, same = screened(exhibit, [name for name in candidates if name not in skipped], times)
    best = min(times.ms.values(), default=0.0)
    again = [name for name in plans if times.ms[name] <= MUCH_SLOWER * best and name not in set(once)]
    plans = {name: plan for name, plan in plans.items() if name in again or name == AUTO}
    times.ms |= in_turn(exhibit, plans)
    times.ms |= {name: times.ms[other] for name, other in same.items()}
    return times


def screened(
    exhibit: Exhibit, candidates: Iterable[str], times: Times
) -> tuple[dict[str, Plan], dict[str, str]]:
    """Run candidates once; return the plans of those worth more runs, and who is the same as another."""
    plans: dict[str, Plan] = {}
    same: dict[str, str] = {}
    first: dict[str, str] = {}
    best = float("inf")
    for name in candidates:
        choice = exhibit.choice(Candidate(name))
        if choice.form != exhibit.form:
            continue  # it does not take this form
        key = f"{choice.algorithm.name} {format_variant(choice.variant)}"
        times.chosen = times.chosen or in_words(choice)
        if key in first:
            same[name] = first[key]
            continue
        first[key] = name
        began = perf_counter()
        try:
            plan = exhibit.prepare(choice)
            seconds = exhibit.seconds(plan)
        except pj.PointerjumpError as refusal:
            times.skipped[name] = str(refusal)
            continue
        if seconds < QUICK:
            seconds = min(seconds, exhibit.seconds(plan))
        exhibit.check(plan, name)
        times.cost[name] = perf_counter() - began
        times.ms[name] = 1e3 * seconds
        best = min(best, seconds)
        if seconds <= MUCH_SLOWER * best or name == AUTO:
            plans[name] = plan
    return plans, {name: other for name, other in same.items() if other in times.ms}


def in_words(choice: Choice) -> str:
    """Return what a choice runs: the algorithm, and those values that are not the first of their axis."""
    first = {axis.name: axis.values[0] for axis in choice.algorithm.axes}
    differ = {name: value for name, value in choice.variant.items() if value != first[name]}
    told = {name: value for name, value in differ.items() if name not in UNTOLD}
    return f"{choice.algorithm.name}:{format_variant(told)}" if told else choice.algorithm.name


def in_turn(exhibit: Exhibit, plans: Mapping[str, Plan]) -> dict[str, float]:
    """Return the median times of plans that take turns, in ms; those close to the best run more often."""
    runs = {name: (lambda plan=plan: exhibit.run(plan)) for name, plan in plans.items()}
    samples = rounds(runs, WARM_UP + ROUNDS)
    medians = {name: float(np.median(taken[WARM_UP:])) for name, taken in samples.items()}
    close = CLOSE * min(medians.values(), default=0.0)
    near = {name: run for name, run in runs.items() if medians[name] <= close or name == AUTO}
    for name, more in rounds(near, MORE_ROUNDS).items():
        samples[name] += more
    return {name: 1e3 * float(np.median(taken[WARM_UP:])) for name, taken in samples.items()}


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


def record(shape: str, size: str, order: str, exhibit: Exhibit, kept: Kept, times: Times) -> dict[str, Any]:
    """Return what a file of results says about one graph in one form."""
    return {
        "shape": shape,
        "size": size,
        "order": order,
        "form": exhibit.form,
        "vertices": exhibit.vertices,
        "stored": exhibit.resident.stored,
        "components": kept.components,
        **vars(times),
    }
