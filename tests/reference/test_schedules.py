"""Every reference gives the right answer in any order of its parallel loops, and with stale plain reads."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import NASTY, NASTY_LISTS, TREES, graphs, linked_lists
from hypothesis import given, settings
from hypothesis import strategies as st
from made_forests import merges_of, rooted_from
from test_reference import expected_labels, expected_ranks, labels_of_nasty_graph

import pointerjump as pj
from pointerjump.measure.trees import roots
from pointerjump.reference.machine import ORDERS, Machine
from pointerjump.reference.trees import FIND, Find, shortcut
from pointerjump.reference.vocabulary import in_parallel, shared
from pointerjump.registry import ALGORITHMS, Algorithm, Variant, format_variant
from pointerjump.solving.ancestors import common_ancestors

SMALL = 600  # vertices: serial Python, and stale reads make some paths quadratic
ALIKE = {"path of 63", "path of 255", "path of 256"}  # as 64 and 257 to references: they have no work-groups


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    """Any machine: an order, stale reads or not, and how many workers share a loop."""
    return Machine(
        draw(st.sampled_from(list(ORDERS))),
        stale=draw(st.booleans()),
        seed=draw(st.integers(0, 10_000)),
        workers=draw(st.integers(1, 9)),
    )


@st.composite
def forests(draw: st.DrawFn, most: int = 14) -> list[int]:
    """Any parents none of which exceeds its child."""
    n = draw(st.integers(1, most))
    return [draw(st.integers(0, v)) for v in range(n)]


def one_at_a_time(algorithm: Algorithm) -> list[Variant]:
    """The default variant, and those that differ from it in one choice."""
    default = {axis.name: axis.values[0] for axis in algorithm.axes_of("reference")}
    others = [
        {**default, axis.name: value} for axis in algorithm.axes_of("reference") for value in axis.values[1:]
    ]
    return [default, *others]


def cases(problem: str) -> list:
    return [
        pytest.param(algorithm, variant, id=f"{algorithm.name}:{format_variant(variant)}")
        for algorithm in ALGORITHMS.values()
        if algorithm.problem == problem and algorithm.reference
        for variant in one_at_a_time(algorithm)
    ]


@pytest.mark.parametrize(("algorithm", "variant"), cases("components"))
@settings(max_examples=25)
@given(graph=graphs(), machine=machines())
def test_components_of_drawn_graphs(
    algorithm: Algorithm, variant: Variant, graph: pj.Graph, machine: Machine
) -> None:
    with machine:
        found = pj.components(graph, algorithm=algorithm.name, device="reference", **variant)
    np.testing.assert_array_equal(found.labels, expected_labels(graph))


def cases_in_two_orders() -> list:
    """Each case in one of two orders in turn, and in the other if the tests that take long are asked for."""
    return [
        pytest.param(
            *case.values,
            order,
            id=f"{order}-{case.id}",
            marks=[] if number % 2 == turn else pytest.mark.exhaustive,
        )
        for turn, order in enumerate(("random", "uneven"))
        for number, case in enumerate(cases("components"))
    ]


@pytest.mark.parametrize(("algorithm", "variant", "order"), cases_in_two_orders())
def test_components_of_nasty_graphs(algorithm: Algorithm, variant: Variant, order: str) -> None:
    """Each order meets every other graph, so that both together meet all of them."""
    small = [name for name, graph in NASTY.items() if graph.vertices <= SMALL and name not in ALIKE]
    for seed, name in enumerate(small):
        if seed % 2 == (order == "uneven"):
            graph = NASTY[name]
            with Machine(order, stale=True, seed=seed):
                found = pj.components(graph, algorithm=algorithm.name, device="reference", **variant)
            np.testing.assert_array_equal(found.labels, labels_of_nasty_graph(name), err_msg=name)


@pytest.mark.parametrize("seeds", [range(50), pytest.param(range(50, 150), marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(("algorithm", "variant"), cases("components"))
def test_no_hook_is_lost_on_trees(algorithm: Algorithm, variant: Variant, seeds: range) -> None:
    """In a tree every edge is the only way: one that was overwritten and forgotten splits the component."""
    for seed in range(30):  # 2 is a root that 5 and 6 both hook
        with Machine("random", stale=True, seed=seed):
            found = pj.components(
                ([0, 3, 5, 2, 6, 4], [3, 5, 2, 6, 4, 1]),
                algorithm=algorithm.name,
                device="reference",
                **variant,
            )
        assert found.count == 1, seed
    for seed in seeds:
        random = np.random.default_rng(seed)
        n = int(random.integers(3, 14))
        name = random.permutation(n)
        parents = [int(random.integers(0, v)) for v in range(1, n)]
        with Machine("random", stale=True, seed=seed):
            found = pj.components(
                (name[1:], name[parents]), algorithm=algorithm.name, device="reference", **variant, vertices=n
            )
        assert found.count == 1, seed


@pytest.mark.parametrize("find", [*FIND.values(), shortcut])
@settings(max_examples=100)
@given(parents=forests(), machine=machines(), data=st.data())
def test_finding_moves_nobody_to_another_tree(
    find: Find, parents: list[int], machine: Machine, data: st.DataObject
) -> None:
    """While nobody hooks, every walk ends at the root, whatever stale parents it and others see."""
    expected = roots(parents).tolist()
    sought = data.draw(st.lists(st.integers(0, len(parents) - 1), max_size=20))
    with machine:
        parent = shared("parent", parents)
        found = [(v, find(v, parent)) for v in in_parallel(sought)]
    assert all(root == expected[v] for v, root in found)
    assert roots(list(parent)).tolist() == expected


@pytest.mark.parametrize(("algorithm", "variant"), cases("list-ranking"))
@settings(max_examples=40)
@given(successors=linked_lists(), machine=machines())
def test_ranks_of_drawn_lists(
    algorithm: Algorithm, variant: Variant, successors: np.ndarray, machine: Machine
) -> None:
    with machine:
        ranks = pj.list_rank(successors, algorithm=algorithm.name, device="reference", **variant)
    np.testing.assert_array_equal(ranks, expected_ranks(successors))


@pytest.mark.parametrize(("algorithm", "variant"), cases("list-ranking"))
def test_ranks_of_nasty_lists(algorithm: Algorithm, variant: Variant) -> None:
    for seed, (name, successors) in enumerate(NASTY_LISTS.items()):
        if len(successors) <= SMALL:
            with Machine("random", stale=True, seed=seed):
                ranks = pj.list_rank(successors, algorithm=algorithm.name, device="reference", **variant)
            np.testing.assert_array_equal(ranks, expected_ranks(successors), err_msg=name)


def test_every_parallel_algorithm_runs_on_the_machine() -> None:
    """One that went past the vocabulary would pass all of the above unseen."""
    serial = {"dfs", "union-find", "kruskal", "prim", "single-linkage", "hopcroft-tarjan", "chain"}
    graph, successors = NASTY["two hubs"], NASTY_LISTS["pairs"]
    for algorithm in ALGORITHMS.values():
        if algorithm.name in serial or not algorithm.reference:
            continue
        with Machine() as machine:
            if algorithm.problem == "components":
                pj.components(graph, algorithm=algorithm.name, device="reference")
            elif algorithm.problem == "spanning-forest":
                pj.spanning_forest(graph, algorithm=algorithm.name, device="reference")
            elif algorithm.problem == "minimum-spanning-forest":
                weights = np.arange(graph.directed_edges) % 5
                pj.minimum_spanning_forest(graph, weights, algorithm=algorithm.name, device="reference")
            elif algorithm.problem == "dendrograms":
                merges_of(np.arange(9), np.arange(1, 10), 10, algorithm.name, "reference")
            elif algorithm.problem == "list-ranking":
                pj.list_rank(successors, algorithm=algorithm.name, device="reference")
            elif algorithm.problem == "list-scan":
                pj.list_scan(
                    successors, np.ones(len(successors)), "add", algorithm=algorithm.name, device="reference"
                )
            elif algorithm.problem == "trees":
                pj.rooted_forest(TREES, algorithm=algorithm.name, device="reference")
            elif algorithm.problem == "common-ancestors":
                rooted = rooted_from(np.arange(99) // 2)
                common_ancestors(rooted, [98, 3], 7, algorithm=algorithm.name, device="reference")
            elif algorithm.problem == "biconnectivity":
                pj.biconnected_components(graph, algorithm=algorithm.name, device="reference")
            elif algorithm.problem == "bridges":
                pj.bridges(graph, algorithm=algorithm.name, device="reference")
            elif algorithm.problem == "functional-graphs":
                pj.cycles(successors, algorithm=algorithm.name, device="reference")
            elif algorithm.problem == "id-numbering":
                pj.number_ids(successors, algorithm=algorithm.name, device="reference")
            else:
                pj.label(np.eye(9), algorithm=algorithm.name, device="reference")
        assert machine.phases, algorithm.name
        assert machine.reads, algorithm.name
        assert machine.writes, algorithm.name
        if algorithm.name != "sequential":
            assert machine.items.total() >= len(machine.arrays), algorithm.name
