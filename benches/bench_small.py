"""Small graphs: the whole cost of a call, from edge arrays to labels, in a warm process."""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt
import pytest
from conftest import Measure
from peers import PEERS

import pointerjump as pj
from pointerjump.accel.runtime.session import Session

EDGES = (1_000, 3_000, 10_000, 30_000, 100_000)
EDGES_PER_VERTEX = 4
ROUNDS = 100  # a call takes a millisecond or less
SCIPY = next(peer for peer in PEERS if peer.name == "scipy")


def random_edges(edges: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int]:
    """Return the sources and targets of random edges, and the number of vertices."""
    vertices = edges // EDGES_PER_VERTEX
    sources, targets = np.random.default_rng(edges).integers(0, vertices, (2, edges))
    return sources, targets, vertices


@pytest.mark.parametrize("edges", EDGES)
def test_pointerjump(measure: Measure, session: Session, edges: int) -> None:
    sources, targets, vertices = random_edges(edges)
    check = partial(pj.verify, pj.Graph.from_edges(sources, targets, vertices=vertices))
    run = lambda: pj.components((sources, targets), device=session, vertices=vertices).labels  # noqa: E731
    measure(f"small: {edges:,} edges", run, check, ROUNDS)


@pytest.mark.parametrize("edges", EDGES)
def test_scipy(measure: Measure, edges: int) -> None:
    sources, targets, vertices = random_edges(edges)
    check = partial(pj.verify, pj.Graph.from_edges(sources, targets, vertices=vertices))
    measure(f"small: {edges:,} edges", partial(SCIPY.from_arrays, sources, targets, vertices), check, ROUNDS)
