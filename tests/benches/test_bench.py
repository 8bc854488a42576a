"""``pointerjump bench``: algorithms on one's own device, verified; times of runs, kernels and calls."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from conftest import NASTY

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device, devices
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench import own_device
from pointerjump.bench.own_device import SETS, GraphSubject, measure_device, named
from pointerjump.bench.timing import MOST_ROUNDS, Effort, ProfilingSession, kernel_times, timed
from pointerjump.cli import cli
from pointerjump.cli.measuring import bench
from pointerjump.errors import AlgorithmError, FormatError, GraphError, VerificationError
from pointerjump.generators import is_spec
from pointerjump.registry import ALGORITHMS

needs_device = pytest.mark.skipif(not any(d.works for d in devices()), reason="no OpenCL device works")

ONCE = Effort(rounds=1, seconds=0.0, patience=9.0)
TINY = {"path": "path:vertices=300", "grid": "grid2d:rows=20,columns=20", "list": "list:length=300"}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["bench", *map(str, arguments)], standalone_mode=False)


# -- the command -----------------------------------------------------------------------------------


@needs_device
def test_the_whole_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SETS, "quick", (ONCE, TINY))  # type: ignore[index]
    output = tmp_path / "times.json"
    done = run("-o", output, "--kernels")
    assert done.exception is None, done.exception
    assert "every answer was verified" in done.stdout
    assert "auto (" in done.stdout
    data = json.loads(output.read_text())
    assert data["device"]["device"] in done.stdout
    assert [(each["name"], each["source"]) for each in data["inputs"]] == list(TINY.items())
    assert data["inputs"][1]["components"] == 1
    assert data["inputs"][2]["elements"] == 300
    assert all(each["low"] <= each["median"] <= each["high"] for each in data["times"])
    assert all(len(each["samples"]) == 1 for each in data["times"])
    for problem, names in (("components", ("path", "grid")), ("list-ranking", ("list",))):
        having = [each for each in ALGORITHMS.values() if each.problem == problem and each.kernels]
        parallel = {each.name for each in having if not each.serial}
        for name in names:
            own = [each for each in data["times"] if each["input"] == name]
            timed = {each["algorithm"] for each in own if each["kind"] == "run"}
            refused = {line.partition(" ")[0] for line in data["left_out"] if f" on {name}: " in line}
            assert timed | refused == {"auto", *parallel}
            assert timed == {each["algorithm"] for each in own if each["kind"] == "kernel"}
            assert [each["algorithm"] for each in own if each["kind"] == "call"] == ["auto"]
            assert {"transfer", "compute"} <= {each["step"] for each in own if each["kind"] == "phase"}


@needs_device
def test_own_graphs_and_chosen_algorithms(tmp_path: Path) -> None:
    file, output = tmp_path / "two.el", tmp_path / "times.csv"
    file.write_text("# vertices 6 edges 3\n0 1\n1 2\n3 4\n")
    asked = ["--algorithm", "ecl-cc:jump=single", "--algorithm", "wylie", "--rounds", 2]
    done = run(file, "star:vertices=9", "list:length=50", *asked, "-o", output, "--json")
    assert done.exception is None, done.exception
    data = json.loads(done.stdout)
    assert [(each["name"], each.get("components")) for each in data["inputs"]] == [
        ("two.el", 3),
        ("star:vertices=9", 1),
        ("list:length=50", None),
    ]
    rows = list(csv.DictReader(output.read_text().splitlines()))
    assert [(row["input"], row["algorithm"], row["ran"], row["kind"]) for row in rows] == [
        ("two.el", "ecl-cc:jump=single", "ecl-cc", "run"),
        ("star:vertices=9", "ecl-cc:jump=single", "ecl-cc", "run"),
        ("list:length=50", "wylie", "wylie", "run"),
    ]
    assert all(float(row["median"]) > 0 and row["samples"] == "2" for row in rows)


@needs_device
def test_a_wrong_answer_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*given: object, **named: object) -> object:
        found = pj.components(*given, **named)  # type: ignore[arg-type]
        found.labels = np.zeros_like(found.labels)
        return found

    monkeypatch.setattr(own_device, "components", wrong)
    with pytest.raises(VerificationError):
        measure_device(session_for(), {"two": "cliques:count=2,size=3"}, effort=ONCE)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (["--algorithm", "ecl"], AlgorithmError, "ecl"),
        (["--algorithm", "ecl-cc:jump"], AlgorithmError, "'jump' is not name=value"),
        (["--algorithm", "union-find"], AlgorithmError, "union-find has no kernels"),
        (["-o", "no/such/folder/times.json"], FormatError, "no/such/folder"),
        (["-o", "times.html"], FormatError, "written as .json or .csv"),
    ],
)
def test_bad_options_are_refused_before_anything_is_measured(
    arguments: list[str], kind: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_device, "measure_device", None)
    error = run(*arguments).exception
    assert isinstance(error, kind)
    assert message in str(error)


def test_the_command_offers_the_sets_there_are() -> None:
    option = next(o for o in bench.params if o.name == "size")
    assert list(option.type.choices) == list(SETS)  # type: ignore[attr-defined]
    for _, inputs in SETS.values():
        assert all(map(is_spec, inputs.values()))


def test_files_of_one_name_in_two_folders_are_two_graphs() -> None:
    assert list(named(["a/g.el", "b/g.el"])) == ["a/g.el", "b/g.el"]
    assert list(named(["a/g.el", "b/h.el"])) == ["g.el", "h.el"]


# -- what is measured ------------------------------------------------------------------------------


def test_kernels_are_timed_by_name(device: Device) -> None:
    d = pj.to_device(NASTY["two hubs"], ProfilingSession(session_for(device)))
    found = kernel_times(d.plan("ecl-cc", balance="degree").run, d.session, runs=3)
    assert list(found) == ["init", "compute1", "compute2", "finalize"]
    assert all(len(timing.samples) == 3 and min(timing.samples) >= 0 for timing in found.values())
    assert sum(timing.median for timing in found.values()) > 0
    rounds = kernel_times(d.plan("shiloach-vishkin").run, d.session)
    assert list(rounds)[:7] == ["SV0", "SV1a", "SV1b", "SV2", "SV3", "SV4", "SV5"]


@needs_device
def test_what_takes_too_long_is_left_out_by_name() -> None:
    impatient = replace(ONCE, patience=0.0)
    found = measure_device(session_for(), {"nine": "star:vertices=9"}, ["auto", "bfs"], effort=impatient)
    assert found["left_out"] == [
        f"{name} on nine: took 0 s, too long for this set" for name in ("auto", "bfs")
    ]
    assert found["times"] == []


def test_phases_are_of_the_call_and_not_of_what_warms_it_up() -> None:
    class Call:
        name = "g"

        def call(self) -> object:
            seconds = iter([{"transfer": 9.0, "build": 7.0}, {"transfer": 1.0}, {"transfer": 2.0}])
            return lambda: {"algorithm": "bfs", "seconds": next(seconds)}

    call, *phases = own_device._of_call(Call(), Effort(rounds=2, seconds=0.0, patience=1.0))  # type: ignore[arg-type]
    assert (call["kind"], call["ran"], len(call["samples"])) == ("call", "bfs", 2)
    assert [tuple(phase.values()) for phase in phases] == [
        ("g", "auto", "bfs", "phase", "transfer", 1.5, 1.25, 1.75, (1.0, 2.0))
    ]


@needs_device
def test_a_graph_without_edges_is_refused() -> None:
    with pytest.raises(GraphError, match="empty:vertices=5 has no edges"):
        GraphSubject("empty", "empty:vertices=5", session_for())


def test_edge_arrays_are_the_graph(device: Device) -> None:
    subject = GraphSubject("grid", "grid2d:rows=30,columns=30", session_for(device))
    sources, targets = subject.edge_arrays()
    assert sources.dtype == targets.dtype == np.int64
    assert len(sources) == subject.graph.edges
    again = pj.Graph.from_edges(sources, targets, vertices=subject.graph.vertices)
    assert again.neighbors.tolist() == subject.graph.neighbors.tolist()
    assert 0.3 < np.mean(sources < targets) < 0.7, "in either direction"
    assert np.any(np.diff(np.minimum(sources, targets)) < 0), "in no order"


def test_more_samples_of_what_takes_little() -> None:
    runs = {"nothing": lambda: None}
    assert len(timed(runs, ONCE)["nothing"].samples) == 1
    assert len(timed(runs, replace(ONCE, seconds=60.0))["nothing"].samples) == MOST_ROUNDS
