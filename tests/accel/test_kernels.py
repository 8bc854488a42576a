"""Differential tests: every kernel variant against its own reference, on every device that works."""

from __future__ import annotations

import gc
import weakref
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from conftest import BAD_LISTS, NASTY, NASTY_LISTS, graphs, in_parts, linked_lists, meeting
from hypothesis import given, settings
from made_forests import rooted_from, shapes, walked_up

import pointerjump as pj
from pointerjump.accel.residents.graphs import place
from pointerjump.accel.runtime import programs
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.session import Session
from pointerjump.reference.machine import Machine
from pointerjump.registry import ALGORITHMS, Algorithm, InputFacts, Value, Variant, format_variant
from pointerjump.solving.ancestors import common_ancestors


def kernel_variants(algorithm: Algorithm, together: int = 2) -> list[Variant]:
    """Combinations of the published variants, of ways to run and of ways to read, each beside the defaults.

    The full product would be mostly compile time: how words are read is independent of ECL-CC's Init. Among
    the axes of each of the three kinds, any two values meet.
    """
    published = [axis for axis in algorithm.axes_of("kernels") if "reference" in axis.sides]
    reading = [axis for axis in algorithm.axes if axis.name in ("reads", "access", "balance")]
    running = [axis for axis in algorithm.axes_of("kernels") if axis not in published + reading]
    chosen: list[Variant] = []
    for axes in (published, running, reading):
        every = [
            dict(zip((a.name for a in axes), v, strict=True)) for v in product(*(a.values for a in axes))
        ]
        chosen += meeting(every, together)
    return [variant for i, variant in enumerate(chosen) if variant not in chosen[:i]]


def cases(problem: str) -> list:
    """Variants in which any two values meet; if what takes long is asked for, any three."""
    return [
        case
        for algorithm in ALGORITHMS.values()
        if algorithm.problem == problem and algorithm.kernels
        for case in in_parts(algorithm, kernel_variants(algorithm), kernel_variants(algorithm, 3))
    ]


def for_reference(algorithm: Algorithm, variant: Variant) -> Variant:
    """The part of a variant that the reference has too."""
    names = {axis.name for axis in algorithm.axes_of("reference")}
    return {name: value for name, value in variant.items() if name in names}


@cache
def labels_by_reference(name: str, algorithm: str, variant: frozenset[tuple[str, Value]]) -> np.ndarray:
    """The labels of a nasty graph; many variants of kernels share one of the reference."""
    return pj.components(
        NASTY[name], algorithm=algorithm, device="reference", labels="representative", **dict(variant)
    ).labels


@cache
def ranks_by_reference(name: str, algorithm: str, variant: frozenset[tuple[str, Value]]) -> np.ndarray:
    return pj.list_rank(NASTY_LISTS[name], algorithm=algorithm, device="reference", **dict(variant))


@pytest.mark.diagonal
@pytest.mark.parametrize(("algorithm", "variant"), cases("components"))
def test_components_of_nasty_graphs(algorithm: Algorithm, variant: Variant, device: Device) -> None:
    of_reference = frozenset(for_reference(algorithm, variant).items())
    for name, graph in NASTY.items():
        found = pj.components(
            graph, algorithm=algorithm.name, device=device, labels="representative", **variant
        )
        oracle = labels_by_reference(name, algorithm.name, of_reference)
        np.testing.assert_array_equal(found.labels, oracle, err_msg=name)
        assert found.stats["device"] == device.device


@pytest.mark.diagonal
@pytest.mark.parametrize(
    "algorithm", [r for r in ALGORITHMS.values() if r.problem == "components" and r.kernels]
)
@settings(max_examples=60)
@given(graph=graphs())
def test_components_of_drawn_graphs(algorithm: Algorithm, device: Device, graph: pj.Graph) -> None:
    for balance in ("degree", "none") if any(axis.name == "balance" for axis in algorithm.axes) else (None,):
        choices = {"balance": balance} if balance else {}
        found = pj.components(graph, algorithm=algorithm.name, device=device, **choices)
        oracle = pj.components(graph, algorithm=algorithm.name, device="reference")
        np.testing.assert_array_equal(found.labels, oracle.labels)


@pytest.mark.parametrize(
    "algorithm", [r for r in ALGORITHMS.values() if r.problem == "components" and r.kernels]
)
def test_repeated_runs_agree(algorithm: Algorithm, device: Device) -> None:
    rng = np.random.default_rng(3)
    n = 200_000
    d = pj.to_device((rng.integers(0, n, n), rng.integers(0, n, n)), device)
    first = pj.components(d, algorithm=algorithm.name)
    pj.verify(d.host, first.labels)
    for _ in range(10):
        np.testing.assert_array_equal(pj.components(d, algorithm=algorithm.name).labels, first.labels)


@pytest.mark.diagonal
@pytest.mark.parametrize(
    "algorithm", [r for r in ALGORITHMS.values() if r.problem == "components" and r.kernels]
)
def test_64_bit_offsets(algorithm: Algorithm, device: Device) -> None:
    """Offsets past 2**31 do not fit here; that 64-bit ones are read right can be seen on any graph."""
    for name in ("hub", "dense random", "path shuffled", "empty"):
        narrow = NASTY[name]
        wide = pj.Graph(narrow.offsets, narrow.neighbors)
        wide._rows = narrow.offsets.astype(np.int64), narrow.neighbors
        found = pj.components(wide, algorithm=algorithm.name, device=device)
        np.testing.assert_array_equal(
            found.labels, pj.components(narrow, algorithm="dfs", device="reference").labels
        )


def test_shiloach_vishkin_keeps_to_its_rounds(device: Device) -> None:
    for graph in NASTY.values():
        rounds = pj.components(graph, algorithm="shiloach-vishkin", device=device).stats["rounds"]
        assert rounds <= np.ceil(np.log(max(graph.vertices, 1)) / np.log(1.5)) + 2


def test_searches_take_as_many_steps_as_the_reference(device: Device) -> None:
    for graph, direction, narrow in product(NASTY.values(), ("top-down", "optimizing"), (4096, 0)):
        with Machine(counting=False) as machine:
            pj.components(graph, algorithm="bfs", device="reference", direction=direction)
        found = pj.components(graph, algorithm="bfs", device=device, direction=direction, narrow=narrow)
        assert found.stats["rounds"] == machine.rounds("top-down") + machine.rounds("bottom-up")


def test_fast_sv_takes_as_many_rounds_as_the_reference(device: Device) -> None:
    for name, graph in NASTY.items():
        with Machine(counting=False) as machine:
            pj.components(graph, algorithm="fast-sv", device="reference")
        found = pj.components(graph, algorithm="fast-sv", device=device)
        assert found.stats["rounds"] == machine.rounds("hook"), name


def test_stages_take_as_many_groups_as_the_reference(device: Device) -> None:
    for name in ("dense random", "hub", "all isolated"):
        with Machine(counting=False) as machine:
            pj.components(NASTY[name], algorithm="stages", device="reference", q=2)
        found = pj.components(NASTY[name], algorithm="stages", device=device, q=2)
        assert found.stats["groups"] == machine.rounds("next group")


@pytest.mark.parametrize("algorithm", ["soman", "gunrock", "graft-shortcut", "label-propagation", "eclaf"])
def test_rounds_do_not_depend_on_how_many_are_enqueued_ahead(algorithm: str, device: Device) -> None:
    """What is enqueued after the last round changes nothing, and is not counted."""
    for name in ("all isolated", "clique", "one loop", "self-loops"):  # whose rounds no race decides
        counts = {
            ahead: pj.components(NASTY[name], algorithm=algorithm, device=device, rounds_ahead=ahead).stats[
                "rounds"
            ]
            for ahead in (1, 2, 5)
        }
        assert len(set(counts.values())) == 1, (name, counts)


def test_a_session_is_kept_by_nothing_that_it_ran(device: Device) -> None:
    """A queue of the caller's gets a session of its own, which must go when the caller lets go."""
    session = Session(device)
    for algorithm in ALGORITHMS.values():
        if algorithm.kernels and algorithm.problem == "components":
            pj.components(NASTY["two hubs"], algorithm=algorithm.name, device=session)
    pj.components(NASTY["two hubs"], algorithm="graft-shortcut", device=session, graft="sorted")
    pj.list_rank(NASTY_LISTS["many"], device=session)
    alive = weakref.ref(session)
    del session
    gc.collect()
    assert alive() is None


ATOMICS = ("cmpxchg", "xchg", "min", "max", "inc", "dec", "add", "sub", "and", "or", "xor")


def without_atomics() -> list:
    """The variants that claim to do without atomics."""
    free = [algorithm for algorithm in ALGORITHMS.values() if algorithm.kernels and not algorithm.needs]

    def claims(variant: Variant) -> bool:
        return (
            variant.get("hook", "plain") == "plain"
            and variant.get("reads", "plain") == "plain"
            and variant.get("graft") != "sorted"  # pyopencl's sort is not ours
            and variant.get("frontier", "all") == "all"
        )

    chosen = [
        (algorithm, variant)
        for algorithm in [*free, ALGORITHMS["label-propagation"]]
        for variant in meeting(filter(claims, algorithm.variants("kernels")))
    ]
    return [pytest.param(r, v, id=f"{r.name}:{format_variant(v)}") for r, v in chosen]


@pytest.fixture(scope="module")
def unshared(device: Device) -> Session:
    """A session of this module's own, so that each of its programs is built once."""
    return Session(device)


@pytest.fixture
def bare(unshared: Session, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session for which the names of atomics mean nothing, but in two files of helpers."""
    helpers = ("labels.cl", "successors.cl")  # which number components and find lists' ends
    away = "".join(f"#undef atomic_{name}\n#define atomic_{name} )\n" for name in ATOMICS)
    source = programs.source
    monkeypatch.setattr(programs, "source", lambda file: (away if file not in helpers else "") + source(file))
    return unshared


@pytest.mark.diagonal
@pytest.mark.parametrize(("algorithm", "variant"), without_atomics())
def test_atomic_free_kernels_need_no_names_of_atomics(
    algorithm: Algorithm, variant: Variant, bare: Session
) -> None:
    if algorithm.problem == "components":
        for name in ("dense random", "degrees 15 to 18, 351 to 354"):
            found = pj.components(pj.to_device(NASTY[name], bare), algorithm=algorithm.name, **variant)
            np.testing.assert_array_equal(
                found.labels, pj.components(NASTY[name], algorithm="dfs", device="reference").labels
            )
    elif algorithm.problem == "list-ranking":
        for name, successors in NASTY_LISTS.items():
            ranks = pj.list_rank(successors, algorithm=algorithm.name, device=bare, **variant)
            np.testing.assert_array_equal(ranks, ranks_by_reference(name, "sequential", frozenset()))
    elif algorithm.problem == "common-ancestors":
        rooted, (us, vs) = rooted_from(shapes(3000)["random"]), np.indices((50, 60)).reshape(2, -1)
        found = common_ancestors(rooted, us, vs, algorithm=algorithm.name, device=bare, choices=variant)
        assert found.tolist() == walked_up(rooted, us, vs)
    elif algorithm.problem == "functional-graphs":
        for name, successors in NASTY_LISTS.items():
            found = pj.cycles(successors, algorithm=algorithm.name, device=bare, **variant)
            np.testing.assert_array_equal(found.steps, ranks_by_reference(name, "sequential", frozenset()))
            last = pj.kth_successor(successors, 10**6, algorithm=algorithm.name, device=bare, **variant)
            np.testing.assert_array_equal(found.smallest, last)
    else:
        for successors in NASTY_LISTS.values():
            values = np.arange(len(successors))
            sums = pj.list_scan(successors, values, "add", algorithm=algorithm.name, device=bare, **variant)
            np.testing.assert_array_equal(sums, pj.list_scan(successors, values, device="reference"))


def test_the_names_of_atomics_are_taken_away(bare: Session) -> None:
    with pytest.raises(pj.DeviceError, match="cannot build"):
        bare.program("groute.cl")


def test_afforest_samples_one_block_at_least(device: Device) -> None:
    graph = NASTY["path shuffled"]
    found = pj.components(graph, algorithm="afforest", device=device, one_in=2**31 - 1, rest="until-joined")
    np.testing.assert_array_equal(
        found.labels, pj.components(graph, algorithm="dfs", device="reference").labels
    )
    with pytest.raises(pj.AlgorithmError, match="one_in=0: it must be a whole number from 1 to 2147483647"):
        pj.components(graph, algorithm="afforest", device=device, one_in=0)


def test_afforest_without_a_largest_tree_skips_nothing(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New memory is 0, as if vertex 0's tree were the largest. An edge stored once must not be skipped."""
    session = Session(device)
    empty = session.empty

    def zero(*what: Any) -> Any:
        buffer = empty(*what)
        session.fill(buffer, 0)
        return buffer

    monkeypatch.setattr(session, "empty", zero)
    graph = pj.Graph(np.array([0, 0, 2, 2]), np.array([0, 2], np.int32))
    chosen = {"neighbor_rounds": 0, "skip_largest": False, "rest": "until-joined"}
    variant = ALGORITHMS["afforest"].complete(chosen, session.tuning, InputFacts(3, 2))
    plan = ALGORITHMS["afforest"].prepare(place(graph, "stored rows", session), **variant)
    plan.run()
    assert session.get(plan.result, 3).tolist() == [0, 0, 0]


@pytest.mark.diagonal
@pytest.mark.parametrize(("algorithm", "variant"), cases("list-ranking"))
def test_ranks_of_nasty_lists(algorithm: Algorithm, variant: Variant, device: Device) -> None:
    of_reference = frozenset(for_reference(algorithm, variant).items())
    for name, successors in NASTY_LISTS.items():
        ranks = pj.list_rank(successors, algorithm=algorithm.name, device=device, **variant)
        oracle = ranks_by_reference(name, algorithm.name, of_reference)
        np.testing.assert_array_equal(ranks, oracle, err_msg=name)


RANKING = ["wylie", "random-splitter", "rehman", "sequential"]


@pytest.mark.parametrize("algorithm", RANKING)
@settings(max_examples=60)
@given(successors=linked_lists())
def test_ranks_of_drawn_lists(algorithm: str, device: Device, successors: np.ndarray) -> None:
    ranks = pj.list_rank(successors, algorithm=algorithm, device=device)
    np.testing.assert_array_equal(ranks, pj.list_rank(successors, algorithm="sequential", device="reference"))


@pytest.mark.parametrize("name", BAD_LISTS)
@pytest.mark.parametrize("algorithm", RANKING)
def test_what_is_no_list_is_refused_as_by_the_reference(name: str, algorithm: str, device: Device) -> None:
    with pytest.raises(pj.ListError) as refused:
        pj.list_rank(BAD_LISTS[name], algorithm=algorithm, device=device)
    with pytest.raises(pj.ListError) as oracle:
        pj.list_rank(BAD_LISTS[name], algorithm=algorithm, device="reference")
    assert str(refused.value) == str(oracle.value)


@pytest.mark.parametrize("algorithm", RANKING)
@settings(max_examples=60)
@given(successors=linked_lists())
def test_a_spoilt_list_is_refused(algorithm: str, device: Device, successors: np.ndarray) -> None:
    """Point a last element back into its list, or two elements to one: never a rank, always the error."""
    last = np.flatnonzero(successors == np.arange(len(successors)))
    if len(successors) < 2:
        return
    spoilt = successors.copy()
    spoilt[last[0]] = (last[0] + 1) % len(spoilt)
    try:
        oracle = pj.list_rank(spoilt, algorithm="sequential", device="reference")
    except pj.ListError:
        with pytest.raises(pj.ListError):
            pj.list_rank(spoilt, algorithm=algorithm, device=device)
    else:  # it was put before the head of another list
        np.testing.assert_array_equal(pj.list_rank(spoilt, algorithm=algorithm, device=device), oracle)
