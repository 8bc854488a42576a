"""``pointerjump bridges`` and ``pointerjump blocks``: tables and graphs in, tables out, and wrong answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from pointerjump import cli
from pointerjump.solving import biconnected

PAIRS = "left,right,score\nann,bob,9\nbob,cal,8\ncal,ann,9\ncal,dee,5\ndee,cal,1\neve,eve,1\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pairs.csv").write_text(PAIRS)
    Path("bow.el").write_text("0 1\n1 2\n2 0\n2 3\n3 2\n")


def told(capsys: pytest.CaptureFixture[str], line: str) -> dict[str, Any]:
    assert cli.run([*line.split(), "--json", "--verify"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert found["verified"]
    return found


def test_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "bridges pairs.csv")["bridges"] == 0
    assert told(capsys, "bridges pairs.csv --where score > 2 -o bridges.parquet")["bridges"] == 1
    assert pq.read_table("bridges.parquet").to_pylist() == [{"left": "cal", "right": "dee", "score": 5}]
    found = told(capsys, "blocks pairs.csv --source left --target right -o blocks.csv")
    assert (found["blocks"], found["articulation_points"], found["largest"]) == (2, 1, 3)
    lines = Path("blocks.csv").read_text().splitlines()
    assert lines[0].replace('"', "") == "left,right,score,block"
    assert [int(line.rsplit(",", 1)[1]) for line in lines[1:]] == [0, 0, 0, 1, 1, -1]


def test_graphs(capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "bridges bow.el -o bridges.csv")
    assert (found["vertices"], found["edges"], found["bridges"]) == (4, 4, 1)
    assert Path("bridges.csv").read_text().replace('"', "") == "source,target\n2,3\n"
    assert told(capsys, "blocks bow.el --algorithm tarjan-vishkin")["blocks"] == 2


@pytest.mark.parametrize(("command", "answer"), [("bridges", "find_bridges"), ("blocks", "find_blocks")])
def test_a_wrong_answer_is_not_written(
    command: str, answer: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right = getattr(biconnected, answer)

    def wrong(*given: Any) -> Any:
        found = right(*given)
        if command == "bridges":
            return found[0][:0], found[1]
        found.labels = np.zeros_like(found.labels)
        return found

    monkeypatch.setattr(f"pointerjump.cli.biconnectivity.{answer}", wrong)
    assert cli.run([command, "bow.el", "--verify", "-o", "out.csv"]) == 1
    assert not Path("out.csv").exists()
    said = "2-3 is a bridge" if command == "bridges" else "comes apart without vertex 2"
    assert said in capsys.readouterr().err


def test_a_column_that_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    Path("named.csv").write_text("left,right,block\na,b,1\n")
    assert cli.run(["blocks", "named.csv", "-o", "out.csv"]) == 2
    assert "has a column 'block' already" in capsys.readouterr().err
    assert cli.run(["bridges", "pairs.csv", "-o", "out.png"]) == 2


def test_why_and_weak_links(capsys: pytest.CaptureFixture[str]) -> None:
    def explained(line: str) -> dict[str, Any]:
        assert cli.run([*f"cc pairs.csv {line}".split(), "--json"]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    way = [{"left": "bob", "right": "cal", "score": 8}, {"left": "cal", "right": "dee", "score": 5}]
    assert explained("--explain bob dee -o way.csv")["rows"] == 6
    assert Path("way.csv").read_text().replace('"', "") == "left,right,score\nbob,cal,8\ncal,dee,5\n"
    assert explained("--explain bob dee")["path"] == way
    assert explained("--weak ann")["weak_links"] == []
    assert explained("--weak ann --where score > 2")["weak_links"] == [
        way[1] | {"left_size": 3, "right_size": 1}
    ]
    Path("numbers.csv").write_text("a,b\n7,8\n8,90\n")
    assert cli.run(["cc", "numbers.csv", "--source", "a", "--target", "b", "--explain", "90", "7"]) == 0
    assert "90 joins 7" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("pairs.csv --explain ann eve", "in different clusters"),
        ("pairs.csv --explain ann zoe", "has no id 'zoe'"),
        ("pairs.csv --weak ann --explain ann bob", "leave one out"),
        ("pairs.csv --weak ann --verify", "has no use for --verify"),
        ("pairs.csv --weak ann --devices all", "has no use for --devices"),
        ("pairs.csv --weak ann --devices cpu", "has no use for --devices"),
        ("pairs.csv --weak ann --algorithm fast-bcc", "has no use for --algorithm"),
        ("pairs.csv --explain ann bob -o out.png", "out.png"),
        ("bow.el --explain 0 1", "bow.el"),
        ("path:vertices=4 --weak 1", "not a table"),
    ],
)
def test_what_is_not_explained(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["cc", *line.split()]) == 2
    assert said in capsys.readouterr().err
