"""Long rows are cut into pieces, and where vertices are few, work-groups take fewer of them at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

import pointerjump as pj
from pointerjump.accel.residents import graphs as resident_graphs
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.accel.tuning import TUNING

LONG_ROW = 40


@pytest.fixture
def session(device: Device, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session that treats its device as a small GPU, for which rows are long early."""
    session = session_for(device)
    before = session.tuning
    monkeypatch.setattr(resident_graphs, "LONG_ROW", LONG_ROW)
    session.tuning = replace(
        TUNING["gpu"], group=16, tile=4, groups_per_unit=8, groups_at_once=2, fewest_sampled=8
    )
    yield session
    session.tuning = before


def hubs(degrees: list[int]) -> pj.Graph:
    """Return stars of these degrees, each with its hub last."""
    sizes = np.array(degrees) + 1
    hub = np.repeat(np.cumsum(sizes) - 1, sizes)
    return pj.Graph.from_edges(hub, np.arange(sizes.sum())).symmetrized()


@pytest.mark.parametrize("degrees", [[39], [40], [41], [80], [81], [0, 39, 40, 41, 400, 3, 1000]])
def test_pieces(degrees: list[int], session: Session) -> None:
    graph = hubs(degrees)
    d = pj.to_device(graph, session)
    pieces, count = d.resident.long_rows
    number = int(session.get(count, 1)[0])
    found = sorted(map(tuple, session.get(pieces, 2 * number).reshape(-1, 2).tolist()))
    degree = np.diff(graph.offsets)
    expected = [(v, i) for v in np.flatnonzero(degree > LONG_ROW) for i in range(-(-degree[v] // LONG_ROW))]
    assert found == expected


SPARSE = {"init": "first", "neighbor_rounds": 1, "rest": "adaptive"}


@pytest.mark.diagonal
@pytest.mark.parametrize(
    "variant",
    [{}, {"rest": "until-joined"}, {"init": "first", "rest": "adaptive"}, SPARSE],
    ids=["published", "until-joined", "adaptive", "sparse"],
)
@pytest.mark.parametrize("shape", ["hubs", "two wheels", "bipartite", "clique", "edgeless"])
def test_components(shape: str, variant: dict[str, object], session: Session) -> None:
    rim = np.arange(1, 500)
    graph = {
        "hubs": lambda: hubs([700, 30, 41, 500, 0, 1200]),
        "two wheels": lambda: pj.Graph.from_edges(
            np.concatenate([np.zeros(499, int), rim[:-1], np.full(499, 1000), 500 + rim[:-1]]),
            np.concatenate([rim, rim[1:], 500 + rim, 500 + rim[1:]]),
        ).symmetrized(),
        "bipartite": lambda: pj.Graph.from_edges(
            np.repeat(np.arange(3), 900), 3 + np.tile(np.arange(900), 3)
        ).symmetrized(),
        "clique": lambda: pj.Graph.from_edges(*np.triu_indices(90, 1)).symmetrized(),
        "edgeless": lambda: pj.Graph(np.zeros(101, int), []),
    }[shape]()
    found = pj.components(graph, algorithm="afforest", device=session, balance="degree", **variant)
    pj.verify(graph, found.labels)
