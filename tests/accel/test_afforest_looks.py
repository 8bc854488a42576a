"""Afforest samples a part of the vertices, and a larger part only if no giant component shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

import pointerjump as pj
from pointerjump.accel import afforest
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.accel.tuning import TUNING

GRAPHS = {
    "a giant": "urand:scale=12,degree=8,seed=1",
    "two giants": "union:vertices=6000,degree=16,fraction=0.5",
    "many pieces": "union:vertices=6000,degree=8,fraction=0.01",
    "a grid": "grid2d:rows=70,columns=80",
    "half a grid": "grid2d:rows=70,columns=80,keep=0.6,seed=1",
    "a path": "path:vertices=5000,order=bitreversed",
    "a path in order": "path:vertices=20000",
    "cliques": "cliques:count=60,size=40",
}
VARIANT = {"skip_largest": True, "init": "first", "rest": "adaptive", "balance": "degree", "reads": "plain"}


@pytest.mark.diagonal
@pytest.mark.parametrize("neighbor_rounds", [1, 2, 3])
@pytest.mark.parametrize("name", GRAPHS)
def test_components(name: str, neighbor_rounds: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, session = pj.generate(GRAPHS[name]).symmetrized(), session_for(device)
    tuning = replace(TUNING["gpu"], group=16, tile=4, fewest_sampled=64, sparse_degree=0.0)
    monkeypatch.setattr(session, "tuning", tuning)
    resident = pj.to_device(graph, session).resident
    made = {}
    empty = session.empty
    monkeypatch.setattr(session, "empty", lambda *of: made.setdefault(of[-1], empty(*of)))
    with session.running():
        plan = afforest.prepare(
            resident, **VARIANT, neighbor_rounds=neighbor_rounds, one_in=16, access="striding"
        )
    labels = connected_components(graph.to_scipy(), directed=False)[1]
    smallest = np.unique(labels, return_index=True)[1][labels]
    for _ in range(3):  # each run leaves the counters as the next one needs them
        plan.run()
        np.testing.assert_array_equal(session.get(plan.result, graph.vertices), smallest)
    assert plan.decided == {"one_in": 16}
    root, is_giant = session.get(made["the largest component"], 4)[:2].tolist()
    if neighbor_rounds > 1 and name in {"a giant", "many pieces"}:
        assert is_giant == (name == "a giant")
    if is_giant:  # the tree is a large one, so that skipping it saves much
        assert np.bincount(labels)[labels[root]] * 5 > graph.vertices
