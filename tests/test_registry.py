"""The registry, the files and the functions it names agree, and no row goes untested."""

from __future__ import annotations

import inspect
import re
from importlib.resources import files

import pytest
import test_kernels
import test_reference

from pointerjump.errors import AlgorithmError
from pointerjump.registry import ALGORITHMS, Algorithm, parse_variant

ROWS = [pytest.param(row, id=row.name) for row in ALGORITHMS.values()]
HELPERS = {
    "reference": {"__init__", "machine", "vocabulary"},
    "accel": {
        *("__init__", "labels"),
        *("plan", "shapes", "tuning"),
    },
    "kernels_cl": {"labels", "successors"},
}


def stems(package: str, suffix: str) -> set[str]:
    found = {f.name for f in files(f"pointerjump.{package}").iterdir() if f.name.endswith(suffix)}
    return {name.removesuffix(suffix) for name in found} - HELPERS[package]


def test_rows_and_files_agree() -> None:
    assert stems("reference", ".py") == {r.module for r in ALGORITHMS.values() if r.reference}
    assert stems("accel", ".py") == {r.module for r in ALGORITHMS.values() if r.kernels}
    assert stems("kernels_cl", ".cl") == {r.module for r in ALGORITHMS.values() if r.kernels}


@pytest.mark.parametrize("row", ROWS)
def test_reference_and_driver_take_the_axes_in_order(row: Algorithm) -> None:
    inputs = 3 if row.problem == "list-scan" else 1  # values and operator besides
    if row.reference:
        parameters = list(inspect.signature(row.function()).parameters.values())[inputs:]
        assert [p.name for p in parameters] == [axis.name for axis in row.axes_of("reference")]
        assert [p.default for p in parameters] == [axis.values[0] for axis in row.axes_of("reference")]
    if row.kernels:
        parameters = list(inspect.signature(row.prepare()).parameters.values())[inputs:]
        assert [p.name for p in parameters] == [axis.name for axis in row.axes_of("kernels")]


@pytest.mark.parametrize("row", ROWS)
def test_docstrings_cite_and_state_the_work(row: Algorithm) -> None:
    if row.reference:
        text = row.load("reference").__doc__
        assert "Input:" in text
        assert re.search(r"[Ww]ork\s+O\(", text)


def test_no_row_goes_unrun() -> None:
    run = {
        side: {case.values[0].name for problem in ("components", "list-ranking") for case in cases(problem)}
        for side, cases in (("reference", test_reference.cases), ("kernels", test_kernels.cases))
    }
    run["reference"] |= {"spanning-forest", "list-scan"}  # tests/test_forest.py, tests/test_list_scan.py
    others = ("spanning-forest", "list-scan")  # tests/test_forest.py, tests/test_list_kernels.py
    run["kernels"] |= {case.values[0].name for problem in others for case in test_kernels.cases(problem)}
    assert run["reference"] == {r.name for r in ALGORITHMS.values() if r.reference}
    assert run["kernels"] == {r.name for r in ALGORITHMS.values() if r.kernels}


def test_all_36_ecl_cc_combinations_run() -> None:
    cases = [case.values[1] for case in test_kernels.cases("components") if case.values[0].name == "ecl-cc"]
    assert len({(v["init"], v["jump"], v["fini"]) for v in cases if "init" in v}) == 36


def test_variants_are_parsed_strictly() -> None:
    assert parse_variant(" init=own, neighbor-rounds=3 ,") == {"init": "own", "neighbor_rounds": "3"}
    for text in ("init", "init=", "=own"):
        with pytest.raises(AlgorithmError, match="is not name=value"):
            parse_variant(text)
    afforest = ALGORITHMS["afforest"]
    chosen = afforest.variant("reference", {"neighbor_rounds": "7", "skip_largest": "FALSE"})
    assert (chosen["neighbor_rounds"], chosen["skip_largest"], chosen["init"]) == (7, False, "own")
