"""benches/hostile.py, which goes on attacking: each kind runs, and sees a wrong answer put in on purpose."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import hostile
import numpy as np
import pytest

import pointerjump as pj

CAMPAIGN = Path(__file__).resolve().parents[2] / "benches" / "hostile.py"
KINDS = ("files", "graphs", "lists", "verifier", "threads", "tables", "kills")


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_finds_nothing(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert hostile.run_round(kind, seed=1, seconds=1.0) == 0, capsys.readouterr().out
    trials, failures = capsys.readouterr().out.splitlines()[-1].split()[1:]
    assert (int(trials) > 0, failures) == (True, "0")


def test_every_kind_is_run_here() -> None:
    assert tuple(hostile.KINDS) == KINDS


def _one_wrong(*given: Any, **options: Any) -> Any:
    found = _right(*given, **options)
    if len(found.labels):
        found.labels[-1] += 1
    return found


def _without_last_edge(graph: pj.Graph) -> pj.Graph:
    edges = graph.edges_as_read
    if edges is None or len(edges.sources) == 0:
        return graph
    return pj.Graph.from_edges(edges.sources[:-1], edges.targets[:-1], vertices=edges.vertices)


_right, _read = pj.components, pj.read


@pytest.mark.parametrize(
    ("kind", "name", "wrong", "seconds"),  # many files are read before one shows the last wrong answer
    [
        ("graphs", "components", _one_wrong, 0.2),
        ("threads", "components", _one_wrong, 0.2),
        ("lists", "list_rank", lambda successors, *_, **__: np.zeros(len(successors), np.int32), 0.2),
        ("verifier", "verify", lambda *_, **__: None, 0.2),
        ("tables", "components", lambda table, *, where, **options: _right(table, **options), 0.2),
        ("files", "read", lambda *_, **__: 1 / 0, 0.2),
        ("files", "read", lambda *given, **options: _without_last_edge(_read(*given, **options)), 1.5),
    ],
)
def test_each_kind_sees_a_wrong_answer(
    kind: str,
    name: str,
    wrong: object,
    seconds: float,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(hostile.pj, name, wrong)
    assert hostile.run_round(kind, seed=1, seconds=seconds) == 1
    assert "FAILED trial" in capsys.readouterr().out


def test_half_a_file_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hostile, "read_labels", lambda path: np.array([1, 2]))
    assert hostile.run_round("kills", seed=1, seconds=0.1) == 1


def test_a_crash_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        hostile.subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], -11, "", "x")
    )
    assert hostile.round_apart("files", 1, None) == (0, ["ended with -11: x"])


SHORT = """
import sys, hostile
hostile.SECONDS, hostile.__file__ = 0.5, __file__
sys.exit(hostile.main())
"""


def test_the_command_counts(tmp_path: Path) -> None:
    """Each round is a process of its own, which runs the same script: here, one whose rounds are short."""
    script, counts = tmp_path / "short.py", tmp_path / "counts.json"
    script.write_text(SHORT)
    done = subprocess.run(
        [sys.executable, script, "--minutes", "0", "--seed", "3", "--only", "verifier", "--json", counts],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(CAMPAIGN.parent)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    counted = json.loads(counts.read_text())["verifier"]
    assert (counted["trials"] > 0, counted["failures"]) == (True, 0)


def test_it_is_a_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(CAMPAIGN), "--help"])
    with pytest.raises(SystemExit, match=r"^0$"):
        runpy.run_path(str(CAMPAIGN), run_name="__main__")
