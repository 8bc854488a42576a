"""The benchmarks from edges to labels verify every answer, and say where we are least ahead."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench.timing import Timing

sys.path.append(str(Path(__file__).resolve().parents[2] / "benches"))

import edge_table
import small_edges
import sparse_edges
from edge_table import ARRAYS, OURS, SCIPY, Edges, Line, Measurement, Report

EDGES = Edges("three edges", np.array([0, 1, 4]), np.array([1, 2, 3]), 6)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_every_way_is_timed(device: Device, dtype: type, capsys: pytest.CaptureFixture[str]) -> None:
    edges = Edges(EDGES.name, EDGES.sources.astype(dtype), EDGES.targets.astype(dtype), EDGES.vertices)
    ways = [way for way in small_edges.WAYS if way[1] in (OURS, SCIPY)]
    line = Measurement(ways, session_for(device), rounds=2, most_rounds=3, lead_in=1).times(edges)
    assert list(line.timings) == ways
    assert line.ran
    assert {len(timing.samples) for timing in line.timings.values()} == {2}
    Report("a title", "ms", 1e3, [line]).print()
    assert capsys.readouterr().out.count("scipy / ours: least") == 3


def test_wrong_labels_are_found(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = SimpleNamespace(from_arrays=lambda sources, targets, vertices: np.arange(vertices))
    monkeypatch.setitem(edge_table.PEER, SCIPY, wrong)
    measurement = Measurement([(ARRAYS, OURS), (ARRAYS, SCIPY)], session_for(device), rounds=1)
    with pytest.raises(SystemExit, match="three edges: arrays scipy finds other components"):
        measurement.times(EDGES)


def test_the_least_ratio_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        Line(
            Edges(name, EDGES.sources, EDGES.targets, 6),
            "one-group",
            {(ARRAYS, OURS): Timing((0.001,)), (ARRAYS, SCIPY): Timing((seconds,))},
        )
        for name, seconds in (("path", 0.003), ("tree", 0.0005))
    ]
    Report("a title", "ms", 1e3, lines).print()
    assert "scipy / ours: least 0.50 (tree)" in capsys.readouterr().out


@pytest.mark.parametrize("shape", sparse_edges.SHAPES)
def test_shapes_have_the_components_they_should(shape: str) -> None:
    n = 12
    edges = Edges(shape, *sparse_edges.SHAPES[shape](n), n)
    components = {"matching": n // 2, "triangles": n // 3}.get(shape, 1)
    assert edge_table.scipy_components(edges.matrix(), directed=False)[0] == components
    assert len(np.unique(np.sort(np.stack([edges.sources, edges.targets]), axis=0), axis=1).T) == {
        "matching": n // 2,
        "triangles": n,
    }.get(shape, n - 1)
