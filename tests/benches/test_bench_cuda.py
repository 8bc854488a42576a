"""``benches/bench_cuda.py`` counts what the CUDA programs print, and leaves out what is wrong or missing."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from bench_cuda import Times, contenders, ecl_cc_sheet, edge_sheet, representatives_of, right_ones, row_sheet
from cuda_programs import Answer, Call, Programs
from scipy.sparse.csgraph import connected_components
from wide_graphs import (
    KINDS,
    REAL,
    SET_ASIDE,
    Build,
    de_bruijn,
    giants,
    hilbert,
    lattice_with_long_edges,
    near,
    nearest,
    pieces,
    rows_of,
    wide,
)

import pointerjump as pj

GCONN = """
echo "gconn $1 $2 ECL_NAIVE 0.5000 components 3"
echo "gconn $1 $2 EARLY_NAIVE 0.2500 components 4"
"""


def write_program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    return Programs(tmp_path, tmp_path / "graphs")


def test_programs_get_files_and_are_understood(programs: Programs) -> None:
    write_program(programs.binaries, "ecl-cc", 'test "${1##*/}" = g.egr && echo MEDIAN_MS 1.25')
    trials = "\n".join(f'echo "Trial Time:          0.00{i}"' for i in (9, 8, 1, 2, 3))
    write_program(programs.binaries, "afforest", f'test "$1 ${{2##*/}} $3 $4" = "-f g.sg -n 17"\n{trials}')
    write_program(programs.binaries, "gconn", f'test "$3" = NAIVE || exit 1\n{GCONN}')
    assert programs.answers(Call("ecl-cc"), "g") == [Answer(Call("ecl-cc"), 1.25)]
    assert [answer.ms for answer in programs.answers(Call("afforest"), "g")] == [2.0]
    found = programs.answers(Call("gconn", "SAMPLE", "NAIVE"), "g")
    assert [(a.name, a.ms, a.components) for a in found] == [
        ("gconn SAMPLE ECL_NAIVE", 0.5, 3),
        ("gconn SAMPLE EARLY_NAIVE", 0.25, 4),
    ]
    assert programs.problems == []


def test_problems_are_named(programs: Programs) -> None:
    programs.longest = 0.8
    write_program(programs.binaries, "ecl-cc", "exit 3")
    write_program(programs.binaries, "gconn", f"{GCONN}\nexec sleep 9")
    calls = programs.there([Call("ecl-cc"), Call("gconn", "BFS"), Call("afforest")])
    assert [len(programs.answers(call, "g")) for call in calls] == [0, 2]
    assert programs.problems == [
        f"afforest: there is no program {programs.binaries / 'afforest'}",
        "ecl-cc on g: ended with code 3",
        "ecl-cc on g: printed no time",
        "gconn BFS on g: stopped after 0.8 s",
    ]


def test_wrong_answers_do_not_count(programs: Programs) -> None:
    answers = [Answer(Call("gconn", "CSR", name), 1.0, n) for name, n in (("right", 3), ("wrong", 4))]
    assert right_ones(answers, "g", 3, programs) == answers[:1]
    assert programs.problems == ["gconn CSR wrong on g: finds 4 components, but there are 3"]


def test_only_the_best_variants_run_again() -> None:
    rows = [Answer(Call("gconn", "CSR", f"{i}"), ms, 1) for i, ms in enumerate((5.0, 1.0, 3.0, 2.0))]
    edges = [Answer(Call("gconn", "COO", "X"), 9.0, 1)]
    again = contenders([Answer(Call("ecl-cc"), 99.0), *rows, *edges])
    assert [call.variants for call in again] == ["", "1", "3", "2", "X"]


def test_tables_compare_with_the_best() -> None:
    samples = {
        "auto": [1.0, 2.0, 1.0],
        "auto, edges": [4.0, 4.0, 4.0],
        "our ecl-cc": [3.0, 3.0, 3.0],
        "ecl-cc": [2.0, 2.0, 2.0],
        "afforest": [5.0, 5.0, 5.0],
        "afforest32": [4.0, 4.0, 4.0],
        "gconn SAMPLE A": [1.5, 1.5, 1.5],
        "gconn IHOOK B": [0.5],  # it was not run in every round
        "gconn COO C": [6.0, 6.0, 6.0],
    }
    found = {"g": Times(1, samples, {"auto": 0.75})}
    rows = row_sheet(found)
    ends = ["2.00 (1.00 to 2.00)", "1.50 (0.75 to 1.50)"]
    assert rows.lines == [["g", "2.000", "4.000", "1.500", "SAMPLE A", "1.000 (0.750)", *ends]]
    assert rows.summaries()[1] == (
        "best of all / auto: geometric mean 1.50, least 1.50 (g), greatest 1.50 (g)"
    )
    assert ecl_cc_sheet(found).lines == [["g", "2.000", "3.000", "1.50 (1.50 to 1.50)", "-", "-", "-"]]
    assert edge_sheet(found).lines == [["g", "6.000", "COO C", "4.000", "1.50 (1.50 to 1.50)"]]


def test_representatives_follow_from_labels() -> None:
    edges, on = ([4, 1, 2], [1, 3, 5]), "reference"
    expected = pj.components(edges, device=on, labels="representative").labels
    assert np.array_equal(representatives_of(pj.components(edges, device=on).labels), expected)


def test_kinds_are_tuned_on_or_set_aside() -> None:
    tuned, aside = (wide(half, Path()) for half in ("tuned", "aside"))
    assert not tuned.keys() & aside.keys()
    assert len(tuned) + len(aside) >= 40
    assert len(SET_ASIDE) == (len(KINDS) + len(REAL)) // 2
    assert {"near-2d-6.rows", "near-2d-6.hilbert", "near-2d-6.shuffled"} <= tuned.keys() | aside.keys()


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_hilbert_curve_visits_neighbors(dimensions: int) -> None:
    cells = np.stack(np.meshgrid(*[np.arange(8)] * dimensions, indexing="ij"), -1).reshape(-1, dimensions)
    visited = cells[np.argsort(hilbert(cells, 3))]
    assert (np.abs(np.diff(visited, axis=0)).sum(axis=1) == 1).all()


@pytest.mark.parametrize(
    ("build", "vertices", "components"),
    [
        (partial(pieces, 10, 8, 95), 90, None),
        (partial(giants, 3, 16, 300), 300, 3),
        (partial(lattice_with_long_edges, 50, 3, 0.1), 50, 1),
        (partial(de_bruijn, 6), 64, 1),
        (partial(near, "hilbert", degree=4, count=400), 400, None),
        (partial(nearest, "rows", dimensions=3, each=4, count=300), 300, None),
    ],
)
def test_graphs_are_what_they_are_called(build: Build, vertices: int, components: int | None) -> None:
    graph = rows_of(build)
    found = pj.components(graph)
    assert graph.vertices == vertices
    assert components in (None, found.count)
    expected = connected_components(graph.to_scipy(), directed=False)[0]
    assert found.count == expected
