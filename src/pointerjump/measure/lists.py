"""Properties of list ranking: how long sub-lists are, and how often each element is touched."""

from __future__ import annotations

from collections.abc import Mapping
from math import log

import numpy as np

from pointerjump.linked_lists import SuccessorArray
from pointerjump.measure.measurement import Line
from pointerjump.reference.machine import Machine
from pointerjump.registry import ALGORITHMS

SPLITTERS = 1024


def sublists(name: str, successors: SuccessorArray) -> list[Line]:
    """Measure the lengths of sub-lists beside what Reid-Miller expects."""
    n = len(successors)
    random, even = (sublist_lengths(successors, choice) for choice in ("random", "even"))
    p = len(random) - 1  # the first element of a list is a splitter too
    if p < 1:
        return []
    return [
        {
            "list": name,
            "n": n,
            "p": p,
            "mean": n / p,
            "expected_low": expected_length(n, p, 1),
            "expected_high": expected_length(n, p, p + 1),
            "low": int(min(random)),
            "high": int(max(random)),
            "even_low": int(min(even)),
            "even_high": int(max(even)),
            "lengths": sorted(random),
        }
    ]


def expected_length(n: int, p: int, j: int) -> float:
    """Return the expected length of the j-th shortest of the p + 1 sub-lists that p splitters make.

    Reid-Miller: random cuts make lengths that are exponentially distributed with mean n/p, and the j-th
    shortest of p + 1 is expected at the quantile (j - 1/2) / (p + 1). Table 3 of Dehne and Yogaratnam is
    this formula.

    Examples
    --------
    >>> n, p = 8_000_000, 8192
    >>> [round(expected_length(n, p, j), 2) for j in (1, p + 1)]
    [0.06, 9476.74]
    """
    return n / p * log((p + 1) / (p + 1 - j + 0.5))


def sublist_lengths(successors: SuccessorArray, choice: str = "random", seed: int = 1) -> list[int]:
    """Return the length of each splitter's sub-list, the splitter included and empty ones left out."""
    lengths: list[int] = []

    def keep(phase: str, arrays: Mapping[str, list[int]]) -> None:
        if phase == "RS3":
            lengths.extend(length for length in list(arrays["sprank"]) if length)

    splitters = max(1, min(SPLITTERS, len(successors) // 8))
    with Machine(after_phase=keep):
        ALGORITHMS["random-splitter"].function()(successors, splitters, seed, choice)
    return lengths


def list_accesses(name: str, successors: SuccessorArray) -> list[Line]:
    """Count each algorithm's accesses of shared arrays per element: the constant before n or n log n."""
    lines: list[Line] = []
    for algorithm in ALGORITHMS.values():
        if algorithm.problem != "list-ranking":
            continue
        with Machine() as machine:
            ranks = algorithm.function()(successors)
        n = max(len(successors), 1)
        reads, writes = machine.reads.total() / n, machine.writes.total() / n
        lines.append(
            {
                "list": name,
                "n": len(successors),
                "algorithm": algorithm.name,
                "reads": reads,
                "writes": writes,
                "accesses": reads + writes,
                "longest": int(np.max(ranks, initial=-1)) + 1,
            }
        )
    return lines
