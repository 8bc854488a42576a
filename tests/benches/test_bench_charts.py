"""``benches/charts.py``: the whole set on tiny graphs, what its numbers mean, and how they are drawn."""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import NASTY, NASTY_LISTS

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device, devices
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench.own_device import GraphSubject
from pointerjump.bench.timing import Effort, Timing
from pointerjump.errors import AlgorithmError
from pointerjump.measure.plots import COLORS, folded
from pointerjump.reference.sequential import sequential

pytest.importorskip("matplotlib", reason="matplotlib draws the charts")

import chart_times
import charts
from chart_drawing import GREY, by_merit, colors_of
from chart_points import (
    GEOMETRIC_MEAN,
    MEAN,
    NOISY_FROM,
    Point,
    geometric_means,
    million_per_second,
    milliseconds,
    nanoseconds_per,
    percent_of_sum,
    relative_to,
    relative_to_best,
)
from chart_times import OURS, SIZES, ChartTimes, ContestantTimes, Size, limited, walk
from charts import CHARTS, Chart, choose_charts, figure, noise, render
from peers import PEERS

needs_device = pytest.mark.skipif(not any(d.works for d in devices()), reason="no OpenCL device works")

TINY = Size(
    Effort(rounds=1, seconds=0.0, patience=9.0),
    300,
    {
        "graphs": {"path": "path:vertices=300", "grid": "grid2d:rows=20,columns=20"},
        "fractions": {f: f"union:vertices=200,degree=2,fraction={f}" for f in (0.1, 1.0)},
        "degrees": {d: f"kron:scale=7,degree={d}" for d in (2, 4)},
        "lists": {n: f"list:length={n}" for n in (64, 4096)},
        "groups": {"graph": "urand:scale=7,degree=4"},
        "list-groups": {"list": "list:length=300"},
    },
)

MANY = [OURS, *(f"program {i}" for i in range(12))]
THROUGHPUT = "edges-per-second"


def points_of(chart: Chart, names: list[str]) -> list[Point]:
    """Return points of the kind that the chart has; those of program i are larger the larger i is."""
    if chart.axis not in ("graphs",):
        places: list[Any] = [64, 4096, 65536]
        return [Point(at, who, i + 1.0, i + 0.9, i + 1.1) for at in places for i, who in enumerate(names)]
    if chart.name.startswith("kernels"):
        share = 100 / len(names)
        return [Point(at, who, share, share, share) for at in ("road", "web", "mean") for who in names]
    found = [
        Point(at, who, i + 1.0, i + 0.9, i + 1.1) for at in ("road", "web") for i, who in enumerate(names)
    ]
    return found + geometric_means(found)


def stored(chart: Chart, points: list[Point]) -> dict[str, Any]:
    return {"name": chart.name, "points": [asdict(point) for point in points]}


@cache
def drawn(name: str, contestants: int = len(MANY)) -> str:
    (chart,) = choose_charts(name)
    return figure(stored(chart, points_of(chart, MANY[:contestants])))


def texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>(.*?)</text>", svg)


def colors_in(svg: str) -> set[str]:
    return set(re.findall(r"fill: (#[0-9a-f]{6})", svg)) & {color.lower() for color in (*COLORS, GREY)}


EVERY = [pytest.param(chart, id=chart.name) for chart in CHARTS]


# -- every chart -----------------------------------------------------------------------------------


@pytest.mark.parametrize("chart", EVERY)
def test_stored_data_is_drawn(chart: Chart) -> None:
    svg = drawn(chart.name)
    assert svg.startswith("<svg ")
    assert "\n\n" not in svg, "a blank line would end it in Markdown"
    assert all(own.startswith(f"{chart.name}-") for own in re.findall(r'\bid="([^"]*)"', svg))
    assert "<style" not in svg, "a style sheet would be the whole page's"
    assert {chart.x, chart.y} <= set(texts(svg))


@pytest.mark.parametrize("chart", EVERY[::3])
def test_ticks_are_plain_numbers(chart: Chart) -> None:
    wide = [
        Point(p.where, p.who, *(x * 10 ** (i % 5) for x in (p.median, p.low, p.high)))
        for i, p in enumerate(points_of(chart, MANY[:3]))
    ]
    svg = figure(stored(chart, wide))
    assert "tspan" not in svg, "no 10 with a raised exponent"
    assert not [text for text in texts(svg) if re.search(r"\de[+-]?\d|\N{MULTIPLICATION SIGN}", text)]


@pytest.mark.parametrize("chart", EVERY)
def test_at_most_eight_colors(chart: Chart) -> None:
    svg = drawn(chart.name)
    assert 6 <= len(colors_in(svg)) <= 8
    assert GREY in colors_in(svg)


@pytest.mark.parametrize("chart", EVERY)
def test_every_chart_says_what_it_shows(chart: Chart) -> None:
    assert chart.shows.endswith(".")
    assert chart.about.endswith(".")
    assert chart.y.endswith(")"), "no unit"


def test_ids_begin_as_the_page_wants_it() -> None:
    (chart,) = choose_charts("degree")
    entry = stored(chart, points_of(chart, MANY[:2]))
    ids = re.findall(r'\bid="([^"]*)"', figure(entry, "figure-7"))
    assert ids
    assert all(own.startswith("figure-7-") for own in ids)


def test_a_chart_that_is_no_more_is_refused() -> None:
    with pytest.raises(AlgorithmError, match="there is no chart 'speed'"):
        figure({"name": "speed", "points": []})


# -- colors ----------------------------------------------------------------------------------------

# Viénot, Brettel and Mollon, 1999: what linear RGB looks like to those who lack a kind of cone.
SIGHT = {
    "all cones": np.eye(3),
    "no red cones": np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]),
    "no green cones": np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(color: str, seen: np.ndarray) -> np.ndarray:
    """Return a color in CIE L*a*b*, where distances are about as large as they look."""
    stored = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(stored <= 0.04045, stored / 12.92, ((stored + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(seen @ linear, 0, 1) / TO_XYZ.sum(axis=1)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("sight", SIGHT)
def test_any_two_colors_differ_also_for_the_color_blind(sight: str) -> None:
    for one, other in combinations((*COLORS, GREY), 2):
        distance = np.linalg.norm(lab(one, SIGHT[sight]) - lab(other, SIGHT[sight]))
        assert distance > 15, (one, other)


def test_ours_is_black_and_shares_its_color_with_nobody() -> None:
    for many in (2, 8, 9, 13):
        names = MANY[:many]
        colors = colors_of(names, names)
        assert colors[OURS] == "#000000"
        shown = [color for color in colors.values() if color != GREY]
        assert len(set(shown)) == len(shown) == (many if many <= 8 else 7)


# -- many contestants ------------------------------------------------------------------------------


def test_the_best_are_named_and_the_others_can_be_found() -> None:
    svg = drawn(THROUGHPUT)
    named = [text.partition(":")[0] for text in texts(svg) if ": mean" in text]
    assert named == [OURS, *(f"program {i}" for i in range(11, 5, -1))], "high is good"
    assert "6 others: point at one" in texts(svg)
    titles = re.findall("<title>(.*?)</title>", svg)
    assert {title.partition(",")[0] for title in titles} == set(MANY)
    assert "program 3, road: 5 (quartiles 4.9 to 5.1)" in titles

    named = [text.partition(":")[0] for text in texts(drawn("slowdown")) if ": mean" in text]
    assert named == [f"program {i}" for i in range(6)], "low is good; the line at 1 is ours"


def test_few_contestants_are_all_named() -> None:
    shown = texts(drawn(THROUGHPUT, 8))
    assert not [text for text in shown if "others" in text]
    assert sum(": mean" in text for text in shown) == 8


def test_merit_is_compared_where_both_were_measured() -> None:
    """The one that ran only where everybody is fast is not the best for that."""
    points = [Point("easy", OURS, 100, 100, 100), Point("hard", OURS, 1, 1, 1)]
    points += [Point("easy", "good", 90, 90, 90), Point("hard", "good", 0.9, 0.9, 0.9)]
    points += [Point("easy", "picky", 80, 80, 80)]
    assert by_merit(points, high_is_good=True) == [OURS, "good", "picky"]


# -- noise -----------------------------------------------------------------------------------------


def test_noise_begins_at_the_limit() -> None:
    assert not Point("g", "a", 1, 1, NOISY_FROM).noisy
    assert Point("g", "a", 1, 1, NOISY_FROM + 0.01).noisy


@pytest.mark.parametrize("name", ["slowdown", THROUGHPUT, "kernels-ecl-cc", "list-length"])
def test_noisy_numbers_are_marked_and_named(name: str) -> None:
    (chart,) = choose_charts(name)
    quiet = points_of(chart, MANY[:3])
    noisy = [Point(p.where, p.who, p.median, p.low, p.high * 2) if i == 1 else p for i, p in enumerate(quiet)]
    legend = "noisy: quartiles far apart"
    assert legend not in texts(figure(stored(chart, quiet)))
    assert noise(quiet) == ""
    assert legend in texts(figure(stored(chart, noisy)))
    assert noise(noisy).startswith("Noisy (*): 1 of ")
    assert noise(noisy).endswith(f" {noisy[1].where}: program 0.")


def page(points: list[Point], rounds: int) -> str:
    pytest.importorskip("jinja2", reason="jinja2 writes the report")
    (chart,) = choose_charts("degree")
    words = {
        "title": chart.title,
        "figure": chart.figure,
        "x": chart.x,
        "y": chart.y,
        "left_out": ["b: gone"],
    }
    device = dict.fromkeys(("device", "type", "platform", "driver", "version"), "x") | {"compute_units": 1}
    report = {
        "date": "2026-01-01T00:00:00",
        "rounds": rounds,
        "seed": 1,
        "machine": {},
        "packages": {},
        "subjects": [],
        "device": device | {"memory": 1 << 30},
        "charts": [{**stored(chart, points), **words}],
    }
    return render(report, [chart])


def test_the_page_warns_of_noise_and_says_what_to_do() -> None:
    (chart,) = choose_charts("degree")
    quiet = points_of(chart, MANY[:2])
    loud = [Point(p.where, p.who, p.median, p.low / 2, p.high) for p in quiet]
    assert "--rounds" not in page(quiet, 5)
    assert f"{len(loud)} numbers are noisy" in page(loud, 5)
    assert "--rounds" in page(loud, 5)
    assert "1 number is noisy" in page([loud[0], *quiet[1:]], 5)
    assert "quartiles say little" in page(quiet, 4)
    assert "quartiles say little" not in page(quiet, 5)


def test_figures_come_first_and_tables_are_folded() -> None:
    (chart,) = choose_charts("degree")
    text = page(points_of(chart, MANY[:2]), 5)
    assert text.index(chart.shows) < text.index("<svg") < text.index("<table")
    unfolded = re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL)
    assert "<table" not in unfolded
    assert "Left out: b" in text


# -- names -----------------------------------------------------------------------------------------


def test_long_names_are_folded() -> None:
    spec = "grid2d:rows=4096,columns=4096,keep=0.62,seed=1"
    assert max(map(len, folded(spec, 20).splitlines())) <= 20
    assert folded(spec, 20).replace("\n", "") == spec


# -- a peer of each kind ---------------------------------------------------------------------------

SCIPY = next(peer for peer in PEERS if peer.name == "scipy")


ABSENT = replace(SCIPY, name="absent", source="no.cpp")
SNAIL = replace(SCIPY, name="snail", slow=True)
WRONG = replace(SCIPY, name="wrong", labels=lambda answer: np.zeros_like(answer[1]))


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["charts.py", *map(str, arguments)])
    charts.main()


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
@pytest.mark.exhaustive
def test_the_whole_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jinja2", reason="jinja2 writes the report")
    monkeypatch.setitem(SIZES, "quick", TINY)
    peers = (SCIPY, ABSENT, SNAIL)
    monkeypatch.setattr("native.why_not", lambda *_: "not installed: pip install it")
    monkeypatch.setattr(chart_times, "PEERS", peers)
    output, beside = tmp_path / "page.html", tmp_path / "data.json"
    run(monkeypatch, "--page", output, "--data", beside)

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
def test_own_graphs_and_chosen_charts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jinja2", reason="jinja2 writes the report")
    file, output, beside = tmp_path / "two.el", tmp_path / "page.html", tmp_path / "data.json"
    file.write_text("# vertices 6 edges 3\n0 1\n1 2\n3 4\n")
    options = ["--charts", "kernels-ecl-cc, ecl-init", "--rounds", 2, "--page", output, "--data", beside]
    run(monkeypatch, "--graphs", file, "star:vertices=9", *options)
    data = json.loads(beside.read_text())
    assert [(s["name"], s["components"]) for s in data["subjects"]] == [("two.el", 3), ("star:vertices=9", 1)]
    assert [entry["name"] for entry in data["charts"]] == ["kernels-ecl-cc", "ecl-init"]
    assert len(data["charts"][1]["seconds"][0]["samples"]) == 2
    assert data["rounds"] == 2
    assert "two.el" in output.read_text()


@needs_device
def test_a_wrong_answer_is_not_timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jinja2", reason="jinja2 writes the report")
    monkeypatch.setattr(chart_times, "PEERS", (WRONG,))
    output = tmp_path / "page.html"
    with pytest.raises(SystemExit, match=r"charts\.py: "):
        run(monkeypatch, "--charts", "slowdown", "--graphs", "cliques:count=2,size=3", "--page", output)
    assert not output.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--charts", "slowdwon"], "there is no chart 'slowdwon': choose from slowdown, "),
        (["--page", "no/such/folder/page.html"], "no/such/folder"),
        (["--data", "no/such/folder/data.json"], "no/such/folder"),
    ],
)
def test_bad_options_are_refused_before_anything_is_measured(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(charts, "run", None)
    with pytest.raises(SystemExit, match=re.escape(message)):
        run(monkeypatch, *arguments)


def test_every_chart_is_complete() -> None:
    assert len({chart.name for chart in CHARTS}) == len(CHARTS)
    for size in SIZES.values():
        for chart in CHARTS:
            assert size.axes[chart.axis]
    assert choose_charts(None) == list(CHARTS)


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


def test_work_groups_are_limited(device: Device) -> None:
    session = session_for(device)
    launched = session.shapes.over(1 << 20).groups
    small = limited(session, 4)
    assert small.shapes.over(1 << 20).groups == small.shapes.everywhere().groups == 4
    assert small.shapes.over(1 << 20, at_once=True).groups == 4
    assert small.shapes.over(1 << 20, uneven=True).groups == 4
    assert small.shapes.over(1).groups == 1
    assert session.shapes.over(1 << 20).groups == launched, "the session itself is as it was"
    g = NASTY["sparse random"]
    pj.verify(g, pj.components(pj.to_device(g, small), algorithm="ecl-cc").labels)


@needs_device
def test_a_program_that_takes_too_long_is_left_out_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chart_times, "PEERS", (SCIPY,))
    subject = GraphSubject("nine", "star:vertices=9", session_for())
    impatient = replace(TINY, effort=replace(TINY.effort, patience=0.0))
    for measure in (chart_times.beside_peers, chart_times.beside_peers_from_arrays):
        assert [m.who for m in measure(subject, "nine", TINY).times] == [OURS, "scipy"]
        measured = measure(subject, "nine", impatient)
        assert [m.who for m in measured.times] == [OURS]
        assert measured.left_out == ["scipy: took 0 s on nine, which is too long for this set"]


@pytest.mark.parametrize(
    "name", [name for name in NASTY_LISTS if name.startswith("one of ") and name != "one of 0"]
)
def test_the_walk_ranks_a_list(name: str) -> None:
    successors = NASTY_LISTS[name]
    ranks = np.empty(len(successors), np.int32)
    walk(successors, ranks)
    assert ranks.tolist() == sequential(successors).tolist()
