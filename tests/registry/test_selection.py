"""What is chosen for which facts: no graph and no device are needed to say so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from made_forests import rooted_from

import pointerjump as pj
from pointerjump.accel.interning import IdsByBlocks
from pointerjump.accel.residents.graphs import place
from pointerjump.accel.residents.images import ResidentImage
from pointerjump.accel.residents.rooted import ResidentRooted
from pointerjump.accel.residents.weighted import ResidentWeighted
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.accel.tuning import TUNING, tuning_for
from pointerjump.base.edges import EdgeList
from pointerjump.base.id_bytes import IdBytes, IdKind
from pointerjump.base.images import image_of
from pointerjump.errors import AlgorithmError
from pointerjump.registry import ALGORITHMS, InputFacts, ask, format_variant, parse_variant, select
from pointerjump.registry.algorithm import GRAPH_FORMS
from pointerjump.registry.selection import AUTO, RUN_BY_AUTO
from pointerjump.solving.biconnected import SpannedEdges
from pointerjump.solving.lists import HostLists, rank_lists
from pointerjump.solving.run import Seconds, order
from pointerjump.solving.trees import HostForest

CPU, GPU = TUNING["cpu"], TUNING["gpu"]
MANY = 1 << 22  # vertices: more than any device takes to be few

SAMPLED = "one_in=16"
TABLE = [
    # device, items, stored, form, what auto is, a part of its variant, the form it takes
    (CPU, 10, 20, "edges", "one-group", "input=edges,work_items=1", "edges"),
    (GPU, 10, 20, "edges", "one-group", "input=edges,work_items=1024", "edges"),
    (CPU, 10, 20, "stored rows", "one-group", "input=rows,work_items=1", "stored rows"),
    (CPU, 10, 20, "rows", "one-group", "input=rows,work_items=1", "rows"),
    (CPU, 100_000, 100_000, "edges", "one-group", "work_items=1", "edges"),
    (CPU, 100_000, 100_001, "edges", "afforest-edges", "init=own,batches=growing", "edges"),
    (CPU, 1 << 20, 1 << 22, "edges", "afforest-edges", "init=own,batches=growing", "edges"),
    (CPU, 1 << 20, (1 << 22) + 1, "edges", "rem-cas", "compression=halving,sampling=none", "edges"),
    (CPU, (1 << 20) + 1, 1 << 22, "edges", "afforest-edges", "init=smaller,batches=growing", "edges"),
    (GPU, 100_000, 200_001, "edges", "afforest-edges", "init=own", "edges"),
    (CPU, MANY, 4 * MANY, "edges", "afforest-edges", "init=smaller", "edges"),
    (CPU, MANY, 4 * MANY + 1, "edges", "rem-cas", "compression=halving", "edges"),
    (GPU, MANY, MANY, "edges", "afforest-edges", "init=own,batches=one", "edges"),
    (GPU, MANY, 2 * MANY, "edges", "afforest-edges", "init=own,batches=growing", "edges"),
    (GPU, 1 << 18, 47 << 18, "edges", "afforest-edges", "batches=growing", "edges"),
    (GPU, 1 << 18, 512 << 18, "edges", "afforest-edges", "batches=growing", "edges"),
    (
        CPU,
        MANY,
        4 * MANY,
        "stored rows",
        "rem-cas",
        "compression=halving,sampling=none,input=rows",
        "stored rows",
    ),
    (CPU, MANY, 4 * MANY + 1, "stored rows", "afforest", "skip_largest=false", "stored rows"),
    (GPU, MANY, 9 * MANY, "stored rows", "afforest", "skip_largest=false", "stored rows"),
    (CPU, MANY, 2 * MANY, "rows", "rem-cas", "sampling=none,input=rows", "rows"),
    (CPU, MANY, 3 * MANY, "rows", "rem-cas", "input=rows", "rows"),
    (CPU, MANY, 3 * MANY + 1, "rows", "afforest", SAMPLED, "rows"),
    (GPU, MANY, 3 * MANY, "rows", "afforest", "neighbor_rounds=0,skip_largest=false,init=own", "rows"),
    (GPU, MANY, 3 * MANY + 1, "rows", "afforest", SAMPLED, "rows"),
    (None, 10, 20, "edges", "afforest", "init=own", "rows"),
    (None, MANY, 9 * MANY, "rows", "afforest", "init=own", "rows"),
]


@pytest.mark.parametrize(("tuning", "items", "stored", "form", "name", "part", "taken"), TABLE)
def test_what_auto_is(tuning, items, stored, form, name, part, taken) -> None:
    asked = ask("components", "auto", {}, tuning)
    choice = select(asked, InputFacts(items, stored, form), tuning)
    assert (choice.algorithm.name, choice.form) == (name, taken)
    assert part in format_variant(choice.variant) + ","


@pytest.mark.parametrize(
    ("vertices", "stored", "local", "linked"),
    [
        (1 << 17, 1 << 20, True, True),
        (1 << 17, 1 << 20, False, False),
        (1 << 17, (1 << 20) + 1, True, False),
        (1 << 15, 1 << 20, False, True),
        ((1 << 15) + 1, 1 << 20, False, False),
        (1 << 18, 0, True, False),
    ],
)
def test_a_cpu_of_many_cores_links_what_takes_less_time_than_a_launch(
    vertices, stored, local, linked
) -> None:
    facts = InputFacts(vertices, stored, on_device=True, local=local)
    for quick in (0, 1 << 20):
        cores = replace(CPU, quick=quick)
        name = select(ask("components", "auto", {}, cores), facts, cores).algorithm.name
        assert name == ("rem-cas" if linked and quick else "afforest")
        few = InputFacts(10, cores.small - 10, on_device=True)
        name = select(ask("components", "auto", {}, cores), few, cores).algorithm.name
        assert (name == "one-group") == (quick > 0)


def test_a_sparse_graph_that_has_grown_starts_from_first_neighbors() -> None:
    asked = ask("components", "auto", {}, GPU)
    choice = select(asked, InputFacts(MANY, 2 * MANY, grown=True), GPU)
    assert format_variant(choice.variant).startswith("neighbor_rounds=1,skip_largest=true,init=first")
    dense = select(asked, InputFacts(MANY, 8 * MANY, grown=True), GPU)
    assert dense == select(asked, InputFacts(MANY, 8 * MANY), GPU)


@pytest.mark.parametrize(
    ("spec", "grown", "local"),
    [
        ("path:vertices=20000", True, True),
        ("path:vertices=20000,order=bitreversed", False, False),
        ("grid2d:rows=30,columns=900", True, True),
        ("grid2d:rows=900,columns=30", True, True),
        ("urand:scale=14,degree=4,seed=1", False, False),
        ("star:vertices=20000", True, False),
        ("path:vertices=1000", False, False),
        ("empty:vertices=3", False, False),
    ],
)
def test_what_rows_tell_of_a_graph(spec: str, grown: bool, local: bool) -> None:
    assert pj.generate(spec).symmetrized().numbering() == (grown, local)


def test_rows_of_which_nearly_none_has_neighbors_tell_nothing() -> None:
    ends = np.arange(1 << 15)
    few = pj.Graph.from_edges(ends, ends + 1, vertices=1 << 25).symmetrized()  # no sampled row has any
    assert few.numbering() == (False, False)


NAMED = [
    # tuning, name, choices, form given, form taken: a slip here would be a wrong answer
    (CPU, "rem-cas", {}, "edges", "edges"),
    (CPU, "rem-cas", {"sampling": "fused"}, "edges", "rows"),
    (CPU, "rem-cas", {"sampling": "fused"}, "stored rows", "rows"),
    (CPU, "rem-cas", {"input": "rows"}, "edges", "rows"),
    (CPU, "one-group", {"input": "rows"}, "edges", "rows"),
    (CPU, "one-group", {"input": "edges"}, "stored rows", "stored rows"),
    (CPU, "afforest", {}, "stored rows", "rows"),
    (CPU, "afforest", {"skip_largest": False}, "stored rows", "stored rows"),
    (CPU, "afforest", {"skip_largest": False, "rest": "until-joined"}, "stored rows", "rows"),
    (CPU, "afforest", {"skip_largest": False}, "edges", "rows"),
    (GPU, "ecl-cc", {}, "edges", "rows"),
    (GPU, "ecl-cc", {}, "stored rows", "rows"),
    (GPU, "shiloach-vishkin", {}, "stored rows", "rows"),
    (GPU, "soman", {}, "edges", "edges"),
    (GPU, "soman", {"input": "rows"}, "edges", "rows"),
    (GPU, "gunrock", {}, "edges", "rows"),
    (GPU, "afforest-edges", {}, "rows", "rows"),
    (None, "soman", {}, "edges", "rows"),
]


@pytest.mark.parametrize(("tuning", "name", "choices", "form", "taken"), NAMED)
def test_which_form_an_algorithm_takes(tuning, name, choices, form, taken) -> None:
    choice = select(ask("components", name, choices, tuning), InputFacts(1000, 5000, form), tuning)
    assert (choice.algorithm.name, choice.form) == (name, taken)


@pytest.mark.parametrize(
    ("tuning", "elements", "name"),
    [
        (CPU, 0, "sequential"),
        (CPU, 1 << 18, "sequential"),
        (CPU, (1 << 18) + 1, "random-splitter"),
        (GPU, 10, "random-splitter"),
        (None, 10, "random-splitter"),
    ],
)
def test_what_auto_is_for_lists(tuning, elements, name) -> None:
    facts = InputFacts(elements, form="lists")
    assert select(ask("list-ranking", "auto", {}, tuning), facts, tuning).algorithm.name == name


@pytest.mark.parametrize(
    ("tuning", "vertices", "pairs", "name"),
    [
        (CPU, 1000, 1999, "range-minimum"),
        (CPU, 1000, 2000, "inlabel"),
        (CPU, 0, 0, "inlabel"),
        (GPU, 1000, 1, "inlabel"),
        (None, 1000, 1, "inlabel"),
    ],
)
def test_what_auto_is_for_common_ancestors(tuning, vertices, pairs, name) -> None:
    facts = InputFacts(vertices, pairs, "rooted")
    assert select(ask("common-ancestors", "auto", {}, tuning), facts, tuning).algorithm.name == name
    assert select(ask("common-ancestors", "inlabel", {}, tuning), facts, tuning).algorithm.name == "inlabel"


def test_what_auto_runs_is_listed() -> None:
    """On graphs, lists and forests, of many sizes and in every form; others have one algorithm each."""
    found = {ask(problem, "auto", {}, CPU).algorithm.name for problem in AUTO}
    for tuning, form, items, degree in product(
        (CPU, GPU, None), (*GRAPH_FORMS, "lists", "rooted"), (10, MANY), (0, 1, 4, 30)
    ):
        problem = {"lists": "list-ranking", "rooted": "common-ancestors"}.get(form, "components")
        facts = InputFacts(items, degree * items, form)
        found.add(select(ask(problem, "auto", {}, tuning), facts, tuning).algorithm.name)
    assert found == RUN_BY_AUTO


@pytest.mark.parametrize(("units", "short"), [(1, 1 << 21), (2, 1 << 20), (8, 1 << 18), (64, 1 << 18)])
def test_lists_are_short_up_to_more_elements_on_few_cores(units: int, short: int, device: Device) -> None:
    assert tuning_for(replace(device, type="cpu", compute_units=units)).short_list == short
    assert tuning_for(replace(device, type="gpu", compute_units=units)).short_list == 0


@pytest.mark.parametrize(("units", "quick"), [(2, 0), (15, 0), (16, 1 << 20), (64, 1 << 22)])
def test_only_launches_on_many_cores_are_dear(units: int, quick: int, device: Device) -> None:
    assert tuning_for(replace(device, type="cpu", compute_units=units)).quick == quick
    assert tuning_for(replace(device, type="gpu", compute_units=units)).quick == 0


def test_short_lists_with_choices_go_to_random_splitters() -> None:
    asked = ask("list-ranking", "auto", {"splitters": 5}, CPU)
    assert select(asked, InputFacts(10, form="lists"), CPU).algorithm.name == "random-splitter"


def test_choices_left_to_auto_are_made() -> None:
    facts = InputFacts(MANY, 9 * MANY)
    choice = select(ask("components", "auto", {"one_in": "2"}, CPU), facts, CPU)
    assert (choice.algorithm.name, choice.variant["one_in"]) == ("afforest", 2)


def test_what_lies_on_a_device_is_not_run_in_one_launch() -> None:
    """Whose plan is kept, the launches of a graph on a device cost next to nothing."""
    for device in (CPU, GPU):
        asked = ask("components", "auto", {}, device)
        assert select(asked, InputFacts(10, 20, on_device=True), device).algorithm.name != "one-group"


@pytest.mark.parametrize("tuning", [CPU, GPU], ids=["cpu", "gpu"])
@pytest.mark.parametrize("form", ["edges", "stored rows", "rows"])
@pytest.mark.parametrize("algorithm", [a for a in ALGORITHMS.values() if a.kernels], ids=lambda a: a.name)
def test_a_choice_asked_for_is_chosen_again(algorithm, form, tuning) -> None:
    facts = InputFacts(1000, 5000, form)
    for choices in algorithm.variants_one_by_one("kernels"):
        asked = ask(algorithm.problem, algorithm.name, choices, tuning)
        choice = select(asked, facts, tuning)
        told = parse_variant(format_variant(choice.variant))
        again = ask(algorithm.problem, choice.algorithm.name, told, tuning)
        assert select(again, facts, tuning) == choice


def test_every_axis_has_a_default_on_every_class_of_device() -> None:
    """But what only a run can tell, splitters and widths of atomics, and interning's seed, which is drawn."""
    for algorithm in ALGORITHMS.values():
        for device in (CPU, GPU):
            variant = algorithm.complete({}, device, InputFacts(1000, 5000))
            left = {axis.name for axis in algorithm.axes_of("kernels")} - set(variant)
            assert left <= ({"seed"} if algorithm.problem == "id-numbering" else {"splitters", "atomics"})
            for axis in algorithm.axes_of("kernels"):
                if axis.name in variant:
                    assert axis.parse(variant[axis.name]) == variant[axis.name]


@pytest.mark.parametrize(
    ("algorithm", "choices", "tuning", "why"),
    [
        ("no-such", {}, CPU, "there is no algorithm"),
        ("wylie", {}, CPU, "wylie is for list-ranking"),
        ("dfs", {}, CPU, "dfs has no kernels"),
        ("ecl-cc", {"init": "no-such"}, CPU, "init=no-such: it must be one of"),
        ("ecl-cc", {"reads": "atomic"}, None, "has no variant 'reads'"),
        ("auto", {"no_such": 1}, CPU, "has no variant 'no_such': it has .*reads$"),
        ("auto", {"rest": "no-such"}, CPU, "rest=no-such: it must be one of"),
        ("auto", {"jump": "none"}, GPU, "has no variant 'jump'.*auto runs afforest, so name"),
        ("auto", {"jump": "none"}, None, "has no variant 'jump'"),
        (5, {}, CPU, "algorithm is 5"),
    ],
)
def test_what_does_not_exist_is_refused_before_there_is_an_input(algorithm, choices, tuning, why) -> None:
    with pytest.raises(AlgorithmError, match=why):
        ask("components", algorithm, choices, tuning)


# -- on devices ------------------------------------------------------------------------------------

S, T = np.random.default_rng(5).integers(0, 3000, (2, 4000))


def one_direction() -> pj.Graph:
    """Rows that hold each edge once, and are not known to hold both directions."""
    graph = pj.Graph.from_edges(np.minimum(S, T), np.maximum(S, T), vertices=3000)
    rows = graph.to_scipy()
    upper = rows.toarray() & (np.arange(3000)[:, None] <= np.arange(3000))
    import scipy.sparse as sp

    return pj.Graph.from_scipy(sp.csr_array(upper))


GIVEN: Mapping[str, Callable[[], object]] = {
    "arrays": lambda: (S, T),
    "pairs": lambda: np.column_stack([S, T]),
    "rows in one direction": one_direction,
}


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("small", [0, 1 << 20])
def test_stats_asked_for_make_the_same_run(given: str, small: int, device: Device) -> None:
    session = session_for(device)
    before = session.tuning
    session.tuning = replace(before, small=small)
    try:
        graph = GIVEN[given]()
        vertices = None if isinstance(graph, pj.Graph) else 3000
        first = pj.components(graph, device=device, vertices=vertices)
        told = first.stats
        again = pj.components(
            graph,
            algorithm=told["algorithm"],
            device=device,
            vertices=vertices,
            **parse_variant(told["variant"]),
        )
    finally:
        session.tuning = before
    assert {k: v for k, v in again.stats.items() if k != "seconds"} == {
        k: v for k, v in told.items() if k != "seconds"
    }
    np.testing.assert_array_equal(first.labels, again.labels)
    assert told["algorithm"] == "one-group" or small == 0


@pytest.mark.diagonal
@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize(
    "algorithm", [a for a in ALGORITHMS.values() if a.takes == "edges"], ids=lambda a: a.name
)
def test_edges_as_read_give_the_same_as_rows(algorithm, given: str, device: Device) -> None:
    """Each edge once, in whatever direction, as ids of 64 or 32 bits, in two arrays or in pairs."""
    n = 3000
    expected = pj.components((S, T), algorithm="dfs", device="reference", vertices=n)
    forms = set()
    dtypes = (np.int64, np.int32, np.uint32) if given == "arrays" else (np.int32,)
    for dtype in dtypes:  # of rows it is the graph's
        graph = GIVEN[given]()
        if isinstance(graph, tuple):
            graph = (graph[0].astype(dtype), graph[1].astype(dtype))
        elif isinstance(graph, np.ndarray):
            graph = graph.astype(dtype)
        vertices = None if isinstance(graph, pj.Graph) else n
        ways = list(algorithm.variants_one_by_one("kernels"))
        for choices in ways[:1] if given == "arrays" and dtype != np.int64 else ways:
            if algorithm.problem == "minimum-spanning-forest":
                weights = np.zeros(graph.directed_edges if vertices is None else len(S))
                least = pj.minimum_spanning_forest(
                    graph, weights, vertices=vertices, algorithm=algorithm.name, device=device, **choices
                )
                np.testing.assert_array_equal(least.components().labels, expected.labels, str(choices))
                continue
            if algorithm.problem == "spanning-forest":
                forest = pj.spanning_forest(graph, device=device, vertices=vertices, **choices)
                pj.verify_forest(pj.Graph.from_edges(S, T, vertices=n), forest)
                continue
            found = pj.components(
                graph, algorithm=algorithm.name, device=device, vertices=vertices, **choices
            )
            np.testing.assert_array_equal(found.labels, expected.labels, err_msg=str(choices))
            forms.add(found.stats["form"])
    if algorithm.problem == "components":
        assert ("edges" if given != "rows in one direction" else "stored rows") in forms


@pytest.mark.diagonal
@pytest.mark.parametrize("algorithm", [a for a in ALGORITHMS.values() if a.kernels], ids=lambda a: a.name)
def test_a_plan_can_be_run_again(algorithm, device: Device) -> None:
    session = session_for(device)
    with session.running():
        if "list" in algorithm.problem:
            resident = pj.DeviceList(np.minimum(np.arange(700) + 1, 699), device).resident
            more = (np.ones(700, np.int64), "add") if algorithm.problem == "list-scan" else ()
        elif algorithm.problem == "common-ancestors":
            us = np.arange(700, dtype=np.int32)
            resident, more = ResidentRooted(rooted_from(us // 2), session), (us, us[::-1].copy())
        elif algorithm.problem == "functional-graphs":
            resident, more = pj.DeviceList(np.arange(700) // 2, device).resident, (None,)
        elif algorithm.problem == "id-numbering":
            kind = IdKind(8, "signed")
            resident, more = IdsByBlocks(session, [IdBytes(kind, S[:700].view(np.uint8))], kind), ()
        elif algorithm.problem == "image-labelling":
            resident, more = ResidentImage(image_of(S[:700] % 2), session), ()
        elif algorithm.problem in ("biconnectivity", "bridges"):
            wanted = order(algorithm.problem, algorithm.name, device, {})
            edges = SpannedEdges(wanted, EdgeList(S[:700], T[:700], 3000))
            resident, more = edges.placed("spanned", session, Seconds()), ()
        elif algorithm.problem == "trees":
            forest = HostForest(pj.generate("path:vertices=700"), None)
            resident, more = forest.placed("rows", session, Seconds()), ()
        else:
            resident, more = pj.to_device((S, T), device, vertices=3000).resident, ()
            if algorithm.problem == "minimum-spanning-forest":
                weights = np.arange(resident.stored, dtype=np.int32)[::-1] // 5
                resident = ResidentWeighted(resident, session.put(weights, "weights"), weights.dtype)
            elif algorithm.problem == "dendrograms":
                weights, path = (
                    np.arange(700)[::-1] // 5,
                    pj.Graph.from_edges(np.arange(700), np.arange(1, 701)),
                )
                edges = place(path, "edges", session)
                resident = ResidentWeighted(edges, session.put(weights, "weights"), weights.dtype)
        facts = InputFacts(3000, resident.stored if not more and hasattr(resident, "stored") else 0)
        choice = select(ask(algorithm.problem, algorithm.name, {}, session.tuning), facts, session.tuning)
        plan = algorithm.prepare(resident, *more, **choice.variant)
        answers = []
        words = {"minimum-spanning-forest": 3000, "bridges": 700 // 4}.get(algorithm.problem, 700)
        for _ in range(3):
            plan.run()
            found = session.get(plan.result, words)
            if algorithm.problem == "minimum-spanning-forest":  # which root an edge hooks is not certain
                found.sort()
            answers.append(found.tolist())
    if algorithm.problem != "spanning-forest":  # which edges it finds is not certain
        assert answers[0] == answers[1] == answers[2]


def test_a_ranking_says_how_many_splitters_it_drew(device: Device) -> None:
    lists = HostLists(np.minimum(np.arange(5000) + 1, 4999))
    first, told = rank_lists(order("list-ranking", "auto", device, {}), lists)
    again, stats = rank_lists(
        order("list-ranking", told["algorithm"], device, parse_variant(told["variant"])), lists
    )
    assert told["form"] == "lists"
    assert int(parse_variant(told["variant"])["splitters"]) > 0
    assert stats["variant"] == told["variant"]
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize(
    "algorithm",
    [a for a in ALGORITHMS.values() if a.takes == "edges" and a.problem == "components"],
    ids=lambda a: a.name,
)
def test_no_order_of_edges_makes_long_chains(algorithm, device: Device) -> None:
    """A star around the last vertex and a path, edges descending: rounds that crawled would not end here."""
    n = 100_000
    star = (np.full(n - 1, n - 1), np.arange(n - 1)[::-1])
    path = (np.arange(n - 1, 0, -1), np.arange(n - 2, -1, -1))
    for edges in (star, path):
        found = pj.components(edges, algorithm=algorithm.name, device=device)
        assert (found.count, found.stats["form"]) == (
            1,
            "edges" if "input=rows" not in found.stats["variant"] else "rows",
        )
        assert found.stats.get("rounds", 0) < 60
