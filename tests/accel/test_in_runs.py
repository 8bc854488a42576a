"""ECL-CC as on GPUs: jumps inside of runs of vertices, and vertices that are dealt if neighbors are near."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from conftest import meeting
from scipy.sparse.csgraph import connected_components

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.accel.tuning import TUNING

SPECS = (
    "path:vertices=20000",
    "path:vertices=5000,order=bitreversed",
    "grid2d:rows=70,columns=81,keep=0.6,seed=1",
    "cliques:count=61,size=40",
    "urand:scale=12,degree=3,seed=1",
    "star:vertices=1000",
    "empty:vertices=5",
)


def test_some_are_dealt() -> None:
    dealt = [spec for spec in SPECS if pj.generate(spec).symmetrized().numbering().local]
    assert dealt == ["path:vertices=20000", "cliques:count=61,size=40"]


@pytest.mark.diagonal
@pytest.mark.parametrize("spec", SPECS)
def test_ecl_cc(spec: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, session = pj.generate(spec).symmetrized(), session_for(device)
    labels = connected_components(graph.to_scipy(), directed=False)[1]
    monkeypatch.setattr(session, "tuning", replace(TUNING["gpu"], group=16, tile=4))
    on_device = pj.to_device(graph, session)
    axes = {"init": ("first", "own", "smallest"), "balance": ("degree", "none"), "reads": ("plain", "atomic")}
    for variant in meeting(dict(zip(axes, values, strict=True)) for values in product(*axes.values())):
        found = pj.components(on_device, algorithm="ecl-cc", **variant)
        np.testing.assert_array_equal(found.labels, labels, err_msg=str(variant))
