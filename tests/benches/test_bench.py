"""``pointerjump bench``: the whole set on tiny graphs, and what its numbers mean."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from conftest import NASTY, NASTY_LISTS

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device, devices
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench import report, suite, suite_components
from pointerjump.bench.charts import CHARTS, choose_charts
from pointerjump.bench.kernel_times import kernel_times
from pointerjump.bench.measurements import (
    GEOMETRIC_MEAN,
    MEAN,
    ChartTimes,
    ContestantTimes,
    geometric_means,
    million_per_second,
    milliseconds,
    nanoseconds_per,
    percent_of_sum,
    relative_to,
    relative_to_best,
)
from pointerjump.bench.peers import PEERS, Peer
from pointerjump.bench.sizes import MOST_ROUNDS, SIZES, Effort, Size
from pointerjump.bench.subjects import GraphSubject, timed
from pointerjump.bench.suite_lists import walk
from pointerjump.bench.timing import Timing
from pointerjump.bench.work_groups import limited
from pointerjump.cli import cli
from pointerjump.cli.measuring import bench
from pointerjump.errors import AlgorithmError, FormatError, GraphError, VerificationError
from pointerjump.reference.sequential import sequential

needs_device = pytest.mark.skipif(not any(d.works for d in devices()), reason="no OpenCL device works")

TINY = Size(
    Effort(rounds=1, seconds=0.0, patience=9.0, slow_peers_up_to=300),
    {
        "graphs": {"path": "path:vertices=300", "grid": "grid2d:rows=20,columns=20"},
        "fractions": {f: f"union:vertices=200,degree=2,fraction={f}" for f in (0.1, 1.0)},
        "degrees": {d: f"kron:scale=7,degree={d}" for d in (2, 4)},
        "lists": {n: f"list:length={n}" for n in (64, 4096)},
        "groups": {"graph": "urand:scale=7,degree=4"},
        "list-groups": {"list": "list:length=300"},
    },
)


# -- a peer of each kind ---------------------------------------------------------------------------

SCIPY = next(peer for peer in PEERS if peer.name == "scipy")


class NotThere(type(SCIPY)):  # type: ignore[misc]
    def missing(self, reading: bool = False) -> str:
        return "not installed: pip install it"


class Wrong(type(SCIPY)):  # type: ignore[misc]
    def labels(self, answer: object) -> np.ndarray:
        return np.zeros_like(super().labels(answer))


def peer(kind: type[Peer], name: str, slow: bool = False) -> Peer:
    return kind(name, "C++", "scipy", slow)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["bench", *map(str, arguments)], standalone_mode=False)


# -- the page --------------------------------------------------------------------------------------


class Page(HTMLParser):
    """Checks that tags nest, and collects ids and each ``<svg>``'s text."""

    VOID = frozenset({"meta", "br", "link", "path", "use"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.drawings: list[str] = []
        self.references: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open, "every tag is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids += [found["id"]] if found.get("id") else []
        self.references += [found[a] or "" for a in ("href", "xlink:href", "src") if a in found]
        if tag == "svg":
            assert found["role"] == "img"
            assert found["aria-label"]
            self.drawings.append("")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "svg" in self.open and "style" not in self.open:
            self.drawings[-1] += data


@needs_device
def test_the_whole_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib draws the report")
    pytest.importorskip("jinja2", reason="jinja2 writes the report")
    monkeypatch.setitem(SIZES, "quick", TINY)
    peers = (SCIPY, peer(NotThere, "absent"), peer(type(SCIPY), "snail", slow=True))
    monkeypatch.setattr(suite_components, "PEERS", peers)
    output, beside = tmp_path / "page.html", tmp_path / "data.json"
    done = run("-o", output, "--data", beside)
    assert done.exception is None, done.exception
    assert "every answer" in done.stdout

    text = output.read_text()
    page = Page(text)
    assert not [i for i, count in Counter(page.ids).items() if count > 1], "ids are unique in the page"
    assert all(link.startswith("#") for link in page.references), "the page needs no network"
    assert len(page.drawings) == len(CHARTS)
    for chart, drawn in zip(CHARTS, page.drawings, strict=True):
        assert chart.x in drawn
        assert chart.y in drawn
        assert chart.y.endswith(")"), f"{chart.name} has no unit on its y axis"

    data = json.loads(beside.read_text())
    embedded = text.split('<script type="application/json" id="data">')[1].split("</script>")[0]
    assert json.loads(embedded) == data
    assert [entry["name"] for entry in data["charts"]] == [chart.name for chart in CHARTS]
    for entry in data["charts"]:
        assert entry["points"]
        assert all(p["low"] <= p["median"] <= p["high"] for p in entry["points"])
        assert all(len(m["samples"]) == 1 for m in entry["seconds"])
    slowdown = data["charts"][0]
    assert slowdown["left_out"] == [
        "absent: not installed: pip install it",
        "snail: too slow for graphs of more than 300 edges in this set",
    ]
    assert "pip install it" in text
    ran = {(p["where"], p["who"]) for p in slowdown["points"]}
    assert ("path", "snail") in ran
    assert ("grid", "snail") not in ran, "760 edges are too many for it"
    assert {"axis": "graphs", "name": "grid", "source": "grid2d:rows=20,columns=20"}.items() <= data[
        "subjects"
    ][1].items()
    assert data["subjects"][1]["components"] == 1


@needs_device
def test_own_graphs_and_chosen_charts(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib draws the report")
    pytest.importorskip("jinja2", reason="jinja2 writes the report")
    file, output, beside = tmp_path / "two.el", tmp_path / "page.html", tmp_path / "data.json"
    file.write_text("# vertices 6 edges 3\n0 1\n1 2\n3 4\n")
    options = ["--charts", "kernels-ecl-cc, ecl-init", "--rounds", 2, "-o", output, "--data", beside]
    done = run("--graphs", file, "--graphs", "star:vertices=9", *options, "--json")
    assert done.exception is None, done.exception
    assert json.loads(done.stdout) == json.loads(beside.read_text())
    data = json.loads(beside.read_text())
    assert [(s["name"], s["components"]) for s in data["subjects"]] == [("two.el", 3), ("star:vertices=9", 1)]
    assert [entry["name"] for entry in data["charts"]] == ["kernels-ecl-cc", "ecl-init"]
    assert len(data["charts"][1]["seconds"][0]["samples"]) == 2
    assert data["rounds"] == 2
    assert "two.el" in output.read_text()


@needs_device
def test_a_wrong_answer_is_not_timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib draws the report")
    pytest.importorskip("jinja2", reason="jinja2 writes the report")
    monkeypatch.setattr(suite_components, "PEERS", (peer(Wrong, "wrong"),))
    output = tmp_path / "page.html"
    done = run("--charts", "slowdown", "--graphs", "cliques:count=2,size=3", "-o", output)
    assert isinstance(done.exception, VerificationError)
    assert not output.exists()


def test_without_its_libraries_it_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "find_spec", lambda name: None)
    error = run().exception
    assert isinstance(error, report.MissingLibraryError)
    assert "matplotlib and jinja2" in str(error)
    assert "pip install 'pointerjump[bench]'" in str(error)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (["--charts", "slowdwon"], AlgorithmError, "there is no chart 'slowdwon': choose from slowdown, "),
        (["-o", "no/such/folder/page.html"], FormatError, "no/such/folder"),
        (["--data", "no/such/folder/data.json"], FormatError, "no/such/folder"),
    ],
)
def test_bad_options_are_refused_before_anything_is_measured(
    arguments: list[str], kind: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "find_spec", lambda name: True)
    monkeypatch.setattr(suite, "run", None)
    error = run(*arguments).exception
    assert isinstance(error, kind)
    assert message in str(error)


def test_the_command_offers_the_sets_there_are() -> None:
    option = next(o for o in bench.params if o.name == "size")
    assert list(option.type.choices) == list(SIZES)  # type: ignore[attr-defined]


def test_every_chart_is_complete() -> None:
    assert len({chart.name for chart in CHARTS}) == len(CHARTS)
    for size in SIZES.values():
        for chart in CHARTS:
            assert size.axes[chart.axis]
    assert choose_charts(None) == list(CHARTS)


def test_files_of_one_name_in_two_folders_are_two_graphs() -> None:
    assert list(suite.workload("quick", ["a/g.el", "b/g.el"]).axes["graphs"]) == ["a/g.el", "b/g.el"]
    assert list(suite.workload("quick", ["a/g.el", "b/h.el"]).axes["graphs"]) == ["g.el", "h.el"]


# -- what the numbers mean -------------------------------------------------------------------------


def times() -> list[ContestantTimes]:
    """Two contestants in two places; medians 2 and 8, 4 and 4 seconds."""
    counts = {"edges": 4_000_000}
    return [
        ContestantTimes("g", "ours", Timing((1.0, 2.0, 5.0)), counts),
        ContestantTimes("g", "theirs", Timing((8.0, 8.0, 8.0)), counts),
        ContestantTimes("h", "ours", Timing((4.0, 4.0, 4.0)), counts),
        ContestantTimes("h", "theirs", Timing((3.0, 4.0, 5.0)), counts),
    ]


def by_place(points: list) -> Iterator[tuple]:
    return ((p.where, p.who, p.low, p.median, p.high) for p in points)


def test_ratios_and_their_geometric_mean() -> None:
    assert list(by_place(relative_to("ours")(times()))) == [
        ("g", "ours", 0.75, 1.0, 1.75),
        ("g", "theirs", 4.0, 4.0, 4.0),
        ("h", "ours", 1.0, 1.0, 1.0),
        ("h", "theirs", 0.875, 1.0, 1.125),
        (GEOMETRIC_MEAN, "ours", 1.0, 1.0, 1.0),
        (GEOMETRIC_MEAN, "theirs", 2.0, 2.0, 2.0),
    ]


def test_a_geometric_mean_is_over_the_places_that_were_measured() -> None:
    mean = {p.who: p.median for p in geometric_means(milliseconds(times()[:3]))}
    assert mean["ours"] == pytest.approx(math.sqrt(2000 * 4000))
    assert mean["theirs"] == pytest.approx(8000)


def test_rates() -> None:
    points = list(by_place(million_per_second("edges")(times())))
    assert points[0] == pytest.approx(("g", "ours", 4 / 3.5, 2.0, 4 / 1.5)), "slow is low"
    assert points[-1][:2] == (GEOMETRIC_MEAN, "theirs")
    assert points[-1][3] == pytest.approx(math.sqrt(0.5))
    assert nanoseconds_per("edges")(times())[0].median == pytest.approx(500.0)


def test_times_relative_to_the_best_of_each() -> None:
    medians = [(p.where, p.who, p.median) for p in relative_to_best(times())]
    assert medians == [("g", "ours", 1.0), ("g", "theirs", 2.0), ("h", "ours", 2.0), ("h", "theirs", 1.0)]


def test_parts_of_a_whole_sum_to_100_and_so_do_their_means() -> None:
    points = percent_of_sum(times()[:3])  # h has no kernel called "theirs"
    assert [(p.where, p.who, p.median) for p in points] == [
        ("g", "ours", 20.0),
        ("g", "theirs", 80.0),
        ("h", "ours", 100.0),
        (MEAN, "ours", 60.0),
        (MEAN, "theirs", 40.0),
    ]


def test_reasons_are_named_once() -> None:
    measured = ChartTimes([], ["igraph: gone"])
    measured.add(ChartTimes(times(), ["igraph: gone", "Boost: gone"]))
    assert measured.left_out == ["igraph: gone", "Boost: gone"]
    assert len(measured.times) == 4


# -- what is measured ------------------------------------------------------------------------------


def test_kernels_are_timed_by_name(device: Device) -> None:
    d = pj.to_device(NASTY["two hubs"], device)
    found = kernel_times(d, "ecl-cc", runs=3, balance="degree")
    assert list(found) == ["init", "compute1", "compute2", "compute3", "finalize"]
    assert all(len(timing.samples) == 3 and min(timing.samples) >= 0 for timing in found.values())
    assert sum(timing.median for timing in found.values()) > 0
    rounds = kernel_times(d, "shiloach-vishkin")
    assert list(rounds)[:7] == ["SV0", "SV1a", "SV1b", "SV2", "SV3", "SV4", "SV5"]


def test_work_groups_are_limited(device: Device) -> None:
    session = session_for(device)
    launched = session.shapes.over(1 << 20).groups
    small = limited(session, 4)
    assert small.shapes.over(1 << 20).groups == small.shapes.everywhere().groups == 4
    assert small.shapes.over(1 << 20, at_once=True).groups == 4
    assert small.shapes.over(1).groups == 1
    assert session.shapes.over(1 << 20).groups == launched, "the session itself is as it was"
    g = NASTY["sparse random"]
    pj.verify(g, pj.components(pj.to_device(g, small), algorithm="ecl-cc").labels)


@needs_device
def test_a_program_that_takes_too_long_is_left_out_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite_components, "PEERS", (SCIPY,))
    subject = GraphSubject("nine", "star:vertices=9", session_for())
    impatient = replace(TINY.effort, patience=0.0)
    for measure in (suite_components.beside_peers, suite_components.beside_peers_from_arrays):
        assert [m.who for m in measure(subject, TINY.effort).times] == [suite_components.OURS, "scipy"]
        measured = measure(subject, impatient)
        assert [m.who for m in measured.times] == [suite_components.OURS]
        assert measured.left_out == ["scipy: took 0 s on nine, which is too long for this set"]


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


@pytest.mark.parametrize(
    "name", [name for name in NASTY_LISTS if name.startswith("one of ") and name != "one of 0"]
)
def test_the_walk_ranks_a_list(name: str) -> None:
    successors = NASTY_LISTS[name]
    ranks = np.empty(len(successors), np.int32)
    walk(successors, ranks)
    assert ranks.tolist() == sequential(successors).tolist()


def test_more_samples_of_what_takes_little() -> None:
    runs = {"nothing": lambda: None}
    assert len(timed(runs, TINY.effort)["nothing"].samples) == 1
    assert len(timed(runs, replace(TINY.effort, seconds=60.0))["nothing"].samples) == MOST_ROUNDS
