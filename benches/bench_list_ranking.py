"""List ranking of 2^24 elements in random order, beside a sequential walk compiled to machine code."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import pointerjump as pj
from pointerjump.accel.successors import DeviceList
from pointerjump.registry import ALGORITHMS

SPEC = "list:length=16777216,seed=1"
KERNELS = [r.name for r in ALGORITHMS.values() if r.problem == "list-ranking" and r.kernels]


@pytest.fixture(scope="module")
def successors() -> np.ndarray:
    """The list."""
    return pj.generate(SPEC)


@numba.njit
def walk(successors: np.ndarray, ranks: np.ndarray) -> None:
    """Rank one list: find its head, walk it twice."""
    n = len(successors)
    head = 0
    for j in range(n):  # the sum of all positions less that of all successors
        head += j - successors[j] if successors[j] != j else j
    rank, j = n - 1, head
    while True:
        ranks[j] = rank
        if successors[j] == j:
            return
        rank, j = rank - 1, successors[j]


@pytest.mark.parametrize("algorithm", KERNELS)
def test_device_resident(benchmark: Any, successors: np.ndarray, algorithm: str, device: str | None) -> None:
    """The kernels and the ranks' way back, for successors on the device."""
    benchmark.group = SPEC
    lists = DeviceList(successors, device)
    pj.verify_ranks(successors, pj.list_rank(lists, algorithm))
    benchmark.pedantic(lambda: pj.list_rank(lists, algorithm), rounds=5, warmup_rounds=0)


def test_sequential_walk(benchmark: Any, successors: np.ndarray) -> None:
    """One core, one step after the other."""
    benchmark.group = SPEC
    ranks = np.empty(len(successors), np.int32)
    walk(successors, ranks)
    pj.verify_ranks(successors, ranks)
    benchmark.pedantic(lambda: walk(successors, ranks), rounds=3)
