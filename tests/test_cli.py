"""The command line, run as users run it."""

from __future__ import annotations

import csv
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import DATA

import pointerjump as pj
from pointerjump.accel.devices import devices
from pointerjump.registry import ALGORITHMS

HAVE_DEVICE = any(d.works for d in devices())
needs_device = pytest.mark.skipif(not HAVE_DEVICE, reason="no OpenCL device works")
SECONDS = {"read", "transfer", "compute", "labels", "total"}


def run(*arguments: object, code: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "pointerjump.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    if code:
        assert len(done.stderr.splitlines()) == 1, "one clear line"
    return done


@pytest.fixture
def two_paths(tmp_path: Path) -> Path:
    file = tmp_path / "two paths.el"
    file.write_text("# vertices 6 edges 3\n0 1\n1 2\n3 4\n")
    return file


def test_cc_json_has_every_field(two_paths: Path) -> None:
    device = ["--device", "reference"]
    report = json.loads(run("cc", two_paths, "--json", "--verify", *device, "--algorithm", "ecl-cc").stdout)
    assert report["vertices"] == 6
    assert report["edges"] == 3
    assert report["components"] == 3
    assert report["largest"] == 3
    assert report["isolated"] == 1
    assert report["algorithm"] == "ecl-cc"
    assert report["variant"] == "init=first,jump=intermediate,fini=single"
    assert report["platform"] == "reference"
    assert report["device"].startswith(("CPython", "PyPy"))
    assert report["verified"] is True
    assert set(report["seconds"]) >= SECONDS


@needs_device
def test_cc_on_the_default_device(two_paths: Path) -> None:
    report = json.loads(run("cc", two_paths, "--json").stdout)
    assert report["components"] == 3
    assert report["verified"] is False
    assert report["platform"] in {d.platform for d in devices()}
    assert set(report["seconds"]) >= SECONDS
    text = run("cc", two_paths, "--verify").stdout
    for piece in ("components", "3, 2, 1", "1 vertices", "transfer", "yes: the labels are right"):
        assert piece in text


@needs_device
@pytest.mark.parametrize("kind", ["consecutive", "representative"])
@pytest.mark.parametrize("suffix", [".npy", ".csv", ".tsv", ".csv.gz"])
def test_cc_writes_labels_that_verify_reads(two_paths: Path, kind: str, suffix: str) -> None:
    output = two_paths.with_name(f"labels{suffix}")
    run("cc", two_paths, "--labels", kind, "-o", output)
    expected = [0, 0, 0, 1, 1, 2] if kind == "consecutive" else [0, 0, 0, 3, 3, 5]
    if suffix == ".npy":
        assert np.load(output).tolist() == expected
    elif suffix == ".csv":
        rows = list(csv.reader(output.read_text().splitlines()))
        assert rows == [["vertex", "label"], *([str(v), str(x)] for v, x in enumerate(expected))]
    assert "is right" in run("verify", two_paths, output).stdout


@needs_device
def test_cc_writes_the_files_own_ids(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("ann,bob\ncid,dan\nbob,eve\n")
    output = tmp_path / "labels.csv"
    run("cc", file, "-o", output)
    assert output.read_text() == "vertex,label\nann,0\nbob,0\ncid,1\ndan,1\neve,0\n"


def test_verify_says_what_is_wrong(two_paths: Path) -> None:
    labels = two_paths.with_name("wrong.npy")
    np.save(labels, np.array([0, 0, 0, 0, 0, 1]))
    done = run("verify", two_paths, labels, code=1)
    assert "vertices 0 and 3 both have label 0, but no path joins them" in done.stderr
    report = subprocess.run(
        [sys.executable, "-m", "pointerjump.cli", "verify", two_paths, labels, "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert report.returncode == 1
    assert json.loads(report.stdout)["verified"] is False


@needs_device
def test_rank(tmp_path: Path) -> None:
    file, output = tmp_path / "list.npy", tmp_path / "ranks.npy"
    np.save(file, np.array([2, 1, 3, 3]))
    report = json.loads(run("rank", file, "--json", "--verify", "-o", output).stdout)
    assert (report["elements"], report["lists"], report["longest"]) == (4, 2, 3)
    assert report["verified"] is True
    assert np.load(output).tolist() == [2, 0, 1, 0]
    run("verify", file, output, "--ranks")
    np.save(output, np.array([2, 0, 1, 1]))
    assert "element 3 is the last" in run("verify", file, output, "--ranks", code=1).stderr
    assert "1,000 elements" in run("rank", "list:length=1000,seed=3", "--algorithm", "wylie").stdout
    np.save(file, np.array([1, 0]))
    assert "lies on a cycle" in run("rank", file, code=2).stderr


def test_devices() -> None:
    rows = json.loads(run("devices", "--json", code=0 if HAVE_DEVICE else 1).stdout)
    assert len(rows) == len(devices())
    for row in rows:
        assert {"platform", "device", "type", "version", "works", "why_not", "memory"} <= set(row)
    for row in rows:
        assert row["works"] == (row["why_not"] is None)


def test_no_device_names_one_command(tmp_path: Path, two_paths: Path) -> None:
    none = {"OCL_ICD_VENDORS": str(tmp_path / "empty"), "OCL_ICD_FILENAMES": ""}
    (tmp_path / "empty").mkdir()
    assert "pip install" in run("devices", code=1, **none).stderr
    assert "pip install" in run("cc", two_paths, code=2, **none).stderr
    run("cc", two_paths, "--device", "reference", **none)  # needs no OpenCL


def test_algorithms_come_from_the_registry() -> None:
    rows = json.loads(run("algorithms", "--json").stdout)
    assert [row["name"] for row in rows] == list(ALGORITHMS)
    keys = {"name", "title", "paper", "problem", "variants", "reference", "kernels", "needs"}
    assert all(set(row) == keys for row in rows)
    text = run("algorithms").stdout
    assert all(name in text for name in ALGORITHMS)


def test_generate_and_convert(tmp_path: Path) -> None:
    egr, mtx = tmp_path / "g.egr", tmp_path / "g.mtx.gz"
    run("generate", "cliques:count=3,size=4", "-o", egr)
    report = json.loads(run("convert", egr, mtx, "--json").stdout)
    assert (report["vertices"], report["edges"]) == (12, 18)
    assert pj.read(mtx).neighbors.tolist() == pj.read(egr).neighbors.tolist()
    run("generate", "list:length=9,seed=1", "-o", tmp_path / "l.npy")
    assert len(np.load(tmp_path / "l.npy")) == 9


def test_reading_options(tmp_path: Path) -> None:
    file = tmp_path / "edges.dat"
    file.write_text("-5 7\n7 9\n")
    reference = ["--device", "reference", "--algorithm", "dfs", "--json"]
    done = run("cc", file, "--format", "edges", *reference, code=2)
    assert "compact" in done.stderr
    report = json.loads(run("cc", file, "--format", "edges", "--ids", "compact", *reference).stdout)
    assert (report["vertices"], report["components"]) == (3, 1)
    file.write_text("0 1\n")
    report = json.loads(run("cc", file, "--format", "edges", "--vertices", 5, *reference).stdout)
    assert (report["vertices"], report["isolated"]) == (5, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cc", "no/such/file.el"], "no/such/file.el"),
        (["cc"], "Missing argument"),
        (["frobnicate"], "No such command"),
        (["cc", "path:vertices=3", "--nonsense"], "No such option"),
        (["cc", "path:vertices=3", "--vertices", "-1"], "--vertices"),
        (["cc", "path:vertices=3", "--vertices", "4"], "vertices=4, but the graph given has 3"),
        (["cc", "path:vertexes=3"], "vertexes"),
        (["cc", "path:vertices=3", "--algorithm", "magic"], "there is no algorithm 'magic'"),
        (["cc", "path:vertices=3", "--variant", "init"], "is not name=value"),
        (["cc", "path:vertices=3", "--algorithm", "ecl-cc", "--variant", "init=7"], "init=7"),
        (["cc", "path:vertices=3", "--device", "quantum"], "quantum"),
        (["cc", "path:vertices=3", "--device", "reference", "-o", "labels.xyz"], "labels.xyz"),
        (["generate", "path:vertices=3", "-o", "graph.xyz"], "graph.xyz"),
        (["generate", "path:vertices=3"], "Missing option"),
        (["generate", "path:vertices=3", "-o", "no/such/folder/g.egr"], "no/such/folder"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments: list[str], message: str) -> None:
    assert message in run(*arguments, code=2).stderr


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    output = tmp_path / "labels.npy"
    output.write_bytes(b"precious")
    broken = tmp_path / "broken.el.gz"
    broken.write_bytes(gzip.compress(b"0 1\n" * 1000)[:-12])
    run("cc", broken, "-o", output, "--device", "reference", "--algorithm", "dfs", code=2)
    assert output.read_bytes() == b"precious"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["broken.el.gz", "labels.npy"]


@pytest.mark.skipif(not DATA.exists(), reason=f"there are no graphs in {DATA}")
@needs_device
def test_cc_on_a_real_graph() -> None:
    report = json.loads(run("cc", DATA / "osm-malta-highway.el.gz", "--verify", "--json").stdout)
    assert (report["components"], report["largest"], report["edges"]) == (398, 78842, 107392)
