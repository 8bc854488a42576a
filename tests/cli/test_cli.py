"""The command line; hostile/test_command_line.py starts processes, as users do."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import DATA
from rich.console import Console

import pointerjump as pj
from pointerjump import cli
from pointerjump.__main__ import main
from pointerjump.accel.runtime.devices import devices
from pointerjump.cli import terminal
from pointerjump.cli.steps import SECONDS
from pointerjump.registry import ALGORITHMS
from pointerjump.solving import lists, result, spanning_forests

HAVE_DEVICE = any(d.works for d in devices())
REFERENCE = ["--device", "reference"]
COMPONENTS, RANK_LISTS, FIND_FOREST = result.find_components, lists.rank_lists, result.find_forest
FIND_MINIMUM_FOREST = spanning_forests.find_minimum_forest
needs_device = pytest.mark.skipif(not HAVE_DEVICE, reason="no OpenCL device works")
TIMED = {"start", "device", "read", "transfer", "compute", "labels", "summary", "other", "total"}


def run(*arguments: object, code: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command: in this process, or in another one if it needs another environment."""
    words = [str(argument) for argument in arguments]
    if environment:
        done = subprocess.run(
            [sys.executable, "-m", "pointerjump", *words],
            capture_output=True,
            text=True,
            env={**os.environ, **environment},
            check=False,
        )
    else:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            found = cli.run(words)
        done = subprocess.CompletedProcess(words, found, out.getvalue(), err.getvalue())
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert "a bug in pointerjump" not in done.stderr
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
    assert report["why_not"] is None
    assert report["output"] is None
    assert report["warnings"] == []
    assert set(report["seconds"]) >= TIMED | {"verify"}


LINES_THAT_TIME = [
    "cc two.el",
    "cc two.el --memory 64GiB --checkpoint done.npz",
    "cc pairs.csv --source left --target right",
    "forest two.el",
    "mst pairs.csv --weight w",
    "bridges pairs.csv",
    "blocks two.el",
    "rank list.txt",
    "label mask.npy",
    "label mask.npy --chunk 2",
]


@pytest.mark.parametrize("line", LINES_THAT_TIME)
def test_seconds_are_of_all_that_was_done(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("two.el").write_text("0 1\n")
    Path("list.txt").write_text("1\n1\n")
    Path("pairs.csv").write_text("left,right,w\nann,bob,2\n")
    np.save("mask.npy", np.eye(4, dtype=bool))
    output = {"forest": "out.el", "label": "out.npy"}.get(line.split()[0], "out.csv")
    assert cli.run([*line.split(), *REFERENCE, "--json", "--verify", "-o", output]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["output"] == output
    seconds = document["seconds"]
    total = seconds.pop("total")
    named = {"start", "device", "read", "compute", "verify", "write", "summary", "other"}
    assert named <= set(seconds) <= set(SECONDS)
    assert min(seconds.values()) >= 0  # also of "other": no two steps count the same time
    assert sum(seconds.values()) == pytest.approx(total)
    if "--chunk" not in line:
        assert cli.run([*line.split(), *REFERENCE, "--json"]) == 0
        assert not {"verify", "write"} & set(json.loads(capsys.readouterr().out)["seconds"])


def _wrong_labels(*arguments: Any, **options: Any) -> Any:
    found = COMPONENTS(*arguments, **options)
    found.labels[:] = 0
    return found


def _wrong_ranks(*arguments: Any, **options: Any) -> Any:
    ranks, facts = RANK_LISTS(*arguments, **options)
    return ranks + 1, facts


def _no_edge(*arguments: Any, **options: Any) -> Any:
    found = FIND_MINIMUM_FOREST(*arguments, **options)
    found.places = found.places[:-1]
    return found


def _no_forest(*arguments: Any, **options: Any) -> Any:
    edges, facts = FIND_FOREST(*arguments, **options)
    return edges[:-1], facts


@pytest.mark.parametrize(
    ("line", "function", "wrong", "why_not"),
    [
        (
            "cc two.el --algorithm dfs",
            "solving.result.find_components",
            _wrong_labels,
            "vertices 0 and 3 both have label 0",
        ),
        (
            "rank list.txt --algorithm sequential",
            "solving.lists.rank_lists",
            _wrong_ranks,
            "is the last of its list",
        ),
        (
            "forest two.el",
            "solving.result.find_forest",
            _no_forest,
            "the forest has 2 edges, and a spanning one has 3",
        ),
        (
            "mst three.el",
            "cli.weighted.find_minimum_forest",
            _no_edge,
            "edge 1 joins 1 and 2, which the forest does not connect",
        ),
        (
            "clusters three.el --min-size 2",
            "cli.weighted.find_minimum_forest",
            _no_edge,
            "edge 1 joins 1 and 2, which the forest does not connect",
        ),
    ],
)
def test_a_wrong_answer_is_told_and_not_written(
    line: str,
    function: str,
    wrong: Any,
    why_not: str,
    two_paths: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(two_paths.parent)
    monkeypatch.setattr(f"pointerjump.{function}", wrong)
    two_paths.rename("two.el")
    Path("list.txt").write_text("1\n1\n")
    Path("three.el").write_text("0 1 5\n1 2 6\n")
    output = ["-o", "out.egr" if function == "solving.result.find_forest" else "out.csv"]
    assert cli.run([*line.split(), *REFERENCE, "--verify", "--json", *output]) == 1
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert document["verified"] is False
    assert why_not in document["why_not"]
    assert document["output"] is None
    assert said.err == ""
    assert cli.run([*line.split(), *REFERENCE, "--verify", *output]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("pointerjump: ")
    assert why_not in said.err
    assert not list(Path.cwd().glob("out*"))


@needs_device
def test_cc_on_the_default_device(two_paths: Path) -> None:
    report = json.loads(run("cc", two_paths, "--json").stdout)
    assert report["components"] == 3
    assert report["verified"] is False
    assert report["platform"] in {d.platform for d in devices()}
    assert set(report["seconds"]) >= TIMED
    text = run("cc", two_paths, "--verify").stdout
    for piece in ("components", "3, 2, 1", "1 vertex", "transfer", "yes: the labels are right"):
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
        lines = list(csv.reader(output.read_text().splitlines()))
        assert lines == [["vertex", "label"], *([str(v), str(x)] for v, x in enumerate(expected))]
    assert "is right" in run("verify", two_paths, output).stdout


@needs_device
def test_cc_writes_the_files_own_ids(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("ann,bob\ncid,dan\nbob,eve\n")
    output = tmp_path / "labels.csv"
    run("cc", file, "--no-header", "-o", output)
    assert output.read_text() == "vertex,label\nann,0\nbob,0\ncid,1\ndan,1\neve,0\n"


PEOPLE = "ann,bob\ncid,dan\nbob,eve\n"


@pytest.mark.parametrize(
    ("lines", "code", "message"),
    [
        ("ann,0 bob,0 cid,1 dan,1 eve,0", 0, ""),
        ("eve,0 dan,1 cid,1 bob,0 ann,0", 0, ""),
        ("ann,0 cid,0 bob,1 dan,1 eve,0", 1, "vertices 0 and 1 share an edge but have labels 0 and 1"),
        ("ann,0 bob,0 cid,0 dan,0 eve,0", 1, "but no path joins them (vertex 0 is 'ann', vertex 2 is 'cid')"),
        ("ann,0 bob,0 cid,1 dan,1", 2, "labels.csv: does not label vertex 'eve'"),
        ("ann,0 bob,0 cid,1 dan,1 eve,0 ann,0", 2, "labels.csv: labels vertex 'ann' 2 times"),
        ("ann,0 bob,0 cid,1 dan,1 eva,0", 2, "labels.csv: labels vertex 'eva', which the graph does not"),
        ("0,0 1,0 2,1 3,1 4,0", 2, "labels.csv: labels vertex '0', which the graph does not"),
    ],
)
def test_verify_matches_labels_by_name(
    lines: str,
    code: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE)
    Path("labels.csv").write_text("\n".join(["vertex,label", *lines.split(), ""]))
    assert cli.run(["verify", "people.csv", "labels.csv", "--no-header"]) == code
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("lines", "code"),
    [("2,7 1,3 0,3", 0), ("0,3 1,3", 2), ("0,3 1,3 9,7", 2), ("0,3 1,3 1,3", 2), ("ann,3 bob,3 cid,7", 2)],
)
@pytest.mark.usefixtures("capsys")
def test_verify_matches_labels_by_number(
    lines: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("edges.el").write_text("# vertices 3 edges 1\n0 1\n")
    Path("labels.csv").write_text("\n".join(["vertex,label", *lines.split(), ""]))
    assert cli.run(["verify", "edges.el", "labels.csv"]) == code


def test_names_in_what_a_check_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pointerjump.solving.result.find_components", _wrong_labels)
    Path("people.csv").write_text(PEOPLE)
    line = ["cc", "people.csv", "--no-header", "--algorithm", "dfs", *REFERENCE, "--verify"]
    assert cli.run(line) == 1
    assert "(vertex 0 is 'ann', vertex 2 is 'cid')" in capsys.readouterr().err


@pytest.mark.parametrize("line", ["cc three.csv", "forest three.csv", "convert three.csv out.el"])
def test_warnings_are_in_the_document_too(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("three.csv").write_text("who,whom,since\n4,2,2019\n2,7,2021\n")
    output = {"cc": ["-o", "out.npy"], "forest": ["-o", "out.el"], "convert": []}[line.split()[0]]
    device = [] if "convert" in line else REFERENCE
    assert cli.run([*line.split(), "--ids", "compact", *output, *device, "--json"]) == 0
    said = capsys.readouterr()
    first_line, lost_names = json.loads(said.out)["warnings"]
    assert "is read as a header" in first_line
    assert "not by their ids" in lost_names
    assert said.err == f"pointerjump: warning: {first_line}\npointerjump: warning: {lost_names}\n"


def test_verify_says_what_is_wrong(two_paths: Path) -> None:
    labels = two_paths.with_name("wrong.npy")
    np.save(labels, np.array([0, 0, 0, 0, 0, 1]))
    done = run("verify", two_paths, labels, code=1)
    assert "vertices 0 and 3 both have label 0, but no path joins them" in done.stderr
    report = subprocess.run(
        [sys.executable, "-m", "pointerjump", "verify", two_paths, labels, "--json"],
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
    found = json.loads(run("devices", "--json", code=0 if HAVE_DEVICE else 1).stdout)
    assert len(found) == len(devices())
    for device in found:
        assert {"platform", "device", "type", "version", "works", "why_not", "memory"} <= set(device)
        assert device["works"] == (device["why_not"] is None)


def test_no_device_names_one_command(tmp_path: Path, two_paths: Path) -> None:
    none = {"OCL_ICD_VENDORS": str(tmp_path / "empty"), "OCL_ICD_FILENAMES": ""}
    (tmp_path / "empty").mkdir()
    assert "pip install" in run("devices", code=1, **none).stderr
    assert "pip install" in run("cc", two_paths, code=2, **none).stderr
    run("cc", two_paths, "--device", "reference", **none)  # needs no OpenCL


def test_algorithms_come_from_the_registry() -> None:
    found = json.loads(run("algorithms", "--json").stdout)
    assert [algorithm["name"] for algorithm in found] == list(ALGORITHMS)
    keys = {"name", "title", "paper", "problem", "variants", "reference", "kernels", "needs"}
    assert all(set(algorithm) == keys for algorithm in found)
    some = json.loads(run("algorithms", "wylie", "fast_sv", "--json").stdout)
    assert [each["name"] for each in some] == ["wylie", "fast-sv"]
    assert "did you mean fast-sv?" in run("algorithms", "fastsv", code=2).stderr
    text = run("algorithms").stdout
    assert all(name in text for name in ALGORITHMS)


def test_generate_and_convert(tmp_path: Path) -> None:
    egr, mtx = tmp_path / "g.egr", tmp_path / "g.mtx.gz"
    run("generate", "cliques:count=3,size=4", "-o", egr)
    assert run("convert", egr, "-o", mtx).stdout
    mtx_by_option = Path(mtx).read_bytes()
    for wrong in ([], [mtx, "-o", mtx]):
        assert "name one file to write" in run("convert", egr, *wrong, code=2).stderr
    report = json.loads(run("convert", egr, mtx, "--json").stdout)
    assert Path(mtx).read_bytes() == mtx_by_option
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
    ("options", "vertices"),
    [
        ("--header", 2),
        ("--no-header", 4),
        ("--header --columns 0,1", 2),
        ("--no-header --columns 2,0", 4),
        ("--columns since,who", 2),
    ],
)
@pytest.mark.parametrize("line", ["cc", "forest", "convert", "verify", "draw"])
def test_headers_and_columns(
    line: str,
    options: str,
    vertices: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """On every command that reads an edge list."""
    monkeypatch.chdir(tmp_path)
    Path("friends.csv").write_text("who,whom,since\nann,bob,may\n")
    np.save("labels.npy", np.arange(vertices) // 2 if vertices == 2 else [0, 0, 1, 1])
    arguments = {
        "cc": ["--algorithm", "dfs", *REFERENCE],
        "forest": REFERENCE,
        "convert": ["out.egr"],
        "verify": ["labels.npy"],
        "draw": ["-o", "out.svg"],
    }[line]
    first = ["draw", "dfs"] if line == "draw" else [line]
    assert cli.run([*first, "friends.csv", *arguments, *options.split(), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    if line == "verify":
        assert document["verified"] is True
    else:
        assert document["vertices"] == vertices


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Return what a terminal is shown."""
    file = io.StringIO()
    for name in ("out", "err"):
        monkeypatch.setattr(terminal, name, Console(file=file, force_terminal=True, width=100))
    return file


@pytest.mark.parametrize(
    ("line", "steps"),
    [
        ("cc ones.el --algorithm dfs --device reference --verify", ["reading", "verifying"]),
        ("rank list.txt --algorithm sequential --device reference", ["reading"]),
        ("label image.npy --device reference --verify", ["reading", "verifying"]),
        ("verify ones.el labels.csv", ["reading labels", "reading", "verifying"]),
        ("verify list.txt ranks.csv --ranks", ["reading ranks", "reading"]),
    ],
)
def test_steps_show_how_far_they_are(
    line: str, steps: list[str], shown: io.StringIO, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ones.el").write_text("0 1\n" * 1000)
    Path("list.txt").write_text("0\n1\n")
    np.save("image.npy", [0, 1, 1])
    for name in ("labels.csv", "ranks.csv"):
        Path(name).write_text("vertex,label\n0,0\n1,0\n")
    assert cli.run(line.split()) == 0
    plain = re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]", "", shown.getvalue())
    for step in steps:
        assert re.search(rf"{step} +━+ +100%", plain), step


def test_nobody_watches(tmp_path: Path) -> None:
    assert run("cc", "path:vertices=9", "--algorithm", "dfs", *REFERENCE, "--verify").stderr == ""


def test_draw_says_what_it_drew(tmp_path: Path) -> None:
    picture = tmp_path / "run.svg"
    document = json.loads(run("draw", "afforest", "path:vertices=5", "-o", picture, "--json").stdout)
    assert document["vertices"] == 5
    assert document["bytes"] == picture.stat().st_size
    assert document["output"] == str(picture)


REPORTED = {"warnings"}
CHECKED = REPORTED | {"verified", "why_not"}
RUN = CHECKED | {"input", "output", "seconds", "algorithm", "variant", "platform", "device"}
WRITTEN = REPORTED | {"input", "output", "bytes"}
DOCUMENTS = {
    "cc": (
        "cc two.el --algorithm dfs --device reference",
        RUN | {"vertices", "edges", "records", "streamed"},
    ),
    "rank": ("rank list.txt --device reference", RUN | {"elements", "lists", "longest"}),
    "label": (
        "label image.npy --device reference",
        RUN | {"shape", "dtype", "connectivity", "components", "largest", "foreground", "chunked"},
    ),
    "forest": ("forest two.el --device reference", RUN | {"vertices", "edges", "forest", "components"}),
    "mst": (
        "mst near.csv --weight w --device reference",
        RUN | {"vertices", "edges", "forest", "components", "weight"},
    ),
    "clusters": (
        "clusters near.csv --weight w --at 2 --device reference",
        RUN | {"vertices", "edges", "cuts"},
    ),
    "tree": (
        "tree two.el --device reference",
        RUN | {"vertices", "trees", "height", "leaves", "widest", "widest_depth"},
    ),
    "bridges": ("bridges two.el --device reference", RUN | {"vertices", "edges", "bridges"}),
    "blocks": (
        "blocks near.csv --device reference",
        RUN | {"vertices", "edges", "blocks", "articulation_points", "largest"},
    ),
    "verify": ("verify two.el labels.csv", CHECKED | {"input", "labels"}),
    "update": (
        "update old.csv new.csv -o out.csv --device reference",
        WRITTEN - {"input"} | {"old", "pairs", "new", "ids", "unchanged", "grown", "merged"},
    ),
    "convert": ("convert two.el out.egr", WRITTEN | {"vertices", "edges"}),
    "generate": ("generate path:vertices=3 -o out.egr", WRITTEN | {"vertices", "edges"}),
    "draw": ("draw dfs two.el -o out.svg", WRITTEN | {"algorithm", "vertices", "edges"}),
    "measure": ("measure worklist path:vertices=4", {"name", "title", "source", "about", "rows", "columns"}),
}
ELSEWHERE = {"devices", "algorithms", "bench"}  # have tests of their own documents


def test_every_document_is_looked_at() -> None:
    assert set(cli.cli.commands) == set(DOCUMENTS) | ELSEWHERE


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_have_the_facts_of_their_kind(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("two.el").write_text("0 1\n")
    Path("list.txt").write_text("1\n1\n")
    Path("labels.csv").write_text("vertex,label\n0,0\n1,0\n")
    Path("old.csv").write_text("id,component\na,a\n")
    Path("new.csv").write_text("left,right\na,b\n")
    Path("near.csv").write_text("left,right,w\nann,bob,2\n")
    np.save("image.npy", [0, 1, 1])
    line, facts = DOCUMENTS[name]
    assert cli.run([*line.split(), "--json"]) == 0
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert facts <= set(document)
    assert set(document) & CHECKED == facts & CHECKED, "no verdict where nothing can be checked"
    assert said.err == ""


def test_only_the_report_prints() -> None:
    """Complaints do too, on standard error."""
    modules = sorted(Path(cli.__file__).parent.glob("*.py"))
    assert len(modules) > 10
    printing = [module.stem for module in modules if "print(" in module.read_text()]
    assert printing == ["steps", "terminal"]


def test_help_needs_neither_numpy_nor_opencl() -> None:
    code = "import sys; from pointerjump import cli; cli.run(['cc', '--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert "click" in imported
    assert not imported & {"numpy", "pyopencl"}


def test_every_command_takes_json() -> None:
    for name, command in cli.cli.commands.items():
        (option,) = [p for p in command.params if "--json" in p.opts]
        assert option.is_flag, name  # type: ignore[attr-defined]


def test_a_command_imports_no_library_that_it_does_not_use(tmp_path: Path) -> None:
    pytest.importorskip("pandas")  # if it is installed, pyarrow imports it
    pq.write_table(pa.table({"left": ["ann", "cal"], "right": ["bob", "ann"]}), tmp_path / "pairs.parquet")
    code = (
        "import os, sys; from pointerjump.__main__ import main\n"
        "os._exit = lambda code: print(*sys.modules)\n"
        f"sys.argv[1:] = ['cc', {str(tmp_path / 'pairs.parquet')!r}, '--json']\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    answer, imported = done.stdout.strip().rsplit("\n", 1)
    assert json.loads(answer)["components"] == 1
    assert "pyarrow.dataset" in imported.split()
    assert not {"pandas", "scipy.sparse"} & set(imported.split())


def test_what_is_registered_for_the_end_runs_before_the_process_leaves() -> None:
    code = (
        "import atexit, sys; from pointerjump.__main__ import main\n"
        "atexit.register(print, 'the end'); sys.argv[1:] = ['--version']; main(); print('not reached')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"pointerjump, version {pj.__version__}\nthe end\n"


@pytest.mark.parametrize(
    "start", [["-m", "pointerjump"], ["-c", "from pointerjump.__main__ import main; main()"]]
)
def test_ways_to_start(start: list[str]) -> None:
    done = subprocess.run([sys.executable, *start, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"pointerjump, version {pj.__version__}\n"


def test_the_installed_command_starts_there() -> None:
    (command,) = entry_points(group="console_scripts", name="pointerjump")
    assert command.load() is main


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cc", "no/such/file.el"], "no/such/file.el"),
        (["cc"], "Missing argument"),
        (["frobnicate"], "No such command"),
        (["algoritms"], "Did you mean 'algorithms'?"),
        (["cc", "path:vertices=3", "--nonsense"], "No such option"),
        (["cc", "path:vertices=3", "--vertices", "-1"], "--vertices"),
        (["cc", "path:vertices=3", "--vertices", "4"], "vertices=4, but the graph given has 3"),
        (["cc", "path:vertexes=3"], "vertexes"),
        (["cc", "kronn:scale=10"], "did you mean 'kron'?"),
        (["rank", "lst:length=10"], "did you mean 'list'?"),
        (["cc", "."], "is a folder"),
        (["cc", "path:vertices=3", "--ids", "compact"], "--ids is for graphs in files"),
        (["cc", "path:vertices=3", "--header"], "--header is for graphs in files"),
        (["cc", "path:vertices=3", "--format", "csv"], "--format is for graphs in files"),
        (["convert", "path:vertices=3", "x.egr", "--from", "csv"], "--from is for graphs in files"),
        (
            ["verify", "l.npy", "r.npy", "--ranks", "--columns", "0,1"],
            "--columns is for graphs in files",
        ),
        (["cc", "x.csv", "--columns", "0"], "is not two columns"),
        (["cc", "x.csv", "--device", ""], "it is empty"),
        (["cc", "path:vertices=3", "--algorithm", "magic"], "there is no algorithm 'magic'"),
        (["cc", "path:vertices=3", "--variant", "init"], "is not name=value"),
        (["cc", "path:vertices=3", "--algorithm", "ecl-cc", "--variant", "init=7"], "init=7"),
        (["cc", "path:vertices=3", "--device", "quantum"], "quantum"),
        (["cc", "path:vertices=3", "--device", "reference", "-o", "labels.xyz"], "labels.xyz"),
        (["cc", "path:vertices=3", "-o", "-"], "- would be standard output, and this must go to a file"),
        (["convert", "path:vertices=3", "-"], "- would be standard output, and this must go to a file"),
        (["cc", ""], "the path is empty"),
        (["generate", "path:vertices=3", "-o", "graph.xyz"], "graph.xyz"),
        (["generate", "path:vertices=3"], "Missing option"),
        (["generate", "path:vertices=3", "-o", "no/such/folder/g.egr"], "no/such/folder"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments: list[str], message: str) -> None:
    assert message in run(*arguments, code=2).stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cc missing.el --algorithm magic", "there is no algorithm 'magic'"),
        ("cc missing.el --algorithm ecl-cc --variant init=7", "init=7"),
        ("cc missing.el --variant inot=own --device reference", "no variant 'inot'"),
        ("cc missing.el --device quantum", "quantum"),
        ("rank missing.npy --algorithm ecl-cc", "for list-ranking choose from"),
        ("rank missing.npy --variant inot=own --device reference", "no variant 'inot'"),
        ("forest missing.el --variant inot=own --device reference", "no variant 'inot'"),
        ("forest missing.el --device quantum", "quantum"),
        ("draw magic missing.el -o out.svg", "there is no algorithm 'magic'"),
    ],
)
def test_choices_are_checked_before_the_file_is_read(
    line: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(line.split()) == 2
    assert message in capsys.readouterr().err


@needs_device
@pytest.mark.parametrize(
    ("variant", "message"), [("inot=own", "no variant 'inot'"), ("init=own", "missing.el: No such file")]
)
def test_variants_of_auto_are_checked_before_too(
    variant: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["cc", "missing.el", "--variant", variant]) == 2
    assert message in capsys.readouterr().err


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--help"]) == 0
    text = capsys.readouterr().out
    assert len(text.splitlines()) > 10
    assert cli.run([]) == 2
    assert capsys.readouterr() == ("", text)


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
