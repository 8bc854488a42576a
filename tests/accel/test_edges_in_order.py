"""Edges in order go another way; components are numbered from trees that are not flat."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import pointerjump as pj
from pointerjump.accel import afforest_edges
from pointerjump.accel.labels import number_in_place, numbers_trees
from pointerjump.accel.residents.graphs import place
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.icd import opencl
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.accel.shapes import Shapes
from pointerjump.accel.tuning import TUNING, tuning_for
from pointerjump.base.edges import ORDERED_FROM, EdgeList
from pointerjump.registry import ALGORITHMS, InputFacts, ask, format_variant, select

N = 140_001  # vertices: more than NumPy numbers
Ends = tuple[np.ndarray, np.ndarray]


def tree(rng: np.random.Generator) -> Ends:
    child = np.arange(1, N)
    return child, (rng.random(N - 1) * child).astype(np.int64)


def triangles(rng: np.random.Generator) -> Ends:
    corner = np.arange(N)
    return corner, corner - corner % 3 + (corner + 1) % 3


def path_in_another_numbering(rng: np.random.Generator) -> Ends:
    at = rng.permutation(N)
    return at[:-1], at[1:]


@pytest.mark.parametrize("shape", [tree, triangles, path_in_another_numbering])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64])
def test_which_edges_are_in_order(shape, dtype) -> None:
    rng = np.random.default_rng(1)
    s, t = (ends.astype(dtype) for ends in shape(rng))
    shuffled = rng.permutation(len(s))
    local = shape is triangles
    assert EdgeList.of(s, t).order() == (True, local, False, True)
    assert EdgeList.of(t[::-1], s[::-1]).order() == (True, local, False, True)
    assert EdgeList.of(s[shuffled], t[shuffled]).order() == (False, local, False, True)
    assert EdgeList.of(s[: ORDERED_FROM - 1], t[: ORDERED_FROM - 1]).order() == (False, False, False, False)


@pytest.mark.parametrize(
    ("kind", "stored", "in_order", "name", "part"),
    [
        ("cpu", 4 * N, True, "rem-cas", "compression=halving"),
        ("cpu", 4 * N + 1, False, "rem-cas", "compression=halving"),
        ("cpu", 4 * N, False, "afforest-edges", "init="),
        ("gpu", 4 * N, False, "afforest-edges", "init=own,batches=growing"),
        ("gpu", 4 * N, True, "afforest-edges", "init=own,batches=one"),
        ("gpu", N, True, "afforest-edges", "init=own,batches=one"),
    ],
)
def test_what_auto_runs_on_edges_in_order(
    kind: str, stored: int, in_order: bool, name: str, part: str
) -> None:
    tuning = replace(TUNING[kind], small=0)
    choice = select(
        ask("components", "auto", {}, tuning), InputFacts(N, stored, "edges", in_order=in_order), tuning
    )
    assert (choice.algorithm.name, choice.form) == (name, "edges")
    assert part in format_variant(choice.variant)


@pytest.mark.parametrize(
    ("stored", "spread", "part"),
    [
        (8 * N, True, "init=smaller,batches=growing"),
        (8 * N + 1, True, "compression=halving"),
        (4 * N + 1, False, "compression=halving"),
        (4 * N, False, "init=own,batches=growing"),
        (int(1.3 * N), True, "init=own,batches=growing"),
    ],
)
def test_what_auto_runs_on_a_cpu_if_larger_ends_are_spread(stored: int, spread: bool, part: str) -> None:
    tuning = replace(TUNING["cpu"], small=0)
    facts = InputFacts(N, stored, "edges", spread=spread)
    choice = select(ask("components", "auto", {}, tuning), facts, tuning)
    assert part in format_variant(choice.variant)


@pytest.mark.parametrize("center", [0, N // 2, N - 1])
@pytest.mark.parametrize("half", [False, True])
def test_a_star_is_in_order_only_if_its_leaves_are(center: int, half: bool) -> None:
    rng = np.random.default_rng(2)
    leaves = np.delete(np.arange(N), center)
    centers = np.full(N - 1, center)
    assert EdgeList.of(centers, leaves).order() == (True, False, True, center == 0)
    rng.shuffle(leaves)
    turned = half & (rng.random(N - 1) < 0.5)
    s, t = np.where(turned, leaves, centers), np.where(turned, centers, leaves)
    assert EdgeList.of(s, t).order() == (False, False, True, center == 0)


@pytest.mark.parametrize("vertices", [N // 2, N, 4 * N])
def test_ends_that_are_equal_by_chance_are_spread(vertices: int) -> None:
    rng = np.random.default_rng(3)
    random = (rng.integers(0, vertices, (2, 2 * N)) for _ in range(20))
    assert all(EdgeList.of(*ends, vertices).order().spread for ends in random)


@pytest.mark.parametrize(("share", "spread"), [(0.001, True), (0.03, False), (0.5, False)])
def test_ends_are_spread_unless_a_hub_has_many_edges(share: float, spread: bool) -> None:
    rng = np.random.default_rng(3)
    s, t = rng.integers(0, N, (2, 2 * N))
    s[rng.random(2 * N) < share] = N - 1
    order = EdgeList.of(s, t).order()
    assert order.spread == spread
    tuning = replace(TUNING["gpu"], small=0)
    facts = InputFacts(N, 2 * N, "edges", **order._asdict())
    choice = select(ask("components", "auto", {}, tuning), facts, tuning)
    assert choice.variant["init"] == ("first" if spread else "own")


@pytest.mark.parametrize(
    ("stored", "hubs", "name"),
    [(300_000, True, "one-group"), (300_000, False, "afforest-edges"), (600_000, True, "afforest-edges")],
)
def test_many_cores_leave_the_edges_of_hubs_to_one(
    device: Device, stored: int, hubs: bool, name: str
) -> None:
    facts = InputFacts(150_000, stored, "edges", hubs=hubs)
    for units, expected in (16, name), (2, "afforest-edges"):
        tuning = tuning_for(replace(device, type="cpu", platform="any", compute_units=units))
        tuning = replace(tuning, small=0)
        assert select(ask("components", "auto", {}, tuning), facts, tuning).algorithm.name == expected


@pytest.mark.parametrize(("in_order", "find"), [(True, "together"), (False, "halving")])
def test_how_one_work_item_finds_roots(in_order: bool, find: str) -> None:
    asked = ask("components", "auto", {}, TUNING["cpu"])
    choice = select(asked, InputFacts(40_000, 40_000, "edges", in_order=in_order), TUNING["cpu"])
    assert (choice.algorithm.name, choice.variant["find"]) == ("one-group", find)


@pytest.mark.parametrize("units", [1, 2, 3, 16])
@pytest.mark.parametrize("items", [1, 63, 64, 128, 200, 64 * 16, 64 * 16 * 7 + 5])
def test_every_run_is_dealt_to_one_work_item(units: int, items: int, device: Device) -> None:
    """Edges i -- i + 1, each taken exactly once, leave one component: a run left out would leave two."""
    session = session_for(device)
    before = session.shapes
    s = np.arange(items)
    try:
        session.shapes = Shapes(replace(session.device, compute_units=units), session.tuning)
        graph = place(pj.Graph.from_edges(s, s + 1), "edges", session)
        plan = ALGORITHMS["rem-cas"].prepare(
            graph, compression="halving", sampling="none", input="edges", access="partitioning", reads="plain"
        )
        plan.run()
        assert not session.get(plan.result, items + 1).any()
    finally:
        session.shapes = before


@pytest.mark.parametrize("items", [1, 31, 32, 33, 64, 65, 1000, 4096, 4097, 70_001])
def test_every_edge_has_its_turn(items: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with striding, in one batch of turns and in two."""
    monkeypatch.setattr(afforest_edges, "FIRST_BATCH", 0.5)
    session = session_for(device)
    s = np.arange(items)
    graph = place(pj.Graph.from_edges(s, s + 1), "edges", session)
    for algorithm, variant in (
        ("rem-cas", {"compression": "halving", "sampling": "none", "input": "edges"}),
        ("afforest-edges", {"init": "own", "batches": "one"}),
        ("afforest-edges", {"init": "first", "batches": "growing"}),
    ):
        plan = ALGORITHMS[algorithm].prepare(graph, **variant, access="striding", reads="plain")
        plan.run()
        assert not session.get(plan.result, items + 1).any()


@pytest.mark.parametrize(("steps", "room"), [(1, 0), (1, 1), (1, 1 << 16), (3, 5), (128, 1 << 16)])
@pytest.mark.parametrize("shape", ["ring", "rings", "random"])
def test_links_that_take_long_are_put_off(
    steps: int, room: int, shape: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether there is room for all of them, for some or for none."""
    monkeypatch.setattr(afforest_edges, "FIRST_BATCH", 0.5)
    monkeypatch.setattr(afforest_edges, "MOST_STEPS", steps)
    monkeypatch.setattr(afforest_edges, "MOST_DEFERRED", room)
    n = 20_000
    vertex = np.arange(n)
    ends = {
        "ring": (vertex, np.roll(vertex, -1)),
        "rings": (vertex, np.where(vertex % 500 == 499, vertex - 499, vertex + 1)),
        "random": tuple(np.random.default_rng(6).integers(0, n, (2, n))),
    }[shape]
    for init, batches in product(("own", "first"), ("one", "growing")):
        variant = {"init": init, "batches": batches, "access": "striding"}
        found = pj.components(ends, algorithm="afforest-edges", device=device, vertices=n, **variant)
        pj.verify(pj.Graph.from_edges(*ends, vertices=n), found.labels)
        if shape != "random":
            assert found.count == {"ring": 1, "rings": 40}[shape]


@pytest.mark.parametrize("items_per_unit", [1, 3])
def test_fewer_work_items_than_chunks_build_without_a_warning(items_per_unit: int, device: Device) -> None:
    """A chunk of no runs would be a division by zero, of which compilers warn."""
    session = session_for(device)
    program = session.program("rem.cl", PARTITIONING=items_per_unit, ROUND_STEP=1)
    log = program.get_build_info(session.queue.device, opencl().program_build_info.LOG)
    assert "warning" not in log


def test_local_edges_keep_their_batches() -> None:
    """First parents near their children are flattened in the cache, so they are worth a pass of their own."""
    tuning = TUNING["cpu"]
    facts = InputFacts(1 << 20, 1 << 20, "edges", local=True)
    choice = select(ask("components", "auto", {}, tuning), facts, tuning)
    assert "init=smaller,batches=growing" in format_variant(choice.variant)


@pytest.mark.parametrize("shape", [tree, triangles, path_in_another_numbering])
@pytest.mark.parametrize("shared", [True, False])
def test_both_kinds_of_labels(shape, shared: bool, device: Device) -> None:
    session = session_for(device) if shared else Session(replace(device, host_memory=False))
    edges = shape(np.random.default_rng(2))
    vertices = N + 2  # the last two are isolated
    labels = pj.components(edges, device=session, vertices=vertices).labels
    smallest = pj.components(edges, device=session, vertices=vertices, labels="representative").labels
    firsts, expected = np.unique(smallest, return_inverse=True)
    np.testing.assert_array_equal(labels, expected)
    np.testing.assert_array_equal(smallest[firsts], firsts)
    assert (smallest <= np.arange(vertices)).all()
    pj.verify(pj.Graph.from_edges(*edges, vertices=vertices), labels)


def test_an_answer_belongs_to_the_caller(device: Device) -> None:
    edges = triangles(np.random.default_rng(3))
    first = pj.components(edges, device=device)
    kept = first.labels.copy()
    pj.components(tree(np.random.default_rng(4)), device=device)
    np.testing.assert_array_equal(first.labels, kept)
    first.labels[:] = -1
    np.testing.assert_array_equal(pj.components(edges, device=device).labels, kept)


@pytest.mark.parametrize("n", [1, 15, 16, 17, 1000, N])
@pytest.mark.parametrize("roots", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("near", [False, True])
def test_trees_are_numbered(n: int, roots: float, near: bool, device: Device) -> None:
    rng, vertex = np.random.default_rng(5), np.arange(n)
    parent = (
        np.maximum(vertex - rng.integers(1, 9, n), 0) if near else (rng.random(n) * vertex).astype(np.int64)
    )
    parent = np.where(rng.random(n) < roots, vertex, parent)
    root = parent
    while not np.array_equal(root, root[root]):
        root = root[root]
    session = session_for(device)
    label = session.put_writable((parent if numbers_trees(session) else root).astype(np.int32), "the parents")
    count = number_in_place(session, label, n)
    numbers = np.cumsum(root == vertex) - 1
    np.testing.assert_array_equal(session.get(label, n), numbers[root])
    assert count() == numbers[-1] + 1
