"""The invariants of the proofs, asserted at every write of every reference, under hostile schedules."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from conftest import graphs, linked_lists
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from test_label import by_pairs
from test_reference import expected_labels, expected_ranks
from test_schedules import machines, one_at_a_time

import pointerjump as pj
from pointerjump.base.images import image_of
from pointerjump.measure.trees import at_calls, depths, roots
from pointerjump.reference.afforest import compress, link
from pointerjump.reference.machine import Cells, Machine
from pointerjump.reference.two_pass import two_pass
from pointerjump.reference.vocabulary import compare_and_swap, in_parallel, shared
from pointerjump.registry import ALGORITHMS, Algorithm, Variant, format_variant, parse_variant


@dataclass(frozen=True)
class Promises:
    """What a reference promises about its parents or labels, at every write in every order of its loops.

    Downwards: no element ever holds more than its own index. Atomic: only roots are hooked, by
    compare-and-swap, so no tree is ever split. Once: no element is written twice, as in a search. Forest: at
    the end of every phase, following the parents from any vertex leads to a root.
    """

    downwards: bool = True
    atomic: bool = False
    once: bool = False
    forest: bool = True


ATOMIC, UPWARDS, SEARCH = Promises(atomic=True), Promises(downwards=False), Promises(once=True, forest=False)
PROMISES = {
    "dfs": SEARCH,
    "union-find": UPWARDS,
    "shiloach-vishkin": UPWARDS,
    "stages:inner=shiloach-vishkin": UPWARDS,
    "stages:inner=shiloach-vishkin-updt": UPWARDS,
    "rem-cas": ATOMIC,
    "rem-cas:compression=splicing": Promises(),
    "soman": UPWARDS,
    "groute": ATOMIC,
    "gunrock": UPWARDS,
    "galois": ATOMIC,
    "bfs": SEARCH,
    "multistep": Promises(downwards=False, forest=False),
    "nd-hybrid": Promises(downwards=False, forest=False),
    "ligra-plus": SEARCH,
    "ligra-plus:over=label-propagation": Promises(),
    "ecl-cc": ATOMIC,
    "afforest": ATOMIC,
    "afforest-edges": ATOMIC,
    "afforest-edges:init=smaller": Promises(),
    "disjoint-set": ATOMIC,
    "afforest-subgraphs": ATOMIC,
    "two-pass": ATOMIC,
}
"""By algorithm, or by algorithm and a value of an axis. The others promise what is the default."""


def promises(algorithm: Algorithm, variant: Variant) -> Promises:
    """What an algorithm promises in a variant."""
    with_value = (f"{algorithm.name}:{format_variant({name: value})}" for name, value in variant.items())
    named = (PROMISES[name] for name in (*with_value, algorithm.name) if name in PROMISES)
    return next(named, Promises())


def test_promises_are_made_by_variants_that_there_are() -> None:
    for name in PROMISES:
        algorithm, _, value = name.partition(":")
        ALGORITHMS[algorithm].parse("reference", parse_variant(value))


def cases() -> list:
    """Every variant of every parallel algorithm for components."""
    return [
        pytest.param(algorithm, variant, id=f"{algorithm.name}:{format_variant(variant)}")
        for algorithm in ALGORITHMS.values()
        if algorithm.problem == "components"
        for variant in one_at_a_time(algorithm)
    ]


@pytest.mark.parametrize(("algorithm", "variant"), cases())
@settings(max_examples=15)
@given(graph=graphs(most=12), machine=machines())
def test_every_write_keeps_the_promises(
    algorithm: Algorithm, variant: Variant, graph: pj.Graph, machine: Machine
) -> None:
    component = expected_labels(graph)
    writes = checked(machine, algorithm, variant, component)
    with machine:
        pj.components(graph, algorithm=algorithm.name, device="reference", **variant)
    if (component != np.arange(len(component))).any():
        assert algorithm.parents_of(variant) in machine.arrays, "there is an array to check"
        assert writes, "and its writes were checked"


@settings(max_examples=100)
@given(mask=arrays(bool, array_shapes(max_dims=4, max_side=5)), machine=machines(), data=st.data())
def test_every_write_of_a_labelling_keeps_the_promises(
    mask: np.ndarray, machine: Machine, data: st.DataObject
) -> None:
    connectivity = data.draw(st.integers(1, mask.ndim))
    wraps = data.draw(st.sets(st.integers(0, mask.ndim - 1)))
    begins = mask & ~np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(1, 0)])[..., :-1]
    component = by_pairs(mask, connectivity, wrap_axes=tuple(wraps))[begins]
    writes = checked(machine, ALGORITHMS["two-pass"], {}, component)
    with machine:
        two_pass(image_of(mask, connectivity, wrap_axes=wraps))
    assert set(writes) == set(range(len(component))), "all were checked"


def checked(machine: Machine, algorithm: Algorithm, variant: Variant, component: np.ndarray) -> Counter[int]:
    """Have a machine check the promises about the parents of these components' vertices; count the writes."""
    writes: Counter[int] = Counter()
    parents, promised = algorithm.parents_of(variant), promises(algorithm, variant)
    assert parents

    def check_write(cells: Cells, at: int, old: Any, new: Any) -> None:
        if cells.name != parents or (algorithm.contracts and len(cells) < len(component)):
            return
        writes[at] += 1
        if new >= 0:
            assert component[new] == component[at], "never joins what is not connected"
        if promised.downwards:
            assert new <= at, "no cell holds more than its own index"
        if promised.once:
            assert writes[at] == 1, "no cell is written twice"
        if promised.atomic:
            before = list(cells)
            after = [*before[:at], new, *before[at + 1 :]]
            if before[at] != at:
                assert roots(after)[at] == roots(before)[at], "only roots are hooked"
            same = roots(before)[:, None] == roots(before)[None, :]
            assert (roots(after)[:, None] == roots(after)[None, :])[same].all(), "no tree is split"

    def check_phase(_: str, arrays: dict[str, Cells]) -> None:
        if promised.forest and parents in arrays:
            cells = np.array(list(arrays[parents]))
            at = np.arange(len(cells))
            for _step in range(len(cells)):
                at = cells[at]
            assert (cells[at] == at).all(), "no cycle"

    machine.on_write, machine.after_phase = check_write, check_phase
    return writes


def test_shiloach_vishkin_keeps_to_its_rounds() -> None:
    """At most ceil(log_1.5 n) + 2, whatever the schedule."""
    random = np.random.default_rng(4)
    for n in (2, 10, 100, 400):
        order = random.permutation(n)
        for kind, stale in (("forward", False), ("random", True), ("reverse", True), ("uneven", True)):
            with Machine(kind, stale=stale, seed=n) as machine:
                pj.components(
                    (order[:-1], order[1:]), algorithm="shiloach-vishkin", device="reference", vertices=n
                )
            assert machine.rounds("SV1a") <= np.ceil(np.log(n) / np.log(1.5)) + 2


# -- Sutton, Ben-Nun and Barak, section III-A --------------------------------------------------------


@st.composite
def forests(draw: st.DrawFn, most: int = 14) -> list[int]:
    """Any forest with invariant 1, pi(x) <= x."""
    n = draw(st.integers(1, most))
    return [draw(st.integers(0, x)) for x in range(n)]


def vertices_of(pi: list[int]) -> st.SearchStrategy[int]:
    return st.integers(0, len(pi) - 1)


def ancestors(pi: list[int], x: int) -> set[int]:
    """Return x, its parent and so on up to its root."""
    found = {x}
    while pi[x] != x:
        x = pi[x]
        found.add(x)
    return found


class Interference:
    """Another processor: before each swap of the link under test it hooks a random root."""

    def __init__(self, pi: list[int], u: int, v: int, seed: int) -> None:
        self.pi, self.u, self.v = pi, u, v
        self.random = np.random.default_rng(seed)
        self.left = 3

    def __call__(self, swap: dict[str, Any]) -> None:
        h, low = swap["at"], swap["new"]
        up = (ancestors(self.pi, self.u), ancestors(self.pi, self.v))
        assert (h in up[0] and low in up[1]) or (h in up[1] and low in up[0]), "lemma 3"
        if self.left and self.random.random() < 0.7:
            self.left -= 1
            tops = [r for r in range(len(self.pi)) if self.pi[r] == r and r > 0]
            if tops:
                r = int(self.random.choice(tops))
                self.pi[r] = int(self.random.integers(0, r))


def linked(pi: list[int], u: int, v: int, seed: int) -> None:
    with at_calls([compare_and_swap], Interference(pi, u, v, seed)):
        link(u, v, pi)


@given(pi=forests())
def test_lemma_1_no_cycles(pi: list[int]) -> None:
    for x in range(len(pi)):
        at = pi[x]
        while at != pi[at]:
            assert at != x
            at = pi[at]


@settings(max_examples=150)
@given(data=st.data(), pi=forests(), seed=st.integers(0, 9999))
def test_lemma_2_link_keeps_the_invariant(data: st.DataObject, pi: list[int], seed: int) -> None:
    linked(pi, data.draw(vertices_of(pi)), data.draw(vertices_of(pi)), seed)
    assert all(pi[x] <= x for x in range(len(pi)))


@settings(max_examples=150)
@given(data=st.data(), pi=forests(), seed=st.integers(0, 9999))
def test_lemma_4_link_splits_no_tree(data: st.DataObject, pi: list[int], seed: int) -> None:
    before = roots(pi)
    linked(pi, data.draw(vertices_of(pi)), data.draw(vertices_of(pi)), seed)
    after = roots(pi)
    assert (after[before] == after).all(), "who had one root has one root still"


@settings(max_examples=150)
@given(data=st.data(), pi=forests(), seed=st.integers(0, 9999))
def test_lemma_5_link_merges_both_trees(data: st.DataObject, pi: list[int], seed: int) -> None:
    u, v = data.draw(vertices_of(pi)), data.draw(vertices_of(pi))
    linked(pi, u, v, seed)
    after = roots(pi)
    assert after[u] == after[v]


@settings(max_examples=150)
@given(pi=forests(), machine=machines())
def test_theorem_2_compress_flattens_and_moves_nobody(pi: list[int], machine: Machine) -> None:
    before = roots(pi)
    with machine:
        cells = shared("pi", pi)
        for v in in_parallel(range(len(pi))):
            compress(v, cells)
    assert depths(list(cells)).max() <= 1
    assert (roots(list(cells)) == before).all()


@given(graph=graphs(), machine=machines())
def test_a_forest_has_one_edge_a_hook(graph: pj.Graph, machine: Machine) -> None:
    """IV-A: |V| - C edges."""
    with machine:
        forest = pj.spanning_forest(graph, device="reference")
    assert len(forest) == graph.vertices - len(np.unique(expected_labels(graph)))


# -- lists -------------------------------------------------------------------------------------------


def steps_to(successors: np.ndarray, j: int, last: int) -> int:
    steps = 0
    while j != last:
        j = int(successors[j])
        steps += 1
        assert steps <= len(successors), "it is ahead in the list"
    return steps


@settings(max_examples=40)
@given(successors=linked_lists(most=25), machine=machines())
def test_every_pair_of_wylies_is_true(successors: np.ndarray, machine: Machine) -> None:
    """That is why jumping pairs in place, and reading them late, does no harm."""

    def check(cells: Cells, j: int, old: Any, new: Any) -> None:
        if machine.phases[-1] == "PJ2":
            rank, last = new
            assert steps_to(successors, j, last) == rank

    machine.on_write = check
    with machine:
        pj.list_rank(successors, algorithm="wylie", device="reference")


@pytest.mark.parametrize("algorithm", ["random-splitter", "rehman"])
@settings(max_examples=40)
@given(successors=linked_lists(most=40), machine=machines())
def test_every_element_is_walked_over_once(algorithm: str, successors: np.ndarray, machine: Machine) -> None:
    owned: list[int] = []

    def check(cells: Cells, j: int, old: Any, new: Any) -> None:
        if cells.name == "mark" and machine.phases[-1] == "RS3":
            owned.append(j)

    machine.on_write = check
    with machine:
        ranks = pj.list_rank(successors, algorithm=algorithm, device="reference")
    np.testing.assert_array_equal(ranks, expected_ranks(successors))
    assert len(owned) == len(set(owned)), "sub-lists are disjoint"


@settings(max_examples=40)
@given(successors=linked_lists(most=60), machine=machines())
def test_coin_tossing_keeps_neighbors_apart(successors: np.ndarray, machine: Machine) -> None:
    """Neighbors' colors differ after every toss, and no two chosen elements are neighbors."""

    def check(phase: str, arrays: dict[str, Cells]) -> None:
        succ = list(arrays["succ"])
        if phase == "choose":
            chosen = list(arrays["is_chosen"])
            assert not any(chosen[j] and chosen[s] and s != j for j, s in enumerate(succ))

    machine.after_phase = check
    with machine:
        pj.list_rank(successors, algorithm="cole-vishkin", device="reference")
