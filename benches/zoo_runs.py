"""The graphs of the zoo (benches/zoo.py), and the times of candidates on one of them.

A graph is made once, checked by scipy, and kept in a file in both forms: its edges, each once, and its rows,
which hold both directions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import zoo_shapes
from scipy.sparse.csgraph import connected_components
from zoo_shapes import SEED, SHAPES, Edges, Size

import pointerjump as pj
from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.graphs import ResidentGraph
from pointerjump.accel.runtime.session import Session
from pointerjump.base.graph import Graph
from pointerjump.bench.timing import interleaved
from pointerjump.registry import Choice, ask, format_variant, parse_variant, select
from pointerjump.solving.inputs import HostGraph
from pointerjump.solving.run import Seconds

AUTO = "auto"

# -- graphs ----------------------------------------------------------------------------------------

Array = npt.NDArray[Any]

SIZES = {
    "tiny": Size(1 << 6, 1 << 8),
    "small": Size(1 << 13, 1 << 15),
    "medium": Size(1 << 17, 1 << 19),
    "large": Size(1 << 21, 1 << 23),
    "huge": Size(1 << 23, 1 << 25),
}
"""By name. ``small``, ``medium`` and ``large`` are measured, ``tiny`` is for tests."""

ORDERS = ("generated", "shuffled")
"""Vertices and edges as the construction numbers them, or in random order, edges in random direction."""

SLOW_TO_MAKE = ("delaunay", "geometric")


class Specimen(NamedTuple):
    """One graph of the zoo, by name."""

    shape: str
    size: str
    order: str

    def file(self, folder: Path) -> Path:
        """Return where it is kept; the name changes when the shapes' code does."""
        return folder / f"{self.shape}-{self.size}-{self.order}-{code_digest():08x}.npz"


class Kept(NamedTuple):
    """A graph in both forms, and the smallest vertex of each vertex's component according to scipy."""

    edges: pj.Graph
    rows: pj.Graph
    representatives: Array
    components: int


@cache
def code_digest() -> int:
    """Return a number that changes when the shapes or this module do."""
    return crc32(b"".join(Path(module).read_bytes() for module in (zoo_shapes.__file__, __file__)))


def make_all(shapes: Iterable[str], sizes: Iterable[str], orders: Iterable[str], folder: Path) -> None:
    """Make graphs that are not kept yet, in parallel, the slowest first."""
    wanted = [Specimen(*names) for names in product(shapes, sizes, orders)]
    missing = [specimen for specimen in wanted if not specimen.file(folder).exists()]
    missing.sort(key=lambda specimen: (specimen.shape in SLOW_TO_MAKE, SIZES[specimen.size]), reverse=True)
    with ProcessPoolExecutor() as pool:
        list(pool.map(make, missing, [folder] * len(missing)))


def make(specimen: Specimen, folder: Path) -> None:
    """Make a graph and keep it."""
    edges = each_once(SHAPES[specimen.shape].build(SIZES[specimen.size]))
    if specimen.order == "shuffled":
        edges = shuffled(edges)
    rows = Graph.of_edges(edges.sources, edges.targets, edges.vertices)
    target = specimen.file(folder)
    unfinished = target.with_suffix(".unfinished.npz")
    np.savez(
        unfinished,
        sources=edges.sources,
        targets=edges.targets,
        offsets=rows.offsets,
        neighbors=rows.neighbors,
        representatives=representatives_of(rows),
    )
    unfinished.rename(target)


def load(specimen: Specimen, folder: Path) -> Kept:
    """Return a graph that is kept."""
    with np.load(specimen.file(folder)) as arrays:
        representatives = arrays["representatives"]
        rows = pj.Graph(arrays["offsets"], arrays["neighbors"])
        edges = Graph.of_edges(arrays["sources"], arrays["targets"], len(representatives))
    rows.mark_symmetric()  # make() has both directions of every edge
    roots = representatives == np.arange(len(representatives))
    return Kept(edges, rows, representatives, int(np.count_nonzero(roots)))


def each_once(edges: Edges) -> Edges:
    """Return edges in the same order, without loops, and without those that occur before in any direction."""
    proper = edges.sources != edges.targets
    n, sources, targets = edges.vertices, edges.sources[proper], edges.targets[proper]
    keys = np.minimum(sources, targets).astype(np.int64) * n + np.maximum(sources, targets)
    ordered = np.sort(keys)
    if (ordered[1:] == ordered[:-1]).any():
        first = np.sort(np.unique(keys, return_index=True)[1])
        sources, targets = sources[first], targets[first]
    return Edges(n, sources.astype(np.int32), targets.astype(np.int32))


def shuffled(edges: Edges) -> Edges:
    """Return a graph with its vertices renumbered, its edges reordered and half of them turned, at random."""
    rng = np.random.default_rng(SEED)
    names = rng.permutation(edges.vertices).astype(np.int32)
    order = rng.permutation(len(edges.sources))
    sources, targets = names[edges.sources[order]], names[edges.targets[order]]
    turned = rng.random(len(order)) < 0.5
    return Edges(edges.vertices, np.where(turned, targets, sources), np.where(turned, sources, targets))


def representatives_of(graph: pj.Graph) -> Array:
    """Return the smallest vertex of each vertex's component, according to scipy."""
    ones = np.ones(graph.directed_edges, np.int8)
    matrix = sp.csr_array((ones, graph.neighbors, graph.offsets), shape=(graph.vertices, graph.vertices))
    labels = connected_components(matrix, directed=False)[1]
    smallest = np.unique(labels, return_index=True)[1]
    return smallest[labels].astype(np.int32)


# -- runs ------------------------------------------------------------------------------------------

FORMS = ("rows", "edges")
"""Rows with both directions of every edge; edges, each once."""

UNTOLD = ("reads", "access", "balance", "rounds_ahead", "work_items")
"""Axes whose values depend on the class of device alone, and are not printed."""

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
    ms : dict
        The median time of each candidate's runs. Of one that is much slower than the best, that of one run.
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
    ms: dict[str, float] = field(default_factory=dict)
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

    def choice(self, candidate: str) -> Choice:
        """Return what a candidate such as ``afforest:init=first`` runs on this graph."""
        tuning, (algorithm, _, values) = self.session.tuning, candidate.partition(":")
        asked = ask("components", algorithm, parse_variant(values), tuning)
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
        times.ms |= {other: times.ms[name] for other in others if name in times.ms}
        plans |= {other: plans[name] for other in others if name in plans}
    final(exhibit, plans, times)
    return times


def in_words(choice: Choice) -> str:
    """Return what a choice runs: the algorithm, and those values that are not the first of their axis."""
    first = {axis.name: axis.values[0] for axis in choice.algorithm.axes}
    told = {n: value for n, value in choice.variant.items() if value != first[n] and n not in UNTOLD}
    return f"{choice.algorithm.name}:{format_variant(told)}" if told else choice.algorithm.name


def distinct(exhibit: Exhibit, candidates: Iterable[str]) -> list[tuple[list[str], Choice]]:
    """Return what candidates run that take the graph in this form, each once, with the candidates' names."""
    chosen: dict[str, tuple[list[str], Choice]] = {}
    for name in candidates:
        choice = exhibit.choice(name)
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
    times.ms[name] = 1e3 * seconds
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
        most = within * min((times.ms[name] for name in plans), default=0.0)
        runs = {name: run for name, run in runs.items() if times.ms[name] <= most or name == AUTO}


def final(exhibit: Exhibit, plans: Mapping[str, Plan], times: Times) -> None:
    """Let ``auto`` and the best of the others take turns, unless that was far behind, or is the same."""
    others = [name for name in times.ms if name != AUTO]
    times.rival = min(others, key=times.ms.__getitem__, default="")
    finalists = [AUTO, times.rival] if others else [AUTO]
    if plans.get(times.rival, plans[AUTO]) is plans[AUTO]:
        times.final = {name: times.ms[name] for name in finalists}
        times.ratio = times.ms[AUTO] / times.ms[finalists[-1]]
        return
    runs = {name: (lambda plan=plans[name]: exhibit.run(plan)) for name in finalists}
    samples = {name: 1e3 * np.array(taken) for name, taken in rounds(runs, FINAL).items()}
    times.final = {name: float(np.median(taken)) for name, taken in samples.items()}
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
