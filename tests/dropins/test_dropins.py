"""What docs/dropins.md says to write."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import pointerjump as pj

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "dropins.md").read_text()
LINES = re.findall(r"^\| (\S.*?) \| (.*?) \|$", PAGE.split("## If you")[1].split("\n## ")[0], re.MULTILINE)[
    2:
]

PAIRS = [("dee", "bob"), ("bob", "ann"), ("cal", "eve")]
EDGES = {"_curator_dedup_id_x": [5, 1, 7], "_curator_dedup_id_y": [3, 5, 9]}


def columns(*names: str, pairs: Any = PAIRS) -> pa.Table:
    return pa.table([list(column) for column in zip(*pairs, strict=True)], list(names))


def pairs_of(table: pa.Table) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values())[:2] for row in table.to_pylist())


COMPONENTS = [("ann", "ann"), ("bob", "ann"), ("cal", "cal"), ("dee", "ann"), ("eve", "cal")]
GIVEN: dict[str, Callable[[], Any]] = {
    "pj": lambda: pj,
    "df": lambda: pytest.importorskip("polars").DataFrame(PAIRS, schema=["from", "to"], orient="row"),
    "records": lambda: pa.table({"unique_id": ["ann", "bob", "cal"]}),
    "linked": lambda: pa.table({"source_dataset": ["left", "right"], "unique_id": [1, 1]}),
    "predictions_of_two": lambda: pa.table(
        {
            "source_dataset_l": ["left"],
            "unique_id_l": [1],
            "source_dataset_r": ["right"],
            "unique_id_r": [1],
            "match_probability": [0.9],
        }
    ),
    "predictions": lambda: columns(
        "unique_id_l", "unique_id_r", "match_probability", pairs=[("bob", "ann", 0.97), ("cal", "bob", 0.5)]
    ),
    "edges": lambda: pa.table(EDGES),
    "scored": lambda: np.array([([9, 4], 0.8), ([4, 7], 0.9)], [("pairs", "i8", 2), ("score", "f4")]),
    "v": lambda: pa.table({"id": ["ann", "bob", "cal", "dee", "eve", "fay"]}),
    "e": lambda: columns("src", "dst"),
    "pairs": lambda: columns("left", "right"),
}
"""What the lines of the page are about, made when one needs it."""

ANSWERS: dict[str, Callable[[Any], bool]] = {
    "super_merger": lambda found: found["group"].to_list() == [1, 1, 2],
    "cluster_records": lambda found: found["cluster_id"].to_pylist() == ["ann", "ann", "cal"],
    "cluster_using": lambda found: found["cluster_id"].to_pylist() == ["left-__-1", "left-__-1"],
    "cluster_pairwise": lambda found: found["cluster_id"].to_pylist() == ["ann", "ann", "cal"],
    "cluster(": lambda found: found.removed.tolist() == [1],
    'source="_curator': lambda found: pairs_of(found) == [(1, 1), (3, 1), (5, 1), (7, 7), (9, 7)],
    'scored["pairs"]': lambda found: [m.tolist() for m in found] == [[0, 1, 2]],
    "nodes=": lambda found: pairs_of(found) == [*COMPONENTS, ("fay", "fay")],
    "source=": lambda found: pairs_of(found) == COMPONENTS,
}
"""What must be true of the answer of the line that begins with, or has, these words."""


TOOLS = [tool for tool, _ in LINES]


def test_there_are_lines() -> None:
    assert len(LINES) == 11


@pytest.mark.parametrize("tool", TOOLS)
def test_what_the_page_says_to_write(tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dups").mkdir()
    Path("dups/00000_00.dups").write_bytes(struct.pack("<4I", 0, 0, 0, 1))
    *statements, last = re.findall(r"`([^`]+)`", dict(LINES)[tool]) or ["pass"]
    if "polars" in " ".join(statements):
        pytest.importorskip("polars")
    if "MinhashDedupCluster" in last:
        pytest.importorskip("datatrove.pipeline.dedup.minhash")
    names = {name: make() for name, make in GIVEN.items() if re.search(rf"\b{name}\b", last)}
    exec("\n".join(statements), names)
    if last == "pass" or last.startswith("from "):
        exec(last, names)
        return
    answer = eval(last, names)
    assert next(is_right for words, is_right in ANSWERS.items() if words in last)(answer)
