"""The measurements of connected components: each function takes a graph and returns plain times."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from pointerjump.bench.kernel_times import kernel_times
from pointerjump.bench.measurements import ChartTimes, ContestantTimes
from pointerjump.bench.peers import PEERS, Peer
from pointerjump.bench.sizes import Effort
from pointerjump.bench.subjects import GraphSubject, Run, in_turn
from pointerjump.bench.work_groups import over_work_groups
from pointerjump.connectivity import components
from pointerjump.errors import AlgorithmError
from pointerjump.registry import ALGORITHMS, find_algorithm

OURS = "pointerjump auto"
NO_SKIPPING = "afforest, no skipping"
SEARCH = "scipy"  # the breadth-first search that our algorithms are compared with

PAPER_NAMES = {
    "init": {"own": "Init1", "smallest": "Init2", "first": "Init3"},
    "jump": {"multiple": "Jump1", "single": "Jump2", "none": "Jump3", "intermediate": "Jump4"},
    "fini": {"intermediate": "Fini1", "multiple": "Fini2", "single": "Fini3"},
}
"""What the ECL-CC paper calls the choices."""


def beside_peers(subject: GraphSubject, effort: Effort) -> ChartTimes:
    """Time every peer on a graph in the peer's own form, and ``auto`` on the one on the device."""
    runs = {OURS: subject.kernels()}
    return _beside_peers(subject, effort, runs, lambda peer: peer.resident(subject.graph))


def beside_peers_from_arrays(subject: GraphSubject, effort: Effort) -> ChartTimes:
    """Time everybody from NumPy edge arrays to labels on the host."""
    sources, targets = subject.edge_arrays()
    n = subject.graph.vertices

    def ours() -> Any:
        return components((sources, targets), device=subject.session, vertices=n).labels

    subject.check(ours())
    return _beside_peers(
        subject, effort, {OURS: ours}, lambda peer: lambda: peer.from_arrays(sources, targets, n)
    )


def _beside_peers(
    subject: GraphSubject, effort: Effort, runs: dict[str, Run], run_of: Callable[[Peer], Callable[[], Any]]
) -> ChartTimes:
    measured = ChartTimes()
    for peer in PEERS:
        why_not = peer.missing() or _known_to_be_slow(peer, subject, effort)
        if not why_not:
            began = perf_counter()
            run = run_of(peer)
            answer = run()
            took = perf_counter() - began
            subject.check(answer)
            if took <= effort.patience:
                runs[peer.name] = run
            else:
                why_not = f"took {took:.0f} s on {subject.where}, which is too long for this set"
        if why_not:
            measured.left_out.append(f"{peer.name}: {why_not}")
    measured.times = in_turn(subject, runs, effort)
    return measured


def _known_to_be_slow(peer: Peer, subject: GraphSubject, effort: Effort) -> str | None:
    most = effort.slow_peers_up_to
    too_slow = peer.slow and subject.graph.edges > most
    return f"too slow for graphs of more than {most:,} edges in this set" if too_slow else None


def every_algorithm(subject: GraphSubject, effort: Effort) -> ChartTimes:
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
        if (took := perf_counter() - began) <= effort.patience:
            runs[algorithm.name] = run
        else:
            left_out.append(f"{algorithm.name}: took {took:.0f} s on {subject.where}, too long for this set")
    return ChartTimes(in_turn(subject, runs, effort), left_out)


def kernels_of(algorithm: str) -> Callable[[GraphSubject, Effort], ChartTimes]:
    """Return a measure of each kernel of an algorithm, by profiling events."""

    def measure(subject: GraphSubject, effort: Effort) -> ChartTimes:
        subject.kernels(algorithm)  # verifies the answer
        times = kernel_times(subject.on_device, algorithm, runs=effort.rounds)
        chosen = subject.on_device.choose(algorithm).algorithm.name
        where = subject.where if chosen == algorithm else f"{subject.where} ({chosen})"
        return ChartTimes([ContestantTimes(where, kernel, t, subject.counts) for kernel, t in times.items()])

    return measure


def ecl_choices(axis: str) -> Callable[[GraphSubject, Effort], ChartTimes]:
    """Return a measure of ECL-CC with each choice on one of its axes, all else as published."""

    def measure(subject: GraphSubject, effort: Effort) -> ChartTimes:
        runs = {name: subject.kernels("ecl-cc", **{axis: value}) for name, value in _choices(axis).items()}
        return ChartTimes(in_turn(subject, runs, effort))

    return measure


def published_choice(axis: str) -> str:
    """Return what charts call ECL-CC's published choice on one of its axes."""
    return next(iter(_choices(axis)))


def _choices(axis: str) -> dict[str, str]:
    """Return the choices on one of ECL-CC's axes by name, the paper's and ours; the published one first."""
    axes = {a.name: a for a in find_algorithm("ecl-cc", "components").axes}
    return {f"{PAPER_NAMES[axis][str(value)]} ({value})": str(value) for value in axes[axis].values}


def afforest_and_others(subject: GraphSubject, effort: Effort) -> ChartTimes:
    """Time Afforest with and without skipping the largest component, two others, and a search."""
    runs = {
        "afforest": subject.kernels("afforest"),
        NO_SKIPPING: subject.kernels("afforest", skip_largest=False),
        "shiloach-vishkin": subject.kernels("shiloach-vishkin"),
        "ecl-cc": subject.kernels("ecl-cc"),
    }
    search = next(peer for peer in PEERS if peer.name == SEARCH).resident(subject.graph)
    subject.check(search())
    runs[SEARCH] = search
    return ChartTimes(in_turn(subject, runs, effort))


def components_over_work_groups(subject: GraphSubject, effort: Effort) -> ChartTimes:
    """Time Shiloach-Vishkin and ``auto`` with at most 1, 2, 4, ... work-groups."""
    return over_work_groups(subject, effort, {"shiloach-vishkin": "shiloach-vishkin", OURS: "auto"})
