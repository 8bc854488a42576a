"""The glossary has the words that papers use, and its examples are right."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import pointerjump as pj
from pointerjump.reference.trees import find_root, shortcut

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "glossary.md").read_text()
HEADINGS = re.findall(r"^### (.+)$", PAGE, re.MULTILINE)
EDGES = [[0, 1], [1, 2], [4, 5], [5, 6]]
PARENTS = [0, 0, 1, 3, 4, 4, 5, 7]


@pytest.mark.parametrize(
    "word",
    ["parent", "root", "representative", "hook", "graft", "link", "shortcut", "compress", "splitter"],
)
def test_it_defines(word: str) -> None:
    assert word in [heading.lower() for heading in HEADINGS]


def test_races_are_defined() -> None:
    assert {"Stale read", "Benign race", "Data race"} <= set(HEADINGS)


def test_the_parents_are_those_of_the_edges() -> None:
    assert f"`parent = {PARENTS}`" in PAGE
    assert [v for v in range(8) if PARENTS[v] == v] == [0, 3, 4, 7]
    roots = [find_root(v, PARENTS) for v in range(8)]
    found = pj.components(np.array(EDGES), device="reference", vertices=8, labels="representative")
    assert found.labels.tolist() == roots


def test_compressed_they_are_what_the_page_says() -> None:
    flat = list(PARENTS)
    for v in range(8):
        shortcut(v, flat)
    assert f"`{PARENTS}` becomes `{flat}`" in PAGE.replace("\n", " ")


def test_the_list_has_these_ranks() -> None:
    assert "`[2, 1, 3, 3]`" in PAGE
    ranks = pj.list_rank(np.array([2, 1, 3, 3], np.int32), device="reference").tolist()
    assert f"In the example above, the ranks are {', '.join(map(str, ranks))}" in PAGE
