"""What is measured of list ranking: each function takes a list and returns plain times."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from pointerjump.bench.measurements import Measured
from pointerjump.bench.sizes import Effort
from pointerjump.bench.subjects import ListSubject, Run, in_turn
from pointerjump.bench.work_groups import over_work_groups
from pointerjump.linked_lists import SuccessorArray
from pointerjump.registry import ALGORITHMS

WALK = "sequential walk (numba)"


def every_list_ranking(subject: ListSubject, effort: Effort) -> Measured:
    """Time every list-ranking algorithm with kernels, and a walk on one core."""
    measured = Measured()
    runs: dict[str, Run] = {
        row.name: subject.kernels(row.name)
        for row in ALGORITHMS.values()
        if row.problem == "list-ranking" and row.kernels
    }
    if find_spec("numba"):
        runs[WALK] = _compiled_walk(subject)
    else:
        measured.left_out.append(f"{WALK}: numba is not installed: pip install numba")
    measured.times = in_turn(subject, runs, effort)
    return measured


def lists_over_work_groups(subject: ListSubject, effort: Effort) -> Measured:
    """Time random splitters with at most 1, 2, 4, ... work-groups."""
    return over_work_groups(subject, effort, {"random-splitter": "random-splitter"})


def walk(successors: SuccessorArray, ranks: SuccessorArray) -> None:
    """Rank one list, as a sequential program would: find its head, walk it once."""
    n = len(successors)
    head = 0  # what is left of all positions without those that come after another
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
