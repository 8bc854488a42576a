"""``benches/edges.py`` and ``contest.py``: every answer is checked, and where we are least ahead is said."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import contest
import edges as script
import numpy as np
import pytest
from contest import OURS, LeftOutError, Line, Sheet
from edges import Edges
from rich.console import Console

from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench.timing import Effort, Timing

EDGES = Edges("three edges", np.array([0, 1, 4]), np.array([1, 2, 3]), 6)
TWICE = Effort(rounds=2, seconds=0.0, patience=0.0)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_every_form_is_timed(device: Device, dtype: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "missing", lambda name: None if name == "scipy" else "gone: get it")
    edges = Edges(EDGES.name, EDGES.sources.astype(dtype), EDGES.targets.astype(dtype), EDGES.vertices)
    arrays, *matrices = script.lines_of(edges, session_for(device), TWICE)
    assert arrays.cells["ran"]
    assert arrays.left_out == {"Boost": "gone: get it"}
    assert len(matrices) == 2
    for line in (arrays, *matrices):
        assert list(line.timings) == [OURS, "scipy"]
        assert {len(timing.samples) for timing in line.timings.values()} == {2}


def test_wrong_labels_are_found(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = SimpleNamespace(
        from_arrays=lambda sources, targets, vertices: np.arange(vertices), missing=lambda: None
    )
    monkeypatch.setattr(script, "missing", lambda name: None)
    monkeypatch.setitem(script.PEER, "scipy", wrong)
    with pytest.raises(SystemExit, match="three edges: scipy finds other components"):
        list(script.lines_of(EDGES, session_for(device), TWICE))


def test_those_that_are_not_there_are_left_out() -> None:
    def not_there() -> contest.Run:
        raise LeftOutError("for images only")

    checked: list[tuple[str, object]] = []
    prepare = {OURS: lambda: lambda: 7, "theirs": not_there}
    line = contest.contest("a task", prepare, lambda *answer: checked.append(answer), TWICE)
    assert checked == [(OURS, 7)]
    assert list(line.timings) == [OURS]
    assert line.left_out == {"theirs": "for images only"}


def test_the_least_ratio_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    sheet = Sheet("a title", {"others": ["scipy", "Boost"]})
    for name, scipy, boost in (("path", 0.003, 0.004), ("tree", 0.0005, 0.0009), ("star", 0.008, 0.002)):
        timings = {OURS: Timing((0.001,)), "scipy": Timing((scipy,)), "Boost": Timing((boost,))}
        sheet.add(Line(name, timings))
    sheet.print(Console(width=200))
    assert "others / ours: geometric mean 1.44, least 0.50 (tree)" in capsys.readouterr().out


def test_memory_at_the_peak() -> None:
    # In a process of its own: in this one, libraries may give memory back at any time.
    program = "import contest, numpy; print(contest.with_peak(lambda: numpy.ones(1 << 23))[1])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=Path(contest.__file__).parent, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "None\n" or int(done.stdout) >= 60 << 20


def test_the_sparse_shapes_are_there() -> None:
    assert set(script.SPARSE) <= set(script.SHAPES)
    made = list(script.small("degree 2, 1,000"))
    assert [edges.name for edges in made] == ["degree 2, 1,000", "degree 2, 1,000,000"]
    assert [len(edges.sources) for edges in made] == [1_000, 1_000_000]
