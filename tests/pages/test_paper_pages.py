"""The papers' pages: every cell says something, and every figure that a page asks for can be drawn."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
from pathlib import Path
from types import ModuleType

import pytest

from pointerjump.cli import cli
from pointerjump.generators import generate
from pointerjump.measure import find_property
from pointerjump.registry.table import PAPERS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = {paper.page: (DOCS / "papers" / f"{paper.page}.md").read_text() for paper in PAPERS}
ROWS = [
    pytest.param([cell.strip() for cell in line.split("|")[1:-1]], id=f"{page}-{line.split('|')[1].strip()}")
    for page, text in PAGES.items()
    for line in text.splitlines()
    if line.startswith("| ") and not line.startswith(("| in the", "| ---"))
]


def comments(text: str) -> list[list[str]]:
    """Return what the comments of a page ask for, word by word."""
    return [shlex.split(comment) for comment in re.findall(r"<!--(.*?)-->", text)]


COMMENTS = [pytest.param(words, id=" ".join(words)) for text in PAGES.values() for words in comments(text)]


@pytest.fixture
def papers() -> ModuleType:
    pytest.importorskip("matplotlib")
    spec = importlib.util.spec_from_file_location("papers_pages", DOCS / "pages" / "papers.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("cells", ROWS)
def test_every_cell_is_filled(cells: list[str]) -> None:
    assert len(cells) == 3, "a | inside a cell would begin another one"
    part, here, get = cells
    assert part
    assert get
    assert here
    assert here != "-" or get.startswith("not repeated: "), "without anything here, the last cell says why"


@pytest.mark.parametrize("cells", ROWS)
def test_commands_take_inputs_that_a_reader_has(cells: list[str]) -> None:
    for line in re.findall(r"`(pointerjump [^`]*)`", cells[1]):
        name, *arguments = shlex.split(line)[1:]
        with cli.commands[name].make_context(name, arguments) as context:
            given = context.params
        inputs = [value for key in ("input", "spec") if (value := given.get(key))]
        for source in [*inputs, *(given.get("inputs") or ())]:
            generate(source)  # it is a spec


@pytest.mark.parametrize("page", PAGES)
def test_the_text_between_the_figures_is_whole(page: str) -> None:
    text = PAGES[page]
    for link in re.findall(r"\]\(#([a-z0-9-]+)\)", text):
        assert f"{{ #{link} }}" in text
    assert not re.search(r"^[A-Z0-9]{5,}$", text, re.MULTILINE), "a paragraph is still to be written"
    for section in text.split("\n## ")[1:]:
        words = re.sub(r"<!--.*?-->", "", section.partition("\n")[2]).split()
        assert len(words) > 15, "every figure has a sentence on whether it agrees with the paper"


@pytest.mark.parametrize("page", PAGES)
def test_a_reader_can_reproduce_a_figure_of_every_paper(page: str) -> None:
    measured = [words for words in comments(PAGES[page]) if words[:2] == ["figure:", "measure"]]
    assert measured


@pytest.mark.parametrize("words", COMMENTS)
def test_what_a_page_asks_for_is_there(papers: ModuleType, words: list[str]) -> None:
    kind, source, name, *arguments = words
    assert kind in ("figure:", "table:")
    if source == "measure":
        columns = {column.name for column in find_property(name).columns}
        for spec in arguments:
            if spec not in columns:
                generate(spec)
    else:
        chart, *wanted = arguments
        assert papers.choose_charts(chart)
        data = json.loads((DOCS / "data" / f"{name}.json").read_text())
        points = papers.chart_of(data, chart, wanted)["points"]
        assert {point["who"] for point in points} >= set(wanted)
        assert name in papers.SETS


def test_a_page_gets_its_figures(papers: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    point = {"median": 2.0, "low": 1.0, "high": 3.0}
    chart = {
        "name": "degree",
        "left_out": ["igraph: not installed"],
        "points": [{"where": d, "who": who, **point} for d in (2, 4) for who in ("afforest", "scipy")],
    }
    device = {"device": "a <fast> one", "platform": "some"}
    data = {"date": "2026-11-23T06:39:14", "rounds": 5, "device": device, "charts": [chart]}
    (tmp_path / "h200.json").write_text(json.dumps(data))
    monkeypatch.setattr(papers, "DATA", tmp_path)
    page = papers.with_figures(
        "Before.\n\n<!-- figure: measure worklist star:vertices=40 -->\n\n"
        "<!-- table: measure worklist star:vertices=40 vertices highest -->\n\n"
        "<!-- figure: bench h200 degree -->\n\n<!-- figure: bench h200 degree scipy -->\n\nAfter."
    )
    assert page.startswith("Before.")
    assert page.endswith("After.")
    assert "<!--" not in page
    assert page.count("<svg") == 3
    assert "<thead><tr><th>vertices</th><th>highest degree</th></tr></thead>" in page
    assert page.count("<table>") == 4
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert ids
    assert len(ids) == len(set(ids))
    assert "a &lt;fast&gt; one" in page
    assert "2026-11-23" in page
    assert "python benches/charts.py <span>--set</span> standard <span>--charts</span> degree" in page
    # Who is left out on purpose needs no excuse.
    assert page.count("Left out on some graphs or all: igraph.") == 1
    assert "Marked with a star: 4 of 4 numbers" in page
    assert page.count("<tr><td>scipy</td>") == 2, "the numbers name everybody"
    assert page.count(">2*</td>") == 6
    assert page.count("<td>afforest</td>") == 1


def test_a_table_of_points_shows_noise_and_gaps(papers: ModuleType) -> None:
    points = [papers.Point("g", "scipy", 2.0, 1.0, 3.0), papers.Point("h", "igraph", 4.0, 4.0, 4.0)]
    table = papers.table_of_points(points)
    assert re.findall(r'right">([^<]*)<', table) == ["2*", "-", "-", "4"]


def test_options_in_commands_are_kept_whole(papers: ModuleType) -> None:
    page = papers.with_figures("| a `pointerjump cc 'x<y' --all-of -o a-b` | `other --x` |")
    line = "pointerjump cc &#x27;x&lt;y&#x27; <span>--all-of</span> <span>-o</span> a-b"
    assert page == f"| a <code>{line}</code> | `other --x` |"


@pytest.mark.parametrize(
    "comment",
    [
        "figure: measure nothing",
        "figure: measure worklist no-such-spec:x=1",
        "figure: bench elsewhere degree",
        "figure: bench h200",
        "figure: bench h200 no-such-chart",
        "figure: bench h200 degree nobody",
        "figure: measure",
        "figure: 'measure",
        "picture: bench h200 degree",
        "a note to myself",
        "",
    ],
)
def test_a_comment_that_asks_for_anything_else_ends_the_build(papers: ModuleType, comment: str) -> None:
    with pytest.raises(ValueError, match="a paper's page asks for"):
        papers.with_figures(f"<!-- {comment} -->")
