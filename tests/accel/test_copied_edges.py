"""Edges that are copied to a device, of which some are linked while others are on their way."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import pointerjump as pj
from pointerjump.accel.disjoint_set import prepare
from pointerjump.accel.labels import number_in_place
from pointerjump.accel.residents.graphs import CopiedEdges
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.session import Session

N, M = 200_000, 700_000
"""So many edges that they go through several stages, if stages are small."""


@pytest.fixture(params=[False, True], ids=["own memory", "host's memory"])
def session(request: pytest.FixtureRequest, device: Device) -> Session:
    if request.param and not device.host_memory:
        pytest.skip("the device has memory of its own")
    return Session(replace(device, host_memory=request.param, memory=64 << 20))


def random_edges(dtype: type = np.int64, most: int = N) -> np.ndarray:
    return np.random.default_rng(3).integers(0, most, (M, 2)).astype(dtype)


@cache
def expected(most: int = N, vertices: int | None = None) -> np.ndarray:
    """Return the labels of `random_edges`; edges of every dtype and in every layout share them."""
    edges = random_edges(most=most)
    graph = pj.Graph.from_edges(edges[:, 0], edges[:, 1], vertices=vertices)
    return pj.components(graph, algorithm="dfs", device="reference", labels="representative").labels


@pytest.mark.diagonal
@pytest.mark.parametrize(  # any two meet
    ("dtype", "vertices", "layout"),
    [
        (dtype, vertices, ("pairs", "columns")[(i + j) % 2])
        for i, dtype in enumerate([np.int32, np.int64, np.uint32, np.int16])
        for j, vertices in enumerate([None, N + 7])
    ],
)
def test_a_run_is_as_by_the_reference(
    dtype: type, vertices: int | None, layout: str, session: Session
) -> None:
    most = min(N, np.iinfo(dtype).max)
    edges = random_edges(dtype, most)
    ends = edges.T if layout == "pairs" else np.ascontiguousarray(edges.T)
    right = expected(most, vertices)
    resident = CopiedEdges(*ends, vertices, session)
    plan = prepare(resident)
    for _ in range(2):  # a plan can be run again
        with session.running():
            assert plan.run() == {"records": M}
            assert resident.vertices == len(right)
            np.testing.assert_array_equal(plan.answer(session, resident.vertices), right)


def test_the_answer_can_be_numbered(session: Session) -> None:
    edges = random_edges(most=300_000)
    resident = CopiedEdges(*edges.T, None, session)
    plan = prepare(resident, reads="atomic")
    with session.running():
        plan.run()
        count = number_in_place(session, plan.result, resident.vertices, "atomic", wide=plan.wide)()
        labels = plan.answer(session, resident.vertices)
    representatives, right = np.unique(expected(300_000), return_inverse=True)
    assert count == len(representatives)
    np.testing.assert_array_equal(labels, right)


@pytest.mark.parametrize("wrong", [-1, N, 1 << 45])
def test_an_id_that_is_no_vertex_is_named(wrong: int, session: Session) -> None:
    edges = random_edges()
    right = edges[M - 5, 1]
    edges[M - 5, 1] = wrong
    plan = prepare(CopiedEdges(*edges.T, N, session))
    with pytest.raises(pj.GraphError, match=rf"targets\[{M - 5}\] is {wrong}"), session.running():
        plan.run()
    edges[M - 5, 1] = right
    with session.running():
        plan.run()
        np.testing.assert_array_equal(plan.answer(session, N), expected(N, N))
