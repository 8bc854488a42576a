"""The documentation is true: its algorithms exist, its papers are the registry's, its pictures are drawn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pointerjump.registry import ALGORITHMS
from pointerjump.registry.table import PAPERS, Paper

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [*DOCS.glob("*.md"), *DOCS.glob("papers/*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_algorithms_that_pages_link_to_exist(page: Path) -> None:
    for name in re.findall(r"algorithms/([a-z0-9-]+)\.md", page.read_text()):
        assert name in ALGORITHMS or name == "index"


def test_no_cell_is_empty_where_readers_choose() -> None:
    """An empty cell leaves open whether something was not run, does not exist or was forgotten."""
    tables = re.findall(r"^\|.*\|$", (DOCS / "which.md").read_text(), re.MULTILINE)
    assert len(tables) > 15
    assert [line for line in tables if re.search(r"\|\s*\|", line)] == []


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
        "ecl-cc": [
            "figures 5, 6",
            "figures 7 to 9",
            "figure 10",
            "figures 11 and 12",
            "figures 13 to 17",
            "table 3",
            "table 4",
        ],
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
