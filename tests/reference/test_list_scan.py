"""List scan: any associative operator, any number of lists, any schedule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import BAD_LISTS, NASTY_LISTS, linked_lists
from hypothesis import given, settings
from hypothesis import strategies as st

import pointerjump as pj
from pointerjump.reference.machine import ORDERS, Machine


def walked(successors: np.ndarray, values: list, combine: Callable[[Any, Any], Any]) -> list:
    """Walk every list from its head."""
    result: list = [None] * len(values)
    heads = set(range(len(values))) - {int(s) for j, s in enumerate(successors) if s != j}
    for j in heads:
        result[j] = so_far = values[j]
        while successors[j] != j:
            j = int(successors[j])
            result[j] = so_far = combine(so_far, values[j])
    return result


@pytest.mark.parametrize("name", NASTY_LISTS)
def test_sums_of_nasty_lists(name: str) -> None:
    successors = NASTY_LISTS[name]
    values = np.arange(len(successors)) % 11 - 5
    found = pj.list_scan(successors, values)
    assert found.dtype == np.int64
    assert found.tolist() == walked(successors, values.tolist(), lambda x, y: x + y)


@settings(max_examples=60)
@given(
    successors=linked_lists(),
    order=st.sampled_from(list(ORDERS)),
    seed=st.integers(0, 99),
    splitters=st.integers(0, 20),
)
def test_what_does_not_commute_under_any_schedule(
    successors: np.ndarray, order: str, seed: int, splitters: int
) -> None:
    words = [chr(97 + j % 26) for j in range(len(successors))]
    with Machine(order, stale=True, seed=seed):
        found = pj.list_scan(successors, words, lambda x, y: x + y, splitters=splitters, seed=seed)
    assert found.tolist() == walked(successors, words, lambda x, y: x + y)


def test_operators_by_name() -> None:
    successors, values = NASTY_LISTS["pairs"][:], np.arange(1000) * 7 % 50
    for name, combine in (("min", min), ("max", max), ("multiply", lambda x, y: x * y)):
        assert pj.list_scan(successors, values, name).tolist() == walked(successors, values.tolist(), combine)


def test_matrices() -> None:
    """Fibonacci numbers, by products of 2 x 2 matrices, which do not commute."""
    step = np.array([[1, 1], [1, 0]], object)
    found = pj.list_scan(np.array([1, 2, 3, 4, 5, 5]), [step] * 6, lambda x, y: x @ y)
    assert [m[0, 1] for m in found] == [1, 1, 2, 3, 5, 8]


def test_results_have_their_dtypes() -> None:
    successors = [1, 2, 2]
    assert pj.list_scan(successors, np.array([1, 2, 3], np.int8)).dtype == np.int64
    assert pj.list_scan(successors, np.array([1.5, 2, 3], np.float32)).tolist() == [1.5, 3.5, 6.5]
    assert pj.list_scan(successors, [1, 2.5, 3]).dtype == np.float64
    assert pj.list_scan(successors, ["a", "b", "c"], lambda x, y: x + y).dtype == object
    assert pj.list_scan([], []).tolist() == []


def test_ranks_are_a_scan_of_ones_from_the_other_end() -> None:
    successors = NASTY_LISTS["one of 4000"]
    scan = pj.list_scan(successors, np.ones(4000, int))
    np.testing.assert_array_equal(4000 - scan, pj.list_rank(successors, device="reference"))


def test_integers_past_64_bits_are_refused() -> None:
    with pytest.raises(pj.ListError, match="exceed 64 bits"):
        pj.list_scan([1, 1], [2**62, 2**62])
    assert pj.list_scan([1, 1], [2**62, 2**62 - 1]).tolist() == [2**62, 2**63 - 1]

    with pytest.raises(pj.ListError, match="exceed 64 bits"):
        pj.list_scan([1, 1], [2**63, -1])  # np.asarray would make floats of them
    with pytest.raises(pj.ListError, match="exceed 64 bits"):
        pj.list_scan([1, 1], [2**62, 2**62], np.add)
    with pytest.raises(pj.ListError, match="exceed 64 bits"):
        pj.list_scan([1, 1], np.array([2**63, 1], np.uint64))
    assert pj.list_scan([1, 1], np.array([2**62, 2**62], object)).tolist() == [2**62, 2**63]


def test_small_integers_do_not_wrap() -> None:
    for dtype in (np.int8, np.int32, np.uint8):
        found = pj.list_scan([1, 2, 2], np.array([100, 100, 100], dtype), "multiply")
        assert found.tolist() == [100, 10_000, 1_000_000]
    assert pj.list_scan([1, 1], [True, np.True_]).tolist() == [1, 2]


def test_numbers_that_an_operator_makes_of_integers_are_not_cut_off() -> None:
    found = pj.list_scan([1, 2, 2], [1, 2, 3], lambda x, y: x + y + 0.5)
    assert found.dtype == np.float64
    assert found.tolist() == [1, 3.5, 7]


@pytest.mark.parametrize("name", ["min", "max"])
def test_nan_stays_whatever_the_splitters(name: str) -> None:
    successors = NASTY_LISTS["forwards"]
    values = np.random.default_rng(3).random(1000)
    values[400] = np.nan
    for splitters in (0, 1, 64, 1000):
        found = pj.list_scan(successors, values, name, splitters=splitters)
        expected = {"min": np.minimum, "max": np.maximum}[name].accumulate(values)
        np.testing.assert_array_equal(found, expected)


def test_what_cannot_be_scanned_is_refused() -> None:
    with pytest.raises(pj.ListError, match="values is of type int"):
        pj.list_scan([1, 1], 5)
    assert pj.list_scan([1, 1], [2, 3], "sum").tolist() == [2, 5]
    assert pj.list_scan([1, 1], [2, 3], "prod").tolist() == [2, 6]
    with pytest.raises(pj.AlgorithmError, match="operator=3: it must be one of add, multiply"):
        pj.list_scan([1, 1], [1, 2], 3)
    with pytest.raises(pj.ListError, match="2 values for 3 elements"):
        pj.list_scan([1, 2, 2], [1, 2])
    with pytest.raises(pj.ListError, match="one-dimensional"):
        pj.list_scan([1, 2, 2], np.ones((3, 2)))
    with pytest.raises(pj.AlgorithmError, match="add, multiply, min, max, or a callable"):
        pj.list_scan([1, 1], [1, 2], "subtract")
    with pytest.raises(pj.AlgorithmError, match="know only the operators add, multiply, min, max: leave"):
        pj.list_scan([1, 1], [1, 2], max, device="cpu")
    with pytest.raises(pj.AlgorithmError, match="devices scan only integers and floating-point numbers"):
        pj.list_scan([1, 1], [1, 2j], device="cpu")
    for bad in BAD_LISTS.values():
        with pytest.raises(pj.ListError):
            pj.list_scan(bad, np.ones(len(bad)))
