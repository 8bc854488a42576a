"""The registry, its files and its functions agree, entries are complete, and no algorithm goes untested."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from importlib.resources import files
from operator import add

import numpy as np
import pytest
import test_kernels
import test_reference
from conftest import NASTY, NASTY_LISTS, TREES
from made_forests import rooted_from, shapes
from test_schedules import one_at_a_time

from pointerjump.base.edges import EdgeList
from pointerjump.base.functional_graphs import Walks
from pointerjump.base.graph import Graph
from pointerjump.base.images import image_of
from pointerjump.base.weighted import Weighted
from pointerjump.errors import AlgorithmError
from pointerjump.reference.description import PARTS, described
from pointerjump.reference.machine import Machine
from pointerjump.registry import ALGORITHMS, Algorithm, Problem, Variant, parse_variant
from pointerjump.solving.trees import host_forest, rows_of_forest

EVERY = [pytest.param(algorithm, id=algorithm.name) for algorithm in ALGORITHMS.values()]
HELPERS = {
    "reference": {
        "__init__",
        "description",
        "machine",
        "region_contacts",
        "region_sums",
        "radix_sort",
        "regions",
        "spanned",
        "trees",
        "vocabulary",
    },
    "accel": {
        *("__init__", "id_forests", "labels", "neighbor_rows", "pixel_values", "plan", "region_contacts"),
        "region_sums",
        *("device_arrays", "radix_sort", "regions", "shapes", "subtrees", "successors", "tuning"),
    },
    "kernels_cl": {
        *(
            "image_labels",
            "image_runs",
            "kept_labels",
            "labels",
            "long_rows",
            "numbering",
            "radix_sort",
            "region_contacts",
            "region_sums",
            "regions",
            "run_numbers",
        ),
        *("smallest_ids", "subtrees", "successors", "trees"),
    },
}


def stems(package: str, suffix: str) -> set[str]:
    found = {f.name for f in files(f"pointerjump.{package}").iterdir() if f.name.endswith(suffix)}
    return {name.removesuffix(suffix) for name in found} - HELPERS[package]


def test_entries_and_files_agree() -> None:
    assert stems("reference", ".py") == {a.module for a in ALGORITHMS.values() if a.reference}
    assert stems("accel", ".py") == {a.module for a in ALGORITHMS.values() if a.kernels}
    assert stems("kernels_cl", ".cl") == {a.module for a in ALGORITHMS.values() if a.kernels}


@pytest.mark.parametrize("algorithm", EVERY)
def test_reference_and_host_code_take_the_axes_in_order(algorithm: Algorithm) -> None:
    # Besides lists, values and operator; a forest, pairs of vertices; a map, walks; rows, roots and trees,
    # which a device finds.
    more = {"list-scan": 3, "trees": 3, "common-ancestors": 3, "functional-graphs": 2}
    inputs = more.get(algorithm.problem, 1)
    if algorithm.reference:
        parameters = list(inspect.signature(algorithm.function()).parameters.values())[inputs:]
        assert [p.name for p in parameters] == [axis.name for axis in algorithm.axes_of("reference")]
        assert [p.default for p in parameters] == [axis.values[0] for axis in algorithm.axes_of("reference")]
    if algorithm.kernels:
        inputs = 1 if algorithm.problem == "trees" else inputs
        parameters = list(inspect.signature(algorithm.prepare).parameters.values())[inputs:]
        assert [p.name for p in parameters] == [axis.name for axis in algorithm.axes_of("kernels")]


def missing(algorithm: Algorithm) -> list[str]:
    """What the entry of an algorithm still has to say, each with the way to say it."""
    found: list[str] = []
    if not re.search(r"\b(19|20)\d\d\b", algorithm.paper):
        found.append(f"paper={algorithm.paper!r} cites nothing with a year")
    has_parents = algorithm.problem in ("components", "spanning-forest", "image-labelling")
    if has_parents and algorithm.reference:
        if algorithm.parents is None:
            found.append("parents=... must name the reference's array of parents")
    elif algorithm.parents or algorithm.parents_where or algorithm.round_phase:
        found.append("parents and round_phase belong to a reference for components, forests or labels")
    for name, value in algorithm.parents_where:
        if (name, value) not in {(axis.name, v) for axis in algorithm.axes for v in axis.values}:
            found.append(f"parents_where names {name}={value}, which is not among the axes")
    return found


@pytest.mark.parametrize("algorithm", EVERY)
def test_entries_say_what_their_problem_needs(algorithm: Algorithm) -> None:
    found = missing(algorithm)
    assert not found, f"the entry of {algorithm.name} in registry/table.py: " + "; ".join(found)


def test_what_an_entry_lacks_is_named() -> None:
    bare = Algorithm("x", "X", paper="somebody")
    assert [message.split()[0] for message in missing(bare)] == [
        "paper='somebody'",
        "parents=...",
    ]
    wrong = replace(ALGORITHMS["wylie"], parents_where={("inner", "dfs"): "pi"}, parents="pi")
    assert [message.split()[0] for message in missing(wrong)] == ["parents", "parents_where"]


path = np.random.default_rng(1).permutation(40)
INPUTS: dict[Problem, tuple] = {
    "components": (NASTY["two hubs"],),
    "spanning-forest": (NASTY["two hubs"],),
    "minimum-spanning-forest": (
        Weighted(NASTY["two hubs"], np.arange(NASTY["two hubs"].directed_edges) % 7),
    ),
    "dendrograms": (Weighted(Graph.from_edges(path[:-1], path[1:]), np.arange(39) * 5 % 7),),
    "list-ranking": (NASTY_LISTS["pairs"],),
    "list-scan": (NASTY_LISTS["pairs"], range(len(NASTY_LISTS["pairs"])), add),
    "trees": host_forest(rows_of_forest(TREES)),
    "common-ancestors": (rooted_from(shapes(200)["random"]), range(100), range(100, 200)),
    "biconnectivity": (
        EdgeList(NASTY["two hubs"].sources, NASTY["two hubs"].neighbors, NASTY["two hubs"].vertices),
    ),
    "bridges": (
        EdgeList(NASTY["two hubs"].sources, NASTY["two hubs"].neighbors, NASTY["two hubs"].vertices),
    ),
    "functional-graphs": (np.append(np.roll(np.arange(70), 1), 0), None),
    "id-numbering": ([b"cal", b"ann", b"cal", b"bob"],),
    "image-labelling": (image_of([[1, 0, 1], [1, 1, 0]]),),
}


@pytest.mark.parametrize("algorithm", [case for case in EVERY if case.values[0].reference])
def test_entries_say_what_the_reference_does(algorithm: Algorithm) -> None:
    for variant in one_at_a_time(algorithm):
        with Machine() as machine:
            algorithm.function()(*INPUTS[algorithm.problem], **variant)
        parents = algorithm.parents_of(variant)
        if parents:
            assert parents in machine.arrays, f"the reference has {', '.join(machine.arrays)}"
        if algorithm.round_phase and variant == one_at_a_time(algorithm)[0]:
            assert algorithm.round_phase in machine.phases, f"it has {', '.join(set(machine.phases))}"
        assert algorithm.serial == (not machine.items.total()), "a serial one has no parallel loop"


MORE_INPUTS: dict[Problem, tuple] = {
    "components": (NASTY["sparse random"],),  # with many components beside the largest
    "list-ranking": (NASTY_LISTS["one of 4000"],),  # too long for one work-group
    "functional-graphs": (NASTY_LISTS["pairs"], Walks(np.arange(2), np.full((1, 1), 2000, np.uint32))),
}
STILL_MORE_INPUTS: dict[Problem, tuple] = {
    "functional-graphs": (NASTY_LISTS["pairs"], Walks(np.arange(2), np.full((1, 1), 3, np.uint32))),
}


def phases_of(algorithm: Algorithm, variant: Variant) -> set[str]:
    """The phases that begin when the reference runs on any of these inputs."""
    began: set[str] = set()
    for inputs in (INPUTS, MORE_INPUTS, STILL_MORE_INPUTS):
        if algorithm.problem in inputs:
            with Machine(counting=False) as machine:
                algorithm.function()(*inputs[algorithm.problem], **variant)
            began |= set(machine.phases)
    return began


@pytest.mark.parametrize("algorithm", [case for case in EVERY if case.values[0].reference])
def test_entries_say_what_each_phase_does(algorithm: Algorithm) -> None:
    began = set().union(*(phases_of(algorithm, variant) for variant in one_at_a_time(algorithm)))
    captions = algorithm.description().phases
    assert set(captions) == began
    for words in captions.values():
        assert len(words.split()) <= 13, "a caption is short"
        assert words[0].islower(), "a caption follows a colon"
        assert words[-1] != ".", "a caption is no sentence of its own"


@pytest.mark.parametrize("algorithm", [case for case in EVERY if case.values[0].reference])
def test_pseudo_code_names_the_phases_of_the_default_variant(algorithm: Algorithm) -> None:
    pseudo_code = algorithm.description().pseudo_code
    assert 5 <= len(pseudo_code.splitlines()) <= 20
    for name in phases_of(algorithm, one_at_a_time(algorithm)[0]):
        assert re.search(rf"^(.*, | *){re.escape(name)}(, .*)?:", pseudo_code, re.MULTILINE), name


@pytest.mark.parametrize("algorithm", EVERY)
def test_work_and_depth_are_bounds_and_are_said_once(algorithm: Algorithm) -> None:
    about = algorithm.description()
    assert bounds(about.work)
    text = f"{about.citation} {about.idea} {about.input} {about.complexity} {about.notes}"
    assert not re.search(r"\b([Ww]ork|[Dd]epth)\s+O\(", text)


def bounds(text: str) -> list[str]:
    """The terms O(...) in a text, with parentheses in them."""
    return re.findall(r"O\((?:[^()]|\([^()]*\))*\)", text)


@pytest.mark.parametrize("algorithm", EVERY)
def test_docstrings_have_every_part(algorithm: Algorithm) -> None:
    about = algorithm.description()
    assert all(getattr(about, part) for part in PARTS if part not in ("complexity", "notes"))
    assert not set(about.summary) & set("|\n"), "it is one line, without |, for the table in README"
    assert about.definition.endswith(".")
    assert "In pseudo-code" not in about.idea + about.input + about.complexity + about.notes
    assert about.work.startswith("O(")
    assert re.search(r"\b(19|20)\d\d\b", about.citation), "a citation has a year"
    assert set(about.see_also) <= set(ALGORITHMS) - {algorithm.name}


def test_a_part_that_is_missing_is_named() -> None:
    with pytest.raises(AlgorithmError, match="has no when after summary, definition"):
        described("X: an algorithm.\n\nX does it. Choose this algorithm to study")


def test_no_algorithm_goes_unrun() -> None:
    run = {
        side: {case.values[0].name for problem in ("components", "list-ranking") for case in cases(problem)}
        for side, cases in (("reference", test_reference.cases), ("kernels", test_kernels.cases))
    }
    # test_forest.py, test_list_scan.py, test_list_kernels.py, test_interning.py, test_label.py, tests/trees
    others: tuple[Problem, ...] = (
        *(
            "spanning-forest",
            "minimum-spanning-forest",
            "dendrograms",
            "list-scan",
            "trees",
            "common-ancestors",
            "biconnectivity",
            "bridges",
            "functional-graphs",
        ),
        *("id-numbering", "image-labelling"),
    )
    run["reference"] |= {a.name for a in ALGORITHMS.values() if a.problem in others and a.reference}
    run["kernels"] |= {case.values[0].name for problem in others for case in test_kernels.cases(problem)}
    assert run["reference"] == {a.name for a in ALGORITHMS.values() if a.reference}
    assert run["kernels"] == {a.name for a in ALGORITHMS.values() if a.kernels}


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
