"""CITATION.cff agrees with the package, and cites the papers that the package cites."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pointerjump
from pointerjump.registry.table import PAPERS, THESIS
from pointerjump.version import __version__

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def cited() -> dict[str, Any]:
    yaml = pytest.importorskip("yaml")
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert isinstance(found, dict)
    return found


def test_it_says_what_the_format_requires(cited: dict[str, Any]) -> None:
    assert cited["cff-version"] == "1.2.0"
    assert all(cited[key] for key in ("message", "title", "authors"))
    for each in cited["references"]:
        assert each["title"]
        assert each["type"]
        assert each["year"]
        assert all("name" in author or "family-names" in author for author in each["authors"])


def test_the_software_is_this_one(cited: dict[str, Any]) -> None:
    assert cited["version"] == __version__ == pointerjump.__version__
    assert cited["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text().startswith("MIT License")


@pytest.mark.parametrize(
    "paper", [paper for paper in PAPERS if paper is not THESIS], ids=lambda each: each.page
)
def test_the_papers_that_are_reproduced_are_cited(cited: dict[str, Any], paper: Any) -> None:
    assert any(each["title"] in paper.citation for each in cited["references"])


def test_every_cited_title_is_in_a_reference(cited: dict[str, Any]) -> None:
    texts = " ".join(path.read_text() for path in sorted((ROOT / "reference").glob("*.py")))
    words = " ".join(texts.split())
    assert [each["title"] for each in cited["references"] if f'"{each["title"]}"' not in words] == []
