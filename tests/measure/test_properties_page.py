"""What the page of properties says of each figure is true of the lines that it is drawn from."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

import pytest

from pointerjump.measure import PROPERTIES, find_property, measure
from pointerjump.measure.properties import Counted

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(DOCS)
    return importlib.import_module("pages.properties")


def of(lines: Iterable[Counted], **wanted: object) -> list[Counted]:
    """Return the lines with these values."""
    return [line for line in lines if all(line[name] == value for name, value in wanted.items())]


def sublists(lines: list[Counted]) -> bool:
    return all(6 <= line["high"] / line["mean"] <= 8 for line in lines)


def sv_accesses(lines: list[Counted]) -> bool:
    reads = sum(line["reads"] for line in lines)
    of_edges = sum(line["reads"] for line in lines if line["kernel"] in ("SV2", "SV3"))
    return all(line["reads"] == line["expected_reads"] for line in lines) and of_edges > 0.9 * reads


def iterations(lines: list[Counted]) -> bool:
    deeper = [line["depth"] > line["sv_depth"] for line in lines]
    return any(deeper) and all(1 <= line["average_iterations"] < 1.2 for line in lines)


def convergence(lines: list[Counted]) -> bool:
    sampled = [line["coverage"] for line in of(lines, partition="neighbor") if line["processed"] > 7]
    by_row = [line["processed"] for line in of(lines, partition="row") if line["coverage"] >= 90]
    return sampled[0] == 100 and 40 <= by_row[0] < 42


def heat_map(lines: list[Counted]) -> bool:
    first = of(lines, algorithm="afforest", phase="link")[0]
    last, unskipped = (
        of(lines, algorithm=name, phase="link the rest")[0] for name in ("afforest", "afforest, no skipping")
    )
    share = last["accesses"] / unskipped["accesses"]
    return first["next_to_last"] > 50 and 0.045 < share < 0.055


def paths(lines: list[Counted]) -> bool:
    jumping = [line["average"] for line in lines if line["jump"] != "none"]
    (without,) = (line for line in of(lines, jump="none") if line["graph"].startswith("grid2d"))
    return (
        all(1 <= average < 2 for average in jumping)
        and round(without["average"]) == 23
        and without["longest"] == 62
    )


def random_accesses(lines: list[Counted]) -> bool:
    plain, updated, in_order = (
        [line["random"] for line in of(lines, algorithm=name)] for name in ("CC", "CC-updt", "CC, sorted")
    )
    return len(set(plain)) == 1 and updated[1] < updated[0] == plain[0] and max(in_order) < plain[0] / 100


def giant_component(lines: list[Counted]) -> bool:
    near = all(abs(line["measured"] - line["expected"]) < 0.5 for line in lines)
    return near and 79 < lines[0]["measured"] < 81 and lines[1]["measured"] > 97


def worklist(lines: list[Counted]) -> bool:
    kron, *others = lines
    vertices = (kron["front"] + kron["back"]) / kron["vertices"]
    largest = [max(line["low"], line["front"], line["back"]) / line["vertices"] for line in others]
    return (
        0.2 < vertices < 0.23 and 88 < kron["front_edges"] + kron["back_edges"] < 92 and min(largest) > 0.99
    )


def rounds(lines: list[Counted]) -> bool:
    slow = ("bfs", "label-propagation")
    ring = [
        line["at_random"] for line in lines if line["graph"].startswith("ring") and line["algorithm"] in slow
    ]
    return min(ring) > 100 and max(line["at_random"] for line in lines if line["algorithm"] not in slow) == 8


def work(lines: list[Counted]) -> bool:
    whole = {line["items"] for line in of(lines, algorithm="soman", phase="hook")}
    filtered = [line["items"] for line in of(lines, algorithm="gunrock", phase="edge filter")]
    return len(whole) == 1 and max(filtered[1:]) < 10


def edges_read(lines: list[Counted]) -> bool:
    shares = [line["share"] for line in of(lines, direction="optimizing")]
    return [round(share) for share in shares] == [28, 6, 2]


def compression(lines: list[Counted]) -> bool:
    return sorted(round(line["bytes_per_edge"], 1) for line in lines) == [1.2, 1.2, 1.8]


def list_accesses(lines: list[Counted]) -> bool:
    longest = {line["algorithm"]: line["accesses"] for line in lines[-5:]}
    walk = longest["sequential"]
    return all(walk < longest[name] < 1.5 * walk for name in ("random-splitter", "rehman"))


SHOWN: dict[str, Callable[[list[Counted]], bool]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        sublists,
        sv_accesses,
        iterations,
        convergence,
        heat_map,
        paths,
        random_accesses,
        giant_component,
        worklist,
        rounds,
        work,
        edges_read,
        compression,
        list_accesses,
    )
}


@pytest.mark.parametrize("name", [each.name for each in PROPERTIES])
def test_what_the_page_says_of_a_figure_is_so(name: str, page: ModuleType) -> None:
    small, _ = page.SHOWN[name]
    assert SHOWN[name](measure(name, small or None).lines)


def test_a_property_has_a_command_a_figure_and_a_folded_table(page: ModuleType) -> None:
    text = "\n".join(page.described(find_property("edges-read")))
    command = text.split("```")[1].removeprefix("sh\n")
    assert command.split("\\\n") == [
        "pointerjump measure edges-read ",
        "    kron:scale=10,degree=4,seed=1 ",
        "    kron:scale=10,degree=16,seed=1 ",
        "    kron:scale=10,degree=64,seed=1\n",
    ]
    assert text.count("<svg") == 1
    assert '??? note "The table: 6 lines"' in text
    assert "    | kron:scale=10,degree=4,seed=1 | top-down | " in text
