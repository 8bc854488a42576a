"""``pointerjump clusters``: tables in and out, cuts and chosen clusters, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import pointerjump as pj
from pointerjump import cli
from pointerjump.base import memory
from pointerjump.cli import weighted
from pointerjump.formats import pieces
from pointerjump.solving import minimum_forest

RNG = np.random.default_rng(4)
LEFT, RIGHT = RNG.integers(0, 300, (2, 400))
SCORES = RNG.integers(0, 100, 400) / 100


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = [f"id {v:03}" for v in range(300)]
    left, right = ([names[v] for v in ends] for ends in (LEFT, RIGHT))
    pq.write_table(pa.table({"left": left, "right": right, "score": SCORES}), "pairs.parquet")
    Path("edges.el").write_text(
        "".join(f"{u} {v} {w}\n" for u, v, w in zip(LEFT, RIGHT, SCORES, strict=True))
    )


def test_cuts_of_tables_are_those_of_components_at() -> None:
    line = "clusters pairs.parquet --weight score --maximum --at .5,0.9 --verify -o c.parquet"
    assert cli.run(line.split()) == 0
    found = pj.components_at("pairs.parquet", thresholds=[0.5, 0.9]).table()
    assert pq.read_table("c.parquet").to_pylist() == found.to_pylist()


@pytest.mark.parametrize("least", [2, 5])
def test_small_components_are_left_out(least: int, capsys: pytest.CaptureFixture[str]) -> None:
    line = f"clusters edges.el --at 0.3,0.6 --min-size {least} -o c.csv --json"
    assert cli.run(line.split()) == 0
    facts = json.loads(capsys.readouterr().out)["cuts"]
    table = pyarrow.csv.read_csv("c.csv")
    for at, told in zip((0.3, 0.6), facts, strict=True):
        up_to = np.less_equal(SCORES, at)
        right = pj.components((LEFT[up_to], RIGHT[up_to]), vertices=len(table), labels="representative")
        sizes = np.bincount(right.labels)
        expected = [int(c) if sizes[c] >= least else None for c in right.labels]
        assert table[f"component_{at}"].to_pylist() == expected
        count = len({*expected} - {None})
        assert told == {"at": at, "components": count, "largest": sizes.max()}


@pytest.mark.parametrize("method", ["eom", "leaf"])
def test_chosen_clusters(method: str) -> None:
    line = f"clusters edges.el --min-size 4 --method {method} --verify -o c.parquet"
    assert cli.run(line.split()) == 0
    labels, probabilities, _ = pj.single_linkage("edges.el").clusters(4, method)
    table = pq.read_table("c.parquet")
    assert table["id"].to_pylist() == list(range(len(labels)))
    assert table["cluster"].to_pylist() == labels.tolist()
    assert table["probability"].to_pylist() == probabilities.tolist()


def test_a_wrong_cut_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def cut(self: Any, height: float) -> np.ndarray:
        return np.zeros(self.vertices, np.int32)

    monkeypatch.setattr(weighted.Dendrogram, "cut", cut)
    line = "clusters edges.el --at 0.1 --verify -o c.csv --json"
    assert cli.run(line.split()) == 1
    assert "both have label 0" in json.loads(capsys.readouterr().out)["why_not"]
    assert not Path("c.csv").exists()


@pytest.mark.parametrize("maximum", [False, True])
@pytest.mark.parametrize("at", ["1.5", "-0.5", "1", "99999999999999999999"])
def test_integers_cut_between_integers(at: str, maximum: bool) -> None:
    Path("whole.el").write_text("0 1 1\n1 2 2\n2 3 -1\n3 4 0\n")
    line = f"clusters whole.el --at {at} --verify -o c.csv" + " --maximum" * maximum
    assert cli.run(line.split()) == 0


@pytest.mark.parametrize("line", ["mst edges.el", "mst edges.el --maximum", "clusters edges.el --at 0.2"])
def test_files_in_blocks(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(memory, "resident", lambda: 300 << 20)  # other tests have left more in this process
    monkeypatch.setattr(pieces, "block_within", lambda size: 800)
    monkeypatch.setattr(minimum_forest, "WAITING", 100)
    assert cli.run([*line.split(), "-o", "whole.csv", "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert cli.run([*line.split(), "-o", "blocks.csv", "--json", "--memory", "2GiB"]) == 0
    said = capsys.readouterr()
    blocks = json.loads(said.out)
    assert said.err == ""
    assert Path("whole.csv").read_text() == Path("blocks.csv").read_text()
    assert (whole["streamed"], blocks["streamed"]) == (None, "--memory is given")
    assert (whole["edges"], whole["vertices"]) == (blocks["edges"], blocks["vertices"])
    monkeypatch.setattr(memory, "available", lambda: (1000, "here"))
    monkeypatch.setattr(memory, "require", lambda *_: None)
    assert cli.run([*line.split(), "-o", "large.csv"]) == 0
    assert "reading it whole would take about" in capsys.readouterr().err
    assert Path("whole.csv").read_text() == Path("large.csv").read_text()
    assert cli.run([*line.split(), "--verify"]) == 2
    assert "--verify needs all edges at once" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("pairs.parquet --at 1 --weight score --memory 1MiB", "allow more"),
        ("pairs.parquet --at 1 --weight score --checkpoint c.npz", "--checkpoint is for graphs"),
        ("pairs.parquet --at 1 --weight score --devices all", "--devices is for graphs"),
        ("edges.el --at 1 --devices cpu --device cpu", "leave one out"),
        ("edges.el --at 1 --memory 1MiB", "allow more"),
        ("edges.el --at 1 --memory 2GiB --verify", "--verify needs all edges at once"),
        ("edges.el", "give --at, --min-size, or both"),
        ("edges.el --at 1,x", "'x' is not a finite number"),
        ("edges.el --at 1,1.0", "has a number twice"),
        ("edges.el --at nan", "is not a finite number"),
        ("edges.el --at 1 --method leaf", "leave out --at or --method"),
        ("edges.el --min-size 1", "a cluster has at least 2 vertices"),
        ("edges.el --min-size 0", "0 is not in the range"),
        ("edges.el --at 1 -o c.npy", "c.npy"),
        ("edges.el --at 1 --weight score", "its suffix says no table"),
        ("pairs.parquet --at 1", "(--weight)"),
        ("pairs.parquet --at 1 --weight left", "column 'left' is named twice"),
        ("negative.el --min-size 2", "distances or similarities from 0 on"),
        ("none.el --at 1", "none.el"),
    ],
)
def test_what_is_refused(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("negative.el").write_text("0 1 -1\n")
    assert cli.run(["clusters", *line.split()]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(("scores", "count"), [([np.inf, 3], 2), ([3, 1], 1)])
def test_a_cut_beyond_the_range_of_weights(scores: list[float], count: int) -> None:
    pairs = {"left": ["a", "b"], "right": ["b", "c"], "score": pa.array(scores, pa.float32())}
    pq.write_table(pa.table(pairs), "short.parquet")
    line = "clusters short.parquet --weight score --at=1e300 --verify -o o.csv"
    assert cli.run(line.split()) == 0
    assert len(set(pyarrow.csv.read_csv("o.csv")["component_1e+300"].to_pylist())) == count
