"""The measurements of list ranking: each function takes a list and returns plain times."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from pointerjump.bench.kernel_times import list_kernel_times
from pointerjump.bench.measurements import ChartTimes, ContestantTimes
from pointerjump.bench.sizes import Effort
from pointerjump.bench.subjects import ListSubject, Run, in_turn
from pointerjump.bench.work_groups import over_work_groups
from pointerjump.linked_lists import SuccessorArray
from pointerjump.registry import ALGORITHMS

WALK = "sequential walk (numba)"


def every_list_ranking(subject: ListSubject, effort: Effort) -> ChartTimes:
    """Time every parallel list-ranking algorithm with kernels, and a walk on one core."""
    measured = ChartTimes()
    runs: dict[str, Run] = {
        name: subject.kernels(name)
        for name, algorithm in ALGORITHMS.items()
        if algorithm.problem == "list-ranking" and algorithm.kernels and not algorithm.serial
    }
    if find_spec("numba"):
        runs[WALK] = _compiled_walk(subject)
    else:
        measured.left_out.append(f"{WALK}: numba is not installed: pip install numba")
    measured.times = in_turn(subject, runs, effort)
    return measured


def kernels_of(algorithm: str) -> Callable[[ListSubject, Effort], ChartTimes]:
    """Return a measure of each kernel of an algorithm, by profiling events."""

    def measure(subject: ListSubject, effort: Effort) -> ChartTimes:
        subject.kernels(algorithm)  # verifies the answer
        times = list_kernel_times(subject.successors, subject.session, algorithm, effort.rounds)
        where = subject.where
        return ChartTimes([ContestantTimes(where, kernel, t, subject.counts) for kernel, t in times.items()])

    return measure


def lists_over_work_groups(subject: ListSubject, effort: Effort) -> ChartTimes:
    """Time random splitters with at most 1, 2, 4, ... work-groups."""
    return over_work_groups(subject, effort, {"random-splitter": "random-splitter"})


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


@cache
def _compiled() -> Any:
    import numba

    return numba.njit(walk)


def _compiled_walk(subject: ListSubject) -> Run:
    def run() -> SuccessorArray:
        ranks = np.empty(len(subject.successors), np.int32)
        _compiled()(subject.successors, ranks)
        return ranks

    subject.check(run())
    return run
