"""List ranking of 2^24 elements in random order, compared with a sequential walk and a lower bound."""

from __future__ import annotations

import numpy as np
import pyopencl.array as cl_array
import pytest
from chart_times import walked
from conftest import Measure
from pyopencl.elementwise import ElementwiseKernel

from pointerjump.accel.runtime.programs import quiet_compiler
from pointerjump.accel.runtime.session import Session
from pointerjump.bench.own_device import ListSubject
from pointerjump.registry import ALGORITHMS

SCALE, QUICK_SCALE = 24, 16
KERNELS = [
    algorithm.name
    for algorithm in ALGORITHMS.values()
    if algorithm.problem == "list-ranking" and algorithm.kernels and not algorithm.serial
]


@pytest.fixture(scope="module")
def lists(session: Session, quick: bool) -> ListSubject:
    """One list in random order."""
    scale = QUICK_SCALE if quick else SCALE
    return ListSubject(f"2^{scale} elements", f"list:length={1 << scale},seed=1", session)


@pytest.mark.parametrize("algorithm", ["auto", *KERNELS])
def test_device_resident(measure: Measure, lists: ListSubject, algorithm: str) -> None:
    """Rank successors that are on the device; the ranks stay there."""
    run = lists.kernels(algorithm)  # its ranks are checked there
    measure(f"list ranking: {lists.name}", run, None)


def test_sequential_walk(measure: Measure, lists: ListSubject) -> None:
    """Walk the list on one core, in machine code."""
    pytest.importorskip("numba", reason="numba is not installed: pip install numba")
    measure(f"list ranking: {lists.name}", lambda: walked(lists.successors), lists.check)


def test_gather_and_scatter(measure: Measure, lists: ListSubject) -> None:
    """Time the lower bound: read along every link once, and write along every link once."""
    session = lists.session
    gather = ElementwiseKernel(session.context, "int *s, int *x, int *y", "y[i] = x[s[i]]", "gather")
    scatter = ElementwiseKernel(session.context, "int *s, int *x, int *y", "y[s[i]] = x[i]", "scatter")
    successors = cl_array.to_device(session.queue, lists.successors)
    gathered, scattered = cl_array.zeros_like(successors), cl_array.zeros_like(successors)

    def run() -> None:
        gather(successors, successors, gathered, queue=session.queue)
        scatter(successors, gathered, scattered, queue=session.queue)
        session.finish()

    def check(_: None) -> None:
        s, got = lists.successors, scattered.get()
        inner = s != np.arange(len(s))
        inner &= s[s] != s  # the last element is written twice
        assert np.array_equal(got[s[inner]], s[s][inner])

    with quiet_compiler():
        run()
    measure(f"list ranking: {lists.name}", run, check)
