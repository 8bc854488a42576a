"""Kernels: one run on a graph that is on the device, including launches, until the device is done."""

from __future__ import annotations

import pytest
from conftest import Measure

from pointerjump.bench.own_device import GraphSubject
from pointerjump.errors import AlgorithmError
from pointerjump.registry import ALGORITHMS

KERNELS = [
    algorithm.name
    for algorithm in ALGORITHMS.values()
    if algorithm.problem == "components" and algorithm.kernels
]


@pytest.mark.parametrize("algorithm", ["auto", *KERNELS])
def test_kernels(measure: Measure, subject: GraphSubject, algorithm: str) -> None:
    try:
        run = subject.kernels(algorithm)  # its labels are checked there
    except AlgorithmError as refusal:
        pytest.skip(str(refusal))
    measure(f"kernels: {subject.name}", run, None, graph=subject.source, **subject.counts)
