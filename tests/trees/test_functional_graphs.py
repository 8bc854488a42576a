"""k-th successors and cycles of functional graphs: the reference against walks, the kernels against it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from conftest import NASTY_LISTS
from hypothesis import given, settings
from hypothesis import strategies as st
from test_kernels import cases
from test_schedules import machines

import pointerjump as pj
from pointerjump.accel import pointer_doubling as accel
from pointerjump.accel.runtime.devices import Device
from pointerjump.base.functional_graphs import Walks
from pointerjump.reference import pointer_doubling as reference
from pointerjump.reference.machine import Machine
from pointerjump.registry import Algorithm, Variant

BIG = 2**64 + 3


def walked(successors: np.ndarray) -> tuple[list[list[int]], list[int]]:
    """Walk from each element until one comes again; return all ways, and the steps to the cycles."""
    ways, steps = [], []
    for j in range(len(successors)):
        place: dict[int, int] = {}
        at = j
        while at not in place:
            place[at] = len(place)
            at = int(successors[at])
        ways.append(list(place))
        steps.append(place[at])
    return ways, steps


def require_right(successors: np.ndarray, found: pj.Cycles) -> None:
    ways, steps = walked(successors)
    around = [way[begin:] for way, begin in zip(ways, steps, strict=True)]
    assert found.steps.tolist() == steps
    assert found.on_cycle.tolist() == [not some for some in steps]
    assert found.length.tolist() == [len(cycle) for cycle in around]
    assert found.smallest.tolist() == [min(cycle) for cycle in around]
    assert found.count == len({min(cycle) for cycle in around})


def after(successors: np.ndarray, k: int | list[int]) -> list[int]:
    """Return where k steps lead from each element, by its way and the cycle at its end."""
    each = k if isinstance(k, list) else [k] * len(successors)
    return [
        way[some] if some < len(way) else way[begin + (some - begin) % (len(way) - begin)]
        for way, begin, some in zip(*walked(successors), each, strict=True)
    ]


def cycles_of(lengths: list[int], seed: int) -> np.ndarray:
    """Return cycles of these lengths, of elements in random order."""
    n = sum(lengths)
    order = np.random.default_rng(seed).permutation(n)
    successors = np.empty(n, int)
    begin = 0
    for length in lengths:
        successors[order[begin : begin + length]] = np.roll(order[begin : begin + length], -1)
        begin += length
    return successors


def nasty_maps() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(4)
    made = {
        "one cycle": cycles_of([2000], 1),
        "pairs": cycles_of([2] * 500, 2),
        "cycles of all lengths": cycles_of(list(range(1, 65)), 3),
        "cycles of two lengths": cycles_of([256, 257, 1, 1, 1000], 4),
        "self-loops": np.arange(300),
        "path into a cycle": np.append(np.roll(np.arange(700), -1)[:-1], 500),
        "path into a self-loop": np.minimum(np.arange(1, 1001), 999),
        "star": np.zeros(600, int),
        "star on a pair": np.append([1, 0], np.zeros(600, int)),
        "binary tree": np.arange(1000) // 2,
    }
    for n in (0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1000):
        made[f"random {n}"] = rng.integers(0, max(n, 1), n)
        made[f"permutation {n}"] = rng.permutation(n)
    return made | {name: NASTY_LISTS[name] for name in ("all alone", "pairs", "many", "one of 4000")}


NASTY_MAPS = nasty_maps()


@st.composite
def maps(draw: st.DrawFn, most: int = 80) -> np.ndarray:
    """Draw any map, of which permutations and trees are as likely as others."""
    n = draw(st.integers(0, most))
    kind = draw(st.sampled_from(["any", "permutation", "tree"]))
    if kind == "permutation":
        return np.array(draw(st.permutations(range(n))), np.int32)
    most_of = [j if kind == "tree" else n - 1 for j in range(n)]
    return np.array([draw(st.integers(0, end)) for end in most_of], np.int32)


# -- the reference ---------------------------------------------------------------------------------


@settings(max_examples=60)
@given(successors=maps(), machine=machines())
def test_cycles_in_any_order(successors: np.ndarray, machine: Machine) -> None:
    with machine:
        found = pj.cycles(successors, device="reference")
    require_right(successors, found)


@settings(max_examples=60)
@given(successors=maps(), machine=machines(), data=st.data())
def test_successors_in_any_order(successors: np.ndarray, machine: Machine, data: st.DataObject) -> None:
    number = st.one_of(st.integers(0, 5), st.integers(0, 2**70))
    k = data.draw(st.one_of(number, st.lists(number, min_size=len(successors), max_size=len(successors))))
    with machine:
        found = pj.kth_successor(successors, k, device="reference")
    assert found.tolist() == after(successors, k)


def test_words_hold_every_digit() -> None:
    walks = Walks(np.arange(2, dtype=np.int32), np.array([[1, 0], [0, 5]], np.uint32))
    assert walks.steps() == [1, 5 << 32]
    assert walks.digits == 35
    assert [digit for digit in range(35) if walks.has(digit)] == [0, 32, 34]
    assert Walks(walks.starts, np.zeros((1, 1), np.uint32)).digits == 0


def some_k(n: int) -> list[Any]:
    return [0, 1, 2, 3, 1000, 2**31, BIG, np.arange(n) % 5, np.arange(n) << 40, [BIG] * n]


@cache
def by_reference(name: str) -> tuple[pj.Cycles, list[np.ndarray]]:
    successors = NASTY_MAPS[name]
    ends = [pj.kth_successor(successors, k, device="reference") for k in some_k(len(successors))]
    return pj.cycles(successors, device="reference"), ends


# -- the kernels -------------------------------------------------------------------------------------


@pytest.mark.diagonal
@pytest.mark.parametrize(("algorithm", "variant"), cases("functional-graphs"))
def test_nasty_maps(algorithm: Algorithm, variant: Variant, device: Device) -> None:
    for name, successors in NASTY_MAPS.items():
        found = pj.cycles(successors, algorithm=algorithm.name, device=device, **variant)
        oracle, ends_by_reference = by_reference(name)
        for part in ("on_cycle", "steps", "length", "smallest"):
            np.testing.assert_array_equal(getattr(found, part), getattr(oracle, part), err_msg=name)
        assert found.count == oracle.count
        for k, expected in zip(some_k(len(successors)), ends_by_reference, strict=True):
            ends = pj.kth_successor(successors, k, algorithm=algorithm.name, device=device, **variant)
            assert ends.dtype == np.int32
            np.testing.assert_array_equal(ends, expected, err_msg=f"{name}, {k}")


@settings(max_examples=60)
@given(successors=maps(), data=st.data())
def test_drawn_maps(device: Device, successors: np.ndarray, data: st.DataObject) -> None:
    require_right(successors, pj.cycles(successors, device=device))
    k = data.draw(st.one_of(st.integers(0, 40), st.integers(0, 2**70)))
    assert pj.kth_successor(successors, k, device=device).tolist() == after(successors, k)


def test_cycles_without_splitters_are_walked_round(device: Device) -> None:
    """Of cycles of five, most have none of the elements that are drawn; one long cycle has many."""
    successors = cycles_of([5] * 3000 + [5000], 6)
    found = pj.cycles(successors, device=device)
    assert found.count == 3001
    assert np.bincount(found.length).nonzero()[0].tolist() == [5, 5000]
    np.testing.assert_array_equal(pj.kth_successor(successors, 5000, device=device), np.arange(20_000))


def test_lists_on_a_device(device: Device) -> None:
    lists = pj.DeviceList([1, 2, 3, 3], device)
    for _ in range(2):
        assert pj.kth_successor(lists, 2).tolist() == [2, 3, 3, 3]
        assert pj.cycles(lists).steps.tolist() == pj.list_rank(lists).tolist() == [3, 2, 1, 0]
    assert pj.kth_successor(lists, 2, [0], device="reference").tolist() == [2]


def test_starts_have_any_shape() -> None:
    successors = [1, 2, 0, 0]
    assert pj.kth_successor(successors, 1, 3).shape == ()
    assert pj.kth_successor(successors, 1, [[3, 0], [1, 1]]).tolist() == [[0, 1], [2, 2]]
    assert pj.kth_successor(successors, [[2, 1]], [[3, 3]]).tolist() == [[1, 0]]
    assert pj.kth_successor(successors, 5, []).tolist() == []
    assert pj.kth_successor([], 5).tolist() == []
    assert pj.kth_successor(successors, np.uint8(5), np.array([3], np.uint64)).tolist() == [1]
    assert pj.kth_successor(successors, np.array([10**30, 0], object), [3, 3]).tolist() == [0, 3]
    for k in ([0, 2**63], [2**64, np.int64(1)], (2**63 - 1, 1), np.array([2**63, 1], np.uint64)):
        steps = [int(each) for each in k]
        assert pj.kth_successor(successors, k, [0, 0]).tolist() == [each % 3 for each in steps]


def test_ancestors(device: Device) -> None:
    forest = pj.RootedForest.from_parents([0, 0, 1, 2, 4], device=device)
    assert forest.kth_ancestor([3, 3, 4], 2).tolist() == [1, 1, -1]
    assert forest.kth_ancestor([3, 3, 3, 4], [0, 3, 4, 0]).tolist() == [3, 0, -1, 4]
    assert forest.kth_ancestor(3, 10**30) == -1
    assert forest.kth_ancestor([3, 3], [10**30, 1]).tolist() == [-1, 2]


def test_every_run_draws_other_splitters(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a long cycle could be made that has none, and each of its elements would walk round it."""
    seeds: list[int] = []

    def drawn(bits: int) -> int:
        seeds.append(len(seeds))
        return seeds[-1]

    succ = cycles_of([900, 100], 5)
    for module, lists in ((accel, pj.DeviceList(succ, device)), (reference, succ)):
        monkeypatch.setattr(module, "randbits", drawn)
        for _ in range(2):
            require_right(succ, pj.cycles(lists, device="reference" if module is reference else None))
    assert seeds == [0, 1, 2, 3]


# -- errors ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", [None, "reference"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 2], 1), r"successors\[1\] is 2, outside 0 .. 1"),
        (([0.5], 1), "successors has dtype float64"),
        (([0], -1), "k is -1: steps only go forwards"),
        (([0], [-(2**70)]), r"k\[0\] is -1180591620717411303424: steps only"),
        (([0], 1.0), "k has dtype float64: give one whole number"),
        (([0], float("nan")), "k has dtype float64"),
        (([0], True), "k has dtype bool"),
        (([0, 0], [2**64, True]), "k holds something that is not a whole number"),
        (([0], None), "k holds something that is not a whole number"),
        (([0], [2**70, 1.5]), "k holds something that is not a whole number"),
        (([0], np.ma.array([1], mask=[True])), r"k\[0\] is masked"),
        (([0, 0], [1]), r"k has shape \(1,\), and starts has \(2,\)"),
        (([0, 0], 1, [0, 2]), r"starts\[1\] is 2, outside 0 .. 1: give positions"),
        (([0, 0], 1, [-1]), r"starts\[0\] is -1, outside"),
        (([0, 0], 1, [1.0]), "starts has dtype float64"),
        (([0], 1, np.ma.array([0], mask=[True])), r"starts\[0\] is masked"),
        (([], 1, [0]), r"starts\[0\] is 0, and there are no elements"),
    ],
)
def test_what_is_refused(arguments: tuple[Any, ...], message: str, where: str | None) -> None:
    with pytest.raises(pj.ListError, match=message):
        pj.kth_successor(*arguments, device=where)


@pytest.mark.parametrize("bad", [[0, 2], [-1], [[0]], [0.5], np.ma.array([0], mask=[True])])
def test_cycles_refuse(bad: Any) -> None:
    with pytest.raises(pj.ListError, match="successors"):
        pj.cycles(bad)


def test_misspelt_options() -> None:
    with pytest.raises(pj.AlgorithmError, match="did you mean the option device="):
        pj.cycles([0], dvice="cpu")
    with pytest.raises(pj.AlgorithmError, match="wylie is for list-ranking"):
        pj.kth_successor([0], 1, algorithm="wylie")
