"""Properties of list ranking: how long sub-lists are, and how often each element is touched."""

from __future__ import annotations

from collections.abc import Mapping
from math import log

import numpy as np

from pointerjump.linked_lists import SuccessorArray
from pointerjump.measure.table import Row
from pointerjump.reference.machine import Machine
from pointerjump.registry import ALGORITHMS

SPLITTERS = 1024


def sublists(name: str, successors: SuccessorArray) -> list[Row]:
    """Measure the lengths of sub-lists beside what Reid-Miller expects (D table 3)."""
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

    Reid-Miller: cuts at random make lengths that are exponentially distributed with mean n/p; the j-th
    shortest of p + 1 is expected at the quantile (j - 1/2) / (p + 1). D table 3 is this formula.

    Examples
    --------
    >>> n, p = 8_000_000, 8192
    >>> [round(expected_length(n, p, j), 2) for j in (1, p + 1)]
    [0.06, 9476.74]
    """
    return n / p * log((p + 1) / (p + 1 - j + 0.5))


def sublist_lengths(successors: SuccessorArray, choice: str = "random", seed: int = 1) -> list[int]:
    """Return how many elements each splitter's sub-list has, itself included, without the last elements'."""
    lengths: list[int] = []

    def keep(phase: str, arrays: Mapping[str, list[int]]) -> None:
        if phase == "RS3":
            lengths.extend(length for length in list(arrays["sprank"]) if length)

    splitters = max(1, min(SPLITTERS, len(successors) // 8))
    with Machine(after_phase=keep):
        ALGORITHMS["random-splitter"].function()(successors, splitters, seed, choice)
    return lengths


def list_accesses(name: str, successors: SuccessorArray) -> list[Row]:
    """Count each algorithm's accesses of shared arrays per element: the constants before n and n log n."""
    rows: list[Row] = []
    for row in ALGORITHMS.values():
        if row.problem != "list-ranking":
            continue
        with Machine() as machine:
            ranks = row.function()(successors)
        n = max(len(successors), 1)
        reads, writes = machine.reads.total() / n, machine.writes.total() / n
        rows.append(
            {
                "list": name,
                "n": len(successors),
                "algorithm": row.name,
                "reads": reads,
                "writes": writes,
                "accesses": reads + writes,
                "longest": int(np.max(ranks, initial=-1)) + 1,
            }
        )
    return rows
