"""Charts of ``pointerjump bench``: colors, names, marks and numbers, drawn from made-up data."""

from __future__ import annotations

import re
from dataclasses import asdict
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from pointerjump.bench.charts import CHARTS, Chart, choose_charts
from pointerjump.bench.drawing import by_merit, colors_of
from pointerjump.bench.measurements import NOISY_FROM, Point, geometric_means
from pointerjump.bench.report import figure, noise, render
from pointerjump.bench.suite_components import OURS
from pointerjump.errors import AlgorithmError
from pointerjump.figures import COLORS, GREY, folded

pytest.importorskip("matplotlib", reason="matplotlib draws the charts")

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


@pytest.mark.parametrize("chart", EVERY)
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
