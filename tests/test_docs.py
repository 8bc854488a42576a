"""The documentation is true: its algorithms exist, its papers are the registry's, its pictures are drawn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pointerjump.measure.drawing import EXAMPLE, draw, snapshots
from pointerjump.measure.watching import roots
from pointerjump.registry import ALGORITHMS
from pointerjump.registry.papers import PAPERS, Paper

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = [*DOCS.glob("*.md"), *DOCS.glob("papers/*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_algorithms_that_pages_link_to_exist(page: Path) -> None:
    for name in re.findall(r"algorithms/([a-z0-9-]+)\.md", page.read_text()):
        assert name in ALGORITHMS or name == "index"


def test_every_table_figure_and_theorem_is_mapped() -> None:
    """The numbered things of each paper, as its text has them."""
    wanted = {
        "dehne": [
            "table 1",
            "table 2",
            "table 3",
            "table 4",
            "figures 2, 3",
            "figure 4",
            "figure 5",
            "figure 6",
        ],
        "afforest": ["table II", "table III", "6a", "6c", "figure 7", "8a", "8b", "8c", "lemmas 1 to 5"],
        "ecl-cc": ["figures 5, 6", "figures 7 to 9", "figure 10", "figures 11 to 17", "table 3", "table 4"],
        "thesis": ["figure 4.1", "6.1 to 6.7", "6.8, 6.9", "6.10 to 6.13", "A.1 to A.6", "14, 15"],
        "cong": ["theorem 1", "theorem 2", "theorem 3", "theorem 4", "lemma 1", "figures 1 to 7"],
    }
    for page, things in wanted.items():
        text = (DOCS / "papers" / f"{page}.md").read_text()
        for thing in things:
            assert thing in text, (page, thing)


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.page)
def test_every_paper_has_a_page_under_its_letter(paper: Paper) -> None:
    page = (DOCS / "papers" / f"{paper.page}.md").read_text()
    assert page.startswith(f"# {paper.letter}: ")
    head = " ".join(page.split("| in the ")[0].split())
    for part in paper.citation.split(", "):
        assert part in head, "the page cites the paper as the registry does"
    assert f"[{paper.letter}](papers/{paper.page}.md)" in (DOCS / "index.md").read_text()
    assert f'"{paper.letter}: ' in (DOCS.parent / "mkdocs.yml").read_text()


DRAWN = {a.name: a.parents for a in ALGORITHMS.values() if a.parents and a.problem == "components"}


@pytest.mark.parametrize("name", DRAWN)
def test_a_run_is_drawn(name: str) -> None:
    shots = snapshots(name)
    assert shots
    picture = draw(name)
    assert picture.count("<g ") == len(shots)
    assert picture.count("<circle") == len(shots) * EXAMPLE.vertices


def test_a_serial_run_has_no_phases_to_draw() -> None:
    serial = [a.name for a in ALGORITHMS.values() if a.problem == "components" and a.name not in DRAWN]
    assert [snapshots(name) for name in serial] == [[]] * len(serial)
    assert len(DRAWN) >= 20


@pytest.mark.parametrize("name", [name for name, parents in DRAWN.items() if not parents.contracted])
def test_the_last_snapshot_is_the_answer(name: str) -> None:
    root = roots(snapshots(name)[-1].parents)
    assert [root[v] == root[0] for v in range(10)] == [v in (0, 1, 3, 5, 6, 8) for v in range(10)]
    assert [root[v] == root[2] for v in range(10)] == [v in (2, 4, 7) for v in range(10)]
