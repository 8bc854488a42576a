"""The pages of the algorithms say all that a reader looks for, and link to pages that exist."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

from pointerjump.registry import ALGORITHMS, Algorithm, Axis
from pointerjump.registry.selection import RUN_BY_AUTO
from pointerjump.registry.table import PAPERS

DOCS = Path(__file__).resolve().parents[2] / "docs"
EVERY = [pytest.param(algorithm, id=algorithm.name) for algorithm in ALGORITHMS.values()]


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("pages.algorithms")


@pytest.mark.parametrize("algorithm", EVERY)
def test_a_page_has_every_part(
    pages: ModuleType, monkeypatch: pytest.MonkeyPatch, algorithm: Algorithm
) -> None:
    monkeypatch.setattr(pages, "picture", lambda _: ["## A run"])  # other tests draw
    page = pages.algorithm_page(algorithm)
    heads = re.findall(r"^## (.*)", page, re.MULTILINE)
    wanted = ["Idea", "Pseudo-code", "A run", "Input and result", "Complexity", "Variants", "How to run it"]
    optional = {"Variants", "Notes"}
    assert [head for head in heads if head not in optional] == [
        *(head for head in wanted if head not in optional),
        *("See also", "Code"),
    ]
    for head, text in re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", page, re.MULTILINE):
        assert text.strip() or head == "A run", f"nothing below {head}"
    assert not re.search(r":(func|mod|class|meth|data):`", page)
    assert ">>>" not in page.split("## Code")[0]
    for link in re.findall(r"\]\(([a-z-]+)\.md\)", page):
        assert link in ALGORITHMS
    for paper in PAPERS:
        assert (str(paper) in algorithm.paper) == (f"(../papers/{paper.page}.md)" in page)


def test_a_table_of_variants_says_what_may_be_chosen(pages: ModuleType) -> None:
    (_, table, rule) = pages.variants(ALGORITHMS["random-splitter"])
    (splitters,) = (line for line in table.splitlines() if line.startswith("| `splitters` |"))
    assert "| whole numbers from 0 to 2<sup>31</sup> - 1; the tests try `64`, `1`, `1024` |" in splitters
    assert "| `64` in the reference, chosen for each run in the kernels |" in splitters
    assert "*chosen for each run*" in rule
    named = Axis("jump", ("halving", "none"), "")
    assert (pages.values(named), pages.default(named)) == ("`halving`, `none`", "`halving`")


@pytest.mark.parametrize("problem", ["components", "list-ranking"])
def test_what_auto_runs_comes_first_and_says_so(pages: ModuleType, problem: str) -> None:
    run = [each.name in RUN_BY_AUTO for each in pages.of_problem(problem)]
    assert run == sorted(run, reverse=True)
    assert [("``auto``" in each.description().when) for each in pages.of_problem(problem)] == run


def test_the_index_names_every_algorithm_once(pages: ModuleType) -> None:
    named = re.findall(r"^\| \[`([a-z-]+)`\]", pages.algorithm_index(), re.MULTILINE)
    assert sorted(named) == sorted(ALGORITHMS)
