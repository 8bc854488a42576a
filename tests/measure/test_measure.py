"""The measured properties: the papers' formulas and observations, and the command that shows them."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from conftest import DATA, NASTY, NASTY_LISTS
from test_cli import run

import pointerjump as pj
from pointerjump import cli
from pointerjump.measure import PROPERTIES, Property, find_property, measure
from pointerjump.measure.accesses import expected_length, sublist_lengths
from pointerjump.measure.plots import _apart, _letters, folded, plain, power_of_two
from pointerjump.measure.trees import at_calls, depths, giant_share, roots

EVERY = [pytest.param(each, id=each.name) for each in PROPERTIES]
GRAPH, LIST = "urand:scale=7,degree=4,seed=1", "list:length=500,seed=1"


@pytest.mark.parametrize(
    ("edges", "elements"), [(1000, 300), pytest.param(4000, 1000, marks=pytest.mark.exhaustive)]
)
@pytest.mark.parametrize("which", EVERY)
def test_every_property_measures_any_input(which: Property, edges: int, elements: int) -> None:
    if which.of == "list":
        subjects = [successors for successors in NASTY_LISTS.values() if len(successors) <= elements]
    else:
        subjects = [graph for graph in NASTY.values() if graph.directed_edges <= edges]
    for subject in subjects:
        found = measure(which.name, [subject])
        for line in found.lines:
            assert set(line) == {column.name for column in which.columns}
        json.loads(found.json())


@pytest.mark.parametrize("which", EVERY[:2])  # test_measure_figures.py draws every property
def test_a_property_is_drawn_to_a_file(which: Property, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from pointerjump.measure import save

    found = measure(which.name, [LIST if which.of == "list" else GRAPH])
    file = tmp_path / f"figure{('.svg', '.png')[PROPERTIES.index(which) % 2]}"
    save(found, file)
    assert file.stat().st_size > 4000


def test_texts_of_figures() -> None:
    assert [plain(value) for value in (327680, 158.23, 1.234, 0.05)] == ["327,680", "158", "1.23", "0.05"]
    assert [power_of_two(value) for value in (65536, 64, 0.5)] == ["2¹⁶", "64", "0.5"]
    assert folded("kron:scale=12,degree=16,seed=1", 14).splitlines() == [
        "kron:scale=12,",
        "degree=16,",
        "seed=1",
    ]
    assert _letters(["link", "compress", "link", "count"]) == {"link": "L", "compress": "C", "count": "O"}


def test_letters_are_moved_apart() -> None:
    assert _apart([0.5, 0.5, 0.99], 0.1) == pytest.approx([0.5, 0.6, 0.99])
    assert _apart([0.97, 0.98, 0.99], 0.1) == pytest.approx([0.8, 0.9, 1.0])


def test_depths_and_roots() -> None:
    assert depths([0, 0, 1, 3]).tolist() == [0, 1, 2, 0]
    assert roots([0, 0, 1, 3]).tolist() == [0, 0, 0, 3]


# -- what the papers say -----------------------------------------------------------------------------


def test_shiloach_vishkin_reads_and_writes_as_often_as_dehne_says() -> None:
    """Dehne and Yogaratnam, table 4: exactly, where no condition decides whether a kernel writes."""
    for spec in (
        "urand:scale=9,degree=6,seed=3",
        "grid2d:rows=20,columns=30,seed=2",
        "kron:scale=8,degree=8,seed=1",
    ):
        graph = pj.generate(spec).symmetrized()
        n, m = graph.vertices, graph.directed_edges
        lines = {line["kernel"]: line for line in measure("sv-accesses", [graph]).lines}
        reads = {"SV0": 0, "SV1a": 2 * n, "SV1b": 2 * n, "SV2": 4 * m, "SV3": 5 * m, "SV4": 2 * n, "SV5": n}
        assert {kernel: lines[kernel]["reads"] for kernel in reads} == reads
        assert {kernel: lines[kernel]["writes"] for kernel in ("SV0", "SV1a", "SV4")} == {
            "SV0": 2 * n,
            "SV1a": n,
            "SV4": n,
        }
        assert lines["SV1b"]["writes"] <= n
        assert lines["SV2"]["writes"] <= 2 * m


def test_dehnes_numbers_of_writes_bound_the_cells_and_not_the_writes() -> None:
    """Dehne and Yogaratnam, table 4: many edges hook the same root in one launch, and each of them writes."""
    for spec in ("urand:scale=9,degree=6,seed=3", "kron:scale=8,degree=8,seed=1", "star:vertices=200"):
        lines = {line["kernel"]: line for line in measure("sv-accesses", [spec]).lines}
        for kernel, most in {"SV1b": 1, "SV2": 2, "SV3": 1}.items():
            assert lines[kernel]["cells_per_n"] <= most
    dense = {line["kernel"]: line for line in measure("sv-accesses", ["urand:scale=9,degree=16"]).lines}
    assert dense["SV2"]["writes_per_n"] > 2 > dense["SV2"]["cells_per_n"] > 0
    assert dense["SV0"]["cells_per_n"] == dense["SV0"]["writes_per_n"] == 2


def test_updating_saves_half_the_vertices_of_random_accesses_a_round() -> None:
    """Cong and Muzio, theorem 2."""
    for spec in ("urand:scale=11,degree=4,seed=1", "urand:scale=11,degree=10,seed=2"):
        lines = measure("random-accesses", [spec]).lines
        later = [line for line in lines if line["algorithm"] == "CC-updt" and line["round"] > 1]
        assert later
        for line in later:
            assert line["fewer"] is None or line["fewer"] >= line["half_n"]


def test_stages_needs_fewer_random_accesses_than_cc() -> None:
    """Cong and Muzio, lemma 1."""
    lines = measure("random-accesses", ["urand:scale=11,degree=10,seed=1"]).lines
    total = {
        name: sum(line["random"] for line in lines if line["algorithm"] == name) for name in ("CC", "Stages")
    }
    assert total["Stages"] < total["CC"]


def test_expected_sub_list_lengths_are_those_of_dehnes_table() -> None:
    """Dehne and Yogaratnam, table 3: for p = 8192, the expected shortest and longest sub-list."""
    printed = {8: (0.06, 9476.7), 24: (0.18, 28430.2), 64: (0.48, 75813.9)}
    for millions, (low, high) in printed.items():
        n = millions * 1_000_000
        assert round(expected_length(n, 8192, 1), 2) == low
        assert round(expected_length(n, 8192, 8193), 1) == high


def test_sub_lists_are_as_long_as_expected() -> None:
    lengths = [
        sublist_lengths(pj.generate(f"list:length=16384,seed={seed}"), seed=seed) for seed in range(1, 9)
    ]
    p = len(lengths[0]) - 1
    longest = np.mean([max(some) for some in lengths])
    assert longest == pytest.approx(expected_length(16384, p, p + 1), rel=0.15)
    for share in (0.25, 0.5, 0.75, 0.95):
        j = round(share * (p + 1))
        measured = np.mean([sorted(some)[j - 1] for some in lengths])
        assert measured == pytest.approx(expected_length(16384, p, j), rel=0.1, abs=1)


def test_even_splitters_are_even() -> None:
    line = measure("sublists", ["list:length=20000,seed=4"]).lines[0]
    assert line["even_high"] - line["even_low"] <= 2


def test_giant_component_has_the_size_of_theorem_3() -> None:
    lines = measure("giant-component", ["urand:scale=14,degree=5,seed=2"]).lines
    assert len(lines) == 5
    for line in lines:
        assert line["measured"] == pytest.approx(line["expected"], abs=1.5)


def test_giant_share_solves_its_equation() -> None:
    for c in (0.55, 0.8, 1.5, 3.0):
        share = giant_share(c)
        assert share == pytest.approx(1 - math.exp(-2 * c * share), abs=1e-6)


@pytest.mark.parametrize("spec", ["kron:scale=12,degree=16,seed=1", "urand:scale=12,degree=16,seed=1"])
def test_a_link_takes_little_more_than_one_iteration(spec: str) -> None:
    """Sutton et al., table II: 1.02 and 1.19 on average."""
    assert measure("iterations", [spec]).lines[0]["average_iterations"] < 1.2


def test_neighbor_sampling_converges_first() -> None:
    """Sutton et al., figure 6: after the same share of edges, ahead of rows and of random edges."""
    lines = measure("convergence", ["kron:scale=11,degree=16,seed=1"]).lines
    after = {}
    for kind in ("neighbor", "row", "edge"):
        own = [line for line in lines if line["partition"] == kind]
        after[kind] = np.interp(12, [line["processed"] for line in own], [line["linkage"] for line in own])
        assert own[-1]["linkage"] == own[-1]["coverage"] == 100
    assert after["neighbor"] > after["edge"] > after["row"]


@pytest.mark.parametrize("file", ["cnr-2000.el.gz", "uk-2007-05@100000.el.gz"])
def test_two_rounds_link_most_of_a_web_graph(file: str) -> None:
    """Sutton et al., V-B: about 83% linkage and 80% coverage after two neighbor rounds on a web graph."""
    if not (DATA / file).exists():
        pytest.skip(f"there is no {DATA / file}")
    from pointerjump.reference.afforest import compress, link

    graph = pj.read(DATA / file)
    N = [
        graph.neighbors[low:high].tolist()
        for low, high in zip(graph.offsets, graph.offsets[1:], strict=False)
    ]
    pi = list(range(graph.vertices))
    for i in range(2):
        for v in range(graph.vertices):
            if i < len(N[v]):
                link(v, N[v][i], pi)
        for v in range(graph.vertices):
            compress(v, pi)
    trees = len(set(pi))
    assert (graph.vertices - trees) / (graph.vertices - 1) > 0.8


def test_paths_are_longer_where_they_are_not_shortened() -> None:
    lines = {line["jump"]: line for line in measure("paths", ["grid2d:rows=40,columns=40,seed=1"]).lines}
    assert lines["none"]["average"] > lines["intermediate"]["average"]
    assert lines["none"]["longest"] > lines["multiple"]["longest"]


def test_bottom_up_steps_read_fewer_edges() -> None:
    lines = measure("edges-read", ["kron:scale=10,degree=16,seed=1"]).lines
    share = {line["direction"]: line["share"] for line in lines}
    assert share["top-down"] == 100
    assert share["optimizing"] < 50


def test_wylie_does_n_log_n_work_and_the_others_n() -> None:
    lines = measure("list-accesses", ["list:length=512,seed=1", "list:length=8192,seed=1"]).lines
    growth = {}
    for algorithm in {line["algorithm"] for line in lines}:
        short, long = (line["accesses"] for line in lines if line["algorithm"] == algorithm)
        growth[algorithm] = long / short
    assert growth["wylie"] > 1.25
    assert growth["sequential"] == pytest.approx(1, abs=0.05)
    assert growth["cole-vishkin"] < 1.2


# -- looking into a run ------------------------------------------------------------------------------


def test_depths() -> None:
    assert depths([0, 0, 1, 2, 4, 3]).tolist() == [0, 1, 2, 3, 0, 4]


def test_calls_are_seen() -> None:
    def double(x: int) -> int:
        return 2 * x

    seen: list[int] = []
    with at_calls([double], lambda variables: seen.append(variables["x"])):
        double(1)
        double(4)
    double(9)
    assert seen == [1, 4]


# -- the command -------------------------------------------------------------------------------------


def test_command_lists_and_measures(tmp_path: Path) -> None:
    names = [line["name"] for line in json.loads(run("measure", "--json").stdout)]
    assert names == [each.name for each in PROPERTIES]
    pytest.importorskip("matplotlib")
    table, figure = tmp_path / "paths.csv", tmp_path / "paths.svg"
    printed = run("measure", "paths", GRAPH, "-o", table, "--plot", figure).stdout
    assert "Jaiganesh and Burtscher, table 4" in printed
    lines = list(csv.DictReader(table.read_text().splitlines()))
    assert [line["jump"] for line in lines] == ["multiple", "single", "none", "intermediate"]
    assert figure.read_text().startswith("<?xml")
    document = json.loads(run("measure", "paths", GRAPH, "--json").stdout)
    assert [f"{line['average']}" for line in document["rows"]] == [line["average"] for line in lines]


@pytest.mark.parametrize(
    ("text", "why"),
    [("1\n2\n0\n", "lies on a cycle"), ("1\n2\n7\n", "outside 0 .. 2"), ("2\n2\n2\n", "both followed by 2")],
)
@pytest.mark.parametrize("name", [each.name for each in PROPERTIES if each.of == "list"])
def test_files_that_do_not_hold_lists(name: str, text: str, why: str, tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text(text)
    with pytest.raises(pj.ListError, match=why):
        measure(name, [str(file)])


def test_command_refuses_what_it_cannot_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def refusal(*arguments: object) -> str:
        assert cli.run(["measure", *map(str, arguments)]) == 2
        return " ".join(capsys.readouterr().err.split())

    assert "did you mean paths" in refusal("path")
    assert ".json or .csv" in refusal("paths", "-o", tmp_path / "x.xlsx")
    pytest.importorskip("matplotlib")
    assert ".svg, .png or .pdf" in refusal("paths", "--plot", tmp_path / "x.doc")
    assert "no such folder" in refusal("paths", "--plot", tmp_path / "no" / "x.svg")
    assert "no.mtx" in refusal("paths", "no.mtx")


def test_find_property() -> None:
    assert find_property("paths").name == "paths"
    with pytest.raises(pj.AlgorithmError, match="there is no property 'nothing'"):
        find_property("nothing")
