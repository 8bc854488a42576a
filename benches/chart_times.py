"""What charts.py measures: functions that take a graph or list, its place on the x axis and an effort."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numpy as np
from peers import PEERS, Peer

from pointerjump.accel.runtime.session import Session
from pointerjump.accel.shapes import Shapes
from pointerjump.base.linked_lists import SuccessorArray
from pointerjump.bench.own_device import SEED, SETS, GraphSubject, ListSubject, named
from pointerjump.bench.timing import Effort, ProfilingSession, Timing, kernel_times, timed
from pointerjump.errors import AlgorithmError
from pointerjump.graphs.connectivity import components
from pointerjump.registry import ALGORITHMS, find_algorithm

Place = str | float
"""Where on a chart's x axis: a graph's name, or a number."""

OURS = "pointerjump auto"
NO_SKIPPING = "afforest, no skipping"
SEARCH = "scipy"  # the breadth-first search that our algorithms are compared with
WALK = "sequential walk (numba)"

PAPER_NAMES = {
    "init": {"own": "Init1", "smallest": "Init2", "first": "Init3"},
    "jump": {"multiple": "Jump1", "single": "Jump2", "none": "Jump3", "intermediate": "Jump4"},
    "fini": {"intermediate": "Fini1", "multiple": "Fini2", "single": "Fini3"},
}
"""What the ECL-CC paper calls the choices."""


@dataclass(frozen=True)
class ContestantTimes:
    """The times of one contestant (`who`) in one place, in seconds, and how much one run works on."""

    where: Place
    who: str
    timing: Timing
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass
class ChartTimes:
    """The times that a chart is made of, and who was left out, each with the reason."""

    times: list[ContestantTimes] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def add(self, other: ChartTimes) -> None:
        """Take in what was measured in another place."""
        self.times += other.times
        self.left_out += [line for line in other.left_out if line not in self.left_out]


Measure = Callable[[Any, Place, "Size"], ChartTimes]
Run = Callable[[], Any]

# -- how much is measured --------------------------------------------------------------------------


@dataclass(frozen=True)
class Size:
    """A set of measurements: for each axis the places on it, and the graph or list in each.

    Programs known to be slow are not tried on graphs with more edges than `slow_peers_up_to`.
    """

    effort: Effort
    slow_peers_up_to: int
    axes: Mapping[str, Mapping[Place, str]]


def _size(name: str, slow_peers_up_to: int, scale: int, lists: range, groups: tuple[int, int]) -> Size:
    effort, inputs = SETS[name]
    fractions = (0.0001, 0.001, 0.01, 0.1, 0.2, 0.5, 1.0)
    axes: dict[str, Mapping[Place, str]] = {
        "graphs": {place: spec for place, spec in inputs.items() if not spec.startswith("list:")},
        "fractions": {f: f"union:scale={scale},degree=16,fraction={f},seed={SEED}" for f in fractions},
        "degrees": {d: f"kron:scale={scale},degree={d},seed={SEED}" for d in (2, 4, 8, 16, 32, 64)},
        "lists": {1 << k: f"list:length={1 << k},seed={SEED}" for k in lists},
        "groups": {"graph": f"urand:scale={groups[0]},degree=16,seed={SEED}"},
        "list-groups": {"list": f"list:length={1 << groups[1]},seed={SEED}"},
    }
    return Size(effort, slow_peers_up_to, axes)


SIZES = {
    "quick": _size("quick", 100_000, scale=15, lists=range(10, 21, 2), groups=(16, 18)),
    "standard": _size("standard", 1 << 20, scale=18, lists=range(10, 25, 2), groups=(18, 22)),
    "full": _size("full", 1 << 20, scale=21, lists=range(10, 29, 2), groups=(20, 24)),
}


def workload(name: str, graphs: Sequence[str] = (), rounds: int | None = None) -> Size:
    """Return a set by its name; with the user's graphs and number of rounds, if there are any."""
    size = SIZES[name]
    if graphs:
        size = replace(size, axes={**size.axes, "graphs": named(graphs)})
    if rounds:
        size = replace(size, effort=replace(size.effort, rounds=rounds, seconds=0.0))
    return size


def in_turn(subject: Any, where: Place, runs: Mapping[str, Run], effort: Effort) -> list[ContestantTimes]:
    """Time runs on a subject side by side."""
    return [ContestantTimes(where, who, t, subject.counts) for who, t in timed(runs, effort).items()]


# -- connected components --------------------------------------------------------------------------


def beside_peers(subject: GraphSubject, where: Place, size: Size) -> ChartTimes:
    """Time every peer on a graph in the peer's own form, and ``auto`` on the one on the device."""
    return _beside_peers(subject, where, size, subject.kernels(), lambda peer: peer.resident(subject.graph))


def beside_peers_from_arrays(subject: GraphSubject, where: Place, size: Size) -> ChartTimes:
    """Time everybody from NumPy edge arrays to labels on the host."""
    sources, targets = subject.edge_arrays()
    n = subject.graph.vertices

    def ours() -> Any:
        return components((sources, targets), device=subject.session, vertices=n).labels

    subject.check(ours())
    return _beside_peers(
        subject, where, size, ours, lambda peer: lambda: peer.from_arrays(sources, targets, n)
    )


def _beside_peers(
    subject: GraphSubject, where: Place, size: Size, ours: Run, run_of: Callable[[Peer], Run]
) -> ChartTimes:
    measured, runs = ChartTimes(), {OURS: ours}
    for peer in PEERS:
        why_not = peer.missing() or _known_to_be_slow(peer, subject, size)
        if not why_not:
            began = perf_counter()
            run = run_of(peer)
            answer = run()
            took = perf_counter() - began
            subject.check(answer)
            if took <= size.effort.patience:
                runs[peer.name] = run
            else:
                why_not = f"took {took:.0f} s on {where}, which is too long for this set"
        if why_not:
            measured.left_out.append(f"{peer.name}: {why_not}")
    measured.times = in_turn(subject, where, runs, size.effort)
    return measured


def _known_to_be_slow(peer: Peer, subject: GraphSubject, size: Size) -> str | None:
    most = size.slow_peers_up_to
    too_slow = peer.slow and subject.graph.edges > most
    return f"too slow for graphs of more than {most:,} edges in this set" if too_slow else None


def every_algorithm(subject: GraphSubject, where: Place, size: Size) -> ChartTimes:
    """Time ``auto`` and every algorithm with kernels, except those that refuse a graph or take too long."""
    runs, left_out = {OURS: subject.kernels()}, []
    for algorithm in ALGORITHMS.values():
        if algorithm.problem != "components" or not algorithm.kernels:
            continue
        began = perf_counter()
        try:
            run = subject.kernels(algorithm.name)
        except AlgorithmError as refusal:
            left_out.append(f"{algorithm.name}: {refusal}")
            continue
        if (took := perf_counter() - began) <= size.effort.patience:
            runs[algorithm.name] = run
        else:
            left_out.append(f"{algorithm.name}: took {took:.0f} s on {where}, too long for this set")
    return ChartTimes(in_turn(subject, where, runs, size.effort), left_out)


def ecl_choices(axis: str) -> Measure:
    """Return a measure of ECL-CC with each choice on one of its axes, all else as published."""

    def measure(subject: GraphSubject, where: Place, size: Size) -> ChartTimes:
        runs = {name: subject.kernels("ecl-cc", **{axis: value}) for name, value in _choices(axis).items()}
        return ChartTimes(in_turn(subject, where, runs, size.effort))

    return measure


def published_choice(axis: str) -> str:
    """Return what charts call ECL-CC's published choice on one of its axes."""
    return next(iter(_choices(axis)))


def _choices(axis: str) -> dict[str, str]:
    """Return the choices on one of ECL-CC's axes by name, the paper's and ours; the published one first."""
    axes = {a.name: a for a in find_algorithm("ecl-cc", "components").axes}
    return {f"{PAPER_NAMES[axis][str(value)]} ({value})": str(value) for value in axes[axis].values}


def afforest_and_others(subject: GraphSubject, where: Place, size: Size) -> ChartTimes:
    """Time Afforest with and without skipping the largest component, two others, and a search."""
    search = next(peer for peer in PEERS if peer.name == SEARCH).resident(subject.graph)
    subject.check(search())
    runs = {
        "afforest": subject.kernels("afforest"),
        NO_SKIPPING: subject.kernels("afforest", skip_largest=False),
        "shiloach-vishkin": subject.kernels("shiloach-vishkin"),
        "ecl-cc": subject.kernels("ecl-cc"),
        SEARCH: search,
    }
    return ChartTimes(in_turn(subject, where, runs, size.effort))


# -- list ranking ----------------------------------------------------------------------------------


def every_list_ranking(subject: ListSubject, where: Place, size: Size) -> ChartTimes:
    """Time every parallel list-ranking algorithm with kernels, and a walk on one core."""
    measured = ChartTimes()
    having = (each for each in ALGORITHMS.values() if each.problem == "list-ranking" and each.kernels)
    runs: dict[str, Run] = {each.name: subject.kernels(each.name) for each in having if not each.serial}
    if find_spec("numba"):
        runs[WALK] = lambda: walked(subject.successors)
        subject.check(runs[WALK]())
    else:
        measured.left_out.append(f"{WALK}: numba is not installed: pip install numba")
    measured.times = in_turn(subject, where, runs, size.effort)
    return measured


def walk(successors: SuccessorArray, ranks: SuccessorArray) -> None:
    """Rank one list, as a sequential program would: find its head, walk it once."""
    n = len(successors)
    head = 0  # the sum of all positions, less those that follow another one
    for j in range(n):
        head += j
        if successors[j] != j:
            head -= successors[j]
    rank, j = n - 1, head
    while successors[j] != j:
        ranks[j] = rank
        rank, j = rank - 1, successors[j]
    ranks[j] = rank


def walked(successors: SuccessorArray) -> SuccessorArray:
    """Return a list's ranks by a walk in machine code."""
    ranks = np.empty(len(successors), np.int32)
    _compiled()(successors, ranks)
    return ranks


@cache
def _compiled() -> Any:
    import numba

    return numba.njit(walk)


# -- both ------------------------------------------------------------------------------------------


def kernels_of(algorithm: str) -> Measure:
    """Return a measure of each kernel of an algorithm, by profiling events."""

    def measure(subject: GraphSubject | ListSubject, where: Place, size: Size) -> ChartTimes:
        session = ProfilingSession(subject.session)
        times = kernel_times(subject.kernels(algorithm, session), session, size.effort.rounds)
        chosen = subject.chosen(algorithm)
        place = where if chosen == algorithm else f"{where} ({chosen})"
        return ChartTimes([ContestantTimes(place, kernel, t, subject.counts) for kernel, t in times.items()])

    return measure


def over_work_groups(algorithms: Iterable[str]) -> Measure:
    """Return a measure of algorithms with at most 1, 2, 4, ... work-groups, to twice what tuning launches."""

    def measure(subject: GraphSubject | ListSubject, where: Place, size: Size) -> ChartTimes:
        device, tuning = subject.session.device, subject.session.tuning
        launched = device.compute_units * tuning.groups_per_unit
        powers = [1 << k for k in range(launched.bit_length() + 1)]
        measured = ChartTimes()
        for algorithm in algorithms:
            who = OURS if algorithm == "auto" else algorithm
            runs = {most: subject.kernels(algorithm, limited(subject.session, most)) for most in powers}
            for most, timing in timed({str(most): run for most, run in runs.items()}, size.effort).items():
                measured.times.append(ContestantTimes(int(most), who, timing, subject.counts))
        return measured

    return measure


def limited(session: Session, most_groups: int) -> Session:
    """Return a session on the same queue, with the same built programs, that launches fewer work-groups."""
    small = copy(session)
    # The limits are per compute unit: for any total, let there be one.
    few = {"groups_per_unit": most_groups, "groups_at_once": most_groups, "more_if_uneven": 1}
    tuning = replace(session.tuning, **few)
    small.shapes = Shapes(replace(session.device, compute_units=1), tuning)
    return small
